"""`benchledger check` and `Project.check`: a measurement of one's own beside the published results."""

from __future__ import annotations

import json
import re
import shutil
import textwrap
from pathlib import Path
from typing import Any

import pytest
from conftest import Ledger
from test_docs import shows, steps
from typer.testing import CliRunner, Result

from benchledger.check import NOTHING_COMPARABLE, SLOWER, Check
from benchledger.project import Project
from pipelines.cli.main import app
from pipelines.exceptions import WRONG_USE, WrongUseError
from pipelines.settings import PROJECT

GUIDE = textwrap.dedent(
    re.sub(
        r"^ {4}",
        "",
        (PROJECT / "docs" / "guides" / "check-your-measurement.md").read_text("utf-8"),
        flags=re.MULTILINE,
    )
)
# As in the guide, where NVIDIA has published 28,312 for these lengths on one H100, and 27,911 on one H200.
LOG = re.search(r"```text\n(.*?)```", GUIDE, re.DOTALL)[1]  # type: ignore[index]
MODEL = "Llama 3.1 8B"
PUBLISHED = 28312
TABLE = """# Mine

| Lengths | Throughput |
|---|---|
| 128/128 | 28,000 |
| 128/100 | 28,000 |
"""
MAPPING = """constants: {model: '!Llama 3.1 8B', task: inference, framework: '!TensorRT-LLM'}
columns:
  Lengths: {match: '(?P<input_length>\\d+)/(?P<output_length>\\d+)'}
  Throughput: {metric: throughput, unit: output tokens/s}
tables: [{section: Mine}]
"""


@pytest.fixture(scope="module")
def project(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A ledger of one page of NVIDIA with the throughput of TensorRT-LLM 1.0."""
    once = request.getfixturevalue("once")

    def build(ledger: Ledger) -> Any:
        source = Path("nvidia", "tensorrt-llm-1.0")
        shutil.copytree(PROJECT / "raw" / source, ledger.raw / source)
        return ledger.build()

    ledger = once("tensorrt_llm", build)
    return Project(raw=ledger.raw, warehouse=ledger.warehouse)


def log(folder: Path, **replaced: str) -> Path:
    """The log of the guide, with lines replaced: `TP_Size="2"`."""
    text = LOG
    for name, value in replaced.items():
        text, count = re.subn(rf"(?m)^({name.replace('_', ' ')}.*?:\s+).*$", rf"\g<1>{value}", text)
        assert count == 1
    (folder / "bench.log").write_text(text, "utf-8")
    return folder / "bench.log"


def tables(folder: Path) -> tuple[Path, Path]:
    """A page with a table, and its mapping."""
    page, mapping = folder / "mine.md", folder / "mapping.yml"
    page.write_text(TABLE, "utf-8")
    mapping.write_text(MAPPING, "utf-8")
    return page, mapping


def only(found: Check) -> dict[str, Any]:
    [row] = found.measurements.to_pylist()
    return row


def run(project: Project, *arguments: str) -> Result:
    folders = ["--warehouse", str(project.warehouse)]
    return CliRunner().invoke(app, ["check", *arguments, *folders])


def test_the_guide_shows_what_is_printed(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log(tmp_path)
    monkeypatch.chdir(tmp_path)
    [step] = steps(GUIDE)
    arguments = step.command.replace('"', "").split(" --platform ")
    result = run(project, arguments[0].split()[-1], "--platform", arguments[1])
    assert result.exit_code == SLOWER, result.stderr
    assert shows(step.shown, result.stdout), result.stdout


@pytest.mark.parametrize(
    ("value", "verdict", "status"),
    [
        (PUBLISHED, "as published", 0),
        (0.96 * PUBLISHED, "as published", 0),
        (1.2 * PUBLISHED, "faster", 0),
        (0.8 * PUBLISHED, "slower", SLOWER),
    ],
)
def test_a_number_is_as_published_within_the_tolerance(
    project: Project, tmp_path: Path, value: float, verdict: str, status: int
) -> None:
    found = project.check(log(tmp_path, Total_Output=f"{value:.4f}"), platform="H100 SXM")
    row = only(found)
    assert (row["verdict"], found.exit_status) == (verdict, status)
    assert row["ratio"] == pytest.approx(value / PUBLISHED, rel=1e-4)
    assert (row["published_value"], row["published_line"]) == (PUBLISHED, 193)
    assert row["result_id"] in row["page"]
    if verdict != "as published":
        wide = project.check(
            log(tmp_path, Total_Output=f"{value:.4f}"), platform="H100 SXM", tolerance=0.5
        )
        assert only(wide)["verdict"] == "as published"


def test_other_lengths_are_other_work_and_the_nearest_is_named(
    project: Project, tmp_path: Path
) -> None:
    found = project.check(log(tmp_path, Average_Output="2000.0000"), platform="H100 SXM")
    row = only(found)
    assert (row["verdict"], row["ratio"], found.exit_status) == (
        "nothing comparable",
        None,
        NOTHING_COMPARABLE,
    )
    # 128/2048 is the closest of all lengths.
    assert row["published_value"] == 22714
    assert {one["condition"] for one in row["differences"]} == {"model", "output_length"}


def test_what_the_file_does_not_state_is_asked_for_and_not_assumed(
    project: Project, tmp_path: Path
) -> None:
    page, mapping = tables(tmp_path)
    first, _ = project.check(page, platform="H100", mapping=mapping).measurements.to_pylist()
    assert first["verdict"] == "nothing comparable"
    assert "published, too: H100 SXM" in first["reason"] or first["published_platform"] == "H100"
    first, _ = project.check(page, platform="H100 SXM", mapping=mapping).measurements.to_pylist()
    # NVIDIA states FP8 and one part of the model; the table states neither.
    assert first["verdict"] == "nothing comparable"
    assert {"precision", "tensor_parallel"} <= {one["condition"] for one in first["unknown"]}
    first, second = project.check(
        page, platform="H100 SXM", mapping=mapping, conditions={"precision": "FP8"}
    ).measurements.to_pylist()
    assert (first["verdict"], second["verdict"]) == ("as published", "nothing comparable")


def test_rates_are_compared_per_chip_only_where_the_chips_are_known(
    project: Project, tmp_path: Path
) -> None:
    two = log(tmp_path, TP_Size="2", Total_Output=f"{2 * PUBLISHED}.0")
    row = only(project.check(two, platform="H100 SXM"))
    assert (row["chips"], row["published_chips"], row["is_per_chip"]) == (2, 1, True)
    assert (row["verdict"], row["ratio"]) == ("as published", pytest.approx(1, rel=1e-4))
    # The name of a chip does not count those of a deployment.
    page, mapping = tables(tmp_path)
    parts = {"precision": "FP8", "measured_on": "deployment"}
    row, _ = project.check(
        page, platform="H100 SXM", mapping=mapping, conditions=parts
    ).measurements.to_pylist()
    assert (row["chips"], row["verdict"]) == (None, "nothing comparable")
    assert "accelerators is not known" in row["reason"]


def test_another_chip_is_nothing_comparable(project: Project, tmp_path: Path) -> None:
    row = only(project.check(log(tmp_path), platform="B300"))
    assert (row["verdict"], row["reason"]) == (
        "nothing comparable",
        "no result of this chip is published",
    )


def test_a_condition_that_the_file_states_is_not_overruled(
    project: Project, tmp_path: Path
) -> None:
    file = log(tmp_path)
    for conditions, said in (
        ({"precision": "BF16"}, "the file states precision FP8, in line 25"),
        ({"bs": "8"}, "it means the dimension `batch_size`"),
    ):
        with pytest.raises(WrongUseError, match=said):
            project.check(file, platform="H100 SXM", conditions=conditions)
    with pytest.raises(WrongUseError, match="there is no file"):
        project.check(tmp_path / "none.log")
    assert run(project, str(file), "--set", "batch_size").exit_code == WRONG_USE


def test_a_missing_or_unknown_platform_is_named(project: Project, tmp_path: Path) -> None:
    result = run(project, str(log(tmp_path)))
    assert result.exit_code == NOTHING_COMPARABLE
    assert "no platform is stated for it: give --model or --platform" in result.stdout
    found = project.check(log(tmp_path), platform="H100 SXN")
    [name] = found.unknown_names.to_pylist()
    assert (name["name_printed"], name["suggestion"]) == ("H100 SXN", "H100")


def test_programs_and_issues_get_the_same_in_their_form(project: Project, tmp_path: Path) -> None:
    file, before = log(tmp_path), sorted(tmp_path.iterdir())
    shown = run(project, str(file), "--platform", "H100 SXM", "--format", "json")
    [row] = json.loads(shown.stdout)["measurements"]
    assert (row["verdict"], row["published_value"]) == ("slower", PUBLISHED)
    shown = run(project, str(file), "--platform", "H100 SXM", "--format", "markdown")
    assert "| line 25: throughput 6957.3 output tokens/s" in shown.stdout
    assert "## Not stated in the file" in shown.stdout
    assert sorted(tmp_path.iterdir()) == before


def test_a_given_name_is_what_an_unknown_name_of_the_file_means(
    project: Project, tmp_path: Path
) -> None:
    file = log(tmp_path, Model="acme/lama-8B-own")
    found = project.check(file, platform="H100 SXM")
    assert [name["kind"] for name in found.unknown_names.to_pylist()] == ["models"]
    assert only(found)["verdict"] == "nothing comparable"
    row = only(project.check(file, platform="H100 SXM", model=MODEL))
    assert (row["model"], row["verdict"], row["differences"]) == (MODEL, "slower", [])


def test_a_log_of_mlperf_is_of_no_round_until_one_is_given(part: Ledger) -> None:
    project = Project(raw=part.raw, warehouse=part.warehouse)
    folder = part.raw / "mlperf" / "graphcore-v1.1" / "2021-12-01" / "Graphcore"
    rows = project.check(folder).measurements.to_pylist()
    assert rows
    for row in rows:
        assert row["verdict"] == "nothing comparable"
        assert ("suite", True) in {(one["condition"], one["decides"]) for one in row["unknown"]}
    found = project.check(folder, conditions={"suite": "MLPerf Training v1.1"})
    assert {*found.measurements["verdict"].to_pylist()} == {"as published"}
    assert found.exit_status == 0


def test_a_file_without_numbers_says_so(project: Project, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("Nothing was measured.\n", "utf-8")
    result = run(project, str(tmp_path / "empty.txt"))
    assert result.exit_code == NOTHING_COMPARABLE
    assert "No number of" in result.stdout
