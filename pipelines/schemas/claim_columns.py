"""Columns about both sides of a claim, the numbers it is held against, and what came of it."""

from __future__ import annotations

from pipelines.schemas.column import ID, Column

VERDICTS = ("confirmed", "contradicted", "not_checkable")
SIDES = ("subject", "baseline")
# What a claim is recomputed from.
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
        Column(f"{side}_number_id", "text", f"number of audit.claim_inputs that stands for {words}"),
        Column(f"{side}_scale", "number", f"times that the number of {words} was taken, by linear scaling; else null"),
    )


COLUMNS = (
    *_of_side("subject", "the praised system"),
    *_of_side("baseline", "the compared system"),
    Column("side", "text", "side of the claim", one_of=SIDES),
    Column("opponent_platform", "text", "platform of the other side"),
    Column("opponent_sdk_order", "integers", "SDK release of the other side as numbers"),
    Column("systems", "number", "systems of the platform: 2 for sixteen accelerators of DGX A100", at_least=0),
    Column("metrics", "texts", "metrics whose numbers can check the claim"),
    Column("model_key", "text", "the model; without one, the document: a number stands for its own document only"),
    Column("is_release_gain", "flag", "true where one platform is compared with itself under an earlier release"),
    Column("is_self_comparison", "flag", "true where one system stands on both sides and nothing tells them apart"),
    Column(
        "is_vague", "flag", "true where the number does not say the precision or batch size that the claim's side has"
    ),
    Column("is_linear", "flag", "true where the claim says that it assumes linear scaling"),
    Column("conditions_evidence_id", "text", "place that says how the side was run", pattern=ID),
    Column("number_id", "text", "the number: a result_id, or a run, epoch or price with its place"),
    Column("workload", "text", "what makes it another workload: suite, division, stage, sequence length and the like"),
    Column("value_words", "text", "the number as a person would say it"),
    Column("chart", "text", "chart on which the number is a bar without a name; else null"),
    Column("scale", "number", "times that the number is taken for the side, by linear scaling", at_least=0),
    Column("mismatches", "texts", "where the number does not fit what is said of its side; empty for one that checks"),
    Column("input_metric", "text", "metric of the two numbers"),
    Column("inputs", "texts", "evidence_id of each number that the row rests on"),
    Column("ratio_low", "number", "least ratio that the printed numbers allow, as an advantage of the subject"),
    Column("ratio_high", "number", "greatest ratio that the printed numbers allow, as an advantage of the subject"),
    Column("performance_high", "number", "greatest ratio without the prices"),
    Column("meets", "flag", "true where the ratio's interval meets that of the claim"),
    Column(
        "is_meant",
        "flag",
        "true for a pair that the claim means: like for like, the best of each, or as it says itself",
    ),
    Column("is_comparable", "flag", "true where both numbers are of the same workload and as many systems"),
    Column("is_firm", "flag", "true where a ratio that does not meet the claim speaks against it"),
    Column("differences", "texts", "dimensions in which the two numbers differ, with both values"),
    Column("arithmetic", "text", "the two numbers and what they give"),
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
    *(
        Column("kind", "text", "what the claim was recomputed from", one_of=RECOMPUTATIONS, table=table)
        for table in ("audit.claim_recomputations", "audit.claim_verdicts")
    ),
)
