"""A check that somebody executes alone in the Dagster UI: it looks at what stands, and says what it
has found.
"""

from __future__ import annotations

import dagster as dg
import pytest
from conftest import Ledger, executed_checks

from pipelines.assets.contract_checks import CHECK, asset_key
from pipelines.assets.steps import step_assets

TABLE = "main.current_results"


def execute(ledger: Ledger, full_name: str = TABLE) -> dg.AssetCheckEvaluation:
    """Execute the check of one table, and nothing else."""
    check = dg.AssetCheckKey(asset_key(full_name), CHECK)
    [found] = executed_checks(step_assets(), dg.AssetSelection.checks(check), ledger)
    assert found.asset_check_key == check
    return found


@pytest.mark.parametrize("table", [TABLE, "resolved.results", "raw.documents"])
def test_a_check_that_is_executed_alone_passes_as_it_did_in_the_build(
    with_a_page: Ledger, table: str
) -> None:
    found = execute(with_a_page, table)
    assert found.passed
    [rows] = with_a_page.sql(f"select count(*) as n from {table}")
    assert found.metadata["rows"].value == rows["n"]
    assert found.metadata["rows_refused"].value == 0


def test_a_check_that_is_executed_alone_says_what_is_wrong(with_a_page: Ledger) -> None:
    with_a_page.change(f"insert into {TABLE} from {TABLE}")
    found = execute(with_a_page)
    assert not found.passed
    reason = found.metadata["reason"].value
    assert reason == "benchmark_key: another row has the same key"
    with_a_page.change("drop table main.result_history")
    found = execute(with_a_page, "main.result_history")
    assert not found.passed
    assert found.metadata["reason"].value == "the table does not exist yet; materialise it first"
