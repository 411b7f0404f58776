"""Blog posts, press texts and the prose of result pages: claims, measured numbers, list prices, submission identifiers.

What sentences mean is read in `prose/`; this module only turns it into rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from pipelines.extract.contract import Extraction
from pipelines.extract.prose.comparisons import (
    Comparison,
    Unread,
    compared_with_number,
    find_comparisons,
    is_about_benchmarks,
    left_factors,
)
from pipelines.extract.prose.conditions import (
    baseline_release,
    conditions_of,
    has_ids,
    is_submission_id,
    is_titled,
    only_suite,
    scored_metric,
    subject_release,
    submission_ids,
    suite_of,
    suite_of_task,
    suites_in,
    words_of_conditions,
)
from pipelines.extract.prose.names import Mention, accelerators_of, canonical
from pipelines.extract.prose.negation import earlier, not_stated
from pipelines.extract.prose.numbers import (
    Number,
    PrintedPrice,
    ends_range,
    find_changes,
    find_prices,
    find_throughputs,
    find_times,
    sides_by_price,
)
from pipelines.extract.prose.sentences import Sentence, read_sections
from pipelines.extract.prose.subjects import (
    baseline_of,
    is_against,
    is_other_side,
    measured_on,
    model_of,
    subject_of,
    task_of,
    told_baseline,
    told_subject,
)
from pipelines.extract.rows import Claim, Measurement, Price, Reject, Row, Submission
from pipelines.read.document import Document

FORMAT = "claim_prose"
DESCRIPTION = "Running text that compares performance, prints single results or prices, or lists MLPerf identifiers."
ROWS: tuple[type[Row], ...] = (Claim, Measurement, Price, Submission, Reject)
# Tables, logs and charts know their own lines; prose reads what they left.
PRIORITY = 40

Span = tuple[int, int]

# Prose never outweighs a format that is sure of itself.
_LEAST_SCORE, _SCORE_PER_ROW, HIGHEST_SCORE, _LISTS_ONLY_SCORE = 0.3, 0.03, 0.6, 0.1
_NUMBER = re.compile(
    r"\d|\b(?:twice|thrice|doubl|tripl|quadrupl|hal[fv]|third|quarter|fifth|tenth|times\b|orders?\b)|fold\b",
    re.IGNORECASE,
)
# A sentence needs words beside its numbers: `453s 65ms/step` alone, as in a log, says nothing that prose could tell.
_WORD = re.compile(r"[a-z]{3}\S*", re.IGNORECASE)
# `Sx faster`, `l hours`: of a number of one digit nothing is left that could be accounted for.
_LETTER_FOR_DIGIT = re.compile(
    r"(?<![\w.,$/-])(?P<token>[OlSG]{1,2})(?:\s?[xX\u00d7%](?!\w)|[\s-](?:times|ms|seconds?|minutes?|hours?|days?)\b)"
)
# A longer run without a stop is a flattened table or code, and patterns of grammar say nothing in it.
_MAX_SENTENCE = 2000


def recognise(document: Document) -> float:
    """0.3 to 0.6 for text with a claim, a measured number or a price, 0.1 for identifiers or unread claims, else 0."""
    rows = _read(document, frozenset())
    facts = sum(isinstance(row, Claim | Measurement | Price) for row in rows)
    if facts:
        return min(HIGHEST_SCORE, _LEAST_SCORE + _SCORE_PER_ROW * (facts - 1))
    return _LISTS_ONLY_SCORE if rows else 0.0


def extract(document: Document, taken: Collection[int]) -> Extraction:
    """Rows of the sentences in the lines that are not `taken`; `lines` are the lines that rows stand on."""
    rows = _read(document, frozenset(taken))
    return Extraction([*rows], {row.cell.line for row in rows if not isinstance(row, Reject)})


@lru_cache(maxsize=1)
def _read(document: Document, taken: frozenset[int]) -> tuple[Row, ...]:
    """The rows; a document of prose is asked for them twice, to recognise it and to read it."""
    sections = read_sections(document, taken)
    only, titled = only_suite(sections), is_titled(sections)
    rows: list[Row] = []
    for section in sections:
        for sentence in section.sentences:
            suite = suite_of(sentence, only, titled)
            is_readable = len(sentence.plain) <= _MAX_SENTENCE
            if is_readable and (_may_hold(sentence.plain) or has_ids(sentence.plain)):
                rows.extend(_rows(sentence, suite))
    return tuple(rows)


def _may_hold(plain: str) -> bool:
    word = _WORD.search(plain)
    return word is not None and bool(_NUMBER.search(plain) and _WORD.search(plain, word.end()))


@dataclass
class _Facts:
    """What a sentence states. No two of its facts stand on the same characters, but for a change and its new value.

    `values` are the characters of every comparison, read or not, with its bound, and of every number.
    """

    sentence: Sentence
    rows: list[Row] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    numbers: list[Number] = field(default_factory=list)
    values: list[Span] = field(default_factory=list)

    def set_aside(self, span: Span, rule: str, reason: str) -> None:
        """Keep characters that look like a fact and were not let in."""
        sentence = self.sentence
        self.rows.append(
            Reject(
                **_place(sentence, *span),
                rule=rule,
                reason=reason,
                scope="sentence",
                row_json=json.dumps({"sentence": sentence.text}, ensure_ascii=False),
            )
        )


def _read_facts(sentence: Sentence, suite: str | None) -> _Facts:
    plain, facts = sentence.plain, _Facts(sentence)
    taken: list[Span] = []
    for match in _LETTER_FOR_DIGIT.finditer(plain):
        facts.set_aside(match.span("token"), "damaged_number", "a letter stands where a number should")
    changes = dict(find_changes(plain))
    found = [*changes.values()]
    taken += [(change.factor.start, change.factor.end) for change in found]
    found += [c for c in find_comparisons(sentence, suite) if _is_free(c.factor.start, c.factor.end, taken)]
    for comparison in found:
        factor = comparison.factor
        facts.values.append((factor.outer, factor.end))
        span = factor.start, factor.end
        if factor.kind != "share" and ends_range(plain, factor.start):
            facts.set_aside(span, "unread_claim", "one end of a range, of which the other cannot be read")
        elif isinstance(comparison, Unread):
            facts.set_aside(span, "unread_claim", comparison.reason)
        elif why := not_stated(plain, factor.outer, factor.end):
            facts.set_aside(span, "not_stated", why)
        else:
            facts.comparisons.append(comparison)
    metric = next((comparison.metric for comparison in found if isinstance(comparison, Comparison)), None)
    scored = scored_metric(sentence, suite)
    for number in (*find_throughputs(plain, changes), *find_times(plain, metric, scored, changes)):
        span = number.start, number.end
        if number.start in changes or _is_free(*span, taken):
            facts.values.append(span)
            if why := not_stated(plain, *span):
                facts.set_aside(span, "not_stated", why)
            elif why := earlier(plain, *span, suite):
                facts.set_aside(span, "earlier_value", why)
            else:
                facts.numbers.append(number)
    facts.rows += [_price(sentence, price) for price in find_prices(sentence)]
    listed = next(iter(suites_in(plain)), suite)
    for span in submission_ids(sentence):
        if is_submission_id(plain[slice(*span)]):
            name = sentence.text[slice(*span)]
            facts.rows.append(Submission(**_place(sentence, *span), submission_id=name, suite=listed))
        else:
            reason = f"{plain[slice(*span)]!r} stands in a list of submission identifiers and is none"
            facts.set_aside(span, "damaged_number", reason)
    for factor in left_factors(sentence, [*taken, *facts.values]):
        reason = "a factor beside a metric or a word of comparison; what is compared with what is not clear"
        facts.set_aside((factor.start, factor.end), "unread_claim", reason)
    is_empty = not (facts.values or facts.rows)
    if is_empty and (compared := compared_with_number(plain)) and is_about_benchmarks(sentence):
        facts.set_aside(compared, "unread_claim", "something is compared with a number that could not be read")
    return facts


def _is_free(start: int, end: int, taken: Collection[Span]) -> bool:
    return not any(start < high and low < end for low, high in taken)


def _rows(sentence: Sentence, suite: str | None) -> Iterator[Row]:
    """The rows of one sentence in the order in which they are printed."""
    facts = _read_facts(sentence, suite)
    claims: list[Claim] = []
    for comparison in facts.comparisons:
        continued = claims[-1] if claims and comparison.continues else None
        claims.append(_claim(sentence, comparison, suite, facts.values, continued))
    rows: list[Row] = [*claims]
    rows += [row for number in facts.numbers if (row := _measurement(sentence, number, suite, facts.values))]
    yield from sorted([*rows, *facts.rows], key=lambda row: (row.cell.line, row.cell.start))


def _claim(
    sentence: Sentence,
    comparison: Comparison,
    suite: str | None,
    values: list[tuple[int, int]],
    continued: Claim | None,
) -> Claim:
    factor, quantity = comparison.factor, comparison.quantity
    baseline_mention = baseline_of(sentence, factor.outer, factor.end)
    subject_mention = subject_of(sentence, factor.outer, factor.end, values)
    subject, baseline = _printed(sentence, subject_mention), _printed(sentence, baseline_mention)
    old_release = baseline_release(sentence, factor.end, baseline)
    if subject is None and baseline is not None:
        subject = told_subject(sentence, baseline)
    if comparison.metric == "performance_per_dollar" and baseline is None:
        subject, baseline = sides_by_price(sentence, subject)
    # `faster than CPUs`: the other side is stated, although it is no platform
    is_open = baseline is None and not is_against(sentence, factor.end)
    if is_open and subject is not None and old_release is None:
        baseline = told_baseline(sentence.section, subject, sentence)
    if subject and baseline and canonical(subject) == canonical(baseline) and old_release is None:
        subject = None
    if baseline is None and is_open and continued is not None and not comparison.is_reversed:
        baseline = continued.baseline_printed
    if comparison.is_reversed:
        subject, baseline = baseline, subject
    task, model = task_of(sentence, factor.outer, factor.end), model_of(sentence, factor.outer, factor.end, values)
    if comparison.metric == "price":
        # What a system is sold for depends on nothing that runs on it.
        task, model = None, None
    return Claim(
        **_place(sentence, factor.start, factor.end),
        factor=quantity.value,
        factor_low=quantity.low,
        factor_high=quantity.high,
        bound=quantity.bound,
        metric=comparison.metric,
        task=task or ("training" if comparison.metric == "time_to_train" else None),
        suite=suite_of_task(suite, task),
        model_printed=model,
        subject_printed=subject,
        baseline_printed=baseline,
        subject_sdk_version=subject_release(sentence, factor.outer) if old_release else None,
        baseline_sdk_version=old_release,
        conditions="; ".join(words_of_conditions(sentence.plain, factor)) or None,
        sentence=sentence.text,
    )


def _measurement(
    sentence: Sentence, number: Number, suite: str | None, values: list[tuple[int, int]]
) -> Measurement | None:
    """A row, or None where nothing tells that the number is a result, or of which side of a comparison."""
    mention = measured_on(sentence, number.start, number.end, values)
    platform = _printed(sentence, mention) or told_subject(sentence, None)
    model = model_of(sentence, number.start, number.end, values)
    is_unclear = mention is None and is_other_side(sentence.plain, number.start)
    # What a chip could compute at most is printed in the unit of what a model made of it.
    is_specification = number.metric == "tflops_per_device" and model is None
    if number.metric is None or (platform is None and model is None) or is_unclear or is_specification:
        return None
    task = task_of(sentence, number.start, number.end)
    conditions = conditions_of(sentence.plain, number.start, number.end, values)
    if "Scenario" in (conditions["attributes"] or ""):
        # Only a trained model is asked.
        task = task or "inference"
    return Measurement(
        **_place(sentence, number.start, number.end),
        metric=number.metric,
        value=number.quantity.value,
        value_low=number.quantity.low,
        value_high=number.quantity.high,
        bound=number.quantity.bound,
        unit=number.unit,
        unit_printed=number.unit_printed,
        item=number.item,
        task=task or ("training" if number.metric == "time_to_train" else None),
        suite=suite_of_task(suite, task),
        model_printed=model,
        platform_printed=platform,
        accelerator_count=accelerators_of(sentence.plain, mention, number.end),
        **conditions,
    )


def _price(sentence: Sentence, price: PrintedPrice) -> Price:
    return Price(
        **_place(sentence, price.start, price.end),
        platform_printed=price.platform_printed,
        price_usd=price.dollars.value,
        price_low_usd=price.dollars.low,
        price_high_usd=price.dollars.high,
        bound=price.dollars.bound,
    )


def _printed(sentence: Sentence, mention: Mention | None) -> str | None:
    return sentence.name(mention.start, mention.end) if mention else None


def _place(sentence: Sentence, start: int, end: int) -> dict[str, Any]:
    """Where a row stands: its characters, and the heading over it."""
    heading = sentence.section.heading
    return {
        "cell": sentence.cell(start, end),
        "section": heading.text if heading else None,
        "section_line": heading.pieces[0][1] if heading else None,
    }
