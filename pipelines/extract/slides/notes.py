"""The notes of a slide: how each system was run
(`1x A100 (40GB) using TensorRT 7.2 | INT8 | Batch size 1,2,8+`), and who is compared with whom.
Slides, titles and labels: `deck.py`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from pipelines.extract.grammar import GRAMMAR
from pipelines.extract.mentions import Mention, find_mentions, only
from pipelines.extract.rows import Configuration
from pipelines.extract.slides.deck import printed
from pipelines.read.document import Cell
from pipelines.values.numbers import parse_batch_sizes, parse_count
from pipelines.values.precisions import parse_precision
from pipelines.vocabulary.lookup import find

# The longest name of a system printed so far has four words; more are a sentence.
_MAX_WORDS = 5
# What is stated of a run; `precision_alone` is a part of the line that is nothing else. And fields
# that announce it
_PARAMETERS = frozenset({"precision", "precision_alone", "batch_sizes", "sdk_version"})
_ANNOUNCED = {"Batch Size": "batch_sizes", "SDK Version": "sdk_version"}

# What a line states, by kind
Conditions = dict[str, list[str]]


def words_of(text: str) -> set[str]:
    """The words of a line, by which remarks mean a system."""
    return set(re.findall(r"[^\s|(),;]+", text.casefold()))


def parts_of(cell: Cell) -> list[Cell]:
    """The parts between the bars of a line."""
    parts = (cell.matched(match).stripped() for match in re.finditer(r"[^|]+", cell.text))
    return [part for part in parts if not part.is_blank]


def is_note(cell: Cell) -> bool:
    """True for a line that can only belong to notes: how a system was run, or who measured it."""
    is_side = "|" in cell.text and not _PARAMETERS.isdisjoint(conditions_of(parts_of(cell)))
    return is_side or GRAMMAR["remark"].match(cell.text) is not None


def is_like_side(cell: Cell) -> bool:
    """True for a line that counts a system, cut or not, begins with a known one or states a
    release, which is one's.
    """
    system = GRAMMAR["system"].match(cell.text)
    states = any(
        mention.kind == "sdk_version" or (mention.kind, mention.start) == ("platform", 0)
        for mention in _mentions(cell.text)
    )
    return states or bool(system and system["count"])


def read_system(cell: Cell) -> tuple[Cell, int | None, Cell] | None:
    """The name of the system at the start of a line, the multiplier before it (`1x`), and the text
    behind it.

    None for another line, and where a bracket of the name is cut off.
    """
    text, mentions = cell.text, _mentions(cell.text)
    system = GRAMMAR["system"].match(text)
    if system is None or system["name"] is None:
        return None
    start, name_end = system.span("name")
    count = parse_count(system["count"] or "") or None
    known = [m.end for m in mentions if m.kind == "platform" and m.start in (0, start)]
    if (system["count"] and not count) or not (known or count):
        return None
    others = [m.start for m in mentions if m.start > start and m.kind != "platform"]
    name = text[start : min(known or [name_end, *others])].rstrip()
    end = name_end = start + len(name)
    bracket = GRAMMAR["bracket"].match(text, end)
    if len(name.split()) > _MAX_WORDS or (bracket and not bracket["end"]):
        return None
    if bracket:
        end = bracket.end()
        # `(80 GB)`: the memory of a part is one of its name.
        if bracket["inside"].rstrip().endswith("GB") or find("platforms", printed(text[start:end])):
            name_end = end
    return cell.part(start, name_end), count, cell.part(end, len(text)).stripped()


def read_side(cell: Cell) -> Configuration | None:
    """The configuration of a system, or None if the line does not start with a system or has no
    configuration.
    """
    parts = parts_of(cell)
    system = read_system(parts[0]) if parts else None
    if system is None:
        return None
    name, count, rest = system
    stated = conditions_of([rest, *parts[1:]])
    if count is None and _PARAMETERS.isdisjoint(stated):
        return None
    formats = dict.fromkeys(stated["precision_alone"] or stated["precision"])
    # Two pairs such as 16.16 and 16.32 cannot both be the precision of one run.
    is_one = len(formats) == 1 or "." not in "".join(formats)
    texts = stated["batch_sizes"]
    # One that cannot be read spoils the others: they are not those of the run.
    sizes = parse_batch_sizes(", ".join(texts))
    if len(texts) > 1:
        # The whole statements
        texts = [" | ".join(dict.fromkeys(stated["batch_parts"]))]
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
        batch_size_low=sizes.low if sizes else None,
        batch_size_high=sizes.high if sizes else None,
        batch_sizes_printed=texts[0] if sizes else None,
    )


def conditions_of(parts: Sequence[Cell]) -> Conditions:
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
        if method := GRAMMAR["method"].search(part.text):
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
    return find_mentions(
        re.sub(r"\([^()]*\)", lambda match: f"({'z' * (len(match[0]) - 2)})", text)
    )
