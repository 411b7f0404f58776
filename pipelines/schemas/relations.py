"""The tables of relations between printed numbers: one per family, all of them, and those that do not hold."""

from __future__ import annotations

from pipelines.schemas.table import Table

RELATION = "check_name document_id evidence_id line holds expected_low expected_high printed unit? inputs reason"


def _family(name: str, meaning: str) -> Table:
    """A table with the relations of one family, each checked at one printed number."""
    return Table("audit", name, meaning, "one row per relation and printed number", RELATION)


TABLES = (
    _family("rate_relations", "Throughput times time against the samples that the other rows of the table give."),
    _family("chart_relations", "Numbers printed at drawn bars against what their geometry says."),
    _family(
        "run_relations", "Runs of a log: the stated training time against the epochs, the samples against other runs."
    ),
    _family("log_table_relations", "Rows of a table against the run of the log beside it: epoch times and samples."),
    _family("curve_relations", "Batch size and latency against throughput within one curve, by Little's law."),
    _family(
        "scaling_relations", "Throughput on more accelerators against that on fewer: the efficiency is not above one."
    ),
    _family(
        "claim_relations", "Claims about one thing: on one slide, in two documents, against baselines of two sizes."
    ),
    _family("list_relations", "Lists of submission identifiers against the tables of the same document."),
    Table(
        "audit",
        "relations",
        "Relations between printed numbers that were checked, those that hold and those that do not.",
        "one row per relation and printed number",
        f"relation_id {RELATION}",
        key=("relation_id",),
    ),
    Table(
        "audit",
        "discrepancies",
        "Relations between printed numbers that do not hold.",
        "one row per relation and printed number",
        f"relation_id {RELATION.replace(' holds', '')} known_error?",
        key=("relation_id",),
    ),
)
