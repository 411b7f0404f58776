"""Blog posts, press texts and the prose of result pages: claims, measured numbers, list prices, submission identifiers.

What sentences mean is read in `prose/`; this module only turns it into rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from itertools import chain
from typing import Any

from pipelines.extract.contract import Extraction
from pipelines.extract.prose import conditions
from pipelines.extract.prose.comparisons import Comparison, find_comparisons
from pipelines.extract.prose.names import Attribution, canonical, find_prices, models_in, platforms_in
from pipelines.extract.prose.quantities import Number, Span, condition_spans, ends_range, find_numbers
from pipelines.extract.prose.sentences import Sentence, read_sections
from pipelines.extract.rows import Claim, Measurement, Price, Reject, Row, Submission, interval
from pipelines.read.document import Document

FORMAT = "claim_prose"
DESCRIPTION = "Running text that compares performance, prints single results or prices, or lists MLPerf identifiers."
ROWS: tuple[type[Row], ...] = (Claim, Measurement, Price, Submission, Reject)
# Tables, logs and charts know their own lines; prose reads what they left.
PRIORITY = 40

# Prose never outweighs a format that is sure of itself.
_LEAST_SCORE, _SCORE_PER_ROW, HIGHEST_SCORE, _LISTS_ONLY_SCORE = 0.3, 0.03, 0.6, 0.1
_FACTS_OF_HIGHEST = 11
# A factor, a rate, a time, a price or an identifier, or words that stand for one: other sentences hold no facts.
_MAY_HOLD = re.compile(
    r"\d\s?[x\u00d7%]|\d[\s-]*(?:percent|per\s+cent|times|fold)|\$|/\s?s|per\s|second|\d[\s-]?(?:ms|s|mins?|minutes?|h|hours?|days?)\b|\d-\d"
    r"|twice|doubl|tripl|quadrupl|hal[fv]|third|quarter|fifth|tenth|\btimes|fold\b|orders?\sof|than\s|from\s\d|[tfq]ps\b",
    re.IGNORECASE,
)
# `Sx faster`, `l hours`: of a number of one digit nothing is left that could be accounted for.
_LETTER_FOR_DIGIT = re.compile(
    r"(?<![\w.,$/-])(?P<token>[OlSG]{1,2})(?:\s?[xX\u00d7%](?!\w)|[\s-](?:times|ms|seconds?|minutes?|hours?|days?)\b)"
)
# Comparisons in words that are not read: `throughput doubled`, `halved the latency`
_IN_WORDS = re.compile(
    r"\b(?:doubl|tripl|quadrupl|halv)(?:es|ed|ing)\b|\b(?:an?|two|three)\s+orders?\s+of\s+magnitude\b"
)
# A longer run without a stop is a flattened table or code, and patterns of grammar say nothing in it.
_MAX_SENTENCE = 2000


def recognise(document: Document) -> float:
    """0.3 to 0.6 for text with a claim, a measured number or a price, 0.1 for identifiers or unread claims, else 0."""
    facts, has_rows = 0, False
    for row in _read(document, frozenset()):
        facts, has_rows = facts + isinstance(row, Claim | Measurement | Price), True
        if facts == _FACTS_OF_HIGHEST:
            break
    if facts:
        return min(HIGHEST_SCORE, _LEAST_SCORE + _SCORE_PER_ROW * (facts - 1))
    return _LISTS_ONLY_SCORE if has_rows else 0.0


def extract(document: Document, taken: Collection[int]) -> Extraction:
    """Rows of the sentences in the lines that are not `taken`; `lines` are the lines that rows stand on."""
    rows = [*_read(document, frozenset(taken))]
    return Extraction([*rows], {row.cell.line for row in rows if not isinstance(row, Reject)})


def _read(document: Document, taken: frozenset[int]) -> Iterator[Row]:
    sections = read_sections(document, taken)
    suites = conditions.Suites(sections)
    for sentence in chain.from_iterable(section.sentences for section in sections):
        if len(sentence.plain) <= _MAX_SENTENCE and _MAY_HOLD.search(sentence.plain):
            found = _Facts(sentence, suites.of(sentence)).rows()
            yield from sorted(found, key=lambda row: (row.cell.line, row.cell.start))


class _Facts:
    """What a sentence states. `values` are the characters of every comparison, read or not, and of every number."""

    def __init__(self, sentence: Sentence, suite: str | None) -> None:
        self.sentence, self.plain, self.suite = sentence, sentence.plain, suite
        has_words = sum(len(word) > 2 and word[:3].isalpha() for word in self.plain.split()) > 1
        self.comparisons = find_comparisons(sentence, suite) if has_words else []
        claimed = next((c.metric for c in self.comparisons if not c.fault), None)
        self.numbers = [*find_numbers(self.plain, claimed)] if has_words else []
        spans = [(c.factor.outer, c.factor.end) for c in self.comparisons] + [(n.start, n.end) for n in self.numbers]
        self.values: list[Span] = sorted(spans)
        self.who = Attribution(sentence, self.values)

    def rows(self) -> Iterator[Row]:
        """The rows, and a reject for each thing that looks like a fact and is not read."""
        for match in _LETTER_FOR_DIGIT.finditer(self.plain):
            yield self._reject(match.span("token"), "damaged_number", "a letter stands where a number should")
        for comparison in self.comparisons:
            yield self._claim(comparison)
        if (words := _IN_WORDS.search(self.plain)) and (platforms_in(self.plain) or models_in(self.plain)):
            yield self._reject(words.span(), "unread_claim", "a comparison in words that is not read")
        yield from (row for number in self.numbers if (row := self._measurement(number)))
        for span, dollars, platform in find_prices(self.plain):
            yield Price(
                **self._place(*span),
                platform_printed=self.who.printed(platform) or "",
                price_usd=dollars.value,
                price_low_usd=dollars.low,
                price_high_usd=dollars.high,
                bound=dollars.bound,
            )
        listed = next(iter(conditions.suites_in(self.plain)), self.suite)
        for span in conditions.submission_ids(self.sentence):
            yield Submission(**self._place(*span), submission_id=self.plain[slice(*span)], suite=listed)

    def _claim(self, comparison: Comparison) -> Claim | Reject:
        plain, factor, metric = self.plain, comparison.factor, comparison.metric
        span, outer = (factor.start, factor.end), (factor.outer, factor.end)
        if comparison.fault:
            return self._reject(span, "unread_claim", comparison.fault)
        if ends_range(plain, factor.start):
            return self._reject(span, "unread_claim", "one end of a range, of which the other cannot be read")
        if reason := conditions.not_stated(plain):
            return self._reject(span, "not_stated", reason)
        subject, baseline, says_other = self.who.sides_of(factor, per_dollar=metric == "performance_per_dollar")
        release = conditions.baseline_release(self.sentence, factor.end, baseline)
        earlier = release or (None if baseline else conditions.baseline_round(self.sentence))
        if subject and baseline is None and not says_other and earlier is None:
            baseline = self.who.told_baseline(subject)
        if subject and baseline and canonical(subject) == canonical(baseline) and earlier is None:
            subject = None
        if comparison.is_reversed:
            subject, baseline = baseline, subject
        words = (" ".join(plain[slice(*place)].split()) for place in condition_spans(plain))
        return Claim(
            **self._place(*span),
            **interval(comparison.quantity, "factor"),
            **self._of_task(outer, metric),
            metric=metric,
            model_printed=self.who.model_of(outer),
            subject_printed=subject,
            baseline_printed=baseline,
            subject_sdk_version=conditions.subject_release(self.sentence) if release else None,
            baseline_sdk_version=release,
            baseline_round=None if release else earlier,
            conditions="; ".join(words) or None,
            sentence=self.sentence.text,
        )

    def _measurement(self, number: Number) -> Measurement | Reject | None:
        """A row where value, unit, metric and platform are in one clause; else the number is left to the accounting."""
        plain, span = self.plain, (number.start, number.end)
        platform = self.who.platform_of(span)
        if number.metric is None or platform is None:
            return None
        if reason := conditions.no_result(plain, span[1]):
            return self._reject(span, "not_stated", reason)
        count, is_unclear = self.who.accelerators_of(platform)
        if is_unclear:
            return self._reject(span, "unclear_count", "how many accelerators is not printed beside the platform")
        model = self.who.model_of(span)
        if number.metric == "tflops_per_device" and model is None:
            # What a chip could compute at most is printed in the unit of what a model made of it.
            return None
        return Measurement(
            **self._place(*span),
            **interval(number.quantity, "value"),
            **self._of_task(span, number.metric),
            metric=number.metric,
            unit=number.unit,
            unit_printed=number.unit_printed,
            item=number.item,
            model_printed=model,
            platform_printed=self.who.printed(platform),
            accelerator_count=count,
            **conditions.settings_of(plain, span, self.values),
        )

    def _of_task(self, span: Span, metric: str | None) -> dict[str, Any]:
        task = conditions.task_of(self.sentence, *span)
        suite = conditions.suite_of_task(self.suite, task)
        return {"task": task or ("training" if metric == "time_to_train" else None), "suite": suite}

    def _reject(self, span: Span, rule: str, reason: str) -> Reject:
        row = json.dumps({"sentence": self.sentence.text}, ensure_ascii=False)
        return Reject(**self._place(*span), rule=rule, reason=reason, scope="sentence", row_json=row)

    def _place(self, start: int, end: int) -> dict[str, Any]:
        """Where a row stands: its characters, and the heading over it."""
        heading = self.sentence.section.heading
        section, line = (heading.text, heading.pieces[0][1]) if heading else (None, None)
        return {"cell": self.sentence.cell(start, end), "section": section, "section_line": line}
