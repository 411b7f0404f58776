"""Rows of the published warehouse that a trace needs, each query run once for all rows to be traced."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipelines.build.warehouse import query_published
from pipelines.trace.identifiers import Identifier

Row = dict[str, Any]

_TRACED = {
    "result": "select * from resolved.results where result_id in (select unnest(?::varchar[]))",
    "claim": "select * from resolved.claims where claim_id in (select unnest(?::varchar[]))",
    "run": "select * from resolved.training_runs where run_id in (select unnest(?::varchar[]))",
    "configuration": "select * from resolved.configurations where configuration_id in (select unnest(?::varchar[]))",
    "evidence": "select * from resolved.evidence where evidence_id in (select unnest(?::varchar[]))",
}
_EVIDENCE = "select * from resolved.evidence where evidence_id in (select unnest(?::varchar[]))"
_DOCUMENTS = "select * from raw.documents where document_id in (select unnest(?::varchar[]))"
_NAMES = "select * from resolved.names where name_printed in (select unnest(?::varchar[]))"
_HISTORY = """
select
    h.*,
    list({'result_id': r.result_id, 'path': d.path, 'line': r.line} order by d.path, r.line) as results
from main.result_history as h
inner join resolved.results as r
    on h.benchmark_key = r.benchmark_key and h.sdk_order is not distinct from r.sdk_order and h.value = r.value
inner join raw.documents as d on r.document_id = d.document_id
where h.benchmark_key in (select unnest(?::varchar[]))
group by all
order by h.benchmark_key, h.sdk_order desc nulls last, h.last_published_on desc nulls last,
    h.last_captured_on desc, h.value
"""
# In reading order; what no document prints comes last.
_CONDITIONS = """
select
    c.result_id, c.dimension, c.value, c.level, c.text_printed, c.evidence_id, e.page, e.line, e.char_start, e.char_end
from resolved.result_conditions as c
left join resolved.evidence as e on c.evidence_id = e.evidence_id
where c.result_id in (select unnest(?::varchar[]))
order by c.result_id, e.line nulls last, e.char_start, c.dimension, c.value
"""
_CONFIGURATIONS = """
select * from resolved.configurations
where document_id in (select unnest(?::varchar[])) order by line, role desc
"""
_CLAIMS = "select * from resolved.claims where document_id in (select unnest(?::varchar[])) order by line, metric"
# A verdict and the printed numbers that it rests on.
_VERDICTS = """
with inputs as (
    select claim_id, unnest(inputs) as evidence_id
    from audit.claim_verdicts
    where claim_id in (select unnest($1::varchar[]))
),

places as (
    select
        i.claim_id,
        list({'evidence_id': e.evidence_id, 'path': d.path, 'line': e.line, 'text_printed': e.text_printed}
            order by d.path, e.line, e.char_start) as places
    from inputs as i
    inner join resolved.evidence as e on i.evidence_id = e.evidence_id
    inner join raw.documents as d on e.document_id = d.document_id
    group by i.claim_id
)

select
    v.claim_id, v.verdict, v.recomputed_low, v.recomputed_high, v.reason, v.differences, v.assumption, v.break_even,
    v.assumption_unit, v.method_version, coalesce(p.places, []) as inputs
from audit.claim_verdicts as v
left join places as p on v.claim_id = p.claim_id
where v.claim_id in (select unnest($1::varchar[]))
"""
_RUNS = """
select result_id, run_id, training_time_s, status, scored_as, seed, line, document_id
from resolved.training_runs
where result_id in (select unnest(?::varchar[]))
order by result_id, status <> 'success', training_time_s, line
"""
_EPOCHS = "select * from resolved.training_epochs where run_id in (select unnest(?::varchar[])) order by run_id, epoch"
# Everything that may rest on a printed place.
_RESTING = """
with places as (
    select unnest($1::varchar[]) as evidence_id
),

resting as (
    select evidence_id, 'result' as kind, result_id as id, concat_ws(' ', model, platform, metric, value, unit) as what
    from resolved.results
    union all
    -- One place, such as a heading, may state a condition of thousands of results.
    select
        evidence_id,
        'condition' as kind,
        null as id,
        format('{} {} of {} result{}', replace(dimension, '_', ' '), value, count(*), if(count(*) > 1, 's', '')) as what
    from resolved.result_conditions
    where evidence_id in (select p.evidence_id from places as p)
    group by evidence_id, dimension, value
    union all
    select evidence_id, 'claim' as kind, claim_id as id, concat_ws(' ', factor || 'x', metric, model) as what
    from resolved.claims
    union all
    select unnest(repeat_evidence_ids) as evidence_id, 'claim' as kind, claim_id as id, 'printed again' as what
    from resolved.claims
    union all
    select evidence_id, 'run' as kind, run_id as id, concat_ws(' ', accelerator, training_time_s, 's') as what
    from resolved.training_runs
    union all
    select evidence_id, 'run' as kind, run_id as id, concat_ws(' ', 'epoch', epoch, epoch_time_s, 's') as what
    from resolved.training_epochs
    union all
    select evidence_id, 'configuration' as kind, configuration_id as id, concat_ws(' ', role, platform, model) as what
    from resolved.configurations
    union all
    select evidence_id, 'price' as kind, null as id, concat_ws(' ', platform, price_usd, 'USD') as what
    from resolved.prices
    union all
    -- What stands beside a price says whose it is.
    select e.evidence_id, 'price' as kind, null as id, concat_ws(' ', 'said of', p.price_usd, 'USD') as what
    from resolved.evidence as e
    inner join resolved.prices as p
        on e.document_id = p.document_id and e.line = p.line and e.evidence_id <> p.evidence_id
    where e.evidence_id in (select p.evidence_id from places as p)
    union all
    select evidence_id, 'submission' as kind, null as id, concat_ws(' ', submission_id, suite) as what
    from resolved.submissions
)

select r.* from resting as r
semi join places as p on r.evidence_id = p.evidence_id
order by r.evidence_id, r.kind, r.id, r.what
"""


@dataclass
class Rows:
    """Everything read for a number of traces; groups are in the order in which they are shown."""

    traced: dict[Identifier, Row] = field(default_factory=dict)
    evidence: dict[str, Row] = field(default_factory=dict)
    documents: dict[str, Row] = field(default_factory=dict)
    names: dict[tuple[str, str, str | None], Row] = field(default_factory=dict)
    history: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    conditions: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    configurations: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    claims: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    epochs: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    runs: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    verdicts: dict[str, Row] = field(default_factory=dict)
    resting: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))


def read_rows(warehouse: Path, identifiers: Iterable[Identifier], printed_names: Callable[[Row], set[str]]) -> Rows:
    """The rows of all identifiers and what belongs to them; an identifier without a row is left out.

    Args:
        warehouse: Folder of the published file.
        identifiers: What to trace.
        printed_names: Function that gives the printed names of a row.
    """
    rows = Rows()
    for kind, sql in _TRACED.items():
        ids = [one.id for one in identifiers if one.kind == kind]
        for row in _read(warehouse, sql, ids):
            rows.traced[Identifier(kind, row[f"{kind}_id"])] = row
    traced = rows.traced.values()
    places = {place for row in traced for place in (row["evidence_id"], *row.get("repeat_evidence_ids", ()))}
    rows.evidence = {row["evidence_id"]: row for row in _read(warehouse, _EVIDENCE, places)}
    documents = {row["document_id"] for row in traced}
    rows.documents = {row["document_id"]: row for row in _read(warehouse, _DOCUMENTS, documents)}
    for name in _read(warehouse, _NAMES, {printed for row in traced for printed in printed_names(row)}):
        rows.names[name["kind"], name["name_printed"], name["suite"]] = name
    _group(rows.history, "benchmark_key", _read(warehouse, _HISTORY, _keys(rows, "result", "benchmark_key")))
    _group(rows.conditions, "result_id", _read(warehouse, _CONDITIONS, _keys(rows, "result", "result_id")))
    _group(rows.runs, "result_id", _read(warehouse, _RUNS, _keys(rows, "result", "result_id")))
    _group(rows.configurations, "document_id", _read(warehouse, _CONFIGURATIONS, _keys(rows, "claim", "document_id")))
    rows.verdicts = {row["claim_id"]: row for row in _read(warehouse, _VERDICTS, _keys(rows, "claim", "claim_id"))}
    _group(rows.claims, "document_id", _read(warehouse, _CLAIMS, _keys(rows, "configuration", "document_id")))
    _group(rows.epochs, "run_id", _read(warehouse, _EPOCHS, _keys(rows, "run", "run_id")))
    _group(rows.resting, "evidence_id", _read(warehouse, _RESTING, _keys(rows, "evidence", "evidence_id")))
    return rows


def _keys(rows: Rows, kind: str, column: str) -> set[str]:
    return {row[column] for one, row in rows.traced.items() if one.kind == kind}


def _read(warehouse: Path, sql: str, ids: Iterable[str]) -> list[Row]:
    listed = sorted(set(ids))
    return query_published(warehouse, sql, [listed]).to_pylist() if listed else []


def _group(groups: dict[str, list[Row]], column: str, found: list[Row]) -> None:
    for row in found:
        groups[row[column]].append(row)
