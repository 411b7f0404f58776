"""Dimensions are listed once, in dimensions.yml: queries and schemas have no list of their own."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from sql import given_rows
from sql.given_rows import Rows, document_of, evidence_of, made_of, printed_value
from sql.test_marts import DOCUMENTS, NAMES, result, standing

from pipelines.schemas.columns import COLUMNS
from pipelines.schemas.tables import TABLES
from pipelines.vocabulary import dimensions as listed
from pipelines.vocabulary.dimensions import Identity, Type, dimensions
from pipelines.warehouse.reader import SQL_FOLDER

RESULTS_SQL = (SQL_FOLDER / "resolved" / "results.sql").read_text("utf-8")


def test_the_column_of_a_dimension_is_one_of_a_result() -> None:
    assert {known.column for known in dimensions().values()} - {None} <= set(
        re.findall(r"\w+", TABLES["resolved.results"].layout)
    )


def test_columns_made_of_conditions_hold_the_dimension_of_their_name() -> None:
    made = re.findall(
        r"^ {8}((?:try_cast\()?c\.said\['(\w+)'\].*?) as (\w+),$", RESULTS_SQL, re.MULTILINE
    )
    casts = {Type.COUNT: "bigint", Type.LENGTH: "bigint", Type.NUMBER: "double"}
    assert len(made) == 11
    for value, dimension, column in made:
        known = dimensions()[dimension]
        cast, said = casts.get(known.type), f"c.said['{dimension}']"
        assert (known.column, value) == (column, f"try_cast({said} as {cast})" if cast else said)
        assert tuple(COLUMNS[column].one_of or ()) == known.one_of


def keyed(*conditions: dict[str, str]) -> list[dict[str, Any]]:
    """Results that differ in their conditions alone."""
    place = {
        "document_id": document_of(1),
        "extractor": "results_page",
        "char_start": 4,
        "char_end": 8,
    }
    stated = {
        "model_printed": "ViT",
        "platform_printed": "H100",
        "task": "inference",
        "metric": "throughput",
    }
    measured: Rows = []
    said: Rows = []
    for line, values in enumerate(conditions, 1):
        numbers = []
        for name, value in values.items():
            numbers.append(len(said))
            said.append(
                place
                | {
                    "number": len(said),
                    "dimension": name,
                    "value": value,
                    "level": "cell",
                    "line": line,
                }
            )
        row = {
            "line": line,
            "unit": "images/s",
            "bound": "eq",
            "text_printed": "4.50",
            "conditions": numbers,
        }
        measured.append(place | stated | row | printed_value("4.50"))
    return made_of(
        "resolved.results",
        raw__documents=[{"document_id": document_of(1), "source": "acme/results"}],
        extracted__measurements=measured,
        extracted__conditions=said,
    )


def are_apart(*conditions: dict[str, str]) -> bool:
    keys = {row["benchmark_key"] for row in keyed(*conditions)}
    return len(keys) == len(conditions)


@pytest.fixture
def with_cooling(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that lists one more dimension, with an identity, in every query."""

    def add(identity: Identity) -> None:
        cooling = replace(dimensions()["kv_cache"], name="cooling", identity=identity, synonyms=())
        more = dimensions() | {"cooling": cooling}
        monkeypatch.setattr(listed, "dimensions", lambda: more)
        given_rows._prepared.cache_clear()

    yield add
    given_rows._prepared.cache_clear()


@pytest.mark.parametrize(
    ("identity", "is_keyed", "grade"), [(Identity.KEY, True, "close"), (Identity.DOCUMENT, False, "close"),
     (Identity.INFERENCE, True, "close"), (Identity.NONE, False, "same")],
)  # fmt: skip
def test_one_more_dimension_is_one_entry_of_the_list(
    identity: Identity, is_keyed: bool, grade: str, with_cooling: Any
) -> None:
    with_cooling(identity)
    air, water = {"cooling": "air"}, {"cooling": "water"}
    assert are_apart(air, water) is is_keyed
    assert [row["conditions"] for row in keyed(air)] == [air]
    left = result(1, "Pod16", 100, chip=None, conditions=air)
    right = result(2, "Pod64", 200, chip=None, accelerator_count=16, conditions=water)
    rows = standing(left, right)
    [pair] = made_of(
        "main.platform_comparison", **rows, raw__documents=DOCUMENTS, resolved__names=NAMES
    )
    assert (pair["grade"], pair["differing"]) == (
        grade,
        [] if identity is Identity.NONE else ["cooling"],
    )


@pytest.mark.parametrize(
    ("left", "right", "is_apart"),
    [
        ({"tensor_parallel": "2"}, {"tensor_parallel": "8"}, True),
        # A value that is not stated is no other value, and no empty one.
        ({}, {"kv_cache": "FP8"}, True),
        (
            {"kv_cache": "FP8", "quantization": "int8"},
            {"quantization": "int8", "kv_cache": "FP8"},
            False,
        ),
        ({"weights_precision": "INT8"}, {"weights_precision": "BF16"}, True),
        # What a mapping calls by a name of its own is part of what was measured.
        ({"split": "val"}, {"split": "test"}, True),
        # What only describes the run is none.
        ({"driver": "550.54"}, {"driver": "570.86"}, False),
        ({"batch_size_kind": "global"}, {"batch_size_kind": "micro"}, False),
    ],
)
def test_a_key_is_made_of_what_the_list_calls_its_parts(
    left: dict[str, str], right: dict[str, str], is_apart: bool
) -> None:
    assert are_apart(left, right) is is_apart


def test_conditions_without_a_column_are_a_map_and_words() -> None:
    said = {
        "split": "val",
        "tensor_parallel": "8",
        "kv_cache": "FP8",
        "other": "with DALI",
        "unit": "ms",
    }
    with_conditions, without = keyed(said, {})
    assert with_conditions["conditions"] == {
        "kv_cache": "FP8",
        "other": "with DALI",
        "split": "val",
    }
    assert with_conditions["other_conditions"] == "kv cache FP8, split val, with DALI"
    assert (without["conditions"], without["other_conditions"]) == ({}, None)


def stated(number: int, **values: str) -> Rows:
    return [
        {"result_id": evidence_of(number), "dimension": name, "value": value}
        for name, value in values.items()
    ]


@pytest.mark.parametrize(
    ("left", "right", "is_found"),
    [
        ({"tensor_parallel": "8"}, {"tensor_parallel": "2"}, True),
        ({"tensor_parallel": "8"}, {}, True),
        ({"kv_cache": "FP8"}, {}, True),
        ({"split": "val"}, {"split": "test"}, True),
        ({"request_rate": "4"}, {"request_rate": "4.0"}, False),
        (
            {"platform": "A", "driver": "550", "submission_id": "2.0-1"},
            {"platform": "B", "driver": "570"},
            False,
        ),
        # The other side may state it among the words of its variant.
        ({"sequence_length": "128"}, {"variant": "SL 128"}, False),
    ],
)
def test_a_pair_that_is_called_the_same_has_the_same_conditions(
    left: dict[str, str], right: dict[str, str], is_found: bool
) -> None:
    pair = {"left_result_id": evidence_of(1), "right_result_id": evidence_of(2)}
    for grade in ("same", "close"):
        found = made_of(
            "checks.same_grades_hold",
            main__platform_comparison=[pair | {"grade": grade}],
            resolved__result_conditions=stated(1, **left) + stated(2, **right),
        )
        assert bool(found) is (is_found and grade == "same")


def test_two_current_results_do_not_look_alike() -> None:
    row = {"source": "acme/results", "model": "ViT", "platform": "H100", "stands": True}
    alike = [
        row | {"benchmark_key": evidence_of(1), "value": 1.0},
        row | {"benchmark_key": evidence_of(2), "value": 2.0},
    ]
    assert [
        found["results"]
        for found in made_of("checks.current_results_differ", main__result_history=alike)
    ] == [2]
    for more in (
        {"other_conditions": "TP 8"},
        {"unnamed_platform": "2"},
        {"stands": False},
        {"statistic": "p99"},
    ):
        assert (
            made_of(
                "checks.current_results_differ", main__result_history=[alike[0], alike[1] | more]
            )
            == []
        )
