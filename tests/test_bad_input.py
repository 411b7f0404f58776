"""Bad input: one clear message or reject each, the build goes on with the rest, and the exit status
says so.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import OF_PAGES, BuildOnce, Ledger, PageMaker, Rows
from typer.testing import CliRunner

from pipelines.cli.main import app, main
from pipelines.exceptions import BUILT_WITH_LOSSES, FAILED, INTERRUPTED, WRONG_USE
from pipelines.settings import PROJECT

GOOD = {"Throughput (items/sec)": "38,036"}


def drop(
    ledger: Ledger, content: bytes, name: str = "dropped.txt", source: str = "other/page"
) -> None:
    """Put a file into the store by hand, without a sidecar."""
    folder = ledger.raw / source / "2023-01-01"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


def rejects(ledger: Ledger) -> Rows:
    return ledger.sql(
        "select path, line, scope, rule, reason, row_json from audit.rejects order by path, rule"
    )


# Documents of which nothing is let in: the publisher that has it, the rule, words of the reason.
REFUSED = {
    "empty": ("empty_document", "capture it again"),
    "garbage": ("binary_content", "binary"),
    "latin": ("wrong_encoding", "UTF-8"),
    "large": ("too_large", "33,554,432"),
    "words": ("unknown_format", "no source format recognises the document"),
    "ball": ("unknown_format", "crystal_ball"),
    "rebuilt": ("nothing_read", "no content in that format"),
    "misspelt": ("wrong_sidecar", "sha265"),
    "stolen": ("wrong_sidecar", "edition"),
    "many": ("wrong_sidecar", "bytes"),
    "torn": ("wrong_sidecar", "no YAML"),
    "late": ("wrong_sidecar", "the year 9999 is not between 1970 and 2200"),
    "early": ("wrong_sidecar", "the year 1 is not between 1970 and 2200"),
    "planned": ("future_date", "published_on is 2199-01-01, which is in the future"),
    "coming": ("future_date", "retrieved_at is 2199-01-01, which is in the future"),
    "announced": ("future_date", "published_on is 2199-01-01, which is in the future"),
    "sixty": ("wrong_sidecar", "documents.0.bytes: Input should be a valid integer"),
    "merged": ("wrong_sidecar", "line 1: an anchor (`&name`) is not supported"),
    "nobody": ("wrong_sidecar", "publisher"),
    "deep": ("wrong_sidecar", "nested more than 20 deep"),
    "elsewhere": ("link_leads_outside", "leaves the store"),
    "changed": ("changed_bytes", "the file changed after it was captured"),
    "gone": ("missing_document", "the file is missing"),
    "loose.txt": ("misplaced_file", ""),
    "twice": ("repeated_document", ""),
}  # fmt: skip
SIDECARS = {
    "ball": ("format: null", "format: crystal_ball"),
    "misspelt": ("sha256:", "sha265:"),
    "stolen": ("edition: original", "edition: stolen"),
    "many": ("bytes:", "bytes: many #"),
    "torn": ("documents:", "documents: ["),
    "late": ("snapshot_at: null", "snapshot_at: 9999-12-31T23:59:59-12:00"),
    "early": ("published_on: '2023", "published_on: '0001"),
    "planned": ("published_on: '2023", "published_on: '2199"),
    "coming": ("retrieved_at: '2026-11-20", "retrieved_at: '2199-01-01"),
    "sixty": ("bytes:", f"bytes: 1{':1' * 5_000} #"),
    "merged": ("documents:", "documents: &x"),
}
LATIN = {"Model": "Modèle"}


@pytest.fixture(scope="module")
def refused(once: BuildOnce, page: PageMaker) -> Ledger:
    """A good page, one in UTF-16, and beside them whatever cannot be read; no test changes it."""

    def build(ledger: Ledger) -> Any:
        def add(publisher: str) -> Path:
            row = GOOD | {"Model": "ViT", "Dataset": publisher}
            return ledger.add(page([row]), f"{publisher}/page", "2023-01-01", name="b.txt")

        ledger.add(page([GOOD]), "acme/results", "2023-01-01", name="good.txt")
        ledger.map("wide/page")
        drop(ledger, page([GOOD | {"Model": "ViT"}]).encode("utf-16"), source="wide/page")
        drop(ledger, b"", source="empty/page")
        drop(ledger, random.Random(1).randbytes(20_000), source="garbage/page")
        drop(ledger, page([GOOD | LATIN]).encode("latin-1"), source="latin/page")
        # 100 megabytes of random text, and some below the limit.
        drop(ledger, random.Random(2).randbytes(25_000).hex().encode() * 2_000, source="large/page")
        words = random.Random(3).choices(["lorem", "ipsum", "4", "dolor", "sit\n", "x"], k=50_000)
        drop(ledger, " ".join(words).encode(), source="words/page")
        gone = "Performance\n\nNothing here any more.\n"
        ledger.add(gone, "rebuilt/page", "2023-02-01", format="results_page", name="b.txt")
        for publisher, (before, after) in SIDECARS.items():
            sidecar = add(publisher).parent / "snapshot.yml"
            assert before in sidecar.read_text()
            sidecar.write_text(sidecar.read_text().replace(before, after, 1))
        (add("nobody").parents[1] / "source.yml").write_text("interest: none of yours\n")
        # Putting it together would end the process.
        (add("deep").parent / "snapshot.yml").write_text("documents: " + "[" * 50_000)
        (ledger.raw.parent / "other-store").mkdir()
        (ledger.raw / "elsewhere").symlink_to(ledger.raw.parent / "other-store")
        path = add("changed")
        path.write_bytes(path.read_bytes().replace(b"38,036", b"88,036"))
        add("gone").unlink()
        (ledger.raw / "loose.txt").write_text("Model\n")
        drop(ledger, page([GOOD]).encode(), source="twice/page")
        drop(ledger, page([GOOD | {"Model": "MAE"}]).encode(), source="announced/page")
        day = ledger.raw / "announced" / "page" / "2023-01-01"
        day.rename(day.with_name("2199-01-01"))
        return ledger.resolve()

    return once("refused", build)


@pytest.mark.parametrize("publisher", REFUSED)
def test_what_cannot_be_read_is_one_reject_with_its_reason(refused: Ledger, publisher: str) -> None:
    [reject] = [row for row in rejects(refused) if row["path"].split("/")[0] == publisher]
    rule, words = REFUSED[publisher]
    assert (reject["rule"], reject["scope"]) == (rule, "document")
    assert words in reject["reason"]


def test_the_build_goes_on_with_the_rest(refused: Ledger, page: PageMaker) -> None:
    assert {row["path"].split("/")[0] for row in rejects(refused)} == {*REFUSED}
    rows = refused.sql(
        "select source, value from resolved.results inner join raw.documents using (document_id)"
    )
    # A wrong source.yml takes nothing away from the documents of the source.
    assert {(row["source"], row["value"]) for row in rows} == {
        (source, 38036) for source in ("acme/results", "wide/page", "nobody/page")
    }
    assert len(refused.sql("from main.current_results")) == 3
    [reject] = [row for row in rejects(refused) if row["rule"] == "wrong_encoding"]
    text = page([GOOD | LATIN])
    assert reject["line"] == text[: text.index("Modèle")].count("\n") + 1
    # A stored snapshot that was changed is left alone.
    [stored] = refused.raw.glob("changed/page/*/b.txt")
    assert b"88,036" in stored.read_bytes()


def test_a_table_cut_in_the_middle_keeps_the_rows_before_where_rows_are_drawn(
    ledger: Ledger, page: PageMaker
) -> None:
    flat = page([GOOD | {"Model": model} for model in ("ViT", "DINO", "MAE")])
    drawn = "| Model | Platform | Throughput (items/sec) |\n|---|---|---|\n"
    drawn += "".join(f"| {model} | Bow Pod16 | 38,036 |\n" for model in ("ViT", "DINO", "MAE"))
    for source, text in (("acme/flat", flat), ("acme/drawn", drawn)):
        ledger.map(source, OF_PAGES.partition("tables:")[0] + "tables: [{}]\n")
        ledger.add(text[: text.index("MAE") + 15], source, "2023-01-01", name=f"{source[5:]}.md")
    assert ledger.resolve().success
    assert ledger.sql("select model from main.current_results order by 1") == [
        {"model": "DINO"},
        {"model": "ViT"},
    ]
    found = [(row["path"].split("/")[1], row["rule"], row["scope"]) for row in rejects(ledger)]
    # Of cells one below the other nobody can say which one is missing.
    assert found == [
        ("drawn", "row_does_not_fit", "row"),
        ("flat", "schema_drift", "table"),
        ("flat", "section_gone", "note"),
    ]


def test_a_build_that_gives_no_rows_keeps_the_last_good_warehouse(with_a_page: Ledger) -> None:
    before = (with_a_page.warehouse / "benchmarks.duckdb").read_bytes()
    for path in with_a_page.raw.rglob("*.txt"):
        path.unlink()
    for expected in ("page.txt", "no values could be read"):
        outcome = with_a_page.build()
        assert not outcome.success
        assert expected in outcome.faults[0]
        assert (with_a_page.warehouse / "benchmarks.duckdb").read_bytes() == before
        drop(with_a_page, b"no benchmark here")


def test_a_first_build_without_any_fact_says_why(ledger: Ledger) -> None:
    drop(ledger, b"no benchmark here")
    assert ledger.build().success
    assert [reject["rule"] for reject in rejects(ledger)] == ["unknown_format"]


def test_the_exit_status_and_the_message_tell_what_happened(
    with_a_page: Ledger, tmp_path: Path
) -> None:
    def run(*command: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, [*command, "--raw", str(with_a_page.raw)])
        return done.exit_code, done.output

    build = ("build", "--warehouse", str(with_a_page.warehouse))
    missing, empty = tmp_path / "missing", tmp_path / "empty"
    assert CliRunner().invoke(app, [*build, "--raw", str(missing)]).exit_code == WRONG_USE
    empty.mkdir()
    assert CliRunner().invoke(app, [*build, "--raw", str(empty)]).exit_code == FAILED
    [file] = with_a_page.raw.rglob("page.txt")
    status, words = run("add", str(file), "--source", "acme/results")
    assert (status, "stored already" in words) == (0, True)
    assert run(*build)[0] == 0
    drop(with_a_page, os.urandom(500), "garbage.bin")
    assert run(*build)[0] == BUILT_WITH_LOSSES
    nothing = tmp_path / "nothing.txt"
    nothing.touch()
    assert run("add", str(nothing), "--source", "acme/results")[0] == WRONG_USE
    assert run("add", str(file), "--source", "nonsense")[0] == WRONG_USE


def test_the_shipped_documents_give_no_reject_and_stay_as_they_were(shipped: Ledger) -> None:
    from pipelines.ingest.store import read_store

    assert read_store(PROJECT / "raw").faults == []
    assert rejects(shipped) == []
    assert shipped.sql("select * from audit.unresolved_names") == []
    # Scores in minutes that Graphcore's page rounds to other digits than the logs of the round
    # give.
    conflicts = shipped.sql(
        "select kind, left_value, right_value from audit.conflicts order by left_value"
    )
    assert [tuple(row.values()) for row in conflicts] == [
        ("between_sources", 191.4, 191.09125),
        ("between_sources", 1239.6, 1239.233375),
    ]


@pytest.mark.parametrize("refused", ["the warehouse", "the record of runs", "the store"])
def test_what_the_system_refuses_is_a_sentence(
    tmp_path: Path,
    page: PageMaker,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    refused: str,
) -> None:
    ledger, file = Ledger(tmp_path), tmp_path / "file"
    ledger.add(page([GOOD]), "acme/results", "2023-01-01")
    file.write_text("no folder")
    warehouse = file / "warehouse" if refused == "the warehouse" else ledger.warehouse
    command = ["build", "--raw", str(ledger.raw), "--warehouse", str(warehouse)]
    if refused == "the record of runs":
        monkeypatch.setenv("BENCHLEDGER_STATE", str(file / "state"))
    elif refused == "the store":
        command = ["map", "acme/results", "--raw", str(file)]
        monkeypatch.setattr(
            "benchledger.source_preview.read_store", lambda raw: next(raw.iterdir())
        )
    monkeypatch.setattr(sys, "argv", ["benchledger", *command])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == FAILED
    errors = capsys.readouterr().err
    assert errors.startswith("error: ")
    assert f"{file}" in errors.splitlines()[0]
    assert "Not a directory" in errors.splitlines()[0]


# Code before a command: its build says that it reads the store, and waits there.
_WAITING = """
import os, sys, threading
sys.argv[1:] = {}
from pipelines.run import steps
steps.read_store = lambda raw: os.write(1, b"in its midst\\n") and threading.Event().wait()
from pipelines.cli.main import main
main()
"""


def test_an_interrupted_build_ends_with_a_sentence_and_its_own_status(
    tmp_path: Path, page: PageMaker
) -> None:
    ledger = Ledger(tmp_path)
    ledger.add(page([GOOD]), "acme/results", "2023-01-01")
    command = ["build", "--raw", str(ledger.raw), "--warehouse", str(ledger.warehouse)]
    environment = os.environ | {
        "PYTHONPATH": str(PROJECT),
        "BENCHLEDGER_STATE": str(tmp_path / "state"),
    }
    with subprocess.Popen(
        [sys.executable, "-c", _WAITING.format(command)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as build:
        assert build.stdout
        assert build.stdout.readline() == "in its midst\n"
        build.send_signal(signal.SIGINT)
        assert (
            build.stdout.read()
            == "error: interrupted; what is not complete was not published or stored\n"
        )
    assert build.returncode == INTERRUPTED
    assert not (ledger.warehouse / "benchmarks.duckdb").exists()


def test_a_full_disk_is_a_sentence(tmp_path: Path, page: PageMaker) -> None:
    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

    ledger = Ledger(tmp_path)
    ledger.add(page([GOOD]), "acme/results", "2023-01-01")
    command = ["build", "--raw", str(ledger.raw), "--warehouse", str(ledger.warehouse)]
    done = subprocess.run(
        [sys.executable, "-m", "pipelines.cli.main", *command],
        env=os.environ | {"PYTHONPATH": str(PROJECT), "BENCHLEDGER_STATE": str(tmp_path / "state")},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=little_room,
    )
    assert done.returncode == FAILED
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr
    assert not (ledger.warehouse / "benchmarks.duckdb").exists()


def test_a_document_that_may_not_be_opened_is_one_reject(
    with_a_page: Ledger, page: PageMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipelines.ingest import store

    real = store.sha256_of

    def sha256_of(path: Path) -> str:
        if "closed" in path.parts and path.suffix == ".txt":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    with_a_page.add(page([GOOD | {"Model": "ViT"}]), "closed/page")
    monkeypatch.setattr(store, "sha256_of", sha256_of)
    assert with_a_page.resolve().success
    [reject] = rejects(with_a_page)
    assert (reject["rule"], reject["scope"]) == ("unreadable_document", "document")
    assert "Permission denied" in reject["reason"]
