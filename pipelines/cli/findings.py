"""Output of the command `audit`: claims with their verdicts, failed relations and conflicts."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import Any

import pyarrow as pa
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from pipelines.terminal import visible
from pipelines.warehouse.queries import command_rows
from pipelines.warehouse.reader import WarehouseError, query_published

# Result of checking a claim against the numbers in the warehouse.
ClaimVerdict = StrEnum("ClaimVerdict", ["confirmed", "consistent", "contradicted", "not_checkable"])
# Kind of a finding and title, by the name of the table.
_TABLES = {
    "claims": ("claim", "Claims and verdicts"),
    "discrepancies": ("discrepancy", "Failed relations between printed numbers"),
    "conflicts": ("conflict", "Conflicting values"),
}
_DOCUMENTS = """
select document_id, path from raw.documents
where $1 is null or path = $1 or ends_with(path, '/' || $1) or starts_with(document_id, $1)
order by path
"""
_COLOURS: dict[str, str] = {
    ClaimVerdict.confirmed: "green",
    ClaimVerdict.consistent: "cyan",
    ClaimVerdict.contradicted: "bold red",
    ClaimVerdict.not_checkable: "yellow",
}
_FAULT, _LABEL_WIDTH = "red", 15


def find_all(
    warehouse: Path, document: str | None = None, verdict: ClaimVerdict | None = None
) -> dict[str, tuple[str, pa.Table]]:
    """Title and rows of claims, discrepancies and conflicts by name, with the columns of
    `commands/audit.sql`.
    """
    import pyarrow.compute as pc  # It makes 300 functions, which would delay every command.

    ids = [row["document_id"] for row in documents_meant(warehouse, document)]
    rows = command_rows(warehouse, "audit", [ids, verdict])
    return {
        name: (title, rows.filter(pc.equal(rows["kind"], kind)))
        for name, (kind, title) in _TABLES.items()
        if name == "claims" or not verdict
    }


def documents_meant(warehouse: Path, document: str | None) -> list[dict[str, Any]]:
    """Id and path of the stored documents that a name means: a path, the end of one, the start of a
    document_id.

    Raises:
        WarehouseError: There is no warehouse, or the name means no document.
    """
    known: list[dict[str, Any]] = query_published(warehouse, _DOCUMENTS, [document]).to_pylist()
    if document is not None and not known:
        raise WarehouseError(
            f"the warehouse has no document {document!r}; `benchledger coverage` lists them all"
        )
    return known


def print_findings(findings: dict[str, tuple[str, pa.Table]], console: Console) -> None:
    """Print for each finding what it says, where, and the reason; coloured in a terminal only.

    Nothing printed in a document is taken for markup, and in a pipe nothing is folded.
    """
    for number, (name, (title, rows)) in enumerate(findings.items()):
        if number:
            console.print()
        heading = Text(f"{title}: {_count_of(name, rows)}", style="bold")
        console.print(heading, soft_wrap=True)
        for row in rows.to_pylist():
            _print_finding(row, row["finding"] if name == "claims" else row["kind"], console)


def _count_of(name: str, rows: pa.Table) -> str:
    """How many findings there are; of claims by their verdicts."""
    if not rows.num_rows:
        return f"no {name}"
    if name != "claims":
        return str(rows.num_rows)
    counts = Counter(rows["finding"].to_pylist())
    found = [verdict for verdict in ClaimVerdict if counts[verdict]]
    return ", ".join(f"{counts[verdict]} {verdict.replace('_', ' ')}" for verdict in found)


def _print_finding(row: dict[str, Any], label: str, console: Console) -> None:
    heading = f"{label.replace('_', ' '):<{_LABEL_WIDTH}}", _COLOURS.get(label, _FAULT)
    what = Text(visible(f"{row['what']}: {row['printed']}"), style="bold")
    console.print()
    console.print(Text.assemble(heading, what), highlight=False)
    place = f"{row['source']}, {row['published_on'] or 'date unknown'}, line {row['line']}"
    for text in (Text(visible(place), style="dim"), Text(visible(row["reason"]))):
        console.print(Padding(text, (0, 0, 0, _LABEL_WIDTH), expand=False), highlight=False)
