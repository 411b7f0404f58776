"""The tables that compare results: platforms, sizes of a system, batch sizes."""

from __future__ import annotations

from pipelines.schemas.table import Table

TABLES = (
    Table(
        "main",
        "platform_comparison",
        "The closest tests on two platforms: same family of models, task, metric and statistic, and all that differs.",
        "one row per pair of current results on two platforms",
        (
            "model_family task metric statistic? unit left_platform right_platform grade ratio? ratio_low ratio_high "
            "ratio_per_accelerator? ratio_per_dollar? price_terms? differing left_model right_model left_value "
            "right_value left_accelerators? right_accelerators? left_result_id right_result_id"
        ),
        key=("left_result_id", "right_result_id"),
    ),
    Table(
        "main",
        "price_performance",
        "What a dollar buys: current throughput and training times on platforms that have a price.",
        "one row per current result and price of its platform",
        (
            "model? task? metric platform value unit price_usd price_unit price_bound price_terms value_per_usd_low? "
            "value_per_usd_high? value_per_usd_unit? training_cost_low_usd? training_cost_high_usd? framework? "
            "precision? batch_size? sdk_version? source price_source price_printed_on price_evidence_id result_id"
        ),
        key=("result_id", "price_evidence_id"),
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
