"""A build without Dagster: the same steps in the same order, called one after the other, with
nothing recorded.

What Dagster makes of the steps (runs, events, checks in the UI) is tested where a test says
`run_build` itself.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dagster as dg

from benchledger.job import Outcome
from pipelines.assets import layers, sources
from pipelines.assets.folders import Folders
from pipelines.settings import LOCAL


def plain_build(raw_folder: Path, warehouse: Path) -> Outcome:
    """Build a warehouse, and say what stopped it."""
    folders = Folders(raw=str(raw_folder), warehouse=str(warehouse), cluster=LOCAL)
    given = {"folders": folders}
    outcome = Outcome()
    warnings = SimpleNamespace(info=lambda words: None, warning=outcome.warnings.append)
    run = SimpleNamespace(run=None, instance=None, log=warnings)
    try:
        with folders.yield_for_execution(run):  # type: ignore[arg-type]
            for step in _steps():
                blocking = {spec.name for spec in step.check_specs if spec.blocking}
                for event in _run(step, given, warnings):
                    _record(event, blocking, outcome)
                if outcome.faults:
                    return outcome
    except Exception as error:
        # As Dagster does with whatever a step raises.
        outcome.faults.append(str(getattr(error, "description", None) or error))
        return outcome
    outcome.success = True
    return outcome


def _steps() -> list[Any]:
    extracted, names, by_document, rejects, across, published = layers.STEPS
    return [
        layers.raw_assets([]), sources.sources_are_seen, extracted, names, by_document, layers.evidence_holds,
        rejects, sources.mappings_hold, across, sources.no_source_lost_its_rows, published,
    ]  # fmt: skip


def _run(step: Any, given: dict[str, Any], log: Any) -> list[Any]:
    function = step.op.compute_fn.decorated_fn
    nodes = [SimpleNamespace(name=other.op.name) for other in _steps()]
    context = SimpleNamespace(
        selected_asset_keys=frozenset(getattr(step, "keys", ())),
        selected_asset_check_keys=frozenset(step.check_keys),
        op_execution_context=SimpleNamespace(op=step.op, log_event=lambda event: None),
        job_def=SimpleNamespace(nodes=nodes),
        run=SimpleNamespace(step_keys_to_execute=None),
        instance=SimpleNamespace(
            event_log_storage=SimpleNamespace(
                get_latest_asset_check_execution_by_key=lambda keys: {}
            )
        ),
        log=log,
    )
    arguments = {"context": context} | given
    made = function(**{name: arguments[name] for name in inspect.signature(function).parameters})
    return list(made) if inspect.isgenerator(made) else [made]


def _record(event: Any, blocking: set[str], outcome: Outcome) -> None:
    results = [event] if isinstance(event, dg.AssetCheckResult) else event.check_results or []
    for check in results:
        # Where a step is one check, its result has no name.
        is_blocking = check.check_name in blocking or (
            check.check_name is None and len(blocking) == 1
        )
        if is_blocking and not check.passed and check.severity is dg.AssetCheckSeverity.ERROR:
            reason = check.metadata.get("reason")
            outcome.faults.append(str(getattr(reason, "value", reason)))
    metadata = getattr(event, "metadata", None) or {}
    if "documents_read" in metadata:
        outcome.documents_read = metadata["documents_read"]
        outcome.documents_known = metadata["documents_known"]
