"""Texts that were decoded with the wrong encoding and saved again."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from pipelines.extract.reading import StoredDocument, read_document
from pipelines.extract.tables.entries import MappingFile

PAGE = """\
Training

Caf\u00e9 results\u2019 page

\u00a0

Model
Variant
Platform
Dataset
Throughput (items/sec)
ViT
\u00a0
Bow Pod16
ImageNet
7,608
DINO
ViT-S
Bow Pod16
ImageNet
1,365
BERT-Large
SL128
Bow Pod16
SQuAD
6,044
"""


MAPPING = """tables:
- columns: {Model: model, Variant: variant, Platform: platform, Dataset: dataset,
    Throughput (items/sec): {metric: throughput, unit: items/s}}
"""


def read(folder: Path, content: bytes) -> tuple[list[str], list[str]]:
    path = folder / "page.txt"
    path.write_bytes(content)
    mapping = folder / "mapping.yml"
    mapping.write_text(MAPPING, "utf-8")
    listed = MappingFile(mapping, hashlib.sha256(mapping.read_bytes()).hexdigest())
    rows = read_document(StoredDocument("0" * 64, path, None, mapping=listed)).rows
    values = [row["text_printed"] for row in rows.get("measurements", [])]
    return values, [row["rule"] for row in rows.get("rejects", [])]


def test_a_sound_text_is_not_noted(tmp_path: Path) -> None:
    values, rejects = read(tmp_path, PAGE.encode())
    assert values == ["7,608", "1,365", "6,044"]
    assert not rejects


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_a_cell_that_a_wrong_encoding_made_is_not_read(tmp_path: Path, encoding: str) -> None:
    values, rejects = read(tmp_path, PAGE.encode().decode(encoding).encode())
    assert values == ["1,365", "6,044"]
    assert rejects == ["wrong_characters", "unread_condition"]


@pytest.mark.parametrize("character", ["?", "\ufffd"])
def test_a_mark_in_place_of_a_character_is_no_name(tmp_path: Path, character: str) -> None:
    values, rejects = read(tmp_path, PAGE.replace("\u00a0", character).encode())
    assert values == ["1,365", "6,044"]
    assert "unread_condition" in rejects
