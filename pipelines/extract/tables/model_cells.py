"""Cells of a column of models that print more than the name: `Llama 3.1 8B (TP=8)`, `Llama 2 70B INT8`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipelines.extract.tables.headings import Heading, Qualifier
from pipelines.extract.tables.qualified import qualifiers_in
from pipelines.read.document import Cell
from pipelines.vocabulary.asked import remembered
from pipelines.vocabulary.printed_names import read_model

# `Llama 3.1 8B (TP=8)`, `Llama 3.1 70B (amd/Llama-3.1-70B-Instruct-FP8-KV)`, `BERT-Large (FP16, BS=1)`
_BRACKETS = re.compile(r"(?P<name>.+?)\s*[(\[](?P<inner>[^()\[\]]+)[)\]]")
# `amd/Llama-3.1-70B-Instruct-FP8-KV`: where the weights are kept
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
# `Llama-3.1-8B-Instruct-FP8`, `Llama 2 70B INT8`: what parts a name and its conditions
_PARTING = re.compile(r"[\s\-_]+")
# `7B` below `Size`
_SIZE = re.compile(r"\d+(?:\.\d+)?\s?[BM]", re.IGNORECASE)
_OF_SIZE = re.compile(r"(?:model\s+)?(?:size|param(?:eter)?s)|#\s?params", re.IGNORECASE)
# A model is told from others by its name and these; what a cell says of a platform belongs to another column.
_KINDS = frozenset({"precision", "batch_size", "sequence_length", "attribute", "accelerator_count"})


@dataclass(frozen=True, slots=True)
class ModelCell:
    """A known model as printed, and the conditions beside it in its cell."""

    printed: str
    qualifiers: tuple[Qualifier, ...] = ()


@remembered(maxsize=1024)
def read_model_cell(text: str) -> ModelCell:
    """The name in a cell and the conditions behind it; the whole cell where the name alone is in no vocabulary."""
    if _is_known(text):
        return ModelCell(text)
    for name, rest in _ways(text):
        if not _is_known(name):
            continue
        if _REPOSITORY.fullmatch(rest):
            return ModelCell(name)
        found = qualifiers_in(rest)
        if found and all(qualifier.column in _KINDS for qualifier in found):
            return ModelCell(name, found)
    return ModelCell(text)


def with_size(printed: str, headings: Sequence[Heading], row: Sequence[Cell]) -> str:
    """The name of a model with the size that another column prints, where only both together are a known model.

    `Mistral` beside `7B`.
    """
    if _is_known(printed):
        return printed
    for heading, cell in zip(headings, row, strict=True):
        size = "".join(cell.text.split())
        is_size = heading.column in ("unknown", "attribute") and _SIZE.fullmatch(size)
        if is_size and _OF_SIZE.fullmatch(" ".join(heading.cell.text.split())) and _is_known(f"{printed} {size}"):
            return f"{printed} {size}"
    return printed


def _ways(text: str) -> Iterator[tuple[str, str]]:
    """Ways to part a cell into a name and what stands behind it; the longest name goes first."""
    if match := _BRACKETS.fullmatch(text):
        yield match["name"], match["inner"]
    for parting in reversed(list(_PARTING.finditer(text))):
        yield text[: parting.start()], text[parting.end() :].strip()


def _is_known(text: str) -> bool:
    return (read_model(text).entry or read_model(text, "MLPerf").entry) is not None
