"""pandera contracts of all tables, made from `schemas`. What happens to a failing row belongs in
`quarantine.py`.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import pandas as pd
import pandera.pandas as pa
import pyarrow as arrow

from pipelines.schemas.tables import ARROW_TYPES, Table
from pipelines.validate.screening import Holds, limits, relations


def _checks(required: dict[str, Holds]) -> list[pa.Check]:
    return [pa.Check(partial(_in_arrow, holds), error=words) for words, holds in required.items()]


def _in_arrow(holds: Holds, found: Any) -> pd.Series[bool]:
    """Whether each value of a column, or each row of a frame, is as it is required to be."""
    take = arrow.Table.from_pandas if isinstance(found, pd.DataFrame) else arrow.array
    return pd.Series(holds(take(found)).to_pylist(), found.index)


@cache
def contract(table: Table) -> pa.DataFrameSchema:
    """The contract of a table: its columns in order, their types, allowed values, and relations
    within a row.
    """
    columns = {
        column.name: pa.Column(
            pd.ArrowDtype(ARROW_TYPES[column.type]),
            checks=_checks(limits(column)),
            nullable=column.name in table.nullable,
        )
        for column in table.columns
    }
    checks = _checks(relations(table))
    return pa.DataFrameSchema(
        columns, checks=checks, strict=True, ordered=True, name=table.full_name
    )
