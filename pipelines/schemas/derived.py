"""The tables of the layers audit and main: what is wrong, what stands, what changed, what compares with what."""

from __future__ import annotations

from pipelines.schemas.table import Table

_REFUSED = "document_id? path? line? char_start? char_end? extractor rule reason scope row_json?"
_REJECT = f"reject_id {_REFUSED} first_seen"
RELATION = "check_name document_id evidence_id line holds expected_low? expected_high? printed unit? inputs reason"

TABLES = (
    Table(
        "audit.rejects",
        "What was not let in, with rule, reason and the row itself.",
        "one row per refused row, sentence, table, page or document",
        _REJECT,
        unique="reject_id",
    ),
    Table(
        "audit.closed_rejects",
        "What earlier builds refused and the last one did not, since when and why.",
        "one row per reject that has closed",
        f"{_REJECT} closed_at closed_because",
        unique="reject_id",
    ),
    Table(
        "internal.refused_now",
        "What a build refuses, before it is compared with what earlier ones refused.",
        "one row per refused row, sentence, table, page or document",
        _REFUSED,
    ),
    Table(
        "internal.former_rejects",
        "The rejects of the file that was published before, open and closed.",
        "one row per reject",
        f"{_REJECT} closed_at? closed_because?",
        unique="reject_id",
    ),
    Table(
        "internal.former_keys",
        "The benchmarks of the results of the file that was published before.",
        "one row per printed place, metric, statistic and benchmark",
        "document_id evidence_id metric statistic? benchmark_key",
        unique="document_id evidence_id metric statistic benchmark_key",
    ),
    Table(
        "internal.former_renamed_keys",
        "What `audit.renamed_keys` was in the file that was published before.",
        "one row per former key and key",
        "former_key benchmark_key results",
        unique="former_key benchmark_key",
    ),
    Table(
        "audit.renamed_keys",
        "Keys under which earlier builds kept benchmarks that are read otherwise now, for saved queries.",
        "one row per former key and key",
        "former_key benchmark_key results",
        unique="former_key benchmark_key",
    ),
    Table(
        "audit.unresolved_names",
        "Printed names that no vocabulary knows, with the nearest known spelling.",
        "one row per kind and printed name",
        "kind name_printed occurrences documents suggestion?",
        unique="kind name_printed",
    ),
    Table(
        "audit.line_ledger",
        "What every line of every document is.",
        "one row per line of a document",
        "document_id line role rule",
        unique="document_id line",
    ),
    Table(
        "audit.numerals",
        "What became of every numeral of every document.",
        "one row per numeral in a document",
        "document_id line char_start char_end text_printed status rule",
        unique="document_id line char_start",
    ),
    Table(
        "audit.coverage",
        "How much of each document was read; 0 lines for bytes that are no text.",
        "one row per document",
        """document_id lines lines_unparsed numerals numerals_extracted numerals_explained numerals_unparsed marks_seen
        marks_stored marks_refused""",
        unique="document_id",
        filled_with="raw.documents",
    ),
    Table(
        "audit.column_lineage",
        "Which columns each column of a table is made of, as its query says; filters and joins are no part of it.",
        "one row per column and column that it is made of",
        "table_name column_name from_table from_column?",
        unique="table_name column_name from_table from_column",
    ),
    Table(
        "audit.corrections",
        "Known errors of sources and the results they hit; an entry that hits none has nulls.",
        "one row per known error and result it hit",
        """correction correction_action reason document_id? result_id? evidence_id? value_printed? value?
        value_uncorrected?""",
        unique="correction result_id",
    ),
    Table(
        "audit.conflicts",
        "Pairs of places that print values for one fact whose rounding intervals do not meet.",
        "one row per pair of disagreeing places",
        "kind benchmark_key sdk_version? left_evidence_id right_evidence_id left_value right_value reason",
        unique="left_evidence_id right_evidence_id",
    ),
    Table(
        "audit.snapshots",
        "Every snapshot of every source, with what it still prints of the last one before it that printed any.",
        "one row per snapshot of a source",
        """source snapshot_at snapshot documents document_ids results results_before? results_lost? share_lost?
        rows_lost_up_to is_latest lost_too_many""",
        unique="source snapshot_at",
        filled_with="raw.documents",
    ),
    Table(
        "audit.snapshot_events",
        "What changed from one snapshot of a source to the next; the first snapshot of a source changes nothing.",
        "one row per benchmark or heading that changed between two consecutive snapshots",
        """source snapshot_at from_document_id to_document_id event benchmark_key? model? platform? metric?
        sdk_version_from? sdk_version_to? value_from? value_to? unit? heading_from? heading_to?""",
    ),
    Table(
        "main.current_results",
        "The result that stands now for each benchmark: one answer per question.",
        "one row per benchmark",
        """publisher model? task? metric statistic? value unit platform? accelerator_count? value_per_accelerator?
        vendor? higher_is_better? bound framework? precision? batch_size? batch_size_kind? sequence_length?
        input_length? output_length? concurrency? parallelism? stage? other_conditions? dataset? suite?
        sdk_version? superseded_versions last_published_on? last_captured_on documents correction? source line
        result_id benchmark_key""",
        unique="benchmark_key",
    ),
    Table(
        "main.result_history",
        "Every value a benchmark has had, by SDK release, and how it stands today.",
        "one row per benchmark, SDK release and value",
        """model? vendor? platform? task? metric statistic? framework? batch_size? sdk_version? value unit status
        stands stands_in_release first_published_on? last_published_on? first_captured_on last_captured_on
        documents document_ids sdk_order? benchmark_key result_id""",
        unique="benchmark_key sdk_version value result_id",
        filled_with="resolved.results",
    ),
    Table(
        "main.sdk_progress",
        "Gain of a benchmark from one SDK release to the next that prints it.",
        "one row per benchmark and consecutive pair of SDK releases",
        """model? vendor? platform? task? metric statistic? framework? batch_size? sdk_from sdk_to sdk_from_order
        sdk_to_order value_from value_to unit speedup is_beyond_reason benchmark_key""",
        unique="benchmark_key sdk_from sdk_to",
    ),
    Table(
        "audit.relations",
        "Relations between printed numbers that were checked, those that hold and those that do not.",
        "one row per relation and printed number",
        f"relation_id {RELATION}",
        unique="relation_id",
    ),
    Table(
        "audit.discrepancies",
        "Relations between printed numbers that do not hold.",
        "one row per relation and printed number",
        f"relation_id {RELATION.replace(' holds', '')} known_error?",
        unique="relation_id",
    ),
    Table(
        "audit.claim_verdicts",
        "Every claim held against the numbers of the warehouse: it agrees, it does not, or why that cannot be said.",
        "one row per claim",
        """claim_id verdict grade? interpretation? recomputed_low? recomputed_high? inputs reason method_version kind?
        differences nearest_low? nearest_high? nearest_inputs? nearest_differences? needed_low? needed_high? assumption?
        assumption_unit? assumed_value? break_even? break_even_parity? break_even_basis?""",
        unique="claim_id",
        filled_with="resolved.claims",
    ),
    Table(
        "main.claims",
        "Every claim with its verdict and the reason.",
        "one row per claim",
        """claim_id publisher source published_on? document_id line task? model? subject_platform? baseline_platform?
        baseline_sdk_version? metric? statistic? factor bound factor_low factor_high verdict grade? interpretation?
        recomputed_low? recomputed_high? reason differences nearest_low? nearest_high? nearest_differences? assumption?
        assumed_value? assumption_unit? break_even? conditions? sentence? edition is_paraphrase inputs
        method_version""",
        unique="claim_id",
        filled_with="resolved.claims",
    ),
    Table(
        "main.platform_comparison",
        "The closest tests on two platforms: same family of models, task, metric and statistic, and all that differs.",
        "one row per pair of current results on two platforms",
        """model_family task metric statistic? unit left_platform right_platform grade ratio? ratio_low ratio_high
        ratio_per_accelerator? ratio_per_dollar? price_terms? differing left_model right_model left_value
        right_value left_accelerators? right_accelerators? left_result_id right_result_id""",
        unique="left_result_id right_result_id",
    ),
    Table(
        "main.price_performance",
        "What a dollar buys: current throughput and training times on platforms that have a price.",
        "one row per current result and price of its platform",
        """model? task? metric platform value unit price_usd price_unit price_bound price_terms value_per_usd_low?
        value_per_usd_high? value_per_usd_unit? training_cost_low_usd? training_cost_high_usd? framework?
        precision? batch_size? sdk_version? source price_source price_printed_on price_evidence_id result_id""",
        unique="result_id price_evidence_id",
    ),
    Table(
        "main.scaling",
        "How results grow with the number of accelerators: every larger system against the smallest.",
        "one row per benchmark, larger system and batch size",
        """result_id_from result_id_to model? task? stage? framework? dataset? precision? metric unit platform_from
        platform_to accelerators_from accelerators_to batch_size_from? batch_size_to? sdk_from? sdk_to?
        value_from value_to speedup efficiency correction?""",
        unique="result_id_from result_id_to",
    ),
    Table(
        "main.batch_curves",
        "Throughput and latency over batch size in inference, with the concurrency that the two imply.",
        "one row per benchmark without its batch size, and batch size",
        """curve_id batch_size model? platform? accelerator_count? framework? precision? dataset? configuration?
        sequence_length? sdk_version? throughput_items_per_second latency_ms? latency_p99_ms? items_in_flight?
        batches_in_flight? throughput_result_id latency_result_id?""",
        unique="curve_id batch_size",
    ),
)
