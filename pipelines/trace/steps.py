"""From the printed text to the stored value, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipelines.export.csv_values import shown_text
from pipelines.extract.contract import gives_scores
from pipelines.extract.named_quantities import read_unit
from pipelines.vocabulary.units import find_unit
from pipelines.yaml_files import load_yaml

Row = Mapping[str, Any]
Step = dict[str, Any]
# Rows of `resolved.names` by kind, printed name and suite.
Names = dict[tuple[str, str, str | None], dict[str, Any]]

_LISTED = load_yaml(Path(__file__).with_suffix(".yml"))
_NAMES: dict[str, tuple[str, str]] = _LISTED["names"]


def steps_of(kind: str, row: Row, names: Names, text: str) -> Iterator[Step]:
    """The steps of a result, claim, run or configuration: printed text, unit, value, interval,
    bound and names.

    Args:
        kind: Which of them it is.
        row: Its row.
        names: Rows of `resolved.names` for its printed names.
        text: The characters that it is printed with.
    """
    yield _step("printed", row["value_printed"] if kind == "result" else text)
    if kind == "result":
        yield _unit(row)
        yield from _value(row, "value", row["unit"])
    elif kind == "claim":
        is_share = "%" in text or "cent" in text
        how = "a percentage: p% more is 1 + p/100, p% less is 1 / (1 - p/100)" if is_share else ""
        yield from _value(row, "factor", "x", how)
    elif kind == "run":
        time, status = row["training_time_s"], row["status"]
        if time is None and status is None:
            yield _step(
                "value", how="no training time is stated; this is the first line of the run"
            )
        else:
            how = (
                f"from run_start to run_stop; status {status}"
                if status
                else "a number without unit is in seconds"
            )
            yield _step("value", text, None if time is None else f"{time!r} s", how)
    for step, (vocabulary, column) in _NAMES.items():
        printed = row.get(f"{step}_printed")
        if printed is not None:
            entry = names.get((vocabulary, printed, row.get("suite")))
            yield _step(step, printed, row[column], _resolution(entry, vocabulary, row[column]))


def names_in(row: Row) -> set[str]:
    """The printed names of a row, to be looked up in `resolved.names`."""
    columns = [f"{step}_printed" for step in _NAMES]
    return {row[name] for name in (*columns, "variant_name") if row.get(name)}


def _step(step: str, printed: Any = None, stored: Any = None, how: str = "") -> Step:
    return {"step": step, "from": printed, "to": stored, "how": how or None}


def _unit(row: Row) -> Step:
    printed, canonical = row["unit_printed"], row["unit"]
    is_time = canonical in ("s", "ms")
    if gives_scores(row["extractor"]):
        return _step(
            "unit", "ms", canonical, "mean of the runs that count, from run_start to run_stop"
        )
    if not printed:
        where = "in the printed text" if is_time else "of the metric"
        return _step("unit", None, canonical, f"the unit {where}")
    # `images/s` is `items/s` with what is counted.
    rate = canonical.find("/s")
    unit = read_unit(printed, f"items{canonical[rate:]}" if rate > 0 else canonical)
    source = "values/durations.py" if is_time else ""
    if found := find_unit(printed):
        multiple = f", {shown_text(found.multiple)} of them" if found.multiple != 1 else ""
        source = f"vocabulary/units.yml: {found.entry.name}{multiple}"
    factor = unit.scale if unit else 1.0 if printed == canonical else None
    return _step("unit", printed, canonical, source) | {"factor": factor}


def _value(row: Row, column: str, unit: str, how: str = "") -> Iterator[Step]:
    value, low, high = (
        shown_text(row[name]) for name in (column, f"{column}_low", f"{column}_high")
    )
    allows = "printed rounding allows" if row["bound"] == "eq" else "rounding and the bound allow"
    yield _step("value", None, f"{value} {unit}", how)
    yield _step("interval", None, f"{low} to {high} {unit}", f"what the {allows}")
    yield _step("bound", None, row["bound"], _LISTED["bounds"][row["bound"]])


def _resolution(entry: Row | None, vocabulary: str, canonical: str | None) -> str:
    """How a printed name became its canonical one."""
    if entry is None or entry["name"] is None:
        return "not in the vocabulary; the printed name is used"
    facts = [f"{name} {entry[name]}" for name in _LISTED["facts"] if entry[name] is not None]
    is_other = entry["is_family"] and entry["name"] != canonical
    ending = "; a model family, the variant names the model" if is_other else ""
    return ", ".join([f"vocabulary/{vocabulary}.yml", *facts]) + ending
