"""A number whose digits come from several inline elements is refused, wherever it is used."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from makers.mapped import Reader, read, table

from pipelines.extract.accounting.ledger import account
from pipelines.extract.claim_prose import extract
from pipelines.extract.rows import Reject
from pipelines.read.document import Document
from pipelines.read.files import read_bytes

RULE = "number_across_markup"
MAPPING = "tables:\n- columns: {Model: model, Rate: {metric: throughput, unit: images/s}}\n"
PARTED = {
    "page.html": (
        '1200<a class="footnote" href="#f1">1</a>', "12<sub>3</sub>", "1200<small>1</small>", "1,<span>200</span>",
        '1200<span title="note">1</span>', "<ruby>12<rt>3</rt></ruby>", '<b class="note">9</b>1200',
        "1200<abbr>1</abbr>",
        "<font>12</font><font>00</font>", "12<del>3</del>4", "12<ins>3</ins>", "12&shy;00", "12&#8205;00",
        "12<div>00</div>",
        "1<sup>2</sup>8", "1.5<sub>e3</sub>", "1.5e<u>3</u>", "12<kbd>.5</kbd>", '<span style="opacity:0">9</span>1200',
        '12<i style="font-size:0">9</i>', '12<span style="display:none">9</span>3', "12<made-up>3</made-up>",
    ),
    "page.md": (
        "1200[1](#fn)", "1200<sub>1</sub>", "12~~3~~4", "12`3`", "12&shy;00", "1<sup>2</sup>8", "12![x](y)00",
        '<span style="display:none">9</span>1200', "12\u200b00", "1[^1]8", '12<b id="x">3</b>',
    ),
    "page.rst": (
        r"1200\ :sub:`1`", r"12\ `3 <u>`_", r"12\ ``3``", r"12\ :sup:`3`\ 4", r"12\ :foo:`3`", r"1\ **200**",
        "12\u200d3",
    ),
}  # fmt: skip
WHOLE = {
    "page.html": (
        "<b>1</b>200", "1<em>2</em><strong>0</strong><i>0</i>", "1<wbr>200", "1200<sup>1</sup>", "<span>1200</span>ms",
        "12<!-- -->00", "<a>1200</a>", "1200 <small>images/s</small>", "<sup>1</sup> 1200",
    ),
    "page.md": ("1**2**00", "1*200*", "[1200](x)", "1200[^1]", "1200<sup>1</sup>", "`1200`", "<u>1200</u>"),
    "page.rst": (r"1200\ [1]_", "``1200``", "**1200**"),
}  # fmt: skip


def page_of(name: str, rate: str, model: str = "Net") -> str:
    if name == "page.html":
        return f"<table><tr><th>Model<th>Rate</tr><tr><td>{model}<td>{rate}</tr><tr><td>Net B<td>900</tr></table>"
    if name == "page.rst":
        rows = "".join(
            f"   * - {a}\n     - {b}\n"
            for a, b in (("Model", "Rate"), (model, rate), ("Net B", "900"))
        )
        return f".. list-table::\n\n{rows}\n.. [1] Foo\n"
    return table("Model | Rate", f"{model} | {rate}", "Net B | 900")


@pytest.fixture
def said(tmp_path: Path) -> Reader:
    return partial(read, tmp_path)


@pytest.mark.parametrize(
    ("name", "cell"), [(name, cell) for name in PARTED for cell in PARTED[name]]
)
def test_a_parted_number_costs_its_row(name: str, cell: str, said: Reader) -> None:
    for page in (page_of(name, cell), page_of(name, "700", f"Net {cell}")):
        found = said(page, MAPPING, name=name)
        assert [value for value, *_ in found.values()] == [900]
        assert [(rule, scope) for rule, scope, _ in found.refused] == [(RULE, "row")]
        assert "come from several elements of the page" in found.reasons[0]


@pytest.mark.parametrize(("name", "cell"), [(name, cell) for name in WHOLE for cell in WHOLE[name]])
def test_a_number_of_one_element_is_whole(name: str, cell: str) -> None:
    document = read_bytes(page_of(name, cell).encode(), name, "0" * 64)
    [grid] = document.grids
    assert (
        grid.texts[1][1].replace("\u00b9", "").removesuffix("ms").removesuffix("images/s").strip()
        == "1200"
    )


def test_a_part_of_it_is_no_number(said: Reader) -> None:
    mapping = MAPPING.replace("{metric", "{match: '(?P<value>\\d+).*', metric")
    assert said(page_of("page.md", "1200[1](#fn)"), mapping).values() == [(900,)]
    flat = MAPPING.replace(
        "columns: {Model: model, Rate:",
        "rows: '(?P<model>Net \\w) (?P<value>\\d+) img/s'\n  columns: {value:",
    )
    page = "<p>Net A 12<sub>3</sub> img/s<p>Net B <sub>9</sub>12 img/s<p>Net C 7 img/s"
    assert said(page, flat, name="page.html").values() == [(7,)]


def test_a_heading_states_no_parted_number(said: Reader) -> None:
    mapping = f"headings: 'batch (?P<batch_size>\\d+)'\n{MAPPING}"
    page = "<h1>Speed at batch 1<sup>2</sup>8</h1>" + page_of("page.html", "700")
    assert {rule for rule, *_ in said(page, mapping, name="page.html").refused} == {"not_stated"}


def sentences_of(text: str, name: str) -> tuple[Document, list[tuple[str, str]]]:
    document = read_bytes(text.encode(), name, "0" * 64)
    rows = extract(document, frozenset()).rows
    return document, [
        (type(row).__name__, row.rule if isinstance(row, Reject) else "") for row in rows
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("page.html", "<p>The H100 is 1<sub>2</sub>.5x faster than the A100 on BERT."),
        ("page.md", "The H100 is 1[2](#n).5x faster than the A100 on BERT."),
        ("page.md", "The H100 is 1**2**x faster than the A100 on BERT."),
        ("page.md", "<p>The H100 is 1<sub>2</sub>x faster than the A100 on BERT.</p>"),
        ("page.md", "The H100 is 1&#8203;2x faster than the A100 on BERT."),
        ("page.rst", "Post\n====\n\nThe H100 is 1\\ :sub:`2`\\ x faster than the A100 on BERT."),
        ("page.txt", "The H100 is 1\u200b2x faster than the A100 on BERT."),
    ],
)
def test_a_parted_number_costs_its_sentence(name: str, text: str) -> None:
    other = "\n\nThe H100 is 3x faster than the A100 on ResNet-50.\n"
    document, found = sentences_of(text + other, name)
    assert found == [("Reject", RULE), ("Claim", "")]
    statuses = dict(zip(account(document, {}).texts, account(document, {}).statuses, strict=True))
    assert "1" not in statuses
    assert "2" not in statuses
