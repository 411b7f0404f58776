"""Logs of MLPerf Training to runs and to the scores of their systems. What a log says is read in `logs/mllog.py`."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pipelines.extract.conditions import Numbering, Stated
from pipelines.extract.contract import Extraction, Mark, Status
from pipelines.extract.logs import LogFault
from pipelines.extract.logs.mllog import MARK, LogRun, Logs, Score, SystemDescription, read_logs
from pipelines.extract.mentions import condition_value, find_mentions
from pipelines.extract.rows import Condition, Measurement, Reject, Row, Run
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
# Where there are several nodes, and where there is one.
_COUNTS = {"nodes": "number_of_nodes", "accelerators_per_node": "accelerators_per_node"}
_COUNTS_OF_ONE_NODE = {"accelerator_count": "accelerators_per_node"}
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
    numbering = Numbering()
    measurements = [_measurement(score, logs, numbering) for score in logs.scores]
    extraction.rows += [*numbering.conditions, *measurements]
    scored: dict[int, str] = {}
    for score in logs.scores:
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
    system = _system(run, logs)
    if system is None or (name := system.text("system_name")) is None:
        cell = run.printed("submission_platform")
        return (cell.text, [cell]) if cell else (None, [])
    # The part of the name that a vocabulary knows: `dgxa100` of `dgxa100_ngc21.05_mxnet`.
    ends = [len(name.text), *(at for at in range(len(name.text) - 1, 0, -1) if name.text[at] == "_")]
    known = next((part for end in ends if read_platform((part := name.part(0, end)).text).entry), None)
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


def _system(run: LogRun, logs: Logs) -> SystemDescription | None:
    return logs.systems.get(run.path.parts[1]) if run.path else None


def _chip(system: SystemDescription) -> Cell | None:
    """The chip that a description names; of two names of it (`Graphcore IPU GC200`) the last one is its own."""
    cell = system.text("accelerator_model_name")
    parts = [cell, *_mentioned(cell, "platform")] if cell else []
    return next((part for part in reversed(parts) if read_platform(part.text).entry), None)


def _mentioned(cell: Cell, kind: str) -> list[Cell]:
    return [cell.part(found.start, found.end) for found in find_mentions(cell.text) if found.kind == kind]


def _conditions(score: Score, logs: Logs) -> Iterator[Stated]:
    """What the log of the middle run and the description of its system state."""
    run, system = score.median, _system(score.median, logs)
    printed = [("model", run.printed("submission_benchmark")), ("division", run.printed("submission_division"))]
    printed += [("platform", cell) for cell in platform_of(run, logs)[1]]
    # Of batches that differ from run to run none is that of the score.
    batch = run.stated("global_batch_size")
    if batch and all(run.number("global_batch_size") == other.number("global_batch_size") for other in score.counted):
        key = batch.text.index("global_batch_size", batch.at)
        printed.insert(2, ("batch_size", batch.cell("value")))
        printed.append(("batch_size_kind", Cell("global", batch.line, key, key + len("global"))))
    described = system.text("framework") if system else None
    for dimension in ("framework", "sdk_version") if described else ():
        # Two releases in one text: nobody says whose counts.
        parts = _mentioned(described, dimension) if described else []
        printed += [(dimension, parts[0])] if len(parts) == 1 else []
    for dimension, cell in printed:
        if cell and (value := cell.text if dimension == "platform" else condition_value(dimension, cell.text)):
            yield Stated(dimension, value, cell, "page")
    if system:
        for dimension, name in _DESCRIBED.items():
            if cell := system.text(name):
                yield Stated(dimension, " ".join(cell.text.split()), cell, "page")
        counts = _COUNTS if _accelerators(system) != system.count("accelerators_per_node") else _COUNTS_OF_ONE_NODE
        for dimension, name in counts.items() if _accelerators(system) else ():
            if cell := system.text(name):
                yield Stated(dimension, str(condition_value(dimension, cell.text)), cell, "page")
    if score.benchmark.dataset:
        yield Stated("dataset", score.benchmark.dataset, Cell("", 1, 0, 0), "vocabulary")
    if score.scaling_factor:
        dimension = "scaling_factor" if score.is_scaled else "scaling_factor_not_applied"
        yield Stated(
            dimension, str(condition_value(dimension, score.scaling_factor.text)), score.scaling_factor, "page"
        )


def _accelerators(system: SystemDescription | None) -> int | None:
    """Accelerators of all nodes; of several nodes the product is printed nowhere."""
    nodes, each = (system.count(name) if system else None for name in ("number_of_nodes", "accelerators_per_node"))
    return nodes * each if nodes and each else None


def _measurement(score: Score, logs: Logs, numbering: Numbering) -> Measurement:
    run, first = score.median, score.counted[0].first
    conditions = list(_conditions(score, logs))
    said = {stated.dimension: stated.value for stated in conditions}
    return Measurement(
        cell=run.place,
        section=score.group,
        section_line=first,
        row_line=run.first,
        metric="time_to_train",
        value=score.quantity.value,
        value_low=score.quantity.low,
        value_high=score.quantity.high,
        unit="s",
        unit_printed="ms",
        task="training",
        suite=score.benchmark.suite,
        model_printed=said.get("model"),
        platform_printed=platform_of(run, logs)[0],
        accelerator_count=_accelerators(_system(run, logs)),
        framework_printed=said.get("framework"),
        sdk_version=said.get("sdk_version"),
        dataset_printed=score.benchmark.dataset,
        batch_size=int(said["batch_size"]) if "batch_size" in said else None,
        division=said.get("division"),
        conditions=tuple(numbering.number(stated, score.group, first) for stated in conditions),
    )


def _run(run: LogRun, logs: Logs, scored_as: str | None) -> Run:
    model, division, submitter = (
        cell.text.strip() or None if (cell := run.printed(f"submission_{key}")) else None
        for key in ("benchmark", "division", "org")
    )
    return Run(
        cell=run.place,
        section=str(run.path) if run.path else None,
        section_line=run.first if run.path else None,
        accelerator_printed=platform_of(run, logs)[0],
        accelerator_count=_accelerators(_system(run, logs)),
        batch_size=run.number("global_batch_size"),
        epochs=run.epochs,
        training_time_s=run.time_ms / 1000 if run.time_ms else None,
        run_line=run.first,
        suite=run.benchmark.suite if run.benchmark else None,
        model_printed=model,
        division=condition_value("division", division) if division else None,
        submitter=submitter,
        status=run.status,
        quality_reached=run.quality,
        seed=run.number("seed"),
        samples=run.samples,
        scored_as=scored_as,
    )


def _reject(fault: LogFault, logs: Logs) -> Reject:
    run = logs.run_at(fault.cell.line)
    return fault.reject(str(run.path), run.first) if run and run.path else fault.reject()


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
