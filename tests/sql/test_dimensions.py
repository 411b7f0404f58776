"""Dimensions are listed once, in dimensions.yml: what SQL and the schemas repeat of them agrees with it."""

from __future__ import annotations

import re

from pipelines.build.warehouse import SQL_FOLDER
from pipelines.schemas.columns import COLUMNS
from pipelines.schemas.resolved import RESULT
from pipelines.vocabulary.dimensions import Type, dimensions

RESULTS_SQL = (SQL_FOLDER / "resolved" / "results.sql").read_text("utf-8")


def test_a_dimension_has_a_column_or_is_among_the_other_conditions() -> None:
    (listed,) = re.findall(r"c\.dimension not in \(([^)]*)\)", RESULTS_SQL)
    in_columns = {name for name, known in dimensions().items() if known.column}
    assert set(re.findall(r"'(\w+)'", listed)) == in_columns | {"metric", "unit"}
    assert {known.column for known in dimensions().values()} - {None} <= set(re.findall(r"\w+", RESULT))


def test_columns_made_of_conditions_hold_the_dimension_of_their_name() -> None:
    made = re.findall(r"max\((.*?)\) filter \(where c\.dimension = '(\w+)'\) as (\w+)", RESULTS_SQL)
    casts = {Type.COUNT: "bigint", Type.LENGTH: "bigint", Type.NUMBER: "double"}
    for value, dimension, column in made:
        known = dimensions()[dimension]
        cast = casts.get(known.type)
        assert (known.column, value) == (column, f"try_cast(c.value as {cast})" if cast else "c.value")
        assert (COLUMNS[column].one_of or ()) == known.one_of
