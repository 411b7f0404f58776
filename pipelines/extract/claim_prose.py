"""Blog posts, press texts and the prose of result pages: claims, measured numbers, list prices,
submission identifiers.

Comparisons, numbers and names are read in `prose/`; this module builds the rows, with the other
conditions of a
sentence: doubt, task, settings, releases, suites and submissions.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from itertools import chain
from typing import Any

from pipelines.extract.conditions import fields_of
from pipelines.extract.contract import Extraction, Format, Medium
from pipelines.extract.grammar import GRAMMAR
from pipelines.extract.mentions import Mention, mentions_in, only
from pipelines.extract.prose.comparisons import Comparison, find_comparisons
from pipelines.extract.prose.names import Attribution, Side, find_prices, names_in
from pipelines.extract.prose.quantities import (
    IN_SENTENCE,
    Number,
    Span,
    condition_spans,
    ends_range,
    find_numbers,
    part_around,
    until_next,
)
from pipelines.extract.prose.sentences import Sentence, read_sections, sentences_of
from pipelines.extract.rows import Claim, Measurement, Price, Reject, Row, Submission, interval
from pipelines.extract.tables.printed import section_of
from pipelines.read.document import Document
from pipelines.read.split_numbers import RULE, fault_of

# Prose has lower scores than any other format.
_LEAST_SCORE, _SCORE_PER_ROW, _HIGHEST_SCORE, _LISTS_ONLY_SCORE = 0.3, 0.03, 0.6, 0.1
FORMAT = Format(
    name="claim_prose",
    description="Running text that compares performance, prints single results or prices, or lists MLPerf identifiers.",
    rows=(Claim, Measurement, Price, Submission, Reject),
    # After tables, logs and charts: prose reads the remaining lines.
    priority=40,
    highest_score=_HIGHEST_SCORE,
    medium=Medium.SENTENCE,
)
# A sentence ends with one of these, and has blanks between its words.
_STOPS, _LEAST_BLANKS = (".", "!", "?"), 3
# A longer text without a full stop is a flattened table or code, not a sentence.
_MAX_SENTENCE = 2000
_REASONS = {
    "asks": "the sentence is a question",
    "denies": "the sentence contains a negation",
    "supposes": "the sentence states an expectation or a possibility",
    "limits": "the sentence sets a limit or a target",
}
# `2x slower than it`, `5x faster than before`
_PRONOUNS = frozenset(["", "it", "them", "before", "ever"])
_FIELDS = (
    "batch_size", "sequence_length", "precision", "activation_bits", "weight_bits", "framework_printed",
)  # fmt: skip
# A list may continue in another sentence: `Results from MLPerf v1.0. 1.0-1025, 1.0-1026.`
_LIST_REACH = 2
# Only the first headings apply to the whole document.
_TITLE_HEADINGS = 4


def recognise(document: Document) -> float:
    """0.3 to 0.6 for text with a claim, a measured number or a price, 0.1 for identifiers or unread
    claims, else 0.

    A list of numbers without any sentence is no prose.
    """
    texts = [each.plain for each in sentences_of(read_sections(document, frozenset()))]
    if not any(text.rstrip()[-1:] in _STOPS and text.count(" ") >= _LEAST_BLANKS for text in texts):
        return 0.0
    rows = [*_read(document, frozenset())]
    facts = sum(isinstance(row, Claim | Measurement | Price) for row in rows)
    if facts:
        return min(_HIGHEST_SCORE, _LEAST_SCORE + _SCORE_PER_ROW * (facts - 1))
    return _LISTS_ONLY_SCORE if rows else 0.0


def extract(document: Document, taken: Collection[int]) -> Extraction:
    """Rows of the sentences in the lines that are not `taken`; `lines` are the lines with rows."""
    rows = [*_read(document, frozenset(taken))]
    return Extraction([*rows], {row.cell.line for row in rows if not isinstance(row, Reject)})


def _read(document: Document, taken: frozenset[int]) -> Iterator[Row]:
    sections = read_sections(document, taken)
    sentences, suite = sentences_of(sections), None
    titles = [section.heading.plain.casefold() for section in sections if section.heading]
    if any("mlperf" in title for title in titles[:_TITLE_HEADINGS]):
        # A document with a title of MLPerf has one suite.
        suite = only(chain.from_iterable(_suites_in(sentence) for sentence in sentences))
    for sentence in sentences:
        may_hold = GRAMMAR["may_hold"].search(sentence.plain) or fault_of(sentence.text)
        if len(sentence.plain) <= _MAX_SENTENCE and may_hold:
            found = _Facts(sentence, _suite_of(sentence, suite)).rows()
            yield from sorted(found, key=lambda row: (row.cell.line, row.cell.start))


def _suites_in(sentence: Sentence) -> list[str]:
    """Suites named with their task and version: `MLPerf Training v1.0`."""
    suites = mentions_in(sentence.plain, "suite")
    return [suite.value for suite in suites if suite.value.count(" ") == 2]


def _suite_of(sentence: Sentence, of_document: str | None) -> str | None:
    """The suite of a sentence; None below a heading such as `non-MLPerf`."""
    heading = sentence.section.heading
    if heading and "non-mlperf" in heading.plain.casefold():
        return None
    for other in sentence.near(0):
        if named := _suites_in(other):
            return only(named)
    return of_document


class _Facts(Attribution):
    """The facts of a sentence. `values` are the places of all comparisons, read or not, and all
    numbers.
    """

    def __init__(self, sentence: Sentence, suite: str | None) -> None:
        plain = sentence.plain
        self.suite, self.comparisons, self.numbers = suite, list[Comparison](), list[Number]()
        if sum(len(word) > 2 and word[:3].isalpha() for word in plain.split()) > 1:
            self.comparisons = find_comparisons(sentence, suite)
            claimed = next((c.metric for c in self.comparisons if not c.fault), None)
            self.numbers = [*find_numbers(plain, claimed)]
        spans = [(c.factor.outer, c.factor.end) for c in self.comparisons]
        super().__init__(sentence, sorted(spans + [(n.start, n.end) for n in self.numbers]))
        # A word of doubt applies to all numbers of its sentence.
        self.doubts = [str(match.lastgroup) for match in GRAMMAR["doubt"].finditer(plain)]

    def rows(self) -> Iterator[Row]:
        """The rows, and a reject for each unread fact."""
        if split := fault_of(self.sentence.text):
            yield self._reject((0, len(self.plain)), RULE, split)
            return
        for match in GRAMMAR["letter_for_digit"].finditer(self.plain):
            reason = "a letter is printed instead of a digit"
            yield self._reject(match.span("token"), "damaged_number", reason)
        for comparison in self.comparisons:
            yield self._claim(comparison)
        words = GRAMMAR["in_words"].search(self.plain)
        if words and names_in(self.plain, "platform", "model"):
            reason = "a comparison in words (not supported)"
            yield self._reject(words.span(), "unread_claim", reason)
        yield from filter(None, map(self._measurement, self.numbers))
        for span, dollars, platform in find_prices(self.plain):
            yield Price(
                **self._place(*span),
                platform_printed=self.printed(platform) or "",
                price_usd=dollars.value,
                price_low_usd=dollars.low,
                price_high_usd=dollars.high,
                bound=dollars.bound,
            )
        near = self.sentence.near(_LIST_REACH)
        if any(GRAMMAR["submission"].search(other.plain) for other in near):
            suite = next(iter(_suites_in(self.sentence)), self.suite)
            for match in GRAMMAR["submission_id"].finditer(self.plain):
                yield Submission(**self._place(*match.span()), submission_id=match[0], suite=suite)

    def _claim(self, comparison: Comparison) -> Claim | Reject:
        plain, factor, metric = self.plain, comparison.factor, comparison.metric
        span, outer = (factor.start, factor.end), (factor.outer, factor.end)
        fault = comparison.fault
        if fault is None and ends_range(plain, factor.start):
            fault = "one end of a range; the other end cannot be read"
        if fault:
            return self._reject(span, "unread_claim", fault)
        # A limit may belong to another number.
        if doubts := [kind for kind in self.doubts if kind != "limits"]:
            return self._reject(span, "not_stated", _REASONS[doubts[0]])
        side = self._side_of(comparison)
        other = side.platform if side else None
        release = self._baseline_release(factor.end, other is not None)
        round_printed = None
        if not (release or other) and (since := GRAMMAR["since_round"].search(plain)):
            round_printed = (since["which"] or since["version"]).lower()
        is_earlier = bool(release or round_printed)
        places = condition_spans(plain, with_platforms=other is None)
        subject = self.printed(self.subject_of(factor, side, is_earlier=is_earlier))
        if side and not is_earlier and not side.has_platform:
            other = side.phrase if side.phrase.value not in _PRONOUNS else None
        baseline = self.printed(other)
        if metric == "performance_per_dollar" and side is None:
            subject, baseline = self.sides_by_price(subject)
        elif subject and side is None and not is_earlier:
            baseline = self.told_baseline(subject)
        if comparison.is_reversed:
            subject, baseline = baseline, subject
        left, right = part_around(plain, *outer, is_clause=True)
        conditions = list[str]()
        for low, high in places:
            text = " ".join(plain[low:high].split())
            is_side = any(name and name in text for name in (subject, baseline))
            if left <= low < right and not is_side:
                conditions.append(text)
        releases = (mention.value for mention in mentions_in(plain, "sdk_version"))
        return Claim(
            **self._place(*span),
            **interval(comparison.quantity, "factor"),
            **self._of_task(outer, metric),
            metric=metric,
            model_printed=self.model_of(outer),
            subject_printed=subject,
            baseline_printed=baseline,
            # The only release of the sentence that is not a baseline.
            subject_sdk_version=only(r for r in releases if r != release) if release else None,
            baseline_sdk_version=release,
            baseline_round="previous" if round_printed == "last" else round_printed,
            conditions="; ".join(conditions) or None,
            sentence=self.sentence.text,
        )

    def _side_of(self, comparison: Comparison) -> Side | None:
        """What a factor is compared with; in a list as the next factor that says so, else as the
        one before.
        """
        first = comparison.head or comparison.factor
        alike = [other.factor for other in self.comparisons if first in (other.factor, other.head)]
        alike.sort(key=lambda factor: factor < comparison.factor)
        return next(filter(None, map(self.side_of, alike)), None)

    def _measurement(self, number: Number) -> Measurement | Reject | None:
        """A row if value, unit, metric and platform are in one clause; other numbers are
        `unparsed`.
        """
        span = number.start, number.end
        platform = self.platform_of(span)
        if number.metric is None or platform is None:
            return None
        if GRAMMAR["earlier_behind"].match(self.plain, number.end):
            reason = "it is a value of an earlier release, year or round that is not fully stated"
            return self._reject(span, "not_stated", reason)
        if self.doubts:
            return self._reject(span, "not_stated", _REASONS[self.doubts[0]])
        count, is_unclear = self.accelerators_of(platform)
        if is_unclear:
            reason = "the number of accelerators is not printed beside the platform"
            return self._reject(span, "unclear_count", reason)
        model = self.model_of(span)
        if number.metric == "tflops_per_device" and model is None:
            # The peak performance of a chip has the same unit as a measurement.
            return None
        return Measurement(
            **self._place(*span),
            **number.unit.columns(number.quantity),
            **self._of_task(span, number.metric),
            metric=number.metric,
            model_printed=model,
            platform_printed=self.printed(platform),
            accelerator_count=count,
            **self._settings_of(span),
        )

    def _of_task(self, span: Span, metric: str | None) -> dict[str, Any]:
        """Task and suite; null if the nearest text with a task has both, or the suite is of the
        other task.
        """
        left, right = part_around(self.plain, *span)
        task = None
        for text in (self.plain[left:right], *(other.plain for other in self.sentence.near(0))):
            if named := [str(match.lastgroup) for match in GRAMMAR["task"].finditer(text)]:
                task = only(named)
                break
        suite = self.suite if task is None or task.capitalize() in (self.suite or "") else None
        return {"task": task or ("training" if metric == "time_to_train" else None), "suite": suite}

    def _settings_of(self, value: Span) -> dict[str, Any]:
        """Conditions in the words directly after a number, or in a sentence with one number.

        If two values of a dimension are there, none is used.
        """
        _, right = part_around(self.plain, *value)
        stop = until_next([low for low, _ in self.values], value[1], right)
        used = list[Mention]()
        for mention in mentions_in(self.plain, *IN_SENTENCE):
            before = GRAMMAR["used_before"].search(self.plain, 0, mention.start)
            if mention.kind != "framework" or (before and not mention.value.islower()):
                used.append(mention)
        near = [mention for mention in used if value[1] <= mention.start < stop]
        known = dict[str, str | None]()
        for mentions in (near, used if len(self.values) == 1 else []):
            for kind in {mention.kind for mention in mentions}.difference(known):
                known[kind] = only(mention.value for mention in mentions if mention.kind == kind)
        stated = {name: value for name, value in known.items() if value}
        fields = fields_of(stated, defines_pairs=True)
        return {name: fields[name] for name in _FIELDS}

    def _baseline_release(self, end: int, has_baseline: bool) -> str | None:
        """The baseline release of a factor, from the sentence; from its section if it compares
        releases.
        """
        since = GRAMMAR["since_release"]
        if match := since.search(self.plain, end) or since.search(self.plain):
            return match["version"]
        if has_baseline or not GRAMMAR["releases"].search(self.plain):
            return None
        around = " ".join(other.plain for other in self.sentence.around())
        return only(match["version"] for match in since.finditer(around))

    def _reject(self, span: Span, rule: str, reason: str) -> Reject:
        row = json.dumps({"sentence": self.sentence.text}, ensure_ascii=False)
        return Reject(
            **self._place(*span), rule=rule, reason=reason, scope="sentence", row_json=row
        )

    def _place(self, start: int, end: int) -> dict[str, Any]:
        """The place of a row: its characters, and the heading above it."""
        cell = self.sentence.cell(start, end).stripped()
        return {"cell": cell, **section_of(self.sentence.section.heading)}
