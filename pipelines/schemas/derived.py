"""The tables of the layers audit and main: what is wrong, what stands, what changed."""

from __future__ import annotations

from pipelines.schemas.table import Table

# A row that was not let in, with the place it was printed at.
_REFUSED = "document_id? path? line? char_start? char_end? extractor rule reason scope row_json?"
_REJECT = f"reject_id {_REFUSED} first_seen"

TABLES = (
    Table(
        "audit",
        "rejects",
        "What was not let in, with rule, reason and the row itself.",
        "one row per refused row, sentence, table, page or document",
        _REJECT,
        key=("reject_id",),
    ),
    Table(
        "audit",
        "closed_rejects",
        "What earlier builds refused and the last one did not, since when and why.",
        "one row per reject that has closed",
        _REJECT + " closed_at closed_because",
        key=("reject_id",),
    ),
    Table(
        "internal",
        "refused_now",
        "What a build refuses, before it is compared with what earlier ones refused.",
        "one row per refused row, sentence, table, page or document",
        _REFUSED,
    ),
    Table(
        "internal",
        "former_rejects",
        "The rejects of the file that was published before, open and closed.",
        "one row per reject",
        _REJECT + " closed_at? closed_because?",
        key=("reject_id",),
    ),
    Table(
        "internal",
        "former_keys",
        "The benchmarks of the results of the file that was published before.",
        "one row per printed place, metric, statistic and benchmark",
        "document_id evidence_id metric statistic? benchmark_key",
        key=("document_id", "evidence_id", "metric", "statistic", "benchmark_key"),
    ),
    Table(
        "internal",
        "former_renamed_keys",
        "What `audit.renamed_keys` was in the file that was published before.",
        "one row per former key and key",
        "former_key benchmark_key results",
        key=("former_key", "benchmark_key"),
    ),
    Table(
        "audit",
        "renamed_keys",
        "Keys under which earlier builds kept benchmarks that are read otherwise now, for saved queries.",
        "one row per former key and key",
        "former_key benchmark_key results",
        key=("former_key", "benchmark_key"),
    ),
    Table(
        "audit",
        "unresolved_names",
        "Printed names that no vocabulary knows, with the nearest known spelling.",
        "one row per kind and printed name",
        "kind name_printed occurrences documents suggestion?",
        key=("kind", "name_printed"),
    ),
    Table(
        "audit",
        "line_ledger",
        "What every line of every document is.",
        "one row per line of a document",
        "document_id line role rule",
        key=("document_id", "line"),
    ),
    Table(
        "audit",
        "numerals",
        "What became of every numeral of every document.",
        "one row per numeral in a document",
        "document_id line char_start char_end text_printed status rule",
        key=("document_id", "line", "char_start"),
    ),
    Table(
        "audit",
        "coverage",
        "How much of each document was read; 0 lines for bytes that are no text.",
        "one row per document",
        (
            "document_id lines lines_unparsed numerals numerals_extracted numerals_explained numerals_unparsed "
            "marks_seen marks_stored marks_refused"
        ),
        key=("document_id",),
        filled_with="raw.documents",
    ),
    Table(
        "audit",
        "column_lineage",
        "Which columns each column of a table is made of, as its query says; filters and joins are no part of it.",
        "one row per column and column that it is made of",
        "table_name column_name from_table from_column?",
        key=("table_name", "column_name", "from_table", "from_column"),
    ),
    Table(
        "audit",
        "corrections",
        "Known errors of sources and the results they hit; an entry that hits none has nulls.",
        "one row per known error and result it hit",
        (
            "correction correction_action reason document_id? result_id? evidence_id? value_printed? value? "
            "value_uncorrected?"
        ),
        key=("correction", "result_id"),
    ),
    Table(
        "audit",
        "conflicts",
        "Pairs of places that print values for one fact whose rounding intervals do not meet.",
        "one row per pair of disagreeing places",
        "kind benchmark_key sdk_version? left_evidence_id right_evidence_id left_value right_value reason",
        key=("left_evidence_id", "right_evidence_id"),
    ),
    Table(
        "audit",
        "snapshots",
        "Every snapshot of every source, with what it still prints of the last one before it that printed any.",
        "one row per snapshot of a source",
        (
            "source snapshot_at snapshot documents document_ids results results_before? results_lost? share_lost? "
            "rows_lost_up_to is_latest lost_too_many"
        ),
        key=("source", "snapshot_at"),
        filled_with="raw.documents",
    ),
    Table(
        "audit",
        "snapshot_events",
        "What changed from one snapshot of a source to the next; the first snapshot of a source changes nothing.",
        "one row per benchmark or heading that changed between two consecutive snapshots",
        (
            "source snapshot_at from_document_id to_document_id event benchmark_key? model? platform? metric? "
            "sdk_version_from? sdk_version_to? value_from? value_to? unit? heading_from? heading_to?"
        ),
    ),
    Table(
        "main",
        "current_results",
        "The result that stands now for each benchmark: one answer per question.",
        "one row per benchmark",
        (
            "publisher model? task? metric statistic? value unit platform? accelerator_count? value_per_accelerator? "
            "vendor? higher_is_better? bound framework? precision? batch_size? batch_size_kind? sequence_length? "
            "input_length? output_length? concurrency? parallelism? stage? other_conditions? dataset? suite? "
            "sdk_version? superseded_versions last_published_on? last_captured_on documents correction? source line "
            "result_id benchmark_key"
        ),
        key=("benchmark_key",),
    ),
    Table(
        "main",
        "result_history",
        "Every value a benchmark has had, by SDK release, and how it stands today.",
        "one row per benchmark, SDK release and value",
        (
            "model? vendor? platform? task? metric statistic? framework? batch_size? sdk_version? value unit status "
            "stands stands_in_release first_published_on? last_published_on? first_captured_on last_captured_on "
            "documents document_ids sdk_order? benchmark_key result_id"
        ),
        key=("benchmark_key", "sdk_version", "value", "result_id"),
        filled_with="resolved.results",
    ),
    Table(
        "main",
        "sdk_progress",
        "Gain of a benchmark from one SDK release to the next that prints it.",
        "one row per benchmark and consecutive pair of SDK releases",
        (
            "model? vendor? platform? task? metric statistic? framework? batch_size? sdk_from sdk_to "
            "sdk_from_order sdk_to_order value_from value_to unit speedup is_beyond_reason benchmark_key"
        ),
        key=("benchmark_key", "sdk_from", "sdk_to"),
    ),
)
