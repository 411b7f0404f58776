"""Units with a multiple: printed in the heading, a footnote or the cell, they rescale the value to items/s."""

from __future__ import annotations

import pytest
from conftest import Ledger, PageMaker
from typer.testing import CliRunner

from pipelines.cli import app
from pipelines.vocabulary.units import find_unit

HEADINGS = ("Model", "Platform", "SDK Version", "Dataset")


@pytest.mark.parametrize(
    ("printed", "canonical", "scale"),
    [
        ("images/sec", "items/s", 1),
        ("ktokens/s", "items/s", 1e3),
        ("k images/sec", "items/s", 1e3),
        ("M tokens/s", "items/s", 1e6),
        ("Msamples/s", "items/s", 1e6),
        ("K seq/s", "items/s", 1e3),
        ("thousands of triples/sec", "items/s", 1e3),
        ("million samples per second", "items/s", 1e6),
        ("1,000 images/s", "items/s", 1e3),
        ("k tokens/s/GPU", "items/s/device", 1e3),
        ("graphs/s", "items/s", 1),
        ("mels/s", "items/s", 1),
    ],
)
def test_units_with_a_multiple(printed: str, canonical: str, scale: float) -> None:
    unit = find_unit(printed)
    assert unit is not None
    assert (unit.canonical, unit.scale) == (canonical, scale)


@pytest.mark.parametrize("printed", ["MB/s", "msamples/s", "k k images/s", "k thousand tokens/s", "k", "zorps/s", ""])
def test_what_is_no_unit_of_a_rate(printed: str) -> None:
    assert find_unit(printed) is None


def test_multiples_reach_the_warehouse_and_the_trace(ledger: Ledger, page: PageMaker) -> None:
    def add(name: str, heading: str, cells: dict[str, str], note: str = "") -> None:
        rows = [{"Dataset": dataset, heading: cell} for dataset, cell in cells.items()]
        text = page(rows, headings=(*HEADINGS, heading)).replace("End of the page.", note)
        ledger.add(text, f"acme/{name}", "2023-01-01", name=f"{name}.txt")

    add("heading", "Throughput (ktokens/s)", {"SQuAD": "12.5"})
    add("cell", "Throughput", {"SQuAD": "3.25 M samples/s"})
    add(
        "note", "Throughput (items/sec)", {"SQuAD": "7", "ImageNet2012": "38.036", "Wikipedia": "5"},
        "ImageNet2012 throughput is measured in k images/sec. Wikipedia throughput is measured in zorps/sec.",
    )  # fmt: skip
    add("table", "Throughput", {"SQuAD": "4.5"}, "All throughput is measured in thousands of sequences per second.")
    outcome = ledger.build()
    assert outcome.success, outcome.faults
    rows = ledger.sql(
        "select result_id, value, value_low, unit, unit_printed, item from resolved.results order by value"
    )
    assert [(row["value"], row["value_low"], row["unit_printed"], row["item"]) for row in rows] == [
        (7, 6.5, "items/sec", "images"),
        (4500, 4450, "thousands of sequences per second", "sequences"),
        (12500, 12450, "ktokens/s", "tokens"),
        (38036, 38035.5, "k images/sec", "images"),
        (3250000, 3245000, "M samples/s", "images"),
    ]
    assert {row["unit"] for row in rows} == {"images/s", "sequences/s", "tokens/s"}
    [reject] = ledger.sql("select rule, reason, row_json from audit.rejects")
    assert reject["rule"] == "unread_value"
    assert "Wikipedia" in reject["row_json"]
    assert "units.yml" in reject["reason"]
    command = ["trace", rows[3]["result_id"], "--warehouse", str(ledger.warehouse), "--raw", str(ledger.raw)]
    result = CliRunner().invoke(app, command)
    assert "k images/sec -> images/s, x 1000 (vocabulary/units.yml: thousand images/s" in result.stdout, result.stdout
