"""The notes of a slide: how each system was run
(`1x A100 (40GB) using TensorRT 7.2 | INT8 | Batch size 1,2,8+`), and who is compared with whom.
Slides, titles and labels: `deck.py`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import dropwhile, takewhile
from typing import Any

from pipelines.extract.mentions import Mention, find_mentions, only
from pipelines.extract.rows import Configuration
from pipelines.extract.slides.deck import DeckLine, printed, spelling_of
from pipelines.read.document import Cell
from pipelines.values.numbers import parse_batch_sizes, parse_count
from pipelines.values.precisions import parse_precision
from pipelines.vocabulary.lookup import find

# `1x IPU-M2000`, `1xA100`, `16 x H100`, `lx A100`; never `32x4d` or `2.6xA100`
_COUNT = re.compile(r"(?P<count>\d{1,6}|[lIOS])\s?[xX×](?!\d)\s?")
# The words of an unknown name: `AcmeOne` of `AcmeOne card using PyTorch`, `Acme TPU v2`
_NAME = re.compile(r"[^\W\d][^\s|(,;:]*(?:\s+(?=[A-Z\d]|[a-z]+\d)[^\s|(,;:]+)*")
_BRACKET = re.compile(r"\s*\((?P<inside>[^()|]*)(?P<end>\))?")
_BRACKETS = re.compile(r"\([^()]*\)")
# The longest printed so far has four words; more are a sentence.
_MAX_WORDS = 5
# What is stated of a run; `precision_alone` is a part of the line that is nothing else. And fields
# that announce it
_PARAMETERS = frozenset({"precision", "precision_alone", "batch_sizes", "sdk_version"})
_ANNOUNCED = {"Batch Size": "batch_sizes", "SDK Version": "sdk_version"}
# `FP 16.l6`, `SDK 1,4,0`: a parameter, whether it can be read or not
_SAYS_PARAMETER = re.compile(r"(?i)\b(?:SDK|batch|BS)\b|(?<![A-Za-z])(?:FP|BF|INT)(?![a-z])")
# `published by NVIDIA`, `results measured by Example Labs`,
# `results measured using public Google repo`
_METHOD = re.compile(
    r"(?i)\b(?:published|measured|reported)\s+by\s+(?P<who>[^|(),;]+)|\b(?:results\s+)?(?:measured|calculated)\b[^|(]*"
)
# A comparison has two sides.
_ROLES = ("subject", "baseline")
# `headline comparisons using lowest latency`, `Assume linear scaling from 1x to 2x DGX A100`
_CONDITION = re.compile(r"(?i)\b(?:comparisons?|compared|lowest|assum\w+)\b")


Conditions = dict[str, list[str]]


@dataclass
class Notes:
    """What the notes of one slide say.

    Attributes:
        model: The model in the spelling of the notes, where it is the title's.
        sides: How each system was run, in the roles `subject`, `baseline` and `other`; model and
            section are not set.
        dataset: Dataset that the topic states for all sides.
        conditions: What the comparison holds for, as printed.
        unread: Lines that look like a side's and cannot be read; the roles of the others are then
            not known.
        lines: Numbers of all their lines.
    """

    model: str | None = None
    sides: list[Configuration] = field(default_factory=list)
    dataset: str | None = None
    conditions: list[str] = field(default_factory=list)
    unread: list[Cell] = field(default_factory=list)
    lines: set[int] = field(default_factory=set)

    def common(self, name: str, role: str | None = None) -> str | None:
        """The value of a field that all sides of a role have, or None."""
        return only(getattr(side, name) for side in self.sides if role in (None, side.role))


def read_notes(lines: Sequence[DeckLine], title: str | None) -> Notes:
    """The notes of a slide, from their head to the next blank line or chart label; empty where it
    has none.

    `title` is the model that the slide's title names.
    """
    notes = Notes()
    own = list(dropwhile(lambda line: line.kind != "notes", lines))
    own[1:] = takewhile(lambda line: line.kind in ("url", "text"), own[1:])
    notes.lines = {line.cell.line for line in own}
    cells = [line.cell for line in own if line.kind == "text"]
    remarks: list[tuple[str, str]] = []
    for cell in cells:
        side, remark = read_side(cell), read_remark(cell)
        if side:
            notes.sides.append(side)
        elif remark:
            remarks.append(remark)
        elif _is_like_side(cell):
            notes.unread.append(cell)
        elif cell is cells[0]:
            # The topic: `BERT-Large Inference | SQuAD | headline comparisons using lowest latency`
            notes.model = spelling_of(title, cell.text.partition("|")[0])
            notes.dataset = next(iter(_conditions(parts_of(cell))["dataset"]), None)
        if side or cell is cells[0]:
            texts = [printed(part.text) for part in parts_of(cell)[1:]]
            notes.conditions += filter(_CONDITION.search, texts)
    for about, who in remarks:
        notes.sides = _attribute(notes.sides, cells, about, who)
    systems = [
        (str(side.platform_printed).casefold(), side.accelerator_count) for side in notes.sides
    ]
    if not notes.unread and len(set(systems)) == len(_ROLES):
        # The deck's vendor writes first of its own system, and headlines are in its favour. A lone
        # side, more than two, and those beside a line that cannot be read have no role.
        of_role = dict(zip(dict.fromkeys(systems), _ROLES, strict=True))
        pairs = zip(notes.sides, systems, strict=True)
        sides = [replace(side, role=of_role[system]) for side, system in pairs]
        notes.sides = sorted(sides, key=lambda side: _ROLES.index(side.role))
    return notes


def _attribute(
    sides: list[Configuration], cells: Iterable[Cell], about: str, who: str
) -> list[Configuration]:
    """The sides, with who measured the one system whose line has the words that a remark is about:
    `A100`, `GPU`.
    """
    words = {cell.line: set(re.findall(r"[^\s|(),;]+", cell.text.casefold())) for cell in cells}
    meant = [side for side in sides if set(about.casefold().split()) <= words[side.cell.line]]
    if only(str(side.platform_printed).casefold() for side in meant) is None:
        return sides
    return [
        replace(side, measured_by=side.measured_by or who) if side in meant else side
        for side in sides
    ]


def parts_of(cell: Cell) -> list[Cell]:
    """The parts between the bars of a line."""
    parts = (cell.matched(match).stripped() for match in re.finditer(r"[^|]+", cell.text))
    return [part for part in parts if not part.is_blank]


def is_note(cell: Cell) -> bool:
    """True for a line that can only belong to notes: how a system was run, or who measured it."""
    is_side = "|" in cell.text and not _PARAMETERS.isdisjoint(_conditions(parts_of(cell)))
    return is_side or read_remark(cell) is not None


def remarks_of(cell: Cell) -> list[Cell]:
    """The parts of a line that state no parameter of a run: what they count is of no column
    (`1600 samples`).
    """
    return [part for part in parts_of(cell) if not _SAYS_PARAMETER.search(part.text)]


def read_remark(cell: Cell) -> tuple[str, str] | None:
    """Whose results, and who measured them; None for another line.

    `A100 results published by NVIDIA (https://...)`,
    `No GPU results published on NV results website - using NV github`
    """
    about, _, said = printed(cell.text).partition(" result")
    is_none, method = about.casefold().startswith("no "), _METHOD.search(said)
    who = (method and method["who"]) or (said.partition(" using ")[2] if is_none else "")
    return (
        (about[3:] if is_none else about, re.split(r"[|(),;]", who)[0].strip())
        if about and who
        else None
    )


def _is_like_side(cell: Cell) -> bool:
    """True for a line that counts a system, cut or not, begins with a known one or states a
    release, which is one's.
    """
    mentions = _mentions(cell.text)
    begins = bool(mentions) and (mentions[0].kind, mentions[0].start) == ("platform", 0)
    kinds = [mention.kind for mention in mentions]
    return bool(_COUNT.match(cell.text)) or begins or "sdk_version" in kinds


def read_system(cell: Cell) -> tuple[Cell, int | None, int] | None:
    """The name of the system at the start of a line, the multiplier before it (`1x`), and where the
    text continues.

    None for another line, and where a bracket of the name is cut off.
    """
    text, mentions = cell.text, _mentions(cell.text)
    counted = _COUNT.match(text)
    count = parse_count(counted["count"]) if counted else None
    start = counted.end() if counted else 0
    known = [m.end for m in mentions if m.kind == "platform" and m.start in (0, start)]
    words = _NAME.match(text, start)
    if bool(counted) != bool(count) or not words or not (known or counted):
        return None
    others = [m.start for m in mentions if m.start > start and m.kind != "platform"]
    name = text[start : min(known or [words.end(), *others])].rstrip()
    if len(name.split()) > _MAX_WORDS:
        return None
    end = name_end = start + len(name)
    if bracket := _BRACKET.match(text, end):
        end = bracket.end()
        # `(80 GB)`: the memory of a part is one of its name.
        if bracket["inside"].rstrip().endswith("GB") or find("platforms", printed(text[start:end])):
            name_end = end
    return None if bracket and not bracket["end"] else (cell.part(start, name_end), count, end)


def read_side(cell: Cell) -> Configuration | None:
    """The configuration of a system, or None if the line does not start with a system or has no
    configuration.
    """
    parts = parts_of(cell)
    system = read_system(parts[0]) if parts else None
    if system is None:
        return None
    name, count, end = system
    stated = _conditions([parts[0].part(end, len(parts[0].text)).stripped(), *parts[1:]])
    if count is None and _PARAMETERS.isdisjoint(stated):
        return None
    formats = dict.fromkeys(stated["precision_alone"] or stated["precision"])
    # Two pairs such as 16.16 and 16.32 cannot both be the precision of one run.
    is_one = len(formats) == 1 or "." not in "".join(formats)
    return Configuration(
        cell=name,
        role="other",
        platform_printed=printed(name.text),
        accelerator_count=count,
        framework_printed=" & ".join(dict.fromkeys(stated["framework"])) or None,
        sdk_version=only(stated["sdk_version"]) or None,
        precision="+".join(formats) or None if is_one else None,
        dataset_printed=next(iter(stated["dataset"]), None),
        measured_by=next(iter(stated["method"]), None),
        **_batch_sizes(stated),
    )


def _conditions(parts: Sequence[Cell]) -> Conditions:
    """What parts of a line state outside of brackets, by kind; `batch_parts` are those with a batch
    size.

    A parameter that is announced without a value that can be read (`Batch size l,2,8`) is stated as
    an empty text.
    """
    stated: Conditions = defaultdict(list)
    for part in parts:
        text = printed(part.text)
        if precision := parse_precision(part.text):
            stated["precision_alone"].append(precision.name)
        if find("datasets", part.text):
            stated["dataset"].append(text.removesuffix(" dataset"))
        if method := _METHOD.search(part.text):
            stated["method"].append(printed(method["who"] or method[0]))
        for kind, value, *_ in _mentions(part.text):
            if kind == "field" and value in _ANNOUNCED:
                kind, value = _ANNOUNCED[value], ""
            if kind in ("batch_size", "batch_sizes"):
                kind = "batch_sizes"
                stated["batch_parts"].append(text)
            stated[kind].append(value.removesuffix(" dataset"))
    return stated


def _mentions(text: str) -> tuple[Mention, ...]:
    """The mentions outside brackets, whose text is about something else: placeholders stand for
    them, so that no name continues across one.
    """
    return find_mentions(_BRACKETS.sub(lambda match: f"({'z' * (len(match[0]) - 2)})", text))


def _batch_sizes(stated: Conditions) -> dict[str, Any]:
    """The columns of least and greatest batch size and their printed text; the whole statements
    where there are several.

    Nothing where one of several cannot be read: the other is not that of the run.
    """
    texts = stated["batch_sizes"]
    sizes = [size for size in map(parse_batch_sizes, texts) if size]
    if not sizes or len(sizes) < len(texts):
        return {}
    highs = [size.high for size in sizes if size.high is not None]
    return {
        "batch_size_low": min(size.low for size in sizes),
        "batch_size_high": max(highs) if len(highs) == len(sizes) else None,
        "batch_sizes_printed": " | ".join(dict.fromkeys(stated["batch_parts"]))
        if len(texts) > 1
        else texts[0],
    }
