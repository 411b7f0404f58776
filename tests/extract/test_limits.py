"""What one document may cost: whatever it does to its reader it is one reject, and the others are read."""

from __future__ import annotations

import ctypes
import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from conftest import Ledger, PageMaker
from test_row_cache import keep_all, rows_of

from pipelines.build import corpus
from pipelines.extract import results_page
from pipelines.extract.contract import Extraction
from pipelines.extract.worker import Call, Refusal, limited
from pipelines.extract.workers import WorkerError, end_workers, run_calls
from pipelines.read.document import Document
from pipelines.settings import DocumentLimits

ROW = {"Throughput (items/sec)": "38,036"}
# A pattern that tries 2 ** 60 ways, none of which Python can break off by itself for long.
ENDLESS = re.compile(r"(?:a+)+b")
REAL_CHUNK, REAL_EXTRACT = corpus._read_chunk, results_page.extract


def misbehave(document: Document, taken: Any, mapping: Any = None) -> Extraction:
    """Does what the document says in its first line."""
    match document.line(1).text.split()[0]:
        case "loop":
            ENDLESS.match("a" * 60)
        case "wait":
            time.sleep(600)
        case "memory":
            [" " * 10_000_000 for _ in range(10_000)]
        case "segfault":
            ctypes.string_at(0)
        case "error":
            raise ZeroDivisionError("no divisor")
    return REAL_EXTRACT(document, taken, mapping)


def read_chunk(*arguments: Any, refused: Mapping[str, Refusal]) -> str:
    """Runs in the worker: what a test has changed in its own process is not changed there."""
    results_page.extract = misbehave
    return REAL_CHUNK(*arguments, refused=refused)


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> Any:
    end_workers()
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent) + ":" + str(Path(__file__).parents[1]))
    monkeypatch.setenv("BENCHLEDGER_WORKERS", "1")
    yield monkeypatch
    end_workers()


def test_a_document_that_ends_its_reader_is_one_reject(
    ledger: Ledger, page: PageMaker, workers: pytest.MonkeyPatch
) -> None:
    for name in ("good", "loop", "memory", "segfault", "error", "well"):
        text = page([ROW | {"Dataset": name}])
        ledger.add(f"{name}\n\n{text}", f"{name}/page", "2023-01-01", format="results_page")
    workers.setattr(corpus, "_read_chunk", read_chunk)
    workers.setenv("BENCHLEDGER_DOCUMENT_SECONDS", "4")
    workers.setenv("BENCHLEDGER_DOCUMENT_MIB", "256")
    outcome = ledger.build()
    assert outcome.success, outcome.faults
    found = ledger.sql("select path, scope, rule, reason from audit.rejects order by path")
    assert [(row["path"].split("/")[0], row["scope"], row["rule"]) for row in found] == [
        ("error", "document", "reader_crashed"),
        ("loop", "document", "time_limit"),
        ("memory", "document", "memory_limit"),
        ("segfault", "document", "reader_crashed"),
    ]
    words = {row["path"].split("/")[0]: row["reason"] for row in found}
    assert "more than 4 s of processor time" in words["loop"]
    assert "BENCHLEDGER_DOCUMENT_SECONDS" in words["loop"]
    assert "more than 256 MiB" in words["memory"]
    assert "SIGSEGV" in words["segfault"]
    assert "ZeroDivisionError: no divisor" in words["error"]
    read = ledger.sql("select source, value from resolved.results join raw.documents using (document_id) order by 1")
    assert read == [{"source": "good/page", "value": 38036}, {"source": "well/page", "value": 38036}]


def test_a_document_beyond_its_limits_is_tried_again_when_they_change(
    tmp_path: Path, page: PageMaker, workers: pytest.MonkeyPatch
) -> None:
    documents = []
    for number, name in enumerate(("good", "memory", "error")):
        path = tmp_path / f"{name}.txt"
        path.write_text(f"{name}\n\n{page([ROW])}")
        documents.append(corpus.StoredDocument(str(number) * 64, path, "results_page"))
    workers.setattr(corpus, "_read_chunk", read_chunk)
    workers.setenv("BENCHLEDGER_DOCUMENT_MIB", "256")
    assert corpus.read_corpus(documents, tmp_path / "cache", keep_all).documents_read == 3
    workers.setenv("BENCHLEDGER_DOCUMENT_MIB", "300")
    # What broke the program off may have been something else, and is tried again in any case.
    assert corpus.read_corpus(documents, tmp_path / "cache", keep_all).documents_read == 2


def test_a_document_that_only_waits_is_given_up(tmp_path: Path, page: PageMaker, workers: pytest.MonkeyPatch) -> None:
    path = tmp_path / "page.txt"
    path.write_text(f"wait\n\n{page([ROW])}")
    workers.setattr(corpus, "_read_chunk", read_chunk)
    workers.setenv("BENCHLEDGER_DOCUMENT_SECONDS", "1")
    rows = corpus.read_corpus([corpus.StoredDocument("0" * 64, path, "results_page")], tmp_path / "cache", keep_all)
    [reject] = pq.read_table(rows.files(rows.chunks)["rejects"][0]).to_pylist()
    assert reject["rule"] == "time_limit"
    assert "more than 4 s;" in reject["reason"]


def test_rows_are_the_same_with_workers_and_without(tmp_path: Path, workers: pytest.MonkeyPatch) -> None:
    with_one = rows_of(tmp_path / "1")
    workers.setenv("BENCHLEDGER_WORKERS", "0")
    assert rows_of(tmp_path / "0") == with_one


def test_a_pdf_that_cannot_be_read_is_one_reject_where_a_worker_opens_it(
    ledger: Ledger, page: PageMaker, workers: pytest.MonkeyPatch
) -> None:
    ledger.add(page([ROW]), "acme/page", format="results_page")
    ledger.add(b"%PDF-1.7\nno more of it", "acme/deck", name="deck.pdf")
    outcome = ledger.build()
    assert outcome.success, outcome.faults
    [reject] = ledger.sql("select rule, scope from audit.rejects")
    assert reject == {"rule": "pdf_truncated", "scope": "document"}
    assert [row["value"] for row in ledger.sql("select value from resolved.results")] == [38036]


def fail_between(refused: Mapping[str, Refusal]) -> None:
    raise OSError("no space left")


def count(number: int, refused: Mapping[str, Refusal]) -> tuple[int, int]:
    with limited(str(number), Path(__file__)):
        if number == 3 and not refused:
            ctypes.string_at(0)
    return number, len(refused)


def test_calls_are_answered_in_their_order_whoever_breaks_off(workers: pytest.MonkeyPatch) -> None:
    calls = [Call(count, (number,), DocumentLimits()) for number in range(6)]
    expected = [(number, int(number == 3)) for number in range(6)]
    assert run_calls(calls, 2) == expected


def test_what_fails_between_documents_is_nobodys_reject(workers: pytest.MonkeyPatch) -> None:
    with pytest.raises(WorkerError, match="OSError: no space left"):
        run_calls([Call(fail_between, (), DocumentLimits())], 1)


def test_a_file_without_end_is_stored_and_the_build_says_why(
    ledger: Ledger, page: PageMaker, workers: pytest.MonkeyPatch
) -> None:
    from pipelines.ingest import snapshots

    workers.setenv("BENCHLEDGER_DOCUMENT_SECONDS", "1")
    workers.setattr(snapshots, "_format_and_date", endless)
    path = ledger.add(page([ROW]), "acme/page")
    assert path.exists()
    assert "format: null" in (path.parent / "snapshot.yml").read_text()


def endless(document: Document) -> None:
    ENDLESS.match("a" * 60)


def test_a_fetched_page_that_cannot_be_compared_holds_up_no_other_source(
    tmp_path: Path, page: PageMaker, workers: pytest.MonkeyPatch
) -> None:
    from pipelines.ingest import capture

    workers.setenv("BENCHLEDGER_DOCUMENT_SECONDS", "1")
    raw, now = tmp_path / "raw", datetime(2026, 1, 31, tzinfo=UTC)
    address = "https://acme.example/results.txt"

    def look(body: str) -> capture.Verdict:
        return capture.capture(body.encode(), "text/plain", None, address, "acme/results", raw, now)

    assert look(page([ROW])).outcome == "changed"
    workers.setattr(capture, "content_digest", endless)
    started = time.monotonic()
    # What cannot be compared is kept: the build says what is wrong with it.
    assert look(page([ROW | {"Model": "ViT"}])).outcome == "changed"
    assert time.monotonic() - started < 30
