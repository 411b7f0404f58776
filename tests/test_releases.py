"""Deduplication across SDK releases, shown with several snapshots of one page."""

from __future__ import annotations

from conftest import Ledger, PageMaker, Rows

SOURCE = "acme/results"
ROW = {"Throughput (items/sec)": "38,036"}
OTHER = {"Model": "ViT", "Dataset": "ImageNet1k", "Throughput (items/sec)": "7,608"}


def history(ledger: Ledger, model: str = "ResNet-50 v1.5") -> Rows:
    return ledger.sql(
        f"""
        select
            sdk_version, value, status, documents,
            first_published_on::varchar as first, last_published_on::varchar as last
        from main.result_history where model = '{model}' order by sdk_order, first_published_on, value
        """
    )


def current(ledger: Ledger, model: str = "ResNet-50 v1.5") -> Rows:
    return ledger.sql(
        f"""
        select sdk_version, value, batch_size, documents, superseded_versions
        from main.current_results where model = '{model}' order by value
        """
    )


def test_the_same_row_republished_is_one_result_with_two_documents(ledger: Ledger, page: PageMaker) -> None:
    ledger.add(page([ROW]), SOURCE, "2023-01-01")
    ledger.add(page([ROW, OTHER]), SOURCE, "2023-02-01")
    assert ledger.build().success
    assert history(ledger) == [
        {
            "sdk_version": "3.1",
            "value": 38036,
            "status": "current",
            "documents": 2,
            "first": "2023-01-01",
            "last": "2023-02-01",
        }
    ]
    assert current(ledger) == [
        {"sdk_version": "3.1", "value": 38036, "batch_size": 16384, "documents": 2, "superseded_versions": []}
    ]
    assert len(ledger.sql("select * from resolved.results where model = 'ResNet-50 v1.5'")) == 2


def test_a_newer_release_supersedes_and_the_gain_is_listed(ledger: Ledger, page: PageMaker) -> None:
    ledger.add(page([ROW]), SOURCE, "2023-01-01")
    ledger.add(page([ROW | {"SDK Version": "SDK 3.3", "Throughput (items/sec)": "40,000"}]), SOURCE, "2023-02-01")
    assert ledger.build().success
    assert [(row["sdk_version"], row["status"]) for row in history(ledger)] == [
        ("3.1", "superseded"),
        ("3.3", "current"),
    ]
    assert current(ledger)[0]["superseded_versions"] == ["3.1"]
    [progress] = ledger.sql("select sdk_from, sdk_to, value_from, value_to, speedup from main.sdk_progress")
    assert progress == {
        "sdk_from": "3.1", "sdk_to": "3.3", "value_from": 38036, "value_to": 40000, "speedup": 40000 / 38036,
    }  # fmt: skip


def test_a_value_restated_under_the_same_release_gives_way_to_the_later(ledger: Ledger, page: PageMaker) -> None:
    ledger.add(page([ROW]), SOURCE, "2023-01-01")
    ledger.add(page([ROW | {"Throughput (items/sec)": "37,000"}]), SOURCE, "2023-02-01")
    assert ledger.build().success
    assert [(row["value"], row["status"]) for row in history(ledger)] == [(38036, "restated"), (37000, "current")]
    assert [row["value"] for row in current(ledger)] == [37000]
    assert ledger.sql("select * from audit.conflicts") == []


def test_a_batch_size_tuned_with_the_release_is_the_same_training_benchmark(ledger: Ledger, page: PageMaker) -> None:
    ledger.add(page([ROW]), SOURCE, "2023-01-01")
    newer = ROW | {"SDK Version": "SDK 3.3", "Batch Size": "20,480", "Throughput (items/sec)": "40,000"}
    ledger.add(page([newer]), SOURCE, "2023-02-01")
    assert ledger.build().success
    assert [(row["value"], row["batch_size"]) for row in current(ledger)] == [(40000, 20480)]
    assert [row["status"] for row in history(ledger)] == ["superseded", "current"]


def test_batch_sizes_of_one_table_are_points_of_a_curve(ledger: Ledger, page: PageMaker) -> None:
    rows = [{"Batch Size": size, "Throughput (items/sec)": rate} for size, rate in (("128", "3,111"), ("256", "5,109"))]
    ledger.add(page(rows), SOURCE, "2023-01-01")
    assert ledger.build().success
    assert [(row["value"], row["batch_size"]) for row in current(ledger)] == [(3111, 128), (5109, 256)]
    assert ledger.sql("select * from audit.conflicts") == []


def test_inference_at_another_batch_size_is_another_benchmark(ledger: Ledger, page: PageMaker) -> None:
    older = page([ROW | {"Batch Size": "4"}], section="Pod systems - Inference")
    newer = ROW | {"SDK Version": "SDK 3.3", "Batch Size": "8", "Throughput (items/sec)": "40,000"}
    ledger.add(older, SOURCE, "2023-01-01")
    ledger.add(page([newer, ROW | {"Batch Size": "4"}], section="Pod systems - Inference"), SOURCE, "2023-02-01")
    assert ledger.build().success
    assert [(row["value"], row["batch_size"]) for row in current(ledger)] == [(38036, 4), (40000, 8)]


def test_a_row_that_vanished_is_withdrawn(ledger: Ledger, page: PageMaker) -> None:
    ledger.add(page([ROW, OTHER]), SOURCE, "2023-01-01")
    ledger.add(page([OTHER]), SOURCE, "2023-02-01")
    assert ledger.build().success
    assert [row["status"] for row in history(ledger)] == ["withdrawn"]
    assert current(ledger) == []
    assert [row["status"] for row in history(ledger, "ViT")] == ["current"]


def test_a_row_that_another_source_still_prints_is_not_withdrawn(ledger: Ledger, page: PageMaker) -> None:
    ledger.add(page([ROW, OTHER]), SOURCE, "2023-01-01")
    ledger.add(page([OTHER]), SOURCE, "2023-02-01")
    ledger.add(page([ROW], section="Partner - Training"), "partner/results", "2022-12-01")
    assert ledger.build().success
    assert [row["status"] for row in history(ledger)] == ["current"]


def test_a_release_taken_back_leaves_the_one_before(ledger: Ledger, page: PageMaker) -> None:
    ledger.add(page([ROW | {"SDK Version": "SDK 3.3", "Throughput (items/sec)": "99,999"}]), SOURCE, "2023-01-01")
    ledger.add(page([ROW]), SOURCE, "2023-02-01")
    assert ledger.build().success
    assert [(row["sdk_version"], row["status"]) for row in history(ledger)] == [
        ("3.1", "current"),
        ("3.3", "withdrawn"),
    ]
    assert [(row["sdk_version"], row["superseded_versions"]) for row in current(ledger)] == [("3.1", [])]


def test_release_2_10_comes_after_2_9_and_2_4_is_2_4_0(ledger: Ledger, page: PageMaker) -> None:
    for release, rate in (("3.0", "400"), ("2.10", "300"), ("2.9", "200"), ("2.4.0", "100")):
        row = {"SDK Version": f"SDK {release}", "Throughput (items/sec)": rate}
        ledger.add(page([row]), f"acme/{release}", "2023-01-01", name=f"{release}.txt")
    ledger.add(
        page([ROW | {"SDK Version": "SDK 2.4", "Throughput (items/sec)": "100"}], section="Again - Training"), "b/page"
    )
    assert ledger.build().success
    assert [row["sdk_version"] for row in current(ledger)] == ["3.0"]
    assert current(ledger)[0]["superseded_versions"] == ["2.10", "2.9", "2.4.0"]
    assert [(row["sdk_from"], row["sdk_to"]) for row in ledger.sql("from main.sdk_progress order by value_from")] == [
        ("2.4.0", "2.9"),
        ("2.9", "2.10"),
        ("2.10", "3.0"),
    ]


def test_two_sources_that_disagree_are_a_conflict(ledger: Ledger, page: PageMaker) -> None:
    ledger.add(page([ROW]), SOURCE, "2023-01-01")
    ledger.add(page([ROW | {"Throughput (items/sec)": "30,000"}]), "partner/results", "2023-02-01")
    assert ledger.build().success
    assert [(row["value"], row["status"]) for row in history(ledger)] == [
        (38036, "conflicting"),
        (30000, "conflicting"),
    ]
    [conflict] = ledger.sql("select kind, left_value, right_value, reason from audit.conflicts")
    assert (conflict["kind"], {conflict["left_value"], conflict["right_value"]}) == ("between_sources", {38036, 30000})
    assert "38036" in conflict["reason"]
    assert [row["value"] for row in current(ledger)] == [30000]


def test_two_places_of_one_document_that_disagree_are_a_conflict(ledger: Ledger, page: PageMaker) -> None:
    ledger.add(page([ROW, ROW | {"Throughput (items/sec)": "30,000"}]), SOURCE, "2023-01-01")
    assert ledger.build().success
    assert [row["kind"] for row in ledger.sql("from audit.conflicts")] == ["within_document"]
    assert len(current(ledger)) == 1


def test_coarser_rounding_is_no_conflict(ledger: Ledger, page: PageMaker) -> None:
    headings = ("Model", "Platform", "SDK Version", "Latency (ms)")
    for source, value in (("acme/results", "5.51"), ("partner/results", "5.5")):
        rows = [{"Latency (ms)": value}]
        ledger.add(page(rows, headings, section="Pod systems - Inference"), source, "2023-01-01")
    assert ledger.build().success
    assert ledger.sql("from audit.conflicts") == []
    assert sorted(row["status"] for row in history(ledger)) == ["current", "superseded"]


def test_gain_of_a_latency_is_above_one_when_it_falls(ledger: Ledger, page: PageMaker) -> None:
    headings = ("Model", "Platform", "SDK Version", "Latency (ms)")
    rows = [
        {"SDK Version": release, "Latency (ms)": value} for release, value in (("SDK 1.0", "8.0"), ("SDK 1.1", "4.0"))
    ]
    ledger.add(page(rows, headings, section="Pod systems - Inference"), SOURCE, "2023-01-01")
    assert ledger.build().success
    assert [row["speedup"] for row in ledger.sql("from main.sdk_progress")] == [2.0]


def test_an_unnamed_model_never_merges_with_one_of_another_source(ledger: Ledger, page: PageMaker) -> None:
    headings = ("Platform", "SDK Version", "Throughput (images/sec)")
    for source, value in (("acme/results", "100"), ("partner/results", "200")):
        ledger.add(page([{"Throughput (images/sec)": value}], headings), source, "2023-01-01")
    assert ledger.build().success
    assert [row["value"] for row in ledger.sql("select value from main.current_results order by value")] == [100, 200]
    assert ledger.sql("from audit.conflicts") == []


def test_what_comes_before_a_final_release_is_superseded_by_it(ledger: Ledger, page: PageMaker) -> None:
    printed = "2.9 2.10 3.4-rc1 3.4.0rc2 3.4-beta 3.4.dev3 3.4 3.4.post1 3.4.1-rc1 3.3.9 4"
    rows = [
        ROW | {"SDK Version": f"SDK {release}", "Throughput (items/sec)": str(100 + number)}
        for number, release in enumerate(printed.split())
    ]
    ledger.add(page(rows), SOURCE, "2023-01-01")
    assert ledger.build().success
    assert [row["sdk_version"] for row in history(ledger)] == [
        "2.9", "2.10", "3.3.9", "3.4.dev3", "3.4-beta", "3.4-rc1", "3.4.0rc2", "3.4", "3.4.post1", "3.4.1-rc1", "4",
    ]  # fmt: skip


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
