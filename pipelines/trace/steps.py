"""From the printed text to the stored value, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipelines.extract.named_quantities import read_unit
from pipelines.vocabulary.units import find_unit

Row = Mapping[str, Any]
Step = dict[str, Any]
# Rows of `resolved.names` by kind, printed name and suite.
Names = Mapping[tuple[str, str, str | None], Row]

_BOUNDS = {
    "eq": "a plain number",
    "gt": "more than the number, as the words or the sign at it say",
    "lt": "less than the number, as the words or the sign at it say",
    "up_to": "at most the number, reached somewhere",
    "approx": "about the number",
}
# Facts of a vocabulary entry that decide something further down.
_FACTS = ("vendor", "family", "chips", "multiplier", "version_printed")
_RESULT_NAMES = (
    ("model", "models", "model_printed", "model"),
    ("platform", "platforms", "platform_printed", "platform"),
    ("framework", "frameworks", "framework_printed", "framework"),
    ("dataset", "datasets", "dataset_printed", "dataset"),
)
_CLAIM_NAMES = (
    ("model", "models", "model_printed", "model"),
    ("subject", "platforms", "subject_printed", "subject_platform"),
    ("baseline", "platforms", "baseline_printed", "baseline_platform"),
)
_RUN_NAMES = (("accelerator", "platforms", "accelerator_printed", "accelerator"),)


def result_steps(row: Row, names: Names) -> list[Step]:
    """Printed text, unit, value, interval, bound and the names of a result."""
    steps = [_step("printed", row["value_printed"], None)]
    if row["extractor"] == "mlperf_training":
        steps.append(_step("unit", "ms", row["unit"], "mean of the runs that count, from run_start to run_stop"))
    elif row["unit_printed"]:
        steps.append(_unit(row["unit_printed"], row["unit"]))
    elif row["unit"] in ("s", "ms"):
        steps.append(_step("unit", None, row["unit"], "the unit stands in the printed text"))
    else:
        steps.append(_step("unit", None, row["unit"], "the unit of the metric"))
    steps += _value(row, ("value", "value_low", "value_high"), row["unit"])
    return [*steps, *_named(row, names, _RESULT_NAMES)]


def claim_steps(row: Row, names: Names) -> list[Step]:
    """Printed text, factor, interval, bound and the names of a claim."""
    steps = [_step("printed", row["text_printed"], None)]
    how = (
        "a share: so much more is 1 + p/100, so much less is 1 / (1 - p/100)" if _is_share(row["text_printed"]) else ""
    )
    steps += _value(row, ("factor", "factor_low", "factor_high"), "x", how)
    return [*steps, *_named(row, names, _CLAIM_NAMES)]


def run_steps(row: Row, names: Names, text: str) -> list[Step]:
    """Printed text, training time and the accelerator of a run."""
    steps = [_step("printed", text, None)]
    if row["status"] is not None:
        time = None if row["training_time_s"] is None else f"{row['training_time_s']!r} s"
        steps.append(_step("value", text, time, f"from run_start to run_stop; status {row['status']}"))
    elif row["training_time_s"] is None:
        steps.append(_step("value", None, None, "no training time is stated; the line starts the run"))
    else:
        steps.append(_step("value", text, f"{row['training_time_s']!r} s", "a number without unit is in seconds"))
    return [*steps, *_named(row, names, _RUN_NAMES)]


def configuration_steps(row: Row, names: Names, text: str) -> list[Step]:
    """Printed text and the names of one side of a comparison."""
    return [_step("printed", text, None), *_named(row, names, _RESULT_NAMES)]


def names_in(row: Row) -> set[str]:
    """The printed names of a row, to be looked up in `resolved.names`."""
    columns = {printed for _, _, printed, _ in (*_RESULT_NAMES, *_CLAIM_NAMES, *_RUN_NAMES)}
    return {row[name] for name in (*columns, "variant_name") if row.get(name)}


def _step(step: str, printed: Any, stored: Any, how: str = "") -> Step:
    return {"step": step, "from": printed, "to": stored, "how": how or None}


def _unit(printed: str, canonical: str) -> Step:
    # `images/s` is `items/s` with what is counted.
    rate = canonical.find("/s")
    unit = read_unit(printed, f"items{canonical[rate:]}" if rate > 0 else canonical)
    found = find_unit(printed)
    source = "values/durations.py" if canonical in ("s", "ms") else ""
    if found:
        multiple = f", {_number(found.multiple)} of them" if found.multiple != 1 else ""
        source = f"vocabulary/units.yml: {found.entry.name}{multiple}"
    step = _step("unit", printed, canonical, source)
    return step | {"factor": unit.scale if unit else None}


def _value(row: Row, columns: tuple[str, str, str], unit: str, how: str = "") -> list[Step]:
    value, low, high = (row[name] for name in columns)
    interval = "what the printed rounding allows" if row["bound"] == "eq" else "what the rounding and the bound allow"
    return [
        _step("value", None, f"{_number(value)} {unit}", how),
        _step("interval", None, f"{_number(low)} to {_number(high)} {unit}", interval),
        _step("bound", None, row["bound"], _BOUNDS[row["bound"]]),
    ]


def _named(row: Row, names: Names, columns: tuple[tuple[str, str, str, str], ...]) -> list[Step]:
    steps = []
    for step, kind, printed, canonical in columns:
        if row[printed] is None:
            continue
        entry = names.get((kind, row[printed], row.get("suite")))
        if entry is None or entry["name"] is None:
            how = "no vocabulary knows it; the printed name stands"
        else:
            facts = [f"{name} {entry[name]}" for name in _FACTS if entry[name] is not None]
            how = ", ".join([f"vocabulary/{kind}.yml", *facts])
            if entry["is_family"] and entry["name"] != row[canonical]:
                how += "; the name of a family, the variant names the model"
        steps.append(_step(step, row[printed], row[canonical], how))
    return steps


def _is_share(text: str) -> bool:
    return "%" in text or "cent" in text


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(value)
