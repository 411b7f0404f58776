"""Known errors of the sources, as `corrections.yml` lists them, checked entry by entry.

Where an error stands is found by SQL: `sql/resolved/known_error_places.sql`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from pipelines.yaml_files import YamlError, load_yaml

CORRECTIONS_FILE = Path(__file__).with_name("corrections.yml")

# A sha256 or a source such as `publisher/source`
KnownPlace = Annotated[str, Field(pattern=r"^([0-9a-f]{64}|[^/\s]+/[^/\s]+)$")]


class CorrectionError(Exception):
    """A list of known errors that cannot be applied; the message names file, entry, field and what is wrong."""


class _Strict(BaseModel):
    # Numbers are told from texts: `expect` compares printed characters, and YAML would read 1.10 as 1.1.
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Row(_Strict):
    """What a row says beside the wrong number, in columns of `resolved.results`; None for what does not matter."""

    line: int | None = Field(default=None, ge=1)
    section: str | None = None
    extractor: str | None = None
    task: str | None = None
    suite: str | None = None
    model_printed: str | None = None
    variant_printed: str | None = None
    platform_printed: str | None = None
    accelerator_count: int | None = None
    sdk_version: str | None = None
    framework_printed: str | None = None
    dataset_printed: str | None = None
    batch_size: int | None = None
    precision: str | None = None
    division: str | None = None
    submission_id: str | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Row:
        if not self.model_dump(exclude_none=True):
            raise ValueError(
                "must say at least one thing that tells the row apart, such as `line` or `platform_printed`"
            )
        return self


class KnownError(_Strict):
    """One entry of `corrections.yml`."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    known_in: list[KnownPlace] = []
    anywhere: bool = False
    metric: str = Field(min_length=1)
    row: Row
    expect: dict[str, str]
    action: Literal["flag", "override", "drop"]
    reason: str = Field(pattern=r"^[A-Z0-9].{10,}\.$")
    value: float | None = None
    value_low: float | None = None
    value_high: float | None = None
    unit: str | None = None

    @model_validator(mode="after")
    def _fits_together(self) -> KnownError:
        if not self.known_in and not self.anywhere:
            raise ValueError("must name a source or a sha256 in `known_in`, or say `anywhere: true`")
        if self.metric not in self.expect:
            raise ValueError(f"`expect` must say what is printed as {self.metric}, the metric of the entry")
        corrected = (self.value, self.value_low, self.value_high, self.unit)
        if self.action != "override" and corrected != (None,) * 4:
            raise ValueError("only an override has `value`, `value_low`, `value_high` and `unit`")
        if self.action == "override":
            if self.value is None or self.unit is None:
                raise ValueError("an override needs the corrected `value` and its canonical `unit`")
            low, high = self.interval
            if not low <= self.value <= high:
                raise ValueError(f"`value` {self.value:g} lies outside {low:g}..{high:g}")
        return self

    @property
    def interval(self) -> tuple[float, float]:
        """Least and greatest value that the correction allows."""
        value = float(self.value or 0)
        return (
            value if self.value_low is None else self.value_low,
            value if self.value_high is None else self.value_high,
        )


_ENTRIES = TypeAdapter(list[KnownError])


def known_errors(path: Path | None = None) -> list[dict[str, Any]]:
    """Rows of `internal.known_errors`, in the order of their names.

    Args:
        path: The list; by default the one that the project ships.

    Raises:
        CorrectionError: The file is no YAML, an entry lacks a field or has one too many, or two have one name.
    """
    path = path or CORRECTIONS_FILE
    try:
        content = load_yaml(path)
    except YamlError as error:
        raise CorrectionError(f"{path.name}: {error}") from None
    try:
        entries = _ENTRIES.validate_python(content or [])
    except ValidationError as error:
        raise CorrectionError("; ".join(_fault(path, content, dict(fault)) for fault in error.errors())) from None
    names = [entry.name for entry in entries]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise CorrectionError(f"{path.name}: two entries are called {', '.join(repeated)}; each name stands once")
    return [_row(entry) for entry in sorted(entries, key=lambda entry: entry.name)]


def _row(entry: KnownError) -> dict[str, Any]:
    low, high = entry.interval if entry.action == "override" else (None, None)
    return {
        **entry.row.model_dump(),
        "correction": entry.name,
        "correction_action": entry.action,
        "reason": entry.reason,
        "known_in": entry.known_in,
        "is_anywhere": entry.anywhere,
        "metric": entry.metric,
        "value_printed": entry.expect[entry.metric],
        # Compared with the numbers of a row in the same form, see known_error_places.sql.
        "expected": sorted(f"{metric} {printed}" for metric, printed in entry.expect.items()),
        "value": entry.value,
        "value_low": low,
        "value_high": high,
        "unit": entry.unit,
    }


def _fault(path: Path, content: Any, fault: dict[str, Any]) -> str:
    """One fault with the name of its entry, where it has one, else with its number."""
    place: tuple[Any, ...] = fault["loc"]
    entry = "the list"
    if place and isinstance(place[0], int):
        found = content[place[0]]
        name = found.get("name") if isinstance(found, dict) else None
        entry, place = f"entry {name or place[0] + 1}", place[1:]
    field = ".".join(str(part) for part in place)
    return f"{path.name}: {entry}: {field + ': ' if field else ''}{fault['msg'].removeprefix('Value error, ')}"
