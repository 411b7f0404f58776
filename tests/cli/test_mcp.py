"""The command `mcp`: a client of the protocol finds tools that read, and nothing that writes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from conftest import Ledger
from mcp import Client

from benchledger import open_warehouse
from pipelines.cli.mcp_server import server


def asked(ledger: Ledger, tool: str, **arguments: Any) -> tuple[bool, str]:
    """Whether a tool has failed, and its text."""

    async def ask() -> tuple[bool, str]:
        async with Client(server(open_warehouse(ledger.warehouse, ledger.raw))) as client:
            answer = await client.call_tool(tool, arguments)
            return bool(answer.is_error), "".join(part.text for part in answer.content)

    return asyncio.run(ask())


def rows(ledger: Ledger, tool: str, **arguments: Any) -> dict[str, Any]:
    failed, text = asked(ledger, tool, **arguments)
    assert not failed, text
    return json.loads(text)  # type: ignore[no-any-return]


def test_all_tools_only_read(part: Ledger) -> None:
    async def listed() -> list[Any]:
        async with Client(server(open_warehouse(part.warehouse, part.raw))) as client:
            return list((await client.list_tools()).tools)

    tools = asyncio.run(listed())
    assert {tool.name for tool in tools} == {
        "search",
        "results",
        "compare",
        "trace",
        "claims",
        "sql",
    }
    assert all(tool.annotations.read_only_hint and tool.description for tool in tools)


def test_a_model_finds_a_number_and_the_characters_it_was_printed_in(part: Ledger) -> None:
    found = rows(part, "search", words="resnet50")
    assert "ResNet-50 v1.5" in {row["name"] for row in found["shown"]}
    found = rows(
        part, "results", model="ResNet-50 v1.5", platform="IPU-POD256", metric="throughput"
    )
    [result] = found["shown"]
    assert result["value"] == 365040
    place = rows(part, "trace", result_id=result["result_id"])["place"]
    assert any("365,040" in line["text"] for line in place["lines"])
    assert rows(part, "claims", verdict="confirmed")["rows"] > 0
    compared = rows(part, "compare", model="ResNet-50 v1.5", platform="IPU-POD256")
    assert compared["rows"] >= len(compared["shown"])


def test_sql_runs_in_the_sandbox_and_a_wrong_name_is_an_error_with_the_nearest(
    part: Ledger, tmp_path: Path
) -> None:
    assert rows(part, "sql", query="select 1 as one") == {"rows": 1, "shown": [{"one": 1}]}
    for query in (f"copy (select 1) to '{tmp_path}/x.csv'", "delete from main.claims"):
        failed, text = asked(part, "sql", query=query)
        assert failed, text
    assert list(tmp_path.iterdir()) == []
    failed, text = asked(part, "results", model="ResNet-50 v1.6")
    assert failed
    assert "ResNet-50 v1.5" in text
