"""Results of the hardware of another publisher: `add`, `map` and `build` say whose they are."""

from __future__ import annotations

from conftest import Ledger, PageMaker
from typer.testing import CliRunner

from pipelines.cli.main import app

FIRST = {"Platform": "H100", "Throughput (items/sec)": "900"}
SECOND = {"Platform": "H100", "Model": "ViT", "Throughput (items/sec)": "400"}
WHOSE = "third party: the maker of the platform is NVIDIA, whose own results of the benchmark are"


def run(ledger: Ledger, command: str, *arguments: str) -> str:
    folders = ["--raw", str(ledger.raw), "--warehouse", str(ledger.warehouse)]
    return " ".join(CliRunner().invoke(app, [command, *arguments, *folders]).output.split())


def statuses(ledger: Ledger) -> list[tuple[object, ...]]:
    query = "select value, status from main.result_history order by value"
    return [tuple(row.values()) for row in ledger.sql(query)]


def test_a_newcomer_learns_whose_results_it_prints(ledger: Ledger, page: PageMaker) -> None:
    ledger.add(page([FIRST, SECOND]), "acme/results", "2023-02-01")
    assert f"2 results are {WHOSE} not in the ledger; these become current" in run(
        ledger, "map", "acme/results"
    )
    assert ledger.resolve("main.result_history").success
    assert statuses(ledger) == [(400, "current"), (900, "current")]
    ledger.add(page([FIRST | {"Throughput (items/sec)": "900.4"}]), "nvidia/results", "2023-03-01")
    built = run(ledger, "build")
    assert f"acme/results: 1 result is {WHOSE} in the ledger" in built
    assert built.count("third party") == 1, "nothing is said of the result that is current"
    assert statuses(ledger) == [(400, "current"), (900, "third_party"), (900.4, "current")]
    shown = run(ledger, "map", "acme/results")
    assert f"1 result is {WHOSE} in the ledger" in shown
    assert f"1 result is {WHOSE} not in the ledger; these become current" in shown
    file = ledger.raw.parent / "later.txt"
    file.write_text(page([FIRST, SECOND]) + "\nUpdated.\n")
    added = run(
        ledger, "add", str(file), "--source", "acme/results", "--published-on", "2023-04-01"
    )
    assert f"1 result is {WHOSE} in the ledger" in added


def test_the_cloud_owns_the_results_of_its_instances(ledger: Ledger, page: PageMaker) -> None:
    instance = FIRST | {"Platform": "g5.xlarge"}
    ledger.add(page([instance]), "aws/results", "2023-02-01")
    assert "third party" not in run(ledger, "map", "aws/results")
    ledger.add(
        page([instance | {"Throughput (items/sec)": "900.4"}]), "nvidia/results", "2023-03-01"
    )
    assert ledger.resolve("main.result_history").success
    assert statuses(ledger) == [(900, "current"), (900.4, "third_party")]
