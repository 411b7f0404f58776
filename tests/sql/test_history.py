"""What changed from snapshot to snapshot, what stood on a day, what a build changed."""

from __future__ import annotations

import json
import random
import re
from datetime import date, datetime
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from conftest import OF_PAGES, BuildOnce, Ledger, PageMaker, Rows
from typer.testing import CliRunner

from pipelines.assets.folders import Folders
from pipelines.assets.sources import no_source_lost_its_rows
from pipelines.cli.differences import differences, standing
from pipelines.cli.main import app
from pipelines.ingest.sidecars import Snapshot, read_sidecar, write_sidecar
from pipelines.settings import PREVIOUS_FILE
from pipelines.warehouse.reader import FILE_NAME, WarehouseError, query_published

SOURCE = "acme/results"
CHANGES = ("audit.snapshot_events", "audit.snapshots")
ROW = {"Throughput (items/sec)": "38,036"}
VIT = {"Model": "ViT", "Throughput (items/sec)": "7,608"}
BERT = {"Model": "BERT-Large", "Throughput (items/sec)": "3,000"}
GPT = {"Model": "GPT-J", "Throughput (items/sec)": "500"}


def events(ledger: Ledger, source: str = SOURCE) -> Rows:
    return ledger.sql(
        f"""
        select event, model, sdk_version_from, sdk_version_to, value_from, value_to, heading_from, heading_to
        from audit.snapshot_events where source = '{source}' order by snapshot_at, event, model, heading_from
        """
    )


def event(kind: str, **fields: object) -> dict[str, object]:
    names = (
        "model",
        "sdk_version_from",
        "sdk_version_to",
        "value_from",
        "value_to",
        "heading_from",
        "heading_to",
    )
    return {"event": kind} | {name: fields.get(name) for name in names}


NEWER = ROW | {"SDK Version": "SDK 3.2", "Throughput (items/sec)": "40,000"}
RESTATED = VIT | {"Throughput (items/sec)": "7,700"}
SAMPLES = OF_PAGES.replace(
    "columns:", "columns:\n  Throughput (samples/s): {metric: throughput, unit: samples/s}"
)


@pytest.fixture(scope="module")
def told(once: BuildOnce, page: PageMaker) -> Ledger:
    """Snapshots of several sources, each about a platform of its own; no test changes it."""

    def build(ledger: Ledger) -> Any:
        text = page([ROW, VIT])
        sources = {
            "changed": [page([ROW, VIT, BERT]), page([NEWER, RESTATED, GPT])],
            # The same rows in another order change nothing.
            "renamed": [
                text, *(one.replace("(items/sec)", "(samples/s)") for one in (text, page([VIT, ROW]))),
            ],
            "parted": [page([ROW]), text.replace("Dataset\n", "Data set\n")],
            # Other words in the place of the tables are no news, nor is half of them all.
            "rebuilt": [
                text, "Acme results\n\nThis page is being rebuilt. Please come back later.\n",
                "Acme results\n\nThis page is still being rebuilt.\n", page([ROW]), page([ROW, RESTATED]),
            ],
        }  # fmt: skip
        ledger.map("acme/renamed", SAMPLES)
        ledger.map("acme/parted", OF_PAGES.replace("Dataset:", "'/Data ?set/':"))
        for number, (source, snapshots) in enumerate(sources.items()):
            for month, snapshot in enumerate(snapshots, start=1):
                snapshot = snapshot.replace("Bow Pod16", f"Bow Pod{16 << number}")
                ledger.add(snapshot, f"acme/{source}", f"2023-0{month}-01")
        ledger.add(
            text.replace("Bow Pod16", "Bow Pod64"), "acme/parted", "2023-01-01", name="second.txt"
        )
        return ledger.resolve(*CHANGES)

    return once("told", build)


def snapshots(ledger: Ledger, source: str) -> list[tuple[object, ...]]:
    query = "select results_before, results_lost, lost_too_many from audit.snapshots where source = '{}' order by snapshot"
    return [tuple(row.values()) for row in ledger.sql(query.format(source))]


def test_each_change_between_two_snapshots_is_an_event(told: Ledger) -> None:
    assert events(told, "acme/changed") == [
        event("added", model="GPT-J 6B", sdk_version_to="3.1", value_to=500),
        event(
            "new_release", model="ResNet-50 v1.5", sdk_version_from="3.1", sdk_version_to="3.2", value_from=38036,
            value_to=40000,
        ),
        event("removed", model="BERT-Large", sdk_version_from="3.1", value_from=3000),
        event("restated", model="ViT", sdk_version_from="3.1", sdk_version_to="3.1", value_from=7608, value_to=7700),
    ]  # fmt: skip
    assert snapshots(told, "acme/changed") == [(None, None, False), (3, 1, True)]
    pair = "select distinct from_document_id, to_document_id from audit.snapshot_events where source = 'acme/changed'"
    days = (
        "select document_id from raw.documents where source = 'acme/changed' order by snapshot_at"
    )
    assert [*told.sql(pair)[0].values()] == [row["document_id"] for row in told.sql(days)]


def test_a_renamed_heading_is_one_event_also_where_two_pages_of_a_day_show_it(told: Ledger) -> None:
    for source, before, after in (
        ("acme/renamed", "Throughput (items/sec)", "Throughput (samples/s)"),
        ("acme/parted", "Dataset", "Data set"),
    ):
        assert events(told, source) == [
            event("renamed_header", heading_from=before, heading_to=after)
        ]


def test_a_page_that_lost_all_its_tables_is_no_page_without_news(told: Ledger) -> None:
    assert [row["event"] for row in events(told, "acme/rebuilt")][:2] == ["removed", "removed"]
    assert snapshots(told, "acme/rebuilt") == [
        (None, None, False), (2, 2, True), (2, 2, True), (2, 1, True), (1, 0, False),
    ]  # fmt: skip
    stood = told.sql(
        "select value from main.results_as_of('2023-03-15') where platform = 'Bow Pod128' order by 1"
    )
    assert [row["value"] for row in stood] == [7608, 38036], "what stood before still stands"


def rows_check(ledger: Ledger) -> dg.AssetCheckResult:
    folders = Folders(raw=str(ledger.raw), warehouse=str(ledger.warehouse))
    check = no_source_lost_its_rows(dg.build_asset_check_context(), folders)
    assert isinstance(check, dg.AssetCheckResult)
    return check


def test_a_source_that_loses_its_rows_fails_a_check_and_not_the_build(
    ledger: Ledger, page: PageMaker
) -> None:
    for source in (SOURCE, "acme/lenient"):
        ledger.map(source)
        ledger.add(page([ROW, VIT]) + f"\n{source}\n", source, "2023-01-01")
        ledger.add(page([ROW]) + f"\n{source}\n", source, "2023-02-01")
    sidecar = ledger.raw / "acme" / "lenient" / "source.yml"
    assert "rows_lost_up_to: 0.2" in sidecar.read_text()
    sidecar.write_text(sidecar.read_text().replace("rows_lost_up_to: 0.2", "rows_lost_up_to: 0.5"))
    assert ledger.build().success
    check = rows_check(ledger)
    assert not check.passed
    assert SOURCE in str(check.metadata["reason"].value)
    assert "lenient" not in str(check.metadata["reason"].value)
    printed = (
        CliRunner()
        .invoke(app, ["build", "--raw", str(ledger.raw), "--warehouse", str(ledger.warehouse)])
        .stdout
    )
    assert "acme/results lost 1 of 2 benchmarks on 2023-02-01" in printed
    assert "acme/lenient lost" not in printed
    # Where every source may lose as many, the check passes.
    ledger.change("delete from audit.snapshots where source <> 'acme/lenient'")
    assert rows_check(ledger).passed


STANDING = (
    "select benchmark_key, sdk_version, value, result_id, documents from {} order by benchmark_key"
)
# What is drawn for one platform has sources of its own, too: many cases stand in one ledger and do
# not meet.
PLATFORMS = [f"{family}{size}" for family in ("Bow Pod", "IPU-POD") for size in (16, 64, 128, 256)]
MODELS, RELEASES = ("ViT", "BERT-Large", "GPT-J"), ("SDK 3.1", "SDK 3.2", "SDK 3.10")


def test_what_stood_on_a_day_is_what_a_ledger_of_that_day_shows(
    tmp_path: Path, page: PageMaker
) -> None:
    rng, days = random.Random(5), [f"2023-0{month}-01" for month in range(1, 5)]
    whole = Ledger(tmp_path / "whole")
    until = {day: Ledger(tmp_path / day) for day in days[:2]}
    for number, platform in enumerate(PLATFORMS):
        for day in days[: rng.randint(2, 4)]:
            rows = [
                {
                    "Model": rng.choice(MODELS), "SDK Version": rng.choice(RELEASES), "Platform": platform,
                    "Throughput (items/sec)": f"{rng.randint(1000, 1003):,}",
                }
                for _ in range(rng.randint(1, 4))
            ]  # fmt: skip
            text, source = (
                page(rows) + f"\nPage {number} of {day}.\n",
                rng.choice(["acme/results", "acme/blog"]),
            )
            for ledger in (whole, *(part for last, part in until.items() if day <= last)):
                ledger.map(f"{source}-{number}")
                ledger.add(text, f"{source}-{number}", day)
    assert whole.resolve().success
    current = whole.sql(STANDING.format("main.current_results"))
    assert len({row["benchmark_key"] for row in current}) > len(PLATFORMS)
    every_column = "from {} order by benchmark_key"
    assert whole.sql(every_column.format("main.results_as_of(current_date)")) == whole.sql(
        every_column.format("main.current_results")
    )
    assert whole.sql(STANDING.format("main.results_as_of('2022-01-01')")) == []
    for day, part in until.items():
        assert part.resolve().success
        stood = whole.sql(STANDING.format(f"main.results_as_of('{day}')"))
        assert stood == part.sql(STANDING.format("main.current_results")) != current


def diff(
    ledger: Ledger, before: str | None = None, after: str | None = None
) -> list[tuple[object, ...]]:
    earlier, later = (
        standing(ledger.warehouse, which, file)
        for which, file in ((before, PREVIOUS_FILE), (after, FILE_NAME))
    )
    rows = differences(earlier, later).to_pylist()
    return [
        (row["event"], row["model"], row["value_from"], row["value_to"], row["ratio"])
        for row in rows
    ]


def test_two_builds_and_two_days_are_compared(
    ledger: Ledger, page: PageMaker, tmp_path: Path
) -> None:
    ledger.add(page([ROW, VIT, BERT]), SOURCE, "2023-01-01")
    assert ledger.build().success
    with pytest.raises(WarehouseError, match="no earlier build"):
        diff(ledger)
    first = tmp_path / "first.duckdb"
    first.write_bytes((ledger.warehouse / "benchmarks.duckdb").read_bytes())
    ledger.add(page([NEWER, RESTATED, GPT]), SOURCE, "2023-02-01")
    assert ledger.build().success
    changes = [
        ("added", "GPT-J 6B", None, 500, None),
        ("new release", "ResNet-50 v1.5", 38036, 40000, 1.0516),
        ("removed", "BERT-Large", 3000, None, None),
        ("restated", "ViT", 7608, 7700, 1.0121),
    ]
    assert diff(ledger) == changes
    # A build that changes no result is compared with what was there before the last change.
    ledger.add("Notes\n\nThe weather was fine.\n", "acme/notes", "2023-02-02", name="c.txt")
    assert ledger.build().success
    assert diff(ledger) == changes
    assert diff(ledger, str(first)) == changes
    assert diff(ledger, "2023-01-31", "2023-02-01") == changes
    assert diff(ledger, "2023-01-01") == changes
    assert diff(ledger, "2023-02-01") == []
    assert diff(ledger, str(ledger.warehouse / "benchmarks.duckdb"), str(first))[0][:2] == (
        "added",
        "BERT-Large",
    )
    # The macro works in a file under another name.
    query = "select count(*) as rows from main.results_as_of(date '2023-01-01')"
    assert query_published(first, query).to_pylist() == [{"rows": 3}]
    with pytest.raises(WarehouseError, match="neither a day"):
        diff(ledger, "yesterday")


def test_the_command_says_what_is_new_restated_withdrawn_and_contradicted(
    with_a_page: Ledger, page: PageMaker
) -> None:
    ledger = with_a_page
    arguments = ["diff", "2022-01-01", "--warehouse", str(ledger.warehouse), "--format", "json"]
    as_json = CliRunner().invoke(app, arguments)
    [row] = json.loads(as_json.stdout)
    assert (row["event"], row["value_to"]) == ("added", 38036)
    moment = r"20\d\d-\d\d-\d\d \d\d:\d\d UTC"
    assert re.fullmatch(
        rf"from the day 2022-01-01 to benchmarks\.duckdb of {moment}\n", as_json.stderr
    )
    ledger.add(page([VIT, BERT]), "acme/other", "2023-01-01", name="b.txt")
    assert ledger.build().success
    ledger.add(
        page([VIT | {"Throughput (items/sec)": "76,080"}]), "acme/other", "2023-02-01", name="b.txt"
    )
    claims = "ResNet-50 training on the Bow Pod16 gives 10x higher throughput: 2,000 images/s against 1,000 images/s.\n"
    ledger.add(claims, "acme/blog", "2023-02-02", name="blog.txt", format="claim_prose")
    assert ledger.build().success
    printed = (
        CliRunner()
        .invoke(app, ["diff", "--format", "markdown", "--warehouse", str(ledger.warehouse)])
        .stdout
    )
    assert printed.startswith("# Changes from previous.duckdb of 20")
    headings = [line for line in printed.splitlines() if line.startswith("## ")]
    assert "## Restated, 1 of them outliers: 1" in headings
    assert "## Withdrawn: 1" in headings
    assert any("claims" in line for line in headings)
    [restated] = [line for line in printed.splitlines() if line.startswith("| ViT |")]
    assert " 7608 | 76080 |" in restated
    assert " true |" in restated
    arguments[1], arguments[-1] = "2024-01-01", "markdown"
    assert CliRunner().invoke(app, arguments).stdout.endswith("Nothing has changed.\n")


def see_again(document: Path, moment: str) -> None:
    """Record by the store's own sidecar that the page returned to a document."""
    sidecar = document.with_name("snapshot.yml")
    [entry] = read_sidecar(sidecar, Snapshot).documents
    again = entry.model_copy(update={"seen_again_at": [datetime.fromisoformat(moment)]})
    write_sidecar(sidecar, Snapshot(documents=[again]))


def test_a_page_that_returned_stood_then_and_stands_now(ledger: Ledger, page: PageMaker) -> None:
    first = ledger.add(page([ROW, VIT]), SOURCE, "2023-01-01")
    ledger.add(page([ROW, RESTATED]), SOURCE, "2023-02-01")
    see_again(first, "2023-03-01T23:30:00-01:00")
    assert ledger.resolve(*CHANGES, "main.result_history", "main.claims").success
    restated = {"sdk_version_from": "3.1", "sdk_version_to": "3.1"}
    assert events(ledger) == [
        event("restated", model="ViT", value_from=7608, value_to=7700, **restated),
        event("restated", model="ViT", value_from=7700, value_to=7608, **restated),
    ]
    [*_, last] = ledger.sql(
        "select snapshot, snapshot_at, results_lost from audit.snapshots order by snapshot"
    )
    assert (last["snapshot"], str(last["snapshot_at"]), last["results_lost"]) == (
        3,
        "2023-03-02 00:30:00",
        0,
    )
    history = "select value, status, first_published_on, last_published_on, documents from main.result_history"
    assert [
        tuple(row.values()) for row in ledger.sql(history + " where model = 'ViT' order by value")
    ] == [
        (7608, "current", date(2023, 1, 1), date(2023, 1, 1), 1),
        (7700, "restated", date(2023, 2, 1), date(2023, 2, 1), 1),
    ]
    standing = "select value from main.results_as_of('{}') where model = 'ViT'"
    days = {
        "2022-12-31": [],
        "2023-01-31": [7608],
        "2023-02-01": [7700],
        "2023-03-01": [7700],
        "2023-03-02": [7608],
    }
    assert {day: [row["value"] for row in ledger.sql(standing.format(day))] for day in days} == days
    assert diff(ledger, "2023-01-15", "2023-04-01") == []


def test_a_release_that_is_taken_back_is_removed(ledger: Ledger, page: PageMaker) -> None:
    newer = ROW | {"SDK Version": "SDK 3.10", "Throughput (items/sec)": "41,000"}
    ledger.add(page([ROW | {"SDK Version": "SDK 3.9"}, newer]), SOURCE, "2023-01-01")
    ledger.add(page([ROW | {"SDK Version": "SDK 3.9"}]), SOURCE, "2023-02-01")
    ledger.add(page([newer]), SOURCE, "2023-03-01")
    assert ledger.resolve(*CHANGES, "main.claims").success
    versions = {"model": "ResNet-50 v1.5", "sdk_version_to": "3.10", "value_to": 41000}
    assert events(ledger) == [
        event("removed", model="ResNet-50 v1.5", sdk_version_from="3.10", value_from=41000),
        event("new_release", sdk_version_from="3.9", value_from=38036, **versions),
    ]
    assert diff(ledger, "2023-01-01", "2023-02-01")[0][0] == "removed"
    assert diff(ledger, "2023-02-01", "2023-03-01")[0][0] == "added"
