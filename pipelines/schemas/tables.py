"""Every table of the warehouse: what it is, its grain, its columns in order, its key.

What a column means stands in `columns.py`; how a table is made stands in `sql/` or in its asset.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from pipelines.schemas.columns import COLUMNS, Column

LAYERS = ("raw", "extracted", "resolved", "audit", "main")


class SchemaError(Exception):
    """A table whose declaration contradicts itself or the columns."""


@dataclass(frozen=True)
class Table:
    """One table of the warehouse.

    Attributes:
        layer: Its schema in DuckDB and its group in Dagster.
        name: Its name.
        meaning: What it holds, in a sentence.
        grain: What one row is.
        layout: Column names in order, separated by blanks; `?` behind a name allows null.
        key: Columns that no two rows share.
        rejects_up_to: Share of rows that may fail the contract before the whole frame counts as broken.
        filled_with: Table that, when it has rows, obliges this one to have rows.
    """

    layer: str
    name: str
    meaning: str
    grain: str
    layout: str
    key: tuple[str, ...] = ()
    rejects_up_to: float = 0.0
    filled_with: str | None = None

    @property
    def full_name(self) -> str:
        return f"{self.layer}.{self.name}"

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns in order.

        Raises:
            SchemaError: A name that `columns.py` does not know.
        """
        names = [word.rstrip("?") for word in self.layout.split()]
        unknown = [name for name in names if name not in COLUMNS]
        if unknown:
            raise SchemaError(f"{self.full_name} has columns that columns.py does not know: {unknown}")
        return tuple(COLUMNS[name] for name in names)

    @cached_property
    def nullable(self) -> frozenset[str]:
        """Names of the columns that may hold null."""
        return frozenset(word[:-1] for word in self.layout.split() if word.endswith("?"))


# A tenth of the rows may be refused one by one; above that the reader no longer fits what it reads. Derived tables
# (audit, main) may refuse none: their rows come from rows that were checked.
_SOME = 0.1

_PLACE = "line char_start char_end text_printed"
_PRINTED = "document_id extractor section? section_line?"
_BENCHMARK = (
    "task? suite? model_printed? variant_printed? variant_name? stage? phase? sequence_length? is_packed? image_size? "
    "configuration? attributes? platform_printed? accelerator_count? sdk_version? framework_printed? dataset_printed? batch_size? "
    "precision? activation_bits? weight_bits? division? submission_id? quality_target? ranking?"
)
_RESULT = (
    "result_id document_id evidence_id line section? row_line? task? suite? stage? phase? model? model_printed? "
    "variant_printed? variant_name? sequence_length? is_packed? image_size? configuration? attributes? platform? platform_printed? "
    "vendor? accelerator_count? sdk_version? sdk_order? framework? framework_printed? dataset? dataset_printed? batch_size? precision? "
    "activation_bits? weight_bits? division? submission_id? quality_target? ranking? metric value value_low value_high bound "
    "unit unit_printed? item? value_printed extractor benchmark_key"
)
_SIDE = (
    "role platform_printed? accelerator_count? model_printed? framework_printed? sdk_version? precision? "
    "batch_sizes_printed? batch_size_low? batch_size_high? dataset_printed? measured_by?"
)

_TABLES = (
    Table(
        "raw", "documents", "Stored snapshots: immutable bytes with where they came from.", "one row per stored snapshot",
        "document_id source publisher interest title? url? format? media_type published_on? retrieved_at edition bytes path "
        "snapshot_on",
        key=("document_id",),
    ),
    Table(
        "extracted", "measurements", "Measured numbers in the printed words.", "one row per number measured and its place",
        f"{_PRINTED} {_PLACE} row_line? {_BENCHMARK} metric value value_low value_high bound unit unit_printed? item?",
        key=("document_id", "line", "char_start", "metric"), rejects_up_to=_SOME,
    ),
    Table(
        "extracted", "claims", "Claimed comparisons in the printed words.", "one row per printed factor and metric",
        f"{_PRINTED} {_PLACE} task? suite? model_printed? subject_printed? baseline_printed? subject_sdk_version? "
        "baseline_sdk_version? metric? factor factor_low factor_high bound conditions? sentence? repeats_line?",
        key=("document_id", "line", "char_start", "metric", "model_printed"), rejects_up_to=_SOME,
    ),
    Table(
        "extracted", "configurations", "How each side of a comparison was run, in the printed words.",
        "one row per side of a comparison", f"{_PRINTED} {_PLACE} {_SIDE}",
        key=("document_id", "line", "char_start", "role"), rejects_up_to=_SOME,
    ),
    Table(
        "extracted", "runs", "Training runs of logs.", "one row per run of a log",
        f"{_PRINTED} {_PLACE} run_line accelerator_printed? accelerator_count? batch_size? epochs epochs_planned? "
        "training_time_s? total_parameters? trainable_parameters?",
        key=("document_id", "run_line"), rejects_up_to=_SOME,
    ),
    Table(
        "extracted", "epochs", "Finished epochs of training logs.", "one row per finished epoch of a run",
        f"{_PRINTED} {_PLACE} run_line epoch steps? epoch_time_s? step_time_ms? loss? loss_is_nan",
        key=("document_id", "run_line", "epoch"), rejects_up_to=_SOME,
    ),
    Table(
        "extracted", "prices", "List prices in the printed words.", "one row per printed price",
        f"{_PRINTED} {_PLACE} platform_printed? price_usd price_low_usd price_high_usd bound",
        key=("document_id", "line", "char_start"), rejects_up_to=_SOME,
    ),
    Table(
        "extracted", "submissions", "Submission identifiers listed outside the result tables.", "one row per listed identifier",
        f"{_PRINTED} {_PLACE} submission_id suite?",
        key=("document_id", "line", "char_start"), rejects_up_to=_SOME,
    ),
    Table(
        "extracted", "rejects", "What the readers refused, with the reason.", "one row per refused row, table or document",
        f"{_PRINTED} {_PLACE} rule reason scope row_json?",
    ),
    Table(
        "extracted", "printed_names", "Every printed name that a vocabulary shall know.",
        "one row per kind of name, spelling and suite", "kind name_printed suite? occurrences documents",
        key=("kind", "name_printed", "suite"),
    ),
    Table(
        "resolved", "names", "What each printed name means.", "one row per kind of name, spelling and suite",
        "kind name_printed suite? name? vendor? family? is_family? chips? multiplier? version_printed? unit? better? occurrences "
        "documents suggestion?",
        key=("kind", "name_printed", "suite"),
    ),
    Table(
        "resolved", "evidence", "The printed characters behind every value.", "one row per printed place",
        "evidence_id document_id line char_start char_end page? x0? top? x1? bottom? text_printed extractor",
        key=("evidence_id",),
    ),
    Table(
        "resolved", "results", "Measured numbers under canonical names, with the identity of their benchmark.",
        "one row per number measured, as one document prints it", _RESULT,
        key=("result_id",), filled_with="extracted.measurements", rejects_up_to=_SOME,
    ),
    Table(
        "resolved", "claims", "Comparisons claimed in documents, under canonical names.",
        "one row per comparison claimed in a document",
        "claim_id document_id evidence_id line section? section_line? task? suite? model? model_printed? subject_platform? "
        "subject_printed? baseline_platform? baseline_printed? subject_sdk_version? baseline_sdk_version? metric? factor "
        "factor_low factor_high bound conditions? sentence? repeat_evidence_ids text_printed extractor",
        key=("claim_id",), filled_with="extracted.claims", rejects_up_to=_SOME,
    ),
    Table(
        "resolved", "configurations", "How each side of a comparison was run, under canonical names.",
        "one row per side of a comparison; joins resolved.claims on document_id and section_line",
        "configuration_id document_id evidence_id line section? section_line? role platform? platform_printed? vendor? "
        "accelerator_count? model? model_printed? framework? framework_printed? sdk_version? precision? batch_sizes_printed? "
        "batch_size_low? batch_size_high? dataset? dataset_printed? measured_by?",
        key=("configuration_id",), filled_with="extracted.configurations", rejects_up_to=_SOME,
    ),
    Table(
        "resolved", "training_runs", "Training runs of logs.", "one row per run in a log",
        "run_id document_id evidence_id line accelerator? accelerator_printed? vendor? accelerator_count? batch_size? epochs "
        "epochs_planned? training_time_s? total_parameters? trainable_parameters?",
        key=("run_id",), filled_with="extracted.runs", rejects_up_to=_SOME,
    ),
    Table(
        "resolved", "training_epochs", "Finished epochs of training runs.", "one row per epoch of a run",
        "run_id epoch document_id evidence_id line steps? epoch_time_s? step_time_ms? loss? loss_is_nan",
        key=("run_id", "epoch"), filled_with="extracted.epochs", rejects_up_to=_SOME,
    ),
    Table(
        "resolved", "prices", "List prices printed.", "one row per printed price",
        "document_id evidence_id line platform? platform_printed? price_usd price_low_usd price_high_usd bound",
        key=("evidence_id",), filled_with="extracted.prices", rejects_up_to=_SOME,
    ),
    Table(
        "resolved", "submissions", "Submission identifiers listed outside the result tables.", "one row per listed identifier",
        "document_id evidence_id line submission_id suite?",
        key=("evidence_id",), filled_with="extracted.submissions", rejects_up_to=_SOME,
    ),
    Table(
        "audit", "rejects", "What was not let in, with rule, reason and the row itself.",
        "one row per refused row, sentence, table or document",
        "document_id? path? line? extractor rule reason scope row_json?",
    ),
    Table(
        "audit", "unresolved_names", "Printed names that no vocabulary knows, with the nearest known spelling.",
        "one row per kind and printed name", "kind name_printed occurrences documents suggestion?",
        key=("kind", "name_printed"),
    ),
    Table(
        "audit", "conflicts", "Pairs of places that print values for one fact whose rounding intervals do not meet.",
        "one row per pair of disagreeing places",
        "kind benchmark_key sdk_version? left_evidence_id right_evidence_id left_value right_value reason",
        key=("left_evidence_id", "right_evidence_id"),
    ),
    Table(
        "main", "result_history", "Every value a benchmark has had, by SDK release, and how it stands today.",
        "one row per benchmark, SDK release and value",
        "benchmark_key model? platform? metric sdk_version? sdk_order? value unit status stands stands_in_release "
        "first_published_on last_published_on documents document_ids result_id",
        key=("benchmark_key", "sdk_version", "value", "result_id"), filled_with="resolved.results",
    ),
    Table(
        "main", "current_results", "The result that stands now for each benchmark.", "one row per benchmark",
        f"{_RESULT} documents document_ids superseded_versions",
        key=("benchmark_key",),
    ),
    Table(
        "main", "sdk_progress", "Gain of a benchmark from one SDK release to the next that prints it.",
        "one row per benchmark and consecutive pair of SDK releases",
        "benchmark_key model? platform? metric sdk_from sdk_to value_from value_to speedup",
        key=("benchmark_key", "sdk_from", "sdk_to"),
    ),
)  # fmt: skip

TABLES: dict[str, Table] = {table.full_name: table for table in _TABLES}


def format_table(name: str, description: str) -> Table:
    """The table of a source format: which documents it read, and how many rows each gave."""
    return Table(
        "extracted",
        name,
        f"Documents read as {name}: {description}",
        "one row per document in which the format read something",
        "document_id lines lines_read rows_read rejects",
        key=("document_id",),
    )
