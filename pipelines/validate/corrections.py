"""Known errors of the sources, as `corrections.yml` lists them, checked entry by entry.

Where an error stands is found by SQL: `sql/resolved/known_error_places.sql`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    create_model,
    model_validator,
)

from pipelines.exceptions import BenchledgerError
from pipelines.schemas.tables import TABLES
from pipelines.yaml_files import YamlError, load_yaml

CORRECTIONS_FILE = Path(__file__).with_name("corrections.yml")

# A sha256 or a source such as `publisher/source`
KnownPlace = Annotated[str, Field(pattern=r"^([0-9a-f]{64}|[^/\s]+/[^/\s]+)$")]
# Values stay texts: `expect` compares printed characters, and YAML would read 1.10 as 1.1.
_STRICT = ConfigDict(extra="forbid", frozen=True, strict=True)


class CorrectionError(BenchledgerError):
    """A list of known errors that cannot be applied; the message names file, entry, field and what
    is wrong.
    """


# The columns of `resolved.results` that identify the wrong number; None for any value.
_OF_A_ROW = (
    "line",
    "section",
    "extractor",
    "task",
    "suite",
    "model_printed",
    "variant_printed",
    "platform_printed",
    "accelerator_count",
    "sdk_version",
    "framework_printed",
    "dataset_printed",
    "batch_size",
    "precision",
    "division",
    "submission_id",
    "other_conditions",
)
_ROW_FIELDS: dict[str, Any] = {
    column.name: (
        (int if column.type == "integer" else str) | None,
        Field(default=None, ge=column.at_least),
    )
    for column in TABLES["internal.known_errors"].columns
    if column.name in _OF_A_ROW
}
Row = create_model("Row", __config__=_STRICT, **_ROW_FIELDS)


class KnownError(BaseModel):
    """One entry of `corrections.yml`; the file describes its fields."""

    model_config = _STRICT

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    known_in: list[KnownPlace] = []
    anywhere: bool = False
    metric: str = Field(min_length=1)
    row: Row  # type: ignore[valid-type]
    expect: dict[str, str] = {}
    action: Literal["flag", "override", "drop"]
    reason: str = Field(pattern=r"^[A-Z0-9].{10,}\.$")
    value: float | None = None
    value_low: float | None = None
    value_high: float | None = None
    unit: str | None = None

    @model_validator(mode="after")
    def _fits_together(self) -> KnownError:
        if not self.known_in and not self.anywhere:
            raise ValueError(
                "must list a source or a sha256 in `known_in`, or set `anywhere: true`"
            )
        if not self.expect:
            self._is_of_a_column()
        elif self.metric not in self.expect:
            raise ValueError(
                f"`expect` must include the printed {self.metric}, the metric of the entry"
            )
        if not self.row.model_dump(exclude_none=True):  # type: ignore[attr-defined]
            raise ValueError(
                "`row` must have at least one field that identifies it, such as `line`"
            )
        if self.action != "override":
            if (self.value, self.value_low, self.value_high, self.unit) != (None,) * 4:
                raise ValueError(
                    "only an override has `value`, `value_low`, `value_high` and `unit`"
                )
            return self
        if self.value is None or self.unit is None:
            raise ValueError("an override needs the corrected `value` and its canonical `unit`")
        low, high = self.interval
        if not low <= self.value <= high:
            raise ValueError(f"`value` {self.value:g} is outside {low:g}..{high:g}")
        return self

    def _is_of_a_column(self) -> None:
        """Without printed numbers an entry covers all of its place, so that the document has to be
        a stored one.
        """
        if (
            self.anywhere
            or self.action == "override"
            or any("/" in place for place in self.known_in)
        ):
            raise ValueError(
                "an entry without `expect` flags or drops numbers of documents named by their sha256"
            )

    @property
    def interval(self) -> tuple[Any, Any]:
        """Least and greatest value that the correction allows; None of an entry that corrects
        nothing.
        """
        low = self.value if self.value_low is None else self.value_low
        high = self.value if self.value_high is None else self.value_high
        return low, high


def known_errors(path: Path | None = None) -> list[dict[str, Any]]:
    """Rows of `internal.known_errors`, in the order of their names.

    Args:
        path: The list; by default the one that the project ships.

    Raises:
        CorrectionError: The file is no YAML, an entry lacks a field or has one too many, or two
            have one name.
    """
    path = path or CORRECTIONS_FILE
    try:
        content = load_yaml(path)
    except YamlError as error:
        raise CorrectionError(f"{path.name}: {error}") from None
    try:
        entries = TypeAdapter(list[KnownError]).validate_python(content or [])
    except ValidationError as error:
        raise CorrectionError(
            "; ".join(_fault(path, content, dict(fault)) for fault in error.errors())
        ) from None
    names = [entry.name for entry in entries]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise CorrectionError(
            f"{path.name}: two entries have the name {', '.join(repeated)}; names must be unique"
        )
    return [
        entry.row.model_dump()  # type: ignore[attr-defined]
        | entry.model_dump(include={"reason", "known_in", "metric", "value", "unit"})
        | {
            "correction": entry.name,
            "correction_action": entry.action,
            "is_anywhere": entry.anywhere,
            "value_printed": entry.expect.get(entry.metric),
            # Compared with the numbers of a row in the same form, see known_error_places.sql.
            "expected": sorted(f"{metric} {printed}" for metric, printed in entry.expect.items()),
            "value_low": entry.interval[0],
            "value_high": entry.interval[1],
        }
        for entry in sorted(entries, key=lambda entry: entry.name)
    ]


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
