"""Blog posts, press texts and the prose of result pages: claims, measured numbers, list prices, submission identifiers.

What sentences mean is read in `prose/`; this module only turns it into rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from functools import lru_cache

from pipelines.extract.contract import Extraction
from pipelines.extract.prose.comparisons import Comparison, claim_in_run
from pipelines.extract.prose.conditions import (
    baseline_release,
    conditions_of,
    has_ids,
    is_titled,
    only_suite,
    subject_release,
    suite_of,
    suite_of_task,
    suites_in,
    words_of_conditions,
)
from pipelines.extract.prose.facts import Refused, read_facts
from pipelines.extract.prose.names import Mention, accelerators_of, canonical
from pipelines.extract.prose.numbers import Number, PrintedPrice, sides_by_price
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

# Prose never outweighs a format that is sure of itself.
_LEAST_SCORE, _SCORE_PER_ROW, HIGHEST_SCORE, _LISTS_ONLY_SCORE = 0.3, 0.03, 0.6, 0.1
_NUMBER = re.compile(
    r"\d|\b(?:twice|thrice|doubl|tripl|quadrupl|hal[fv]|third|quarter|fifth|tenth|times\b|orders?\b)|fold\b",
    re.IGNORECASE,
)
# A sentence needs words beside its numbers: `453s 65ms/step` alone, as in a log, says nothing that prose could tell.
_WORD = re.compile(r"[a-z]{3}\S*", re.IGNORECASE)
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
            if len(sentence.plain) > _MAX_SENTENCE:
                rows.extend(_too_long(sentence))
            elif _may_hold(sentence.plain) or has_ids(sentence.plain):
                rows.extend(_rows(sentence, suite))
    return tuple(rows)


def _may_hold(plain: str) -> bool:
    word = _WORD.search(plain)
    return word is not None and bool(_NUMBER.search(plain) and _WORD.search(plain, word.end()))


def _too_long(sentence: Sentence) -> Iterator[Reject]:
    if span := claim_in_run(sentence.plain):
        reason = f"it stands in a run of more than {_MAX_SENTENCE:,} characters without a stop"
        yield _reject(sentence, Refused(span[0], span[1], "unread_claim", reason))


def _rows(sentence: Sentence, suite: str | None) -> Iterator[Row]:
    """The rows of one sentence in the order in which they are printed."""
    facts = read_facts(sentence, suite)
    claims: list[Claim] = []
    for comparison in facts.comparisons:
        continued = claims[-1] if claims and comparison.continues else None
        claims.append(_claim(sentence, comparison, suite, facts.values, continued))
    rows: list[Row] = [*claims]
    rows += [row for number in facts.numbers if (row := _measurement(sentence, number, suite, facts.values))]
    rows += [_price(sentence, price) for price in facts.prices]
    listed = next(iter(suites_in(sentence.plain)), suite)
    rows += [
        Submission(
            cell=sentence.cell(*span),
            section=_heading(sentence),
            section_line=_heading_line(sentence),
            submission_id=sentence.text[slice(*span)],
            suite=listed,
        )
        for span in facts.submissions
    ]
    rows += [_reject(sentence, refused) for refused in facts.refused]
    yield from sorted(rows, key=lambda row: (row.cell.line, row.cell.start))


def _claim(
    sentence: Sentence,
    comparison: Comparison,
    suite: str | None,
    values: list[tuple[int, int]],
    continued: Claim | None,
) -> Claim:
    factor, quantity = comparison.factor, comparison.quantity
    baseline_mention = baseline_of(sentence, factor.outer, factor.end)
    subject_mention = subject_of(sentence, factor.outer, factor.end, baseline_mention)
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
        cell=sentence.cell(factor.start, factor.end),
        section=_heading(sentence),
        section_line=_heading_line(sentence),
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
        cell=sentence.cell(number.start, number.end),
        section=_heading(sentence),
        section_line=_heading_line(sentence),
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
        cell=sentence.cell(price.start, price.end),
        section=_heading(sentence),
        section_line=_heading_line(sentence),
        platform_printed=price.platform_printed,
        price_usd=price.dollars.value,
        price_low_usd=price.dollars.low,
        price_high_usd=price.dollars.high,
        bound=price.dollars.bound,
    )


def _reject(sentence: Sentence, refused: Refused) -> Reject:
    return Reject(
        cell=sentence.cell(refused.start, refused.end),
        section=_heading(sentence),
        section_line=_heading_line(sentence),
        rule=refused.rule,
        reason=refused.reason,
        scope="sentence",
        row_json=json.dumps({"sentence": sentence.text}, ensure_ascii=False),
    )


def _printed(sentence: Sentence, mention: Mention | None) -> str | None:
    return sentence.name(mention.start, mention.end) if mention else None


def _heading(sentence: Sentence) -> str | None:
    heading = sentence.section.heading
    return heading.text if heading else None


def _heading_line(sentence: Sentence) -> int | None:
    heading = sentence.section.heading
    return heading.pieces[0][1] if heading else None
