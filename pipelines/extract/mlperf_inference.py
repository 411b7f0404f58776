"""Logs of a submission to MLPerf Inference to the results that its rules count.

A submission, which `read/submission.py` makes one document, is read member by member: summaries of
the load generator, scores of the accuracy runs, verdicts of the tests of compliance, descriptions of
systems. A summary alone is read by `program_log`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from pipelines.extract.conditions import Stated
from pipelines.extract.contract import Extraction, Format, Medium
from pipelines.extract.logs import LineRole
from pipelines.extract.logs.submissions import SubmissionLogs
from pipelines.extract.logs.systems import (
    accelerators_of,
    conditions_of,
    stated_at,
)
from pipelines.extract.named_quantities import Unit, fact
from pipelines.extract.rows import Condition, Measurement, Reject
from pipelines.extract.tables.mapping import SourceMapping
from pipelines.read.document import Cell, Document, Line
from pipelines.values.numbers import parse_number
from pipelines.values.quantity import Quantity

FORMAT = Format(
    name="mlperf_inference",
    description="Submissions to MLPerf Inference: summaries of the load generator, accuracy, descriptions of systems.",
    rows=(Measurement, Condition, Reject),
    # Before the summaries of programs, which know nothing of folders and systems.
    priority=4,
    medium=Medium.LOG,
    mapping="constants",
)

# `results/DGX-B200/llama2-70b-99/Offline/performance/run_1/mlperf_log_summary.txt`: a task that has to
# reach 99% of the accuracy of the reference; `results/DGX-B200/bert-99/Offline/accuracy/accuracy.txt`
_LOG = re.compile(
    r"results/(?P<system>[^/]+)/(?P<model>[^/]+?)(?:-(?P<accuracy_target>9[59](?:\.9)?))?/(?P<scenario>[^/]+)"
    r"/(?:performance/run_(?P<run>\d+)/mlperf_log_summary|accuracy/accuracy)\.txt"
)
# `compliance/DGX-B200/bert-99/Offline/TEST04-A/verify_performance.txt`; since v6.0 `results/.../TEST04`
_TEST = re.compile(
    r"(?:compliance|results)/(?P<run>[^/]+/[^/]+/[^/]+)/(?P<test>TEST\d+)(?:-A)?"
    r"/verify_(?P<aspect>performance|accuracy)\.txt"
)
# Conditions, by the test and what it verifies: TEST04 looks for cached results, TEST05 has other seeds.
_OF_TEST = {
    ("TEST01", "performance"): "compliance_performance",
    ("TEST01", "accuracy"): "compliance_accuracy",
    ("TEST04", "performance"): "compliance_caching",
    ("TEST05", "performance"): "compliance_seeds",
}
# `TEST FAIL: Test score invalid`
_PASS, _FAIL = "TEST PASS", "TEST FAIL"
# What the path of a summary states, by the name of the condition; submitters have several systems
# with one description.
_OF_PATH = {
    "model": "model",
    "accuracy_target": "accuracy_target",
    "scenario": "scenario",
    "system_id": "system",
}
# ` * Early stopping 90.0th percentile estimate: 7621345`, `Samples per second: 2.05e+06`,
# `Completed tokens per second: 900.5`
_STATEMENT = re.compile(
    r"[\s*]*+(?:(?:Scheduled|Completed) )?+(?P<name>[A-Za-z0-9][^:]*+):\s*+(?P<value>\S.*)"
)
_NUMBER = r"\d++(?:\.\d++)?+"
# What a run of accuracy prints, by the metric: `accuracy=76.078%, good=38039, total=50000`,
# `AUC=80.166%, accuracy=96.605%`, `AUC=80.23785974349185`, `mAP=37.358%`, `Accuracy: mean = 0.86112, kidney = 0.9346`,
# `Word Error Rate: 7.452%, accuracy=92.547%`, `{"exact_match": 83.689, "f1": 90.878}`,
# `{'rouge1': 43.1017, 'rouge2': 20.1125, 'rougeL': 29.9751}`, `{'rouge1': '38.732', 'rougeL': '24.4547'}`
_SCORE = re.compile(
    rf"accuracy=(?P<accuracy>{_NUMBER})%"
    rf"|AUC=(?P<auc>{_NUMBER})(?:%|$)"
    rf"|mAP=(?P<mean_average_precision>{_NUMBER})%"
    rf"|Accuracy: mean = (?P<dice>{_NUMBER}),"
    rf"|Word Error Rate: (?P<word_error_rate>{_NUMBER})%"
    rf'|\{{"exact_match": {_NUMBER}, "f1": (?P<f1>{_NUMBER})\}}'
    rf"|\{{'(?:[^{{}}]*?')?rougeL': '?(?P<rouge_l>{_NUMBER})[',}}]"
)
# Whose early stopping is meant: `TTFT Early Stopping Result:`
_OF_TOKENS = ("TTFT ", "TPOT ")


class _Rule(NamedTuple):
    """The statement of a summary that is the result of a scenario, of a `model` or of all."""

    printed: str
    metric: str
    unit: Unit
    statistic: str | None = None
    model: str = ""


_SAMPLES = Unit("samples/s", "items/s", 1.0, "samples")
_QUERIES = Unit("queries/s", "items/s", 1.0, "queries")
_TOKENS = Unit("tokens/s", "items/s", 1.0, "tokens")
_NANOSECONDS = Unit("ns", "ms", 1e-6)
_TOKEN_RATES = (
    # Since v4.1 they count, of this model alone: `results/.../gptj-99/Offline`.
    _Rule("tokens per second (inferred)", "throughput", _TOKENS, model="gptj"),
    _Rule("tokens per second", "throughput", _TOKENS),
)
_OF_SERVER = (*_TOKEN_RATES, _Rule("samples per second", "throughput", _QUERIES))
# The first one that is printed counts, by the scenarios of the folder and of the log: the result of
# one scenario may be inferred from a run of another.
_RULES = {
    ("offline", "offline"): (
        *_TOKEN_RATES,
        _Rule("samples per second", "throughput", _SAMPLES),
    ),
    ("offline", "singlestream"): (_Rule("qps w/o loadgen overhead", "throughput", _SAMPLES),),
    ("server", "server"): _OF_SERVER,
    ("interactive", "server"): _OF_SERVER,
    ("singlestream", "singlestream"): (
        _Rule("early stopping 90th percentile estimate", "latency", _NANOSECONDS, "p90"),
        _Rule("90th percentile latency (ns)", "latency", _NANOSECONDS, "p90"),
    ),
    ("multistream", "multistream"): (
        _Rule("early stopping 99th percentile estimate", "latency", _NANOSECONDS, "p99"),
        _Rule("99th percentile latency (ns)", "latency", _NANOSECONDS, "p99"),
    ),
}
_LINE: LineRole = "log", "log_message"


class _Log(NamedTuple):
    """One summary of the load generator, or what a run of accuracy prints.

    Attributes:
        path: Its path in the submission.
        parts: System, model, accuracy, scenario and run in the path; no run of accuracy.
        stated: What a summary states, by name.
    """

    path: Cell
    parts: re.Match[str]
    stated: dict[str, Cell]


class _InferenceLogs(SubmissionLogs):
    """The summaries and descriptions of a submission, and the results of its scenarios."""

    def __init__(self, document: Document, source: SourceMapping | None) -> None:
        super().__init__(document, source)
        self.results: list[Measurement] = []
        folders: dict[str, list[_Log]] = {}
        self._tests: dict[str, list[Stated]] = {}
        accuracies: list[tuple[_Log, list[Line]]] = []
        for path, members in self.members():
            if test := _TEST.fullmatch(path.text):
                self._read_test(path, test, list(members))
            if parts := _LOG.fullmatch(path.text):
                lines = list(members)
                self.take(_LINE, *lines)
                if parts["run"] is None:
                    accuracies.append((_Log(path, parts, {}), lines))
                    continue
                folder = path.text.rpartition("/run_")[0]
                folders.setdefault(folder, []).append(_Log(path, parts, _statements(lines)))
        for logs in folders.values():
            self._read_result(logs)
        for log, lines in accuracies:
            self._read_score(log, lines)

    def _read_test(self, path: Cell, test: re.Match[str], lines: list[Line]) -> None:
        """Keeps the verdict of a test of compliance, or adds a reject.

        Outputs that differ from run to run fail the comparison of TEST01, which the rules allow
        where the scores are close: no failure of the submission.
        """
        self.take(_LINE, *lines)
        self.section = {"section": path.text, "section_line": path.line}
        known = (_PASS, _FAIL) if test["aspect"] == "performance" else (_PASS,)
        found = [line.cell for line in lines if line.text.startswith((_PASS, _FAIL))]
        dimension = _OF_TEST.get((test["test"], test["aspect"]))
        if dimension is None or len(found) != 1 or not found[0].text.startswith(known):
            reason = f"{test['test']} prints no verdict on {test['aspect']} that counts alone"
            self.reject(path, "log_line_unread", reason)
            return
        verdict = found[0].part(len("TEST "), len(_PASS))
        self._tests.setdefault(test["run"], []).extend(stated_at(dimension, verdict))

    def _read_result(self, logs: list[_Log]) -> None:
        """Adds the result of the runs in a folder, or a reject with the reason."""
        log, stated = logs[0], logs[0].stated
        self.section = {"section": log.path.text, "section_line": log.path.line}
        scenario = log.parts["scenario"].lower()
        of_log, valid = stated.get("scenario"), stated.get("result is")
        run = _folded(of_log.text) if of_log else ""
        model = log.parts["model"].lower().replace("-", "")
        rules = [rule for rule in _RULES.get((scenario, run), ()) if rule.model in model]
        rule = next((rule for rule in rules if rule.printed in stated), None)
        number = parse_number(stated[rule.printed].text) if rule else None
        if len(logs) > 1:
            reason = f"the folder has {len(logs)} runs, of which only the published table says which one counts"
            self.reject(log.path, "wrong_number_of_runs", reason)
        elif valid is None or valid.text != "VALID":
            reason = f"the summary says that its result is {valid.text if valid else 'not there'}"
            self.reject(valid or log.path, "log_result_invalid", reason)
        elif rule is None or number is None:
            reason = f"the result of {scenario} is not in a summary of {run or 'no scenario'}; it may be computed from it"
            self.reject(of_log or log.path, "log_line_unread", reason)
        else:
            self._add(log, rule, stated[rule.printed], number.scaled(rule.unit.scale))

    def _read_score(self, log: _Log, lines: list[Line]) -> None:
        """Adds the one score of a run of accuracy, or a reject where it prints none or several."""
        self.section = {"section": log.path.text, "section_line": log.path.line}
        scores = _scores(lines)
        if len(scores) != 1:
            reason = f"{len(scores)} scores of metrics that are known are printed, not one"
            self.reject(log.path, "log_line_unread", reason)
            return
        [(printed, (metric, cell))] = scores.items()
        unit, number = fact(metric, "unit"), parse_number(cell.text)
        if unit and number:
            of_score = Unit("%" if printed.endswith("%") else unit, unit, 1.0)
            self._add(log, _Rule(printed, metric, of_score), cell, number)

    def _add(self, log: _Log, rule: _Rule, cell: Cell, quantity: Quantity) -> None:
        """Adds a result with the conditions of its folder and of the description of its system.

        What no accelerator is counted of has no count: the processors of a system are none.
        """
        path, description = log.path, f"systems/{log.parts['system']}.json"
        system, platforms = self.fields(description), self.platforms(description)
        stated = [Stated("platform", place.text, place, "page") for place in platforms]
        for dimension, group in _OF_PATH.items():
            if log.parts[group]:
                stated += stated_at(dimension, path.matched(log.parts, group))
        stated += stated_at("division", system.get("division"))
        stated += conditions_of(system, platforms)
        if log.stated:
            stated += self._tests.get("/".join(path.text.split("/")[1:4]), [])
        result = self.result(
            cell,
            rule.metric,
            quantity,
            rule.unit,
            stated,
            else_suite="MLPerf Inference",
            task="inference",
            statistic=rule.statistic,
            row_line=path.line,
            accelerator_count=accelerators_of(system),
            **self.section,
        )
        self.results += [result] if result else []


def _folded(name: str) -> str:
    """A scenario as folders name it: `SingleStream`, `Single Stream`."""
    return name.replace(" ", "").lower()


def _statements(lines: Iterable[Line]) -> dict[str, Cell]:
    """What a summary states, by name in small letters, each once.

    Of the scheduled and the completed samples per second the first counts: which one that is
    depends on the release, and the other one is below, among `Additional Stats`.
    """
    found: dict[str, Cell] = {}
    of_tokens = False
    for line in lines:
        of_tokens |= line.text.startswith(_OF_TOKENS)
        match = _STATEMENT.fullmatch(line.text)
        if match is None:
            continue
        # `90.0th percentile latency (ns)` is the 90th.
        name = match["name"].strip().lower().replace(".0th", "th")
        if of_tokens and name.startswith("early stopping"):
            continue
        found.setdefault(name, line.matched(match, "value"))
    return found


def _scores(lines: Iterable[Line]) -> dict[str, tuple[str, Cell]]:
    """Metric and number of the scores that a run of accuracy prints, by their characters: logs may
    repeat one.
    """
    found: dict[str, tuple[str, Cell]] = {}
    for line in lines:
        match = _SCORE.match(line.text)
        if match and match.lastgroup:
            found[match[0]] = match.lastgroup, line.matched(match, match.lastgroup)
    return found


def recognise(document: Document) -> float:
    """1 for a submission with summaries of the load generator or scores of accuracy, else 0."""
    paths = (document.texts[number - 1] for number, _ in document.levels)
    return 1.0 if any(map(_LOG.fullmatch, paths)) else 0.0


def extract(
    document: Document, taken: Collection[int], source: SourceMapping | None = None
) -> Extraction:
    """One `Measurement` of performance and one of accuracy per system, benchmark and scenario of a
    submission.

    Args:
        document: The members of a submission, each below its path.
        taken: Lines that another format has read.
        source: What the mapping of the source states of all its logs.

    Returns:
        The throughput [items/s], or the latency [ms], that the rules of MLPerf Inference count for
        the scenario, and the score of its run of accuracy in the unit of its metric: per cent
        where it prints them, the mean of DICE from 0 to 1. Where there is none, a reject says why.
    """
    if not recognise(document):
        return Extraction()
    logs = _InferenceLogs(document, source)
    return logs.extraction([*logs.conditions.rows, *logs.results, *logs.rejects], are_whole=True)
