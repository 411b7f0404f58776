"""The dimensions of measured numbers, from `dimensions.yml`.

What a printed text means for a dimension belongs in `extract/`, which columns a result has in
`schemas/`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache

from pydantic import TypeAdapter

from pipelines.vocabulary.lookup import FOLDER, VocabularyError
from pipelines.yaml_files import load_yaml

# What a document says of its own, under a name that no list knows, is a part of what it measured.
_MACROS = """
create or replace temp macro dimension(name) as coalesce(
    map {{{facts}}}[name], {{identity: 'key', is_lent: true, has_column: false, is_swept: false}}
);
create or replace temp macro identity_columns(r) as list_filter(
    [{values}], lambda entry: entry.value is not null
);
create or replace temp macro identity_conditions(r) as list_filter(
    map_entries(r.conditions), lambda entry: entry.key not in ({describing})
);
create or replace temp macro identity_entries(r) as list_sort(
    list_concat(identity_columns(r), identity_conditions(r))
);
create or replace temp macro identity_of(r) as map_from_entries(identity_entries(r))
"""


class Identity(StrEnum):
    """How far a dimension decides which benchmark a number belongs to.

    Attributes:
        KEY: It is part of `benchmark_key`.
        INFERENCE: It is part of it for inference; in training it is tuned from release to release.
        DOCUMENT: It distinguishes two numbers of one document, such as two releases, and is not
            part of the key.
        NONE: It only describes the number.
    """

    KEY = "key"
    INFERENCE = "inference"
    DOCUMENT = "document"
    NONE = "none"


class Type(StrEnum):
    """How the printed text of a dimension is read."""

    NAME = "name"
    WORD = "word"
    TERM = "term"
    NUMBER = "number"
    COUNT = "count"
    LENGTH = "length"


@dataclass(frozen=True, slots=True)
class Dimension:
    """A property of a measured number.

    Attributes:
        name: Its name, in mappings and in `resolved.result_conditions`.
        type: How its text is read.
        identity: How far it decides which benchmark a number belongs to.
        column: Column of `resolved.results` that holds it, or None.
        label: Its name for readers, or None.
        vocabulary: The vocabulary of its canonical names, or None.
        one_of: The only values that it takes; empty for any.
        is_printed: Whether a mapping may only state what the document prints.
        is_lent: Whether conditions of the whole table also apply to its qualities.
        is_swept: Whether points of one frontier may differ in it: load and parallelism.
        in_sentence: Whether the words beside a number in running text state it.
        spellings: How other words spell its values.
        synonyms: Words that mean it, and are no condition of a mapping's own.
    """

    name: str
    type: Type
    identity: Identity
    column: str | None = None
    label: str | None = None
    vocabulary: str | None = None
    one_of: tuple[str, ...] = ()
    is_printed: bool = False
    is_lent: bool = True
    is_swept: bool = False
    in_sentence: bool = False
    spellings: dict[str, str] = field(default_factory=dict)
    synonyms: tuple[str, ...] = ()


@cache
def dimensions() -> dict[str, Dimension]:
    """Every dimension by name, in the order of the file.

    Raises:
        VocabularyError: Two entries have one name.
    """
    found: dict[str, Dimension] = {}
    for one in TypeAdapter(list[Dimension]).validate_python(load_yaml(FOLDER / "dimensions.yml")):
        if found.setdefault(one.name, one) is not one:
            raise VocabularyError(f"dimensions.yml: {one.name!r} is given twice")
    return found


@cache
def dimension_of_synonym() -> dict[str, str]:
    """The dimension that each synonym means.

    Raises:
        VocabularyError: A synonym is a dimension, or means two.
    """
    found: dict[str, str] = {}
    for one in dimensions().values():
        for word in one.synonyms:
            if word in dimensions() or found.setdefault(word, one.name) != one.name:
                raise VocabularyError(f"dimensions.yml: {word!r} has two meanings")
    return found


def label_of(name: str) -> str:
    """The name of a dimension for readers: `TP` of tensor_parallel, `Run Mode` of run_mode."""
    known = dimensions().get(name)
    return known.label if known and known.label else name.replace("_", " ").title()


def identity_of(name: str) -> Identity:
    """How far a dimension decides which benchmark a number belongs to; one that no file knows is
    part of the key.
    """
    known = dimensions().get(name)
    return known.identity if known else Identity.KEY


def identity_macros() -> str:
    """The statements that make macros for queries of the list of dimensions.

    `dimension(name)` is what the list says of a dimension or a column, `identity_of(r)` the map of
    all that identifies a row of `resolved.results`: `identity_columns(r)`, by their names, and of
    its `conditions` `identity_conditions(r)`. To make a map takes longer than to list its entries.
    """
    columns = {one.column: one for one in dimensions().values() if one.column}
    known = dimensions() | columns
    facts = [
        f"'{name}': {{identity: '{one.identity}', is_lent: {one.is_lent}, has_column: {bool(one.column)}, "
        f"is_swept: {one.is_swept}}}"
        for name, one in known.items()
    ]
    describing = {name for name, one in known.items() if one.identity is Identity.NONE}
    identifying = sorted(columns.keys() - describing)
    values = [
        f"{{key: '{name}', value: struct_extract(r, '{name}')::varchar}}" for name in identifying
    ]
    return _MACROS.format(
        facts=", ".join(facts),
        values=", ".join(values),
        describing=", ".join(f"'{name}'" for name in sorted(describing)),
    )
