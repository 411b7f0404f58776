"""What is asked of a command stays asked when nobody reads its answer to the end, and a query
leaves no file behind.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Ledger, PageMaker
from filelock import FileLock
from typer.testing import CliRunner

from pipelines.cli.main import app
from pipelines.cli.output import OutputFormat
from pipelines.exceptions import FAILED, WRONG_USE
from pipelines.settings import PROJECT
from pipelines.warehouse.reader import WarehouseError, query_published

PROGRAM = [sys.executable, "-m", "pipelines.cli.main"]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(PROJECT)}


def run_unread(arguments: list[str], **more: str) -> tuple[int, str]:
    """Exit status and errors of a command whose output goes into a pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        command, environment = [*PROGRAM, *arguments], ENVIRONMENT | more
        done = subprocess.run(
            command, stdout=writing, stderr=subprocess.PIPE, text=True, env=environment, check=False
        )
    finally:
        os.close(writing)
    return done.returncode, done.stderr


def run_program(*command: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, capture_output=True, text=True, env=ENVIRONMENT | more, check=False
    )


@pytest.fixture(scope="module")
def unread(tmp_path_factory: pytest.TempPathFactory, page: PageMaker) -> tuple[Ledger, int, str]:
    """A warehouse built by a command whose output nobody reads, its exit status and its errors."""
    folder = tmp_path_factory.mktemp("unread")
    ledger = Ledger(folder)
    ledger.add(page([{"Throughput (items/sec)": "38,036"}]), "acme/results", "2023-01-01")
    folders = ["--raw", str(ledger.raw), "--warehouse", str(ledger.warehouse)]
    return ledger, *run_unread(["build", *folders], BENCHLEDGER_STATE=str(folder / "state"))


def test_a_build_goes_on_when_its_output_is_closed(unread: tuple[Ledger, int, str]) -> None:
    ledger, status, errors = unread
    assert (status, errors) == (0, "")
    assert len(ledger.sql("select value from main.current_results")) == 1
    # The second one has only its summary to print, at its very end.
    assert run_unread(
        ["build", "--raw", str(ledger.raw), "--warehouse", str(ledger.warehouse)]
    ) == (0, "")


def test_a_document_is_stored_when_nobody_reads_where(ledger: Ledger, tmp_path: Path) -> None:
    (tmp_path / "page.txt").write_text("a page")
    # A page without results: it is stored, and said not to be understood.
    assert run_unread(
        ["add", str(tmp_path / "page.txt"), "--source", "acme/new", "--raw", str(ledger.raw)]
    ) == (3, "")
    assert len(list(ledger.raw.glob("acme/new/*/page.txt"))) == 1


@pytest.mark.parametrize(
    "query",
    [
        "copy (select 1) to '{file}'",
        "explain analyze copy (select 1) to '{file}'",
        "export database '{file}'",
        "attach '{file}' as other",
        "select * from read_csv('{there}')",
    ],
)
def test_a_query_neither_writes_nor_reads_other_files(
    unread: tuple[Ledger, int, str], tmp_path: Path, query: str
) -> None:
    there = tmp_path / "there.csv"
    there.write_text("a,b\n1,2\n")
    with pytest.raises(
        WarehouseError, match="can only read the warehouse and cannot write files; write the rows"
    ):
        query_published(unread[0].warehouse, query.format(file=tmp_path / "new", there=there))
    assert list(tmp_path.iterdir()) == [there]
    for reading in (
        "summarize main.current_results",
        "show all tables",
        "with x as (select 1) from x",
    ):
        assert query_published(unread[0].warehouse, reading).num_rows


def ask(ledger: Ledger, *arguments: str, given: str | None = None) -> tuple[int, str, str]:
    done = CliRunner().invoke(
        app, ["sql", "--warehouse", str(ledger.warehouse), *arguments], input=given
    )
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("query", "limit", "words"),
    [
        (
            "select count(*) from range(1000000000) as a, range(1000000000) as b",
            ["--seconds", "0.5"],
            "than 0.5 s",
        ),
        (
            "select list(range) from range(300000000)",
            ["--memory-mib", "100"],
            "exceeds the memory limit",
        ),
        # One value of 2 GiB, which DuckDB's own limit does not count.
        (
            "select length(repeat('x', 2147483647)) as x",
            ["--memory-mib", "100"],
            "exceeds the memory limit",
        ),
        ("select * from range(7)", ["--max-rows", "3"], "more than 3 rows"),
        ("call enable_logging()", [], "configuration has been locked"),
        ("set memory_limit = '900GB'", [], "configuration has been locked"),
    ],
)
def test_a_query_has_limits(
    unread: tuple[Ledger, int, str], query: str, limit: list[str], words: str
) -> None:
    status, _, errors = ask(unread[0], query, *limit)
    assert status == FAILED
    assert errors.startswith("error: ")
    assert words in errors
    # What was asked in vain leaves the next question alone.
    assert ask(unread[0], "select 1 as one", "--format", "csv") == (0, "one\n1\n", "")


def test_what_only_prints_ends_with_its_reader(unread: tuple[Ledger, int, str]) -> None:
    command = [
        "sql",
        "from range(20000)",
        "--format",
        "csv",
        "--warehouse",
        str(unread[0].warehouse),
    ]
    assert run_unread(command) == (0, "")


@pytest.mark.parametrize("format", OutputFormat)
def test_every_type_is_printed_in_every_format(
    unread: tuple[Ledger, int, str], format: OutputFormat
) -> None:
    more = "time '24:00' as t, timestamp 'infinity' as i, timestamp '-infinity' as j, uhugeint '3' as a, uhugeint '4' as a"
    status, printed, errors = ask(
        unread[0], f"select *, {more} from test_all_types()", "--format", format
    )
    assert (status, errors) == (0, "")
    assert "290309-12-22 (BC) 00:00:00+00" in printed
    if format is OutputFormat.csv:
        kinds = "[true, null] as a, true as b, 'inf'::double as c, timestamp '2024-01-31 10:00' as d, {'a': 1} as e"
        query = (
            f"select {kinds}, blob 'a\\xff' as f, bit '101' as g, [date 'infinity'] as h, null as i"
        )
        row = (
            '"[true, null]",true,INF,2024-01-31T10:00:00Z,"{""a"": 1}",a\\xFF,101,"[""infinity""]",'
        )
        assert ask(unread[0], query, "--format", "csv")[1].splitlines()[1] == row


def test_two_queries_at_once_are_refused(unread: tuple[Ledger, int, str]) -> None:
    status, printed, errors = ask(unread[0], "select 1; select 2")
    assert (status, printed) == (FAILED, "")
    assert "contains 2 queries" in errors
    assert ask(unread[0], "select 1 as a; -- and no more", "--format", "csv") == (0, "a\n1\n", "")


def test_a_query_that_duckdb_does_not_interrupt_ends_with_its_process(
    unread: tuple[Ledger, int, str],
) -> None:
    query = "select levenshtein(repeat('a', 300000), repeat('b', 300000)) as x"
    command = ["sql", query, "--warehouse", str(unread[0].warehouse), "--seconds", "1"]
    done = run_program(sys.executable, "-m", "pipelines.cli.main", *command)
    assert done.returncode == FAILED
    assert "the query takes more than 1 s" in done.stderr


def test_the_process_keeps_within_the_memory_that_is_allowed(
    unread: tuple[Ledger, int, str],
) -> None:
    query = "select range, repeat('x', 3000) as x from range(200000)"
    code = """
import atexit, sys
atexit.register(lambda: print(open("/proc/self/status").read(), file=sys.stderr))
from pipelines.cli.main import main
main()
"""
    command = ["sql", query, "--warehouse", str(unread[0].warehouse), "--memory-mib", "256"]
    done = run_program(sys.executable, "-c", code, *command)
    most = re.search(r"VmHWM:\s*(\d+) kB", done.stderr)
    assert done.returncode == FAILED
    assert "--memory-mib" in done.stderr
    assert most
    assert int(most[1]) < 1.3 * 256 * 1024


@pytest.mark.parametrize("format", ["table", "csv", "json", "nl", "markdown"])
def test_rows_up_to_the_limit_are_printed_and_the_loss_is_said(
    unread: tuple[Ledger, int, str], format: str
) -> None:
    query = "select 'row ' || range as name from range(200)"
    status, printed, errors = ask(unread[0], query, "--max-rows", "123", "--format", format)
    assert status == FAILED
    assert "123 rows" in errors
    assert printed.count("row ") == 123
    whole = ask(unread[0], query, "--max-rows", "200", "--format", format)
    assert (whole[0], whole[2]) == (0, "")
    assert whole[1].count("row ") == 200
    if format == "json":
        assert len(json.loads(whole[1])) == 200
        with pytest.raises(ValueError, match="delimiter"):
            json.loads(printed)


def test_rows_are_printed_as_they_come(unread: tuple[Ledger, int, str]) -> None:
    command = ["sql", "from range(1000000000000)", "--max-rows", str(10**12), "--format", "csv"]
    folder = ["--warehouse", str(unread[0].warehouse)]
    with subprocess.Popen(
        [*PROGRAM, *command, *folder], stdout=subprocess.PIPE, env=ENVIRONMENT
    ) as running:
        assert running.stdout
        assert "9999" in "".join(running.stdout.readline().decode() for _ in range(40_000))
        running.kill()


def test_a_query_may_stand_in_a_file(unread: tuple[Ledger, int, str], tmp_path: Path) -> None:
    file = tmp_path / "query.sql"
    file.write_text("-- which model\nselect model from main.current_results")
    answer = (0, "model\nResNet-50 v1.5\n", "")
    assert ask(unread[0], "--file", str(file), "--format", "csv") == answer
    assert ask(unread[0], "--file", "-", "--format", "csv", given=file.read_text()) == answer
    assert ask(unread[0])[0] == WRONG_USE
    assert ask(unread[0], "select 1 as a, [null, 2] as b union all select 3, []", "--format", "nl") == (
        0, '{"a": 1, "b": [null, 2]}\n{"a": 3, "b": []}\n', ""
    )  # fmt: skip
    assert ask(unread[0], "select 1", "--file", str(file))[0] == WRONG_USE


def test_what_a_user_asks_of_any_command() -> None:
    runner = CliRunner()
    assert re.fullmatch(r"benchledger \d+\.\d+\.\d+\n", runner.invoke(app, ["--version"]).output)
    wrong = runner.invoke(app, ["bild"])
    assert wrong.exit_code == WRONG_USE
    assert wrong.output.count("Did you mean") == 1
    typed = {
        "_BENCHLEDGER_COMPLETE": "complete_bash",
        "COMP_WORDS": "benchledger rej",
        "COMP_CWORD": "1",
    }
    completed = run_program(str(Path(sys.executable).with_name("benchledger")), **typed)
    assert completed.stdout.split() == ["rejects"]
    for command in ([], ["sql"], ["map"]):
        assert "Usage: " in runner.invoke(app, [*command, "-h"]).output
    strange = runner.invoke(app, ["map", "zzz/qqq"])
    assert (strange.exit_code, "did you mean" in strange.output) == (WRONG_USE, False)
    assert (
        "did you mean graphcore/performance-results?"
        in runner.invoke(app, ["map", "graphcore/performance"]).output
    )


def test_a_trace_of_nothing_says_so(unread: tuple[Ledger, int, str]) -> None:
    trace = ["trace", "--warehouse", str(unread[0].warehouse)]
    nothing = CliRunner().invoke(
        app, [*trace, "--query", "select result_id from main.current_results where false"]
    )
    assert (nothing.exit_code, nothing.output) == (0, "the query gives no row to trace\n")
    # No identifier is like a word.
    assert "near it are" not in CliRunner().invoke(app, [*trace, "resnet-50"]).output


def test_the_doctor_says_what_is_wrong_and_what_to_do(
    unread: tuple[Ledger, int, str], page: PageMaker, tmp_path: Path
) -> None:
    def doctor(ledger: Ledger) -> tuple[int, dict[str, list[str]]]:
        folders = ["--raw", str(ledger.raw), "--warehouse", str(ledger.warehouse)]
        done = CliRunner().invoke(app, ["doctor", "--format", "nl", *folders])
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        assert all(row["advice"] for row in rows if row["state"] == "fault")
        checks = {row["check"] for row in rows}
        return done.exit_code, {
            check: [row["found"] for row in rows if row["check"] == check] for check in checks
        }

    status, found = doctor(unread[0])
    assert status == 0
    assert (found["documents"], found["sources"]) == (
        ["1 stored document"],
        ["1 source without a fault"],
    )
    assert re.fullmatch(r".*benchmarks\.duckdb can be read", found["warehouse"][0])
    damaged = Ledger(tmp_path / "damaged")
    damaged.add(page([{"Throughput (items/sec)": "38,036"}]), "acme/results", "2023-01-01")
    (damaged.raw / "acme/damaged/2023-01-02").mkdir(parents=True)
    (damaged.raw / "acme/damaged/2023-01-02/page.pdf").write_text("no PDF", "utf-8")
    assert damaged.resolve().success
    words = "2 stored documents, of which the last build could not read 1"
    assert doctor(damaged)[1]["documents"] == [words]
    ill = Ledger(tmp_path)
    for name in ("acme/broken", "acme/gone"):
        (ill.raw / name).mkdir(parents=True)
    (ill.raw / "acme/broken/source.yml").write_text("publisher: [", "utf-8")
    shutil.copytree(unread[0].warehouse / "cache", ill.warehouse / "cache")
    next(ill.warehouse.glob("cache/*/measurements/*.parquet")).write_bytes(b"damaged")
    (ill.warehouse / "benchmarks.duckdb").write_text("no database", "utf-8")
    with FileLock(ill.warehouse / ".build.lock", thread_local=False):
        status, found = doctor(ill)
    assert status == FAILED
    assert "is damaged" in found["warehouse"][0]
    assert "1 damaged file" in found["row cache"][0]
    assert found["lock build"] == [f"a process holds {ill.warehouse / '.build.lock'}"]
    assert found["sources"][0].startswith("acme/broken: ")
