"""What becomes of rows and frames that break their contract."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

from pipelines.extract.rows import EXTRACTED_TABLES
from pipelines.schemas.tables import TABLES, arrow_schema
from pipelines.validate.quarantine import ContractError, Quarantined, quarantine

EVIDENCE = TABLES["resolved.evidence"]
PRICES = EXTRACTED_TABLES["extracted.prices"]
CONFLICTS = TABLES["audit.conflicts"]


def price(line: int, **changes: Any) -> dict[str, Any]:
    row: dict[str, Any] = {
        "document_id": "a" * 64,
        "extractor": "claim_prose",
        "line": line,
        "char_start": 4,
        "char_end": 12,
        "text_printed": "$149,995",
        "price_usd": 149995.0,
        "price_low_usd": 149994.5,
        "price_high_usd": 149995.5,
        "bound": "eq",
    }
    return row | changes


def part(rows: list[dict[str, Any]], **options: Any) -> Quarantined:
    return quarantine(pa.Table.from_pylist(rows, schema=arrow_schema(PRICES)), PRICES, **options)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"bound": "maybe"}, "is not one of eq"),
        ({"document_id": "abc"}, "does not match"),
        ({"line": None}, "not_nullable"),
        ({"char_start": -1}, "is less than 0"),
        ({"price_low_usd": 200000.0}, "outside price_low_usd..price_high_usd"),
        ({"text_printed": "$149,99"}, "differ in length"),
        ({"line": 1}, "another row has the same key"),
    ],
)
def test_a_row_that_fails_is_set_aside_with_its_reason(
    changes: dict[str, Any], reason: str
) -> None:
    parted = part([price(1), price(2) | changes, price(3)])
    assert parted.valid.num_rows == 2
    [reject] = parted.rejects
    assert reason in reject["reason"]
    assert reject["rule"] == "contract:extracted.prices"
    assert json.loads(reject["row_json"])["price_usd"] == 149995.0


def test_a_good_frame_passes_as_it_is() -> None:
    parted = part([price(1), price(2)])
    assert (parted.valid.num_rows, parted.rejects) == (2, [])


def test_few_bad_rows_pass_and_more_than_the_stated_share_stop_the_build() -> None:
    bad = [price(line, bound="maybe") for line in range(1, 5)]
    assert len(part([*bad[:3], price(9)]).rejects) == 3
    good = [price(line) for line in range(100, 140)]
    assert len(part(bad + good).rejects) == 4
    with pytest.raises(ContractError, match="4 of 34 rows fail the contract"):
        part(bad + good[:30])


def test_a_derived_table_may_refuse_as_many_rows_as_a_printed_one_and_evidence_none() -> None:
    row = {
        "kind": "between_sources", "benchmark_key": "b" * 32, "left_evidence_id": "c" * 16,
        "right_evidence_id": "not an id", "left_value": 1.0, "right_value": 2.0, "reason": "they differ",
    }  # fmt: skip
    assert (
        len(
            quarantine(
                pa.Table.from_pylist([row], schema=arrow_schema(CONFLICTS)), CONFLICTS
            ).rejects
        )
        == 1
    )
    several = [row | {"left_evidence_id": "c" * size} for size in range(16, 20)]
    many = pa.Table.from_pylist(several, schema=arrow_schema(CONFLICTS))
    with pytest.raises(ContractError, match=r"audit\.conflicts: 4 of 4"):
        quarantine(many, CONFLICTS)
    place = dict.fromkeys(arrow_schema(EVIDENCE).names) | {"evidence_id": "no id"}
    with pytest.raises(ContractError, match=r"resolved\.evidence: 1 of 1"):
        quarantine(pa.Table.from_pylist([place], schema=arrow_schema(EVIDENCE)), EVIDENCE)


def test_a_missing_column_or_one_of_another_type_stops_the_build() -> None:
    rows = pa.Table.from_pylist([price(1)], schema=arrow_schema(PRICES))
    texts = rows.set_column(rows.column_names.index("line"), "line", pa.array(["one"]))
    for wrong, named in ((rows.drop_columns(["bound"]), "bound"), (texts, "line")):
        with pytest.raises(ContractError, match=named):
            quarantine(wrong, PRICES)


def test_no_rows_are_a_fault_only_where_the_input_has_some() -> None:
    assert part([]).valid.num_rows == 0
    empty = arrow_schema(EVIDENCE).empty_table()
    with pytest.raises(ContractError, match="has no rows"):
        quarantine(empty, EVIDENCE, inputs_have_rows=True)
