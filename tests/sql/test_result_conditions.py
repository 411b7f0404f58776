"""The conditions of results with given rows, and the check that holds them against the columns of
the results.
"""

from __future__ import annotations

import hashlib
from typing import Any

from sql.given_rows import Rows, document_of, evidence_of, made_of, printed_value

NAMES: Rows = [
    {
        "kind": "platforms",
        "name_printed": "H100",
        "name": "H100 SXM",
        "occurrences": 1,
        "documents": 1,
    },
    {
        "kind": "models",
        "name_printed": "GPT3",
        "name": "GPT-3 175B",
        "suite": "MLPerf Training v3.0",
    },
    {"kind": "models", "name_printed": "Llama 7B", "name": "LLaMA 7B"},
    {"kind": "models", "name_printed": "GPT2", "name": "GPT2", "is_family": True},
]
PLACE = {
    "document_id": document_of(1),
    "extractor": "results_page",
    "line": 9,
    "char_start": 4,
    "char_end": 8,
}


def condition(
    number: int, dimension: str, value: str, level: str = "cell", **more: Any
) -> dict[str, Any]:
    place = PLACE | {"char_start": 10 * number, "char_end": 10 * number + len(value)}
    is_printed = level not in ("mapping", "vocabulary")
    said = {"number": number, "dimension": dimension, "value": value, "level": level}
    return place | {"text_printed": value if is_printed else ""} | said | more


def short(text: str) -> str:
    """An identifier as the queries make it."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def identified(row: dict[str, Any]) -> str:
    """The identifier of a row's place."""
    return short(
        "|".join(str(row[name]) for name in ("document_id", "line", "char_start", "char_end"))
    )


def result_of(row: dict[str, Any]) -> str:
    """The identifier of the result that a row's place prints."""
    return short(f"{identified(row)}|{row['metric']}")


def held(conditions: Rows, numbers: list[int], *, suite: str | None = None, **result: Any) -> Rows:
    measurement = PLACE | {"metric": "throughput", "suite": suite, "conditions": numbers}
    row = {
        "result_id": result_of(measurement),
        "evidence_id": identified(measurement),
        "suite": suite,
    }
    row |= {"metric": "throughput"} | result
    return made_of(
        "resolved.result_conditions",
        extracted__measurements=[measurement],
        extracted__conditions=conditions,
        resolved__results=[row],
        resolved__names=NAMES,
    )


def test_a_result_has_the_conditions_that_it_lists() -> None:
    conditions = [
        condition(0, "batch_size", "64"),
        condition(1, "precision", "FP8"),
        condition(2, "unit", "images/s"),
    ]
    other = condition(0, "batch_size", "128") | {"document_id": document_of(2)}
    elsewhere = condition(0, "batch_size", "256") | {"extractor": "slides"}
    rows = held([*conditions, other, elsewhere], [2, 0])
    assert rows == [
        {
            "result_id": result_of(PLACE | {"metric": "throughput"}),
            "dimension": said["dimension"], "value": said["value"],
            "value_printed": None, "name_printed": None, "text_printed": said["text_printed"],
            "evidence_id": identified(said), "level": "cell",
        }
        for said in (conditions[0], conditions[2])
    ]  # fmt: skip


def test_names_are_canonical_as_far_as_they_are_known() -> None:
    conditions = [
        condition(0, "platform", "H100", "caption"),
        condition(1, "framework", "Foo 2"),
        condition(2, "model", "GPT3"),
        condition(3, "other", "H100"),
    ]
    rows = held(conditions, [0, 1, 2, 3], suite="MLPerf Training v3.0")
    assert {row["dimension"]: (row["value"], row["text_printed"], row["name_printed"]) for row in rows} == {
        # The vocabulary of a suite holds in that suite, and no name is known in it alone.
        "platform": ("H100", "H100", "H100"), "framework": ("Foo 2", "Foo 2", "Foo 2"),
        "model": ("GPT-3 175B", "GPT3", "GPT3"), "other": ("H100", "H100", None),
    }  # fmt: skip
    rows = held(conditions, [0, 2])
    assert {row["dimension"]: row["value"] for row in rows} == {
        "platform": "H100 SXM",
        "model": "GPT3",
    }


def test_a_name_in_two_cells_is_one_name() -> None:
    conditions = [
        condition(0, "model", "Llama"), condition(1, "model_size", "7B"), condition(2, "framework", "2.5.1"),
        condition(3, "platform", "H100"),
    ]  # fmt: skip
    names = {
        "model_printed": "Llama 7B",
        "framework_printed": "PyTorch 2.5.1",
        "platform_printed": "8x H100",
    }
    rows = held(conditions, [0, 1, 2, 3], **names)
    assert {
        row["dimension"]: (row["value"], row["name_printed"], row["text_printed"]) for row in rows
    } == {
        "model": ("LLaMA 7B", "Llama 7B", "Llama"),
        "model_size": ("7B", None, "7B"),
        "framework": ("PyTorch 2.5.1", "PyTorch 2.5.1", "2.5.1"),
        "platform": ("H100 SXM", "H100", "H100"),
    }


def test_what_a_mapping_says_is_printed_nowhere() -> None:
    conditions = [
        condition(0, "platform", "H100", "mapping"),
        condition(1, "precision", "FP8", "vocabulary"),
    ]
    rows = held(conditions, [0, 1])
    assert [(row["level"], row["text_printed"], row["evidence_id"]) for row in rows] == [
        ("mapping", None, None),
        ("vocabulary", None, None),
    ]


def test_the_vocabulary_counts_the_chips_where_the_document_does_not() -> None:
    platform, count = (
        condition(0, "platform", "H100"),
        condition(1, "accelerator_count", "8", "heading"),
    )
    rows = held([platform, count], [0, 1], accelerator_count=8)
    assert [(row["value"], row["level"]) for row in rows] == [
        ("8", "heading"),
        ("H100 SXM", "cell"),
    ]
    rows = held([platform], [0], accelerator_count=8)
    assert [(row["value"], row["level"]) for row in rows] == [
        ("8", "vocabulary"),
        ("H100 SXM", "cell"),
    ]
    assert held([], [], accelerator_count=8) == []


def disagreeing(
    *cases: tuple[dict[str, Any], list[tuple[str, str]]],
) -> list[list[tuple[str, str]]]:
    """For each case, a result and its conditions, the columns that do not say what the conditions
    say.
    """
    made = made_of(
        "checks.results_agree_with_their_conditions",
        resolved__results=[
            {"result_id": evidence_of(number)} | result for number, (result, _) in enumerate(cases)
        ],
        resolved__result_conditions=[
            {"result_id": evidence_of(number), "dimension": dimension, "value": value}
            for number, (_, conditions) in enumerate(cases)
            for dimension, value in conditions
        ],
        resolved__names=NAMES,
    )
    ids = [row["result_id"] for row in made]
    found = [(row["dimension"], row["value"]) for row in made]
    return [
        [pair for pair, place in zip(found, ids, strict=True) if place == evidence_of(number)]
        for number in range(len(cases))
    ]


def test_a_column_says_what_a_condition_says() -> None:
    columns = {
        "batch_size": 64, "sequence_length": 128, "accelerator_count": 8, "precision": "FP8", "platform": "H100",
        "framework": "JAX", "dataset": "SQuAD", "model": "ViT", "task": "training", "suite": "MLPerf",
        "stage": "fine-tuning", "division": "Open", "submission_id": "2.0-1", "sdk_version": "3.1",
        "image_size": "224x224",
    }  # fmt: skip
    unit = ("unit", "ms")
    for column, value in columns.items():
        same, other = (column, str(value)), (column, "1")
        # What a cell says beside its main words, such as a length among the words of a variant, is
        # no condition yet.
        cases = [[same, unit], [other, same], [other], [unit], []]
        made = disagreeing(*(({column: value}, case) for case in cases))
        assert made == [[], [], [same], [], []], column


def test_of_a_family_the_variant_names_the_model() -> None:
    result = {"model": "GPT2-Large", "model_printed": "GPT2"}
    assert disagreeing((result, [("model", "GPT2"), ("variant", "Large")])) == [[]]


def test_names_among_the_conditions_are_looked_up() -> None:
    conditions = [
        condition(0, "platform", "H100"), condition(1, "platform", "DGX"), condition(2, "model", "Llama"),
        condition(3, "dataset", "SQuAD"), condition(4, "precision", "FP8"),
    ]  # fmt: skip
    row = {
        "metric": "latency",
        "platform_printed": "H100",
        "model_printed": "Llama 7B",
        "conditions": [0, 1, 2, 3, 4],
    }
    made = made_of(
        "internal.printed_names",
        extracted__measurements=[PLACE | row],
        extracted__conditions=conditions,
    )
    assert [(name["kind"], name["name_printed"], name["occurrences"]) for name in made] == [
        ("datasets", "SQuAD", 1),
        ("metrics", "latency", 1),
        # `Llama` is a part of the name.
        ("models", "Llama 7B", 1),
        ("platforms", "DGX", 1),
        ("platforms", "H100", 1),
    ]


def test_conditions_that_are_columns_of_a_result() -> None:
    given = {
        "batch_size_kind": "per_device", "input_length": "1024", "output_length": "128",
        "concurrency": "64", "request_rate": "inf", "scenario": "Server", "tensor_parallel": "8",
        "pipeline_parallel": "2", "data_parallel": "4", "expert_parallel": "1",
    }  # fmt: skip
    others = [
        ("run_mode", "Batch"),
        ("other", "with DALI"),
        ("platform", "H100"),
        ("unit", "ms"),
        ("kv_cache", "FP8"),
    ]
    said = [*given.items(), *others]
    stated = {
        "metric": "latency",
        "statistic": "p99",
        "unit": "ms",
        "extractor": "results_page",
        "text_printed": "4.5",
    }
    rows = [
        PLACE | stated | printed_value("4.5") | {"conditions": [*range(len(said))]},
        PLACE | stated | printed_value("4.5") | {"line": 10, "conditions": []},
    ]
    with_conditions, without = made_of(
        "resolved.results",
        raw__documents=[{"document_id": document_of(1), "source": "acme/results"}],
        extracted__measurements=[row | {"bound": "eq"} for row in rows],
        extracted__conditions=[condition(number, *pair) for number, pair in enumerate(said)],
    )
    assert {name: str(with_conditions[name]) for name in given} == given
    assert with_conditions["statistic"] == "p99"
    assert with_conditions["other_conditions"] == "kv cache FP8, run mode Batch, with DALI"
    assert {without[name] for name in (*given, "other_conditions")} == {None}
