"""The commands about sources, as a user runs them, against a server on loopback."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml
from conftest import Ledger, PageMaker
from loopback import Server, text
from typer.testing import CliRunner

from pipelines.cli.main import app
from pipelines.exceptions import BUILT_WITH_LOSSES, WRONG_USE
from pipelines.ingest.fetch_log import Attempt, append_attempt

PAGE = "Results\n\n| Model | Platform | Throughput (items/sec) |\n| ViT | Bow Pod16 | 7,608 |\n"


@pytest.fixture(autouse=True)
def published(server: Server) -> None:
    server.replies["/results.txt"] = text(PAGE)


@pytest.fixture
def raw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "raw"
    folder.mkdir()
    monkeypatch.setenv("BENCHLEDGER_RAW", str(folder))
    return folder


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def register(raw: Path, name: str, url: str) -> Path:
    folder = raw / name
    folder.mkdir(parents=True)
    known = {"publisher": "Acme", "url": url, "cadence": "daily", "allow_hosts": ["127.0.0.1"]}
    (folder / "source.yml").write_text(yaml.safe_dump(known))
    return folder


def add(
    server: Server, *more: str, source: str = "acme/results", path: str = "/results.txt"
) -> tuple[int, str, str]:
    return run("add", server.url + path, "--source", source, "--allow-host", "127.0.0.1", *more)


def test_an_address_is_registered_and_its_first_snapshot_taken(server: Server, raw: Path) -> None:
    status, out, _ = add(
        server, "--cadence", "weekly", "--interest", "vendor", "--title", "Acme results"
    )
    # What its table means nobody has said yet.
    assert (status, "changed" in out) == (3, True)
    source = yaml.safe_load((raw / "acme/results/source.yml").read_text())
    assert (source["url"], source["cadence"], source["interest"]) == (
        server.url + "/results.txt",
        "weekly",
        "vendor",
    )
    assert [path.read_text() for path in raw.glob("acme/results/*/results.txt")] == [PAGE]
    [row] = json.loads(run("sources", "--format", "json")[1])
    assert (row["freshness"], row["outcome"], row["snapshots"]) == ("fresh", "changed", 1)
    assert "No source is due" in run("fetch")[1]
    assert (
        json.loads(run("fetch", "acme/results", "--format", "json")[1])[0]["outcome"] == "unchanged"
    )


def test_a_failing_source_shows_in_the_exit_status_and_does_not_stop_the_others(
    server: Server, raw: Path
) -> None:
    add(server)
    register(raw, "acme/none", server.url + "/none")
    status, out, _ = run("fetch", "acme/none", "acme/results", "--format", "json")
    assert (status, [row["outcome"] for row in json.loads(out)]) == (
        BUILT_WITH_LOSSES,
        ["gone", "unchanged"],
    )


# Texts of `source.yml`; none is a folder in its place.
BROKEN = (
    "cadence: 2023-13-45", "[" * 3000, "url: 5", ": ::", "publisher: a\nformats: [html]", None,
)  # fmt: skip


def test_a_source_that_cannot_be_read_is_named_and_stops_no_other(
    server: Server, raw: Path
) -> None:
    for number, content in enumerate(BROKEN):
        sidecar = raw / "acme" / f"broken-{number}" / "source.yml"
        sidecar.parent.mkdir(parents=True)
        sidecar.mkdir() if content is None else sidecar.write_text(content)
    register(raw, "acme/good", server.url + "/results.txt")
    status, out, errors = run("fetch", "--format", "json")
    assert [(row["source"], row["outcome"]) for row in json.loads(out)] == [
        ("acme/good", "changed")
    ]
    assert status == BUILT_WITH_LOSSES
    # A second time none is due, and the fault is there still.
    assert run("fetch")[0] == BUILT_WITH_LOSSES
    for number in range(len(BROKEN)):
        assert f"acme/broken-{number} is not fetched: source.yml" in errors
        status, out, _ = run("fetch", f"acme/broken-{number}", "--format", "json")
        assert (status, "source.yml" in json.loads(out)[0]["reason"]) == (BUILT_WITH_LOSSES, True)


# What is asked for, and words of the refusal.
WRONG_USES: tuple[tuple[tuple[str, ...], str], ...] = (
    (("fetch", "acme/unknown"), "not registered"),
    (("add", "https://acme.example/", "--source", "acme"), "publisher/source"),
    (
        ("add", "https://acme.example/", "--source", "acme/new", "--cadence", "now and then"),
        "cadence",
    ),
    (
        ("add", "https://acme.example/", "--source", "acme/new", "--interest", "none"),
        "interest",
    ),
    (
        ("add", "https://acme.example/other", "--source", "acme/results"),
        "is registered with url",
    ),
    (
        ("add", "{url}/results.txt", "--source", "acme/results", "--cadence", "daily"),
        "write `cadence: daily` in ",
    ),
    (("add", "https://me:secret@acme.example/", "--source", "acme/new"), "password"),
    (("add", "ftp://acme.example/results", "--source", "acme/new"), "https://"),
    (("add", "https://acme.example:99999/", "--source", "acme/new"), "no port 99999"),
    (
        ("add", "https://acme.example/", "--source", "acme/new", "--format", "results_page"),
        "(--format) says nothing",
    ),
    (
        (
            "add",
            "https://acme.example/",
            "--source",
            "acme/new",
            "--published-on",
            "2026-01-31",
        ),
        "--published-on",
    ),
    (
        ("add", __file__, "--source", "acme/new", "--cadence", "daily"),
        "cadence (--cadence) says nothing of a file",
    ),
)


def test_wrong_use_changes_nothing(server: Server, raw: Path) -> None:
    add(server)
    before = {path: path.read_bytes() for path in raw.rglob("*") if path.is_file()}
    for arguments, words in WRONG_USES:
        status, _, errors = run(*(argument.replace("{url}", server.url) for argument in arguments))
        assert (status, words in errors) == (WRONG_USE, True), (arguments, errors)
        assert {path: path.read_bytes() for path in raw.rglob("*") if path.is_file()} == before


def test_a_source_in_a_folder_made_by_hand_is_fetched_whatever_its_name(
    server: Server, raw: Path
) -> None:
    folder = register(raw, "Acme Größe/Results 2026", server.url + "/results.txt")
    status, out, _ = run("fetch", "--format", "json")
    assert (status, json.loads(out)[0]["outcome"]) == (0, "changed"), out
    assert [path.read_text() for path in folder.glob("*/results.txt")] == [PAGE]


def test_addresses_inside_the_own_network_are_refused_unless_named(
    server: Server, raw: Path
) -> None:
    status, _, errors = run("add", server.url + "/results.txt", "--source", "acme/results")
    assert (status, "blocked" in errors, server.asked) == (WRONG_USE, True, [])


def test_what_cannot_be_fetched_is_not_registered(server: Server, raw: Path) -> None:
    server.replies["/robots.txt"] = text("User-agent: *\nDisallow: /private\n")
    server.replies["/down"] = lambda handler: handler.send(501)
    for path in ("/none", "/private", "/down"):
        status, _, errors = add(server, path=path, source="acme/new")
        assert (status, "nothing was stored or registered" in errors) == (WRONG_USE, True), errors
        assert [place for place in raw.rglob("*") if not place.name.startswith(".")] == []
    # One that is registered already stays, whatever its page is today.
    assert add(server, source="acme/new")[0] == 3
    server.replies["/results.txt"] = lambda handler: handler.send(404)
    assert add(server, source="acme/new")[0] == WRONG_USE
    assert (raw / "acme/new/source.yml").exists()


def test_the_ui_shows_a_fetch_by_command_as_it_shows_the_others(server: Server, raw: Path) -> None:
    import dagster as dg

    from pipelines.assets.instance import open_instance
    from pipelines.assets.sources import SEEN_CHECK, source_key

    def shown(name: str) -> tuple[str | None, bool | None]:
        with open_instance() as instance:
            key = source_key(name)
            seen = instance.get_latest_materialization_event(key)
            found = instance.fetch_observations(key, limit=1).records
            metadata = (
                seen.asset_materialization.metadata if seen and seen.asset_materialization else {}
            )
            if found and found[0].asset_observation:
                metadata = dict(metadata) | dict(found[0].asset_observation.metadata)
            check = dg.AssetCheckKey(key, SEEN_CHECK)
            [record] = instance.event_log_storage.get_latest_asset_check_execution_by_key(
                [check]
            ).values()
            outcome = metadata.get("outcome")
            return str(outcome.value) if outcome else None, record.status.value == "SUCCEEDED"

    add(server, source="acme/shown")
    assert shown("acme/shown") == ("changed", True)
    server.replies["/results.txt"] = lambda handler: handler.send(404)
    assert run("fetch", "acme/shown")[0] == BUILT_WITH_LOSSES
    assert shown("acme/shown") == ("gone", False)


def test_a_login_page_in_the_place_of_results_is_a_loss(
    environment: Ledger, page: PageMaker, server: Server
) -> None:
    register(environment.raw, "acme/results", server.url + "/results.txt")
    environment.map("acme/results")
    server.replies["/results.txt"] = text(page([{"Throughput (items/sec)": "38,036"}]))
    assert run("fetch")[0] == 0
    assert environment.build().success
    server.replies["/results.txt"] = text("Sign in\n\nYour session has ended.\n")
    # Two snapshots of one second are one.
    time.sleep(1)
    status, _, errors = run("fetch", "acme/results")
    assert (status, "acme/results: nothing is read of it" in errors) == (3, True), errors
    status, out, _ = run("build")
    assert (status, "acme/results lost 1 of 1 benchmarks" in out) == (BUILT_WITH_LOSSES, True), out
    # That nobody has looked for days is a second fault, which hides nothing.
    log = environment.raw / "acme/results/fetches.jsonl"
    log.write_text(log.read_text().replace(f"{datetime.now(UTC):%Y-%m-}", "2023-01-"))
    [row] = json.loads(run("sources", "--format", "json")[1])
    assert (row["freshness"], row["reason"][:14]) == ("stale, degraded", "0 results of 1")


def test_a_source_that_was_never_fetched_may_have_snapshots(
    environment: Ledger, page: PageMaker
) -> None:
    register(environment.raw, "acme/results", "https://acme.example/results.txt")
    environment.add(page([{"Throughput (items/sec)": "38,036"}]), "acme/results", "2023-01-01")
    [row] = json.loads(run("sources", "--format", "json")[1])
    assert (row["freshness"], row["snapshots"], row["last_changed"]) == (
        "never fetched",
        1,
        "2023-01-01 00:00",
    )


def test_a_server_that_asks_to_wait_is_asked_before_only_by_force(
    server: Server, raw: Path
) -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    folder = register(raw, "acme/results", server.url + "/results.txt")
    waits = Attempt(
        source="acme/results",
        url=server.url,
        attempted_at=now,
        outcome="failed",
        not_before=now + timedelta(days=1),
    )
    append_attempt(folder, waits)
    status, out, errors = run("fetch", "acme/results")
    assert (status, "asks to wait until" in errors, server.asked) == (3, True, []), errors
    # No "No source is due; `benchledger fetch SOURCE` looks at it now."
    assert out == ""
    assert run("fetch", "acme/results", "--force")[0] == 0


def test_adding_what_is_stored_says_whether_a_build_takes_it(
    environment: Ledger, tmp_path: Path
) -> None:
    page = tmp_path / "words.txt"
    page.write_text("Nothing is measured here.\n")
    add = ("add", str(page), "--source", "acme/words", "--published-on", "2023-01-01")
    assert run(*add)[0] == BUILT_WITH_LOSSES
    status, words, _ = run(*add)
    assert status == BUILT_WITH_LOSSES
    assert "stored already as unknown" in words
    assert "no format finds results in it" in words
    (environment.raw / "acme/words/2023-01-01/words.txt").write_text("mine")
    status, words, _ = run(*add)
    assert (status, "a build refuses it: the file changed after it was captured" in words) == (
        BUILT_WITH_LOSSES,
        True,
    )


def test_a_document_added_by_mistake_is_taken_back(environment: Ledger, page: PageMaker) -> None:
    first, second = (
        environment.add(page([{"Throughput (items/sec)": value}]), "acme/results", day)
        for value, day in (("38,036", "2023-01-01"), ("40,112", "2023-02-01"))
    )
    note = second.parent / "notes.md"
    note.write_text("mine")
    assert environment.resolve().success
    status, _, errors = run("remove", "2023-02-01/" + second.name)
    assert (status, "has 1 result of it" in errors, second.exists()) == (WRONG_USE, True, True)
    # A part of a name, no name, or a source is no document.
    for words in ("acme/results", second.name[1:], "", "2"):
        assert run("remove", words, "--yes")[0] == WRONG_USE, words
    assert run("remove", "2023-02-01/" + second.name, "--yes")[0] == 0
    # What somebody else has put there stays.
    assert [*second.parent.iterdir()] == [note]
    note.unlink()
    assert run("remove", str(first.relative_to(environment.raw)), "--yes")[0] == 0
    assert not first.parent.exists()
    environment.add(page([{"Throughput (items/sec)": "38,036"}]), "acme/results", "2023-01-01")
    assert environment.resolve("main.result_history").success
    assert environment.sql("select value, status from main.result_history") == [
        {"value": 38036, "status": "current"}
    ]
