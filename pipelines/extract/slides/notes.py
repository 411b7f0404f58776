"""The notes of a slide: how each system was run (`1x A100 (40GB) using TensorRT 7.2 | INT8 | Batch size 1,2,8+`), and
who is compared with whom. Slides, titles and labels: `deck.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from pipelines.extract.mentions import Mention, find_mentions, only
from pipelines.extract.rows import Configuration
from pipelines.extract.slides.deck import (
    Slide,
    agrees,
    is_label,
    is_notes_head,
    model_at_start,
    printed,
    read_headlines,
)
from pipelines.read.document import Cell
from pipelines.values.numbers import parse_batch_sizes
from pipelines.values.precisions import parse_precision
from pipelines.vocabulary.lookup import find, key

_URL = re.compile(r"\(?https?://", re.IGNORECASE)
# `1x IPU-M2000`, `1xA100`, `16 x H100`; never `32x4d` or `2.6xA100`
_COUNT = re.compile(r"(?P<count>[1-9]\d{0,5})\s?[xX×]\s?(?=[^\W\d])")
# `1x | FP32`, `lx A100`: counts a system, whether its name can be read or not
_MULTIPLIER = re.compile(r"(?:\d{1,6}|[lIOS])\s?[xX×](?!\d)")
# The words of a name end before what is said of it: `A100 | FP16`, `Latest GPU using TensorFlow`, `H100 FP8`
_NAME = re.compile(
    r"[^\W\d][^|(,;:]*?(?=(?:(?<!\s)\s+)?(?:[|(,;:]|$)|(?<!\s)\s+(?:using|in|on|with|for|from|at|and|vs|running|measured|calculated|"
    r"(?:GPU\s+)?results?|GPU\s+(?:results?|measured)|"
    r"(?:NV|MX)?FP\s?\d|BF\s?16|U?INT\s?\d|TF32|mixed\s|SDK\s|batch\s)\b)",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"\s*\((?P<inside>[^()|]*)(?P<end>\))?")
_BRACKETS = re.compile(r"\([^()]*\)")
# `(80 GB)`: the memory of a part is one of its name
_MEMORY = re.compile(r"\s*\d+\s?GB\s*")
# The longest printed so far has four words; more are a sentence.
_MAX_WORDS = 5
# `Batch size 4 through 360`, `Batch Size 1,2,8+`; nothing of a list in which a letter or a point stands: `1,x2,8+`
_BATCH = re.compile(
    r"\b(?:batch(?:\s?sizes?)?|BS)\s*(?:of\s+|[:=]\s*)?"
    r"(?P<sizes>\d[\d,]*\s*(?:through|to|-|\u2013)\s*\d[\d,]*|\d+(?:\s*,\s*\d+)+\+?|\d+\+?)"
    r"(?!\w|[\d.]*\.\d|,\S|\s+(?:through|to)\s)",
    re.IGNORECASE,
)
_SAYS_PARAMETER = re.compile(r"\b(?:SDK|batch|BS)\b|(?<![A-Za-z])(?:FP|BF|INT)(?![a-z])", re.IGNORECASE)
_GOES_ON = re.compile(r"[.,]\w")
_SAYS_BATCH = re.compile(r"\b(?:batch|BS)\b", re.IGNORECASE)
# What joins two frameworks of one side: `TensorFlow & PyTorch`
_JOINT = re.compile(r"\s*(?:&|,|/|\+|and)\s*", re.IGNORECASE)
# `results measured using public Google repo`, `published by NVIDIA`, `results measured by Example Labs`
_METHOD = re.compile(
    r"\b(?:published|measured|reported)\s+by\s+(?P<who>[^|(),;]+)|\b(?:results\s+)?(?:measured|calculated)\b[^|(]*",
    re.IGNORECASE,
)
# `A100 results published by NVIDIA (https://...)`, `No GPU results published on NV results website - using NV github`
_REMARK = re.compile(
    r"(?P<no>No\s)?(?>(?P<about>\S.*?)(?<!\s)\s+results?\b).*?\b(?:(?:published|measured|reported)\s+by|(?(no)using|(?!)))\s+"
    r"(?P<who>[^|(),;]+)",
    re.IGNORECASE,
)
# `Real Data (ImageNet)`, `Synthetic data`
_KIND_OF_DATA = re.compile(r"(?:real|synthetic|dummy|random)\s+data(?:\s*\([^()]*\))?", re.IGNORECASE)
# `ImageNet2012 Dataset`, `using Wikipedia dataset`; `LibriSpeech dataset` where no vocabulary knows the name
_DATASET = re.compile(r"(?<!\S)(?P<name>\S+(?:\s\S+){0,2}?)\s+(?:dataset|data\s+set)", re.IGNORECASE)
_DATASET_BORDER = re.compile(r"(?<!\d),(?!\d)|\b(?:using|with|on)\s", re.IGNORECASE)
# A comparison has two sides.
_SIDES = 2
# `headline comparisons using lowest latency`, `Assume linear scaling from 1x to 2x DGX A100`
_CONDITION = re.compile(r"\b(?:comparisons?|compared|lowest|assum\w+)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class System:
    """A printed system.

    Attributes:
        cell: Its name with its place: `A100 (A100-SXM4-80GB)`.
        count: The printed multiplier (`1x`), or None.
        end: First character of the text behind the name, within the text that was read.
    """

    cell: Cell
    count: int | None
    end: int

    @property
    def name(self) -> str:
        """The name with plain blanks."""
        return printed(self.cell.text)


@dataclass
class Notes:
    """What the notes of one slide say.

    Attributes:
        topic: The line on model, dataset and what is compared, or None: the first one above the sides that begins
            with the title's model, or else the first.
        sides: How each system was run, in the roles `subject`, `baseline` and `other`; model and section are not set.
        dataset: Dataset that the topic states for all sides.
        conditions: What the comparison holds for, as printed.
        unread: Lines that look like a side's and cannot be read; the roles of the others are then not known.
        lines: Numbers of all their lines.
    """

    topic: Cell | None = None
    sides: list[Configuration] = field(default_factory=list)
    dataset: str | None = None
    conditions: list[str] = field(default_factory=list)
    unread: list[Cell] = field(default_factory=list)
    lines: set[int] = field(default_factory=set)

    def common(self, name: str, role: str | None = None) -> str | None:
        """The value of a field that all sides of a role have, or None."""
        values = {getattr(side, name) for side in self.sides if role in (None, side.role)}
        return values.pop() if len(values) == 1 else None


def read_notes(slide: Slide) -> Notes:
    """The notes of a slide, from their head to the next blank line or chart label; empty where it has none."""
    notes, cells = Notes(), list[Cell]()
    for line in slide.lines:
        if not notes.lines and not is_notes_head(line.cell):
            continue
        if notes.lines and (line.is_blank or any(read_headlines(line.cell)) or is_label(line.cell)):
            break
        cells += [line.cell] if notes.lines and not _URL.match(line.text.strip()) else []
        notes.lines.add(line.number)
    notes.topic = _topic(cells, slide)
    topic = parts_of(notes.topic) if notes.topic else []
    notes.dataset = read_dataset(topic)
    notes.conditions = [printed(part.text) for part in topic[1:] if _CONDITION.search(part.text)]
    words: dict[int, set[str]] = {}
    remarks: list[re.Match[str]] = []
    for cell in cells:
        if side := read_side(cell):
            notes.sides.append(replace(side, dataset_printed=side.dataset_printed or notes.dataset))
            notes.conditions += [printed(part.text) for part in parts_of(cell) if key(part.text).startswith("assum")]
            words[cell.line] = set(re.findall(r"[^\s|(),;]+", cell.text.casefold()))
        elif cell is notes.topic:
            continue
        elif remark := _REMARK.match(printed(cell.text)):
            remarks.append(remark)
        elif _is_like_side(cell) or _begins_with_system(cell):
            notes.unread.append(cell)
    names = [(str(side.platform_printed).casefold(), side.accelerator_count) for side in notes.sides]
    for remark in remarks:
        # Who measured goes to the one system whose line has the words that the remark is about: `A100`, `GPU`.
        about = set(remark["about"].casefold().split())
        meant = [at for at, side in enumerate(notes.sides) if about <= words[side.cell.line]]
        for at in meant if len({names[at][0] for at in meant}) == 1 else ():
            who = notes.sides[at].measured_by or printed(remark["who"])
            notes.sides[at] = replace(notes.sides[at], measured_by=who)
    if not notes.unread and len(set(names)) == _SIDES:
        # The deck's vendor writes first of its own system, and headlines are in its favour. A lone side, more than two,
        # and those beside a line that cannot be read have no role.
        roles = ["subject" if name == names[0] else "baseline" for name in names]
        notes.sides = [replace(side, role=role) for side, role in zip(notes.sides, roles, strict=True)]
        notes.sides.sort(key=lambda side: side.role, reverse=True)
    return notes


def parts_of(cell: Cell) -> list[Cell]:
    """The parts between the bars of a line."""
    parts = (cell.matched(match).stripped() for match in re.finditer(r"[^|]+", cell.text))
    return [part for part in parts if not part.is_blank]


def is_note(cell: Cell) -> bool:
    """True for a line that can only belong to notes: how a system was run, or who measured it."""
    parts = parts_of(cell)
    return bool(_REMARK.match(cell.text)) or (len(parts) > 1 and has_parameter(parts))


def remarks_of(cell: Cell) -> Iterator[Cell]:
    """The parts of a line that state no parameter of a run: what they count is of no column (`1600 samples`)."""
    yield from (part for part in parts_of(cell) if not _SAYS_PARAMETER.search(part.text))


def _topic(cells: Sequence[Cell], slide: Slide) -> Cell | None:
    above = [cell for cell in takewhile(lambda cell: read_side(cell) is None, cells) if not _is_like_side(cell)]
    model = slide.title.model if slide.title else None
    own = (cell for cell in above if model and agrees(model, model_at_start(parts_of(cell)[0].text)))
    # A foreign line may stand right behind the head of the notes.
    return next(own, next(iter(above), None))


def _is_like_side(cell: Cell) -> bool:
    """True for a line that counts a system, cut or not, or states a release, which is one system's."""
    return bool(_MULTIPLIER.match(cell.text)) or any(_stated(part, "sdk_version") for part in parts_of(cell))


def _begins_with_system(cell: Cell) -> bool:
    """True for a line that begins with a known system and says nothing of it, as one that was cut does."""
    mentions = find_mentions(cell.text)
    return bool(mentions) and (mentions[0].kind, mentions[0].start) == ("platform", 0)


def read_system(cell: Cell) -> System | None:
    """The system that a line starts with, or None, also where a bracket of its name is cut off."""
    text = cell.text
    counted = _COUNT.match(text)
    match = _NAME.match(text, counted.end() if counted else 0)
    if not match or len(match[0].split()) > _MAX_WORDS:
        return None
    start, end = match.span()
    name_end = end
    if bracket := _BRACKET.match(text, end):
        if not bracket["end"]:
            return None
        end = bracket.end()
        if find("platforms", printed(text[start:end])) or _MEMORY.fullmatch(bracket["inside"]):
            name_end = end
    if counted is None and find("platforms", printed(text[start:name_end])) is None:
        return None
    return System(cell.part(start, name_end), int(counted["count"]) if counted else None, end)


def read_side(cell: Cell) -> Configuration | None:
    """How a system was run, or None where the line does not start with a system or says nothing of its run."""
    parts = parts_of(cell)
    system = read_system(parts[0]) if parts else None
    if system is None or (system.count is None and not has_parameter(parts)):
        return None
    said = (parts[0].part(system.end, len(parts[0].text)).stripped(), *parts[1:])
    low, high, sizes = read_batch_sizes(said)
    by = next((match for part in said if (match := _METHOD.search(part.text))), None)
    return Configuration(
        cell=system.cell,
        role="other",
        platform_printed=system.name,
        accelerator_count=system.count,
        framework_printed=_framework(said),
        sdk_version=only(mention.value for part in said for mention in _stated(part, "sdk_version")),
        precision=read_precision(said),
        batch_sizes_printed=sizes,
        batch_size_low=low,
        batch_size_high=high,
        dataset_printed=read_dataset(said),
        measured_by=printed(by["who"] or by[0]) if by else None,
    )


def has_parameter(parts: Sequence[Cell]) -> bool:
    """True where a line states a precision, a batch size or a release."""
    kinds = ("precision", "batch_size", "sdk_version")
    return any(parse_precision(part.text) or _BATCH.search(part.text) or any(_stated(part, *kinds)) for part in parts)


def read_precision(parts: Sequence[Cell]) -> str | None:
    """The precision that the parts state: those that are nothing else count before those that say more."""
    exact = [precision.name for part in parts if (precision := parse_precision(part.text))]
    names = list(dict.fromkeys(exact or [mention.value for part in parts for mention in _stated(part, "precision")]))
    # Two pairs such as 16.16 and 16.32 cannot both be the precision of one run.
    return None if len(names) > 1 and any("." in name for name in names) else "+".join(names) or None


def read_batch_sizes(parts: Sequence[Cell]) -> tuple[int | None, int | None, str | None]:
    """Least and greatest batch size and their printed text; the whole statements where there are several.

    Nothing where one of several cannot be read: the other is not that of the run.
    """
    found = [(part, match) for part in parts for match in _BATCH.finditer(part.text)]
    if not found or len(found) < sum(len(_SAYS_BATCH.findall(part.text)) for part in parts):
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


def read_dataset(parts: Sequence[Cell]) -> str | None:
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


def _stated(part: Cell, *kinds: str) -> list[Mention]:
    """What a part states of some kinds, outside of brackets; `FP 16` of `FP 16,16` is none of it."""
    text = _outside_brackets(part.text)
    return [
        mention for mention in find_mentions(text) if mention.kind in kinds and not _GOES_ON.match(text, mention.end)
    ]


def _framework(parts: Sequence[Cell]) -> str | None:
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
    return " & ".join(names.values()) or None


def _outside_brackets(text: str) -> str:
    """The text with brackets blanked out, so that all places stay: what stands in them is said of something else."""
    return _BRACKETS.sub(lambda match: " " * len(match[0]), text)
