"""PDFs opened ahead: the same documents in the same order, whatever can and cannot be read."""

from __future__ import annotations

from pathlib import Path

from conftest import Ledger
from makers.small_pdf import make_pdf, write

from pipelines.build.corpus import opened_ahead
from pipelines.extract.reading import StoredDocument
from pipelines.read.pdf import remembered, workers


def test_documents_come_in_order_and_all_of_them(tmp_path: Path) -> None:
    contents = {
        "a": make_pdf(write(60, 700, "2.6x", 10)),
        "b": b"plain text",
        "c": b"%PDF-1.7 nothing",
        "d": make_pdf(write(60, 700, "4.6x", 10)),
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    documents = [StoredDocument(name, tmp_path / name, None) for name in (*contents, "gone")]
    assert list(opened_ahead(documents, cores=2)) == documents


def test_a_build_reads_each_pdf_once(ledger: Ledger, monkeypatch: object) -> None:
    asked: list[bytes] = []
    real = workers.ask

    def counted(request: workers.Request) -> object:
        asked.append(request.content)
        return real(request)

    pages = [make_pdf(write(60, 700, f"{n}.6x higher throughput", 10)) for n in range(2, 5)]
    for number, page in enumerate(pages):
        ledger.add(page, f"acme/deck{number}", "2023-01-01", name="deck.pdf")
    remembered._known.clear()
    monkeypatch.setattr(remembered, "ask", counted)  # type: ignore[attr-defined]
    assert ledger.build().success
    assert sorted(asked) == sorted(pages)
