"""Columns of the tables that compare results: platforms, sizes of a system, batch sizes."""

from __future__ import annotations

from pipelines.schemas.column import ID, Column

COLUMNS = (
    Column("chip", "text", "chip of the platform; platforms of one chip are sizes of one system"),
    Column("is_synthetic", "flag", "whether the dataset is made on the spot, which leaves out the cost of real input"),
    Column("left_result_id", "text", "result on the one platform", pattern=ID),
    Column("right_result_id", "text", "result on the other platform", pattern=ID),
    Column("left_platform", "text", "the one platform; first in the alphabet"),
    Column("right_platform", "text", "the other platform"),
    Column("left_accelerators", "integer", "accelerators of the one", at_least=1),
    Column("right_accelerators", "integer", "accelerators of the other", at_least=1),
    Column("left_value", "number", "value on the one", table="main.platform_pairs"),
    Column("right_value", "number", "value on the other", table="main.platform_pairs"),
    Column("left_value", "number", "value on the one", table="main.platform_comparison"),
    Column("right_value", "number", "value on the other", table="main.platform_comparison"),
    Column("ratio", "number", "how many times better the right platform is; below 1 the left one is"),
    Column("ratio_per_accelerator", "number", "the same per accelerator; for throughput alone"),
    Column("differing", "texts", "dimensions in which the two tests differ beside the platform"),
    Column(
        "grade",
        "text",
        "same: nothing else differs; close: only how the work was run differs (accelerators, precision, batch size, "
        "framework, who measured ...); loose: the work itself differs (variant, lengths, dataset ...)",
        one_of=("same", "close", "loose"),
    ),
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
)
