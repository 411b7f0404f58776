"""A build without Dagster: nothing is recorded, and what stops it is an outcome.

What Dagster makes of the steps (runs, events, checks in the UI) is tested where a test says
`run_build` itself.
"""

from __future__ import annotations

from pathlib import Path

from benchledger.job import Outcome
from pipelines.extract.contract import formats_macro
from pipelines.run.document_tables import in_order
from pipelines.run.locked_folders import locked_folders
from pipelines.run.steps import build, take_steps
from pipelines.run.working_copy import begin
from pipelines.settings import LOCAL
from pipelines.warehouse.queries import base_tables, results_as_of, table_queries
from pipelines.warehouse.reader import FILE_NAME

# By this table a file is known to be a warehouse.
ALWAYS = "main.current_results"


def plain_build(raw_folder: Path, warehouse: Path) -> Outcome:
    """Build a warehouse, and say what stopped it."""
    try:
        built = build(raw_folder, warehouse)
    except Exception as error:
        # As Dagster does with whatever a step raises.
        return Outcome(faults=[str(error)])
    return Outcome(
        success=True,
        warnings=built.warnings,
        documents_read=built.documents_read,
        documents_known=built.documents_known,
    )


def resolve(raw_folder: Path, warehouse: Path, *derived: str) -> Outcome:
    """Put what documents print under canonical names, with the rejects, into the place of a
    warehouse: a third of the time of a build.

    Of the tables that look across documents only those are made that are named, and what they rest
    on; a query of another one fails. No check before publishing is executed.
    """
    outcome = Outcome()
    with locked_folders(raw_folder, warehouse, LOCAL, outcome.warnings.append) as folders:
        working = begin(folders)
        try:
            take_steps(working, before="audit_and_main__tables")
            for name in _with_inputs({ALWAYS, *derived}):
                working.make(name, table_queries()[name])
            working.tables.execute(results_as_of(formats_macro()))
        except Exception as error:
            working.tables.discard()
            return Outcome(faults=[str(error)])
        working.tables.close()
        (folders.work / FILE_NAME).replace(warehouse / FILE_NAME)
    outcome.success = True
    return outcome


def _with_inputs(wanted: set[str]) -> list[str]:
    """Derived tables and those among them that they rest on, in the order of a build."""
    made: list[str] = []
    for name in reversed(in_order(("audit", "main"))):
        if name in wanted:
            wanted = wanted | base_tables(table_queries()[name])
            made.insert(0, name)
    assert not {name for name in wanted if name.startswith("main.")} - {*made}
    return made
