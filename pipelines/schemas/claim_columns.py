"""Columns about both sides of a claim, and what the numbers of the warehouse say of it."""

from __future__ import annotations

from pipelines.schemas.column import ID, Column

VERDICTS = ("confirmed", "consistent", "contradicted", "not_checkable")
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
    )


COLUMNS = (
    *_of_side("subject", "the praised system"),
    *_of_side("baseline", "the compared system"),
    Column(
        "is_paraphrase", "flag", "the sentence is our own words around the same facts; never shown in quotation marks"
    ),
    Column("inputs", "texts", "evidence_id of each number that the row rests on"),
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
