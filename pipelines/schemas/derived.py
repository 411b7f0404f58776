"""The tables of the layers audit and main: problems, current results, changes and comparisons."""

from __future__ import annotations

from pipelines.schemas.table import Table

_REFUSED = "document_id? path? line? char_start? char_end? extractor rule reason scope row_json?"
_REJECT = f"reject_id {_REFUSED} first_seen"
RELATION = "check_name document_id evidence_id line holds expected_low? expected_high? printed unit? inputs reason"

TABLES = (
    Table(
        "audit.rejects",
        _REJECT,
        meaning="Refused rows, sentences, tables, pages and documents, with rule, reason and content.",
        grain="one row per refused row, sentence, table, page or document",
        unique="reject_id",
    ),
    Table(
        "audit.closed_rejects",
        f"{_REJECT} closed_at closed_because",
        meaning="Rejects of earlier builds that the last build no longer refuses, with time and cause.",
        grain="one row per closed reject",
        unique="reject_id",
    ),
    Table(
        "internal.refused_now",
        _REFUSED,
        meaning="Rejects of this build, before the comparison with earlier builds.",
        grain="one row per refused row, sentence, table, page or document",
    ),
    Table(
        "internal.refused_evidence",
        "evidence_id reason",
        meaning="Printed places whose rows the evidence check refuses.",
        grain="one row per place",
    ),
    Table(
        "internal.drawn_boxes",
        "document_id page x0 top x1 bottom unit? unit_printed? value?",
        meaning="Shapes on the pages of charts, their corners and edges, and printed numbers.",
        grain="one row per shape, corner, edge or number",
    ),
    Table(
        "internal.former_rejects",
        f"{_REJECT} closed_at? closed_because?",
        meaning="Rejects of the previously published file, open and closed.",
        grain="one row per reject",
        unique="reject_id",
    ),
    Table(
        "internal.former_keys",
        "document_id evidence_id metric statistic? benchmark_key",
        meaning="Benchmark keys of the results in the previously published file.",
        grain="one row per printed place, metric, statistic and benchmark",
        unique="document_id evidence_id metric statistic benchmark_key",
    ),
    Table(
        "internal.former_values",
        """document_id source publisher benchmark_key model? platform? metric statistic? unit accelerator_count? value
        value_printed line""",
        meaning="Results in the previously published file.",
        grain="one row per result",
    ),
    Table(
        "internal.former_renamed_keys",
        "former_key benchmark_key results",
        meaning="Renamed keys in the previously published file.",
        grain="one row per former key and current key",
        unique="former_key benchmark_key",
    ),
    Table(
        "audit.renamed_keys",
        "former_key benchmark_key results",
        unique="former_key benchmark_key",
    ),
    Table(
        "audit.unresolved_names",
        "kind name_printed occurrences documents suggestion?",
        unique="kind name_printed",
    ),
    Table(
        "audit.line_ledger",
        "document_id line role rule",
        meaning="The role of every line of every document.",
        grain="one row per line of a document",
        unique="document_id line",
    ),
    Table(
        "audit.numerals",
        "document_id line char_start char_end text_printed status rule",
        meaning="The status of every numeral of every document: extracted, explained or unread.",
        grain="one row per numeral in a document",
        unique="document_id line char_start",
    ),
    Table(
        "audit.coverage",
        """document_id lines lines_unparsed numerals numerals_extracted numerals_explained numerals_unparsed marks_seen
        marks_stored marks_refused""",
        unique="document_id",
        filled_with="raw.documents",
    ),
    Table(
        "audit.column_lineage",
        "table_name column_name from_table from_column?",
        meaning="Column lineage: the input columns of each column, from its query, without filters and joins.",
        grain="one row per column and input column",
        unique="table_name column_name from_table from_column",
    ),
    Table(
        "audit.corrections",
        """correction correction_action reason document_id? result_id? evidence_id? value_printed? value?
        value_uncorrected?""",
        unique="correction result_id",
    ),
    Table(
        "audit.conflicts",
        "kind benchmark_key sdk_version? left_evidence_id right_evidence_id left_value right_value reason",
        unique="left_evidence_id right_evidence_id",
    ),
    Table(
        "audit.snapshots",
        """source snapshot_at snapshot documents document_ids results results_before? results_lost? share_lost?
        rows_lost_up_to is_latest lost_too_many""",
        unique="source snapshot_at",
        filled_with="raw.documents",
    ),
    Table(
        "audit.snapshot_events",
        """source snapshot_at from_document_id to_document_id event benchmark_key? model? platform? metric?
        sdk_version_from? sdk_version_to? value_from? value_to? unit? heading_from? heading_to?""",
    ),
    Table(
        "main.current_results",
        """publisher model? task? metric statistic? value unit platform? platform_kind? maker? chip? chips?
        accelerator_count? value_per_accelerator? vendor? higher_is_better? bound framework? framework_version?
        precision? weights_precision? batch_size? batch_size_kind? sequence_length? input_length? output_length?
        concurrency? parallelism? tensor_parallel? pipeline_parallel? data_parallel? expert_parallel? stage?
        scenario? conditions other_conditions? dataset? suite? round? division? submission_id? quality_target?
        release_product? sdk_version? superseded_versions last_published_on? last_captured_on
        released_on? last_seen_on documents correction? source unnamed_platform? line result_id benchmark_key""",
        unique="benchmark_key",
    ),
    Table(
        "main.result_history",
        """model? vendor? platform? platform_kind? chip? chips? task? metric statistic? framework? framework_version?
        precision? weights_precision? accelerator_count? batch_size? batch_size_kind? sequence_length? input_length?
        output_length? concurrency? parallelism? stage? dataset? suite? submission_id? conditions other_conditions?
        release_product? sdk_version? value unit status same_as? stands stands_in_release first_published_on?
        last_published_on? first_captured_on last_captured_on released_on? last_seen_on documents document_ids
        source unnamed_platform? sdk_order? benchmark_key result_id""",
        unique="benchmark_key sdk_version value result_id",
        filled_with="resolved.results",
    ),
    Table(
        "main.sdk_progress",
        """model? vendor? release_product? platform? task? metric statistic? framework? batch_size? sdk_from sdk_to
        sdk_from_order sdk_to_order value_from value_to unit speedup is_beyond_reason benchmark_key""",
        unique="benchmark_key sdk_from sdk_to",
    ),
    Table(
        "audit.relations",
        f"relation_id {RELATION}",
        unique="relation_id",
    ),
    Table(
        "audit.discrepancies",
        f"relation_id {RELATION.replace(' holds', '')} known_error? documents document_ids first_document_id",
        unique="relation_id",
    ),
    Table(
        "audit.claim_verdicts",
        """claim_id verdict grade? interpretation? recomputed_low? recomputed_high? inputs reason method_version kind?
        differences nearest_low? nearest_high? nearest_inputs? nearest_differences? needed_low? needed_high?
        assumption? assumption_unit? assumed_value? break_even? break_even_parity? break_even_basis?""",
        unique="claim_id",
        filled_with="resolved.claims",
    ),
    Table(
        "main.claims",
        """claim_id publisher source published_on? document_id line task? model? subject_platform? baseline_platform?
        baseline_sdk_version? baseline_round? metric? statistic? factor bound factor_low factor_high verdict
        grade? interpretation? recomputed_low? recomputed_high? reason differences nearest_low?
        nearest_high? nearest_differences? assumption? assumed_value? assumption_unit? break_even?
        conditions? sentence? edition is_paraphrase inputs method_version""",
        unique="claim_id",
        filled_with="resolved.claims",
    ),
    Table(
        "main.platform_comparison",
        """kind model_family task metric statistic? unit left_vendor? left_platform left_platform_kind?
        left_chip? left_chips? left_publisher right_vendor? right_platform right_platform_kind? right_chip?
        right_chips? right_publisher grade ratio? ratio_low ratio_high ratio_per_accelerator? ratio_per_dollar?
        price_terms? differing left_model right_model left_conditions right_conditions left_value right_value
        left_accelerators? right_accelerators? left_value_per_accelerator? right_value_per_accelerator? left_result_id
        right_result_id""",
        unique="left_result_id right_result_id",
    ),
    Table(
        "main.price_performance",
        """model? task? metric vendor? platform accelerator_count? value value_per_accelerator? unit price_usd
        price_unit price_bound price_terms value_per_usd_low? value_per_usd_high? value_per_usd_unit?
        training_cost_low_usd? training_cost_high_usd? framework? precision? batch_size? sdk_version? source
        price_publisher price_source price_printed_on price_evidence_id result_id""",
        unique="result_id price_evidence_id",
    ),
    Table(
        "main.scaling",
        """result_id_from result_id_to model? task? stage? framework? dataset? precision? metric unit platform_from
        platform_to accelerators_from accelerators_to batch_size_from? batch_size_to? sdk_from? sdk_to?
        value_from value_to speedup efficiency is_from_smallest correction?""",
        unique="result_id_from result_id_to",
    ),
    Table(
        "main.batch_curves",
        """curve_id batch_size model? platform? accelerator_count? framework? precision? dataset? configuration?
        sequence_length? sdk_version? throughput_items_per_second latency_ms? latency_p99_ms? ttft_ms? tpot_ms?
        items_in_flight? batches_in_flight? throughput_result_id latency_result_id?""",
        unique="curve_id batch_size",
    ),
)
