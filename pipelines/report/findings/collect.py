"""Findings of the published warehouse, each with its place, as rows of one shape. How they look: `text.py`."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from pipelines.build.warehouse import query_published
from pipelines.report.coverage import documents_meant
from pipelines.report.findings.verdicts import Verdict

# All three give the same columns, so that they can be read as one table.
_QUERIES = {
    "claims": """
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
    "discrepancies": """
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
    "conflicts": """
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
}


def find_all(warehouse: Path, document: str | None = None, verdict: Verdict | None = None) -> dict[str, pa.Table]:
    """Claims, discrepancies and conflicts: what they are about, what is printed where, what was expected, the reason.

    Args:
        warehouse: Folder of the published warehouse.
        document: Only what stands in this one: its path below raw/, the end of its path, or the start of its id.
        verdict: Only claims with this verdict, and nothing but claims.

    Returns:
        Rows by name; the three tables have the same columns. For a claim the expected interval is what the numbers
        give, for a conflict the other place's value.

    Raises:
        WarehouseError: There is no warehouse, or no such document in it.
    """
    ids = [row["document_id"] for row in documents_meant(warehouse, document)]
    if verdict:
        return {"claims": query_published(warehouse, _QUERIES["claims"], [ids, verdict])}
    parameters = {"claims": [ids, None]}
    return {name: query_published(warehouse, query, parameters.get(name, [ids])) for name, query in _QUERIES.items()}
