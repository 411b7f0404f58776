"""The tables that compare results: platforms, sizes of a system, batch sizes."""

from __future__ import annotations

from pipelines.schemas.table import Table

_PAIR = (
    "left_result_id right_result_id model task stage? metric unit left_platform right_platform left_accelerators? "
    "right_accelerators? left_value right_value ratio ratio_per_accelerator? differing grade"
)

TABLES = (
    Table(
        "main",
        "platform_pairs",
        "Results on two platforms of one model, task and metric, with every dimension in which the tests differ.",
        "one row per pair of current results on two platforms",
        _PAIR,
        key=("left_result_id", "right_result_id"),
    ),
    Table(
        "main",
        "platform_comparison",
        "Results on two platforms that a reader may hold side by side: main.platform_pairs without the loose ones.",
        "one row per pair of comparable current results on two platforms",
        _PAIR,
        key=("left_result_id", "right_result_id"),
    ),
    Table(
        "main",
        "scaling",
        "How results grow with the number of accelerators: every larger system against the smallest.",
        "one row per benchmark, larger system and batch size",
        (
            "result_id_from result_id_to model? task? stage? framework? dataset? precision? metric unit "
            "platform_from platform_to accelerators_from accelerators_to batch_size_from? batch_size_to? "
            "sdk_from? sdk_to? value_from value_to speedup efficiency correction?"
        ),
        key=("result_id_from", "result_id_to"),
    ),
    Table(
        "main",
        "batch_curves",
        "Throughput and latency over batch size in inference, with the concurrency that the two imply.",
        "one row per benchmark without its batch size, and batch size",
        (
            "curve_id batch_size model? platform? accelerator_count? framework? precision? dataset? configuration? "
            "sequence_length? sdk_version? throughput_items_per_second latency_ms? latency_p99_ms? items_in_flight? "
            "batches_in_flight? throughput_result_id latency_result_id?"
        ),
        key=("curve_id", "batch_size"),
    ),
)
