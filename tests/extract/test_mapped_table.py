"""A mapping laid upon a table: which entry is meant, what each column is by it, and what has drifted."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pipelines.extract.tables.mapped_tables import MappedTable, map_table, missing_sections
from pipelines.extract.tables.mapping import Mapping

TRAINING = {
    "section": "Training performance",
    "columns": {
        "Network": "model",
        "Global-Batch": {"field": "batch_size", "kind": "global"},
        "Throughput-Average(seq/sec)": {"metric": "throughput", "statistic": "mean", "unit": "sequences/s"},
        "Scripts": "ignore",
    },
    "fill_down": ["Network"],
}
HEADINGS = ["Network", "Global batch", "Throughput Average (seq/sec)", "Scripts"]
ROWS = [["BERT", "64", "1,200", "run.sh"], ["", "128", "1,500", "run.sh"]]


def mapped(entries: list[dict[str, Any]], texts: list[list[str]], *sections: str, heading_rows: int = 0) -> MappedTable:
    mapping = Mapping.model_validate({"checked": True, "tables": entries})
    found = map_table(mapping, texts, sections, heading_rows)
    assert found is not None
    return found


def means(table: MappedTable) -> list[str | None]:
    return [column and (column.field or column.metric) for column in table.columns]


def drifts(table: MappedTable) -> list[tuple[str, str]]:
    return [(drift.change, drift.heading) for drift in table.drifts]


def test_every_column_is_what_its_heading_is_said_to_be() -> None:
    table = mapped([TRAINING], [HEADINGS, *ROWS], "Tables", "TRAINING  performance:")
    assert means(table) == ["model", "batch_size", "throughput", "ignore"]
    assert (table.header_rows, table.fill_down, table.drifts) == (1, frozenset({0}), ())


def test_a_table_under_another_heading_is_not_meant() -> None:
    mapping = Mapping.model_validate({"tables": [TRAINING]})
    assert map_table(mapping, [HEADINGS, *ROWS], ["Inference performance"]) is None
    assert map_table(mapping, [["A", "B"], ["1", "2"]], ["Training performance"]) is None


def test_without_a_section_the_tables_with_most_of_the_headings_are_meant() -> None:
    entry = {name: value for name, value in TRAINING.items() if name != "section"}
    assert means(mapped([entry], [HEADINGS[:3], ROWS[0][:3]])) == ["model", "batch_size", "throughput"]
    assert map_table(Mapping.model_validate({"tables": [entry]}), [HEADINGS[:2], ROWS[0][:2]]) is None
    mapping = Mapping.model_validate({"tables": [entry]})
    assert map_table(mapping, [["Network", "Loss"], ["BERT", "0.2"]]) is None


def test_the_nearest_section_is_meant_and_of_one_section_the_better_layout() -> None:
    older = {"section": "Results", "columns": {"Model": "model", "Speed": {"metric": "throughput", "unit": "images/s"}}}
    newer = {"section": "Results", "columns": {"Model": "model", "Rate": {"metric": "throughput", "unit": "images/s"}}}
    far = {"columns": {"Model": "dataset", "Rate": {"metric": "latency", "unit": "ms"}}}
    table = mapped([far, older, newer], [["Model", "Rate"], ["BERT", "1"]], "Table 1", "Results", "Page")
    assert (means(table), table.drifts) == (["model", "throughput"], ())
    assert means(mapped([older, newer, far], [["Model", "Rate"], ["BERT", "1"]], "Page")) == ["dataset", "latency"]


def test_a_declared_column_that_is_gone_is_told_with_what_may_be_its_new_name() -> None:
    table = mapped([TRAINING], [["Network", "Batch (global)", *HEADINGS[2:]], *ROWS], "Training performance")
    assert means(table) == ["model", None, "throughput", "ignore"]
    assert drifts(table) == [("gone", "Global-Batch"), ("new", "Batch (global)")]
    gone, new = table.drifts
    assert gone.reason == (
        "the column 'Global-Batch' is gone that is declared in mapping.yml, line 1: "
        "if 'Batch (global)' is its new name, write that"
    )
    assert new.reason.startswith("the column 'Batch (global)' is new and its cells were not read: declare it in")
    assert (new.column, "'Global-Batch'" in new.reason) == (1, True)


def test_a_new_column_is_told_and_a_blank_one_is_not() -> None:
    texts = [[*HEADINGS, "Loss", ""], [*ROWS[0], "0.2", ""], [*ROWS[1], "0.3"]]
    table = mapped([TRAINING], texts, "Training performance")
    assert drifts(table) == [("new", "Loss")]
    assert means(table)[4:] == [None, None]
    texts[2].append("7")
    table = mapped([TRAINING], texts, "Training performance")
    assert drifts(table) == [("new", "Loss"), ("new", "")]
    assert "column 6, which has no heading," in table.drifts[1].reason


PIVOT = {
    "columns": {"Model": "model"},
    "unpivot": {"headings": "others", "field": "platform", "metric": "throughput", "unit": "tokens/s"},
}


def test_other_headings_are_values_of_a_field() -> None:
    table = mapped([PIVOT], [["Model", "A100", "H100", ""], ["BERT", "1", "2", ""]])
    assert means(table) == ["model", "throughput", "throughput", None]
    assert (table.unpivoted, table.drifts) == (frozenset({1, 2}), ())
    assert table.columns[1] is not None
    assert table.columns[1].unit == "tokens/s"


def test_listed_headings_are_values_of_a_field_and_others_are_new() -> None:
    entry = PIVOT | {"unpivot": PIVOT["unpivot"] | {"headings": ["A100", "H100", "B200"]}}  # type: ignore[operator]
    table = mapped([entry], [["Model", "A100", "H100", "Notes"], ["BERT", "1", "2", "x"]])
    assert means(table) == ["model", "throughput", "throughput", None]
    assert drifts(table) == [("gone", "B200"), ("new", "Notes")]


def test_headings_in_several_rows_are_found_by_their_last_part_or_all_of_it() -> None:
    entry = {"columns": {"Model": "model", "A100 Rate": {"metric": "throughput"}, "Time": {"metric": "latency"}}}
    texts = [["", "A100", "A100", "H100"], ["Model", "Rate", "Time", "Rate"], ["BERT", "1", "2", "3"]]
    table = mapped([entry], texts)
    assert (table.header_rows, means(table)) == (2, ["model", "throughput", "latency", None])
    assert table.headings == ("Model", "A100 Rate", "A100 Time", "H100 Rate")
    assert drifts(table) == [("new", "H100 Rate")]


def test_header_rows_that_are_said_count() -> None:
    texts = [["Rate", "Rate"], ["Model", "Mean"], ["BERT", "1"]]
    entry = {"columns": {"Model": "model", "Rate Mean": {"metric": "throughput"}}, "header_rows": 2}
    assert mapped([entry], texts).header_rows == 2
    assert mapped([entry | {"header_rows": 1, "columns": {"Rate": {"metric": "mae"}}}], texts).header_rows == 1


def test_a_table_on_its_side_has_its_headings_in_its_first_column() -> None:
    entry = {"columns": {"Model": "model", "Latency": "latency"}, "transposed": True}
    table = mapped([entry], [["Model", "BERT", "GPT-2"], ["Latency", "1", "2"], ["Loss", "3", "4"]], heading_rows=1)
    assert (table.transposed, table.header_rows, means(table)) == (True, 1, ["model", "latency", None])
    assert drifts(table) == [("new", "Loss")]


def test_constants_alone_leave_the_columns_to_inference() -> None:
    entries = [
        {"constants": {"platform": "some", "precision": "FP16"}},
        {"section": "RTX 9000", "constants": {"platform": "RTX 9000"}, "header_rows": 2, "fill_down": ["Model"]},
    ]
    texts = [["", "Rate"], ["Model", "img/s"], ["BERT", "1"]]
    table = mapped(entries, texts, "RTX 9000", "Results")
    assert (table.entry, table.columns, table.drifts) == (None, (), ())
    assert table.constants == {"platform": "RTX 9000", "precision": "FP16"}
    assert (table.header_rows, table.fill_down) == (2, frozenset({0}))
    assert mapped(entries, texts, "Results").constants["platform"] == "some"


def test_constants_of_a_nearer_section_hold_for_declared_columns_too() -> None:
    entries = [PIVOT | {"constants": {"task": "far"}}, {"section": "Lab", "constants": {"task": "near"}}]
    assert mapped(entries, [["Model", "A100"], ["BERT", "1"]], "Lab").constants == {"task": "near"}


def test_a_section_whose_table_is_not_there_is_told_once() -> None:
    columns = {"Model": "model", "Rate": {"metric": "throughput"}}
    newer = {"section": "training performance", "columns": columns}
    mapping = Mapping.model_validate({"tables": [TRAINING, newer, PIVOT, {"constants": {"task": "training"}}]})
    [drift] = missing_sections(mapping, [mapping.tables[2]])
    assert (drift.change, drift.heading) == ("moved", "Training performance")
    assert "Network, Global-Batch, Throughput-Average(seq/sec)" in drift.reason
    assert list(missing_sections(mapping, [mapping.tables[1], mapping.tables[2]])) == []


WORDS = st.sampled_from(
    ["", "Network", "Global batch", "Throughput Average (seq/sec)", "Scripts", "Model", "A100", "7"]
)


@given(texts=st.lists(st.lists(WORDS, max_size=5), max_size=6), heading_rows=st.integers(0, 7))
def test_any_grid_has_an_answer_for_each_of_its_columns(texts: list[list[str]], heading_rows: int) -> None:
    for entries in ([TRAINING], [PIVOT], [PIVOT | {"transposed": True}], [{"header_rows": 3, "fill_down": ["Model"]}]):
        mapping = Mapping.model_validate({"tables": entries})
        table = map_table(mapping, texts, ["Training performance"], heading_rows)
        if table and table.entry:
            assert len(table.columns) == len(table.headings)
            assert all(drift.column is None or table.columns[drift.column] is None for drift in table.drifts)


def test_a_table_without_cells_is_nobodys() -> None:
    mapping = Mapping.model_validate({"tables": [PIVOT]})
    assert map_table(mapping, []) is None
    assert map_table(mapping, [[], []]) is None


def test_columns_that_nothing_names_are_as_inferred_or_ignored_where_that_is_said() -> None:
    for word, meant in (("inferred", "inferred"), ("ignore", "ignore")):
        entry = {"columns": {"Rate": {"metric": "throughput"}, "others": word}, "fill_down": ["Model"]}
        table = mapped([entry], [["Model", "Rate", "", "Loss"], ["BERT", "1", "2", "3"], ["", "2", "3", "4"]])
        assert means(table) == [meant, "throughput", meant, meant]
        assert (table.drifts, table.fill_down) == ((), frozenset({0}))
    table = mapped([entry | {"section": "Results"}], [["Modell", "Rate"], ["BERT", "1"]], "Results")
    assert drifts(table) == [("gone", "Model")]


def test_others_stand_beside_listed_headings() -> None:
    entry = {
        "columns": {"others": "inferred"},
        "unpivot": PIVOT["unpivot"] | {"headings": ["A100", "H100"]},  # type: ignore[operator]
    }
    table = mapped([entry], [["Model", "A100", "H100", "Notes"], ["BERT", "1", "2", "x"]])
    assert (means(table), table.unpivoted) == (["inferred", "throughput", "throughput", "inferred"], frozenset({1, 2}))


def test_a_table_of_no_interest_is_ignored_whole() -> None:
    entry = {"columns": {"Parameters": "ignore", "others": "ignore"}}
    mapping = Mapping.model_validate({"tables": [entry]})
    assert map_table(mapping, [["Model", "Rate"], ["BERT", "1"]]) is None
    assert means(mapped([entry], [["Parameters", "Value"], ["Epochs", "3"]])) == ["ignore", "ignore"]
    everything = {"section": "Settings", "columns": {"others": "ignore"}}
    assert means(mapped([everything], [["Parameters", "Value"], ["Epochs", "3"]], "Settings")) == ["ignore", "ignore"]
    # Nothing is said of columns that are all as inferred.
    assert mapped([{"columns": {"others": "inferred"}}], [["Model", "Rate"], ["BERT", "1"]]).entry is None
