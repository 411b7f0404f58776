"""Costs of a million tokens at listed prices and at prices of a reader's own.

How they are computed is in `pipelines/sql/macros.sql` and `sql/main/token_costs.sql`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

import pyarrow as pa

from pipelines.exceptions import WrongUseError
from pipelines.warehouse.queries import command_rows
from pipelines.warehouse.reader import query_published

# Chips and platforms of which there is a rate of tokens, and the models.
_KNOWN = """
select
    coalesce(list_filter(list_distinct(list(chip) || list(platform)), lambda name: name is not null), []) as chips,
    coalesce(list(distinct model) filter (where model is not null), []) as models
from main.current_results
where task = 'inference' and main.tokens_counted(metric, unit) is not null
"""


def costs_of_tokens(warehouse: Path, model: str | None, prices: Mapping[str, float]) -> pa.Table:
    """The costs, the cheapest first within a model and a kind of tokens.

    Args:
        warehouse: The folder of the warehouse, or its file.
        model: Only models whose name contains this text, in any case.
        prices: USD per chip and hour, by chip or platform.

    Raises:
        WrongUseError: A price is not above 0, or no rate of tokens is of such a chip or model.
        WarehouseError: There is no warehouse.
    """
    [known] = query_published(warehouse, _KNOWN).to_pylist()
    for name, usd in prices.items():
        if not 0 < usd < math.inf:
            raise WrongUseError(f"the price of {name} is {usd:g} USD; give one above 0")
        if name not in known["chips"]:
            raise _unknown("chip", name, known["chips"])
    if model is not None and not any(model.lower() in one.lower() for one in known["models"]):
        raise _unknown("model", model, known["models"])
    return command_rows(warehouse, "costs", [model, [*prices], [*prices.values()]])


def _unknown(kind: str, name: str, known: list[str]) -> WrongUseError:
    near = get_close_matches(name, known, n=3, cutoff=0.3)
    hint = f"; near it are {', '.join(map(repr, near))}" if near else ""
    return WrongUseError(f"no rate of tokens is of the {kind} {name!r}{hint}")
