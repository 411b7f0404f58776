"""The generated parts of `warehouse/README.md` and `docs/mapping.md`, the JSON Schema and the
prompt for mappings.

The data dictionary is generated from the declared tables; the reference of mappings from the
pydantic model and the vocabularies. The guide at the top of `docs/mapping.md` is written by hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from benchledger.source_preview import PrintedPage
from pipelines.cli.options import described
from pipelines.extract.tables.draft import Printed
from pipelines.extract.tables.mapping import SourceMapping
from pipelines.schemas.columns import COLUMNS, Column
from pipelines.schemas.tables import LAYERS, PUBLISHED
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
_FORMS_OF_A_PROMPT = 12
# The worked questions of `warehouse/queries/`, in a wheel too.
_QUERIES = Path(__file__).parent.parent / "queries"


def _rendered(template: str, **content: Any) -> str:
    """A page of `templates/` as Markdown."""
    pages = Environment(
        loader=PackageLoader("pipelines.cli"),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    pages.filters["cell"] = lambda text: text.replace("|", "\\|")
    return pages.get_template(template).render(texts=_TEXTS, **content)


def data_dictionary() -> str:
    """The page `warehouse/README.md` as Markdown, of all published tables."""
    questions = {}
    for name in _TEXTS["first_questions"]:
        first_line = (_QUERIES / f"{name}.sql").read_text("utf-8").partition("\n")[0]
        questions[name] = first_line.removeprefix("-- ")
    return _rendered(
        "data_dictionary.md",
        published=PUBLISHED,
        layers=LAYERS,
        columns=COLUMNS,
        questions=questions,
        words=words,
        meaning=_meaning,
    )


def words(column: Column) -> str:
    """What the values of a column mean, as a table in Markdown."""
    return _rendered("words.md", meanings=column.one_of)


def _meaning(column: Column) -> str:
    if not column.one_of:
        return column.meaning
    values = f" ({', '.join(f'`{value}`' for value in column.one_of)})"
    # What its values mean is above, once for all tables.
    is_above = isinstance(column.one_of, dict)
    end = f"; {next(iter(column.one_of))}: "
    return (column.meaning.partition(end)[0] if is_above else column.meaning) + values


def page() -> str:
    """The reference of mappings: the guide as written, and the generated part."""
    guide, _, _ = REFERENCE.read_text("utf-8").partition(MARK)
    return f"{guide}{MARK}{reference()}"


def reference() -> str:
    """The generated part of the page, as Markdown."""
    return _rendered(
        "mapping_reference.md",
        parts=_parts(json_schema()),
        dimensions=dimensions().values(),
        metrics=entries("metrics"),
        units=entries("units"),
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
    parts["SourceMapping"]["properties"]["cells"]["additionalProperties"] = specs
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
    return _rendered(
        "prompt.md",
        language=page() if REFERENCE.is_file() else reference(),
        schema=json.dumps(json_schema()),
        pages=pages,
        mapping=mapping,
        forms=_forms,
    )


def _forms(table: Printed) -> Iterator[str]:
    """A line for each column: its first cell of each form, such as `12.5 ms`, `n/a` and `3 / 4`."""
    for at, heading in enumerate(table.headings):
        first: dict[str, str] = {}
        for row in table.rows:
            if at < len(row) and row[at]:
                first.setdefault(_form(row[at]), row[at])
        yield f"{heading or '(no heading)'}: {' ; '.join([*first.values()][:_FORMS_OF_A_PROMPT])}"


def _form(text: str) -> str:
    """A text with one sign for each run of digits and of letters."""
    signs = ("0" if sign.isdigit() else "a" if sign.isalpha() else sign for sign in text)
    return "".join(sign for sign, _ in groupby(signs))
