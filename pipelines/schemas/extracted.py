"""The tables of the layers raw and extracted: documents, and rows as printed, with their places."""

from __future__ import annotations

from pipelines.schemas.table import Table

# The place of a row and the reader that produced it.
PLACE = "document_id extractor section? section_line? line char_start char_end page? x0? top? x1? bottom? text_printed"
# What was measured, as printed.
BENCHMARK = (
    "task? suite? model_printed? variant_printed? variant_name? stage? phase? sequence_length? is_packed? image_size? "
    "configuration? platform_printed? accelerator_count? sdk_version? framework_printed? "
    "framework_version? dataset_printed? batch_size? precision? activation_bits? weight_bits? division? "
    "submission_id? quality_target? ranking?"
)
# A bar or point of a drawn chart.
CHART_VALUE = (
    "chart_number mark_number mark method series_printed category_printed x_value? axis_printed? axis_scale? metric? "
    "unit? unit_printed? value value_low value_high bound printed_value? printed_low? printed_high? drawn_value "
    "drawn_low drawn_high"
)

TABLES = (
    Table(
        "raw.documents",
        """document_id source publisher interest title? round? url? format? media_type charset? published_on?
        retrieved_at edition bytes path snapshot_on snapshot_at mapping_sha256?""",
        meaning="Stored documents with their source, dates and checksum.",
        grain="one row per stored snapshot",
        unique="document_id",
    ),
    Table(
        "raw.sources",
        "source publisher interest title? url? cadence? licence? rows_lost_up_to replaced_on?",
        meaning="Sources of documents, with publisher, address and fetch schedule.",
        grain="one row per source",
        unique="source",
        filled_with="raw.documents",
    ),
    Table(
        "raw.sightings",
        "source document_id path snapshot_on snapshot_at",
        meaning="When the content of a source changed to a stored document, including returns to earlier content.",
        grain="one row per document and time",
        unique="document_id snapshot_at",
        filled_with="raw.documents",
    ),
    Table(
        "raw.fetches",
        """source url attempted_at outcome reason? requests http_status? final_url? media_type? bytes? etag?
        last_modified? document_id? not_before?""",
        meaning="Attempts to fetch a source up to the build, with outcome.",
        grain="one row per attempt",
    ),
    Table(
        "extracted.measurements",
        f"""{PLACE} row_line? headings_printed? {BENCHMARK} metric statistic? epoch? value value_low value_high bound
        unit unit_printed? item? higher_is_better? conditions""",
        meaning="Measured numbers as printed.",
        grain="one row per number measured and its place",
        unique="document_id line char_start metric statistic",
    ),
    Table(
        "extracted.conditions",
        f"{PLACE} number dimension value level value_printed?",
        meaning="Conditions of measured numbers as printed, with their places.",
        grain="one row per condition; extracted.measurements.conditions lists the numbers of those that apply",
        unique="document_id extractor number",
    ),
    Table(
        "extracted.claims",
        f"""{PLACE} task? suite? model_printed? subject_printed? baseline_printed? subject_sdk_version?
        baseline_sdk_version? baseline_round? metric? factor factor_low factor_high bound conditions? sentence?
        repeats_line?""",
        meaning="Claimed comparisons as printed.",
        grain="one row per printed factor and metric",
        unique="document_id line char_start metric model_printed",
    ),
    Table(
        "extracted.configurations",
        f"""{PLACE} role platform_printed? accelerator_count? model_printed? framework_printed? sdk_version? precision?
        batch_sizes_printed? batch_size_low? batch_size_high? dataset_printed? measured_by?""",
        meaning="How each side of a comparison was run, as printed.",
        grain="one row per side of a comparison",
        unique="document_id line char_start role",
    ),
    Table(
        "extracted.runs",
        f"""{PLACE} run_line accelerator_printed? accelerator_count? batch_size? epochs? epochs_planned?
        training_time_s? total_parameters? trainable_parameters? suite? model_printed? division? submitter?
        status? quality_reached? seed? samples? scored_as?""",
        meaning="Training runs in logs.",
        grain="one row per run in a log",
        unique="document_id run_line",
    ),
    Table(
        "extracted.epochs",
        f"{PLACE} run_line epoch steps? epoch_time_s? step_time_ms? loss? loss_is_nan",
        meaning="Finished epochs of training logs.",
        grain="one row per finished epoch of a run",
        unique="document_id run_line epoch",
    ),
    Table(
        "extracted.prices",
        f"{PLACE} platform_printed? price_usd price_low_usd price_high_usd bound",
        meaning="Prices as printed.",
        grain="one row per printed price",
        unique="document_id line char_start",
    ),
    Table(
        "extracted.submissions",
        f"{PLACE} submission_id suite?",
        meaning="Submission identifiers listed outside result tables.",
        grain="one row per listed identifier",
        unique="document_id line char_start",
    ),
    Table(
        "extracted.chart_values",
        f"{PLACE} drawn_page drawn_x0 drawn_top drawn_x1 drawn_bottom {CHART_VALUE}",
        meaning="Bars and points of drawn charts: printed numbers and values computed from the geometry.",
        grain="one row per bar or point of a drawn chart",
        unique="document_id drawn_page chart_number mark_number",
    ),
    Table(
        "extracted.rejects",
        f"{PLACE} rule reason scope row_json?",
        meaning="Content that the readers refused, with the reason.",
        grain="one row per refused row, table or document",
        is_complete=True,
    ),
)
