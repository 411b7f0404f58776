"""Every column of the warehouse once: name, type, meaning, and what its values may be.

DuckDB comments, the table schemas in the Dagster UI, the pandera contracts and the data dictionary come from here.
Which table has which columns stands in `tables.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ColumnType = Literal["text", "integer", "number", "flag", "date", "timestamp", "texts", "integers"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the warehouse.

    Attributes:
        name: Name, the same in every table.
        type: Its type; `texts` and `integers` are lists.
        meaning: What it says, with the unit where the name does not carry it.
        one_of: The only values allowed, or None.
        pattern: Regular expression that each text matches, or None.
        at_least: Least value allowed, or None.
    """

    name: str
    type: ColumnType
    meaning: str
    one_of: tuple[str, ...] | None = None
    pattern: str | None = None
    at_least: float | None = None


_SHA256 = r"^[0-9a-f]{64}$"
_ID = r"^[0-9a-f]{16,64}$"

BOUNDS = ("eq", "gt", "lt", "approx", "up_to")
SCOPES = ("document", "table", "row", "sentence")

_COLUMNS = (
    # documents
    Column("document_id", "text", "sha256 of the stored bytes, in hex", pattern=_SHA256),
    Column("source", "text", "publisher/source, the two folders under raw/", pattern=r"^[^/\s]+/[^/\s]+$"),
    Column("publisher", "text", "who published the document"),
    Column(
        "interest",
        "text",
        "the publisher's interest in the result",
        one_of=("vendor", "competitor", "independent", "unknown"),
    ),
    Column("title", "text", "title of the source"),
    Column("url", "text", "address the source was captured from"),
    Column("format", "text", "source format: what reads the document first"),
    Column("media_type", "text", "media type of the stored bytes"),
    Column("published_on", "date", "day of publication, as the document or its sidecar says"),
    Column("retrieved_at", "timestamp", "when the bytes were captured, UTC"),
    Column(
        "edition",
        "text",
        "original as captured, or facts: our own words around the same facts",
        one_of=("original", "facts"),
    ),
    Column("bytes", "integer", "size of the stored document in bytes", at_least=0),
    Column("path", "text", "path of the stored document below raw/"),
    Column("snapshot_on", "date", "day that orders the snapshots of a source: published_on, else the day of retrieval"),
    # places
    Column("line", "integer", "line the value itself is printed on, from 1", at_least=1),
    Column("char_start", "integer", "first character within the line, from 0", at_least=0),
    Column("char_end", "integer", "one past the last character within the line", at_least=0),
    Column("page", "integer", "page of a paged document, from 1; null for text", at_least=1),
    Column("x0", "number", "left edge of the printed box in points; null for text"),
    Column("top", "number", "upper edge of the printed box in points; null for text"),
    Column("x1", "number", "right edge of the printed box in points; null for text"),
    Column("bottom", "number", "lower edge of the printed box in points; null for text"),
    Column("text_printed", "text", "the printed characters themselves"),
    Column("extractor", "text", "source format whose reader found the row"),
    Column("section", "text", "heading that the place stands under, as printed"),
    Column("section_line", "integer", "line of that heading; the rows of one slide or table share it", at_least=1),
    Column("row_line", "integer", "first line of the table row; measurements of one row share it", at_least=1),
    Column("evidence_id", "text", "identifier of the printed place", pattern=_ID),
    # identity
    Column("result_id", "text", "identifier of the measured number at its place", pattern=_ID),
    Column("claim_id", "text", "identifier of the claim", pattern=_ID),
    Column("run_id", "text", "identifier of the training run", pattern=_ID),
    Column("configuration_id", "text", "identifier of one side of a comparison", pattern=_ID),
    Column(
        "benchmark_key",
        "text",
        "hash of what was measured: the same for the same benchmark in every release",
        pattern=_ID,
    ),
    # what was measured
    Column("task", "text", "training or inference, where the document says so", one_of=("training", "inference")),
    Column("suite", "text", "benchmark suite that the row belongs to, such as MLPerf Training v2.0"),
    Column("stage", "text", "stage of training", one_of=("pre-training", "fine-tuning")),
    Column("phase", "integer", "phase of the stage, from 1", at_least=1),
    Column("model", "text", "canonical name of the model; the printed one where no vocabulary knows it"),
    Column("model_printed", "text", "model as printed"),
    Column("variant_printed", "text", "variant cell as printed"),
    Column("variant_name", "text", "words of the variant that are no stage, length, size or configuration"),
    Column("sequence_length", "integer", "tokens per sequence", at_least=1),
    Column("is_packed", "flag", "true where packed sequences are stated; null where nothing is said"),
    Column("image_size", "text", "image size in pixels as printed"),
    Column("configuration", "text", "how the benchmark was run, such as lowest latency"),
    Column("attributes", "text", "other columns that define the benchmark, such as Input Length 128, TP Degree 8"),
    Column("platform", "text", "canonical name of the platform; the printed one where no vocabulary knows it"),
    Column("platform_printed", "text", "platform as printed"),
    Column("vendor", "text", "who makes the platform's accelerator"),
    Column("accelerator", "text", "device as printed in the log's heading"),
    Column("accelerator_printed", "text", "device as printed in the log's heading"),
    Column("accelerator_count", "integer", "accelerators used: as printed, else the chips of the platform", at_least=1),
    Column("sdk_version", "text", "SDK release as printed, without the word SDK"),
    Column(
        "sdk_order", "integers", "sdk_version as numbers, for comparing releases: 2.10 comes after 2.9, 2.4.0 is 2.4"
    ),
    Column("framework", "text", "canonical name of the framework; the printed one where no vocabulary knows it"),
    Column("framework_printed", "text", "framework as printed"),
    Column(
        "dataset", "text", "canonical name of the dataset or challenge; the printed one where no vocabulary knows it"
    ),
    Column("dataset_printed", "text", "dataset as printed"),
    Column("batch_size", "integer", "batch size (micro batch size where that is what is printed)", at_least=1),
    Column("batch_sizes_printed", "text", "batch sizes of a curve as printed, such as 4 through 360"),
    Column("batch_size_low", "integer", "smallest batch size of the curve", at_least=1),
    Column("batch_size_high", "integer", "largest batch size of the curve; null where the list is open", at_least=1),
    Column("precision", "text", "number format: activations.weights in bits, or FP32, INT8, mixed"),
    Column(
        "activation_bits",
        "integer",
        "width of activations and gradients in bits, where the document defines it",
        at_least=1,
    ),
    Column("weight_bits", "integer", "width of the stored weights in bits, where the document defines it", at_least=1),
    Column("division", "text", "division of the submission, such as Closed or Open"),
    Column("submission_id", "text", "identifier of the submission, such as an MLPerf ID"),
    Column("quality_target", "text", "quality that training had to reach, as printed"),
    Column("ranking", "text", "rank in the competition, as printed"),
    Column("measured_by", "text", "who measured, as printed"),
    Column(
        "role", "text", "side of the comparison; other where it cannot be told", one_of=("subject", "baseline", "other")
    ),
    # values
    Column("metric", "text", "what was measured: throughput, latency, time_to_train ... as in the vocabulary"),
    Column("value", "number", "measured value in the canonical unit of the column unit"),
    Column("value_low", "number", "least value that the printed rounding and bound allow"),
    Column("value_high", "number", "greatest value that the printed rounding and bound allow"),
    Column("bound", "text", "eq for a plain number, else what the words before it say", one_of=BOUNDS),
    Column("unit", "text", "canonical unit of the value"),
    Column("unit_printed", "text", "unit as printed beside the value or in the heading"),
    Column("item", "text", "what is counted per second: images, sequences, graphs ...; null where only items is said"),
    Column("value_printed", "text", "value as printed"),
    # claims
    Column(
        "subject_platform", "text", "platform that the claim praises; the printed name where no vocabulary knows it"
    ),
    Column("subject_printed", "text", "the praised platform as printed"),
    Column("baseline_platform", "text", "platform it is compared with; the printed name where no vocabulary knows it"),
    Column("baseline_printed", "text", "the compared platform as printed"),
    Column("subject_sdk_version", "text", "SDK release of the subject"),
    Column("baseline_sdk_version", "text", "SDK release of the baseline"),
    Column(
        "factor", "number", "claimed ratio as printed, the subject's advantage; 10x lower latency is 10", at_least=0
    ),
    Column("factor_low", "number", "least factor that the printed rounding and bound allow", at_least=0),
    Column("factor_high", "number", "greatest factor that the printed rounding and bound allow", at_least=0),
    Column("conditions", "text", "conditions of the comparison as printed, joined by semicolons"),
    Column("sentence", "text", "the sentence or headline that claims it"),
    Column(
        "repeats_line", "integer", "line of the headline that this label repeats; null for the claim itself", at_least=1
    ),
    Column("repeat_evidence_ids", "texts", "places that print the same claim again, such as bar labels"),
    # logs
    Column("epochs", "integer", "epochs finished", at_least=0),
    Column("epochs_planned", "integer", "epochs planned, as the epoch headings say", at_least=1),
    Column("training_time_s", "number", "total training time stated by the log, in seconds", at_least=0),
    Column("total_parameters", "integer", "parameters of the model", at_least=0),
    Column("trainable_parameters", "integer", "trainable parameters of the model", at_least=0),
    Column("run_line", "integer", "line that the run starts on", at_least=1),
    Column("epoch", "integer", "epoch of the run, from 1", at_least=1),
    Column("steps", "integer", "steps of the epoch", at_least=0),
    Column("epoch_time_s", "number", "time of the epoch in seconds, as the progress bar prints it", at_least=0),
    Column("step_time_ms", "number", "time per step in milliseconds, as the progress bar prints it", at_least=0),
    Column("loss", "number", "loss at the end of the epoch; null when nan"),
    Column("loss_is_nan", "flag", "true where the log prints nan"),
    # prices
    Column("price_usd", "number", "list price in US dollars", at_least=0),
    Column(
        "price_low_usd", "number", "least price that the printed rounding and bound allow, in US dollars", at_least=0
    ),
    Column(
        "price_high_usd",
        "number",
        "greatest price that the printed rounding and bound allow, in US dollars",
        at_least=0,
    ),
    # rejects and names
    Column("rule", "text", "short name of the rule that refused the row"),
    Column("reason", "text", "what is wrong, in words"),
    Column("scope", "text", "what was lost: a document, a table, a row or a sentence", one_of=SCOPES),
    Column("row_json", "text", "the whole row or text that was refused, as JSON"),
    Column("kind", "text", "kind of thing: of name, or of conflict"),
    Column("name_printed", "text", "name as printed"),
    Column("name", "text", "canonical name; null where no vocabulary knows the printed one"),
    Column("family", "text", "family of the model"),
    Column("is_family", "flag", "true where the printed model names only a family and the variant names the model"),
    Column("chips", "integer", "accelerator chips in one platform", at_least=1),
    Column("multiplier", "integer", "platforms stated before or behind the name, as in 8x H100", at_least=1),
    Column("version_printed", "text", "version printed behind the name, as in PyTorch 2.5"),
    Column("better", "text", "direction in which the metric is a gain", one_of=("higher", "lower")),
    Column("occurrences", "integer", "rows that print the name", at_least=0),
    Column("suggestion", "text", "nearest known spelling; never applied"),
    # counts per document
    Column("lines", "integer", "lines of the document", at_least=0),
    Column("lines_read", "integer", "lines that the format has read", at_least=0),
    Column("rows_read", "integer", "rows that the format gave, rejects not counted", at_least=0),
    Column("rejects", "integer", "rows that the format refused", at_least=0),
    # conflicts
    Column("left_evidence_id", "text", "place of the first value", pattern=_ID),
    Column("right_evidence_id", "text", "place of the second value", pattern=_ID),
    Column("left_value", "number", "first value, in the canonical unit"),
    Column("right_value", "number", "second value, in the canonical unit"),
    # marts
    Column(
        "status",
        "text",
        "how the value stands",
        one_of=("current", "superseded", "restated", "conflicting", "withdrawn"),
    ),
    Column("stands", "flag", "true for the one row of a benchmark that main.current_results shows"),
    Column(
        "stands_in_release", "flag", "true for the one row of a benchmark and SDK release that main.sdk_progress uses"
    ),
    Column("first_published_on", "date", "first snapshot day that prints the value"),
    Column("last_published_on", "date", "last snapshot day that prints the value"),
    Column("documents", "integer", "documents concerned", at_least=1),
    Column("document_ids", "texts", "documents that print the value"),
    Column("superseded_versions", "texts", "SDK releases whose values this row stands for instead, newest first"),
    Column("sdk_from", "text", "earlier SDK release"),
    Column("sdk_to", "text", "later SDK release"),
    Column("value_from", "number", "value under the earlier release"),
    Column("value_to", "number", "value under the later release"),
    Column(
        "speedup", "number", "gain from the earlier to the later release; above 1 is better, for times too", at_least=0
    ),
)

COLUMNS: dict[str, Column] = {column.name: column for column in _COLUMNS}
