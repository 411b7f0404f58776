"""What the command `audit` shows: claims with their verdicts, relations that do not hold, places that disagree."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import Any

import pyarrow as pa
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from pipelines.build.warehouse import WarehouseError, query_published
from pipelines.terminal import visible


class ClaimVerdict(StrEnum):
    """What the numbers of the warehouse say of a claim."""

    confirmed = "confirmed"
    consistent = "consistent"
    contradicted = "contradicted"
    not_checkable = "not_checkable"


# A title and a query of each kind of findings; all give the same columns, so that they can be read as one table.
_QUERIES = {
    "claims": (
        "Claims and what the numbers say of them",
        """
select
    'claim' as kind,
    c.verdict as finding,
    c.source,
    c.published_on,
    d.path,
    c.line,
    concat_ws(
        ', ',
        nullif(concat_ws(' ', c.model, c.task), ''),
        nullif(
            concat_ws(' against ', c.subject_platform, coalesce(c.baseline_platform, 'SDK ' || c.baseline_sdk_version)),
            ''
        ),
        replace(c.metric, '_', ' ')
    ) as what,
    r.text_printed as printed,
    c.recomputed_low as expected_low,
    c.recomputed_high as expected_high,
    concat_ws(
        '; ',
        c.reason,
        'it assumes that ' || c.assumption,
        'it stops holding at ' || case c.assumption_unit
            when 'USD' then format('{:,.0f} USD', c.break_even)
            else format('{:.4g} times linear', c.break_even)
        end
    ) as reason,
    c.claim_id as id
from main.claims as c
inner join resolved.claims as r on c.claim_id = r.claim_id
inner join raw.documents as d on c.document_id = d.document_id
where list_contains($1, c.document_id) and coalesce(c.verdict = $2, true)
order by
    list_position(['contradicted', 'confirmed', 'consistent', 'not_checkable'], c.verdict),
    c.published_on, d.path, c.line, c.factor
""",
    ),
    "discrepancies": (
        "Relations between printed numbers that do not hold",
        """
select
    'discrepancy' as kind,
    x.check_name as finding,
    d.source,
    d.published_on,
    d.path,
    x.line,
    replace(x.check_name, '_', ' ') as what,
    concat_ws(' ', x.printed, x.unit) as printed,
    x.expected_low,
    x.expected_high,
    concat_ws('; ', x.reason, 'a known error: ' || x.known_error) as reason,
    x.evidence_id as id
from audit.discrepancies as x
inner join raw.documents as d on x.document_id = d.document_id
where list_contains($1, x.document_id)
order by d.published_on, d.path, x.line, x.check_name
""",
    ),
    "conflicts": (
        "Places that disagree on one fact",
        """
select
    'conflict' as kind,
    x.kind as finding,
    d.source,
    d.published_on,
    d.path,
    l.line,
    replace(x.kind, '_', ' ') as what,
    l.text_printed as printed,
    x.right_value as expected_low,
    x.right_value as expected_high,
    x.reason,
    x.left_evidence_id as id
from audit.conflicts as x
inner join resolved.evidence as l on x.left_evidence_id = l.evidence_id
inner join resolved.evidence as r on x.right_evidence_id = r.evidence_id
inner join raw.documents as d on l.document_id = d.document_id
where (list_contains($1, l.document_id) or list_contains($1, r.document_id))
order by d.published_on, d.path, l.line, x.reason
""",
    ),
}

_DOCUMENTS = """
select document_id, path from raw.documents
where $1 is null or path = $1 or ends_with(path, '/' || $1) or starts_with(document_id, $1)
order by path
"""

_COLOURS = {
    ClaimVerdict.confirmed: "green",
    ClaimVerdict.consistent: "cyan",
    ClaimVerdict.contradicted: "bold red",
    ClaimVerdict.not_checkable: "yellow",
}
_FAULT = "red"
_LABEL_WIDTH = 15


def find_all(
    warehouse: Path, document: str | None = None, verdict: ClaimVerdict | None = None
) -> dict[str, tuple[str, pa.Table]]:
    """Claims, discrepancies and conflicts: what they are about, what is printed where, what was expected, the reason.

    Returns:
        Title and rows by name; the three tables have the same columns. For a claim the expected interval is what the
        numbers give, for a conflict the other place's value.
    """
    ids = [row["document_id"] for row in documents_meant(warehouse, document)]
    found = {}
    for name, (title, query) in _QUERIES.items():
        if name == "claims" or not verdict:
            parameters = [ids, verdict] if name == "claims" else [ids]
            found[name] = (title, query_published(warehouse, query, parameters))
    return found


def documents_meant(warehouse: Path, document: str | None) -> list[dict[str, Any]]:
    """Id and path of the stored documents that a name means: a path, the end of one, the start of a document_id.

    Raises:
        WarehouseError: There is no warehouse, or the name means no document.
    """
    known: list[dict[str, Any]] = query_published(warehouse, _DOCUMENTS, [document]).to_pylist()
    if document is not None and not known:
        raise WarehouseError(f"the warehouse has no document {document!r}; `benchledger coverage` lists them all")
    return known


def print_findings(findings: dict[str, tuple[str, pa.Table]], console: Console) -> None:
    """Print for each finding what it says, where, and the reason; coloured in a terminal only.

    Nothing printed in a document is taken for markup, and in a pipe nothing is folded.
    """
    for number, (name, (title, rows)) in enumerate(findings.items()):
        if number:
            console.print()
        records = rows.to_pylist()
        counts = Counter(record["finding"] for record in records)
        said = [f"{counts[verdict]} {_words(verdict)}" for verdict in ClaimVerdict if counts[verdict]]
        said = said if name == "claims" else [str(len(records))]
        console.print(Text(f"{title}: {', '.join(said) if records else f'no {name}'}", style="bold"), soft_wrap=True)
        for record in records:
            finding, day = _words(record["finding"]), record["published_on"] or "day not known"
            label, what, colour = record["kind"], finding, _FAULT
            if name == "claims":
                label, what, colour = finding, record["what"], _COLOURS[ClaimVerdict(record["finding"])]
            shown = (visible(f"{what}: {record['printed']}"), "bold")
            place = Text(visible(f"{record['source']}, {day}, line {record['line']}"), style="dim")
            console.print()
            console.print(Text.assemble((f"{label:<{_LABEL_WIDTH}}", colour), shown), highlight=False)
            for text in (place, Text(visible(record["reason"]))):
                console.print(Padding(text, (0, 0, 0, _LABEL_WIDTH), expand=False), highlight=False)


def _words(name: str) -> str:
    return name.replace("_", " ")
