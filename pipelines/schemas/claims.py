"""The tables of the claims ledger: what each claim needs, which numbers there are, what they give, what it rests on."""

from __future__ import annotations

from pipelines.schemas.table import Table

TABLES = (
    Table(
        "audit",
        "claim_sides",
        "Both sides of each claim, and which number each would need; claims that name no metric have none.",
        "one row per claim and side",
        (
            "claim_id side document_id section_line? published_on? task? suite? model? model_key platform? "
            "opponent_platform? accelerator_count? systems? sdk_version? sdk_order? opponent_sdk_order? framework? "
            "precision? batch_sizes_printed? batch_size_low? batch_size_high? dataset? metric metrics better factor "
            "factor_low factor_high is_release_gain is_self_comparison is_linear conditions_evidence_id?"
        ),
        key=("claim_id", "side"),
    ),
    Table(
        "audit",
        "claim_bars",
        "Bars without names on the slide of a claim, or of the same claim elsewhere, and the side each is taken for.",
        "one row per claim and bar",
        "claim_id side result_id document_id evidence_id chart",
        key=("claim_id", "result_id"),
    ),
    Table(
        "audit",
        "claim_inputs",
        "Numbers that could check a claim, and where they do not fit what is said of their side.",
        "one row per claim, side and number of the warehouse",
        (
            "claim_id side number_id document_id evidence_id publisher published_on? metric model? task? platform? "
            "accelerator_count? systems? sdk_version? framework? dataset? batch_size? precision? configuration? "
            "workload item? benchmark_key? value value_low value_high bound value_words chart? scale is_vague "
            "mismatches"
        ),
        key=("claim_id", "side", "number_id"),
    ),
    Table(
        "audit",
        "claim_recomputations",
        "What the numbers of the warehouse give for a claim: pairs of numbers that fit both its sides.",
        "one row per claim and pair of numbers; of the pairs that nobody means, only the extreme ones",
        (
            "claim_id kind input_metric subject_number_id baseline_number_id inputs ratio_low ratio_high meets "
            "is_meant is_comparable is_firm differences subject_scale? baseline_scale? performance_high arithmetic"
        ),
        key=("claim_id", "subject_number_id", "baseline_number_id"),
    ),
    Table(
        "audit",
        "claim_assumptions",
        "What a claim rests on beside measured numbers, a list price or linear scaling, and where it stops holding.",
        "one row per claim that rests on an assumption",
        ("claim_id assumption assumption_unit assumed_value break_even? break_even_parity break_even_basis inputs"),
        key=("claim_id", "assumption_unit"),
    ),
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
            "baseline_platform? baseline_sdk_version? metric? factor bound factor_low factor_high verdict "
            "recomputed_low? recomputed_high? reason differences assumption? assumed_value? assumption_unit? "
            "break_even? conditions? sentence? inputs method_version"
        ),
        key=("claim_id",),
        filled_with="resolved.claims",
    ),
)
