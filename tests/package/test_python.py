"""`import benchledger`: what it gives stands in the warehouse, and what is asked wrongly is
refused.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import os
import pickle
import shlex
import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import nbformat
import pandas as pd
import pyarrow as pa
import pytest
from conftest import Ledger
from test_docs import blocks
from typer.testing import CliRunner

import benchledger
from pipelines.cli.main import app
from pipelines.exceptions import FAILED
from pipelines.settings import PROJECT
from pipelines.warehouse.reader import FILE_NAME

NOTEBOOK = PROJECT / "docs" / "notebook.ipynb"


@pytest.fixture(scope="module")
def warehouse(shipped: Ledger) -> benchledger.Warehouse:
    return benchledger.open_warehouse(shipped.warehouse, raw=PROJECT / "raw")


def test_results_are_those_of_the_names(warehouse: benchledger.Warehouse, shipped: Ledger) -> None:
    expected = shipped.sql(
        "select result_id from main.current_results "
        "where model = 'BERT-Large' and platform in ('IPU-POD16', 'Bow Pod16')"
    )
    found = warehouse.results(model="BERT-Large", platform=["IPU-POD16", "Bow Pod16"])
    assert {row["result_id"] for row in expected} == set(found["result_id"])
    assert len(found) == len(expected) > 1
    everything = warehouse.results(arrow=True)
    assert isinstance(everything, pa.Table)
    assert (
        everything.num_rows == shipped.sql("select count(*) as n from main.current_results")[0]["n"]
    )
    assert everything.column_names == list(found.columns)
    assert {"vendor", "source", "task", "metric"} <= set(found.columns)
    one = warehouse.results(
        task="training", metric="throughput", vendor="Graphcore", source=found["source"].iloc[0]
    )
    assert set(one["task"]) == {"training"}
    assert set(one["metric"]) == {"throughput"}
    assert set(one["vendor"]) == {"Graphcore"}
    assert one["source"].nunique() == 1


def test_claims_are_those_of_the_names_on_either_side(
    warehouse: benchledger.Warehouse, shipped: Ledger
) -> None:
    counted = shipped.sql("select verdict, count(*) as n from main.claims group by verdict")
    for row in counted:
        assert len(warehouse.claims(verdict=row["verdict"])) == row["n"]
    for side in ("subject_platform", "baseline_platform"):
        platform = shipped.sql(f"select min({side}) as platform from main.claims")[0]["platform"]
        assert platform in set(warehouse.claims(platform=platform)[side])
    assert warehouse.claims(verdict="confirmed", arrow=True).num_rows == len(
        warehouse.claims(verdict=["confirmed"])
    )


def test_whole_numbers_stay_whole_beside_a_null(warehouse: benchledger.Warehouse) -> None:
    frame = warehouse.sql(
        "select a, b, c, sum(a) as d, sum(a) * 1e30::hugeint as e "
        "from (values (256, true, 1.5), (null, null, null)) as t (a, b, c) group by a, b, c order by a"
    )
    assert [str(kind) for kind in frame.dtypes] == [
        "Int32",
        "boolean",
        "float64",
        "Int64",
        "float64",
    ]
    assert frame["c"].tolist()[0] == 1.5
    assert frame["d"].tolist()[0] == 256
    assert str(warehouse.results()["batch_size"].dtype) == "Int64"


def test_a_query_takes_parameters_and_writes_nothing(
    warehouse: benchledger.Warehouse, tmp_path: Path
) -> None:
    assert warehouse.sql("select $model as model", {"model": "ViT"})["model"].tolist() == ["ViT"]
    assert warehouse.sql("select ? + ? as sum", [1, 2], arrow=True).to_pylist() == [{"sum": 3}]
    for query in (
        f"copy (select 1) to '{tmp_path}/x.csv'",
        "delete from main.claims",
        "select nothing",
    ):
        with pytest.raises(benchledger.WarehouseError):
            warehouse.sql(query)
    assert list(tmp_path.iterdir()) == []


def test_a_trace_leads_to_the_printed_characters(warehouse: benchledger.Warehouse) -> None:
    [row] = warehouse.results(
        model="ResNet-50 v1.5", platform="IPU-POD256", metric="throughput"
    ).to_dict("records")
    trace = warehouse.trace(row["result_id"])
    [line] = [line for line in trace["place"]["lines"] if line["line"] == row["line"]]
    assert line["text"][trace["place"]["char_start"] : trace["place"]["char_end"]] == "365,040"
    assert trace["row"]["value"] == row["value"] == 365040
    assert warehouse.trace(row["result_id"][:10])["id"] == row["result_id"]
    claim = warehouse.claims(verdict="confirmed")["claim_id"].iloc[0]
    assert warehouse.trace(claim)["kind"] == "claim"


def test_without_the_stored_documents_a_trace_says_so(shipped: Ledger, tmp_path: Path) -> None:
    alone = benchledger.open_warehouse(shipped.warehouse / FILE_NAME, raw=tmp_path)
    trace = alone.trace(alone.results(metric="mrr")["result_id"].iloc[0])
    assert trace["place"]["lines"] == []
    assert "missing" in trace["place"]["note"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            {"model": "BERT"},
            "none of the results has the model 'BERT'; near it are 'BERT-Base', 'BERT-Large'",
        ),
        # One name that is known does not hide another that is not.
        (
            {"platform": ["IPU-POD16", "IPU POD16"]},
            "the platform 'IPU POD16'; near it are 'IPU-POD16'",
        ),
        ({"metric": "zzz"}, "none of the results has the metric 'zzz'$"),
    ],
)
def test_a_name_that_nothing_has_is_refused(
    warehouse: benchledger.Warehouse, asked: dict[str, Any], said: str
) -> None:
    with pytest.raises(benchledger.WarehouseError, match=said):
        warehouse.results(**asked)
    with pytest.raises(benchledger.WarehouseError, match="near it are 'confirmed'"):
        warehouse.claims(verdict="confirm")
    with pytest.raises(benchledger.TraceError, match="no result, claim, run"):
        warehouse.trace("zzzzzz")


def test_it_is_opened_as_neighbours_are_and_has_tables_by_name(
    warehouse: benchledger.Warehouse,
) -> None:
    with benchledger.open(warehouse.path) as ledger:
        assert isinstance(ledger.tables["main.claims"], pd.DataFrame)
        assert len(ledger.tables["main.claims"]) == len(ledger.claims())
        assert {"main.current_results", "raw.documents"} <= {*ledger.tables}
        assert "main.claims" in ledger.tables
        assert "main.claim" not in ledger.tables
        assert f"{len(ledger.tables)} tables: " in repr(ledger.tables)
        with pytest.raises(KeyError, match=r"the nearest is 'main\.claims'"):
            ledger.tables["main.claim"]
        assert ledger.sql("select 1 as one")["one"].tolist() == [1]


def test_only_public_names_are_seen_and_all_errors_are_of_the_package(
    warehouse: benchledger.Warehouse,
) -> None:
    assert dir(benchledger) == sorted(benchledger.__all__)
    errors = [
        one for name in dir(benchledger) if (one := getattr(benchledger, name)) and "Error" in name
    ]
    assert len(errors) >= 6
    for error in errors:
        assert issubclass(error, benchledger.Error)
        assert error.__module__ == "benchledger"
        assert pickle.loads(pickle.dumps(error("why"))).reason == "why"
    for refused in (
        lambda: warehouse.sql("select"),
        lambda: warehouse.trace("zzzzzz"),
        lambda: warehouse.check("none.log"),
    ):
        with pytest.raises(benchledger.Error) as raised:
            refused()
        assert raised.type.__module__ == "benchledger"


def test_a_place_without_a_warehouse_is_refused(tmp_path: Path) -> None:
    with pytest.raises(benchledger.WarehouseError, match="there is no warehouse at"):
        benchledger.open_warehouse(tmp_path)
    (tmp_path / FILE_NAME).write_text("no database")
    with pytest.raises(benchledger.WarehouseError, match="is damaged, or is not a DuckDB file"):
        benchledger.open_warehouse(tmp_path)


def test_a_warehouse_of_another_version_says_so(shipped: Ledger, tmp_path: Path) -> None:
    shutil.copyfile(shipped.warehouse / FILE_NAME, tmp_path / FILE_NAME)
    with duckdb.connect(tmp_path / FILE_NAME) as older:
        older.execute("alter table raw.documents drop column charset")
    words = (
        "benchmarks.duckdb was built by another version of benchledger; run `benchledger build`: "
    )
    for command in (
        "coverage",
        "trace --query 'select claim_id from main.claims'",
        "sql 'select none from raw.documents'",
    ):
        done = CliRunner().invoke(app, [*shlex.split(command), "--warehouse", str(tmp_path)])
        assert (done.exit_code, done.stderr.startswith(f"error: {words}")) == (FAILED, True)
    with pytest.raises(benchledger.WarehouseError, match=words):
        benchledger.open_warehouse(tmp_path).sql("select charset from raw.documents")


def test_by_default_it_is_the_warehouse_of_the_environment(
    shipped: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHLEDGER_WAREHOUSE", str(shipped.warehouse))
    monkeypatch.setenv("BENCHLEDGER_RAW", "elsewhere")
    assert benchledger.open_warehouse().path == shipped.warehouse / FILE_NAME
    assert benchledger.open_warehouse().raw == Path("elsewhere")
    monkeypatch.delenv("BENCHLEDGER_RAW")
    # Beside this warehouse there is a folder `raw`, as the tests lay it out.
    assert benchledger.open_warehouse().raw == shipped.warehouse.parent / "raw"


def test_a_project_takes_a_page_from_its_file_to_a_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metric = "Throughput (items/sec)"
    monkeypatch.setenv("BENCHLEDGER_STATE", str(tmp_path / "state"))
    file, project = tmp_path / "page.txt", benchledger.Project(tmp_path / "project")
    file.write_text(
        f"# Results\n\n| Model | Platform | {metric} |\n|---|---|---|\n| ViT | Bow Pod16 | 38,036 |\n",
        "utf-8",
    )
    with pytest.raises(benchledger.BenchledgerError, match="there is no folder") as refused:
        project.build()
    assert refused.value.exit_status == 2
    with pytest.raises(
        benchledger.BenchledgerError, match=r"cadence \(--cadence\) says nothing of a file"
    ):
        project.add(file, "acme/results", cadence="daily")
    added = project.add(file, "acme/results", published_on=date(2023, 1, 1))
    assert (added.stored.is_new, added.is_understood, added.attempt) == (True, False, None)
    assert added.tables == "no mapping for 1 table with 1 number"
    draft = project.map("acme/results")
    with pytest.raises(benchledger.OpenQuestionsError, match="open questions:\n  line"):
        project.preview("acme/results")
    with pytest.raises(benchledger.OpenQuestionsError):
        project.map("acme/results", accept=True)
    columns = (
        f"{{Model: model, Platform: platform, {metric}: {{metric: throughput, unit: items/s}}}}"
    )
    draft.write_text(
        f"tables: [{{columns: {columns}, constants: {{task: '!training'}}}}]\n", "utf-8"
    )
    assert project.map("acme/results", accept=True) == project.raw / "acme/results/mapping.yml"
    assert [
        number.value
        for table in project.preview("acme/results").tables()
        for number in table.numbers
    ] == [38036]
    steps: list[int] = []
    outcome = project.build(progress=lambda done, total, name: steps.append(done))
    assert outcome
    assert (outcome.documents_read, steps[-1] > 10, project.build()) == (1, True, None)
    assert benchledger.open_warehouse(project.warehouse).results()["value"].tolist() == [38036]
    assert project.fetch() == ([], {}, None, {})
    with pytest.raises(benchledger.BenchledgerError, match="acme/results has no url; write"):
        project.fetch("acme/results")
    assert project.report().start.is_file()
    assert "benchmarks.duckdb" in {
        exported.name for exported in project.export(tmp_path / "exported")
    }


def test_the_python_of_the_pages_runs(shipped: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shipped.warehouse.parent)
    for page in ("README.md", "docs/python.md"):
        for block in blocks((PROJECT / page).read_text("utf-8"), "python"):
            names: dict[str, Any] = {}
            executed(block, names)
            assert len(names["results"]) > 10
            assert set(names["claims"]["verdict"]) == {"confirmed"}


# The notebook


def executed(source: str, names: dict[str, Any]) -> tuple[str, Any]:
    """What a cell prints, and the value of its last line where that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, str(NOTEBOOK), "exec"), names)
        shown = (
            eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names)
            if last
            else None
        )
    return printed.getvalue(), shown


def outputs(printed: str, shown: Any) -> Iterator[dict[str, Any]]:
    """The outputs of a cell as the format has them; figures as pictures."""
    if printed:
        yield {"output_type": "stream", "name": "stdout", "text": printed}
    if hasattr(shown, "figure"):
        drawn = io.BytesIO()
        shown.figure.savefig(drawn, format="png", metadata={"Software": None})
        picture = base64.b64encode(drawn.getvalue()).decode()
        yield {"output_type": "display_data", "metadata": {}, "data": {"image/png": picture}}
    elif shown is not None:
        data = {"text/plain": repr(shown)}
        if isinstance(shown, pd.DataFrame):
            data["text/html"] = shown.to_html()
        yield {"output_type": "display_data", "metadata": {}, "data": data}


def test_the_notebook_runs_and_shows_what_it_prints(
    shipped: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHLEDGER_WAREHOUSE", str(shipped.warehouse))
    monkeypatch.setenv("BENCHLEDGER_RAW", str(PROJECT / "raw"))
    monkeypatch.setenv("MPLBACKEND", "agg")
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    names: dict[str, Any] = {}
    differing = []
    with pd.option_context("display.width", 120, "display.max_columns", 20):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                found = list(outputs(*executed("".join(cell["source"]), names)))
                if _without_pictures(found) != _without_pictures(cell["outputs"]):
                    differing.append("".join(cell["source"]))
                cell["outputs"] = found
    if os.environ.get("BENCHLEDGER_UPDATE_GOLDEN"):
        NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")
        differing.clear()
    nbformat.validate(nbformat.from_dict(notebook))
    assert not differing, "run `make golden` and read the diff:\n" + "\n\n".join(differing)


def _without_pictures(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Pictures differ from one version of matplotlib to the next; that there is one does not."""
    return [
        output | {"data": {"image/png": ""}} if "image/png" in output.get("data", {}) else output
        for output in found
    ]
