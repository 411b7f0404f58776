"""A page whose encoding only its server names: stored as it came, and read in that encoding, by
every command.
"""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
import yaml
from conftest import Ledger
from loopback import Server
from typer.testing import CliRunner

from pipelines.cli.main import app
from pipelines.ingest.fetching import fetch_sources
from pipelines.ingest.http import Answer, RequestLimits
from pipelines.ingest.registry import read_source

# The dash is one byte in Windows-1252, and none of UTF-8.
TABLE = (
    "<tr><th>Model<th>Platform<th>Dataset<th>Throughput (items/sec)</tr>"
    "<tr><td>ViT<td>Bow Pod16<td>Caf\u00e9 \u2013 1k<td>7,608</tr>"
)
MAPPING = """tables:
- columns:
    Model: model
    Platform: platform
    Dataset: dataset
    Throughput (items/sec): {metric: throughput, unit: items/s}
"""
PAGE = f"<html><body><h1>R\u00e9sultats</h1><table>{TABLE}</table></body></html>"


def give(server: Server, body: bytes, content_type: str) -> None:
    server.replies["/results"] = lambda handler: handler.send(200, body, Content_Type=content_type)


def look(server: Server, raw: Path) -> str:
    folder = raw / "acme" / "results"
    folder.mkdir(parents=True, exist_ok=True)
    fields = {"publisher": "Acme", "url": server.url + "/results", "allow_hosts": ["127.0.0.1"]}
    (folder / "source.yml").write_text(yaml.safe_dump(fields))
    [attempt] = fetch_sources([read_source(raw, "acme/results")], raw, RequestLimits(pause_s=0))
    return attempt.outcome


def test_a_page_is_read_in_the_encoding_its_server_names(server: Server, ledger: Ledger) -> None:
    ledger.map("acme/results", MAPPING)
    give(server, PAGE.encode("cp1252"), 'text/html; charset="ISO-8859-1"')
    assert look(server, ledger.raw) == "changed"
    [stored] = ledger.raw.glob("*/*/*/results.html")
    assert stored.read_bytes() == PAGE.encode("cp1252")
    [entry] = yaml.safe_load(stored.with_name("snapshot.yml").read_text())["documents"]
    assert (entry["charset"], entry["format"]) == ("iso-8859-1", "results_page")
    assert ledger.resolve("main.result_history").success
    assert ledger.sql("select rule from audit.rejects") == []
    [row] = ledger.sql("select result_id, dataset_printed from resolved.results")
    assert row["dataset_printed"] == "Caf\u00e9 \u2013 1k"
    assert ledger.sql("select charset from raw.documents") == [{"charset": "iso-8859-1"}]
    folders = ["--raw", str(ledger.raw), "--warehouse", str(ledger.warehouse)]
    traced = CliRunner().invoke(app, ["trace", row["result_id"], *folders])
    assert (traced.exit_code, "Caf\u00e9 \u2013 1k" in traced.stdout) == (0, True), traced.output
    # The same words in another encoding are no news.
    give(server, PAGE.encode(), "text/html; charset=utf-8")
    assert look(server, ledger.raw) == "unchanged"


@pytest.mark.parametrize(
    ("stated", "charset"),
    [
        ("text/html; charset=Windows-1252", "windows-1252"),
        ("text/html;charset='utf-8'", None),
        ('text/html; charset="utf-8"; boundary=x', "utf-8"),
        ("text/html", None),
        ("text/html; charset=", None),
        ("text/html; charset=" + "x" * 50, None),
        ("", None),
    ],
)
def test_what_a_server_names(stated: str, charset: str | None) -> None:
    headers = httpx.Headers({"content-type": stated} if stated else {})
    assert Answer("https://acme.example/", 200, headers, b"").charset == charset
