"""Deduplication across SDK releases, shown with several snapshots of one page."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from conftest import BuildOnce, Ledger, PageMaker


def row(release: str = "3.1", rate: str = "38,036", **more: str) -> dict[str, str]:
    named = {"SDK Version": f"SDK {release}", "Throughput (items/sec)": rate}
    return named | {name.replace("_", " "): value for name, value in more.items()}


ROW, OTHER = row(), row(rate="7,608", Model="ViT", Dataset="ImageNet1k")
INFERENCE = {"section": "Pod systems - Inference"}
LATENCY = INFERENCE | {"headings": ("Model", "Platform", "SDK Version", "Latency (ms)")}


class Case(NamedTuple):
    """Documents, and what the ledger says of the platform they are about."""

    name: str
    # Publisher, day, rows, and what else the page says; what follows a slash tells sources of a
    # publisher apart.
    documents: list[tuple[Any, ...]]
    # Release, value, status, documents
    history: list[tuple[str, float, str, int]]
    # Value and batch size
    current: list[tuple[float, int | None]]
    gains: tuple[tuple[str, str], ...] = ()
    conflicts: int = 0


JANUARY, FEBRUARY, MARCH = "2023-01-01", "2023-02-01", "2023-03-01"
FINAL = [
    "2.9",
    "2.10",
    "3.3.9",
    "3.4.dev3",
    "3.4-beta",
    "3.4-rc1",
    "3.4.0rc2",
    "3.4",
    "3.4.post1",
    "3.4.1-rc1",
    "4",
]
CASES = [
    Case("the same row republished is one result with two documents",
        [("acme", JANUARY, [ROW]), ("acme", FEBRUARY, [ROW, OTHER])],
        [("3.1", 38036, "current", 2), ("3.1", 7608, "current", 1)], [(7608, 16384), (38036, 16384)]),
    Case("a newer release supersedes and the gain is listed",
        [("acme", JANUARY, [ROW]), ("acme", FEBRUARY, [row("3.3", "40,000")])],
        [("3.1", 38036, "superseded", 1), ("3.3", 40000, "current", 1)], [(40000, 16384)], (("3.1", "3.3"),)),
    Case("a value restated under the same release gives way to the later",
        [("acme", JANUARY, [ROW]), ("acme", FEBRUARY, [row(rate="37,000")])],
        [("3.1", 38036, "restated", 1), ("3.1", 37000, "current", 1)], [(37000, 16384)]),
    Case("a batch size tuned with the release is the same training benchmark",
        [("acme", JANUARY, [ROW]), ("acme", FEBRUARY, [row("3.3", "40,000", Batch_Size="20,480")])],
        [("3.1", 38036, "superseded", 1), ("3.3", 40000, "current", 1)], [(40000, 20480)], (("3.1", "3.3"),)),
    Case("batch sizes of one table are points of a curve",
        [("acme", JANUARY, [row(rate="3,111", Batch_Size="128"), row(rate="5,109", Batch_Size="256")])],
        [("3.1", 3111, "current", 1), ("3.1", 5109, "current", 1)], [(3111, 128), (5109, 256)]),
    Case("inference at another batch size is another benchmark",
        [("acme", JANUARY, [row(Batch_Size="4")], INFERENCE),
         ("acme", FEBRUARY, [row("3.3", "40,000", Batch_Size="8"), row(Batch_Size="4")], INFERENCE)],
        [("3.1", 38036, "current", 2), ("3.3", 40000, "current", 1)], [(38036, 4), (40000, 8)]),
    Case("a row that vanished is withdrawn",
        [("acme", JANUARY, [ROW, OTHER]), ("acme", FEBRUARY, [OTHER])],
        [("3.1", 7608, "current", 2), ("3.1", 38036, "withdrawn", 1)], [(7608, 16384)]),
    Case("a row that another source still prints is not withdrawn",
        [("acme", JANUARY, [ROW, OTHER]), ("acme", FEBRUARY, [OTHER]),
         ("partner", "2022-12-01", [ROW], {"section": "Partner - Training"})],
        [("3.1", 38036, "current", 2), ("3.1", 7608, "current", 2)], [(7608, 16384), (38036, 16384)]),
    Case("a release taken back brings no older one back",
        [("acme", JANUARY, [row("3.3", "99,999")]), ("acme", FEBRUARY, [ROW])],
        [("3.1", 38036, "superseded", 1), ("3.3", 99999, "withdrawn", 1)], []),
    Case("release 2.10 comes after 2.9 and 2.4 is 2.4.0",
        [*(("acme/" + release, JANUARY, [row(release, rate)])
           for release, rate in (("3.0", "400"), ("2.10", "300"), ("2.9", "200"), ("2.4.0", "100"))),
         ("acme/b", None, [row("2.4", "100")], {"section": "Again - Training"})],
        [("2.4.0", 100, "superseded", 2), ("2.9", 200, "superseded", 1), ("2.10", 300, "superseded", 1),
         ("3.0", 400, "current", 1)],
        [(400, 16384)], (("2.4.0", "2.9"), ("2.9", "2.10"), ("2.10", "3.0"))),
    # The later copy of another publisher wins nothing.
    Case("two sources that disagree are a conflict",
        [("acme", JANUARY, [ROW]), ("partner", FEBRUARY, [row(rate="30,000")])],
        [("3.1", 38036, "conflicting", 1), ("3.1", 30000, "conflicting", 1)], [(38036, 16384)], conflicts=1),
    Case("a result is superseded only by its own publisher",
        [("acme", JANUARY, [ROW]), ("acme", FEBRUARY, [row(rate="38,500")]),
         ("copier", MARCH, [ROW, row("3.3", "90,000")])],
        [("3.1", 38036, "conflicting", 2), ("3.1", 38500, "conflicting", 1), ("3.3", 90000, "third_party", 1)],
        [(38500, 16384)], conflicts=1),
    Case("the vendor of a platform owns its results",
        [("reviewer", JANUARY, [ROW]), ("graphcore", "2022-01-01", [row("3.0", "37,000")])],
        [("3.0", 37000, "current", 1), ("3.1", 38036, "third_party", 1)], [(37000, 16384)]),
    Case("two places of one document that disagree are refused",
        [("acme", JANUARY, [OTHER, ROW, row(rate="30,000")])], [("3.1", 7608, "current", 1)], [(7608, 16384)]),
    Case("coarser rounding is no conflict",
        [(publisher, JANUARY, [{"Latency (ms)": value}], LATENCY)
         for publisher, value in (("acme", "5.51"), ("partner", "5.5"))],
        [("3.1", 5.5, "third_party", 1), ("3.1", 5.51, "current", 1)], [(5.51, None)]),
    Case("what comes before a final release is superseded by it",
        [("acme", JANUARY, [row(release, str(100 + number)) for number, release in enumerate(FINAL)][::-1])],
        [(release, 100 + number, "current" if release == "4" else "superseded", 1)
         for number, release in enumerate(FINAL)], [(110, 16384)], (*pairwise(FINAL),)),
    Case("words around the number of a release are no part of the order",
        [("acme", JANUARY, [row("NGC 24.9-py3", "100")]), ("acme", FEBRUARY, [row("NGC 24.10-py3", "110")]),
         ("acme", MARCH, [row("r24.11", "120")])],
        [("NGC 24.9-py3", 100, "superseded", 1), ("NGC 24.10-py3", 110, "superseded", 1),
         ("r24.11", 120, "current", 1)],
        [(120, 16384)], (("NGC 24.9-py3", "NGC 24.10-py3"), ("NGC 24.10-py3", "r24.11"))),
    Case("the gain of a latency is above one when it falls",
        [("acme", JANUARY, [{"SDK Version": "SDK 1.0", "Latency (ms)": "8.0"},
                            {"SDK Version": "SDK 1.1", "Latency (ms)": "4.0"}], LATENCY)],
        [("1.0", 8, "superseded", 1), ("1.1", 4, "current", 1)], [(4, None)], (("1.0", "1.1"),)),
]  # fmt: skip
# Each case prints results of a platform of its own in sources of its own: all stand in one ledger
# and do not meet.
PLATFORMS = [
    *(f"Bow Pod{size}" for size in (4, 8, 16, 32, 64, 128, 256)),
    *(f"IPU-POD{size}" for size in (4, 16, 64, 128, 256)),
    *("A100", "H100", "H200", "V100", "T4", "A10", "A30", "L4"),
]  # fmt: skip


@pytest.fixture(scope="module")
def cases(once: BuildOnce, page: PageMaker) -> Ledger:
    def build(ledger: Ledger) -> Any:
        for number, case in enumerate(CASES):
            for source, day, rows, *more in case.documents:
                publisher, _, part = source.partition("/")
                text = page(
                    [row | {"Platform": PLATFORMS[number]} for row in rows],
                    **(more[0] if more else {}),
                )
                ledger.add(text, f"{publisher}/case-{number}{part}", day)
        return ledger.resolve(*DERIVED, "main.sdk_progress")

    return once("releases", build)


DERIVED = ("audit.conflicts", "main.result_history")


def tuples(ledger: Ledger, query: str) -> list[tuple[Any, ...]]:
    return [tuple(found.values()) for found in ledger.sql(query)]


def history(ledger: Ledger, where: str) -> list[tuple[Any, ...]]:
    return tuples(
        ledger,
        f"select sdk_version, value, status, documents from main.result_history where {where} "
        "order by sdk_order, first_published_on, value",
    )


@pytest.mark.parametrize(
    "number", range(len(CASES)), ids=[case.name.replace(" ", "_") for case in CASES]
)
def test_what_stands_of_several_documents(cases: Ledger, number: int) -> None:
    case, where = CASES[number], f"platform = '{PLATFORMS[number]}'"
    assert sorted(history(cases, where)) == sorted(case.history)
    current = f"select value, batch_size from main.current_results where {where} order by value"
    assert tuples(cases, current) == case.current
    gains = f"select sdk_from, sdk_to from main.sdk_progress where {where} order by value_from"
    assert tuples(cases, gains) == [*case.gains]
    keys = f"select benchmark_key from resolved.results where {where}"
    kinds = f"select distinct kind from audit.conflicts where benchmark_key in ({keys})"
    assert tuples(cases, kinds) == [("between_sources",)] * case.conflicts


def of(name: str) -> str:
    [number] = [number for number, case in enumerate(CASES) if case.name.startswith(name)]
    return f"platform = '{PLATFORMS[number]}'"


def test_releases_are_listed_in_their_order_with_days_gains_and_reasons(cases: Ledger) -> None:
    assert [found[0] for found in history(cases, of("what comes before a final"))] == FINAL
    superseded = "select superseded_versions from main.current_results where "
    assert tuples(cases, superseded + of("release 2.10")) == [(["2.10", "2.9", "2.4.0"],)]
    days = "select first_published_on::varchar, last_published_on::varchar from main.result_history where "
    assert tuples(cases, days + of("the same row") + " and value = 38036") == [(JANUARY, FEBRUARY)]
    speedup = "select speedup from main.sdk_progress where "
    assert tuples(cases, speedup + of("the gain of a latency")) == [(2.0,)]
    assert tuples(cases, speedup + of("a newer release")) == [(40000 / 38036,)]
    keys = f"select benchmark_key from resolved.results where {of('two sources that disagree')}"
    query = f"select left_value, right_value, reason from audit.conflicts where benchmark_key in ({keys})"
    [(left, right, reason)] = tuples(cases, query)
    assert {left, right} == {38036, 30000}
    assert "38036" in reason


# Without a platform or a model, the cases would meet.


HEADINGS = (
    "Model",
    "SDK Version",
    "Framework",
    "Dataset",
    "Batch Size",
    "Precision",
    "Throughput (items/sec)",
)


def test_rows_without_a_model_or_a_platform_are_one_benchmark_in_one_source_alone(
    ledger: Ledger, page: PageMaker
) -> None:
    unnamed = ("Platform", "SDK Version", "Throughput (images/sec)")
    for source, value in (("acme/unnamed", "100"), ("partner/results", "200")):
        ledger.add(page([{"Throughput (images/sec)": value}], unnamed), source, JANUARY)
    ledger.add(page([ROW], HEADINGS), "acme/results", JANUARY)
    newer, other = row("3.3", "40,000"), row(rate="39,000")
    ledger.add(page([OTHER, ROW, newer], HEADINGS), "acme/results", FEBRUARY)
    ledger.add(page([other], HEADINGS), "acme/other", FEBRUARY)
    # Rows of one page that are alike stay apart.
    alike = [row(Model="BERT-Large"), row(Model="BERT-Large", Batch_Size="\u00a0")]
    ledger.add(page(alike, HEADINGS), "acme/alike", JANUARY)
    ledger.add(page([*alike, row(Model="DINO")], HEADINGS), "acme/alike", FEBRUARY)
    assert ledger.resolve(*DERIVED).success
    current = "select value from main.current_results where model is null order by value"
    assert tuples(ledger, current) == [(100,), (200,)]
    assert ledger.sql("from audit.conflicts") == []
    assert history(ledger, "model = 'ResNet-50 v1.5'") == [
        ("3.1", 38036, "superseded", 2), ("3.1", 39000, "current", 1), ("3.3", 40000, "current", 1),
    ]  # fmt: skip
    assert history(ledger, "model = 'BERT-Large'") == [("3.1", 38036, "current", 2)] * 2


VERSIONS = """# Acme

| Model | Framework | Version | Rate |
|---|---|---|---|
| ViT | LMDeploy | v0.2.0 | 900 |
| ViT | LMDeploy | v0.10.0 | 950 |
| ViT | ncnn | 20211208 | 10 |
| ViT | ncnn | 20230101 | 20 |
"""


@pytest.mark.parametrize("sdk", ["", ", sdk_version: '!6.0'"])
def test_versions_of_a_framework_are_releases(ledger: Ledger, sdk: str) -> None:
    rate = "Rate: {metric: throughput, unit: images/s}"
    columns = f"Model: model, Framework: framework, Version: framework_version, {rate}"
    mapping = f"constants: {{task: inference, platform: '!A100'{sdk}}}\ntables:\n- columns: {{{columns}}}\n"
    ledger.map("acme/results", mapping)
    ledger.add(VERSIONS, "acme/results", "2026-01-01", name="page.md")
    assert ledger.resolve(*DERIVED).success
    rows = ledger.sql(
        "select framework, framework_version, value, status from main.result_history order by framework, value"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("LMDeploy", "v0.2.0", 900, "superseded"),
        ("LMDeploy", "v0.10.0", 950, "current"),
        ("ncnn", "20211208", 10, "superseded"),
        ("ncnn", "20230101", 20, "current"),
    ]
    assert ledger.sql("select framework_version from main.current_results order by 1") == [
        {"framework_version": "20230101"},
        {"framework_version": "v0.10.0"},
    ]
    assert ledger.sql("select * from audit.conflicts") == []
