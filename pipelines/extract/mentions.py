"""Finds conditions, names, quantities, statistics, units and bounds in a text, each with its place.

Used for prose, slides, logs and charts; the meaning of table columns is defined by mappings.
Patterns are in `mentions.yml`, names in `pipelines/vocabulary`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from pipelines.extract.grammar import GRAMMAR, compiled
from pipelines.values.numbers import parse_batch_sizes, parse_count, parse_sdk
from pipelines.values.precisions import parse_precision
from pipelines.vocabulary import lookup, model_names
from pipelines.vocabulary.dimensions import Type, dimensions
from pipelines.vocabulary.lookup import Entry, Kind, families, find, folded, load
from pipelines.vocabulary.printed_names import read_model, read_platform, read_versioned
from pipelines.yaml_files import load_yaml

# Longer texts are cut: no heading, caption or sentence with a condition is as long.
_MAX_LENGTH = 2000
# Size of the cache: a page has some thousands of distinct texts.
_MEMORY = 1 << 16


class Mention(NamedTuple):
    """One statement in a text.

    Attributes:
        kind: A dimension of a result (`batch_size`, `platform`, ...), or `metric`, `unit`,
            `statistic`, `field` (a word that introduces a dimension: `Batch size`), `comparison`,
            `expectation`, `bound`.
        value: What is stated, typed and in one spelling (`65536` for `65,536`); a name and a unit
            as printed, with single blanks; a metric and a field under the vocabulary's name.
        start: First character in the text, from 0.
        end: One past its last character.
    """

    kind: str
    value: str
    start: int
    end: int


NAMES: dict[str, Kind] = {
    d.name: cast(Kind, d.vocabulary) for d in dimensions().values() if d.vocabulary
}
_APOSTROPHES = frozenset("'\u2019")
# No organisation, count, maker or size before a name is longer.
_REACH = 40
# Longest spelling of a vocabulary, in words.
_MAX_WORDS = 9
# Names of metrics alone are ambiguous: `Performance`, `Cost`, `Top 1`; a unit or the cells have to
# agree.
_RANKS = {
    kind: rank
    for rank, kind in enumerate(
        ["unit", "field", "metric", "platform", "model", "dataset", "framework"]
    )
}


@lru_cache(_MEMORY)
def find_mentions(text: str, in_sentence: bool = False) -> tuple[Mention, ...]:
    """All mentions in a text, in order, without overlaps.

    Args:
        text: A cell, a heading, a caption, a sentence.
        in_sentence: The text is prose: a family names its model (`BERT`), and the entries of
            `mentions.yml` that are marked `in_sentence` apply, too.
    """
    # White space of any kind becomes a blank, character by character, so that offsets stay.
    plain = text[:_MAX_LENGTH].translate(_PLAIN)
    plain = lookup.TRADE_MARK.sub(lambda mark: " " * len(mark[0]), plain)
    found = [*_patterned(plain, in_sentence), *_named(plain, in_sentence)]
    taken = bytearray(len(plain))
    chosen: list[Mention] = []
    # Of overlapping mentions the longest is kept, then the more specific kind.
    for mention in sorted(found, key=lambda m: (m.start - m.end, _RANKS.get(m.kind, 0), m.start)):
        characters = slice(mention.start, mention.end)
        if any(taken[characters]):
            continue
        taken[characters] = b"\1" * (mention.end - mention.start)
        printed = " ".join(text[characters].split())
        # A name keeps its underscores: `MiniCPM-V-2_6`.
        is_joined = "_" in printed and mention.kind in NAMES
        chosen.append(mention._replace(value=printed) if is_joined else mention)
    return tuple(sorted(chosen, key=lambda mention: mention.start))


def mentions_in(sentence: str, *kinds: str) -> list[Mention]:
    """The mentions of these kinds in a sentence, in order."""
    return [mention for mention in find_mentions(sentence, True) if mention.kind in kinds]


_PLAIN = str.maketrans(
    "\u00a0\u2007\u202f\t\n\r\v\f_\u2122\u00ae\u2010\u2011\u2012\u2013\u2014\u2212",
    "           ------",
)


@cache
def entries() -> tuple[dict[str, Any], ...]:
    """The entries of `mentions.yml`."""
    return tuple(load_yaml(Path(__file__).with_name("mentions.yml")))


@cache
def _patterns(in_sentence: bool) -> list[tuple[str, re.Pattern[str], str | None, list[str]]]:
    return [
        (
            each["kind"],
            compiled(f"(?i){each['pattern']}"),
            each.get("value"),
            each.get("words", [""]),
        )
        for each in entries()
        if in_sentence or not each.get("in_sentence")
    ]


def _patterned(text: str, in_sentence: bool) -> Iterator[Mention]:
    small = text.casefold()
    for kind, pattern, fixed, words in _patterns(in_sentence):
        # Searching for a word first costs a twentieth of trying the pattern.
        for word in words:
            if word in small:
                for match in pattern.finditer(text):
                    yield from _read_match(kind, match, fixed)
                break


def _read_match(kind: str, match: re.Match[str], fixed: str | None) -> Iterator[Mention]:
    groups = match.groupdict()
    if groups.get("other"):
        return
    start, end = match.span()
    if kind == "lengths":
        kind, end = "input_length", match.end("value")
        value = typed("output_length", match["output"]) or ""
        yield Mention("output_length", value, match.start("output"), match.end())
    printed = groups.get("value") or groups.get("value2") or match[0]
    stated = fixed.format(**groups) if fixed else typed(kind, printed)
    if stated is not None:
        yield Mention(kind, stated, start, end)


def typed(dimension: str, printed: str) -> str | None:
    """The value of a printed text for a dimension, in one spelling; None if it has none.

    `65,536` is 65536, `1k` a length of 1024, `float16` the precision FP16, a name itself with
    single blanks.
    """
    text = " ".join(printed.translate(_PLAIN).split())
    known, words = dimensions().get(dimension), _words_of(dimension)
    if word := words.get(fold(text)):
        return word
    if read := _TYPES.get(dimension):
        return read(text)
    if words:
        return None
    # `2,048` and `2048` are the same value.
    count = None if known and known.type in (Type.NAME, Type.WORD) else parse_count(text)
    return text or None if count is None else str(count)


@cache
def _words_of(dimension: str) -> dict[str, str]:
    """The words of a dimension that has only some, folded, and what they spell."""
    known = dimensions().get(dimension)
    return known.spellings | {fold(word): word for word in known.one_of} if known else {}


def batch_kind(text: str) -> str | None:
    """The kind of batch in a text: `global`, `per_device`, `micro`, `client`; None if not stated."""
    found = {match.lastgroup for match in GRAMMAR["batch_kind"].finditer(text)}
    return next(
        (kind for kind in ("micro", "per_device", "global", "client") if kind in found), None
    )


def _count(text: str) -> str | None:
    # `single` is 1, and `1.0` a count that a program printed as a fraction.
    plain = "1" if text.casefold() in ("single", "one") else text.removesuffix(".0")
    sizes = parse_batch_sizes(plain)
    return None if sizes is None or sizes.single is None else str(sizes.single)


def _length(text: str) -> str | None:
    match = GRAMMAR["length_printed"].fullmatch(text)
    if match is None or match[1] is None:
        return _count(match[2] if match else text)
    number = float(match[1])
    is_binary = number.is_integer() and int(number) & (int(number) - 1) == 0
    return str(round(number * (1024 if is_binary else 1000)))


def _statistic(text: str) -> str | None:
    number = re.sub(r"[^\d.]", "", text.replace("_", "."))
    return f"p{float(number):g}" if number and float(number) <= 100 else None


def _suite(text: str) -> str | None:
    """The whole name of a suite of MLPerf with its version: `MLPerf Tiny v1.2` of
    `MLPerf(TM) Tiny: v1.2`.
    """
    match = GRAMMAR["suite"].search(text)
    if match is None:
        return None if "mlperf" in text.casefold() else text
    words = re.findall(r"\w+", f"{match['name']} {match['task'] or ''}")
    tasks = dimensions()["task"].one_of
    words = [word.capitalize() if word.casefold() in tasks else word for word in words]
    return " ".join(["MLPerf", *dict.fromkeys(words), f"v{match['version']}"])


_LENGTHS = frozenset(d.name for d in dimensions().values() if d.type is Type.LENGTH)
_TYPES: dict[str, Callable[[str], str | None]] = {
    **{d.name: _count for d in dimensions().values() if d.type is Type.COUNT},
    **dict.fromkeys(_LENGTHS, _length),
    "batch_sizes": lambda text: text if parse_batch_sizes(text) else None,
    "precision": lambda text: getattr(parse_precision(text.replace("_", " ")), "name", None),
    "statistic": _statistic,
    "suite": _suite,
    "batch_size_kind": batch_kind,
    "sdk_version": parse_sdk,
    "division": str.capitalize,
    "tuning": lambda text: f"{text.casefold()} optimized",
    "kv_cache": str.upper,
    "weights_precision": str.upper,
    "quantization": lambda text: (
        text.upper().replace(" ", "_") if text[1:2].isdigit() else text.upper()
    ),
    "image_size": lambda text: re.sub(r"\s?[x\u00d7]\s?", "x", text),
}


def condition_value(dimension: str, printed: str) -> str | None:
    """The value of a condition in a cell, or in a mention in a longer text.

    The evidence check compares it with the stored value.
    """
    for mention in find_mentions(printed) if dimension not in NAMES else ():
        if mention.kind == dimension and (mention.end - mention.start) * 2 > len(printed.strip()):
            return mention.value
    if dimension in _LENGTHS and (match := GRAMMAR["length_behind"].search(printed)):
        # `ISL/OSL: 1024`, before `/128`
        return typed(dimension, match[0])
    return typed(dimension, printed)


# Names


@cache
def _spellings(in_sentence: bool = False) -> dict[str, dict[str, Entry]]:
    """Folded spellings of the vocabularies -> entry by kind of mention; in sentences also those of
    one suite.
    """
    found: defaultdict[str, dict[str, Entry]] = defaultdict(dict)
    vocabularies: dict[str, Kind] = {
        "field": "headings",
        "metric": "metrics",
        **NAMES,
        "unit": "units",
    }
    for kind, vocabulary in vocabularies.items():
        for (spelling, suite), entry in (folded(vocabulary) or load(vocabulary)).items():
            is_silent = entry.facts.get("in_print") is False or (suite and not in_sentence)
            if not is_silent and (kind != "metric" or _is_plain_metric(spelling)):
                found[fold(spelling)].setdefault(kind, entry)
    for item in lookup.entries("metrics"):
        for text in item.get("in_headings", ()):
            if metric := find("metrics", item["name"]):
                found[fold(text)].setdefault("metric", metric)
    for spelling, entry in families().items():
        if entry.facts.get("sized"):
            found[spelling].setdefault("model", entry)
    return dict(found)


@cache
def _prefixes(in_sentence: bool) -> frozenset[str]:
    """Every beginning of a folded spelling; other words do not begin a name."""
    return frozenset(
        text[:end] for text in _spellings(in_sentence) for end in range(1, len(text) + 1)
    )


def _is_plain_metric(spelling: str) -> bool:
    """False for spellings that are a unit or contain a statistic, which is a separate mention."""
    if GRAMMAR["statistic_word"].search(spelling):
        return False
    return find("units", spelling) is None and not spelling.endswith("per second")


def fold(text: str) -> str:
    """A text without case, white space, punctuation and underscores, for comparing headings."""
    return lookup.fold(text.translate(_PLAIN))


def _words(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each word, without the full stop behind it and the `s` of a plural."""
    for match in GRAMMAR["word"].finditer(text):
        word = match[0][:1] + match[0][1:].rstrip(".")
        is_plural = GRAMMAR["plural_name"].match(word) is not None
        yield match.start(), match.start() + len(word) - is_plural


def _named(text: str, in_sentence: bool) -> Iterator[Mention]:
    words, spellings, prefixes = [*_words(text)], _spellings(in_sentence), _prefixes(in_sentence)
    for first, (start, _) in enumerate(words):
        joined = ""
        for begin, end in words[first : first + _MAX_WORDS]:
            piece = text[begin:end].casefold()
            if joined and text[begin - 1] in _APOSTROPHES:
                # `V100's` is no `V100S`.
                break
            # As `lookup.join`: two numbers stay two.
            joined += f"-{piece}" if joined[-1:].isdigit() and piece[:1].isdigit() else piece
            if joined not in prefixes:
                break
            for kind, entry in spellings.get(joined, {}).items():
                if kind not in NAMES or _is_name(text, start, end):
                    yield from _mention_of(kind, entry, text, start, end, in_sentence)


def _is_name(text: str, start: int, end: int) -> bool:
    """False for a spelling that is part of another name, or of none."""
    if GRAMMAR["letter_alone"].match(text, start):
        return False
    # `RF-DETR-N` is not `DETR`.
    is_part = start > 1 and text[start - 1] == "-" and text[start - 2].isalnum()
    goes_on = text[end : end + 1] == "-" and text[end + 1 : end + 2].isalnum()
    if is_part or (goes_on and not GRAMMAR["model_tail"].match(text, end)):
        return False
    # `PyTorch (eager)` continues in brackets; a name does not end inside them.
    return text.count("(", start, end) == text.count(")", start, end)


def _mention_of(
    kind: str, entry: Entry, text: str, start: int, end: int, in_sentence: bool
) -> Iterator[Mention]:
    printed = text[start:end]
    if kind in ("field", "metric"):
        yield Mention(kind, entry.name, start, end)
    elif kind == "unit":
        if "/" in printed or " per " in printed.casefold():
            yield _printed("unit", text, start, end)
    elif kind == "platform":
        yield _platform(text, start, end)
    elif kind == "model":
        yield from _model(entry, text, start, end, in_sentence)
    elif kind == "framework":
        # `torch.compile` names a function, `FSDP` a technique.
        if text[end : end + 1] == "." and text[end + 1 : end + 2].isalpha():
            return
        if entry.facts.get("technique"):
            return
        version = GRAMMAR["version_behind"].match(text, end)
        yield _printed("framework", text, start, version.end() if version else end)
    elif (
        # `random` is a common word: data are meant where it is alone or before a word for them.
        not (entry.facts.get("synthetic") and printed.isalpha())
        or not any(map(str.isalnum, text[:start] + text[end:]))
        or GRAMMAR["data_behind"].match(text, end)
    ):
        yield _printed(kind, text, start, end)


def _printed(kind: str, text: str, start: int, end: int) -> Mention:
    """A mention of what is printed, with single blanks."""
    return Mention(kind, " ".join(text[start:end].split()), start, end)


def _model(entry: Entry, text: str, start: int, end: int, in_sentence: bool) -> Iterator[Mention]:
    """A model with its size: `Qwen/Qwen2.5-7B-Instruct`; never the end of another name."""
    whole = GRAMMAR["organisation_before"].search(text, max(0, start - _REACH), start)
    size = GRAMMAR["size_before"].search(text, max(0, start - _REACH), start)
    if whole and (tail := model_names.TAIL.match(text, end)):
        yield _printed("model", text, whole.start(), tail.end())
    elif size:
        yield _printed("model", text, size.start(), end)
    # A family alone is not a name, and `base` is a common word.
    if entry.facts.get("sized"):
        return
    tail = GRAMMAR["model_tail"].match(text, end)
    if tail or in_sentence or not entry.facts.get("is_family"):
        yield _printed("model", text, start, tail.end() if tail else end)


def _platform(text: str, start: int, end: int) -> Mention:
    """A platform with its vendor, memory and count, as long as it is the same platform."""
    before = GRAMMAR["count_of_name"].search(text, max(0, start - _REACH), start)
    if not (before and (before["times"] or GRAMMAR["plural"].match(text, end))):
        before = GRAMMAR["maker_before"].search(text, max(0, start - _REACH), start)
    behind = GRAMMAR["behind_platform"].match(text, end)
    low, high = before.start() if before else start, behind.end() if behind else end
    for first, last in ((low, high), (low, end), (start, high)):
        found = _printed("platform", text, first, last)
        # `GPUs` after a count belongs to the platform, even if its name does not contain it.
        name = GRAMMAR["kind_behind"].sub("", found.value)
        if read_platform(found.value).entry or read_platform(name).entry:
            return found._replace(value=name)
    return _printed("platform", text, start, end)


# Whole texts


@lru_cache(_MEMORY)
def known_name(dimension: str, text: str) -> bool:
    """True if the whole text is a known name of this dimension."""
    if dimension == "model":
        return (read_model(text).entry or read_model(text, "MLPerf").entry) is not None
    if dimension == "dataset":
        return find("datasets", text) is not None
    read = read_platform(text) if dimension == "platform" else read_versioned("frameworks", text)
    return dimension in NAMES and read.entry is not None


@lru_cache(_MEMORY)
def field_of(text: str) -> Entry | None:
    """The entry of `headings.yml` for a whole heading, compared without case and punctuation."""
    return find("headings", text) or _spellings().get(fold(text), {}).get("field")


def only(values: Iterable[str | None]) -> str | None:
    """The value if all are equal, else None."""
    distinct = set(values)
    return distinct.pop() if len(distinct) == 1 else None
