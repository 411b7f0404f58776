"""What a cell of a field states: names, conditions beside them in brackets, pairs of lengths, each with its characters.

Which field a column is belongs in `header.py`, values in `values.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pipelines.extract.mentions import NAMES, field_of, find_mentions, known_name, typed
from pipelines.extract.tables.headings import Meaning, entry_of, is_length
from pipelines.values.numbers import parse_count
from pipelines.vocabulary.units import find_unit

_MEMORY = 1 << 15
# `MindSpore Version`, `PyTorch version`
OF_VERSION = re.compile(r"(?P<name>.{2,60}?)\sversion", re.IGNORECASE)
# `CUDA` below `Backend`
_BACKENDS = frozenset({"cuda", "rocm", "hip", "metal", "vulkan", "sycl", "opencl", "cpu", "blas", "cann", "musa"})
# Conditions of which a number may have several.
_OTHERS = frozenset({"mode", "dataset_split", "left"})


class Part(NamedTuple):
    """What a cell states, with its characters within the cell."""

    dimension: str
    value: str
    start: int
    end: int


def is_other(dimension: str) -> bool:
    """True for a condition that has no column: `+Optimizer` tells benchmarks apart, `-Server` does not, `~Kind` may."""
    return dimension in _OTHERS or dimension[0] in "+-~"


def is_weak(dimension: str) -> bool:
    """True for what counts only where nothing else tells two numbers of a table apart, or never."""
    return dimension == "left" or dimension[0] in "-~"


@lru_cache(_MEMORY)
def parts_of(meaning: Meaning, text: str, name: str) -> tuple[Part, ...]:
    """What a cell of a field states."""
    whole = (0, len(text))
    dimension = meaning.dimension
    if dimension is None:
        return tuple(_of_attribute(meaning, text, name))
    if dimension == "lengths":
        return tuple(_of_lengths(text))
    if dimension == "batch_size":
        value = typed(dimension, text)
        return (Part(dimension, value, *whole),) if value else ()
    if dimension == "accelerator_count" and " x " in f" {text.replace('x', ' x ')} ":
        factors = [parse_count(part.strip()) for part in text.lower().split("x")]
        if len(factors) == 2 and all(factors):
            first = len(text.lower().partition("x")[0].rstrip())
            return (Part("nodes", str(factors[0]), 0, first), Part(dimension, typed(dimension, text) or "", *whole))
    if dimension == "task" and typed(dimension, text) not in ("training", "inference"):
        # `Text Generation`, `Image Classification`: what the model does, which is another test.
        return (Part("+Task", text, *whole),)
    if dimension == "framework" and text.casefold() in _BACKENDS:
        # What a framework was compiled for; its own name stands elsewhere.
        return (Part("+Backend", text, *whole),)
    if dimension in NAMES:
        return tuple(_of_name(dimension, text))
    value = typed(dimension, text)
    if value is None:
        # `640x640` below `Input` is the size of a picture.
        kinds = (dimension, "image_size") if is_length(dimension) else (dimension,)
        mention = next((m for m in find_mentions(text) if m.kind in kinds), None)
        if mention:
            return (Part(mention.kind, mention.value, mention.start, mention.end),)
        return tuple(_of_label(text)) if dimension == "scenario" else ()
    return (Part(dimension, value, *whole),)


def _of_attribute(meaning: Meaning, text: str, name: str) -> Iterator[Part]:
    whole = (0, len(text))
    if meaning.column == "label":
        yield from _of_label(text)
        return
    if meaning.column == "framework_version" and _is_of_other_software(name):
        yield Part(f"-{name}", text, *whole)
        return
    if meaning.column in ("variant", "quality_target", "ranking", "framework_version", "unit"):
        if meaning.column == "variant" and find_unit(text):
            # `frames/s` below `Variant` says what the row counts.
            yield Part("unit", text, *whole)
        else:
            yield Part(meaning.column, " ".join(text.split()), *whole)
            for mention in find_mentions(text) if meaning.column == "variant" else ():
                if mention.kind in ("stage", "sequence_length", "image_size"):
                    yield Part(*mention)
        return
    entry = entry_of(meaning)
    if entry is None:
        return
    yield Part(f"{'+' if meaning.is_identity else '-'}{entry.name}", typed(entry.name, text) or text, *whole)


def _is_of_other_software(heading: str) -> bool:
    """`X-LINUX-AI version`: it is no version of the framework that another column names."""
    named = OF_VERSION.fullmatch(heading)
    if named is None or known_name("framework", named["name"]):
        return False
    return field_of(heading) is None


def _of_label(text: str) -> Iterator[Part]:
    """What the mentions of a cell state, and the words beside them: `L40S BASE BF16`."""
    mentions = [
        m
        for m in find_mentions(text)
        if m.kind not in ("field", "metric", "unit", "comparison", "unknown_name", "bound")
    ]
    for mention in mentions:
        yield Part(mention.kind, mention.value.rpartition(":")[2], mention.start, mention.end)
    rest = _beside(text, [(m.start, m.end) for m in mentions])
    if rest:
        yield Part("left", rest, 0, len(text))


def _beside(text: str, places: Sequence[tuple[int, int]]) -> str:
    masked = list(text)
    for start, end in places:
        masked[start:end] = " " * (end - start)
    words = "".join(masked).replace("(", " ").replace(")", " ").replace("[", " ").replace("]", " ").split()
    return " ".join(word for word in words if any(map(str.isalnum, word)) or word == "+").strip(" +-,;:/|@")


def _of_name(dimension: str, text: str) -> Iterator[Part]:
    """A name and the conditions beside it: `Llama 3.1 8B (TP=8)`, `Llama 2 70B INT8`, `CTranslate2 1.2.1 (int8)`."""
    plain = " ".join(text.split())
    if known_name(dimension, plain):
        yield Part(dimension, plain, 0, len(text))
        for mention in find_mentions(text):
            if dimension == "model" and mention.kind in ("stage", "image_size"):
                yield Part(*mention)
        return
    mentions = find_mentions(text)
    named = next((m for m in mentions if m.kind == dimension), None)
    beside = [m for m in mentions if m.kind in _BESIDE_NAME]
    if named and beside and not _beside(text, [(m.start, m.end) for m in (named, *beside)]):
        yield Part(dimension, named.value, named.start, named.end)
        for mention in beside:
            yield Part(mention.kind, mention.value.rpartition(":")[2], mention.start, mention.end)
        return
    # `BERT-Large (FP16, BS=1)`, `acme-7B (TP=8)`: brackets that hold nothing but conditions
    opening = text.find("(")
    if opening > 0 and text.rstrip().endswith(")"):
        inside = [m for m in beside if m.start > opening]
        if inside and not _beside(text[opening:], [(m.start - opening, m.end - opening) for m in inside]):
            yield Part(dimension, " ".join(text[:opening].split()), 0, len(text[:opening].rstrip()))
            for mention in inside:
                yield Part(mention.kind, mention.value.rpartition(":")[2], mention.start, mention.end)
            return
    yield Part(dimension, plain, 0, len(text))


_BESIDE_NAME = frozenset(
    {"precision", "batch_size", "sequence_length", "tensor_parallel", "pipeline_parallel", "quantization", "kv_cache",
    "mode",
     "accelerator_count", "input_length", "output_length", "data_parallel", "expert_parallel"}
)  # fmt: skip


def _of_lengths(text: str) -> Iterator[Part]:
    """`128/2048`, `128, 128`: what a language model is given, and what it is asked for."""
    for sign in ("/", ",", ":", "|", "-", "+"):
        left, found, right = text.partition(sign)
        if found:
            first, second = typed("input_length", left), typed("output_length", right)
            if first and second and first.isdigit() and second.isdigit():
                yield Part("input_length", first, 0, len(left.rstrip()))
                yield Part("output_length", second, len(text) - len(right.lstrip()), len(text))
                return
    yield Part("+Input/Output Length", " ".join(text.split()), 0, len(text))


@lru_cache(_MEMORY)
def conditions_behind(text: str) -> tuple[int, tuple[Part, ...]] | None:
    """A value cell with conditions in brackets behind the number: where these begin, and what they state."""
    opening = text.find("(")
    if opening <= 0 or not text.endswith(")"):
        return None
    found = [m for m in find_mentions(text) if m.start > opening and m.kind in _BESIDE_NAME]
    if not found or _beside(text[opening:], [(m.start - opening, m.end - opening) for m in found]):
        return None
    return opening, tuple(Part(m.kind, m.value.rpartition(":")[2], m.start, m.end) for m in found)
