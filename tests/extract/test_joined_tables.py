"""Lines of a page joined by tabs: no row takes the headings or the section of another table."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.extract.reading import StoredDocument, read_document

CSV = """\
Encoder models - latency optimized
----------------------------------

.. csv-table::
   :header-rows: 1

   Model,Inst. Type,Throughput (inference/sec),Latency P50 (ms)
   bert-base-cased,Inf2.xlarge,2059.31,0.97
   bert-large-cased,Inf2.xlarge,720.06,2.76

Vision models - throughput optimized
------------------------------------

.. csv-table::
   :header-rows: 1

   Model,Inst. Type,Throughput (inference/sec),Latency P50 (ms)
   resnet50,Inf2.xlarge,4216.27,1.20
   resnet18,Inf2.xlarge,6576.83,0.91
"""
CELLS = """\
Training

Model
Platform
Throughput (items/sec)
ViT
Bow Pod16
7,608
DINO
Bow Pod64
1,365
BERT-Large
Bow Pod16
6,044

Time to Result

Model
Platform
Time To Result (secs)
MCMC TFP
IPU-M2000
49
"""


def joined(text: str, first: str, last: str) -> str:
    """The text with the lines from the one that begins with `first` to the next that begins with `last` as one."""
    lines = text.split("\n")
    start = next(n for n, line in enumerate(lines) if line.strip().startswith(first))
    end = next(n for n, line in enumerate(lines) if n > start and line.strip().startswith(last))
    return "\n".join([*lines[:start], "\t".join(lines[start : end + 1]), *lines[end + 1 :]])


def read(folder: Path, name: str, text: str) -> tuple[list[tuple[str, str, str]], set[tuple[str, int]]]:
    path = folder / name
    path.write_text(text, "utf-8")
    rows = read_document(StoredDocument("0" * 64, path, "results_page")).rows
    values = [(row["model_printed"], row["text_printed"], row["section"]) for row in rows.get("measurements", [])]
    return values, {(row["rule"], row["line"]) for row in rows.get("rejects", [])}


@pytest.mark.parametrize(
    ("first", "last", "line", "left"),
    [
        # The last row with the headings of the next table: its rows would be read below the wrong ones.
        ("bert-large", "Model", 9, ["2059.31", "0.97"]),
        # The last row with the next heading: the table below it has a section that cannot be read.
        ("bert-large", "Vision", 9, ["2059.31", "0.97", "720.06", "4216.27", "1.20", "6576.83", "0.91"]),
    ],
)
def test_a_csv_table_ends_at_joined_lines(tmp_path: Path, first: str, last: str, line: int, left: list[str]) -> None:
    values, rejects = read(tmp_path, "page.rst", joined(CSV, first, last))
    assert [text for _, text, _ in values] == left
    assert {section for model, _, section in values if model.startswith("resnet")} <= {None}
    assert line in {number for _, number in rejects}


def test_a_heading_in_joined_lines_is_no_tables(tmp_path: Path) -> None:
    values, rejects = read(tmp_path, "page.rst", joined(CSV, "Vision", "----"))
    assert [section for model, _, section in values if model == "resnet50"] == [None, None]
    assert ("lines_joined", 11) in rejects


def test_a_flattened_table_ends_at_joined_headings(tmp_path: Path) -> None:
    values, rejects = read(tmp_path, "page.txt", joined(CELLS, "6,044", "Time To Result (secs)"))
    assert values == [("ViT", "7,608", "Training"), ("DINO", "1,365", "Training")]
    assert rejects


@pytest.mark.parametrize("last", [".. csv-table::", ":header-rows:"])
def test_a_header_behind_joined_lines_begins_another_table(tmp_path: Path, last: str) -> None:
    text = joined(CSV, "bert-large", last)
    values, rejects = read(tmp_path, "page.rst", text)
    assert [section for model, _, section in values if model == "resnet50"] == [None, None]
    assert ("unread_value", 9) in rejects


def test_a_document_cut_anywhere_is_read(tmp_path: Path) -> None:
    whole, _ = read(tmp_path, "page.rst", CSV)
    for end in range(1, len(CSV), 3):
        values, _ = read(tmp_path, "page.rst", CSV[:end])
        assert values[:-1] == whole[: max(len(values) - 1, 0)], CSV[:end][-40:]


ROWS = """\
Model
Platform
SDK Version
Batch Size
Precision
Throughput (items/sec)
ViT\tBow Pod16\tSDK 3.1\t54,784\t16.16\t6,044
BERT Base - HuggingFace\tBow Pod16\tSDK 3.0\t320\t16.16\t1,014
FastPitch\tBow Pod16\tSDK 3.3\t128\t32.32\t1,489,341
DINO\tBow Pod64\tSDK 3.1\t65,280\t16.16\t18,199
"""


def test_rows_with_tabs_below_headings_without_are_no_table_of_their_own(tmp_path: Path) -> None:
    values, rejects = read(tmp_path, "page.txt", ROWS)
    assert not values
    assert {rule for rule, _ in rejects} == {"no_rows", "no_measured_column"}
    table = ROWS.replace("\n", "\t", 5)
    assert [text for _, text, _ in read(tmp_path, "page.txt", table)[0]] == ["6,044", "1,014", "1,489,341", "18,199"]
