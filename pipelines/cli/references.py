"""The generated parts of `warehouse/README.md` and `docs/mapping.md`, the JSON Schema and the
prompt for mappings.

The data dictionary is generated from the declared tables; the reference of mappings from the
pydantic model and the vocabularies. The guide at the top of `docs/mapping.md` is written by hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from benchledger.source_preview import PrintedPage
from pipelines.cli.options import described
from pipelines.extract.tables.draft import Printed
from pipelines.extract.tables.mapping import SourceMapping
from pipelines.schemas.columns import COLUMNS, Column
from pipelines.schemas.tables import LAYERS, PUBLISHED, Table
from pipelines.settings import PROJECT
from pipelines.vocabulary.dimensions import dimensions
from pipelines.vocabulary.lookup import entries
from pipelines.yaml_files import load_yaml

REFERENCE = PROJECT / "docs" / "mapping.md"
# The page below this line is generated.
MARK = "<!-- generated from the model and the vocabularies by `make golden` -->\n"
_TEXTS = load_yaml(Path(__file__).with_name("references.yml"), texts_only=True)
# The smallest example of each key; the tests load every one.
EXAMPLES: dict[str, dict[str, str]] = {
    model: part["examples"] for model, part in _TEXTS["keys"].items()
}
_ROWS_OF_A_PROMPT, _FORMS_OF_A_PROMPT = 3, 12
_DIMENSIONS = """\
A column, a group of a pattern or a constant states a dimension. *Identity*: another value is another benchmark.
*Printed*: a constant or a value of `names` has to be printed in the document, or be written `'!text'`. *Lent to a
quality*: an accuracy also takes it from `constants`, `headings` and `below`. A name that is not listed is a condition
of your own, which is part of the identity; a name that begins with `_` is for templates only. A word that means
a dimension (`gpu`, `bs`, `tp`) or is a column of the results is refused. `tuning` is what an inference was optimized
for (`lowest latency`), not a method. Cells can be `value`, `metric`, `unit`, `statistic`."""
_METRICS = """\
The unit is the one in which values are stored; a column may have any unit that converts to it. A *quality* is a score
of a model, a *size* a memory size. Statistics are `mean`, `min`, `max`, `std`, `median`, `total` and percentiles such
as `p50` and `p99.9`."""
_UNITS = """\
Times are `ns`, `us`, `ms`, `s`, `min`, `h`, `d` with their usual spellings; a cell may print a time in parts
(`23h 43m`). A rate may have a multiple before it (`k images/s`), and a device, a user or a watt after it
(`tokens/s/GPU`). The unit of a score is that of its metric (`mAP`). A model that takes images has `images/s`,
whether its page prints frames, sequences, samples or inferences."""
# The worked questions of `warehouse/queries/`, in a wheel too.
_QUERIES = Path(__file__).parent.parent / "queries"

_INTRODUCTION = """# Start here

`benchmarks.duckdb` in this folder is the published warehouse. Most analyses need only the schema `main`. Start with
`main.current_results`, which has one row per benchmark:

```sql
select publisher, model, task, metric, statistic, value, unit, platform from main.current_results
```

| table | content |
| --- | --- |
{tables}
Six example queries from `queries/`. Run one with
`benchledger sql "$(cat warehouse/queries/<name>.sql)"`:

{questions}
`benchledger trace <result_id>` shows the source of a number: the document, the printed text and every step to the
value. In SQL, join `result_id` to `resolved.results`, `evidence_id` to `resolved.evidence` (line and characters) and
`document_id` to `raw.documents` (file). Refused rows, conflicts and failed checks are in `audit`. The macro
`main.results_as_of(date '2022-01-01')` returns the current results on a date, with the columns of
`main.current_results`.

Units: latency and step time in ms; other times in s; throughput in items per second (`images/s`, `sequences/s`,
`tokens/s`; `items/s` if the item is unknown); purchase prices in USD, hourly prices in USD/h. Percentiles are in the
column `statistic`.

# Data dictionary

This page is generated from `pipelines/schemas` (`make golden`). `benchmarks.duckdb` contains the same texts as
comments on tables and columns.

## Words

What the values of these columns mean, in every table that has them.
"""


# The data dictionary


def data_dictionary() -> str:
    """The page `warehouse/README.md` as Markdown, of all published tables."""
    mart = "".join(
        f"| `{table.full_name}` | {table.meaning} |\n"
        for table in PUBLISHED
        if table.layer == "main"
    )
    # The first line of a query is its question.
    first = {
        name: (_QUERIES / f"{name}.sql").read_text("utf-8").splitlines()[0]
        for name in _TEXTS["first_questions"]
    }
    questions = "".join(f"- `{name}`: {line.removeprefix('-- ')}\n" for name, line in first.items())
    parts = [_INTRODUCTION.replace("{tables}", mart).replace("{questions}", questions)]
    parts += [
        f"\n### {key}\n\n{text}\n{words(COLUMNS[key])}" for key, text in _TEXTS["words"].items()
    ]
    for layer in LAYERS:
        parts.append(f"\n## {layer}\n\n{_TEXTS['layers'][layer]}\n")
        for table in (table for table in PUBLISHED if table.layer == layer):
            key = f" Key: {', '.join(f'`{name}`' for name in table.key)}." if table.key else ""
            parts.append(f"\n### {table.full_name}\n\n{table.meaning} Grain: {table.grain}.{key}\n")
            if row := _TEXTS["rows"].get(table.full_name):
                parts.append(
                    f"\nA row, with the columns that say most:\n{_table(' | '.join(row), [[*row.values()]])}"
                )
            parts.append(
                _table(
                    "column | type | null | meaning", map(partial(_described, table), table.columns)
                )
            )
    return "".join(parts)


def words(column: Column) -> str:
    """What the values of a column mean, as a table in Markdown."""
    meanings = column.one_of if isinstance(column.one_of, dict) else {}
    return _table(
        "value | meaning", [(f"`{value}`", meaning) for value, meaning in meanings.items()]
    )


def _described(table: Table, column: Column) -> tuple[str, ...]:
    values = f" ({', '.join(f'`{value}`' for value in column.one_of)})" if column.one_of else ""
    # What its values mean is above, once for all tables.
    is_above = isinstance(column.one_of, dict)
    meaning = (
        column.meaning.partition(f"; {next(iter(column.one_of or ()))}: ")[0]
        if is_above
        else column.meaning
    )
    return (
        f"`{column.name}`",
        column.type,
        "yes" if column.name in table.nullable else "no",
        meaning + values,
    )


# Mappings for people


def page() -> str:
    """The whole page: the guide as written, and the generated part."""
    guide, _, _ = REFERENCE.read_text("utf-8").partition(MARK)
    return f"{guide}{MARK}{reference()}"


def reference() -> str:
    """The generated part of the page, as Markdown."""
    parts = _parts(json_schema())
    found = "\n## Keys\n"
    for model, part in _TEXTS["keys"].items():
        keys = parts[model]["properties"]
        rows: list[tuple[str, ...]] = [
            (f"`{key}`", keys[key].get("description", ""), f"`{example}`")
            for key, example in EXAMPLES[model].items()
        ]
        found += f"\n### {part['title']}\n{_table('key | says | smallest example', rows)}"
    rows = [
        (f"`{one.name}`", ", ".join(f"`{word}`" for word in one.one_of) or _TEXTS["types"][one.type],
         _TEXTS["identities"][one.identity],
         "yes" if one.is_printed else "", "yes" if one.is_lent else "no")
        for one in dimensions().values()
    ]  # fmt: skip
    table = _table("dimension | values | identity | printed | lent to a quality", rows)
    found += f"\n## Dimensions\n\n{_DIMENSIONS}\n{table}"
    rows = [
        (f"`{item['name']}`", item["unit"], item.get("kind", "performance"), item["better"])
        for item in entries("metrics")
    ]
    found += f"\n## Metrics\n\n{_METRICS}\n{_table('metric | unit | kind | better', rows)}"
    rows = []
    for item in entries("units"):
        scale = f"{item['scale']:.6g} " if item.get("scale", 1) != 1 else ""
        counted = f" of {item['item']}" if item.get("item") else ""
        others = ", ".join(f"`{text}`" for text in item.get("printed", ())[:6])
        rows.append((f"`{item['name']}`", f"{scale}{item['unit']}{counted}", others))
    return found + f"\n## Units\n\n{_UNITS}\n{_table('unit | is | also written', rows)}"


def _table(names: str, rows: Iterable[Sequence[str]]) -> str:
    lines = [" | ".join(cell.replace("|", "\\|") for cell in row) for row in rows]
    return f"\n| {names} |\n|{' --- |' * (names.count('|') + 1)}\n" + "".join(
        f"| {line} |\n" for line in lines
    )


# Mappings for programs


def json_schema() -> dict[str, Any]:
    """The JSON Schema of `mapping.yml`, with its short forms: an item without its list, a dimension
    for a spec.
    """
    schema = SourceMapping.model_json_schema()
    parts, scalar = _parts(schema), {"$ref": "#/$defs/Scalar"}
    of_entry = described(parts["MappingEntry"]["description"])
    for part in parts.values():
        texts = (
            {"where": "Conditions of the row under which it holds."}
            | of_entry
            | described(part["description"])
        )
        part["description"] = part["description"].partition("\n")[0]
        for key, one in part["properties"].items():
            if "items" in one and key != "tables":
                item = one.pop("items")
                is_short = item.get("type") == "string" or key == "headings"
                item = {"anyOf": [item, scalar]} if is_short else item
                part["properties"][key] = one = {"anyOf": [item, {"type": "array", "items": item}]}
            one |= {"description": texts[key]} if key in texts else {}
    stated = {
        name: {"enum": list(one.one_of)} if one.one_of else scalar
        for name, one in dimensions().items()
    }
    for name in ("Spec", "Constants"):
        parts[name]["properties"] = stated | parts[name]["properties"]
        parts[name]["properties"]["where"]["additionalProperties"] = parts[name][
            "additionalProperties"
        ] = scalar
    spec = [{"type": "string"}, {"$ref": "#/$defs/Spec"}]
    specs = {"anyOf": [*spec, {"type": "array", "items": {"anyOf": spec}}]}
    for name in ("MappingEntry", "SourceMapping"):
        parts[name]["properties"]["columns"]["additionalProperties"] = specs
    schema["$defs"]["Scalar"] = {"type": ["string", "number", "boolean"]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _parts(schema: dict[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in schema["$defs"].items() if name in EXAMPLES} | {
        "SourceMapping": schema
    }


def prompt(pages: Iterable[PrintedPage], mapping: str) -> str:
    """The language, the documents, their tables and the mapping so far, as one prompt for a
    language model.

    A long document is represented by the texts around its tables.
    """
    parts = [
        "Complete the mapping of a page of benchmark results. Reply with the whole YAML file and nothing else. State",
        "only what the page prints; delete questions that it does not answer. List every column of every table.",
        "\n# The language\n",
        page() if REFERENCE.is_file() else reference(),
        "\n# Its JSON Schema\n",
        json.dumps(json_schema()),
    ]
    for printed in pages:
        parts += [
            f"\n# The document {printed.path}\n",
            printed.text or "It is long: the texts are with its tables.",
        ]
        parts.append("\n# Its tables: first rows, and a cell of each form in each column\n")
        for table in printed.tables:
            parts.append(f"Line {table.line}, below: {' / '.join(table.above[:3])}")
            parts += [] if printed.text else [f"  Text: {text}" for text in table.around]
            parts += [
                "  " + " | ".join(row) for row in (table.headings, *table.rows[:_ROWS_OF_A_PROMPT])
            ]
            parts += _forms(table)
    parts += ["\n# The mapping so far; each '?' is an open question\n", mapping]
    return "\n".join(parts) + "\n"


def _forms(table: Printed) -> Iterator[str]:
    """A line for each column: its first cell of each form, such as `12.5 ms`, `n/a` and `3 / 4`."""
    for at, heading in enumerate(table.headings):
        first: dict[str, str] = {}
        for row in table.rows:
            if at < len(row) and row[at]:
                first.setdefault(_form(row[at]), row[at])
        yield f"  {heading or '(no heading)'}: {' ; '.join([*first.values()][:_FORMS_OF_A_PROMPT])}"


def _form(text: str) -> str:
    """A text with one sign for each run of digits and of letters."""
    signs = ("0" if sign.isdigit() else "a" if sign.isalpha() else sign for sign in text)
    return "".join(sign for sign, _ in groupby(signs))
