"""Records: every list of objects in JSON is a table, and each value keeps its place."""

from __future__ import annotations

import gc
import json
from contextlib import suppress

import pytest

from pipelines.read.document import Document, ReadError
from pipelines.read.files import read_bytes


def read(content: str, name: str = "results.json") -> Document:
    """The document of a text, whose cells are the characters in their places."""
    document = read_bytes(content.encode(), name, "0" * 64)
    for grid in document.grids:
        for row in grid.rows:
            for cell in row:
                assert document.texts[cell.line - 1][cell.start : cell.end] == cell.text
        for keys in grid.keys:
            for key in keys:
                text = key.text.lstrip("^").split("[")[0]
                start = key.start + len(key.text) - len(key.text.lstrip("^"))
                assert document.texts[key.line - 1][start : start + len(text)] == text
    return document


def tables(content: str, name: str = "results.json") -> dict[str, list[tuple[str, ...]]]:
    return {grid.path: [*grid.texts] for grid in read(content, name).grids}


def test_a_list_of_objects_is_a_table_with_paths_as_headings() -> None:
    content = json.dumps(
        [{"model": "A", "metrics": {"ttft": {"mean": 1.5, "p99": None}}}, {"gpu": "H100"}], indent=1
    )
    assert tables(content) == {
        "[]": [
            ("model", "metrics.ttft.mean", "metrics.ttft.p99", "gpu"),
            ("A", "1.5", "", ""),
            ("", "", "", "H100"),
        ]
    }


def test_values_of_the_objects_around_a_list_are_columns_of_it() -> None:
    content = """{"system": "X", "name": "run", "results": [
        {"name": "A", "metrics": [{"name": "tps", "value": 3}, {"name": "ttft", "value": 4}]}]}"""
    assert tables(content) == {
        ".": [("system", "name"), ("X", "run")],
        "results[]": [("name", "^system", "^name"), ("A", "X", "run")],
        "results[].metrics[]": [
            ("name", "value", "^name", "^system", "^^name"),
            ("tps", "3", "A", "X", "run"),
            ("ttft", "4", "A", "X", "run"),
        ],
    }


def test_one_object_a_line_is_one_list() -> None:
    for name in ("runs.jsonl", "runs.ndjson", "runs.json", "runs.txt"):
        found = tables('{"n": 512, "ts": 7100.5}\n\n{"n": 0, "ts": 118.8}\n', name)
        assert found == {"[]": [("n", "ts"), ("512", "7100.5"), ("0", "118.8")]}


def test_a_text_with_escapes_is_written_as_it_reads() -> None:
    document = read(r'{"name": "caf\u00e9 \"H100\"\n2x", "\u0078": "\ud83d", "value": 12}')
    assert document.grids[0].texts[1] == ('café "H100" 2x', "\ufffd", "12")
    assert [note.rule for note in document.notes] == ["wrong_characters"]
    assert document.grids[0].rows[1][2].start == document.texts[0].index("12")
    assert len(document.texts[0]) == len(
        r'{"name": "caf\u00e9 \"H100\"\n2x", "\u0078": "\ud83d", "value": 12}'
    )


def test_lists_of_values_are_columns_and_long_ones_are_counted() -> None:
    document = read(json.dumps({"ttft": [1.5, 2.5], "e2e": [*range(10, 21)], "pairs": [[7, 8]]}))
    heading = ("ttft[0]", "ttft[1]", "pairs[0][0]", "pairs[0][1]")
    assert document.grids[0].texts == (heading, ("1.5", "2.5", "7", "8"))
    assert [note.reason for note in document.notes] == [
        "11 values are samples and not read, in the lists `e2e` (11)"
    ]
    assert "20" not in document.texts[0]


def test_nested_lists_and_lists_within_objects_are_tables() -> None:
    assert tables('{"a": {"b": [{"c": 1}]}, "d": [[{"e": 2}]]}') == {
        "a.b[]": [("c",), ("1",)],
        "d[][]": [("e",), ("2",)],
    }


def test_numbers_stay_as_printed() -> None:
    content = '[{"a": 1E400, "b": -0.10, "c": NaN, "d": 123456789012345678901234567890, "e": true}]'
    assert tables(content)["[]"][1] == (
        *("1E400", "-0.10", "NaN"),
        *("123456789012345678901234567890", "true"),
    )


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        ('[\n {"a": 1},\n {"b": 2', 3, "column 9: the JSON is not complete: the file is cut off"),
        ('{"a": "text', 1, "column 7: the JSON is not complete"),
        ('{"a": 1}\n{"a":', 2, "column 6: the JSON is not complete"),
        ('{"a": 1} {"a": 2}', 1, "column 10: there is text behind the end"),
        ('{\n"a": 1}\n{\n"a": 2}', 3, "column 1: a second document begins here"),
        ('{"a": 1}\n{\n"a": 2}', 2, "column 1: a second document begins here"),
        ('{"a": 1,\n // median\n "b": 2}', 2, "column 2: a comment is no JSON"),
        ('{1: "a"}', 1, "column 2: it is no JSON: expecting property name"),
        ('{"a": 1,\n "a": 2}', 2, "column 3: the key 'a' stands twice"),
        ("[" * 200 + "]" * 200, 1, "column 101: it is nested more than 100 deep"),
        ("[" * 100_000, 1, "column 1: it is nested more than 100 deep"),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(content: str, line: int, reason: str) -> None:
    with pytest.raises(ReadError) as raised:
        read(content)
    assert raised.value.rule == "bad_records"
    assert raised.value.line == line
    assert raised.value.reason.startswith(reason)


@pytest.mark.parametrize("name", ["results", "results.txt", "results.log"])
def test_json_that_is_cut_off_is_refused_whatever_its_suffix(name: str) -> None:
    for content in ('[{"model": "BERT", "ms": 3}, {"model": "BE', '{"a": {"b": 1'):
        with pytest.raises(ReadError, match="the JSON is not complete") as raised:
            read_bytes(content.encode(), name, "0" * 64)
        assert (raised.value.rule, raised.value.line) == ("bad_records", 1)
    # A text whose first line begins with an object, or is one, is no JSON.
    for text in ('{"a": 1} Request done\nepoch 2\n', '{"a": 1}\n\n# Results\n\n{"b": 2}\n'):
        assert not read_bytes(text.encode(), name, "0" * 64).is_data
    assert read_bytes(b'{}\n{"a": 1}\n', name, "0" * 64).is_data
    # A dictionary of Python in a log is no JSON.
    assert not read_bytes(b"{'loss': 1.5}\nepoch 2\n", name, "0" * 64).is_data


def test_a_line_of_thirty_megabytes_is_read() -> None:
    document = read(json.dumps({"runs": [{"model": "x" * 30_000_000, "ms": 3}]}))
    assert [cell.text for cell in document.grids[0].rows[1]][1] == "3"


def test_reading_records_leaves_the_collection_of_garbage_as_it_was() -> None:
    for content in ("[1", '{"a": 1}'):
        with suppress(ReadError):
            read(content)
        assert gc.isenabled()


def test_too_many_values_are_refused() -> None:
    with pytest.raises(ReadError, match="more than 1,000,000 values"):
        read(json.dumps([*range(1_000_001)]))


def test_a_hundred_levels_and_a_byte_order_mark_are_read() -> None:
    content = "\ufeff" + '{"a":' * 99 + "5" + "}" * 99
    assert read(content).grids[0].texts == ((".".join("a" * 99),), ("5",))


YAML = """# Results
defaults: &shared {device: H100, precision: fp16}
results:
  - <<: *shared
    model: "Llama \\"3\\""
    note: a text
      over lines
    # median of three
    metrics: {ttft: 1.5, e2e: ~}
  - <<: [*shared, {device: A100, batch: 8}]
    model: >
      BERT
      large
    precision: int8
    metrics:
      ttft: 2
"""


def test_yaml_is_the_same_tables_with_anchors_and_merge_keys() -> None:
    assert tables(YAML, "hub.yaml")["results[]"] == [
        (
            *("device", "precision", "model", "note", "metrics.ttft", "metrics.e2e", "batch"),
            *("^defaults.device", "^defaults.precision"),
        ),
        ("H100", "fp16", 'Llama "3"', "a text over lines", "1.5", "", "", "H100", "fp16"),
        ("H100", "int8", "BERT large", "", "2", "", "8", "H100", "fp16"),
    ]
    device = read(YAML, "hub.yaml").grids[1].rows[2][0]
    assert (device.line, device.text) == (2, "H100")


def test_documents_of_yaml_are_a_list() -> None:
    assert tables("a: 1\n---\na: 'null'\n", "x.yml") == {"[]": [("a",), ("1",), ("null",)]}


LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 9)}]\n" for n in range(8)
)


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        ("a: 1\nb: [1, 2\n", 2, "column 9: it is no YAML: did not find expected ',' or ']'"),
        ("a: 1\na: 2\n", 2, "column 1: the key 'a' stands twice"),
        ("a: &b [*b]\n", 1, "column 8: the alias `*b` has no anchor before it"),
        ("? [a, b]\n: c\n", 1, "column 3: a key is a list or an object"),
        ("a: \x1b\n", 1, "column 4: it is no YAML"),
        ("[" * 150, 1, "column 101: it is nested more than 100 deep"),
        (LAUGHS, 1, "column 10: more than 1,000,000 values"),
    ],
)
def test_what_is_no_yaml_is_refused_with_its_place(content: str, line: int, reason: str) -> None:
    with pytest.raises(ReadError) as raised:
        read(content, "x.yaml")
    assert (raised.value.rule, raised.value.line) == ("bad_records", line)
    assert raised.value.reason.startswith(reason)
