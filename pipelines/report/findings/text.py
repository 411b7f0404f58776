"""Findings for people: a line that says what, a line that says where, the reason. Coloured in a terminal only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from pipelines.report.findings.verdicts import TITLES, Verdict
from pipelines.terminal import visible

_COLOURS = {
    Verdict.confirmed: "green",
    Verdict.consistent: "cyan",
    Verdict.contradicted: "bold red",
    Verdict.not_checkable: "yellow",
}
_FAULT = "red"
_LABEL_WIDTH = 15
_NOTHING = {"claims": "no claims", "discrepancies": "no discrepancies", "conflicts": "no conflicts"}


def print_findings(findings: dict[str, pa.Table], console: Console) -> None:
    """Print all findings; nothing printed in a document is taken for markup."""
    for number, (name, rows) in enumerate(findings.items()):
        if number:
            console.print()
        records = rows.to_pylist()
        console.print(Text(f"{TITLES[name]}: {_counts(name, records)}", style="bold"), soft_wrap=True)
        for record in records:
            console.print()
            for line in _lines(name, record):
                # In a pipe the console is wide enough that nothing is folded.
                console.print(line, highlight=False)


def _counts(name: str, records: list[dict[str, Any]]) -> str:
    if not records:
        return _NOTHING[name]
    if name != "claims":
        return str(len(records))
    counts = Counter(record["finding"] for record in records)
    return ", ".join(f"{counts[verdict]} {_words(verdict)}" for verdict in Verdict if counts[verdict])


def _lines(name: str, record: dict[str, Any]) -> Iterator[Text | Padding]:
    finding = record["finding"]
    label = _words(finding) if name == "claims" else record["kind"]
    colour = _COLOURS[Verdict(finding)] if name == "claims" else _FAULT
    what = record["what"] if name == "claims" else _words(finding)
    yield Text.assemble((f"{label:<{_LABEL_WIDTH}}", colour), (visible(f"{what}: {record['printed']}"), "bold"))
    day = record["published_on"] or "day not known"
    yield _indented(Text(visible(f"{record['source']}, {day}, line {record['line']}"), style="dim"))
    yield _indented(Text(visible(record["reason"])))


def _indented(text: Text) -> Padding:
    return Padding(text, (0, 0, 0, _LABEL_WIDTH), expand=False)


def _words(name: str) -> str:
    return name.replace("_", " ")
