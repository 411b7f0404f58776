"""Blog posts, press texts and the prose of result pages: claims, measured numbers, list prices,
submission identifiers.

Comparisons, numbers and names are read in `prose/`; this module builds the rows, with the other
conditions of a
sentence: doubt, task, settings, releases, suites and submissions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from functools import cached_property
from itertools import islice
from typing import Any

from pipelines.extract.conditions import fields_of
from pipelines.extract.contract import Extraction, Format, Medium
from pipelines.extract.mentions import find_mentions, only
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
)
from pipelines.extract.prose.sentences import Sentence, read_sections
from pipelines.extract.rows import Claim, Measurement, Price, Reject, Row, Submission, interval
from pipelines.read.document import Document
from pipelines.read.split_numbers import RULE, fault_of
from pipelines.values.numbers import STACK, VERSION

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
# A factor, a rate, a time, a price, an identifier, or words for one: other sentences are skipped.
_MAY_HOLD = re.compile(
    r"(?i)\d\s?[x\u00d7%]|\d[\s-]*(?:percent|per\s+cent|times|fold)|\$|/\s?s|per\s|second|\d[\s-]?(?:ms|s|mins?|minutes?|h|hours?|days?)\b|\d-\d"
    r"|twice|doubl|tripl|quadrupl|hal[fv]|third|quarter|fifth|tenth|\btimes|fold\b|orders?\sof|than\s|from\s\d|[tfq]ps\b"
)
# `Sx faster`, `l hours`: a digit that was misread as a letter.
_LETTER_FOR_DIGIT = re.compile(
    r"(?<![\w.,$/-])(?P<token>[OlSG]{1,2})(?:\s?[xX\u00d7%](?!\w)|[\s-](?:times|ms|seconds?|minutes?|hours?|days?)\b)"
)
# Comparisons in words that are not read: `throughput doubled`, `halved the latency`,
# `at half the latency`
_IN_WORDS = re.compile(
    r"\b(?:half|third|quarter|fifth|tenth)\s+(?:of\s+)?(?:that\s+of|(?:the|its)\s+(?:\w+\s+)?(?:latency|time|TTFT|TPOT|throughput|performance|speed|energy))\b|(?<![\d.])\d[\d.]*\s?(?:%|percent)\s+of\s+(?:the|its)\s+(?:\w+\s+)?(?:latency|time|throughput|performance|speed)\s+of\b|\+\d[\d.]*\s?%\s+(?:vs|versus|over|than|compared)\b|(?<==\s)\d[\d.]*x\s|\bin\s+half\b(?!\s+an?\b)|\b(?:doubl|tripl|quadrupl|halv)(?:es|ed|ing)\b|\b(?:an?|two|three)\s+orders?\s+of\s+magnitude\b"
)
# A longer text without a full stop is a flattened table or code, not a sentence.
_MAX_SENTENCE = 2000
# `is not 3x faster`, `isn't`, `No GPU is`; `not only 3x faster` is a claim. `would be 3x faster`,
# `if`, `our goal of 3x`, `is projected to deliver`, `we expect`; the month is `May`.
# `latency requirements of 6 seconds`
_DOUBT = re.compile(
    r"(?P<asks>\?[\"')\s]*$)"
    r"|\b(?P<denies>(?i:(?:\w+n't|not|cannot|never|hardly|neither|nor|no\s+longer)(?!\s+(?:only|just|merely|simply|less\s+than))"
    r"|(?:fail(?:s|ed)?|unable|refus\w+)\s+to|far\s+from|nowhere\s+near|rather\s+than|instead\s+of|is\s+(?:false|wrong))"
    r"|No-one|(?:No|None|Nothing|Nobody)(?![-\w]))\b"
    r"|\b(?P<supposes>(?i:would|could|might|should|imagine|suppose|hypothetical\w*|potential(?:ly)?|theoretical(?:ly)?|perhaps"
    r"|if|project(?:ed|s)|expect(?:s|ing)?|(?<!as\s)expected|anticipat\w+|estimated|simulat(?:ed|ions?)|supposed(?:ly)?|alleged(?:ly)?|purported(?:ly)?|contrary\s+to|preliminary|estimates|foresee\w*|roadmap|designed\s+to|will(?!ing)"
    r"|plan(?:s|ned|ning)?|set\s+to(?=\s+[a-z])|believes?|promis(?:es|ed)|likely|on\s+paper|in\s+theory|forecasts?|slated|poised"
    r"|(?:goals?|targets?|targeting|aim(?:s|ed|ing)?|hop(?:e|es|ed|ing)|want(?:s|ed)?|attempt\w*|tr(?:y|ies|ying))"
    r"\s+(?:of|to|for|is|was))|may)\b"
    r"|\b(?P<limits>(?i:requirement|constraint|threshold|limit|budget|SLA|SLO|target|ceiling|cut-?off)s?)\b"
)
_REASONS = {
    "asks": "the sentence is a question",
    "denies": "the sentence contains a negation",
    "supposes": "the sentence states an expectation or a possibility",
    "limits": "the sentence sets a limit or a target",
}
# `the 38.8 minutes of last year`, `5.1 minutes with our previous release`
_EARLIER_BEHIND = re.compile(
    r"(?i)[^,;.]{0,40}?\b(?:last|previous|prior|preceding|earlier|former)\s+(?:[\w-]+\s+){0,2}?"
    r"(?:years?|rounds?|releases?|versions?|submissions?|results?|quarters?|months?|records?|entr(?:y|ies))\b"
)
# `2x slower than it`, `5x faster than before`
_PRONOUNS = frozenset(["", "it", "them", "before", "ever"])
_FIELDS = (
    "batch_size", "sequence_length", "precision", "activation_bits", "weight_bits", "framework_printed",
)  # fmt: skip
# `with vLLM v0.6.1`: `lightning` elsewhere is an everyday word
_USED_BEFORE = re.compile(r"(?i)\b(?:with|using|in|on|running|via)\s+(?:the\s+)?$")
_TASK = re.compile(
    r"(?i)\b(?:(?P<training>(?:pre-?)?train(?:s|ed|ing)?|fine-?tun(?:ed|ing))"
    r"|(?P<inference>inferenc(?:e|es|ing)|serv(?:es|ed|ing)(?!\s+as\b)))\b"
)
# `since SDK 1.4`, `compared to Poplar SDK 2.3`, `over the previous SynapseAI 1.11`
_SINCE = re.compile(
    r"(?i)\b(?:since|than|over|versus|vs\.?|from|compared\s+(?:to|with)|relative\s+to|against)\s+"
    rf"(?:the\s+|our\s+)?(?:(?:\b\w+\s+){{0,2}}?SDK|(?:previous\s+|prior\s+|earlier\s+)?{STACK})"
    rf"\s+(?:version\s+|release\s+|v)?(?P<version>{VERSION})"
)
# `since our first submission`, `than in the previous MLPerf round`,
# `compared to MLPerf Training v1.0`
_SINCE_ROUND = re.compile(
    r"(?i)\b(?:since|than|over|versus|vs\.?|compared\s+(?:to|with)|relative\s+to|against)\s+(?:in\s+|with\s+)?"
    r"(?:(?:our|its|their|the)\s+(?:very\s+)?(?P<which>first|previous|last)\s+(?:(?:MLPerf|Training|Inference)\s+){0,2}"
    r"(?:submission|round)s?|(?:the\s+|our\s+)?MLPerf\s+(?:(?:Training|Inference)\s+)?(?P<version>v?\d\.\d))\b"
)
# `across recent releases of the Poplar SDK`, `over three updates`: the sentence compares releases
# without naming them
_SAYS_RELEASES = re.compile(r"(?i)(?<!driver\s)(?<!firmware\s)\b(?:releases?|updates?|versions?)\b")
# `1.0-1025`
_ID = re.compile(r"(?<![\w.-])\d{1,2}\.\d-\d{4}(?![\w-])")
# `MLPerf ID: 1.0-1025, 1.0-1026`, `MLPerf entry 2.1-2049`, `Submission IDs 1.0-1025`
_SAYS_LIST = re.compile(r"(?i)\b(?:MLPerf|MLCommons|submissions?|entr(?:y|ies)|IDs?)\b")
# A list may continue in another sentence: `Results from MLPerf v1.0. 1.0-1025, 1.0-1026.`
_LIST_REACH = 2
# Only the first headings apply to the whole document.
_TITLE_HEADINGS = 4


def recognise(document: Document) -> float:
    """0.3 to 0.6 for text with a claim, a measured number or a price, 0.1 for identifiers or unread
    claims, else 0.

    A list of numbers without any sentence is no prose.
    """
    sentences = (
        sentence.plain
        for section in read_sections(document, frozenset())
        for sentence in section.sentences
    )
    if not any(
        text.rstrip()[-1:] in _STOPS and text.count(" ") >= _LEAST_BLANKS for text in sentences
    ):
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
    sentences = [sentence for section in sections for sentence in section.sentences]
    titles = [section.heading.plain.casefold() for section in sections if section.heading][
        :_TITLE_HEADINGS
    ]
    # A document with a title of MLPerf has one suite.
    is_titled = any("mlperf" in title for title in titles)
    suite = (
        only(suite for sentence in sentences for suite in _suites_in(sentence.plain))
        if is_titled
        else None
    )
    for sentence in sentences:
        may_hold = _MAY_HOLD.search(sentence.plain) or fault_of(sentence.text)
        if len(sentence.plain) <= _MAX_SENTENCE and may_hold:
            found = _Facts(sentence, _suite_of(sentence, suite)).rows()
            yield from sorted(found, key=lambda row: (row.cell.line, row.cell.start))


def _suites_in(plain: str) -> list[str]:
    """Suites named with their task and version: `MLPerf Training v1.0`."""
    mentions = find_mentions(plain, True) if "mlperf" in plain.casefold() else ()
    return [m.value for m in mentions if m.kind == "suite" and m.value.count(" ") == 2]


def _suite_of(sentence: Sentence, of_document: str | None) -> str | None:
    """The suite of a sentence; None below a heading such as `non-MLPerf`."""
    heading = sentence.section.heading
    if heading and "non-mlperf" in heading.plain.casefold():
        return None
    named = next(
        filter(None, (_suites_in(other.plain) for other in (sentence, *sentence.heading()))), None
    )
    return only(named) if named else of_document


class _Facts:
    """The facts of a sentence. `values` are the places of all comparisons, read or not, and all
    numbers.
    """

    def __init__(self, sentence: Sentence, suite: str | None) -> None:
        self.sentence, self.plain, self.suite = sentence, sentence.plain, suite
        has_words = sum(len(word) > 2 and word[:3].isalpha() for word in self.plain.split()) > 1
        self.comparisons = find_comparisons(sentence, suite) if has_words else []
        claimed = next((c.metric for c in self.comparisons if not c.fault), None)
        self.numbers = [*find_numbers(self.plain, claimed)] if has_words else []
        spans = [(c.factor.outer, c.factor.end) for c in self.comparisons] + [
            (n.start, n.end) for n in self.numbers
        ]
        self.values: list[Span] = sorted(spans)
        self.who = Attribution(sentence, self.values)

    def rows(self) -> Iterator[Row]:
        """The rows, and a reject for each unread fact."""
        if split := fault_of(self.sentence.text):
            yield self._reject((0, len(self.plain)), RULE, split)
            return
        for match in _LETTER_FOR_DIGIT.finditer(self.plain):
            yield self._reject(
                match.span("token"), "damaged_number", "a letter is printed instead of a digit"
            )
        for comparison in self.comparisons:
            yield self._claim(comparison)
        if (words := _IN_WORDS.search(self.plain)) and any(
            names_in(self.plain, kind) for kind in ("platform", "model")
        ):
            yield self._reject(
                words.span(), "unread_claim", "a comparison in words (not supported)"
            )
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
        if found := [*_ID.finditer(self.plain)]:
            near = [
                self.sentence,
                *islice(self.sentence.before(), _LIST_REACH),
                *self.sentence.heading(),
            ]
            listed = next(iter(_suites_in(self.plain)), self.suite)
            for match in found if any(_SAYS_LIST.search(other.plain) for other in near) else ():
                yield Submission(**self._place(*match.span()), submission_id=match[0], suite=listed)

    def _claim(self, comparison: Comparison) -> Claim | Reject:
        plain, factor, metric = self.plain, comparison.factor, comparison.metric
        span, outer = (factor.start, factor.end), (factor.outer, factor.end)
        if comparison.fault:
            return self._reject(span, "unread_claim", comparison.fault)
        if ends_range(plain, factor.start):
            return self._reject(
                span, "unread_claim", "one end of a range; the other end cannot be read"
            )
        # A limit may belong to another number.
        if doubts := [kind for kind in self._doubts if kind != "limits"]:
            return self._reject(span, "not_stated", _REASONS[doubts[0]])
        side = self._side_of(comparison)
        platform = side.platform if side else None
        release = self._baseline_release(factor.end, platform is not None)
        round_match = None if release or platform else _SINCE_ROUND.search(plain)
        round_printed = (
            (round_match["which"] or round_match["version"]).lower() if round_match else None
        )
        is_earlier = bool(release or round_printed)
        favoured = self.who.subject_of(factor, side, is_earlier=is_earlier)
        other = platform
        if (
            side
            and not is_earlier
            and side.phrase.kind != "platform"
            and side.phrase.value not in _PRONOUNS
        ):
            other = side.phrase
        subject, baseline = self.who.printed(favoured), self.who.printed(other)
        if metric == "performance_per_dollar" and side is None:
            subject, baseline = self.who.sides_by_price(subject)
        elif subject and side is None and not is_earlier:
            baseline = self.who.told_baseline(subject)
        if comparison.is_reversed:
            subject, baseline = baseline, subject
        since = {match.end() for match in _SINCE.finditer(plain)}
        own = (
            m.value
            for m in find_mentions(plain, True)
            if m.kind == "sdk_version" and m.end not in since
        )
        left, right = part_around(plain, *outer, is_clause=True)
        places = [
            each
            for each in condition_spans(plain, with_platforms=not platform)
            if left <= each[0] < right
        ]
        words = [" ".join(plain[slice(*place)].split()) for place in places]
        words = [
            text
            for text in words
            if not any(name in text for name in filter(None, (subject, baseline)))
        ]
        return Claim(
            **self._place(*span),
            **interval(comparison.quantity, "factor"),
            **self._of_task(outer, metric),
            metric=metric,
            model_printed=self.who.model_of(outer),
            subject_printed=subject,
            baseline_printed=baseline,
            # The only release of the sentence that is not a baseline.
            subject_sdk_version=only(own) if release else None,
            baseline_sdk_version=release,
            baseline_round="previous" if round_printed == "last" else round_printed,
            conditions="; ".join(words) or None,
            sentence=self.sentence.text,
        )

    def _side_of(self, comparison: Comparison) -> Side | None:
        """What a factor is compared with; in a list as the next factor that says so, else as the
        one before.
        """
        first = comparison.head or comparison.factor
        alike = [other.factor for other in self.comparisons if first in (other.factor, other.head)]
        alike.sort(key=lambda factor: factor < comparison.factor)
        return next(filter(None, map(self.who.side_of, alike)), None)

    def _measurement(self, number: Number) -> Measurement | Reject | None:
        """A row if value, unit, metric and platform are in one clause; other numbers are
        `unparsed`.
        """
        span = number.start, number.end
        platform = self.who.platform_of(span)
        if number.metric is None or platform is None:
            return None
        if _EARLIER_BEHIND.match(self.plain, number.end):
            reason = "it is a value of an earlier release, year or round that is not fully stated"
            return self._reject(span, "not_stated", reason)
        if self._doubts:
            return self._reject(span, "not_stated", _REASONS[self._doubts[0]])
        count, is_unclear = self.who.accelerators_of(platform)
        if is_unclear:
            return self._reject(
                span,
                "unclear_count",
                "the number of accelerators is not printed beside the platform",
            )
        model = self.who.model_of(span)
        if number.metric == "tflops_per_device" and model is None:
            # The peak performance of a chip has the same unit as a measurement.
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
            **self._settings_of(span),
        )

    @cached_property
    def _doubts(self) -> list[str]:
        """Kinds of doubt in a sentence; a word of doubt applies to all its numbers."""
        return [match.lastgroup or "" for match in _DOUBT.finditer(self.plain)]

    def _of_task(self, span: Span, metric: str | None) -> dict[str, Any]:
        """Task and suite; null if the nearest text with a task has both, or the suite is of the
        other task.
        """
        left, right = part_around(self.plain, *span)
        texts = (
            self.plain[left:right],
            self.plain,
            *(other.plain for other in self.sentence.heading()),
        )
        named = (
            kinds
            for text in texts
            if (kinds := {match.lastgroup for match in _TASK.finditer(text)})
        )
        task = only(kind for kind in next(named, ()) if kind)
        suite = self.suite if task is None or task.capitalize() in (self.suite or "") else None
        return {"task": task or ("training" if metric == "time_to_train" else None), "suite": suite}

    def _settings_of(self, value: Span) -> dict[str, Any]:
        """Conditions in the words directly after a number, or in a sentence with one number.

        If two values of a dimension are there, none is used.
        """
        _, stop = part_around(self.plain, *value)
        places = [(value[1], min([stop, *(low for low, _ in self.values if low >= value[1])]))]
        places += [(0, len(self.plain))] if len(self.values) == 1 else []
        stated = dict[str, str]()
        for low, high in places:
            found: dict[str, set[str]] = {}
            for mention in find_mentions(self.plain, True):
                is_used = mention.kind != "framework" or (
                    not mention.value.islower()
                    and _USED_BEFORE.search(self.plain, 0, mention.start)
                )
                if mention.kind in IN_SENTENCE and is_used and low <= mention.start < high:
                    found.setdefault(mention.kind, set()).add(mention.value)
            stated = {name: only(texts) or "" for name, texts in found.items()} | stated
        fields = fields_of(
            {name: text for name, text in stated.items() if text}, defines_pairs=True
        )
        return {name: fields[name] for name in _FIELDS}

    def _baseline_release(self, end: int, has_baseline: bool) -> str | None:
        """The baseline release of a factor, from the sentence; from its section if it compares
        releases.
        """
        if match := _SINCE.search(self.plain, end) or _SINCE.search(self.plain):
            return match["version"]
        around = (
            self.sentence.around() if not has_baseline and _SAYS_RELEASES.search(self.plain) else []
        )
        return only(match["version"] for other in around for match in _SINCE.finditer(other.plain))

    def _reject(self, span: Span, rule: str, reason: str) -> Reject:
        row = json.dumps({"sentence": self.sentence.text}, ensure_ascii=False)
        return Reject(
            **self._place(*span), rule=rule, reason=reason, scope="sentence", row_json=row
        )

    def _place(self, start: int, end: int) -> dict[str, Any]:
        """The place of a row: its characters, and the heading above it."""
        heading = self.sentence.section.heading
        section, line = (heading.text, heading.pieces[0][1]) if heading else (None, None)
        return {"cell": self.sentence.cell(start, end), "section": section, "section_line": line}
