"""The command `map` and what `add` says of a page: drafts, previews, acceptance; nothing of a
person is overwritten.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jsonschema
import pytest
import yaml
from conftest import Ledger
from makers.mapped import Read, read, table
from typer.testing import CliRunner

from benchledger.project import Project
from benchledger.source_preview import SourcePreview, summary
from pipelines.cli import map_command as cli_mapping
from pipelines.cli.main import app
from pipelines.cli.references import EXAMPLES, MARK, REFERENCE, json_schema
from pipelines.exceptions import BUILT_WITH_LOSSES, WRONG_USE
from pipelines.extract.tables.entries import load_entries
from pipelines.extract.tables.preview import preview
from pipelines.ingest.store import read_store
from pipelines.read import files
from pipelines.read.files import open_file
from pipelines.settings import PROJECT

PAGE = """# Acme results

## Training on A100

| Network | Global Batch Size | Throughput (seq/s) | Notes |
|---|---|---|---|
| BERT-Large | 64 | 1,200 | new |
| Bert-Larg | 128 | 1,500 | old |

## Serving

| Model | A100 | H100 |
|---|---|---|
| Llama 2 70B | 100 | 200 |
| Mixtral 8x7B | 300 | n.d. |
"""
# A page, its mapping, and what is stored
_EXAMPLE = re.compile(
    r"^```md\n(.*?)^```\n\n```yaml\n(.*?)^```\n\n```text\n(.*?)^```", re.MULTILINE | re.DOTALL
)
_BOUNDS = {"lt": "<", "gt": ">", "approx": "~"}
ANSWERS = {
    "task: '?'": "task: training",
    "Notes: '?'": "Notes: ignore",
    "{metric: '?', unit: '?'}": "{metric: latency, unit: s, task: inference}",
    "platform: '?'": "platform: A100",
}


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def stored(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    monkeypatch.setenv("BENCHLEDGER_RAW", str(ledger.raw))
    monkeypatch.setenv("BENCHLEDGER_WAREHOUSE", str(ledger.warehouse))
    ledger.add(
        "# Old\n\n| Model | Latency (ms) |\n|---|---|\n| BERT | 9 |\n",
        "acme/results",
        "2025-01-01",
        name="page.md",
    )
    ledger.add(PAGE, "acme/results", "2026-01-01", name="page.md")
    return ledger


def answer(draft: Path) -> None:
    text = draft.read_text()
    for question, words in ANSWERS.items():
        text = text.replace(question, words)
    draft.write_text(text)


def test_a_draft_is_written_once_previewed_and_accepted(stored: Ledger) -> None:
    draft, mapping = (
        stored.raw / "acme" / "results" / name for name in ("mapping.draft.yml", "mapping.yml")
    )
    status, out, _ = run("map", "acme/results")
    assert (status, "4 open questions" in out) == (BUILT_WITH_LOSSES, True)
    assert "Global Batch Size: {field: batch_size, batch_size_kind: global}" in draft.read_text()
    # Open questions are listed, and nothing is accepted.
    before = draft.read_text()
    status, _, words = run("map", "acme/results", "--accept")
    assert (status, "task: '?'" in words, mapping.exists()) == (BUILT_WITH_LOSSES, True, False)
    assert draft.read_text() == before
    asked = [
        json.loads(line) for line in run("map", "acme/results", "--format", "nl")[1].splitlines()
    ]
    assert "".join(row["question"] for row in asked).count("'?'") == 4
    # A new draft stands beside one that is there, and none of them is a document.
    assert run("map", "acme/results", "--again")[0] == BUILT_WITH_LOSSES
    assert draft.with_name("mapping.draft.2.yml").exists()
    assert (len(read_store(stored.raw).documents), read_store(stored.raw).faults) == (2, [])
    answer(draft)
    status, out, _ = run("map", "acme/results")
    assert status == BUILT_WITH_LOSSES
    rows = [
        [cell.strip() for cell in line.split("│")[1:-1]]
        for line in out.splitlines()
        if line.startswith("│")
    ]
    for row in (
        ["Throughput (seq/s)", "throughput", "1,200", "1200 sequences/s throughput"],
        ["A100", "latency, heading: platform", "100", "100000 ms latency, platform A100"],
        ["Notes", "ignored", "", ""],
        ["model", "Bert-Larg", "unknown; nearest: BERT-Large", "1", "row"],
        ["model", "BERT-Large", "BERT-Large", "1", "row"],
        ["task", "inference", "", "3", "mapping"],
        ["latency", "", "ms", "3", "100000", "300000"],
    ):
        assert row in rows
    assert "Refused, unread_value: 1" in out
    assert "2 of 2 tables are read, 5 of 5 numbers" in out
    assert "benchledger map acme/results --accept" in out
    lists = json.loads(run("map", "acme/results", "--format", "json")[1])
    assert {name: len(rows) for name, rows in lists.items()} == {
        "tables": 2, "numbers": 5, "refusals": 1, "questions": 0, "changes": 0,
    }  # fmt: skip
    assert run("map", "acme/results", "--accept")[0] == BUILT_WITH_LOSSES
    assert (mapping.exists(), draft.exists()) == (True, False)
    assert run("map", "acme/results", "--accept")[0] == WRONG_USE
    mapping.write_text(mapping.read_text() + "missing: [n.d.]\n")
    assert run("map", "acme/results")[0] == 0


def test_what_a_build_would_change_is_shown_by_place(stored: Ledger) -> None:
    mapping = stored.raw / "acme" / "results" / "mapping.yml"
    run("map", "acme/results")
    draft = mapping.with_name("mapping.draft.yml")
    answer(draft)
    run("map", "acme/results", "--accept")
    assert stored.resolve().success
    assert "Changes against the warehouse: none" in run("map", "acme/results")[1]
    text = mapping.read_text()
    mapping.write_text(
        text.replace("unit: seq/s", "unit: seq/s, precision: FP16").replace("unit: s,", "unit: ms,")
    )
    out = run("map", "acme/results")[1]
    assert "Changes against the warehouse: 5 changed" in out
    assert "value 100000" in out
    assert "precision FP16" in out
    mapping.write_text(text.replace("- columns:", "- section: Gone\n  columns:", 1))
    status, out, _ = run("map", "acme/results")
    assert (status, "3 removed" in out, "Refused, section_gone: 1" in out) == (
        BUILT_WITH_LOSSES,
        True,
        True,
    )
    # What refuses a table is not accepted.
    mapping.rename(draft)
    assert run("map", "acme/results", "--accept")[0] == BUILT_WITH_LOSSES
    assert not mapping.exists()


def test_the_page_shows_what_is_printed_beside_what_is_stored(
    stored: Ledger, tmp_path: Path
) -> None:
    page = PAGE.replace("new |", "<script>x()</script> |")
    stored.add(page, "acme/results", "2026-02-01", name="page.md")
    run("map", "acme/results")
    answer(stored.raw / "acme" / "results" / "mapping.draft.yml")
    assert "page.html" in run("map", "acme/results", "--html", str(tmp_path / "page.html"))[1]
    text = (tmp_path / "page.html").read_text()
    assert "<script" not in text
    assert "http" not in text.replace("http-equiv", "")
    # The value is in the row in which it is printed, and its unit once.
    printed = next(row for row in text.split("<tr>") if ">1,200</td>" in row)
    assert "<td>1200</td><td>sequences/s</td><td>throughput</td>" in printed
    assert printed.count("sequences/s") == 1
    assert '<td rowspan="1" class="refused">n.d.</td>' in text
    assert 'class="ignored">old</td>' in text
    # The page is written again, and in no other file's place.
    folder = stored.raw / "acme" / "results"
    mine = tmp_path / "mine.html"
    mine.write_text(text + "mine")
    [document] = folder.glob("2026-02-01/*.md")
    for path in (mine, document, folder / "mapping.draft.yml"):
        before = path.read_bytes()
        status, _, words = run("map", "acme/results", "--html", str(path))
        assert (status, "was changed, or was not written by benchledger; move it" in words) == (
            WRONG_USE,
            True,
        )
        assert path.read_bytes() == before
    run("map", "acme/results", "--accept")
    assert run("map", "acme/results", "--html", str(tmp_path / "page.html"))[0] == BUILT_WITH_LOSSES
    assert (tmp_path / "page.html").read_text() != text


def test_watching_shows_again_on_saving(stored: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    run("map", "acme/results")
    draft = stored.raw / "acme" / "results" / "mapping.draft.yml"

    def saves() -> Iterator[None]:
        yield
        draft.write_text("tables: nothing\n")
        yield
        yield
        draft.write_text("tables: [{skip: true}]\n")
        yield
        raise KeyboardInterrupt

    saved = saves()
    monkeypatch.setattr(cli_mapping.time, "sleep", lambda seconds: next(saved))
    status, out, errors = run("map", "acme/results", "--watch")
    assert status == 130
    assert out.count("open questions:") == 1
    assert errors.count("mapping.draft.yml:1: ") == 1
    assert out.count("0 of 0 tables are read") == 1


def test_schema_and_prompt_are_for_programs(stored: Ledger) -> None:
    schema = json.loads(run("map", "--schema")[1])
    # The schema is checked once, which takes longer than all files.
    checker = jsonschema.validators.validator_for(schema)
    checker.check_schema(schema)
    validator = checker(schema)
    for path in (PROJECT / "raw").glob("*/*/mapping.yml"):
        validator.validate(yaml.safe_load(path.read_text()))
    with pytest.raises(jsonschema.ValidationError):
        validator.validate({"tabels": []})
    status, out, _ = run("map", "acme/results", "--prompt")
    assert status == 0
    assert (
        "  Network | Global Batch Size | Throughput (seq/s) | Notes\n  BERT-Large | 64 | 1,200 | new\n"
        in out
    )
    # The whole page, and a cell of each form.
    assert "Serving\n\n| Model | A100 | H100 |\n\n| Llama 2 70B | 100 | 200 |\n" in out
    assert "  H100: 200 ; n.d.\n" in out
    assert '"$schema"' in out
    assert "task: '?'" in out
    assert not (stored.raw / "acme" / "results" / "mapping.draft.yml").exists()


def test_all_numbers_are_counted(tmp_path: Path) -> None:
    page = "# Acme\n\n| Model | Result | Earlier |\n|---|---|---|\n| A | box = 0.6 mask = 0.3 | 0.2 |\n"
    page += "| B | box = 0.5 mask = 0.2 p99 = 12.5 ms | 0.1 |\n\n| Model | Fps |\n|---|---|\n| A | 7 |\n"
    (tmp_path / "page.md").write_text(page)
    mapping = r"""
tables:
- columns:
    Model: model
    Result: {match: '.*mask = (?P<value>[\d.]+).*', metric: mask_average_precision, unit: fraction}
    Earlier: ignore
- {columns: {Model: ignore, Fps: ignore}, skip: true}
"""
    (tmp_path / "mapping.yml").write_text(mapping)
    document = open_file(tmp_path / "page.md", "0" * 64)
    tables, _ = preview(document, (), load_entries(tmp_path / "mapping.yml"))
    words = "1 of 1 tables are read, 2 of 8 numbers: 2 in ignored columns, 1 in 1 table left out by `skip`"
    assert summary(tables) == words


def test_the_prompt_has_the_texts_around_the_tables_of_a_long_page(stored: Ledger) -> None:
    page = PAGE.replace("## Training", f"{'Nothing is measured here. ' * 3000}\n\n## Training")
    stored.add(f"{page}\nAll runs use CUDA 12.4.\n", "acme/results", "2026-02-01", name="page.md")
    _, out, _ = run("map", "acme/results", "--prompt")
    assert "  Text: Training on A100\n" in out
    assert "  Text: All runs use CUDA 12.4.\n" in out
    assert "Nothing is measured here." not in out


def test_a_wrong_file_and_an_unknown_source_are_told(stored: Ledger) -> None:
    (stored.raw / "acme" / "results" / "mapping.yml").write_text(
        "tables:\n- {skip: true, colums: {}}\n"
    )
    status, _, errors = run("map", "acme/results")
    assert (status, "mapping.yml:2: 'colums' is not a key; did you mean 'columns'?" in errors) == (
        WRONG_USE,
        True,
    )
    status, _, errors = run("map", "acme/result")
    assert (status, "did you mean acme/results?" in errors) == (WRONG_USE, True)
    assert run("map")[0] == WRONG_USE


def test_adding_a_page_says_what_comes_next(stored: Ledger, tmp_path: Path) -> None:
    def add(text: str, name: str, source: str) -> tuple[int, str]:
        (tmp_path / name).write_text(text)
        status, out, _ = run("add", str(tmp_path / name), "--source", source)
        return status, out

    status, out = add(PAGE + "\n", "page.md", "acme/new")
    assert status == BUILT_WITH_LOSSES
    assert "no mapping for 2 tables with 7 numbers: benchledger map acme/new" in out
    mapping = stored.raw / "acme" / "new" / "mapping.yml"
    mapping.write_text(
        "tables: [{columns: {Model: model, Latency (ms): {metric: latency, unit: ms, platform: '!unnamed'}}}]"
    )
    status, out = add("| Model | Latency (ms) |\n|---|---|\n| BERT | 9 |\n", "whole.md", "acme/new")
    assert (status, "1 of 1 tables are read, 1 of 1 numbers" in out) == (0, True)
    status, out = add(PAGE + "\n\n", "again.md", "acme/new")
    assert status == BUILT_WITH_LOSSES
    assert "0 of 2 tables are read, 0 of 7 numbers: benchledger map acme/new" in out
    status, out = add("Nothing is measured here.\n", "words.txt", "acme/words")
    assert (status, "no format finds results in it" in out) == (BUILT_WITH_LOSSES, True)
    # A file of a known program that says all needs no mapping.
    points = Path(__file__).parents[1] / "fixtures" / "layouts" / "inferencex_gaudi3.json"
    status, out = add(points.read_text("utf-8"), "points.json", "acme/points")
    assert (status, "1 of 1 tables are read, 23 of 32 numbers" in out) == (0, True)
    reason = "cut.json cannot be read: line 2: column 10: the JSON is not complete"
    status, out = add('[{"ms": 3},\n {"ms": 4', "cut.json", "acme/cut")
    assert (status, reason in out) == (BUILT_WITH_LOSSES, True)
    status, _, errors = run("map", "acme/cut")
    assert (status, reason in errors) == (WRONG_USE, True)


# The reference of the language


def test_the_reference_is_that_of_the_model(stored: Ledger) -> None:
    defined = {"SourceMapping": json_schema(), **json_schema()["$defs"]}
    for model in ("MappingEntry", "DeclaredMetric"):
        assert set(defined[model]["properties"]) == set(EXAMPLES[model])
    assert set(defined["SourceMapping"]["properties"]) == {
        *EXAMPLES["MappingEntry"],
        *EXAMPLES["SourceMapping"],
    }
    # Every rule that the guide explains is one, and the guide is the part above the generated one.
    guide = REFERENCE.read_text("utf-8").partition(MARK)[0]
    code = "".join(path.read_text() for path in (PROJECT / "pipelines").rglob("*.py"))
    rules = [
        rule
        for line in guide.splitlines()
        if line.startswith("| `")
        for rule in line.split("|")[1].split(",")
    ]
    assert [
        rule
        for rule in rules
        if "_" in rule and rule.strip(" `") not in code and " " not in rule.strip()
    ] == []


def shown_as(found: Read) -> str:
    """The numbers of a page with their conditions, and what is refused, as the guide shows them."""
    lines = []
    for number, row in enumerate(found.measurements):
        stated = [
            f"{name} {value}"
            for name, value in sorted(found.conditions(number).items())
            if name != "unit"
        ]
        bound, unit = _BOUNDS.get(row.bound, ""), row.unit.replace("items", row.item or "items", 1)
        lines.append(f"{bound}{row.value:g} {unit} {row.metric}: {', '.join(stated)}\n")
    refused = zip(found.refused, found.reasons, strict=True)
    return "".join([*lines, *(f"refused, {rule}: {reason}\n" for (rule, _, _), reason in refused)])


@pytest.mark.parametrize(
    "example", _EXAMPLE.findall(REFERENCE.read_text("utf-8")), ids=lambda one: one[0][:30]
)
def test_an_example_of_the_guide_gives_what_it_shows(
    example: tuple[str, str, str], tmp_path: Path
) -> None:
    page, mapping, shown = example
    assert shown_as(read(tmp_path, page, mapping, adds_subjects=False)) == shown


@pytest.mark.parametrize(
    ("model", "key"), [(model, key) for model, keys in EXAMPLES.items() for key in keys]
)
def test_the_smallest_example_of_each_key_loads(model: str, key: str, tmp_path: Path) -> None:
    example = EXAMPLES[model][key]
    base = "columns: {Model: model, Batch Size: batch_size, Latency: {metric: latency, unit: ms}}"
    text = f"{example}\ntables:\n- {base}\n"
    if model == "Spec":
        text = f"tables:\n- columns: {{Network: model, Score: {{metric: latency, unit: ms}}, Cell: {example}}}\n"
    elif example.startswith("tables"):
        text = example
    elif key in ("columns", "skip", "rows"):
        text = f"tables:\n- {example}\n" + "  columns: {value: {metric: latency, unit: ms}}\n" * (
            key == "rows"
        )
    (tmp_path / "mapping.yml").write_text(text)
    assert load_entries(tmp_path / "mapping.yml")


def test_the_preview_has_the_units_of_the_build(stored: Ledger) -> None:
    """A rate of items counts what its model takes, and one that says what it counts keeps that."""
    rows = "| ResNet-50 | 900 | 1 |\n| BERT-Large | 70 | 2 |\n| Acme Net | 5 | 3 |\n"
    page = f"# Rates\n\n| Model | Rate | Tokens |\n|---|---|---|\n{rows}"
    columns = "Model: model, Rate: {metric: throughput, unit: items/s}, Tokens: {metric: throughput, unit: tokens/s}"
    stored.map(
        "acme/rates",
        f"constants: {{task: inference, platform: '!A100'}}\ntables: [{{columns: {{{columns}}}}}]",
    )
    path = stored.add(page, "acme/rates", "2026-01-01", name="page.md")
    entries = load_entries(stored.raw / "acme" / "rates" / "mapping.yml")
    [table], _ = preview(open_file(path, "0" * 64), (), entries)
    assert stored.resolve().success
    built = stored.sql("select value, unit from resolved.results order by line, value desc")
    assert [(one.value, one.unit) for one in table.numbers] == [
        tuple(row.values()) for row in built
    ]
    assert [one.unit for one in table.numbers][::2] == ["images/s", "sequences/s", "items/s"]


def test_the_preview_notes_what_fill_down_fills_and_what_a_quality_lacks(tmp_path: Path) -> None:
    rows = (
        "Model | Batch | Top-1 | FPS",
        "ViT | 1 | 76 | 9",
        "| 8 | 76.1 | 20",
        "Swin | 1 | 80 | 5",
    )
    page = f"# K230\n\n{table(*rows)}"
    measured = "Top-1: {metric: accuracy, unit: '%'}, FPS: {metric: throughput, unit: frames/s}"
    columns = f"Model: model, Batch: batch_size, {measured}"
    mapping = f"constants: {{task: inference, platform: K230}}\ntables:\n- columns: {{{columns}}}\n  fill_down: model\n"
    (tmp_path / "page.md").write_text(page)
    (tmp_path / "mapping.yml").write_text(mapping)
    [found], _ = preview(
        open_file(tmp_path / "page.md", "0" * 64), (), load_entries(tmp_path / "mapping.yml")
    )
    assert found.notes == [
        "`fill_down: model` fills 1 rows: ViT in 1",
        "the quality below 'Top-1' gets no platform from the entry (K230): `from_entry: [platform]` in its column "
        "states it",
    ]
    stated = mapping.replace("unit: '%'", "unit: '%', from_entry: [platform]")
    (tmp_path / "mapping.yml").write_text(stated)
    [found], _ = preview(
        open_file(tmp_path / "page.md", "0" * 64), (), load_entries(tmp_path / "mapping.yml")
    )
    assert len(found.notes) == 1
    assert {one.conditions["platform"].value for one in found.numbers} == {"K230"}


def test_the_preview_counts_the_columns_that_coalesce_takes(tmp_path: Path) -> None:
    page = table("Model | GPU | CPU | FPS", "ViT | H100 | Xeon | 9", "ViT | | Xeon | 2")
    columns = "columns: {Model: model, FPS: {metric: throughput, unit: frames/s}}"
    (tmp_path / "page.md").write_text(page)
    mapping = f"tables:\n- coalesce: {{platform: [GPU, CPU]}}\n  {columns}\n"
    (tmp_path / "mapping.yml").write_text(mapping)
    entries = load_entries(tmp_path / "mapping.yml")
    [found], _ = preview(open_file(tmp_path / "page.md", "0" * 64), (), entries)
    assert found.notes == [
        "`coalesce: platform` takes 'GPU' in 1 rows",
        "`coalesce: platform` takes 'CPU' in 1 rows",
    ]


def test_no_mapping_and_no_draft_is_lost(stored: Ledger) -> None:
    folder = stored.raw / "acme" / "results"
    draft, mapping = folder / "mapping.draft.yml", folder / "mapping.yml"
    run("map", "acme/results")
    answer(draft)
    text = draft.read_text()
    draft.rename(mapping)
    # One after another, and then three at once.
    for number in range(3):
        draft.write_text(f"{text}# {number}\n")
        assert run("map", "acme/results", "--accept")[0] == BUILT_WITH_LOSSES
    draft.write_text(f"{text}# 3\n")
    with ThreadPoolExecutor(3) as pool:
        runs = [pool.submit(Project().map, "acme/results", accept=True) for _ in range(3)]
        refused = [str(run.exception()) for run in runs if run.exception()]
    assert len(refused) == 2
    assert all("has no mapping.draft.yml" in words for words in refused)
    kept = {path.name: path.read_text() for path in folder.glob("mapping*")}
    names = (
        "mapping.before.yml",
        *(f"mapping.before.{number}.yml" for number in (2, 3, 4)),
        "mapping.yml",
    )
    assert kept == dict(
        zip(names, (text, *(f"{text}# {number}\n" for number in range(4))), strict=True)
    )
    assert read_store(stored.raw).faults == []
    # Drafts at once get a name each.
    with ThreadPoolExecutor(3) as pool:
        drafts = {pool.submit(Project().map, "acme/results", again=True) for _ in range(3)}
    assert len({draft.result().name for draft in drafts}) == 3


def test_a_draft_that_is_saved_while_it_is_looked_at_is_not_accepted(
    stored: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = stored.raw / "acme" / "results" / "mapping.draft.yml"
    run("map", "acme/results")
    answer(draft)
    real = Project.preview

    def preview(project: Project, source: str) -> SourcePreview:
        found = real(project, source)
        draft.write_text("mine")
        return found

    monkeypatch.setattr(Project, "preview", preview)
    status, _, words = run("map", "acme/results", "--accept")
    assert (status, "was changed meanwhile" in words) == (WRONG_USE, True)
    assert (draft.read_text(), draft.with_name("mapping.yml").exists()) == ("mine", False)


def test_of_a_long_page_the_first_rows_are_looked_at(
    stored: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_BEGINNING", 1 << 12)
    rows = "\n".join(f"<tr><td>BERT</td><td>{size}</td><td>9</td></tr>" for size in range(1, 400))
    head = "<tr><th>Model</th><th>Batch Size</th><th>Latency (ms)</th></tr>"
    mapping = stored.raw / "acme" / "long" / "mapping.yml"
    mapping.parent.mkdir(parents=True)

    def add(name: str, more: str = "") -> tuple[int, str]:
        page = f"<html><body><table>{head}{rows}{more}</table></body></html>"
        (tmp_path / name).write_text(page)
        status, out, _ = run("add", str(tmp_path / name), "--source", "acme/long")
        return status, out

    status, out = add("new.html")
    assert status == BUILT_WITH_LOSSES
    assert re.search(r"no mapping for 1 table with 1\d\d numbers in its first 4 kB", out)
    columns = "{Model: model, Batch Size: batch_size, Latency (ms): {metric: latency, unit: ms}}"
    mapping.write_text(f"tables: [{{columns: {columns}, constants: {{platform: '!H100'}}}}]")
    status, out = add("long.html", "<tr><td>GPT</td><td>1</td><td>8</td></tr>")
    assert (status, "1 of 1 tables are read" in out) == (0, True)
    assert "in its first 4 kB" in out
    assert "published on not known" in out
    # A row that is not read is looked for in all of them, and so is a date.
    mapping.write_text(f"tables: [{{columns: {columns}}}]")
    status, out = add("dated.html", "</table><p>Last updated on July 4, 2023</p><table>")
    assert (status, "0 of 399 numbers" in out) == (BUILT_WITH_LOSSES, True)
    assert "published on 2023-07-04" in out
