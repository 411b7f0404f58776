"""Deduplication across SDK releases, shown with several snapshots of one page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from conftest import BuildOnce, Ledger, PageMaker, Rows

SOURCE = "acme/results"
ROW = {"Throughput (items/sec)": "38,036"}
OTHER = {"Model": "ViT", "Dataset": "ImageNet1k", "Throughput (items/sec)": "7,608"}

# Each case prints results of a platform of its own in sources of its own: all stand in one ledger and do not meet.
PLATFORMS = [
    *(f"Bow Pod{size}" for size in (4, 8, 16, 32, 64, 128, 256)),
    *(f"IPU-POD{size}" for size in (4, 16, 64, 128, 256)),
    *("A100", "H100", "H200", "V100", "T4", "A10", "A30", "L4"),
]  # fmt: skip


@dataclass
class Case:
    """The documents of one test and what the build of all cases made of them; they are stored once, for all tests."""

    name: str
    platform: str
    ledger: Ledger
    page: PageMaker
    is_stored: bool

    def add(
        self, rows: list[dict[str, str]], day: str | None, publisher: str = "acme", part: str = "", **more: Any
    ) -> None:
        if not self.is_stored:
            text = self.page([row | {"Platform": self.platform} for row in rows], **more)
            self.ledger.add(text, f"{publisher}/{self.name}{part}", day)

    def sql(self, query: str) -> Rows:
        return self.ledger.sql(query.format(where=f"platform = '{self.platform}'"))


CASES: dict[str, Callable[[Case], Iterator[None]]] = {}


def built_with_the_others(test: Callable[[Case], Iterator[None]]) -> Callable[[Ledger, PageMaker], None]:
    """A test that adds documents, yields while those of all such tests are built, and looks at what is its own."""
    CASES[test.__name__] = test

    def look(cases: Ledger, page: PageMaker) -> None:
        steps = test(case(test.__name__, cases, page, is_stored=True))
        next(steps)
        with pytest.raises(StopIteration):
            next(steps)

    return look


def case(name: str, ledger: Ledger, page: PageMaker, is_stored: bool) -> Case:
    return Case(name, PLATFORMS[list(CASES).index(name)], ledger, page, is_stored)


@pytest.fixture(scope="module")
def cases(once: BuildOnce, page: PageMaker) -> Ledger:
    def build(ledger: Ledger) -> Any:
        for name, test in CASES.items():
            next(test(case(name, ledger, page, is_stored=False)))
        return ledger.build()

    return once("releases", build)


def history(case: Case | Ledger, model: str = "ResNet-50 v1.5") -> Rows:
    query = f"""
        select
            sdk_version, value, status, documents,
            first_published_on::varchar as first, last_published_on::varchar as last
        from main.result_history where model = '{model}' and {{where}} order by sdk_order, first_published_on, value
        """
    return case.sql(query if isinstance(case, Case) else query.format(where="true"))


def current(case: Case, model: str = "ResNet-50 v1.5") -> Rows:
    return case.sql(
        f"""
        select sdk_version, value, batch_size, documents, superseded_versions
        from main.current_results where model = '{model}' and {{where}} order by value
        """
    )


def progress(case: Case) -> Rows:
    return case.sql(
        "select sdk_from, sdk_to, value_from, value_to, speedup from main.sdk_progress where {where} "
        "order by value_from"
    )


def conflicts(case: Case) -> Rows:
    keys = "select benchmark_key from resolved.results where {where}"
    return case.sql(
        f"select kind, left_value, right_value, reason from audit.conflicts where benchmark_key in ({keys})"
    )


@built_with_the_others
def test_the_same_row_republished_is_one_result_with_two_documents(case: Case) -> Iterator[None]:
    case.add([ROW], "2023-01-01")
    case.add([ROW, OTHER], "2023-02-01")
    yield
    assert history(case) == [
        {
            "sdk_version": "3.1",
            "value": 38036,
            "status": "current",
            "documents": 2,
            "first": "2023-01-01",
            "last": "2023-02-01",
        }
    ]
    assert current(case) == [
        {"sdk_version": "3.1", "value": 38036, "batch_size": 16384, "documents": 2, "superseded_versions": []}
    ]
    assert len(case.sql("select * from resolved.results where model = 'ResNet-50 v1.5' and {where}")) == 2


@built_with_the_others
def test_a_newer_release_supersedes_and_the_gain_is_listed(case: Case) -> Iterator[None]:
    case.add([ROW], "2023-01-01")
    case.add([ROW | {"SDK Version": "SDK 3.3", "Throughput (items/sec)": "40,000"}], "2023-02-01")
    yield
    assert [(row["sdk_version"], row["status"]) for row in history(case)] == [
        ("3.1", "superseded"),
        ("3.3", "current"),
    ]
    assert current(case)[0]["superseded_versions"] == ["3.1"]
    [gain] = progress(case)
    assert gain == {
        "sdk_from": "3.1", "sdk_to": "3.3", "value_from": 38036, "value_to": 40000, "speedup": 40000 / 38036,
    }  # fmt: skip


@built_with_the_others
def test_a_value_restated_under_the_same_release_gives_way_to_the_later(case: Case) -> Iterator[None]:
    case.add([ROW], "2023-01-01")
    case.add([ROW | {"Throughput (items/sec)": "37,000"}], "2023-02-01")
    yield
    assert [(row["value"], row["status"]) for row in history(case)] == [(38036, "restated"), (37000, "current")]
    assert [row["value"] for row in current(case)] == [37000]
    assert conflicts(case) == []


@built_with_the_others
def test_a_batch_size_tuned_with_the_release_is_the_same_training_benchmark(case: Case) -> Iterator[None]:
    case.add([ROW], "2023-01-01")
    newer = ROW | {"SDK Version": "SDK 3.3", "Batch Size": "20,480", "Throughput (items/sec)": "40,000"}
    case.add([newer], "2023-02-01")
    yield
    assert [(row["value"], row["batch_size"]) for row in current(case)] == [(40000, 20480)]
    assert [row["status"] for row in history(case)] == ["superseded", "current"]


@built_with_the_others
def test_batch_sizes_of_one_table_are_points_of_a_curve(case: Case) -> Iterator[None]:
    rows = [{"Batch Size": size, "Throughput (items/sec)": rate} for size, rate in (("128", "3,111"), ("256", "5,109"))]
    case.add(rows, "2023-01-01")
    yield
    assert [(row["value"], row["batch_size"]) for row in current(case)] == [(3111, 128), (5109, 256)]
    assert conflicts(case) == []


@built_with_the_others
def test_inference_at_another_batch_size_is_another_benchmark(case: Case) -> Iterator[None]:
    inference = "Pod systems - Inference"
    newer = ROW | {"SDK Version": "SDK 3.3", "Batch Size": "8", "Throughput (items/sec)": "40,000"}
    case.add([ROW | {"Batch Size": "4"}], "2023-01-01", section=inference)
    case.add([newer, ROW | {"Batch Size": "4"}], "2023-02-01", section=inference)
    yield
    assert [(row["value"], row["batch_size"]) for row in current(case)] == [(38036, 4), (40000, 8)]


@built_with_the_others
def test_a_row_that_vanished_is_withdrawn(case: Case) -> Iterator[None]:
    case.add([ROW, OTHER], "2023-01-01")
    case.add([OTHER], "2023-02-01")
    yield
    assert [row["status"] for row in history(case)] == ["withdrawn"]
    assert current(case) == []
    assert [row["status"] for row in history(case, "ViT")] == ["current"]


@built_with_the_others
def test_a_row_that_another_source_still_prints_is_not_withdrawn(case: Case) -> Iterator[None]:
    case.add([ROW, OTHER], "2023-01-01")
    case.add([OTHER], "2023-02-01")
    case.add([ROW], "2022-12-01", "partner", section="Partner - Training")
    yield
    assert [row["status"] for row in history(case)] == ["current"]


@built_with_the_others
def test_a_release_taken_back_brings_no_older_one_back(case: Case) -> Iterator[None]:
    case.add([ROW | {"SDK Version": "SDK 3.3", "Throughput (items/sec)": "99,999"}], "2023-01-01")
    case.add([ROW], "2023-02-01")
    yield
    assert [(row["sdk_version"], row["status"]) for row in history(case)] == [
        ("3.1", "superseded"),
        ("3.3", "withdrawn"),
    ]
    assert current(case) == []


@built_with_the_others
def test_release_2_10_comes_after_2_9_and_2_4_is_2_4_0(case: Case) -> Iterator[None]:
    for release, rate in (("3.0", "400"), ("2.10", "300"), ("2.9", "200"), ("2.4.0", "100")):
        row = {"SDK Version": f"SDK {release}", "Throughput (items/sec)": rate}
        case.add([row], "2023-01-01", part=release)
    case.add(
        [ROW | {"SDK Version": "SDK 2.4", "Throughput (items/sec)": "100"}], None, part="b", section="Again - Training"
    )
    yield
    assert [row["sdk_version"] for row in current(case)] == ["3.0"]
    assert current(case)[0]["superseded_versions"] == ["2.10", "2.9", "2.4.0"]
    assert [(row["sdk_from"], row["sdk_to"]) for row in progress(case)] == [
        ("2.4.0", "2.9"),
        ("2.9", "2.10"),
        ("2.10", "3.0"),
    ]


@built_with_the_others
def test_two_sources_that_disagree_are_a_conflict(case: Case) -> Iterator[None]:
    case.add([ROW], "2023-01-01")
    case.add([ROW | {"Throughput (items/sec)": "30,000"}], "2023-02-01", "partner")
    yield
    assert [(row["value"], row["status"]) for row in history(case)] == [
        (38036, "conflicting"),
        (30000, "conflicting"),
    ]
    [conflict] = conflicts(case)
    assert (conflict["kind"], {conflict["left_value"], conflict["right_value"]}) == ("between_sources", {38036, 30000})
    assert "38036" in conflict["reason"]
    assert [row["value"] for row in current(case)] == [38036], "the later copy of another publisher wins nothing"


@built_with_the_others
def test_a_result_is_superseded_only_by_its_own_publisher(case: Case) -> Iterator[None]:
    newer = ROW | {"SDK Version": "SDK 3.3", "Throughput (items/sec)": "90,000"}
    case.add([ROW], "2023-01-01")
    case.add([ROW | {"Throughput (items/sec)": "38,500"}], "2023-02-01")
    case.add([ROW, newer], "2023-03-01", "copier")
    yield
    assert [(row["value"], row["status"]) for row in history(case)] == [
        *((38036, "conflicting"), (38500, "conflicting"), (90000, "third_party")),
    ]
    assert [row["value"] for row in current(case)] == [38500]
    assert progress(case) == []


@built_with_the_others
def test_the_vendor_of_a_platform_owns_its_results(case: Case) -> Iterator[None]:
    case.add([ROW], "2023-01-01", "reviewer")
    case.add([ROW | {"SDK Version": "SDK 3.0", "Throughput (items/sec)": "37,000"}], "2022-01-01", "graphcore")
    yield
    assert [(row["value"], row["status"]) for row in history(case)] == [(37000, "current"), (38036, "third_party")]


@built_with_the_others
def test_two_places_of_one_document_that_disagree_are_a_conflict(case: Case) -> Iterator[None]:
    case.add([ROW, ROW | {"Throughput (items/sec)": "30,000"}], "2023-01-01")
    yield
    assert [row["kind"] for row in conflicts(case)] == ["within_document"]
    assert len(current(case)) == 1


@built_with_the_others
def test_coarser_rounding_is_no_conflict(case: Case) -> Iterator[None]:
    headings = ("Model", "Platform", "SDK Version", "Latency (ms)")
    for publisher, value in (("acme", "5.51"), ("partner", "5.5")):
        rows = [{"Latency (ms)": value}]
        case.add(rows, "2023-01-01", publisher, headings=headings, section="Pod systems - Inference")
    yield
    assert conflicts(case) == []
    assert sorted(row["status"] for row in history(case)) == ["current", "third_party"]


@built_with_the_others
def test_gain_of_a_latency_is_above_one_when_it_falls(case: Case) -> Iterator[None]:
    headings = ("Model", "Platform", "SDK Version", "Latency (ms)")
    rows = [
        {"SDK Version": release, "Latency (ms)": value} for release, value in (("SDK 1.0", "8.0"), ("SDK 1.1", "4.0"))
    ]
    case.add(rows, "2023-01-01", headings=headings, section="Pod systems - Inference")
    yield
    assert [row["speedup"] for row in progress(case)] == [2.0]


@built_with_the_others
def test_what_comes_before_a_final_release_is_superseded_by_it(case: Case) -> Iterator[None]:
    printed = "2.9 2.10 3.4-rc1 3.4.0rc2 3.4-beta 3.4.dev3 3.4 3.4.post1 3.4.1-rc1 3.3.9 4"
    rows = [
        ROW | {"SDK Version": f"SDK {release}", "Throughput (items/sec)": str(100 + number)}
        for number, release in enumerate(printed.split())
    ]
    case.add(rows, "2023-01-01")
    yield
    assert [row["sdk_version"] for row in history(case)] == [
        "2.9", "2.10", "3.3.9", "3.4.dev3", "3.4-beta", "3.4-rc1", "3.4.0rc2", "3.4", "3.4.post1", "3.4.1-rc1", "4",
    ]  # fmt: skip


# Without a platform or a model, the cases would meet.


def test_an_unnamed_model_never_merges_with_one_of_another_source(ledger: Ledger, page: PageMaker) -> None:
    headings = ("Platform", "SDK Version", "Throughput (images/sec)")
    for source, value in (("acme/results", "100"), ("partner/results", "200")):
        ledger.add(page([{"Throughput (images/sec)": value}], headings), source, "2023-01-01")
    assert ledger.build().success
    assert [row["value"] for row in ledger.sql("select value from main.current_results order by value")] == [100, 200]
    assert ledger.sql("from audit.conflicts") == []


HEADINGS = ("Model", "SDK Version", "Framework", "Dataset", "Batch Size", "Precision", "Throughput (items/sec)")


def test_rows_without_a_platform_are_one_benchmark_when_their_source_prints_them_again(
    ledger: Ledger, page: PageMaker
) -> None:
    ledger.add(page([ROW], headings=HEADINGS), SOURCE, "2023-01-01")
    newer = ROW | {"SDK Version": "SDK 3.3", "Throughput (items/sec)": "40,000"}
    ledger.add(page([OTHER, ROW, newer], headings=HEADINGS), SOURCE, "2023-02-01")
    other = ROW | {"Throughput (items/sec)": "39,000"}
    ledger.add(page([other], headings=HEADINGS), "acme/other", "2023-02-01")
    assert ledger.build().success
    assert [(row["sdk_version"], row["status"], row["documents"]) for row in history(ledger)] == [
        ("3.1", "superseded", 2),
        ("3.1", "current", 1),
        ("3.3", "current", 1),
    ]


def test_like_rows_without_a_platform_stay_apart(ledger: Ledger, page: PageMaker) -> None:
    rows = [ROW, ROW | {"Throughput (items/sec)": "9,000"}, ROW | {"Batch Size": "\u00a0"}]
    for day in ("2023-01-01", "2023-02-01"):
        ledger.add(page([*rows, OTHER] if day == "2023-02-01" else rows, headings=HEADINGS), SOURCE, day)
    assert ledger.build().success
    assert [(row["value"], row["status"], row["documents"]) for row in history(ledger)] == [
        (9000, "current", 2),
        (38036, "current", 2),
        (38036, "current", 2),
    ]
