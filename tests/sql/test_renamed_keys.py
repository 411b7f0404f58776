"""Keys of benchmarks that change because the same characters are read otherwise: the old one leads
to the new.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from conftest import Ledger, PageMaker, forget_vocabularies
from sql.given_rows import document_of, evidence_of, made_of

KEYS = "select benchmark_key from main.current_results order by 1"
RENAMED = "select former_key, benchmark_key, results from audit.renamed_keys order by 1, 2"


def test_a_saved_key_follows_over_two_changes_and_back(
    ledger: Ledger, page: PageMaker, vocabulary: Path
) -> None:
    def key_with(name: str) -> str:
        models.write_text(f"{before}- {{name: {name}, printed: [Zorpnet v2]}}\n", "utf-8")
        forget_vocabularies()
        assert ledger.resolve("audit.renamed_keys").success
        return only(KEYS)["benchmark_key"]

    def only(query: str) -> dict[str, Any]:
        [row] = ledger.sql(query)
        return row

    models = vocabulary / "models.yml"
    before = models.read_text("utf-8")
    for month, throughput in ((1, "38,036"), (2, "39,120")):
        row = {"Model": "Zorpnet v2", "Throughput (items/sec)": throughput}
        ledger.add(page([row]), "acme/results", f"2023-0{month}-01")
    first = key_with("Zorpnet")
    assert ledger.sql(RENAMED) == []
    second = key_with("Zorpnet-2")
    assert only(RENAMED) == {"former_key": first, "benchmark_key": second, "results": 2}
    third = key_with("ZorpNet 2")
    assert [(row["former_key"], row["benchmark_key"]) for row in ledger.sql(RENAMED)] == sorted(
        [(first, third), (second, third)]
    )
    # Its first key again: only the others lead elsewhere.
    assert key_with("Zorpnet") == first
    assert {(row["former_key"], row["benchmark_key"]) for row in ledger.sql(RENAMED)} == {
        (second, first),
        (third, first),
    }


def test_two_results_of_one_place_are_told_apart_by_their_metric() -> None:
    def result(metric: str, key: int, place: int = 1) -> dict[str, Any]:
        named = {"document_id": document_of(1), "evidence_id": evidence_of(place), "metric": metric}
        return named | {"benchmark_key": evidence_of(key)}

    former = [result("latency", 10), result("throughput", 20), result("latency", 30, place=2)]
    now = [result("latency", 11), result("throughput", 20), result("ttft", 31, place=2)]
    made = made_of("audit.renamed_keys", internal__former_keys=former, resolved__results=now)
    assert [(row["former_key"], row["benchmark_key"], row["results"]) for row in made] == [
        (evidence_of(10), evidence_of(11), 1),
        (evidence_of(30), evidence_of(31), 1),
    ]
