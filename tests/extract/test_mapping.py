"""`mapping.yml`: what it may say, and that an error names the line and the word that may be meant."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.extract.tables.mapping import ColumnMapping, Mapping, fold
from pipelines.extract.tables.mapping_file import MappingError, load_mapping

WHOLE = """\
checked: true
tables:
- section: Training performance
  columns:
    Network: model
    Globalbatch: {field: batch_size, kind: global}
    Throughput-Average(seq/sec): {metric: throughput, statistic: mean, unit: sequences/s}
    Scripts: ignore
  constants: {platform: DGX A100, precision: 16.10}
  fill_down: [Network]
- columns: {Model: model}
  unpivot: {headings: others, field: platform, metric: throughput, unit: tokens/s}
- section: RTX 9000
  constants: {platform: RTX 9000}
"""


def load(text: str | bytes, folder: Path) -> Mapping:
    path = folder / "acme" / "results" / "mapping.yml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return load_mapping(path)


def test_what_a_person_says_is_loaded_as_written(tmp_path: Path) -> None:
    mapping = load(WHOLE, tmp_path)
    training, pivot, constants = mapping.tables
    assert mapping.checked
    assert training.columns["Network"] == ColumnMapping(field="model")
    assert training.columns["Globalbatch"] == ColumnMapping(field="batch_size", kind="global")
    throughput = ColumnMapping(metric="throughput", statistic="mean", unit="sequences/s")
    assert training.columns["Throughput-Average(seq/sec)"] == throughput
    assert training.columns["Scripts"].is_ignored
    # No number is made of it: 16.1 would be another precision.
    assert training.constants == {"platform": "DGX A100", "precision": "16.10"}
    assert training.fill_down == ["Network"]
    assert pivot.unpivot
    assert (pivot.unpivot.headings, pivot.unpivot.field) == ("others", "platform")
    assert constants.declares_columns is False
    assert [table.line for table in mapping.tables] == [3, 11, 13]


def test_a_heading_is_never_a_truth_or_a_number(tmp_path: Path) -> None:
    text = "tables:\n- columns: {Yes: model, 8: platform, 2024-01-01: dataset, Latency: latency}\n"
    [table] = load(text, tmp_path).tables
    assert list(table.columns) == ["Yes", "8", "2024-01-01", "Latency"]
    assert table.columns["Latency"].metric == "latency"


def test_a_draft_is_not_checked(tmp_path: Path) -> None:
    assert load(WHOLE.replace("checked: true\n", ""), tmp_path).checked is False


@pytest.mark.parametrize(
    ("printed", "other"),
    [
        ("Throughput-Average(seq/sec)", "Throughput  Average (seq/sec)"),
        ("Batch Size", "batch_size"),
        ("\uff27\uff30\uff35", "GPU"),
    ],
)
def test_headings_are_compared_without_case_blanks_and_punctuation(printed: str, other: str) -> None:
    assert fold(printed) == fold(other)


def test_headings_of_signs_alone_stay_apart() -> None:
    assert len({fold("#"), fold("%"), fold("")}) == 3


@pytest.mark.parametrize(
    ("right", "wrong", "place", "reason"),
    [
        ("Network: model", "Network: modle", "5:5", "'modle' is no field; did you mean 'model'?"),
        (
            "metric: throughput, s",
            "metric: thruput2, s",
            "7:35",
            "'thruput2' is no metric; did you mean",
        ),
        ("sequences/s", "sequnces/s", "7:72", "'sequnces/s' is no unit; did you mean 'sequences/s'?"),
        ("statistic: mean", "statistic: meen", "7:55", "'meen' is no statistic; did you mean 'mean'?"),
        ("kind: global", "kind: globl", "6:38", "'globl' is no kind of a batch size; did you mean 'global'?"),
        ("kind: global", "knd: global", "6:38", "there is no field 'knd' here; did you mean 'kind'?"),
        ("section: T", "secton: T", "3:3", "there is no field 'secton' here; did you mean 'section'?"),
        ("checked: t", "chekced: t", "1:1", "there is no field 'chekced' here; did you mean 'checked'?"),
        ("checked: true", "checked: maybe", "1:1", "`checked` must be true or false"),
        ("headings: others", "heading: others", "12:13", "there is no field 'heading' here; did you mean 'headings'?"),
        ("headings: others", "headings: some", "12:13", "`headings` must be `others` or a list of headings"),
        ("field: platform", "field: paltform", "12:31", "'paltform' is no field; did you mean 'platform'?"),
        ("{platform: DGX", "{paltform: DGX", "9:15", "'paltform' is no field; did you mean 'platform'?"),
        ("precision: 16.10", "batch_size: many", "9:35", "'many' is no number, and `batch_size` must be one"),
        ("precision: 16.10", "unit: sequnces/s", "9:35", "'sequnces/s' is no unit; did you mean 'sequences/s'?"),
        ("[Network]", "[Netwrk]", "10:15", "'Netwrk' is no declared column; did you mean 'Network'?"),
        ("[Network]", "Network", "10:3", "`tables.0.fill_down` must be a list"),
        ("fill_down: [Network]", "header_rows: two", "10:3", "`tables.0.header_rows` must be a whole number"),
        ("    Scripts: ignore", "    NETWORK: model", "8:5", "the heading 'NETWORK' is declared twice"),
        ("    Scripts: ignore", "    Network: model", "8:5", "'Network' is given twice; which one counts?"),
        ("Scripts: ignore", "Scripts:", "8:5", "nothing is said of it: name its field, or `ignore` it"),
        ("Scripts: ignore", "Scripts: [ignore]", "8:5", "`tables.0.columns.Scripts` must hold fields with values"),
        (
            "Scripts: ignore",
            "Scripts: {field: model, unit: s}",
            "8:5",
            "`statistic`, `unit` and `per_device` go with a",
        ),
        ("Scripts: ignore", "Scripts: {field: model, metric: mae}", "8:5", "a column is either a `field` or has a"),
        ("Scripts: ignore", "Scripts: {field: model, kind: micro}", "8:5", "`kind` says what a batch size counts"),
        ("Scripts: ignore", "others: model", "8:5", "`others` are `inferred` or to `ignore`"),
        ("Model: model}", "Model: model, others: ignore}", "12:13", "`others` are named twice: which one counts?"),
        (
            "Scripts: ignore",
            "Scripts: {field: variant, constants: {task: training}}",
            "8:5",
            "`constants` of a column go with its measured values",
        ),
        (
            "Scripts: ignore",
            "Scripts: {metric: mae, constants: {nodes: few}}",
            "8:40",
            "'few' is no number, and `nodes`",
        ),
        ("platform: DGX A100, precision", "unit: none, precision", "9:15", "'none' is no unit"),
        ("fill_down: [Network]", "titles: modle", "10:3", "'modle' is no field; did you mean 'model'?"),
        ("Scripts: ignore", "Scripts: precision", "9:35", "`precision` is a constant and what 'Scripts' says"),
        ("Scripts: ignore", "Scripts: *a", "8:14", "an alias (`*name`) means nothing here"),
        ("Scripts: ignore", f"Scripts: {'[' * 40}{']' * 40}", "8:30", "nested more than 20 deep"),
        ("metric: throughput, unit: t", "unit: t", "11:3", "what is measured is not said"),
        ("  unpivot", "  fill_down: [Model] #", "11:3", "no column holds measured values"),
        ("tables:", "tabels:", "2:1", "there is no field 'tabels' here; did you mean 'tables'?"),
        ("- section: RTX 9000\n  con", "- {}\n#", "13:3", "it says nothing of its table"),
        ("checked: true", "checked: true\n\ttables: a", "2:1", "no YAML: while scanning a plain scalar found a tab"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(right: str, wrong: str, place: str, reason: str, tmp_path: Path) -> None:
    assert right in WHOLE
    with pytest.raises(MappingError) as caught:
        load(WHOLE.replace(right, wrong, 1), tmp_path)
    assert str(caught.value).startswith(f"acme/results/mapping.yml:{place}: {reason}")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "a mapping must hold fields with values"),
        ("- a\n- b\n", "a mapping must hold fields with values"),
        ("a: " + "b" * 200_000, "it is larger than 100 KB"),
        (b"checked: true\ntables: \xff", "it is not UTF-8"),
        ("checked: true\n---\nchecked: true\n", "a second document"),
        ("[" * 60_000, "nested more than 20 deep"),
        ("{? [a]: b}", "a field's name must be a word"),
        ("tables: a", "`tables` must be a list"),
        ("checked: true\ntables: []", "`tables` is empty"),
        ("checked: true\ntables:\n", "`tables` is empty"),
        ("checked: true", "`tables` is missing"),
        ("tables: [a]", "`tables.0` must hold fields with values"),
        ("checked: \0", "no YAML"),
    ],
)
def test_what_is_no_mapping_at_all_is_refused(text: str | bytes, reason: str, tmp_path: Path) -> None:
    with pytest.raises(MappingError) as caught:
        load(text, tmp_path)
    assert reason in str(caught.value)
    assert str(caught.value).startswith("acme/results/mapping.yml:")


@given(
    text=st.text(max_size=200) | st.lists(st.sampled_from(WHOLE.split("\n"))).map("\n".join), cut=st.integers(0, 500)
)
@settings(max_examples=150)
def test_whatever_a_file_holds_is_a_mapping_or_a_sentence(text: str, cut: int) -> None:
    with TemporaryDirectory() as folder:
        for content in (text, WHOLE[:cut] + text + WHOLE[cut:]):
            with suppress(MappingError):
                load(content.encode("utf-8", "replace"), Path(folder))


def test_a_mapping_that_is_gone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MappingError, match="cannot be read"):
        load_mapping(tmp_path / "mapping.yml")


def test_a_draft_may_say_nothing_yet(tmp_path: Path) -> None:
    assert load("checked: false\ntables:\n# - section: Results\n", tmp_path).tables == []
