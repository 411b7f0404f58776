"""A measurement of one's own beside the published results: what `benchledger check` compares.

The file is read as a build reads the document of a source; nothing of it is stored. Which results
are close, what differs and what the verdict is, is said in `sql/commands/check.sql`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, NamedTuple

import pyarrow as pa

from pipelines.exceptions import BUILT_WITH_LOSSES, WrongUseError
from pipelines.extract.tables.entries import load_entries
from pipelines.extract.tables.mapping import MappingError
from pipelines.ingest.store import media_type_at, sha256_of, size_of
from pipelines.run.corpus import ProcessPool
from pipelines.run.trial import resolved_alone
from pipelines.settings import build_time
from pipelines.site_links import traced_page
from pipelines.validate.quarantine import REFUSED
from pipelines.warehouse.database import Tables
from pipelines.warehouse.queries import command_query, command_rows
from pipelines.warehouse.reader import query_frames
from pipelines.yaml_files import load_yaml

SLOWER = 4
NOTHING_COMPARABLE = BUILT_WITH_LOSSES
_ALL_ARE_CURRENT = """
create table main.current_results as
select result_id, sdk_version, null::date as last_published_on from resolved.results
"""
_RESULTS = "internal.own_results", "internal.published_results"


class Check(NamedTuple):
    """A file beside the published results.

    Attributes:
        measurements: One row for each number that was read: its line, model, platform, metric,
            statistic, value and unit; `verdict` (`as published`, `faster`, `slower`, `nothing
            comparable`), `ratio` (2 is twice as good as published), `reason`; the nearest published
            result with its `url`, `published_line`, `result_id` and `page` of the site;
            `differences`, `unknown` (what the file does not state) and `not_published`.
        unknown_names: Models and platforms that no vocabulary knows, with the nearest name.
        rejects: What was not read, with the first line, rule and reason.
    """

    measurements: pa.Table
    unknown_names: pa.Table
    rejects: pa.Table

    @property
    def exit_status(self) -> int:
        """0 as published or better, 4 if any number is slower, 3 if none is comparable."""
        verdicts = {*self.measurements["verdict"].to_pylist()}
        if "slower" in verdicts:
            return SLOWER
        return 0 if verdicts & {"as published", "faster"} else NOTHING_COMPARABLE

    def shown(self) -> pa.Table:
        """The numbers for people: what was measured, what is published, and what differs."""
        return query_frames(command_query("check_shown"), {"measurements": self.measurements})

    def unknown(self) -> pa.Table:
        """What the file does not state and the nearest results do, and how to give it."""
        return query_frames(command_query("check_unknown"), {"measurements": self.measurements})


def check_file(
    warehouse: Path,
    file: str | Path,
    *,
    model: str | None,
    platform: str | None,
    conditions: Mapping[str, str] | None,
    mapping: str | Path | None,
    tolerance: float,
) -> Check:
    """Compare the numbers of a file with the published results of a warehouse.

    Args:
        warehouse: The published file or its folder.
        file: Output of a benchmark program, its records, or a page with tables.
        model: The model, where the file does not state it.
        platform: The platform, where the file does not state it.
        conditions: Further conditions that the file does not state, by dimension.
        mapping: A mapping of the tables of the file.
        tolerance: Share of the published value up to which a number is as published.

    Raises:
        WrongUseError: There is no such file, a mapping or a condition is invalid, or the file
            states another value of a given condition.
        WarehouseError: There is no warehouse.
    """
    file, mapping = Path(file), Path(mapping) if mapping else None
    named = {"model": model, "platform": platform}
    given = {name: text for name, text in named.items() if text} | {**(conditions or {})}
    if not file.exists():
        raise WrongUseError(f"there is no file {file}")
    with _read(file.resolve(), given, mapping) as (tables, refused):
        others = tables.query(command_query("check_given"), [[*given]]).to_pylist()
        # Logs of MLPerf name their suite without its round.
        others = [
            row for row in others if not given[row["dimension"]].startswith(row["value"] + " v")
        ]
        for row in others:
            if not row["is_unknown"]:
                words = f"the file states {row['dimension']} {row['value']}, in line {row['line']}"
                raise WrongUseError(f"{words}; leave it out, or check another file")
        if not others:
            return _compared(tables, refused, warehouse, tolerance)
    # A given name is what the file means by one that no vocabulary knows.
    names = {row["dimension"]: {row["value"]: f"!{given[row['dimension']]}"} for row in others}
    with _read(file.resolve(), given, mapping, names) as (tables, refused):
        return _compared(tables, refused, warehouse, tolerance)


def _compared(
    tables: Tables, refused: list[dict[str, Any]], warehouse: Path, tolerance: float
) -> Check:
    """The numbers of the tables of a file beside those of a warehouse."""
    tables.write("internal.refused", pa.Table.from_pylist(refused, schema=REFUSED))
    names = tables.query(command_query("check_names"))
    rejects = tables.query(command_query("check_rejects"))
    tables.execute(_ALL_ARE_CURRENT)
    own = tables.query(command_query("comparable_results"), [None])
    families = sorted({*own["model_family"].to_pylist()} - {None})
    published = command_rows(warehouse, "comparable_results", [families])
    for name, rows in zip(_RESULTS, (own, published), strict=True):
        tables.write(name, rows)
    found = tables.query(command_query("check"), [tolerance])
    nearest = found["result_id"].to_pylist()
    pages = [result_id and traced_page("result", result_id) for result_id in nearest]
    return Check(found.append_column("page", pa.array(pages, pa.string())), names, rejects)


@contextmanager
def _read(
    file: Path,
    given: Mapping[str, str],
    mapping: Path | None,
    names: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> Iterator[tuple[Tables, list[dict[str, Any]]]]:
    """The tables of the file alone, with what contracts refuse of it."""
    row = {
        "document_id": sha256_of(file),
        "source": "own/measurement",
        "publisher": "own",
        "media_type": media_type_at(file),
        "retrieved_at": build_time(),
        "bytes": size_of(file),
        "path": file.name,
        "round": given["suite"].rpartition(" ")[2] if "suite" in given else None,
        "format": None,
        "charset": None,
    }
    with TemporaryDirectory() as folder:
        combined = Path(folder, "mapping.yml")
        if given or mapping:
            combined.write_text(_mapping(given, mapping, names), "utf-8")
        try:
            load_entries(combined) if combined.exists() else None
        except MappingError as error:
            raise WrongUseError(f"a given condition is invalid: {error.reason}") from error
        # The file is the user's own: no process is started that could be stopped.
        with resolved_alone(
            [row], combined, file.parent, engine=lambda _: nullcontext(ProcessPool(0))
        ) as found:
            yield found


def _mapping(
    given: Mapping[str, str], mapping: Path | None, names: Mapping[str, Mapping[str, str]]
) -> str:
    """A mapping with the given conditions as constants that the file does not print."""
    tree: dict[str, Any] = {}
    if mapping:
        try:
            load_entries(mapping)
        except MappingError as error:
            raise WrongUseError(str(error)) from error
        tree = load_yaml(mapping, texts_only=True)
    stated = tree.get("constants", [])
    stated = stated if isinstance(stated, list) else [stated]
    own = {name: f"!{value}" for name, value in given.items()}
    # JSON is YAML.
    if names:
        tree = tree | {"names": tree.get("names", {}) | names}
    return json.dumps(tree | {"constants": [*stated, own]} if own else tree)
