"""A ledger of published AI-accelerator benchmarks, from Python.

    import benchledger

    with benchledger.open("warehouse") as ledger:
        ledger.results(model="BERT-Large", task="training")
        ledger.claims(verdict="contradicted")
        ledger.tables["main.scaling"]
        ledger.sql("select model, count(*) as results from main.current_results group by model")
        ledger.trace("78b9c264bd6a863f")
        ledger.check("serve.json", platform="H100 SXM")

Whatever is refused is a `benchledger.Error`. Tables are pandas data frames, or Arrow tables with
`arrow=True`. The package `pipelines` is internal.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from benchledger.project import TOLERANCE, OpenQuestionsError, Project
from pipelines.exceptions import BenchledgerError, WrongUseError, naming_extras
from pipelines.object_addresses import address_of, folder_of
from pipelines.settings import raw_folder, warehouse_folder
from pipelines.trace.identifiers import TraceError, find_identifier
from pipelines.warehouse.reader import (
    WarehouseError,
    published_file,
    query_published,
    tables_in,
)

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from benchledger.check import Check

__all__ = [
    "BenchledgerError",
    "Error",
    "OpenQuestionsError",
    "Project",
    "Trace",
    "TraceError",
    "Warehouse",
    "WarehouseError",
    "WarehouseTables",
    "WrongUseError",
    "open",
    "open_warehouse",
]
# The root of all errors.
Error = BenchledgerError
for _error in (Error, OpenQuestionsError, TraceError, WarehouseError, WrongUseError):
    # They are caught, and shown, by the name under which they are public.
    _error.__module__ = __name__
__version__ = version("benchledger")

# One name, or several of which any may match; None for all.
Names = str | Iterable[str] | None
Trace = dict[str, Any]
Parameters = Sequence[Any] | Mapping[str, Any] | None


# Rows by name; a name that is not given matches all.
_ROWS = {
    "results": """
select *
from main.current_results
where
    ($model::varchar[] is null or list_contains($model::varchar[], model))
    and ($platform::varchar[] is null or list_contains($platform::varchar[], platform))
    and ($task::varchar[] is null or list_contains($task::varchar[], task))
    and ($metric::varchar[] is null or list_contains($metric::varchar[], metric))
    and ($vendor::varchar[] is null or list_contains($vendor::varchar[], vendor))
    and ($source::varchar[] is null or list_contains($source::varchar[], source))
order by model, task, metric, platform, benchmark_key
""",
    "claims": """
select *
from main.claims
where
    ($verdict::varchar[] is null or list_contains($verdict::varchar[], verdict))
    and ($model::varchar[] is null or list_contains($model::varchar[], model))
    and (
        $platform::varchar[] is null
        or list_contains($platform::varchar[], subject_platform)
        or list_contains($platform::varchar[], baseline_platform)
    )
    and ($metric::varchar[] is null or list_contains($metric::varchar[], metric))
    and ($source::varchar[] is null or list_contains($source::varchar[], source))
order by published_on, source, line, claim_id
""",
}
# All known names.
_NAMES = {
    "results": """
select
    list(distinct model order by model) filter (where model is not null) as model,
    list(distinct platform order by platform) filter (where platform is not null) as platform,
    list(distinct task order by task) filter (where task is not null) as task,
    list(distinct metric order by metric) filter (where metric is not null) as metric,
    list(distinct vendor order by vendor) filter (where vendor is not null) as vendor,
    list(distinct source order by source) filter (where source is not null) as source
from main.current_results
""",
    "claims": """
select
    ['confirmed', 'consistent', 'contradicted', 'not_checkable'] as verdict,
    list(distinct model order by model) filter (where model is not null) as model,
    list_sort(list_distinct(list(subject_platform) || list(baseline_platform))) as platform,
    list(distinct metric order by metric) filter (where metric is not null) as metric,
    list(distinct source order by source) filter (where source is not null) as source
from main.claims
""",
}


def open_warehouse(path: str | Path | None = None, raw: str | Path | None = None) -> Warehouse:
    """Open a built or exported warehouse, read-only; `benchledger.open` is the same function.

    Args:
        path: Its folder, its `.duckdb` file, or an address `s3://bucket/folder`, whose current
            build is downloaded;
            default: `BENCHLEDGER_WAREHOUSE`, else `warehouse/`.
        raw: Folder or address of the stored documents, which only `trace` needs; default:
            `BENCHLEDGER_RAW`, else `raw/` beside the folder of the warehouse, else `raw/`.

    Raises:
        WarehouseError: There is no warehouse, or the file is damaged or not a warehouse.
        OSError: An address is invalid, or its object store cannot be used.
    """
    folder = folder_of(path) if path is not None else warehouse_folder()
    if address_of(folder):
        from pipelines.remote.publishing import bring

        bring(folder)
    file = published_file(folder).resolve()
    beside = file.parent.parent / "raw"
    own = beside if beside.is_dir() and "BENCHLEDGER_RAW" not in os.environ else raw_folder()
    return Warehouse(file, folder_of(raw) if raw is not None else own)


# As neighbours call it: `with benchledger.open("warehouse") as ledger`.
open = open_warehouse  # noqa: A001


def __dir__() -> list[str]:
    return sorted(__all__)


class WarehouseTables(Mapping[str, "pd.DataFrame"]):
    """The tables of a warehouse by name, such as `main.current_results`, as pandas data frames.

    Attributes:
        path: The `.duckdb` file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __getitem__(self, name: str) -> pd.DataFrame:
        known = tables_in(self.path)
        if name not in known:
            near = get_close_matches(name, known, n=1, cutoff=0)
            raise KeyError(f"there is no table {name!r}; the nearest is {near[0]!r}")
        return _to_pandas(query_published(self.path, f"from {name}"))

    def __iter__(self) -> Iterator[str]:
        return iter(tables_in(self.path))

    def __len__(self) -> int:
        return len(tables_in(self.path))

    def __repr__(self) -> str:
        return f"<{len(self)} tables: {', '.join(self)}>"


class Warehouse:
    """A published warehouse. Each call opens the file anew, so it never blocks a build and always
    sees the last one; leaving a `with` block has nothing to close.

    Attributes:
        path: The `.duckdb` file.
        raw: Folder of the stored documents.
        tables: The tables by name, `ledger.tables["main.scaling"]`.
    """

    def __init__(self, path: Path, raw: Path) -> None:
        self.path, self.raw, self.tables = path, raw, WarehouseTables(path)
        query_published(path, "select 1 from main.current_results limit 1")

    def __repr__(self) -> str:
        return f"benchledger.open_warehouse({str(self.path)!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None: ...

    @naming_extras()
    def check(
        self,
        file: str | Path,
        *,
        model: str | None = None,
        platform: str | None = None,
        conditions: Mapping[str, str] | None = None,
        mapping: str | Path | None = None,
        tolerance: float = TOLERANCE,
    ) -> Check:
        """Compare a measurement of one's own with the published results; nothing is stored.

        Args:
            file: Output of a benchmark program, its records, or a page with tables.
            model: The model, where the file does not state it.
            platform: The platform, where the file does not state it, such as `H100 SXM`.
            conditions: Further conditions that the file does not state, as `{"batch_size": "8"}`.
            mapping: A mapping of the tables of the file.
            tolerance: Share of the published value up to which a number is as published.

        Raises:
            WrongUseError: There is no such file, the mapping is invalid, or the file states another
                value of a condition.
        """
        from benchledger.check import check_file

        return check_file(
            self.path,
            file,
            model=model,
            platform=platform,
            conditions=conditions,
            mapping=mapping,
            tolerance=tolerance,
        )

    def sql(
        self, query: str, parameters: Parameters = None, *, arrow: bool = False
    ) -> pd.DataFrame | Any:
        """The rows of a query in DuckDB's SQL. It cannot write, or read other files.

        Args:
            query: The query; tables are named with their schema, `main.current_results`.
            parameters: Values for `?` or `$1` in the query, or by name for `$name`.
            arrow: Return an Arrow table instead of a pandas data frame, in which whole numbers and
                flags are nullable (`Int64`, `boolean`).

        Raises:
            WarehouseError: DuckDB refuses the query; the message is from DuckDB.
        """
        rows = query_published(self.path, query, parameters)
        return rows if arrow else _to_pandas(rows)

    def results(self, *, arrow: bool = False, **names: Names) -> pd.DataFrame | Any:
        """The current results with these names: one row per benchmark, with the columns of
        `main.current_results`.

        Args:
            arrow: Return an Arrow table instead of a pandas data frame.
            names: `model`, such as `BERT-Large`, `platform`, `task`, `metric`, `vendor` and `source`:
                one canonical name, or several of which any may match.

        Raises:
            WarehouseError: No current result has one of the names; the message lists similar ones.
        """
        rows = self._named("results", names)
        return rows if arrow else _to_pandas(rows)

    def claims(self, *, arrow: bool = False, **names: Names) -> pd.DataFrame | Any:
        """The claims with these names and their verdicts: one row per claim, with the columns of
        `main.claims`.

        Args:
            arrow: Return an Arrow table instead of a pandas data frame.
            names: `verdict`, `model`, `platform` of either side, `metric` and `source`: one name, or
                several of which any may match.

        Raises:
            WarehouseError: No claim has one of the names; the message lists similar ones.
        """
        rows = self._named("claims", names)
        return rows if arrow else _to_pandas(rows)

    def trace(self, id: str) -> Trace:
        """The origin of a number: document, printed place with the lines around it, steps,
        conditions, history.

        Args:
            id: Identifier of a result, claim, run, configuration or evidence, or an unambiguous
                beginning of one.

        Returns:
            The output of `benchledger trace ID --format json` as dictionaries and lists: `kind`,
            `id`, `document`, `place`, `row`, `steps`; for a result `conditions` and `history`, for
            a claim `sides` and `verdict`. Without the stored document, `place` has a `note` and no
            lines.

        Raises:
            TraceError: No row, or more than one, has the identifier.
            OSError: The documents are in an object store that cannot be used.
        """
        if address_of(self.raw):
            from pipelines.ingest.mirror import pull

            pull(self.raw)
        from pipelines.trace.traces import trace_rows

        [trace] = trace_rows(self.path, self.raw, [find_identifier(self.path, id)])
        return trace

    def _named(self, query: str, names: Mapping[str, Any]) -> pa.Table:
        """The rows with these names; an unknown name is an error."""
        [known] = query_published(self.path, _NAMES[query]).to_pylist()
        if unknown := sorted(names.keys() - known.keys()):
            raise TypeError(f"{query} are not chosen by {unknown[0]!r}, but by {', '.join(known)}")
        asked = {column: _listed(names.get(column)) for column in known}
        for column, listed in asked.items():
            there = known[column] or []
            for name in listed or ():
                if name not in there:
                    near = get_close_matches(name, there, n=3, cutoff=0.3)
                    hint = f"; near it are {', '.join(map(repr, near))}" if near else ""
                    raise WarehouseError(f"none of the {query} has the {column} {name!r}{hint}")
        return query_published(self.path, _ROWS[query], asked)


def _listed(names: Names) -> list[str] | None:
    return None if names is None else [names] if isinstance(names, str) else list(names)


def _to_pandas(rows: pa.Table) -> pd.DataFrame:
    import pandas as pd
    import pyarrow as pa

    for place, field in enumerate(rows.schema):
        if pa.types.is_decimal(field.type):
            # Sums of whole numbers, and numbers such as 1.5, are decimals in DuckDB; in pandas they
            # would be objects.
            numbers = rows.column(place).cast(pa.float64())
            with contextlib.suppress(pa.ArrowInvalid):
                numbers = rows.column(place).cast(pa.int64()) if field.type.scale == 0 else numbers
            rows = rows.set_column(place, field.name, numbers)
    # A column of whole numbers with a null would become one of floats, and `batch_size` 256.0.
    nullable = {
        pa.int64(): pd.Int64Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.bool_(): pd.BooleanDtype(),
    }
    frame: pd.DataFrame = rows.to_pandas(types_mapper=nullable.get)
    return frame
