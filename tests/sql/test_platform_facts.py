"""Facts of platforms: what data sheets state is kept apart from what was measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Ledger

from pipelines.validate import corrections

MAPPING = """columns:
  Accelerator: platform
  TDP (W): {metric: rated_power, unit: W}
  Memory (GB): {metric: memory_capacity, unit: GB}
  Bandwidth (TB/s): {metric: memory_bandwidth, unit: TB/s}
  '/(?P<precision>FP8|BF16) dense \\(TFLOPS\\)/': {metric: peak_rate, unit: TFLOPS}
  Price ($/hour): {metric: on_demand_hourly_price, unit: USD/h}
tables:
- section: /Accelerators/
  headings: ['^Accelerators in (?P<region>\\S+)$']
"""
SHEET = """# Accelerators in Oregon

| Accelerator | TDP (W) | Memory (GB) | Bandwidth (TB/s) | BF16 dense (TFLOPS) | FP8 dense (TFLOPS) | Price ($/hour) |
| --- | --- | --- | --- | --- | --- | --- |
| H100 SXM | {power} | 80 | 3.35 | 989.4 | 1,979 | {price} |
| MI300X | 750 | 192 | 5.3 | 1,307.4 | 2,614.9 | 4.89 |
"""


def add_sheet(ledger: Ledger, source: str, day: str, power: int, price: float) -> None:
    ledger.map(source, MAPPING)
    ledger.add(SHEET.format(power=power, price=price), source, day, name="sheet.md")


def test_facts_are_no_results_and_keep_their_conditions_and_evidence(ledger: Ledger) -> None:
    add_sheet(ledger, "acme/sheet", "2026-01-01", 700, 2.99)
    assert ledger.resolve().success
    assert ledger.sql("from resolved.results") == []
    facts = ledger.sql(
        """
        select fact, precision, terms, conditions['region'] as region, value, unit, text_printed
        from resolved.platform_facts join resolved.evidence using (evidence_id)
        where platform = 'H100 SXM' order by fact, precision
        """
    )
    assert [tuple(row.values()) for row in facts] == [
        ("hourly_price", None, "on demand", "Oregon", 2.99, "USD/h", "2.99"),
        ("memory_bandwidth", None, None, "Oregon", 3350.0, "GB/s", "3.35"),
        ("memory_capacity", None, None, "Oregon", 80.0, "GB", "80"),
        ("peak_rate", "BF16", None, "Oregon", 989.4, "TFLOPS", "989.4"),
        ("peak_rate", "FP8", None, "Oregon", 1979.0, "TFLOPS", "1,979"),
        ("rated_power", None, None, "Oregon", 700.0, "W", "700"),
    ]


def test_two_sources_that_differ_are_a_conflict_but_not_in_price(ledger: Ledger) -> None:
    add_sheet(ledger, "acme/sheet", "2026-01-01", 650, 2.99)
    add_sheet(ledger, "acme/sheet", "2026-02-01", 700, 2.49)
    add_sheet(ledger, "other/sheet", "2026-02-01", 350, 1.99)
    assert ledger.resolve("audit.conflicts").success
    [conflict] = ledger.sql("from audit.conflicts")
    assert (conflict["kind"], conflict["left_value"], conflict["right_value"]) == (
        "of_platform", 700, 350,
    )  # fmt: skip
    assert "rated_power of H100 SXM: acme/sheet prints 700" in conflict["reason"]


def test_a_fact_of_eight_is_that_of_eight(ledger: Ledger) -> None:
    ledger.map("acme/sheet", MAPPING)
    eight = SHEET.format(power=5600, price=23.9).replace("| H100 SXM", "| 8x H100 SXM")
    ledger.add(eight, "acme/sheet", "2026-01-01", name="sheet.md")
    add_sheet(ledger, "other/sheet", "2026-01-01", 700, 2.99)
    assert ledger.resolve("audit.conflicts").success
    rows = ledger.sql(
        """
        select source, accelerator_count, value from resolved.platform_facts
        where platform = 'H100 SXM' and fact in ('rated_power', 'hourly_price') order by all
        """
    )
    assert [tuple(row.values()) for row in rows] == [
        ("acme/sheet", 8, 23.9), ("acme/sheet", 8, 5600), ("other/sheet", 1, 2.99), ("other/sheet", 1, 700),
    ]  # fmt: skip
    assert ledger.sql("from audit.conflicts") == []


def test_a_correction_changes_a_fact_and_a_round_leaves_its_platform(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "corrections.yml"
    entry = {
        "name": "power", "known_in": ["acme/inference-v5.1"], "metric": "rated_power",
        "row": {"platform_printed": "H100 SXM"}, "expect": {"rated_power": "70"}, "action": "override",
        "reason": "The data sheet of the vendor says 700 W.", "value": 700.0, "unit": "W",
    }  # fmt: skip
    path.write_text(json.dumps([entry]), "utf-8")
    monkeypatch.setattr(corrections, "CORRECTIONS_FILE", path)
    ledger.map("acme/inference-v5.1", f"constants: {{suite: '!MLPerf Inference'}}\n{MAPPING}")
    page = SHEET.format(power=70, price=2.99)
    ledger.add(page, "acme/inference-v5.1", name="sheet.md")
    outcome = ledger.resolve()
    assert outcome.success, outcome.faults
    assert ledger.sql("select round from raw.documents") == [{"round": "v5.1"}]
    facts = ledger.sql(
        "select platform, vendor, value from resolved.platform_facts where fact = 'rated_power' order by value"
    )
    assert [tuple(row.values()) for row in facts] == [
        ("H100 SXM", "NVIDIA", 700), ("MI300X", "AMD", 750),
    ]  # fmt: skip


def test_a_fact_without_a_platform_is_refused(ledger: Ledger) -> None:
    ledger.map("acme/sheet", MAPPING.replace("Accelerator: platform", "Accelerator: ignore"))
    ledger.add(SHEET.format(power=700, price=1), "acme/sheet", "2026-01-01", name="sheet.md")
    assert ledger.resolve().success
    assert {row["rule"] for row in ledger.sql("select rule from audit.rejects")} == {
        "no_subject",
        "ambiguous",
    }
