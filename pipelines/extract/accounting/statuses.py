"""The status of a numeral in running text: rules in order, the first that holds decides.

Numerals of rows and of what the formats have marked are decided in `ledger.py`, those of words in `words.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from pipelines.extract.accounting import patterns as p
from pipelines.extract.accounting.words import Span, Verdict, has_own_unit
from pipelines.extract.prose.names import models_in, platforms_in
from pipelines.values.precisions import parse_precision
from pipelines.vocabulary.lookup import spelling_pattern

# How far words beside a percentage say that something is compared.
_REACH = 40
# The longest wording that says that things are counted: `universities ... numbered more than`.
_THINGS_REACH = 160
UNREAD_NUMBER: Verdict = ("unparsed", "unread_number")
_UNREAD: Verdict = ("unparsed", "unread_benchmark")
_GLUED_TIMES = ("ms", "us", "µs", "μs", "ns", "s", "h", "min")


class Passage:
    """A sentence, heading or label whose numerals are judged; `plain` has plain blanks, dashes and quotes."""

    def __init__(self, plain: str) -> None:
        self.plain = plain

    @cached_property
    def platforms(self) -> list[Span]:
        """Platforms named, known or not."""
        return [(mention.start, mention.end) for mention in platforms_in(self.plain)]

    @cached_property
    def known_names(self) -> list[Span]:
        """Names that a vocabulary knows."""
        mentions = (*platforms_in(self.plain), *models_in(self.plain))
        spans = [(mention.start, mention.end) for mention in mentions if mention.is_known]
        return spans + self.frameworks + [match.span() for match in spelling_pattern("datasets").finditer(self.plain)]

    @cached_property
    def frameworks(self) -> list[Span]:
        """Known frameworks."""
        return [match.span() for match in spelling_pattern("frameworks").finditer(self.plain)]

    @cached_property
    def unknown_names(self) -> list[Span]:
        """Names of models and platforms that only grammar tells."""
        mentions = (*platforms_in(self.plain), *models_in(self.plain))
        return [(mention.start, mention.end) for mention in mentions if not mention.is_known]


def status_in_text(passage: Passage, start: int, end: int) -> Verdict:
    """The status of a numeral and the rule that gives it; `unparsed` where no rule knows what it is."""
    for judge in _JUDGES:
        if verdict := judge(passage, start, end):
            return verdict
    return UNREAD_NUMBER


def _counted(passage: Passage, start: int, end: int) -> Verdict | None:
    """`2x DGX A100`, `16 IPU-M2000s`, `2x AcmeOne`; never `1.34 trn1.32xlarge`."""
    if not passage.plain[start:end].replace(",", "").isdecimal():
        return None
    times = p.COUNTED.match(passage.plain, end)
    name_start = times.end() if times else end + 1
    if any(low <= name_start < high and low in (start, name_start) for low, high in passage.platforms):
        return "condition", "count_of_systems"
    unknown = p.COUNTED_UNKNOWN.match(passage.plain, end)
    behind = passage.plain[end : end + _REACH]
    if unknown and not p.COMPARISON.search(behind) and not p.METRIC.search(behind):
        return "condition", "count_of_systems"
    return None


def _known_name(passage: Passage, start: int, end: int) -> Verdict | None:
    return ("name", "known_name") if _inside(passage.known_names, start, end) else None


def _own_unit(passage: Passage, start: int, end: int) -> Verdict | None:
    """A numeral with a benchmark's unit that no format took: never set aside, whatever else holds."""
    plain = passage.plain
    before = plain[max(0, start - _REACH) : start]
    if p.HARDWARE_UNITS.match(plain, end):
        return None
    if plain[start:end].endswith(_GLUED_TIMES) or p.VALUE_BEFORE.search(before):
        return _UNREAD
    if p.PERCENT.match(plain, end):
        near = f"{before} {plain[end : end + _REACH]}"
        return _UNREAD if p.COMPARISON.search(near) or p.METRIC.search(near) else None
    return _UNREAD if has_own_unit(plain, end) else None


def _condition(passage: Passage, start: int, end: int) -> Verdict | None:
    plain = passage.plain
    before, numeral = plain[max(0, start - 60) : start], plain[start:end]
    # A number alone on its line may be a value of a table that is not read.
    pair = parse_precision(numeral) if "." in numeral and plain.strip() != numeral else None
    if (pair and pair.weight_bits) or p.FORMAT_BEFORE.search(before) or p.FORMAT_BEHIND.match(plain, end):
        return "condition", "number_format"
    if p.VERSION_BEFORE.search(before) or any(0 <= start - high <= 1 for _, high in passage.frameworks):
        return "condition", "version"
    if "." in numeral and p.SUITE_BEFORE.search(before):
        return "condition", "version"
    if p.SETTING_BEFORE.search(before) or p.SETTING_BEHIND.match(plain, end):
        return "condition", "setting"
    if p.IMAGE_SIZE_BEHIND.match(plain, end) or p.IMAGE_SIZE_BEFORE.search(before):
        return "condition", "setting"
    if p.MODEL_SIZE.match(plain, end):
        return "condition", "model_size"
    return ("condition", "count_of_systems") if p.HARDWARE.match(plain, end) else None


def _date(passage: Passage, start: int, end: int) -> Verdict | None:
    plain = passage.plain
    before, numeral = plain[max(0, start - 40) : start], plain[start:end]
    if numeral.count("-") == 2 or p.MONTH_BEFORE.search(before) or p.MONTH_BEHIND.match(plain, end):
        return "ignored", "date"
    if len(numeral) == 4 and numeral.isdecimal() and int(numeral) in p.YEAR:
        follows = p.YEAR_BEFORE.search(before) and p.YEAR_BEHIND.match(plain, end)
        return ("ignored", "date") if follows or p.EVENT_BEFORE.search(before) else None
    return None


def _part_of_text(passage: Passage, start: int, end: int) -> Verdict | None:
    plain = passage.plain
    before, after = plain[max(0, start - 40) : start], plain[end : end + 1]
    if p.LIST_START.fullmatch(plain[:start]) and p.LIST_NUMBER.match(plain, end):
        return "ignored", "list_number"
    is_cited = p.CITATION_BEFORE.search(before) and p.CITATION_BEHIND.match(plain, end)
    if is_cited or (p.REFERENCE_BEFORE.search(before) and after != "%"):
        return "ignored", "reference"
    if p.ORDINAL.match(plain, end):
        return "ignored", "ordinal"
    if p.CALENDAR.match(plain, end):
        return "ignored", "calendar_span"
    is_clock = p.CLOCK_BEHIND.match(plain, end) or (":" in plain[start:end] and p.DAY_BEFORE.search(before))
    return ("ignored", "time_of_day") if is_clock else None


def _hardware(passage: Passage, start: int, end: int) -> Verdict | None:
    plain = passage.plain
    if p.RACK_UNITS.match(plain, end):
        return "ignored", "rack_units"
    if p.MEMORY.match(plain, end) and any(0 <= start - high <= 2 for _, high in passage.platforms):
        return "name", "memory_of_platform"
    unit = p.HARDWARE_UNITS.match(plain, end)
    if unit and "FLOP" in unit[0].upper() and p.MEASURED_BEFORE.search(plain[max(0, start - 60) : start]):
        return _UNREAD
    return ("ignored", "hardware_specification") if unit else None


def _share(passage: Passage, start: int, end: int) -> Verdict | None:
    percent = p.PERCENT.match(passage.plain, end)
    whole = p.OF_WHOLE.match(passage.plain, percent.end()) if percent else None
    if whole and not p.METRIC.search(whole["what"]) and not p.COMPARISON.search(whole["what"]):
        return "ignored", "share_of_whole"
    return None


def _money(passage: Passage, start: int, end: int) -> Verdict | None:
    plain = passage.plain
    if p.MONEY_BEFORE.search(plain[max(0, start - 5) : start]) or p.MONEY_BEHIND.match(plain, end):
        return ("ignored", "amount_of_business") if p.BUSINESS.search(plain) else ("unparsed", "unread_price")
    return None


def _things(passage: Passage, start: int, end: int) -> Verdict | None:
    if p.THINGS_BEHIND.match(passage.plain, end) or p.THINGS_BEFORE.search(
        passage.plain[max(0, start - _THINGS_REACH) : start]
    ):
        return "ignored", "count_of_things"
    return None


def _unknown_name(passage: Passage, start: int, end: int) -> Verdict | None:
    return ("name", "unknown_name") if _inside(passage.unknown_names, start, end) else None


def _inside(spans: list[Span], start: int, end: int) -> bool:
    return any(low <= start and end <= high for low, high in spans)


# What a benchmark's unit stands beside comes before all that may set a numeral aside.
_JUDGES: tuple[Callable[[Passage, int, int], Verdict | None], ...] = (
    _counted,
    _known_name,
    _own_unit,
    _condition,
    _date,
    _part_of_text,
    _hardware,
    _share,
    _money,
    _things,
    _unknown_name,
)
