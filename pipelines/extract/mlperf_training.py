"""Logs of MLPerf Training to runs and to the scores of their systems. What a log says is read in `logs/mllog.py`."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator

from pipelines.extract.contract import Extraction, Mark, Status
from pipelines.extract.logs.mllog import MARK, Fault, LogRun, Logs, Score, System, read_logs
from pipelines.extract.mentions import Mention, condition_value, find_mentions
from pipelines.extract.rows import Condition, Level, Measurement, Reject, Row, Run
from pipelines.read.document import Cell, Document
from pipelines.read.submission import MEMBER
from pipelines.vocabulary.printed_names import read_platform

FORMAT = "mlperf_training"
DESCRIPTION = "Logs of MLPerf Training: single ones, or a submission with its descriptions of systems."
ROWS: tuple[type[Row], ...] = (Measurement, Condition, Run, Reject)
# Before all others: what a launcher prints beside the events looks like results.
PRIORITY = 5

# What a description says of a system that no column holds, by the condition that it becomes.
_DESCRIBED = {
    "submitter": "submitter",
    "availability": "status",
    "accelerator": "accelerator_model_name",
    "host_processor": "host_processor_model_name",
    "operating_system": "operating_system",
    "other_software": "other_software_stack",
}
_SETTING: tuple[Status, str] = ("condition", "log_setting")
_MESSAGE: tuple[Status, str] = ("ignored", "log_message")
_PATH: tuple[Status, str] = ("name", "word_with_digits")


def recognise(document: Document) -> float:
    """1 for a log of a run of MLPerf, 0.3 where one stands in a page with tables or headings, 0 without one."""
    if not any(MARK in text for text in document.texts) or not read_logs(document).runs:
        return 0.0
    return 1.0 if _is_log(document) else 0.3


def extract(document: Document, taken: Collection[int]) -> Extraction:
    """One `Run` per log, one `Measurement` of time_to_train [s] per system and benchmark of a submission.

    Args:
        document: Lines with `:::MLLOG {"time_ms": ..., "key": "run_start", ...}`, of one log or of a submission.
        taken: Lines that another format has read.

    Returns:
        Runs with their status and the time from run_start to run_stop. A score is the mean that the rules of MLPerf
        prescribe; `Run.scored_as` says of each run how it entered. Where there is no score, a reject says why.
    """
    logs = read_logs(document, taken)
    extraction = Extraction()
    if not logs.runs:
        return extraction
    scored: dict[int, str] = {}
    for score in logs.scores:
        extraction.rows += _score_rows(score, logs, sum(isinstance(row, Condition) for row in extraction.rows))
        for how, runs in (("counted", score.counted), ("fastest", score.fastest), ("slowest", score.slowest)):
            scored |= {id(run): how for run in runs}
    extraction.rows += [_run(run, logs, scored.get(id(run))) for run in logs.runs]
    extraction.rows += [_reject(fault, logs) for fault in logs.faults]
    _account(extraction, document, logs)
    return extraction


def platform_of(run: LogRun, logs: Logs) -> tuple[str | None, list[Cell]]:
    """The name of the system that a run was made on, and the characters that print it.

    The folder of a run is not trusted: what the description calls the system counts, with the chip it names where that
    says which of several it is (`DGX A100` with A100-SXM4-80GB); without a description what the log itself says.
    """
    system = logs.system_of(run)
    name = system.text("system_name") if system else None
    if system is None or name is None:
        event = run.stated("submission_platform")
        cell = event.value_cell if event else None
        return (cell.text, [cell]) if cell else (None, [])
    known = _known_part(name)
    chip = _chip(system)
    if known is None:
        return name.text, [name]
    if chip is None:
        return known.text, [known]
    both = f"{known.text} {chip.text}"
    found, of_both, of_chip = (read_platform(text).entry for text in (known.text, both, chip.text))
    if found and of_chip and of_both is None and found.facts.get("chip") != of_chip.facts.get("chip"):
        # The name of one system and the chip of another: the chip is what was measured.
        return chip.text, [chip]
    return (known.text, [known]) if of_both in (None, found) else (both, [known, chip])


def _known_part(name: Cell) -> Cell | None:
    """The part of a system's name that a vocabulary knows: `dgxa100` of `dgxa100_ngc21.05_mxnet`."""
    ends = [len(name.text), *(at for at in range(len(name.text) - 1, 0, -1) if name.text[at] == "_")]
    return next((part for end in ends if read_platform((part := name.part(0, end)).text).entry), None)


def _chip(system: System) -> Cell | None:
    """The chip that a description names; of two names of it (`Graphcore IPU GC200`) the last one is its own."""
    cell = system.text("accelerator_model_name")
    if cell is None:
        return None
    named = [cell.part(found.start, found.end) for found in _mentions(cell, "platform")]
    known = [part for part in [cell, *named] if read_platform(part.text).entry]
    return known[-1] if known else None


def _mentions(cell: Cell, kind: str) -> list[Mention]:
    return [mention for mention in find_mentions(cell.text) if mention.kind == kind]


class _Stated:
    """The conditions of one score, numbered from `first` on."""

    def __init__(self, score: Score, first: int) -> None:
        self.rows: list[Condition] = []
        self._first, self._section, self._line = first, score.group, score.counted[0].first

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(row.number for row in self.rows)

    def say(self, dimension: str, value: str | None, cell: Cell, level: Level = "page") -> str | None:
        """Note a condition; returns its value."""
        if value:
            self.rows.append(
                Condition(
                    cell=cell,
                    number=self._first + len(self.rows),
                    dimension=dimension,
                    value=value,
                    level=level,
                    section=self._section,
                    section_line=self._line,
                )
            )
        return value

    def say_printed(self, dimension: str, cell: Cell | None) -> str | None:
        """Note what a cell prints of a dimension."""
        return self.say(dimension, condition_value(dimension, cell.text), cell) if cell else None


def _score_rows(score: Score, logs: Logs, first: int) -> Iterator[Row]:
    run, benchmark = score.median, score.benchmark
    system, stated = logs.system_of(run), _Stated(score, first)
    model, division, batch = (
        stated.say_printed(dimension, _value_of(run, key))
        for dimension, key in (
            ("model", "submission_benchmark"),
            ("division", "submission_division"),
            ("batch_size", "global_batch_size"),
        )
    )
    platform, cells = platform_of(run, logs)
    for cell in cells:
        stated.say("platform", cell.text, cell)
    # Of batches that differ from run to run none is that of the score.
    if batch and any(run.number("global_batch_size") != other.number("global_batch_size") for other in score.counted):
        batch = None
        stated.rows = [row for row in stated.rows if row.dimension != "batch_size"]
    if batch and (event := run.stated("global_batch_size")):
        key = event.text.index("global_batch_size", event.at)
        cell = Cell("global", event.line, key, key + len("global"))
        stated.say("batch_size_kind", "global", cell)
    framework, sdk_version, accelerators = _described(system, stated)
    if benchmark.dataset:
        stated.say("dataset", benchmark.dataset, Cell("", 1, 0, 0), "vocabulary")
    is_scaled = score.is_scaled
    stated.say_printed("scaling_factor" if is_scaled else "scaling_factor_not_applied", score.scaling_factor)
    yield from stated.rows
    yield Measurement(
        cell=run.place,
        section=score.group,
        section_line=score.counted[0].first,
        row_line=run.first,
        metric="time_to_train",
        value=score.quantity.value,
        value_low=score.quantity.low,
        value_high=score.quantity.high,
        unit="s",
        unit_printed="ms",
        task="training",
        suite=benchmark.suite,
        model_printed=model,
        platform_printed=platform,
        accelerator_count=accelerators,
        framework_printed=framework,
        sdk_version=sdk_version,
        dataset_printed=benchmark.dataset,
        batch_size=int(batch) if batch else None,
        division=division,
        conditions=stated.numbers,
    )


def _described(system: System | None, stated: _Stated) -> tuple[str | None, str | None, int | None]:
    """Framework, release and accelerators of a description, all of whose conditions are noted."""
    if system is None:
        return None, None, None
    framework = sdk_version = None
    if cell := system.text("framework"):
        for kind in ("framework", "sdk_version"):
            parts = [cell.part(found.start, found.end) for found in _mentions(cell, kind)]
            # Two releases in one text: nobody says whose counts.
            value = stated.say_printed(kind, parts[0]) if len(parts) == 1 else None
            framework, sdk_version = (value, sdk_version) if kind == "framework" else (framework, value)
    for dimension, name in _DESCRIBED.items():
        if cell := system.text(name):
            stated.say(dimension, " ".join(cell.text.split()), cell)
    nodes, each = system.count("number_of_nodes"), system.count("accelerators_per_node")
    if not nodes or not each:
        return framework, sdk_version, None
    if nodes == 1:
        stated.say_printed("accelerator_count", system.text("accelerators_per_node"))
    else:
        # The product is printed nowhere.
        for dimension, name in (("nodes", "number_of_nodes"), ("accelerators_per_node", "accelerators_per_node")):
            stated.say_printed(dimension, system.text(name))
    return framework, sdk_version, nodes * each


def _value_of(run: LogRun, key: str) -> Cell | None:
    event = run.stated(key)
    return event.value_cell if event else None


def _run(run: LogRun, logs: Logs, scored_as: str | None) -> Run:
    system, benchmark = logs.system_of(run), run.benchmark
    platform, _ = platform_of(run, logs)
    nodes, each = (system.count(name) if system else None for name in ("number_of_nodes", "accelerators_per_node"))
    return Run(
        cell=run.place,
        section=str(run.path) if run.path else None,
        section_line=run.first if run.path else None,
        accelerator_printed=platform,
        accelerator_count=nodes * each if nodes and each else None,
        batch_size=run.number("global_batch_size"),
        epochs=run.epochs,
        training_time_s=run.time_s,
        run_line=run.first,
        suite=benchmark.suite if benchmark else None,
        model_printed=_text(_value_of(run, "submission_benchmark")),
        division=_division(_value_of(run, "submission_division")),
        submitter=_text(_value_of(run, "submission_org")),
        status=run.status,
        quality_reached=run.quality,
        seed=run.number("seed"),
        samples=run.samples,
        scored_as=scored_as,
    )


def _text(cell: Cell | None) -> str | None:
    return cell.text.strip() or None if cell else None


def _division(cell: Cell | None) -> str | None:
    return condition_value("division", cell.text) if cell else None


def _reject(fault: Fault, logs: Logs) -> Reject:
    run = logs.run_at(fault.cell.line)
    is_of_file = run is not None and run.path is not None
    return Reject(
        cell=fault.cell,
        section=str(run.path) if run and is_of_file else None,
        section_line=run.first if run and is_of_file else None,
        rule=fault.rule,
        reason=fault.reason,
        scope=fault.scope,
        row_json=json.dumps({"text": fault.cell.text}, ensure_ascii=False),
    )


def _is_log(document: Document) -> bool:
    """Whether all of the document is a log, or the logs of a submission."""
    return not document.grids and all(MEMBER.fullmatch(document.texts[number - 1]) for number, _ in document.levels)


def _account(extraction: Extraction, document: Document, logs: Logs) -> None:
    """Note what each line is: an event that counts, another one, a description, output of another program, a path."""
    is_log, paths = _is_log(document), {number for number, _ in document.levels}
    placed = {row.cell.line for row in extraction.rows if not isinstance(row, Condition) or row.is_printed}
    is_description = False
    for number, text in enumerate(document.texts, start=1):
        if number in paths:
            is_description = text.endswith(".json")
        if not is_log and MARK not in text:
            continue
        extraction.lines.add(number)
        if not text or text.isspace():
            continue
        is_path = is_log and number in paths
        what = _PATH if is_path else _SETTING if is_description or number in logs.kept else _MESSAGE
        extraction.roles[number] = ("heading" if is_path else "condition" if is_description else "log", what[1])
        if number in placed:
            extraction.marks.append(Mark(Cell(text, number, 0, len(text)), *what))
        else:
            extraction.whole[number] = what
