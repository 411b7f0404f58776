"""The tables of the claims ledger: every claim, and what the numbers of the warehouse say of it."""

from __future__ import annotations

from pipelines.schemas.table import Table

TABLES = (
    Table(
        "audit",
        "claim_verdicts",
        "Every claim held against the numbers of the warehouse: it agrees, it does not, or why that cannot be said.",
        "one row per claim",
        (
            "claim_id verdict recomputed_low? recomputed_high? inputs reason method_version kind? differences "
            "needed_low? needed_high? assumption? assumption_unit? assumed_value? break_even? break_even_parity? "
            "break_even_basis?"
        ),
        key=("claim_id",),
        filled_with="resolved.claims",
    ),
    Table(
        "main",
        "claims",
        "Every claim with its verdict and the reason.",
        "one row per claim",
        (
            "claim_id publisher source published_on? document_id line task? model? subject_platform? "
            "baseline_platform? baseline_sdk_version? metric? statistic? factor bound factor_low factor_high verdict "
            "recomputed_low? recomputed_high? reason differences assumption? assumed_value? assumption_unit? "
            "break_even? conditions? sentence? edition is_paraphrase inputs method_version"
        ),
        key=("claim_id",),
        filled_with="resolved.claims",
    ),
)
