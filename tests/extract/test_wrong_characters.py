"""Texts that were decoded with the wrong encoding and saved again."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from pipelines.extract.reading import StoredDocument, read_document
from pipelines.extract.tables.entries import MappingFile

CELLS = (
    "Model Variant Platform Dataset Throughput\u2009(items/sec) ViT \u00a0 Pod16 ImageNet 7,608 "
    "DINO ViT-S Pod16 ImageNet 1,365 BERT-Large SL128 Pod16 SQuAD 6,044"
)
PAGE = (
    "Training\n\nCaf\u00e9 results\u2019 page\n\n"
    + CELLS.replace(" ", "\n").replace("\u2009", " ")
    + "\n"
)
MAPPING = """tables:
- columns: {Model: model, Variant: variant, Platform: platform, Dataset: dataset,
    Throughput (items/sec): {metric: throughput, unit: items/s}}
"""


@pytest.mark.parametrize(
    ("page", "rules"),
    [
        (PAGE.encode(), []),
        (PAGE.encode().decode("latin-1").encode(), ["wrong_characters", "unread_condition"]),
        (PAGE.encode().decode("cp1252").encode(), ["wrong_characters", "unread_condition"]),
        (PAGE.replace("\u00a0", "?").encode(), ["unread_condition"]),
        (PAGE.replace("\u00a0", "\ufffd").encode(), ["wrong_characters", "unread_condition"]),
    ],
)
def test_a_row_with_wrong_characters_is_not_read(
    tmp_path: Path, page: bytes, rules: list[str]
) -> None:
    path, mapping = tmp_path / "page.txt", tmp_path / "mapping.yml"
    path.write_bytes(page)
    mapping.write_text(MAPPING, "utf-8")
    listed = MappingFile(mapping, hashlib.sha256(mapping.read_bytes()).hexdigest())
    rows = read_document(StoredDocument("0" * 64, path, None, mapping=listed)).rows
    values = [row["text_printed"] for row in rows.get("measurements", [])]
    assert values == ["7,608", "1,365", "6,044"][bool(rules) :]
    assert [row["rule"] for row in rows.get("rejects", [])] == rules
