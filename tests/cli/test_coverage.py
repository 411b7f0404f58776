"""The accounting in the published warehouse, and the command that shows it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from conftest import BuildOnce, Ledger, PageMaker
from typer.testing import CliRunner

from pipelines.cli.main import app
from pipelines.extract.accounting.statuses import rules
from pipelines.warehouse.reader import SQL_FOLDER

Command = Callable[..., str]

POST = (
    "Foo news\n\nOn BERT-Large the H100 is 2.5x faster than the A100.\n\n"
    "Our 35 engineers and 12 partners are proud of what they did in 2023.\n\n"
    "There were 2 of them, we think.\n\n"
    "In our lab a step took 93 ms on the H300 and 141 ms on the A100, so it is faster.\n"
)


@pytest.fixture(scope="module")
def blog(once: BuildOnce, page: PageMaker) -> Ledger:
    """A post beside a page of results; no test changes it."""

    def build(ledger: Ledger) -> Any:
        ledger.add(POST, "foo/news", "2024-03-03", name="post.txt")
        ledger.add(page([{"Throughput (items/sec)": "38,036"}]), "acme/results", "2024-01-01")
        return ledger.resolve("audit.coverage")

    return once("blog", build)


def run(ledger: Ledger, *options: str) -> str:
    folders = ["--raw", str(ledger.raw), "--warehouse", str(ledger.warehouse)]
    result = CliRunner().invoke(app, ["coverage", *folders, *options])
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_no_numeral_of_the_five_documents_is_unread(both: Ledger) -> None:
    rows = both.sql("""
        select c.* from audit.coverage as c inner join raw.documents as d on c.document_id = d.document_id
        where split_part(d.source, '/', 1) in ('aws', 'graphcore', 'mlperf', 'unknown')
    """)
    # The five documents and two submissions; more pages are shipped only.
    assert len(rows) >= 7
    for row in rows:
        assert row["lines"] > 0
        assert row["numerals_extracted"] > 0
        assert (row["lines_unparsed"], row["numerals_unparsed"]) == (0, 0)
        assert row["numerals_extracted"] + row["numerals_explained"] == row["numerals"]


@pytest.mark.parametrize(
    ("where", "said"),
    [
        (
            "d.path like '%mlperf_blog.txt' and n.status = 'ignored'",
            {
                ("2021", "date"),
                ("50", "count_of_things"),
                ("10", "share_of_whole"),
                ("5", "rack_units"),
            },
        ),
        (
            "d.format = 'slides' and n.status = 'condition'",
            {("200", "chart_notes"), ("1600", "chart_notes"), ("800", "axis_ticks")},
        ),
    ],
)
def test_other_numerals_are_explained_by_named_rules(
    both: Ledger, where: str, said: set[tuple[str, str]]
) -> None:
    rows = both.sql(
        "select n.text_printed, n.rule from audit.numerals as n "
        f"inner join raw.documents as d using (document_id) where {where}"
    )
    assert {(row["text_printed"], row["rule"]) for row in rows} >= said


def test_a_line_or_numeral_that_is_missing_or_doubled_stops_the_build(blog: Ledger) -> None:
    lines = (SQL_FOLDER / "checks" / "every_line_is_accounted_for.sql").read_text()
    numerals = (SQL_FOLDER / "checks" / "every_numeral_is_accounted_for.sql").read_text()
    assert blog.sql(lines) == blog.sql(numerals) == []

    def with_ledger(table: str, rows: str) -> list[object]:
        query = (lines if table == "line_ledger" else numerals).replace(
            f"audit.{table}", f"changed_{table}"
        )
        comment, query = query.split("\n", 1)
        start = f"{comment}\nwith changed_{table} as ({rows})"
        return blog.sql(f"{start},{query[4:]}" if query.startswith("with") else f"{start}\n{query}")

    assert with_ledger("line_ledger", "from audit.line_ledger where line <> 3")
    assert with_ledger(
        "line_ledger", "from audit.line_ledger union all from audit.line_ledger where line = 3"
    )
    assert with_ledger("numerals", "from audit.numerals where text_printed <> '93'")
    assert with_ledger(
        "numerals", "select * replace (char_end + 99 as char_end) from audit.numerals"
    )
    assert with_ledger("numerals", "select * replace (2 as line) from audit.numerals")


def test_the_command_lists_documents_rules_and_unread_sentences(blog: Ledger) -> None:
    shown = json.loads(run(blog, "--format", "json"))
    assert list(shown) == ["documents", "ignored", "unread"]
    post = next(row for row in shown["documents"] if row["path"].startswith("foo/"))
    assert post["lines"] == 9
    assert post["lines_unparsed"] == 2
    assert post["numerals_unparsed"] == 3
    assert post["share_accounted_for"] == round((post["numerals"] - 3) / post["numerals"], 4)
    assert {row["rule"]: (row["numerals"], row["meaning"]) for row in shown["ignored"]} == {
        "count_of_things": (2, rules()["ignored"]["count_of_things"]),
        "date": (1, rules()["ignored"]["date"]),
    }
    first, second = shown["unread"]
    assert first["numbers"] == ["93", "141"]
    assert first["place"].endswith("post.txt:9")
    assert first["sentence"].startswith("In our lab")
    assert first["score"] > second["score"] == 0


@pytest.mark.parametrize("choice", ["foo/news/2024-03-03/post.txt", "post.txt"])
def test_one_document_can_be_asked_for(blog: Ledger, choice: str) -> None:
    shown = json.loads(run(blog, "--format", "json", "--document", choice))
    assert [row["path"] for row in shown["documents"]] == ["foo/news/2024-03-03/post.txt"]
    [row] = blog.sql("select document_id from raw.documents where source = 'foo/news'")
    assert json.loads(run(blog, "--format", "json", "--document", row["document_id"][:12])) == shown


def test_without_the_stored_files_the_numbers_are_still_listed(blog: Ledger) -> None:
    from pipelines.cli.coverage import coverage

    unread = coverage(blog.warehouse, blog.raw / "elsewhere")["unread"][1].to_pylist()
    assert [row["numbers"] for row in unread] == [["2"], ["93", "141"]]


def test_tables_have_titles_for_readers_and_none_for_programs(blog: Ledger) -> None:
    assert run(blog).count("Sentences with unread numbers") == 1
    assert "## Ignored numbers, by rule" in run(blog, "--format", "markdown")
    assert run(blog, "--format", "csv").startswith("path,lines,")
