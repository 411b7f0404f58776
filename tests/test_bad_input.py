"""Bad input: one clear message or reject each, the build goes on with the rest, and the exit status says so."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from conftest import Ledger, PageMaker, Rows
from typer.testing import CliRunner

from pipelines.cli import BUILT_WITH_LOSSES, FAILED, WRONG_USE, app
from pipelines.settings import PROJECT

GOOD = {"Throughput (items/sec)": "38,036"}


@pytest.fixture
def with_a_good_page(ledger: Ledger, page: PageMaker) -> Ledger:
    ledger.add(page([GOOD]), "acme/results", "2023-01-01", name="good.txt")
    return ledger


def drop(ledger: Ledger, content: bytes, name: str = "dropped.txt") -> None:
    """Put a file into the store by hand, without a sidecar."""
    folder = ledger.raw / "other" / "page" / "2023-01-01"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


def rejects(ledger: Ledger) -> Rows:
    return ledger.sql("select path, line, scope, rule, reason, row_json from audit.rejects order by path, rule")


def build_and_find(ledger: Ledger, rule: str) -> str:
    """Build, expect the good page to be in and just one reject of this rule; returns its reason."""
    outcome = ledger.build()
    assert outcome.success, outcome.faults
    assert ledger.sql("select value from main.current_results") == [{"value": 38036}]
    [reject] = rejects(ledger)
    assert (reject["rule"], reject["scope"]) == (rule, "document")
    return str(reject["reason"])


def test_an_empty_file(with_a_good_page: Ledger) -> None:
    drop(with_a_good_page, b"")
    assert "capture it again" in build_and_find(with_a_good_page, "empty_document")


def test_binary_garbage(with_a_good_page: Ledger) -> None:
    drop(with_a_good_page, random.Random(1).randbytes(20_000))
    assert "binary" in build_and_find(with_a_good_page, "binary_content")


def test_a_wrong_encoding_names_byte_and_line(with_a_good_page: Ledger, page: PageMaker) -> None:
    text = page([GOOD | {"Model": "Modèle"}])
    drop(with_a_good_page, text.encode("latin-1"))
    reason = build_and_find(with_a_good_page, "wrong_encoding")
    assert "UTF-8" in reason
    assert rejects(with_a_good_page)[0]["line"] == text[: text.index("Modèle")].count("\n") + 1


def test_utf_16_with_its_mark_is_read(with_a_good_page: Ledger, page: PageMaker) -> None:
    drop(with_a_good_page, page([GOOD | {"Model": "ViT"}]).encode("utf-16"))
    assert with_a_good_page.build().success
    assert len(with_a_good_page.sql("from main.current_results")) == 2
    assert rejects(with_a_good_page) == []


def test_100_megabytes_of_random_text(with_a_good_page: Ledger) -> None:
    drop(with_a_good_page, random.Random(2).randbytes(25_000).hex().encode() * 2_000)
    assert "33,554,432" in build_and_find(with_a_good_page, "too_large")


def test_random_text_below_the_limit_is_an_unknown_format(with_a_good_page: Ledger) -> None:
    words = random.Random(3).choices(["lorem", "ipsum", "4", "dolor", "sit\n", "x"], k=50_000)
    drop(with_a_good_page, " ".join(words).encode())
    assert "--format" in build_and_find(with_a_good_page, "unknown_format")


def test_a_format_that_is_not_there(with_a_good_page: Ledger, page: PageMaker) -> None:
    path = with_a_good_page.add(page([GOOD | {"Model": "ViT"}]), "other/page", "2023-01-01", name="b.txt")
    sidecar = path.parent / "snapshot.yml"
    sidecar.write_text(sidecar.read_text().replace("format: results_page", "format: crystal_ball"))
    assert "crystal_ball" in build_and_find(with_a_good_page, "unknown_format")


def test_a_page_whose_tables_are_gone_is_loud(with_a_good_page: Ledger) -> None:
    with_a_good_page.add(
        "Performance\n\nNothing here any more.\n", "other/page", "2023-02-01", format="results_page", name="b.txt"
    )
    assert "nothing of that format" in build_and_find(with_a_good_page, "nothing_read")


@pytest.mark.parametrize(
    ("before", "after", "named"),
    [
        ("sha256:", "sha265:", "sha265"),
        ("edition: original", "edition: stolen", "edition"),
        ("bytes:", "bytes: many #", "bytes"),
        ("documents:", "documents: [", "no YAML"),
    ],
)
def test_a_sidecar_with_wrong_fields(
    with_a_good_page: Ledger, page: PageMaker, before: str, after: str, named: str
) -> None:
    path = with_a_good_page.add(page([GOOD | {"Model": "ViT"}]), "other/page", "2023-01-01", name="b.txt")
    sidecar = path.parent / "snapshot.yml"
    assert before in sidecar.read_text()
    sidecar.write_text(sidecar.read_text().replace(before, after, 1))
    assert named in build_and_find(with_a_good_page, "wrong_sidecar")


def test_a_wrong_source_file_keeps_the_documents(with_a_good_page: Ledger) -> None:
    (with_a_good_page.raw / "acme" / "results" / "source.yml").write_text("interest: none of yours\n")
    assert "publisher" in build_and_find(with_a_good_page, "wrong_sidecar")


def test_a_changed_byte_in_a_stored_snapshot(with_a_good_page: Ledger, page: PageMaker) -> None:
    path = with_a_good_page.add(page([GOOD | {"Model": "ViT"}]), "other/page", "2023-01-01", name="b.txt")
    path.write_bytes(path.read_bytes().replace(b"38,036", b"88,036"))
    assert "no longer those that were captured" in build_and_find(with_a_good_page, "changed_bytes")
    assert path.exists()


def test_a_stored_document_that_is_gone(with_a_good_page: Ledger, page: PageMaker) -> None:
    with_a_good_page.add(page([GOOD | {"Model": "ViT"}]), "other/page", "2023-01-01", name="b.txt").unlink()
    assert "not there" in build_and_find(with_a_good_page, "missing_document")


def test_a_file_at_the_wrong_place_and_the_same_bytes_twice(with_a_good_page: Ledger, page: PageMaker) -> None:
    (with_a_good_page.raw / "loose.txt").write_text("Model\n")
    drop(with_a_good_page, page([GOOD]).encode())
    assert with_a_good_page.build().success
    assert [row["rule"] for row in rejects(with_a_good_page)] == ["misplaced_file", "repeated_document"]


def test_a_table_cut_in_the_middle_keeps_the_rows_before(ledger: Ledger, page: PageMaker) -> None:
    rows = [GOOD | {"Model": model} for model in ("ViT", "DINO", "MAE")]
    text = page(rows)
    ledger.add(text[: text.index("MAE") + 20], "acme/results", "2023-01-01")
    assert ledger.build().success
    assert ledger.sql("select model from main.current_results order by 1") == [{"model": "DINO"}, {"model": "ViT"}]
    [reject] = rejects(ledger)
    assert (reject["rule"], reject["scope"]) == ("row_does_not_fit", "row")
    assert "MAE" in reject["row_json"]


def test_a_build_that_gives_no_rows_keeps_the_last_good_warehouse(with_a_page: Ledger) -> None:
    before = (with_a_page.warehouse / "benchmarks.duckdb").read_bytes()
    for path in with_a_page.raw.rglob("*.txt"):
        path.unlink()
    for expected in ("page.txt", "nothing could be read"):
        outcome = with_a_page.build()
        assert not outcome.success
        assert expected in outcome.faults[0]
        assert (with_a_page.warehouse / "benchmarks.duckdb").read_bytes() == before
        drop(with_a_page, b"no benchmark here")


def test_a_first_build_without_any_fact_says_why(ledger: Ledger) -> None:
    drop(ledger, b"no benchmark here")
    assert ledger.build().success
    assert [reject["rule"] for reject in rejects(ledger)] == ["unknown_format"]


def test_the_exit_status_and_the_message_tell_what_happened(tmp_path: Path, page: PageMaker) -> None:
    runner = CliRunner()
    raw, warehouse = tmp_path / "raw", tmp_path / "warehouse"
    folders = ["--raw", str(raw), "--warehouse", str(warehouse)]
    missing = runner.invoke(app, ["build", *folders])
    assert missing.exit_code == WRONG_USE
    raw.mkdir()
    assert runner.invoke(app, ["build", *folders]).exit_code == FAILED
    file = tmp_path / "page.txt"
    file.write_text(page([GOOD]))
    add = ["add", str(file), "--source", "acme/results", "--raw", str(raw)]
    assert runner.invoke(app, add).exit_code == 0
    again = runner.invoke(app, add)
    assert again.exit_code == 0
    assert "stored already" in again.output
    assert runner.invoke(app, ["build", *folders]).exit_code == 0
    (raw / "acme" / "results" / "2020-01-01").mkdir()
    (raw / "acme" / "results" / "2020-01-01" / "garbage.bin").write_bytes(os.urandom(500))
    assert runner.invoke(app, ["build", *folders]).exit_code == BUILT_WITH_LOSSES
    file.write_text("")
    assert runner.invoke(app, add).exit_code == WRONG_USE
    assert runner.invoke(app, ["add", str(file), "--source", "nonsense", "--raw", str(raw)]).exit_code == WRONG_USE


def test_the_shipped_documents_give_no_reject(shipped: Ledger) -> None:
    assert rejects(shipped) == []
    assert shipped.sql("select * from audit.unresolved_names") == []
    assert shipped.sql("select * from audit.conflicts") == []


def test_nothing_under_the_shipped_store_was_changed_by_building_it(shipped: Ledger) -> None:
    from pipelines.ingest.store import read_store

    assert read_store(PROJECT / "raw").faults == []
