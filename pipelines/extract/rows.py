"""The kinds of rows that extraction gives, each as printed and with its place.

Each class is one table of the schema `extracted`: its fields are that table's columns. Canonical
names do not belong here: they are given in `resolved`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, TypeVar, dataclass_transform

from pipelines.read.document import Cell
from pipelines.schemas.tables import Table, declared
from pipelines.values.quantity import Bound, Quantity

_T = TypeVar("_T")
# Levels of conditions from a mapping or a vocabulary.
NOT_PRINTED = frozenset({"mapping", "vocabulary"})

ChartMark = Literal["bar", "line_point", "scatter_point"]
ChartMethod = Literal["printed", "geometry", "ratio"]
# Where a condition is stated, nearest first; the last two are printed nowhere in the document.
Level = Literal[
    "cell",
    "row",
    "column_heading",
    "row_title",
    "caption",
    "heading",
    "sentence",
    "page",
    "mapping",
    "vocabulary",
]


def interval(number: Quantity, name: str) -> dict[str, Any]:
    """The columns of a printed number with its interval: `factor`, `factor_low`, `factor_high`,
    `bound`.
    """
    return {
        name: number.value,
        f"{name}_low": number.low,
        f"{name}_high": number.high,
        "bound": number.bound,
    }


@dataclass_transform(kw_only_default=True, frozen_default=True)
def _kind_of_row(declared: type[_T]) -> type[_T]:
    return dataclass(frozen=True, slots=True, kw_only=True)(declared)


@_kind_of_row
class Row:
    """Any extracted row.

    Attributes:
        cell: The printed characters of the value that the row is about; `resolved.evidence` points
            at them.
        section: Heading above the place, as printed.
        section_line: Line of that heading; rows of one slide or table section share it.
    """

    cell: Cell
    section: str | None = None
    section_line: int | None = None


@_kind_of_row
class Condition(Row):
    """One condition of measurements; any number of them may point at it.

    Attributes:
        cell: The printed characters that say it; `Cell("", 0, 0, 0)` where no document prints it
            (`NOT_PRINTED`).
        number: Its number within document and format, from 0.
        dimension: Its dimension: `batch_size`, `platform`, `unit` ..., or `other`.
        value: Its value, as `extract.mentions.condition_value` reads it; a name is as printed.
        level: Where it is stated.
        value_printed: The printed words that a mapping gives the value to; None where the words say
            it themselves.
    """

    number: int
    dimension: str
    value: str
    level: Level
    value_printed: str | None = None

    @property
    def is_printed(self) -> bool:
        """False for conditions from a mapping or a vocabulary."""
        return self.level not in NOT_PRINTED


@_kind_of_row
class Measurement(Row):
    """One measured number. `value`, `value_low`, `value_high` are in the canonical `unit` (s, ms,
    items/s).

    Attributes:
        statistic: What the number is of many: `p99`, `mean`, `min`; None where nothing says so.
        higher_is_better: Whether more is a gain, of a metric that only a mapping knows.
        conditions: Numbers of the conditions that hold for it.
    """

    metric: str
    statistic: str | None = None
    value: float
    value_low: float
    value_high: float
    bound: Bound = "eq"
    unit: str
    unit_printed: str | None = None
    item: str | None = None
    row_line: int | None = None
    headings_printed: str | None = None
    epoch: int | None = None
    task: str | None = None
    suite: str | None = None
    model_printed: str | None = None
    variant_printed: str | None = None
    variant_name: str | None = None
    stage: str | None = None
    phase: int | None = None
    sequence_length: int | None = None
    is_packed: bool | None = None
    image_size: str | None = None
    configuration: str | None = None
    platform_printed: str | None = None
    accelerator_count: int | None = None
    sdk_version: str | None = None
    framework_printed: str | None = None
    framework_version: str | None = None
    dataset_printed: str | None = None
    batch_size: int | None = None
    precision: str | None = None
    activation_bits: int | None = None
    weight_bits: int | None = None
    division: str | None = None
    submission_id: str | None = None
    quality_target: str | None = None
    ranking: str | None = None
    higher_is_better: bool | None = None
    conditions: tuple[int, ...] = ()


@_kind_of_row
class Claim(Row):
    """One comparison. `factor` is the subject's advantage as printed: "10x lower latency" is 10 on
    `latency`.

    Attributes:
        subject_printed: What is favoured; in a sentence it may be software or a precision.
        baseline_printed: What it is compared with, as for the subject.
    """

    factor: float
    factor_low: float
    factor_high: float
    bound: Bound = "eq"
    metric: str | None = None
    task: str | None = None
    suite: str | None = None
    model_printed: str | None = None
    subject_printed: str | None = None
    baseline_printed: str | None = None
    subject_sdk_version: str | None = None
    baseline_sdk_version: str | None = None
    baseline_round: str | None = None
    conditions: str | None = None
    sentence: str | None = None
    repeats_line: int | None = None


@_kind_of_row
class Configuration(Row):
    """How one side of a comparison was run, as the notes of a chart say; `cell` is the statement."""

    role: str
    platform_printed: str | None = None
    accelerator_count: int | None = None
    model_printed: str | None = None
    framework_printed: str | None = None
    sdk_version: str | None = None
    precision: str | None = None
    batch_sizes_printed: str | None = None
    batch_size_low: int | None = None
    batch_size_high: int | None = None
    dataset_printed: str | None = None
    measured_by: str | None = None


@_kind_of_row
class Run(Row):
    """One training run of a log; `cell` is its stated training time, or its heading where none is
    stated.

    Attributes:
        status: The status in an MLPerf log: `success`, `aborted` ...; null for other logs.
        quality_reached: What its last evaluation found.
        scored_as: `counted` where it is part of a score, `fastest` or `slowest` where the rules
            drop it.
    """

    accelerator_printed: str | None = None
    accelerator_count: int | None = None
    batch_size: int | None = None
    epochs: int | None
    epochs_planned: int | None = None
    training_time_s: float | None = None
    total_parameters: int | None = None
    trainable_parameters: int | None = None
    run_line: int
    suite: str | None = None
    model_printed: str | None = None
    division: str | None = None
    submitter: str | None = None
    status: str | None = None
    quality_reached: float | None = None
    seed: int | None = None
    samples: int | None = None
    scored_as: str | None = None


@_kind_of_row
class Epoch(Row):
    """One finished epoch of the run that starts at `run_line`; `cell` is the printed time of the
    epoch.
    """

    run_line: int
    epoch: int
    steps: int | None = None
    epoch_time_s: float | None = None
    step_time_ms: float | None = None
    loss: float | None = None
    loss_is_nan: bool = False


@_kind_of_row
class Price(Row):
    """One printed list price."""

    platform_printed: str | None = None
    price_usd: float
    price_low_usd: float
    price_high_usd: float
    bound: Bound = "eq"


@_kind_of_row
class Submission(Row):
    """One submission identifier in a list of them (`MLPerf ID: 2.0-2045, ...`)."""

    submission_id: str
    suite: str | None = None


@_kind_of_row
class ChartValue(Row):
    """One bar or point of a drawn chart; `cell` is the number printed at it, or else the words
    nearest to it.

    Attributes:
        drawn_page: Page it is drawn on, from 1; `drawn_x0` to `drawn_bottom` are its box there, cut
            to the plot.
        chart_number: Number of the chart on its page, from 1.
        mark_number: Number of the bar or point in its chart, from 1.
        mark: What it is.
        method: `printed` where a number is printed at it, `geometry` where its drawing and the axis
            give the value, `ratio` for a bar without axis, whose value is its length in lengths of
            the shortest bar.
        value: The value by `method`, in `unit`, with its interval.
        printed_value: The printed number; of a bar without axis the factor claimed beside it.
        drawn_value: The value by the geometry, with the interval of its precision.
    """

    drawn_page: int
    drawn_x0: float
    drawn_top: float
    drawn_x1: float
    drawn_bottom: float
    chart_number: int
    mark_number: int
    mark: ChartMark
    method: ChartMethod
    series_printed: str
    category_printed: str
    x_value: float | None = None
    axis_printed: str | None = None
    axis_scale: str | None = None
    metric: str | None = None
    unit: str | None = None
    unit_printed: str | None = None
    value: float
    value_low: float
    value_high: float
    bound: Bound = "eq"
    printed_value: float | None = None
    printed_low: float | None = None
    printed_high: float | None = None
    drawn_value: float
    drawn_low: float
    drawn_high: float


@_kind_of_row
class Reject(Row):
    """Content that was not accepted.

    Attributes:
        rule: Short name of the rule.
        reason: What is wrong, in a sentence a user understands.
        scope: What was not read: `document`, `page`, `table`, `row` or `sentence`; `note` for a
            mere note.
        row_json: The whole row or sentence, so that it can be read again.
    """

    rule: str
    reason: str
    scope: str = "row"
    row_json: str | None = None


ROW_KINDS: dict[str, type[Row]] = {
    "measurements": Measurement,
    "conditions": Condition,
    "claims": Claim,
    "configurations": Configuration,
    "runs": Run,
    "epochs": Epoch,
    "prices": Price,
    "submissions": Submission,
    "chart_values": ChartValue,
    "rejects": Reject,
}
KIND_OF = {row_class: kind for kind, row_class in ROW_KINDS.items()}


def _table_of(kind: str) -> Table:
    """The table of a class. A field may be null if its type has None."""
    of_place = {field.name for field in fields(Row)}
    own = [field for field in fields(ROW_KINDS[kind]) if field.name not in of_place]
    columns = [f"{field.name}?" if "None" in str(field.type) else field.name for field in own]
    return declared(f"extracted.{kind}", " ".join(columns))


EXTRACTED_TABLES = {f"extracted.{kind}": _table_of(kind) for kind in ROW_KINDS}
