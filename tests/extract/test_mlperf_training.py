"""Logs of MLPerf Training: runs, scores by the published rules, descriptions of systems, and
damaged logs.
"""

from __future__ import annotations

import json
import random
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import Ledger
from makers.golden import check_golden

from pipelines.extract import mlperf_training
from pipelines.extract.contract import Extraction, detect_format
from pipelines.extract.reading import StoredDocument, read_document
from pipelines.extract.rows import Condition, Measurement, Reject, Row, Run
from pipelines.ingest.snapshots import add_document
from pipelines.read.document import Document
from pipelines.read.files import open_file
from pipelines.read.submission import submission_digest
from pipelines.read.text import read_text
from pipelines.validate.evidence.places import Opened, Place
from pipelines.validate.evidence.readings import read_condition, read_result, read_run

PROJECT = Path(__file__).parents[2]
FIXTURES = sorted((PROJECT / "tests" / "fixtures" / "mlperf_training").glob("*.txt"))
LOGS = PROJECT / "raw" / "mlperf"
GRAPHCORE = LOGS / "graphcore-v1.0" / "2021-06-30" / "Graphcore"
NVIDIA = LOGS / "nvidia-v1.0" / "2021-06-30" / "NVIDIA"
COLUMNS = [
    "kind", "line", "text", "model_printed", "division", "submitter", "status", "training_time_s", "quality_reached",
    "batch_size", "seed", "epochs", "samples", "accelerator_printed", "run_line", "rule", "scope", "reason",
]  # fmt: skip


def extracted(document: Document) -> Extraction:
    """What is read; every row is read again at its place."""
    extraction = mlperf_training.extract(document, frozenset())
    opened = Opened(document)
    for row in extraction.rows:
        cell = row.cell
        if isinstance(row, Condition) and not row.is_printed:
            continue
        assert document.line(cell.line).text[cell.start : cell.end] == cell.text
        place = Place(opened, document.line(cell.line), cell.start, cell.end)
        if isinstance(row, Run):
            assert read_run(place, asdict(row)) is None
        elif isinstance(row, Measurement):
            plain = asdict(row) | {
                "value_printed": cell.text,
                "extractor": mlperf_training.FORMAT.name,
            }
            assert read_result(place, plain) is None
            assert read_result(place, plain | {"value": row.value + 1}) is not None
        elif isinstance(row, Condition) and row.dimension not in ("model", "platform", "framework"):
            assert read_condition(place, asdict(row) | {"name_printed": None}) is None
    return extraction


def rows_of(document: Document, kind: type[Row]) -> list[Any]:
    return [row for row in extracted(document).rows if isinstance(row, kind)]


def log(
    *events: tuple[str, int, Any],
    benchmark: str = "resnet",
    division: str = "closed",
    status: str = "success",
    start: int = 1_000,
    stop: int = 61_000,
) -> str:
    """A log of one run; further events as (key, time, value)."""
    stated = [
        ("submission_org", 1, "Acme"),
        ("submission_benchmark", 1, benchmark),
        ("submission_division", 1, division),
        ("global_batch_size", 2, 64),
        ("run_start", start, None),
        *events,
    ]
    lines = [event(key, time, value) for key, time, value in stated]
    return "\n".join([*lines, event("run_stop", stop, None, status=status)]) + "\n"


def event(key: str, time: int, value: Any = None, **metadata: Any) -> str:
    content = {
        "namespace": "",
        "time_ms": time,
        "event_type": "POINT_IN_TIME",
        "key": key,
        "value": value,
    }
    return f":::MLLOG {json.dumps(content | {'metadata': {'file': 'train.py', 'lineno': 7} | metadata})}"


def submission(
    folder: Path, logs: list[str], benchmark: str = "resnet", system: dict[str, str] | None = None
) -> Path:
    root = folder / "Acme"
    results = root / "results" / "pod16" / benchmark
    results.mkdir(parents=True)
    for number, text in enumerate(logs):
        (results / f"result_{number}.txt").write_text(text, newline="")
    if system is not None:
        (root / "systems").mkdir()
        (root / "systems" / "pod16.json").write_text(json.dumps(system, indent=2))
    return root


def read(folder: Path) -> Document:
    return open_file(folder, "0" * 64)


def of_text(text: str) -> Document:
    return read_text(text.encode(), "0" * 64)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_fixture(path: Path) -> None:
    # Line ends are what the case is about.
    rows = extracted(of_text(path.read_bytes().decode())).rows
    check_golden(path, COLUMNS, sorted(rows, key=lambda row: (row.cell.line, row.cell.start)))


def test_the_order_of_lines_and_what_stands_between_them_change_nothing() -> None:
    lines = log(("eval_accuracy", 60_000, 0.761), ("eval_accuracy", 30_000, 0.4)).splitlines()
    [expected] = rows_of(of_text("\n".join(lines)), Run)
    assert (expected.status, expected.training_time_s, expected.quality_reached) == (
        "success",
        60.0,
        0.761,
    )
    noise = [
        "RESULT,resnet,7,1468,root,2021-05-18 09:51:37 PM",
        "Epoch 3: 812 images/s",
        "step 10 loss 0.1",
    ]
    for seed in range(20):
        shuffled = [f"{rank}: {line} tail" for rank, line in enumerate(lines)] + noise
        random.Random(seed).shuffle(shuffled)
        # Two events on one line are two.
        for end in ("\r\n", " 3: "):
            [run] = rows_of(of_text(end.join(shuffled)), Run)
            assert (run.status, run.training_time_s, run.quality_reached) == (
                "success",
                60.0,
                0.761,
            )


@pytest.mark.parametrize("cut", range(1, 5))
def test_a_log_that_is_cut_gives_no_time(cut: int) -> None:
    text = log()
    rows = extracted(of_text(text[: -len(text) * cut // 5])).rows
    assert [row.training_time_s for row in rows if isinstance(row, Run)] in ([None], [])
    assert all(row.status == "unfinished" for row in rows if isinstance(row, Run))


def test_a_run_that_never_started_has_failed() -> None:
    text = log().replace("run_start", "cache_clear").replace("run_stop", "init_stop")
    rows = extracted(of_text(text)).rows
    assert [(type(row), row.status) for row in rows] == [(Run, "unfinished")]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        pytest.param(log(("run_start", 20_000, None)), "repeated_key", id="two starts"),
        pytest.param(log(("run_stop", 20_000, None)), "repeated_key", id="two stops"),
        pytest.param(log(start=70_000), "run_without_time", id="it ends before it begins"),
        pytest.param(log().replace("run_start", "run_begin"), "run_without_start", id="no start"),
        pytest.param(
            log().replace('"time_ms": 61000', '"time_ms": "61000"'),
            "log_line_damaged",
            id="no number",
        ),
        pytest.param(
            log().replace('"time_ms": 61000', '"time_ms": 1e999'),
            "log_line_damaged",
            id="no finite number",
        ),
        pytest.param(log(stop=10**400), "log_line_damaged", id="a number beyond any float"),
    ],
)
def test_what_cannot_be_told_is_said_and_no_time_is_taken(text: str, rule: str) -> None:
    rows = extracted(of_text(text)).rows
    assert [row.training_time_s for row in rows if isinstance(row, Run)] == [None]
    assert rule in [row.rule for row in rows if isinstance(row, Reject)]


@pytest.mark.parametrize(
    ("text", "time", "batch_size", "quality", "rules"),
    [
        pytest.param(
            log(("run_start", 1_020, None), ("run_stop", 60_800, None), ("seed", 3, 1)), 60.0, 64, None, [],
            id="an event that several processes print is one",
        ),
        pytest.param(
            log(("global_batch_size", 3, 128)), 60.0, None, None, ["repeated_key"],
            id="what a log says twice otherwise is not taken",
        ),
        pytest.param(
            log(("eval_accuracy", 30_000, 0.4), ("eval_accuracy", 60_000, 0.761)).replace("0.761,", "0.7x1,"),
            60.0, 64, None, ["log_line_damaged"], id="where an evaluation is damaged no quality is taken",
        ),
        pytest.param(
            log(("eval_accuracy", 30_000, 10**400)), 60.0, 64, None, [], id="a quality beyond any float is none"
        ),
    ],
)  # fmt: skip
def test_what_is_said_more_than_once(
    text: str, time: float, batch_size: int | None, quality: float | None, rules: list[str]
) -> None:
    rows = extracted(of_text(text)).rows
    runs = [
        (row.training_time_s, row.batch_size, row.quality_reached)
        for row in rows
        if isinstance(row, Run)
    ]
    assert runs == [(time, batch_size, quality)]
    assert [row.rule for row in rows if isinstance(row, Reject)] == rules
    assert detect_format(of_text(text)) == "mlperf_training"


@pytest.mark.parametrize("status", [1, True, ["success"], {}, "", None])
def test_a_status_that_is_no_text_is_not_stated(status: Any) -> None:
    [run] = rows_of(of_text(log(status=status)), Run)
    assert (run.status, run.training_time_s) == ("unstated", 60.0)


def test_samples_beyond_what_can_be_stored_are_none() -> None:
    last = event("eval_accuracy", 60_000, 0.761, epoch_num=3)
    for size, samples in ((2**61, 3 * 2**61), (2**62, None)):
        [run] = rows_of(of_text(f"{log(('train_samples', 3, size))}{last}\n"), Run)
        assert (run.samples, run.epochs) == (samples, 3)


def test_an_event_may_have_fields_of_any_name() -> None:
    rows = extracted(of_text(log().replace('"namespace"', '"printed"'))).rows
    assert [row.training_time_s for row in rows if isinstance(row, Run)] == [60.0]
    assert [row for row in rows if isinstance(row, Reject)] == []


def times_of(document: Document) -> list[float]:
    return [row.value for row in rows_of(document, Measurement)]


@pytest.mark.parametrize(
    ("last", "score", "statuses", "entered"),
    [
        pytest.param(
            log(stop=2_000), 20.0, ["success"] * 5, ["slowest", "counted", "counted", "counted", "fastest"],
            id="the fastest and the slowest run are dropped",
        ),
        pytest.param(
            log(stop=2_000, status="aborted"), 30.0, ["success"] * 4 + ["aborted"],
            ["counted", "fastest", "counted", "counted", "slowest"], id="a run that failed is the slowest",
        ),
        pytest.param(
            "killed\n", 30.0, ["success"] * 4 + ["unfinished"],
            ["counted", "fastest", "counted", "counted", "slowest"], id="a log without any event failed",
        ),
    ],
)  # fmt: skip
def test_which_runs_count(
    tmp_path: Path, last: str, score: float, statuses: list[str], entered: list[str]
) -> None:
    times = (100, 10, 20, 30) if score == 20.0 else (40, 10, 20, 30)
    document = read(
        submission(tmp_path, [*(log(stop=1_000 + 1_000 * seconds) for seconds in times), last])
    )
    assert times_of(document) == [score]
    runs = rows_of(document, Run)
    assert ([run.status for run in runs], [run.scored_as for run in runs]) == (statuses, entered)


@pytest.mark.parametrize(
    ("day", "seconds", "said"),
    [("2022-03-08", 60.0, "scaling_factor_not_applied"), ("2022-03-10", 63.0, "scaling_factor")],
)
def test_a_score_is_scaled_since_reviews_scale_them(
    tmp_path: Path, day: str, seconds: float, said: str
) -> None:
    start = int(datetime.fromisoformat(f"{day}T12:00:00+00:00").timestamp() * 1000)
    folder = submission(tmp_path, [log(start=start, stop=start + 60_000)] * 5)
    (folder / "results" / "pod16" / "resnet" / "scaling.json").write_text(
        '{"scaling_factor": 1.05}'
    )
    document = read(folder)
    [score] = rows_of(document, Measurement)
    assert (score.value, round(score.value_high - score.value_low, 6)) == (
        seconds,
        0.0021 if seconds > 60 else 0.002,
    )
    [factor] = [row for row in rows_of(document, Condition) if row.dimension.startswith("scaling")]
    assert (factor.dimension, factor.value) == (said, "1.05")


def test_four_runs_of_each_end_are_dropped_of_unet3d(tmp_path: Path) -> None:
    fast, slow = (
        [log(benchmark="unet3d", stop=1_001)] * 4,
        [log(benchmark="unet3d", status="aborted")] * 4,
    )
    middle = [log(benchmark="unet3d", stop=11_000)] * 32
    assert times_of(read(submission(tmp_path, [*slow, *middle, *fast], "unet3d"))) == [10.0]


@pytest.mark.parametrize("factor", ["1.0.5", "1e999", '"N/A"', '"TODO"', '"-"', '""'])
def test_a_factor_that_is_no_number_gives_no_score(tmp_path: Path, factor: str) -> None:
    folder = submission(tmp_path, [log()] * 5)
    (folder / "results" / "pod16" / "resnet" / "scaling.json").write_text(
        f'{{"scaling_factor": {factor}}}'
    )
    rows = extracted(read(folder)).rows
    assert [row.rule for row in rows if isinstance(row, Reject)] == ["log_line_damaged"]
    assert len([row for row in rows if isinstance(row, Run)]) == 5


@pytest.mark.parametrize(
    ("logs", "rule"),
    [
        pytest.param([log()] * 4, "wrong_number_of_runs", id="a run is missing"),
        pytest.param([log()] * 6, "wrong_number_of_runs", id="a run too many"),
        pytest.param(
            [log()] * 3 + [log(status="aborted")] * 2, "too_many_failed_runs", id="two failed"
        ),
        pytest.param([log()] * 4 + [log(division="open")], "mixed_runs", id="two divisions"),
        pytest.param([log()] * 4 + [log(benchmark="bert")], "mixed_runs", id="two benchmarks"),
        pytest.param(
            [log(benchmark="chess")] * 5, "unknown_benchmark", id="a benchmark without rules"
        ),
    ],
)
def test_without_a_score_the_reason_is_said_and_the_runs_stay(
    tmp_path: Path, logs: list[str], rule: str
) -> None:
    document = read(submission(tmp_path, logs))
    assert times_of(document) == []
    assert [row.rule for row in rows_of(document, Reject)] == [rule]
    assert len(rows_of(document, Run)) == len(logs)


def platform(tmp_path: Path, **described: str) -> tuple[str | None, int | None]:
    root = submission(
        tmp_path,
        [log()] * 5,
        system={"number_of_nodes": "1", "accelerators_per_node": "8", **described},
    )
    [row] = rows_of(read(root), Measurement)
    return row.platform_printed, row.accelerator_count


@pytest.mark.parametrize(
    ("name", "chip", "expected"),
    [
        ("IPU-POD16", "Graphcore IPU GC200", "IPU-POD16"),
        # Folders of these are called ipu-pod64.
        ("Bow Pod64", "Graphcore Bow IPU", "Bow Pod64"),
        ("dgxa100_ngc21.05_mxnet", "NVIDIA A100-SXM4-80GB (400W)", "dgxa100 NVIDIA A100-SXM4-80GB"),
        ("dgxa100_ngc21.05_mxnet", "NVIDIA A100-SXM4-40GB (400W)", "dgxa100 NVIDIA A100-SXM4-40GB"),
        # The name of one system, and the chip of another.
        ("IPU-POD64", "Graphcore Bow IPU", "Graphcore Bow IPU"),
        # Of an unknown system the chip is known.
        ("acme_box_7", "NVIDIA A100-SXM4-80GB", "NVIDIA A100-SXM4-80GB"),
        ("Tyche (1x NVIDIA GB200 NVL72)", "NVIDIA Blackwell GPU (GB200)", "GB200"),
        ("acme_box_7", "Acme Z1", "acme_box_7"),
    ],
)
def test_the_description_says_which_platform_it_is(
    tmp_path: Path, name: str, chip: str, expected: str
) -> None:
    assert platform(tmp_path, system_name=name, accelerator_model_name=chip) == (expected, 8)


def conditions_of_score(tmp_path: Path, **described: str) -> dict[str, str]:
    rows = extracted(read(submission(tmp_path, [log()] * 5, system=described))).rows
    return {row.dimension: row.value for row in rows if isinstance(row, Condition)}


@pytest.mark.parametrize(
    ("described", "division"), [("open", "Open"), ("Closed", "Closed"), ("close", "Closed")]
)
def test_a_score_is_of_the_division_of_its_description(
    tmp_path: Path, described: str, division: str
) -> None:
    assert conditions_of_score(tmp_path, division=described)["division"] == division


def test_a_system_that_is_not_the_platform_is_a_condition(tmp_path: Path) -> None:
    chip = {"accelerator_model_name": "NVIDIA H200-SXM5-141GB"}
    stated = conditions_of_score(tmp_path / "1", system_name="1xXE9680x8H200-SXM-141GB", **chip)
    assert (stated["platform"], stated["system"]) == (
        "NVIDIA H200-SXM5-141GB",
        "1xXE9680x8H200-SXM-141GB",
    )
    stated = conditions_of_score(tmp_path / "2", system_name="DGX A100", **chip)
    assert (stated["platform"], stated["system"]) == ("NVIDIA H200-SXM5-141GB", "DGX A100")
    stated = conditions_of_score(tmp_path / "3", system_name="DGX A100")
    assert stated["platform"] == "DGX A100"
    assert "system" not in stated


@pytest.mark.parametrize(
    ("count", "accelerator", "expected"),
    [
        ("0", "N/A", "Intel(R) Xeon(R) Platinum 8380H CPU @ 2.90GHz"),
        # An accelerator without a name is not the processor beside it.
        ("8", "N/A", "4s-cpx"),
        ("8", "Acme Z1", "4s-cpx"),
    ],
)
def test_without_an_accelerator_the_processor_is_the_platform(
    tmp_path: Path, count: str, accelerator: str, expected: str
) -> None:
    said = {"accelerators_per_node": count, "accelerator_model_name": accelerator}
    processor = {"host_processor_model_name": "Intel(R) Xeon(R) Platinum 8380H CPU @ 2.90GHz"}
    found, _ = platform(tmp_path, system_name="4s-cpx", **said, **processor)
    assert found is not None
    assert expected.startswith(found)
    assert found.startswith(expected[:6])


def test_software_of_several_frameworks_is_kept_as_it_is_printed(tmp_path: Path) -> None:
    several = "NGC MXNet 23.09, NGC PyTorch 23.09"
    stated = conditions_of_score(tmp_path / "1", framework=several)
    assert stated["software"] == several
    assert "framework" not in stated
    stated = conditions_of_score(tmp_path / "2", framework="PyTorch NVIDIA Release 25.09")
    assert (stated["framework"], stated["sdk_version"]) == ("PyTorch", "25.09")
    assert "software" not in stated


def test_a_score_without_a_platform_is_refused_until_the_mapping_states_it(
    ledger: Ledger, tmp_path: Path
) -> None:
    folder = submission(tmp_path / "packed", [log()] * 5)
    add_document(folder, "acme/mlperf-v5.1", ledger.raw)
    assert ledger.resolve().success
    [reject] = ledger.sql("select rule, reason from audit.rejects")
    assert reject["rule"] == "no_subject"
    assert "platform" in reject["reason"]
    # Whatever a mapping calls a printed name is read again at its place.
    names = "names: {model: {resnet: '!RetinaNet'}}\n"
    ledger.map("acme/mlperf-v5.1", f"constants: {{platform: '!MI300X'}}\n{names}")
    assert ledger.resolve().success
    [row] = ledger.sql("select platform, vendor, model, suite from resolved.results")
    assert tuple(row.values()) == ("MI300X", "AMD", "RetinaNet", "MLPerf Training v5.1")
    runs = ledger.sql("select distinct model from resolved.training_runs")
    assert (runs, ledger.sql("select * from audit.rejects")) == ([{"model": "RetinaNet"}], [])


def test_all_nodes_count_and_without_a_description_the_log_says_the_platform(
    tmp_path: Path,
) -> None:
    for said in ({"number_of_nodes": "16"}, {"number of nodes": "16"}, {"number_of_nodes": "16.0"}):
        assert platform(tmp_path / str(said), system_name="DGX A100", **said) == ("DGX A100", 128)
    logs = [log(("submission_platform", 1, "1xNVIDIA DGX A100"))] * 5
    [row] = rows_of(read(submission(tmp_path / "alone", logs)), Measurement)
    assert (row.platform_printed, row.accelerator_count) == ("1xNVIDIA DGX A100", None)


@pytest.mark.parametrize(("nodes", "per_node"), [("-2", "4"), ("0", "8"), (f"{10**18}", "1000")])
def test_accelerators_that_no_system_has_are_none(
    tmp_path: Path, nodes: str, per_node: str
) -> None:
    said = {"number_of_nodes": nodes, "accelerators_per_node": per_node}
    assert platform(tmp_path, system_name="DGX A100", **said) == ("DGX A100", None)


def test_the_scores_are_those_of_the_summarizer(shipped: Ledger) -> None:
    rows = shipped.sql(
        """
        select platform, model, division, round(value / 60, 3) as minutes, suite, accelerator_count
        from resolved.results where extractor = 'mlperf_training' order by all
        """
    )
    # Bow Pod16 and DGX A100 on ResNet-50 in v2.0, as both publish them.
    later = {
        (row["platform"], row["minutes"]) for row in rows if row["suite"] == "MLPerf Training v2.0"
    }
    assert {("Bow Pod16", 19.635), ("DGX A100 640GB", 28.685)} <= later
    suite = "MLPerf Training v1.0"
    rows = [row for row in rows if row["suite"] == suite]
    assert [tuple(row.values()) for row in rows] == [
        ("DGX A100 640GB", "BERT-Large", "Closed", 21.693, suite, 8),
        ("DGX A100 640GB", "ResNet-50 v1.5", "Closed", 28.771, suite, 8),
        ("IPU-POD16", "BERT-Large", "Closed", 34.489, suite, 16),
        ("IPU-POD16", "BERT-Large", "Open", 27.754, suite, 16),
        ("IPU-POD16", "ResNet-50 v1.5", "Closed", 37.115, suite, 16),
        ("IPU-POD64", "BERT-Large", "Closed", 11.076, suite, 64),
        ("IPU-POD64", "BERT-Large", "Open", 9.392, suite, 64),
        ("IPU-POD64", "ResNet-50 v1.5", "Closed", 14.485, suite, 64),
    ]


def test_every_run_is_kept_and_says_how_it_entered(shipped: Ledger) -> None:
    runs = shipped.sql(
        """
        select status, scored_as, count(*) as runs, count(result_id) as of_score
        from resolved.training_runs inner join raw.documents using (document_id)
        where status is not null and source like '%-v1.0' group by all order by all
        """
    )
    assert [tuple(row.values()) for row in runs] == [
        ("aborted", "slowest", 1, 1),
        ("success", "counted", 49, 49),
        ("success", "fastest", 8, 8),
        ("success", "slowest", 7, 7),
    ]
    scores = shipped.sql(
        """
        select r.value, avg(t.training_time_s) filter (where t.scored_as = 'counted') as mean
        from resolved.results as r inner join resolved.training_runs as t using (result_id)
        group by r.result_id, r.value
        """
    )
    assert len(scores) == 33
    assert all(row["value"] == pytest.approx(row["mean"]) for row in scores)


def test_pages_are_held_against_the_logs(shipped: Ledger) -> None:
    rows = shipped.sql(
        """
        select printed, holds, len(inputs) as runs, reason
        from audit.relations where check_name = 'score_of_the_logs' and printed in (540, 870) order by printed
        """
    )
    assert [(row["printed"], row["holds"], row["runs"]) for row in rows] == [
        (540, True, 8),
        (870, True, 3),
    ]
    assert "open division give 9.392 min" in rows[0]["reason"]


def test_a_submission_is_one_document_whatever_stands_beside_its_logs(tmp_path: Path) -> None:
    root = submission(tmp_path, [log()] * 5, system={"system_name": "IPU-POD16"})
    before = submission_digest(root)
    (root / "benchmarks").mkdir()
    (root / "benchmarks" / "train.py").write_text("pass\n")
    assert submission_digest(root) == before
    (root / "results" / "pod16" / "resnet" / "result_1.txt").write_text(log(stop=62_000))
    assert submission_digest(root) != before


def test_every_line_and_numeral_of_a_submission_is_accounted_for() -> None:
    for folder in (GRAPHCORE, NVIDIA):
        reading = read_document(StoredDocument("0" * 64, folder, "mlperf_training"))
        assert len(reading.accounting.roles) == len(read(folder).lines)
        assert {status for status, _ in reading.accounting.statuses} <= {
            "extracted",
            "condition",
            "name",
            "ignored",
        }
        assert reading.rows.get("rejects", []) == []
