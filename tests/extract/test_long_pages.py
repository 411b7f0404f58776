"""A page twice as long takes twice the work, not four times: pages of thousands of rows and of hundreds of tables."""

from __future__ import annotations

from typing import Any

import pytest

from pipelines.extract.results_page import extract
from pipelines.extract.tables import labels, spans
from pipelines.read.files import read_bytes

HEAD = "<tr><th>Model<th>Platform<th>Throughput (images/sec)"


def calls(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, page: str) -> int:
    """How often a function of a module is called while a page is read."""
    function, count = getattr(module, name), 0

    def counted(*arguments: Any) -> Any:
        nonlocal count
        count += 1
        return function(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(module, name, counted)
        extract(read_bytes(page.encode(), "page.html", "0" * 64), ())
    return count


def test_the_title_is_not_sought_from_the_end_for_each_table(monkeypatch: pytest.MonkeyPatch) -> None:
    def page(tables: int) -> str:
        parts = (f"<h2>Part {n}</h2><table>{HEAD}<tr><td>ViT<td>H100<td>{n}</table>" for n in range(tables))
        return "<h1>Results</h1>" + "".join(parts)

    few, many = (calls(monkeypatch, labels, "is_label", page(tables)) for tables in (20, 40))
    assert many < 2.5 * few


def test_damaged_rows_are_not_compared_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def page(rows: int) -> str:
        return f"<table>{HEAD}" + "".join(f"<tr><td>ViT<td>H100<td>{n}{n}x" for n in range(rows)) + "</table>"

    few, many = (calls(monkeypatch, spans, "_shared", page(rows)) for rows in (50, 100))
    assert 0 < many < 2.5 * few
