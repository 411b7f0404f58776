"""Everything that one sentence states about benchmarks, and what in it is refused. Who is compared: `subjects.py`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from pipelines.extract.prose.comparisons import (
    Comparison,
    Unread,
    compared_with_number,
    find_comparisons,
    is_about_benchmarks,
    left_factors,
)
from pipelines.extract.prose.conditions import is_submission_id, scored_metric, submission_ids
from pipelines.extract.prose.negation import earlier, not_stated
from pipelines.extract.prose.numbers import (
    Number,
    PrintedPrice,
    ends_range,
    find_changes,
    find_damages,
    find_prices,
    find_throughputs,
    find_times,
    new_values,
)
from pipelines.extract.prose.sentences import Sentence

Span = tuple[int, int]

_ONE_END = "one end of a range, of which the other cannot be read"
_NOT_READ = "a factor beside a metric or a word of comparison; what is compared with what is not clear"


@dataclass(frozen=True, slots=True)
class Refused:
    """Characters that look like a fact and are none, with the rule that refuses them and the reason."""

    start: int
    end: int
    rule: str
    reason: str


@dataclass
class Facts:
    """What a sentence states. No two of its facts stand on the same characters, but for a change and its new value.

    Attributes:
        comparisons: Factors that compare, and changes from one value to another.
        numbers: Throughputs and times.
        prices: List prices.
        submissions: Characters of submission identifiers.
        refused: What looks like one of these and was not let in.
        values: Characters of every comparison, read or not, with its bound, and of every number.
    """

    comparisons: list[Comparison] = field(default_factory=list)
    numbers: list[Number] = field(default_factory=list)
    prices: list[PrintedPrice] = field(default_factory=list)
    submissions: list[Span] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    values: list[Span] = field(default_factory=list)

    def turn_away(self, start: int, end: int, rule: str, reason: str) -> None:
        """Keep characters that were not let in."""
        self.refused.append(Refused(start, end, rule, reason))


def read_facts(sentence: Sentence, suite: str | None) -> Facts:
    """The facts of a sentence, each kind in order.

    Args:
        sentence: The sentence.
        suite: Benchmark suite that its section reports on, or None.
    """
    plain, facts = sentence.plain, Facts()
    for start, end, damage in find_damages(plain):
        facts.turn_away(start, end, "damaged_number", damage)
    taken = [(refused.start, refused.end) for refused in facts.refused]
    found = [change for change in find_changes(plain) if _is_free(change.factor.start, change.factor.end, taken)]
    taken += [(change.factor.start, change.factor.end) for change in found]
    found += [c for c in find_comparisons(sentence, suite) if _is_free(c.factor.start, c.factor.end, taken)]
    for comparison in found:
        factor = comparison.factor
        facts.values.append((factor.outer, factor.end))
        if factor.kind != "share" and ends_range(plain, factor.start):
            facts.turn_away(factor.start, factor.end, "unread_claim", _ONE_END)
        elif isinstance(comparison, Unread):
            facts.turn_away(factor.start, factor.end, "unread_claim", comparison.reason)
        elif reason := not_stated(plain, factor.outer, factor.end):
            facts.turn_away(factor.start, factor.end, "not_stated", reason)
        else:
            facts.comparisons.append(comparison)
    news = new_values(plain)
    metric = next((comparison.metric for comparison in found if isinstance(comparison, Comparison)), None)
    scored = scored_metric(sentence, suite)
    for number in (*find_throughputs(plain, news), *find_times(plain, metric, scored, news)):
        if number.start in news or _is_free(number.start, number.end, taken):
            facts.values.append((number.start, number.end))
            if reason := not_stated(plain, number.start, number.end):
                facts.turn_away(number.start, number.end, "not_stated", reason)
            elif reason := earlier(plain, number.start, number.end, suite):
                facts.turn_away(number.start, number.end, "earlier_value", reason)
            else:
                facts.numbers.append(number)
    facts.prices = list(find_prices(sentence))
    for start, end in submission_ids(sentence):
        if is_submission_id(plain[start:end]):
            facts.submissions.append((start, end))
        else:
            reason = f"{plain[start:end]!r} stands in a list of submission identifiers and is none"
            facts.turn_away(start, end, "damaged_number", reason)
    _refuse_left(sentence, facts, taken)
    return facts


def _refuse_left(sentence: Sentence, facts: Facts, taken: list[Span]) -> None:
    """What looks like a claim and stands in no fact."""
    for factor in left_factors(sentence, [*taken, *facts.values]):
        facts.turn_away(factor.start, factor.end, "unread_claim", _NOT_READ)
    is_empty = not (facts.values or facts.refused or facts.prices or facts.submissions)
    if is_empty and (span := compared_with_number(sentence.plain)) and is_about_benchmarks(sentence):
        facts.turn_away(span[0], span[1], "unread_claim", "something is compared with a number that could not be read")


def _is_free(start: int, end: int, taken: Collection[Span]) -> bool:
    return not any(start < high and low < end for low, high in taken)
