"""How one side of a comparison was run: `1x A100 (40GB) results using TensorRT 7.2 | INT8 | Batch size 1,2,8+`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pipelines.extract.mentions import Mention, find_mentions, only
from pipelines.extract.slides.damaged import damaged_parameters, states_batch, without
from pipelines.extract.slides.titles import System, printed, read_system
from pipelines.read.document import Cell
from pipelines.values.batch_sizes import parse_batch_sizes
from pipelines.values.precisions import parse_precision
from pipelines.vocabulary.lookup import find, key

# `Batch size 4 through 360`, `Batch Size 1,2,8+`, `Global batch size: 65,536`
_BATCH = re.compile(
    r"\b(?:batch(?:\s?sizes?)?|BS)\s*(?:of\s+|[:=]\s*)?"
    r"(?P<sizes>\d[\d,]*\s*(?:through|to|-|\u2013)\s*\d[\d,]*|\d+(?:\s*,\s*\d+)+\+?|\d+\+?)(?!\d|[\d.]*\.\d|,[^\sA-Za-z|])",
    re.IGNORECASE,
)
# What joins two frameworks of one side: `TensorFlow & PyTorch`
_JOINT = re.compile(r"\s*(?:&|,|/|\+|and)\s*", re.IGNORECASE)
# A framework that no vocabulary knows: `using TensorRT-LLM 0.9`; a name has a capital
_USING = re.compile(r"\busing\s+(?P<name>(?=\S*[A-Z])[\w.+-]*\w(?:\s+v?\d[\w.]*)?)")
# `results measured using public Google repo`, `results calculated using NV published TensorFlow throughput`
_METHOD = re.compile(r"\b(?:results\s+)?(?:measured|calculated|estimated|simulated|projected)\b[^|(]*", re.IGNORECASE)
# `published by NVIDIA`, `results measured by Example Labs`
_BY = re.compile(r"\b(?:published|measured|reported)\s+by\s+(?P<who>[^|(),;]+)", re.IGNORECASE)
# `Real Data (ImageNet)`, `Synthetic data`
_KIND_OF_DATA = re.compile(r"(?:real|synthetic|dummy|random)\s+data(?:\s*\([^()]*\))?", re.IGNORECASE)
# `ImageNet2012 Dataset`, `using Wikipedia dataset`; `LibriSpeech dataset` where no vocabulary knows the name
_DATASET = re.compile(r"(?<!\S)(?P<name>\S+(?:\s\S+){0,2}?)\s+(?:dataset|data\s+set)", re.IGNORECASE)
_DATASET_BORDER = re.compile(r"(?<!\d),(?!\d)|\b(?:using|with|on)\s", re.IGNORECASE)
_BRACKETS = re.compile(r"\([^()]*\)")


@dataclass(frozen=True, slots=True)
class Statement:
    """One line of the notes, or several where it was wrapped: the first line and the parts between its bars."""

    cell: Cell
    segments: tuple[Cell, ...]
    ends_open: bool = False

    @classmethod
    def of(cls, cell: Cell) -> Statement:
        parts = (cell.matched(match).stripped() for match in re.finditer(r"[^|]+", cell.text))
        return cls(cell, tuple(part for part in parts if not part.is_blank), cell.text.endswith("|"))

    def joined(self, cell: Cell) -> Statement:
        more = Statement.of(cell)
        return Statement(self.cell, self.segments + more.segments, more.ends_open)


@dataclass
class Side:
    """One side of a comparison as its line prints it; `count` and `measured_by` may be said elsewhere on the slide.

    `damages` are words that should be a number and are none, each with the reason; nothing was read from them.
    """

    system: System
    text: str
    count: int | None
    framework: str | None = None
    sdk_version: str | None = None
    precision: str | None = None
    batch_sizes: str | None = None
    batch_size_low: int | None = None
    batch_size_high: int | None = None
    dataset: str | None = None
    measured_by: str | None = None
    conditions: list[str] = field(default_factory=list)
    damages: list[tuple[Cell, str]] = field(default_factory=list)


def read_side(statement: Statement) -> Side | None:
    """How a system was run, or None where the line does not start with a system or says nothing of its run."""
    system = read_system(statement.segments[0]) if statement.segments else None
    if system is None or not system.is_sure or (system.count is None and not has_parameter(statement)):
        return None
    first = statement.segments[0]
    printed_parts = (first.part(system.end, len(first.text)).stripped(), *statement.segments[1:])
    damages = [damage for part in printed_parts for damage in damaged_parameters(part)]
    said = tuple(without(part, (cell for cell, _ in damaged_parameters(part))) for part in printed_parts)
    # Of two batch sizes one that is left is not that of the run.
    is_damaged = any(states_batch(part) and any(damaged_parameters(part)) for part in printed_parts)
    low, high, sizes = (None, None, None) if is_damaged else read_batch_sizes(said)
    return Side(
        system,
        " | ".join(printed(part.text) for part in statement.segments),
        system.count,
        framework=_framework(said),
        sdk_version=_sdk(said),
        precision=read_precision(said),
        batch_sizes=sizes,
        batch_size_low=low,
        batch_size_high=high,
        dataset=read_dataset(said),
        measured_by=_measured_by(said),
        conditions=[printed(part.text) for part in said if key(part.text).startswith("assum")],
        damages=damages,
    )


def has_parameter(statement: Statement) -> bool:
    """True where a line states a precision, a batch size or an SDK."""
    parts = statement.segments
    return has_sdk(statement) or read_precision(parts) is not None or any(_BATCH.search(part.text) for part in parts)


def has_sdk(statement: Statement) -> bool:
    """True where a line states an SDK, which is always one system's."""
    return any(_stated(part, "sdk_version") for part in statement.segments)


def read_precision(parts: tuple[Cell, ...]) -> str | None:
    """The precision that the parts state: those that are nothing else count before those that say more."""
    exact = [precision.name for part in parts if (precision := parse_precision(part.text))]
    if not exact:
        exact = [mention.value for part in parts for mention in _stated(part, "precision")]
    names = list(dict.fromkeys(exact))
    # Two pairs such as 16.16 and 16.32 cannot both be the precision of one run.
    if len(names) > 1 and any("." in name for name in names):
        return None
    return "+".join(names) or None


def read_batch_sizes(parts: tuple[Cell, ...]) -> tuple[int | None, int | None, str | None]:
    """Least and greatest batch size and their printed text; the whole statements where there are several."""
    found = [(part, match) for part in parts for match in _BATCH.finditer(part.text)]
    if not found:
        return None, None, None
    sizes = [parse_batch_sizes(match["sizes"]) for _, match in found]
    text = printed(found[0][1]["sizes"])
    if len(found) > 1:
        text = " | ".join(dict.fromkeys(printed(part.text) for part, _ in found))
    known = [size for size in sizes if size]
    if len(known) < len(sizes):
        return None, None, text
    highs = [size.high for size in known if size.high is not None]
    return min(size.low for size in known), max(highs) if len(highs) == len(known) else None, text


def read_dataset(parts: tuple[Cell, ...]) -> str | None:
    """The dataset as printed without the word itself, or None; `Real Data (X)` and `host generated data` are ones."""
    for part in parts:
        if _KIND_OF_DATA.fullmatch(part.text):
            return printed(part.text)
        for piece in _DATASET_BORDER.split(_outside_brackets(part.text)):
            named = _DATASET.search(piece.strip())
            name = printed(named["name"] if named else piece)
            if find("datasets", name) or (named and any(character.isupper() for character in name)):
                return name
    return None


def _stated(part: Cell, kind: str) -> list[Mention]:
    """What a part states of a kind, outside of brackets."""
    return [mention for mention in find_mentions(_outside_brackets(part.text)) if mention.kind == kind]


def _sdk(parts: tuple[Cell, ...]) -> str | None:
    return only(mention.value for part in parts for mention in _stated(part, "sdk_version"))


def _framework(parts: tuple[Cell, ...]) -> str | None:
    names: dict[str, str] = {}
    for part in parts:
        spans: list[tuple[int, int]] = []
        for mention in _stated(part, "framework"):
            if spans and _JOINT.fullmatch(part.text, spans[-1][1], mention.start):
                spans[-1] = (spans[-1][0], mention.end)
            else:
                spans.append((mention.start, mention.end))
        for span in spans:
            names.setdefault(key(part.text[slice(*span)]), printed(part.text[slice(*span)]))
    if not names and parts and not _METHOD.search(parts[0].text) and (using := _USING.search(parts[0].text)):
        return printed(using["name"])
    return " & ".join(names.values()) or None


def _measured_by(parts: tuple[Cell, ...]) -> str | None:
    for part in parts:
        if match := _BY.search(part.text):
            return printed(match["who"])
        if match := _METHOD.search(part.text):
            return printed(match[0])
    return None


def _outside_brackets(text: str) -> str:
    """The text with brackets blanked out, so that all places stay: what stands in them is said of something else."""
    return _BRACKETS.sub(lambda match: " " * len(match[0]), text)
