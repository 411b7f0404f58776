"""The data dictionary `warehouse/README.md`, generated from the declared tables and columns."""

from __future__ import annotations

from pathlib import Path

from pipelines.schemas.columns import Column
from pipelines.schemas.tables import LAYERS, PUBLISHED, Table
from pipelines.settings import PROJECT

DICTIONARY = PROJECT / "warehouse" / "README.md"

# The worked questions of `warehouse/queries/`, in a wheel too.
_QUERIES = Path(__file__).parent.parent / "queries"
# What most people come with; the other questions stand beside these.
_FIRST_QUESTIONS = (
    "platforms_side_by_side",
    "vendors_side_by_side",
    "what_a_dollar_buys",
    "slower_with_a_newer_release",
    "claims_and_verdicts",
    "numbers_that_do_not_fit",
)

_INTRODUCTION = """# Start here

`benchmarks.duckdb` in this folder is the published warehouse. What an analyst needs stands in the schema `main`;
begin with `main.current_results`, one answer per question:

```sql
select publisher, model, task, metric, statistic, value, unit, platform from main.current_results
```

| table | what it answers |
| --- | --- |
{tables}
Six questions to begin with, each a file in `queries/`; run one with
`benchledger sql "$(cat warehouse/queries/<name>.sql)"`:

{questions}
Where does a number come from? `benchledger trace <result_id>` shows the document, the printed characters and every
step to the value. In SQL, `result_id` leads to `resolved.results`, its `evidence_id` to the line and characters in
`resolved.evidence`, and `document_id` to the file in `raw.documents`. What was not let in, and what does not fit,
stands in `audit`.

Units: latency and step time in ms; other times in s; throughput in what is counted a second (`images/s`,
`sequences/s`, `tokens/s`; `items/s` where neither the page nor the model says); prices in USD, rents in USD/h. A
percentile is the column `statistic`.

# Data dictionary

This page is generated from `pipelines/schemas` (`make golden`); the same texts stand in the file as comments on
tables and columns.
"""

_LAYERS = {
    "raw": "Documents as they are stored.",
    "resolved": "Rows under canonical names and units, with the identity of their benchmark.",
    "audit": "What was not let in, what no vocabulary knows, what disagrees.",
    "main": "What stands now, what stood before, and what changed from release to release.",
}


def data_dictionary() -> str:
    """The page as Markdown, of all published tables."""
    mart = "".join(f"| `{table.full_name}` | {table.meaning} |\n" for table in PUBLISHED if table.layer == "main")
    questions = "".join(f"- `{name}`: {_question(name)}\n" for name in _FIRST_QUESTIONS)
    parts = [_INTRODUCTION.replace("{tables}", mart).replace("{questions}", questions)]
    for layer in LAYERS:
        parts.append(f"\n## {layer}\n\n{_LAYERS[layer]}\n")
        parts += [_section(table) for table in PUBLISHED if table.layer == layer]
    return "".join(parts)


def _question(name: str) -> str:
    """The question that a worked query answers: its first line."""
    return (_QUERIES / f"{name}.sql").read_text("utf-8").splitlines()[0].removeprefix("-- ")


def _section(table: Table) -> str:
    nullable = {True: "yes", False: "no"}
    rows = "".join(
        f"| `{one.name}` | {one.type} | {nullable[one.name in table.nullable]} | {_meaning(one)} |\n"
        for one in table.columns
    )
    key = f" Key: {', '.join(f'`{name}`' for name in table.key)}." if table.key else ""
    return (
        f"\n### {table.full_name}\n\n{table.meaning} Grain: {table.grain}.{key}\n\n"
        f"| column | type | null | meaning |\n| --- | --- | --- | --- |\n{rows}"
    )


def _meaning(column: Column) -> str:
    values = ", ".join(f"`{value}`" for value in column.one_of or ())
    return f"{column.meaning} ({values})" if values else column.meaning
