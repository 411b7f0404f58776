"""The tables of the layers raw and extracted: documents, and rows in the printed words with their places."""

from __future__ import annotations

from pipelines.schemas.table import Table

# Where a row was printed and who read it.
PLACE = "document_id extractor section? section_line? line char_start char_end page? x0? top? x1? bottom? text_printed"
# What was measured, in the printed words.
BENCHMARK = (
    "task? suite? model_printed? variant_printed? variant_name? stage? phase? sequence_length? is_packed? image_size? "
    "configuration? attributes? platform_printed? accelerator_count? sdk_version? framework_printed? dataset_printed? "
    "batch_size? precision? activation_bits? weight_bits? division? submission_id? quality_target? ranking?"
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
        meaning="Stored snapshots: immutable bytes with where they came from.",
        grain="one row per stored snapshot",
        unique="document_id",
    ),
    Table(
        "raw.sources",
        "source publisher interest title? url? cadence? licence? rows_lost_up_to",
        meaning="The folders that documents are stored in, each with who publishes and how often it is looked at.",
        grain="one row per source",
        unique="source",
        filled_with="raw.documents",
    ),
    Table(
        "raw.sightings",
        "source document_id path snapshot_on snapshot_at",
        meaning="Each time a source began to read like a stored document, also when a page returned to what it was.",
        grain="one row per document and time",
        unique="document_id snapshot_at",
        filled_with="raw.documents",
    ),
    Table(
        "raw.fetches",
        """source url attempted_at outcome reason? requests http_status? final_url? media_type? bytes? etag?
        last_modified? document_id? not_before?""",
        meaning="Every attempt to fetch a source up to the build, and what came of it.",
        grain="one row per attempt",
    ),
    Table(
        "extracted.measurements",
        f"""{PLACE} row_line? headings_printed? {BENCHMARK} metric epoch? value value_low value_high bound unit
        unit_printed? item? higher_is_better? conditions""",
        meaning="Measured numbers in the printed words.",
        grain="one row per number measured and its place",
        unique="document_id line char_start metric",
    ),
    Table(
        "extracted.conditions",
        f"{PLACE} number dimension value level value_printed?",
        meaning="Conditions of measured numbers in the printed words, each with its place.",
        grain="one row per condition; extracted.measurements.conditions lists the numbers of those that hold",
        unique="document_id extractor number",
    ),
    Table(
        "extracted.claims",
        f"""{PLACE} task? suite? model_printed? subject_printed? baseline_printed? subject_sdk_version?
        baseline_sdk_version? baseline_round? metric? factor factor_low factor_high bound conditions? sentence?
        repeats_line?""",
        meaning="Claimed comparisons in the printed words.",
        grain="one row per printed factor and metric",
        unique="document_id line char_start metric model_printed",
    ),
    Table(
        "extracted.configurations",
        f"""{PLACE} role platform_printed? accelerator_count? model_printed? framework_printed? sdk_version? precision?
        batch_sizes_printed? batch_size_low? batch_size_high? dataset_printed? measured_by?""",
        meaning="How each side of a comparison was run, in the printed words.",
        grain="one row per side of a comparison",
        unique="document_id line char_start role",
    ),
    Table(
        "extracted.runs",
        f"""{PLACE} run_line accelerator_printed? accelerator_count? batch_size? epochs? epochs_planned?
        training_time_s? total_parameters? trainable_parameters? suite? model_printed? division? submitter?
        status? quality_reached? seed? samples? scored_as?""",
        meaning="Training runs of logs.",
        grain="one row per run of a log",
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
        meaning="List prices in the printed words.",
        grain="one row per printed price",
        unique="document_id line char_start",
    ),
    Table(
        "extracted.submissions",
        f"{PLACE} submission_id suite?",
        meaning="Submission identifiers listed outside the result tables.",
        grain="one row per listed identifier",
        unique="document_id line char_start",
    ),
    Table(
        "extracted.chart_values",
        f"{PLACE} drawn_page drawn_x0 drawn_top drawn_x1 drawn_bottom {CHART_VALUE}",
        meaning="Bars and points of drawn charts: what is printed at them and what their geometry says.",
        grain="one row per bar or point of a drawn chart",
        unique="document_id drawn_page chart_number mark_number",
    ),
    Table(
        "extracted.rejects",
        f"{PLACE} rule reason scope row_json?",
        meaning="What the readers refused, with the reason.",
        grain="one row per refused row, table or document",
        is_complete=True,
    ),
)
