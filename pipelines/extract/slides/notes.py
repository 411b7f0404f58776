"""The notes of a slide: how each system was run
(`1x A100 (40GB) using TensorRT 7.2 | INT8 | Batch size 1,2,8+`), and who is compared with whom.
Slides, titles and labels: `deck.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

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
_PARAMETERS = frozenset(
    {"precision", "precision_alone", "batch_size", "batch_sizes", "sdk_version"}
)
_ANNOUNCED = {"Batch Size": "batch_sizes", "SDK Version": "sdk_version"}
# `FP 16.l6`, `SDK 1,4,0`: a parameter, whether it can be read or not
_SAYS_PARAMETER = re.compile(r"(?i)\b(?:SDK|batch|BS)\b|(?<![A-Za-z])(?:FP|BF|INT)(?![a-z])")
# `published by NVIDIA`, `results measured by Example Labs`,
# `results measured using public Google repo`
_METHOD = re.compile(
    r"(?i)\b(?:published|measured|reported)\s+by\s+(?P<who>[^|(),;]+)|\b(?:results\s+)?(?:measured|calculated)\b[^|(]*"
)
# A comparison has two sides.
_SIDES = 2
# `headline comparisons using lowest latency`, `Assume linear scaling from 1x to 2x DGX A100`
_CONDITION = re.compile(r"(?i)\b(?:comparisons?|compared|lowest|assum\w+)\b")


Stated = tuple[Cell, Mention]


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
    notes, head = (
        Notes(),
        next((at for at, line in enumerate(lines) if line.kind == "notes"), len(lines)),
    )
    below = takewhile(lambda line: line.kind in ("url", "text"), lines[head + 1 :])
    own = [*lines[head : head + 1], *below]
    notes.lines = {line.cell.line for line in own}
    cells = [line.cell for line in own if line.kind == "text"]
    # The topic: the first line above the sides that begins with the title's model, or else the
    # first. A foreign line may stand right behind the head of the notes.
    above = [*takewhile(lambda cell: not (read_side(cell) or _is_like_side(cell)), cells)]
    spellings = [spelling_of(title, parts_of(cell)[0].text) for cell in above]
    at = next((at for at, spelling in enumerate(spellings) if title and spelling), 0)
    notes.model, topic = (spellings[at], parts_of(above[at])) if above else (None, [])
    notes.dataset, said_of_all = next(iter(_values(_stated(topic), "dataset")), None), topic[1:]
    remarks: list[tuple[str, str]] = []
    for cell in cells:
        if side := read_side(cell):
            notes.sides.append(replace(side, dataset_printed=side.dataset_printed or notes.dataset))
            said_of_all += parts_of(cell)[1:]
        elif remark := read_remark(cell):
            remarks.append(remark)
        elif _is_like_side(cell):
            notes.unread.append(cell)
    notes.conditions = [printed(part.text) for part in said_of_all if _CONDITION.search(part.text)]
    # Who measured goes to the one system whose line has the words that the remark is about: `A100`,
    # `GPU`.
    words = {cell.line: set(re.findall(r"[^\s|(),;]+", cell.text.casefold())) for cell in cells}
    for about, who in remarks:
        meant = [
            side for side in notes.sides if set(about.casefold().split()) <= words[side.cell.line]
        ]
        if only(str(side.platform_printed).casefold() for side in meant):
            notes.sides = [
                replace(side, measured_by=side.measured_by or who) if side in meant else side
                for side in notes.sides
            ]
    names = [
        (str(side.platform_printed).casefold(), side.accelerator_count) for side in notes.sides
    ]
    if not notes.unread and len(set(names)) == _SIDES:
        # The deck's vendor writes first of its own system, and headlines are in its favour. A lone
        # side, more than two, and those beside a line that cannot be read have no role.
        roles = ["subject" if name == names[0] else "baseline" for name in names]
        notes.sides = [
            replace(side, role=role) for side, role in zip(notes.sides, roles, strict=True)
        ]
        notes.sides.sort(key=lambda side: side.role, reverse=True)
    return notes


def parts_of(cell: Cell) -> list[Cell]:
    """The parts between the bars of a line."""
    parts = (cell.matched(match).stripped() for match in re.finditer(r"[^|]+", cell.text))
    return [part for part in parts if not part.is_blank]


def is_note(cell: Cell) -> bool:
    """True for a line that can only belong to notes: how a system was run, or who measured it."""
    return read_remark(cell) is not None or (
        "|" in cell.text and _has_parameter(_stated(parts_of(cell)))
    )


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
    stated = [mention for _, mention in _stated(parts_of(cell))]
    begins = bool(stated) and (stated[0].kind, stated[0].start) == ("platform", 0)
    return (
        bool(_COUNT.match(cell.text))
        or begins
        or any(mention.kind == "sdk_version" for mention in stated)
    )


def read_system(cell: Cell) -> tuple[Cell, int | None, int] | None:
    """The name of the system at the start of a line, the multiplier before it (`1x`), and where the
    text continues.

    None for another line, and where a bracket of the name is cut off.
    """
    text, mentions = cell.text, [mention for _, mention in _stated([cell])]
    counted = _COUNT.match(text)
    start, count = (counted.end(), parse_count(counted["count"])) if counted else (0, None)
    ends = [m.end for m in mentions if m.kind == "platform" and m.start in (0, start)]
    if not ends and counted and (words := _NAME.match(text, start)):
        behind = (
            m.start
            for m in mentions
            if m.start > start and m.kind in (*_PARAMETERS, "framework", "dataset")
        )
        ends = [min([words.end(), *behind])]
    if not ends or (counted and not count) or len(text[start : ends[0]].split()) > _MAX_WORDS:
        return None
    end = name_end = start + len(text[start : ends[0]].rstrip())
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
    if system is None or (system[1] is None and not _has_parameter(_stated(parts))):
        return None
    name, count, end = system
    said = [parts[0].part(end, len(parts[0].text)).stripped(), *parts[1:]]
    stated = _stated(said)
    low, high, sizes = _batch_sizes(stated)
    formats = dict.fromkeys(_values(stated, "precision_alone") or _values(stated, "precision"))
    method = next((match for part in said if (match := _METHOD.search(part.text))), None)
    return Configuration(
        cell=name,
        role="other",
        platform_printed=printed(name.text),
        accelerator_count=count,
        framework_printed=" & ".join(dict.fromkeys(_values(stated, "framework"))) or None,
        sdk_version=only(_values(stated, "sdk_version")) or None,
        # Two pairs such as 16.16 and 16.32 cannot both be the precision of one run.
        precision=None
        if len(formats) > 1 and "." in "".join(formats)
        else "+".join(formats) or None,
        batch_sizes_printed=sizes,
        batch_size_low=low,
        batch_size_high=high,
        dataset_printed=next(iter(_values(stated, "dataset")), None),
        measured_by=printed(method["who"] or method[0]) if method else None,
    )


def _stated(parts: Sequence[Cell]) -> list[Stated]:
    """The conditions outside brackets; text in brackets is about something else.

    A parameter that is announced without a value that can be read (`Batch size l,2,8`) is stated as
    an empty text.
    """
    found: list[Stated] = []
    for part in parts:
        if precision := parse_precision(part.text):
            found.append((part, Mention("precision_alone", precision.name, 0, len(part.text))))
        if find("datasets", part.text):
            found.append((part, Mention("dataset", printed(part.text), 0, len(part.text))))
        # A placeholder for each bracket, so that no name continues across it.
        for mention in find_mentions(
            _BRACKETS.sub(lambda match: f"({'z' * (len(match[0]) - 2)})", part.text)
        ):
            announced = _ANNOUNCED.get(mention.value) if mention.kind == "field" else None
            found.append(
                (part, mention._replace(kind=announced, value="") if announced else mention)
            )
    return found


def _values(stated: Iterable[Stated], kind: str) -> list[str]:
    """What is stated of a kind; a dataset without the word itself."""
    return [mention.value.removesuffix(" dataset") for _, mention in stated if mention.kind == kind]


def _has_parameter(stated: Iterable[Stated]) -> bool:
    return any(mention.kind in _PARAMETERS for _, mention in stated)


def _batch_sizes(stated: Iterable[Stated]) -> tuple[int | None, int | None, str | None]:
    """Least and greatest batch size and their printed text; the whole statements where there are
    several.

    Nothing where one of several cannot be read: the other is not that of the run.
    """
    found = [
        (part, mention.value)
        for part, mention in stated
        if mention.kind in ("batch_size", "batch_sizes")
    ]
    sizes = [size for _, value in found if (size := parse_batch_sizes(value))]
    if not found or len(sizes) < len(found):
        return None, None, None
    text = (
        " | ".join(dict.fromkeys(printed(part.text) for part, _ in found))
        if len(found) > 1
        else found[0][1]
    )
    highs = [size.high for size in sizes if size.high is not None]
    return min(size.low for size in sizes), max(highs) if len(highs) == len(sizes) else None, text
