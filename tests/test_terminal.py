"""What documents, file names and servers say is shown, and never obeyed; a table that does not fit
becomes cards.
"""

from __future__ import annotations

import csv
import io
import json
import shlex
import unicodedata
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from conftest import DIRECTIONS, ORDERS, Ledger
from hypothesis import given
from hypothesis import strategies as st
from loopback import Handler, serve
from rich.text import Text
from typer.testing import CliRunner

from pipelines import terminal
from pipelines.cli.main import app
from pipelines.cli.output import OutputFormat, print_rows
from pipelines.terminal import Terminal, literal, print_table, visible


def obeyed(text: str) -> list[str]:
    """The characters of an output that a terminal would obey or not show."""
    return [
        c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c not in "\n\t"
    ]


@pytest.mark.parametrize(
    ("command", "formats"),
    [
        ('sql "select * from resolved.results"', ["json", "markdown"]),
        ('sql "from raw.documents"', ["json", "markdown"]),
        ('sql "select error(chr(27))"', []),
        ("rejects", ["json", "markdown"]),
        ("rejects --explain", ["json", "markdown"]),
        ("rejects --closed", ["json", "markdown"]),
        ("names", ["json", "markdown"]),
        ("coverage", ["json", "nl", "markdown"]),
        ("audit", ["json", "markdown"]),
        ("trace RESULT", ["json"]),
        ('trace --query "select result_id from resolved.results"', ["json"]),
        ("diff 2020-01-01 2026-01-01", ["json", "markdown"]),
        ("sources", ["json", "markdown"]),
        ("map acme/results", []),
        ("map acme/re\u202esults", []),
        ("build", []),
    ],
)
def test_no_command_passes_on_an_order(hostile: Ledger, command: str, formats: list[str]) -> None:
    [result] = hostile.sql("select result_id from resolved.results order by result_id limit 1")
    words = shlex.split(command.replace("RESULT", result["result_id"]))
    folders = ["--raw", str(hostile.raw), "--warehouse", str(hostile.warehouse)]
    for options in ([], *(["--format", name] for name in formats)):
        done = CliRunner().invoke(app, [*folders, *words, *options])
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        assert done.output or words[0] == "audit"
        assert obeyed(done.output) == []


def test_what_a_server_says_is_shown_escaped(tmp_path: Path) -> None:
    def reply(handler: Handler) -> None:
        handler.send_response(200)
        handler._headers_buffer.append(b"Content-Type: text/evil\x9b31m\r\n")  # type: ignore[attr-defined]
        handler.send_header("Content-Length", "5")
        handler.end_headers()
        handler.wfile.write(b"words")

    with serve() as server:
        server.replies["/results"] = reply
        raw = ["--raw", str(tmp_path / "raw"), "--allow-host", "127.0.0.1"]
        done = CliRunner().invoke(
            app, ["add", server.url + "/results", "--source", "acme/results", *raw]
        )
    assert done.exit_code == 2
    assert "evil" in done.output
    assert obeyed(done.output) == []


def test_a_stored_file_is_named_as_it_is_called(tmp_path: Path) -> None:
    file = tmp_path / f"pa[red]ge{DIRECTIONS}\x1b[2J.txt"
    file.write_text("words")
    add = ["add", str(file), "--source", "acme/results", "--raw", str(tmp_path / "raw")]
    for _ in range(2):
        done = CliRunner().invoke(app, add)
        assert "pa[red]ge\\u202eNet\\u2066\\x1b[2J.txt" in done.output
        assert obeyed(done.output) == []


@given(st.text())
def test_what_is_visible_holds_no_order_and_loses_nothing(text: str) -> None:
    shown = visible(text)
    assert obeyed(shown) == []
    assert visible(shown) == shown
    shown.encode()
    assert [c for c in text if c.isprintable()] == [
        c for c in text if c in shown and c.isprintable()
    ]


def test_a_console_obeys_nothing_that_nobody_asked_about(
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = Terminal(force_terminal=True, width=200, color_system=None)
    out.print(f"[bold]{ORDERS}[/]")
    out.print(Text(f"{ORDERS}"))
    out.print(literal(f"[link=https://evil.example]{ORDERS}[/link]"))
    shown = capsys.readouterr().out.replace("\x1b[1m", "").replace("\x1b[0m", "")
    assert obeyed(shown) == []
    assert "[link=https://evil.example]\\x1b]0;owned\\x07" in shown


def test_json_says_the_same_and_no_terminal_obeys_it(capsys: pytest.CaptureFixture[str]) -> None:
    rows = pa.table({"text": [ORDERS, "a\nb", "é"], "number": [1, 2, 3]})
    print_rows(rows, OutputFormat.json)
    shown = capsys.readouterr().out
    assert json.loads(shown) == rows.to_pylist()
    assert obeyed(shown) == []
    assert "é" in shown
    print_rows(rows.slice(0, 0), OutputFormat.json)
    assert json.loads(capsys.readouterr().out) == []


def test_csv_is_as_it_stands_and_for_a_spreadsheet_without_formulas(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "a=1", "", ORDERS]
    rows = pa.table(
        {
            "=text": texts,
            "number": pa.array([Decimal("-1.5")] * len(texts)),
            "float": [-1.5] * len(texts),
        }
    )
    print_rows(rows, OutputFormat.csv)
    assert [row["=text"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))] == texts
    print_rows(rows, OutputFormat.spreadsheet)
    found = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["'=text"] for row in found] == [
        "'=1+1",
        "'+1",
        "'-1",
        "'@SUM(A1)",
        "'\t=1",
        "a=1",
        "",
        ORDERS,
    ]
    # A number is no formula.
    assert {(row["number"], row["float"]) for row in found} == {("-1.5", "-1.5")}
    # On a terminal it is for eyes.
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    print_rows(rows, OutputFormat.csv)
    assert obeyed(capsys.readouterr().out) == []


def printed(names: list[str], rows: list[list[str]], width: int) -> list[str]:
    out = io.StringIO()
    print_table(
        names, rows, Terminal(file=out, width=width, force_terminal=True, color_system=None)
    )
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_rows_that_fit_are_a_table() -> None:
    assert printed(["id", "name"], [["1", "ViT"], ["2", "two\nlines"]], width=20) == [
        "┏━━━━┳━━━━━━━┓",
        "┃ id ┃ name  ┃",
        "┡━━━━╇━━━━━━━┩",
        "│ 1  │ ViT   │",
        "│ 2  │ two   │",
        "│    │ lines │",
        "└────┴───────┘",
    ]


def test_a_row_wider_than_the_terminal_is_a_card_and_nothing_is_cut() -> None:
    key = "d41d8cd98f00b204e9800998ecf8427e"
    assert printed(["benchmark_key", "model"], [[key, "ViT"], ["1", ""]], width=40) == [
        "── row 1 ───────────────────────────────",
        "benchmark_key  d41d8cd98f00b204e9800998e",
        "               cf8427e",
        "model          ViT",
        "── row 2 ───────────────────────────────",
        "benchmark_key  1",
        "model",
    ]


def test_a_pipe_gets_rows_however_long(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    print_rows(pa.table({"text": ["x" * 20_000]}), OutputFormat.csv)
    assert "x" * 20_000 in capsys.readouterr().out
    assert terminal.console().width > 1000


def test_a_table_in_a_pipe_is_folded_to_120_columns_and_cards_where_that_is_not_enough() -> None:
    def shown(names: list[str], row: list[str]) -> list[str]:
        file = io.StringIO()
        print_table(names, [row], Terminal(file=file, width=10_000))
        return file.getvalue().splitlines()

    address, day = "https://acme.example/" + "x" * 40, "2026-07-21 00:00:00"
    sentence = "the heading Throughput is now Speed " * 8 + "at last"
    folded = shown(["day", "url", "text"], [day, address, sentence])
    assert {len(line) for line in folded} == {120}
    # Only sentences are broken, at their blanks.
    assert any(day in line and address in line for line in folded)
    cells = [line.split("│")[3].strip() for line in folded if line.startswith("│")]
    assert " ".join(cells) == sentence
    address += "x" * 10
    cards = shown(["first", "second"], [address, address])
    assert [line.rstrip("─") for line in cards] == [
        "── row 1 ",
        f"first   {address}",
        f"second  {address}",
    ]
    assert shown(["one"], ["a b"])[1:4:2] == ["┃ one ┃", "│ a b │"]
