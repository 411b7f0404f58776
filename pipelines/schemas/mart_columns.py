"""Columns about claims, relations and comparisons."""

from __future__ import annotations

from pipelines.schemas.column import BOUNDS, ID, Column

VERDICTS = ("confirmed", "consistent", "contradicted", "not_checkable")
RECOMPUTATIONS = ("results", "bars_without_names", "release_gain", "price_performance", "price")


def _of_side(side: str, words: str) -> tuple[Column, ...]:
    return (
        Column(f"{side}_conditions_evidence_id", "text", f"place that says how {words} was run", pattern=ID),
        Column(f"{side}_accelerator_count", "integer", f"accelerators of {words}, where they are stated", at_least=1),
        Column(f"{side}_framework", "text", f"framework of {words}; several are joined by +"),
        Column(f"{side}_precision", "text", f"number format of {words}"),
        Column(f"{side}_batch_sizes_printed", "text", f"batch sizes of {words} as printed"),
        Column(f"{side}_batch_size_low", "integer", f"smallest batch size of {words}", at_least=1),
        Column(f"{side}_batch_size_high", "integer", f"largest batch size of {words}; null for open", at_least=1),
        Column(f"{side}_dataset", "text", f"dataset of {words}"),
        Column(f"{side}_measured_by", "text", f"who measured {words}, as printed"),
    )


COLUMNS = (
    Column("higher_is_better", "flag", "true where more of the metric is a gain"),
    Column(
        "value_per_accelerator", "number", "throughput of one accelerator: the value by accelerator_count", at_least=0
    ),
    Column("parallelism", "text", "how the model is spread over devices, such as tensor 8, pipeline 2"),
    Column(
        "other_conditions",
        "text",
        "all else that tells the benchmark from others: phase, variant, image size, configuration, division ...",
        table="main.current_results",
    ),
    Column(
        "is_beyond_reason",
        "flag",
        "true for a gain or loss that no release makes; one of the two numbers is another test's, or misprinted",
    ),
    Column("model_family", "text", "name under which models that differ in release or tuning are compared"),
    Column("chip", "text", "chip of the platform; platforms of one chip are sizes of one system"),
    Column("is_synthetic", "flag", "whether the dataset is made on the spot, which leaves out the cost of real input"),
    Column("left_result_id", "text", "result on the one platform", pattern=ID),
    Column("right_result_id", "text", "result on the other platform", pattern=ID),
    Column("left_platform", "text", "the one platform; first in the alphabet"),
    Column("right_platform", "text", "the other platform"),
    Column("left_accelerators", "integer", "accelerators of the one", at_least=1),
    Column("right_accelerators", "integer", "accelerators of the other", at_least=1),
    Column("left_value", "number", "value on the one", table="main.platform_comparison"),
    Column("right_value", "number", "value on the other", table="main.platform_comparison"),
    Column("left_model", "text", "model on the one"),
    Column("right_model", "text", "model on the other; of the same family"),
    Column(
        "ratio",
        "number",
        "how many times better the right platform is, below 1 the left one is; null where a value is only bounded",
    ),
    Column("ratio_low", "number", "least ratio that the rounding and the bounds of both values allow", at_least=0),
    Column("ratio_high", "number", "greatest ratio that they allow; infinite where a bound leaves it open", at_least=0),
    Column(
        "ratio_per_accelerator",
        "number",
        "the same per accelerator; for throughput and for times that shrink as systems grow",
    ),
    Column(
        "ratio_per_dollar",
        "number",
        "the same per dollar, where both platforms have a price under the same terms",
    ),
    Column(
        "price_terms",
        "text",
        "what the price is for: list buys the system, on demand and reserved rent it",
    ),
    Column(
        "differing",
        "texts",
        "dimensions in which the two tests differ beside the platform; one that one side alone states differs, too",
    ),
    Column(
        "grade",
        "text",
        "same: nothing else differs; close: only how the work was run differs, and both sides say how (accelerators, "
        "precision, batch size in training, framework, who measured ...); indicative: the model is of the same family, "
        "but the work differs, or one side does not say what it was",
        one_of=("same", "close", "indicative"),
    ),
    Column("price_unit", "text", "USD for a system, USD/h for an hour of it"),
    Column("price_bound", "text", "what the words before the price say", one_of=BOUNDS),
    Column("price_source", "text", "source that prints the price"),
    Column("price_printed_on", "date", "snapshot day of the document that prints the price"),
    Column("price_evidence_id", "text", "place of the price", pattern=ID),
    Column(
        "value_per_usd_low",
        "number",
        "least throughput for a dollar: work done in what an hourly price buys, or rate that a list price buys",
    ),
    Column("value_per_usd_high", "number", "greatest throughput for a dollar"),
    Column("value_per_usd_unit", "text", "unit of these two, such as images/USD or images/s/USD"),
    Column("training_cost_low_usd", "number", "least cost of a whole training at an hourly price", at_least=0),
    Column("training_cost_high_usd", "number", "greatest cost of a whole training at an hourly price", at_least=0),
    Column("result_id_from", "text", "result of the smallest system", pattern=ID),
    Column("result_id_to", "text", "result of the larger system", pattern=ID),
    Column("platform_from", "text", "the smallest system that prints the benchmark"),
    Column("platform_to", "text", "the larger system"),
    Column("accelerators_from", "integer", "accelerators of the smallest system", at_least=1),
    Column("accelerators_to", "integer", "accelerators of the larger system", at_least=1),
    Column("batch_size_from", "integer", "batch size of the smallest system", at_least=1),
    Column("batch_size_to", "integer", "batch size of the larger system", at_least=1),
    Column("value_from", "number", "value of the smallest system", table="main.scaling"),
    Column("value_to", "number", "value of the larger system", table="main.scaling"),
    Column("sdk_from", "text", "SDK release of the smallest system", table="main.scaling"),
    Column("sdk_to", "text", "SDK release of the larger system", table="main.scaling"),
    Column("speedup", "number", "how many times faster the larger system is", table="main.scaling"),
    Column("efficiency", "number", "speedup per added accelerator: 1 is linear scaling"),
    Column("curve_id", "text", "identity of the benchmark without its batch size", pattern=ID),
    Column("throughput_items_per_second", "number", "throughput at this batch size", at_least=0),
    Column("latency_ms", "number", "latency at this batch size: mean or median, as the page prints", at_least=0),
    Column("latency_p99_ms", "number", "99th percentile of the latency", at_least=0),
    Column("items_in_flight", "number", "throughput times latency: items in work at once (Little's law)"),
    Column(
        "batches_in_flight", "number", "the same in batches: about 1 on one device, more where several work at once"
    ),
    Column("throughput_result_id", "text", "result with the throughput", pattern=ID),
    Column("latency_result_id", "text", "result with the latency", pattern=ID),
    Column("relation_id", "text", "identifier of the relation at its place", pattern=ID),
    Column("check_name", "text", "which relation between printed numbers is meant"),
    Column(
        "holds", "flag", "true where the printed number lies within the expected ones, rounding and tolerance allowed"
    ),
    Column("expected_low", "number", "least number that the other printed numbers allow at this place"),
    Column("expected_high", "number", "greatest number that the other printed numbers allow at this place"),
    Column("printed", "number", "number printed at this place, in the unit of the column unit"),
    Column(
        "inputs", "texts", "what it was compared with: places (evidence_id) of numbers, or a drawn bar (chart_value_id)"
    ),
    Column("known_error", "text", "known error of the source that names this number, by its name in corrections.yml"),
    *_of_side("subject", "the praised system"),
    *_of_side("baseline", "the compared system"),
    Column(
        "is_paraphrase", "flag", "the sentence is our own words around the same facts; never shown in quotation marks"
    ),
    Column("differences", "texts", "dimensions in which the two numbers differ, with both values"),
    Column("verdict", "text", "what the numbers of the warehouse say of the claim", one_of=VERDICTS),
    Column("recomputed_low", "number", "least factor that the numbers allow; null without a pair of numbers"),
    Column("recomputed_high", "number", "greatest factor that the numbers allow; null without a pair of numbers"),
    Column("needed_low", "number", "least value that the missing side would need, in the metric's unit"),
    Column("needed_high", "number", "greatest value that the missing side would need, in the metric's unit"),
    Column("method_version", "text", "version of the method; the same data and version give the same verdicts"),
    Column("assumption", "text", "what the claim rests on beside measured numbers"),
    Column("assumption_unit", "text", "unit of assumed_value and break_even", one_of=("USD", "ratio")),
    Column("assumed_value", "number", "value that the claim assumes: the price, or 1 for linear scaling"),
    Column("break_even", "number", "value of the assumption at which the claim stops holding"),
    Column("break_even_parity", "number", "value of the assumption at which the advantage is gone"),
    Column(
        "break_even_basis",
        "text",
        "numbers: recomputed; claim: the printed factor was taken at face value",
        one_of=("numbers", "claim"),
    ),
    Column("kind", "text", "what the claim was recomputed from", one_of=RECOMPUTATIONS, table="audit.claim_verdicts"),
)
