"""What is shipped, built whole: what a reader relies on holds for all of it."""

from __future__ import annotations

import pytest
from conftest import Ledger

from pipelines.ingest.store import read_store
from pipelines.settings import PROJECT

pytestmark = pytest.mark.whole

MAX_BYTES_OF_THE_STORE = 120_000_000
LEAST_CURRENT_RESULTS = 5_000
LEAST_PUBLISHERS = 14


def test_nothing_is_refused_and_every_name_is_known(whole: Ledger) -> None:
    assert read_store(PROJECT / "raw").faults == []
    assert whole.sql("select path, line, rule, reason from audit.rejects limit 20") == []
    assert whole.sql("select kind, name_printed, documents from audit.unresolved_names") == []


# A log of a person's own program, which does not name what it trains.
def test_a_performance_has_a_model_and_a_platform(whole: Ledger) -> None:
    [found] = whole.sql(
        """
        select count(*) as unnamed from main.current_results
        where (model is null or platform is null)
          and source <> 'unknown/mk2-a100-training-log'
          and metric in ('throughput', 'latency', 'ttft', 'tpot', 'time_to_train', 'step_time')
        """
    )
    assert found["unnamed"] == 0


def test_it_is_large_enough_to_be_asked_and_small_enough_to_be_cloned(whole: Ledger) -> None:
    [found] = whole.sql(
        """
        select count(*) as results, count(distinct publisher) as publishers
        from main.current_results
        """
    )
    assert found["results"] >= LEAST_CURRENT_RESULTS
    assert found["publishers"] >= LEAST_PUBLISHERS
    stored = [path for path in (PROJECT / "raw").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in stored) < MAX_BYTES_OF_THE_STORE
