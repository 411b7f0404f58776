"""The tables of the layer resolved: rows under canonical names and units."""

from __future__ import annotations

from pipelines.schemas.extracted import CHART_VALUE
from pipelines.schemas.table import Table

# The columns of a result; `main.current_results` has them too.
RESULT = (
    "result_id document_id evidence_id line section? section_line? row_line? task? suite? stage? phase? model? "
    "model_printed? model_family? variant_printed? variant_name? sequence_length? is_packed? image_size? "
    "configuration? platform? platform_printed? unnamed_platform? vendor? maker? "
    "platform_kind? chip? chips? accelerator_count? release_product? sdk_version? "
    "sdk_order? framework? framework_printed? framework_version? dataset? dataset_printed? batch_size? "
    "batch_size_kind? input_length? output_length? concurrency? request_rate? scenario? tensor_parallel? "
    "pipeline_parallel? data_parallel? expert_parallel? conditions other_conditions? precision? "
    "weights_precision? activation_bits? weight_bits? division? submission_id? quality_target? ranking? metric "
    "statistic? higher_is_better? epoch? value value_low value_high bound unit unit_printed? item? value_printed "
    "extractor benchmark_key correction? correction_action? value_uncorrected?"
)

TABLES = (
    Table(
        "resolved.names",
        """kind name_printed suite? name? vendor? family? comparable_as? is_family? chip? chips? devices_per_chip?
        maker? platform_kind? multiplier? version_printed? unit? item? better? metric_kind? price_terms? is_synthetic?
        occurrences documents suggestion?""",
        meaning="Printed names and the canonical names that they resolve to.",
        grain="one row per kind of name, spelling and suite",
        unique="kind name_printed suite",
        is_complete=True,
    ),
    Table(
        "internal.known_errors",
        """correction correction_action reason known_in is_anywhere metric value_printed? expected line? section?
        extractor? task? suite? model_printed? variant_printed? platform_printed? accelerator_count?
        sdk_version? framework_printed? dataset_printed? batch_size? precision? division? submission_id?
        other_conditions? value? value_low? value_high? unit?""",
        meaning="Known errors of sources, from pipelines/validate/corrections.yml.",
        grain="one row per entry of the list",
        unique="correction",
    ),
    Table(
        "resolved.evidence",
        """evidence_id document_id line char_start char_end page? x0? top? x1? bottom? text_printed extractor
        verified_by?""",
        unique="evidence_id",
        is_complete=True,
    ),
    Table(
        "resolved.results",
        RESULT,
        unique="result_id",
        filled_with="extracted.measurements",
    ),
    Table(
        "resolved.result_conditions",
        "result_id dimension value name_printed? text_printed? evidence_id? level value_printed?",
        unique="result_id dimension value evidence_id",
    ),
    Table(
        "resolved.claims",
        """claim_id document_id evidence_id line section? section_line? task? suite? model? model_printed?
        subject_platform? subject_printed? subject_basis? baseline_platform? baseline_printed? baseline_basis?
        subject_conditions_evidence_id? subject_accelerator_count? subject_sdk_version? subject_framework?
        subject_precision? subject_batch_sizes_printed? subject_batch_size_low? subject_batch_size_high?
        subject_dataset? subject_measured_by? baseline_conditions_evidence_id? baseline_accelerator_count?
        baseline_sdk_version? baseline_round? baseline_framework? baseline_precision?
        baseline_batch_sizes_printed? baseline_batch_size_low? baseline_batch_size_high? baseline_dataset?
        baseline_measured_by? metric? statistic? factor factor_low factor_high bound conditions? sentence?
        edition is_paraphrase repeat_evidence_ids text_printed extractor""",
        unique="claim_id",
        filled_with="extracted.claims",
    ),
    Table(
        "resolved.configurations",
        """configuration_id document_id evidence_id line section? section_line? role platform? platform_printed?
        vendor? accelerator_count? model? model_printed? framework? framework_printed? sdk_version? precision?
        batch_sizes_printed? batch_size_low? batch_size_high? dataset? dataset_printed? measured_by?""",
        unique="configuration_id",
        filled_with="extracted.configurations",
    ),
    Table(
        "resolved.training_runs",
        """run_id document_id evidence_id line accelerator? accelerator_printed? vendor? accelerator_count? batch_size?
        epochs? epochs_planned? training_time_s? total_parameters? trainable_parameters? suite? model?
        model_printed? division? submitter? status? quality_reached? seed? samples? scored_as? result_id?""",
        unique="run_id",
        filled_with="extracted.runs",
    ),
    Table(
        "resolved.training_epochs",
        "run_id epoch document_id evidence_id line steps? epoch_time_s? step_time_ms? loss? loss_is_nan",
        unique="run_id epoch",
        filled_with="extracted.epochs",
    ),
    Table(
        "resolved.prices",
        """document_id evidence_id line platform? platform_printed? accelerator_count? price_usd price_low_usd
        price_high_usd bound unit terms""",
        unique="evidence_id",
        filled_with="extracted.prices",
    ),
    Table(
        "resolved.submissions",
        "document_id evidence_id line submission_id suite?",
        unique="evidence_id",
        filled_with="extracted.submissions",
    ),
    Table(
        "resolved.chart_values",
        f"""chart_value_id document_id evidence_id? line section? section_line? page x0 top x1 bottom {CHART_VALUE}
        agrees? verified_by? value_printed? extractor""",
        unique="chart_value_id",
        filled_with="extracted.chart_values",
    ),
)
