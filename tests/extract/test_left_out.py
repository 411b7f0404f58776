"""Dumps that drop blank cells: what is read of them, and that a lost cell is not taken for a dropped one."""

from __future__ import annotations

from pipelines.extract import results_page
from pipelines.extract.rows import Measurement, Reject
from pipelines.read.files import read_bytes

HEADER = "Model | # HPU | Precision | Batch Size | Throughput (tokens/sec) |\n---|---|---|---|---|\n"
LINES = ["Model", "# GPUs", "Precision", "Throughput", "Batch Size"]


def read(text: str) -> tuple[list[tuple[str | None, float]], list[str]]:
    """Model and value of each measurement, and the rules of the rejects."""
    rows = results_page.extract(read_bytes(text.encode(), "page.txt", "0" * 64), frozenset()).rows
    values = [(row.model_printed, row.value) for row in rows if isinstance(row, Measurement)]
    return values, [row.rule for row in rows if isinstance(row, Reject)]


def one_per_line(*rows: list[str]) -> str:
    return "\n".join([*LINES, *(cell for row in rows for cell in row)]) + "\n"


def test_a_row_filled_up_with_blanks_belongs_to_the_model_above() -> None:
    text = f"{HEADER}BERT-Large | 1 | fp8 | 16 | 900 |\n8 | fp8 | 128 | 7100 | |\n"
    assert read(text) == ([("BERT-Large", 900.0), ("BERT-Large", 7100.0)], [])


def test_names_left_out_twice_are_those_above() -> None:
    text = f"{HEADER}BERT-Large | 1 | fp8 | 16 | 900 |\n8 | fp8 | 128 | 7100 |\n16 | fp8 | 256 | 14000 |\n"
    assert [model for model, _ in read(text)[0]] == ["BERT-Large"] * 3


def test_one_row_that_lacks_its_first_cell_is_damaged() -> None:
    text = f"{HEADER}BERT-Large | 1 | fp8 | 16 | 900 |\n8 | fp8 | 128 | 7100 |\nGPT2-XL | 1 | fp8 | 4 | 80 |\n"
    assert read(text) == ([("BERT-Large", 900.0), ("GPT2-XL", 80.0)], ["row_does_not_fit"])


def test_names_below_a_damaged_row_are_not_taken_from_above_it() -> None:
    text = f"{HEADER}BERT-Large | 1 | fp8 | 16 | 900 |\nGPT2-XL | 1 | fp8\n8 | fp8 | 128 | 7100 | |\n"
    assert read(text) == ([("BERT-Large", 900.0)], ["row_does_not_fit", "row_does_not_fit"])


def test_names_one_cell_per_line_are_carried_down_where_one_cut_is_possible() -> None:
    text = one_per_line(
        ["BERT-Large", "1", "BF16", "900 tokens/sec", "16"],
        ["8", "BF16", "7,100 tokens/sec", "128"],
        ["16", "BF16", "14,000 tokens/sec", "256"],
        ["GPT2-XL", "1", "FP8", "80 tokens/sec", "4"],
    )
    assert read(text) == (
        [("BERT-Large", 900.0), ("BERT-Large", 7100.0), ("BERT-Large", 14000.0), ("GPT2-XL", 80.0)],
        [],
    )


def test_one_name_lost_one_cell_per_line_is_not_carried_down() -> None:
    text = one_per_line(
        ["BERT-Large", "1", "BF16", "900 tokens/sec", "16"],
        ["8", "BF16", "7,100 tokens/sec", "128"],
        ["GPT2-XL", "1", "FP8", "80 tokens/sec", "4"],
    )
    values, rules = read(text)
    assert ("BERT-Large", 7100.0) not in values
    assert rules


def test_cells_that_can_be_cut_in_two_ways_give_no_row() -> None:
    # Either of the two numbers may be the devices, or the batch size of the row before.
    headings = ["Model", "# GPUs", "Batch Size", "Throughput"]
    rows = [["BERT-Large", "8", "900 tokens/sec"], ["GPT2-XL", "16", "80 tokens/sec"]]
    values, rules = read("\n".join([*headings, *(cell for row in rows for cell in row)]) + "\n")
    assert values == []
    assert rules


def test_cells_between_blanks_stand_below_their_headings() -> None:
    text = (
        "Model           Platform   Batch Size   Throughput (tokens/s)   Latency (ms)\n"
        "Llama 2 7B      H100       1            120.5                   8.3\n"
        "Llama 2 13B     H100       1                                    15.9\n"
    )
    assert read(text) == ([("Llama 2 7B", 120.5), ("Llama 2 7B", 8.3), ("Llama 2 13B", 15.9)], [])


def test_a_row_of_values_below_a_broken_header_heads_no_table() -> None:
    header = (
        "Model | # HPU | Precision | Input Length | Batch Size Throughput (tokens/sec) |\n---|---|---|---|---|---|\n"
    )
    text = f"{header}LLaMA 2 7b | 1 | fp8 | 128 | 1,536 | 19,817 |\nLLaMA 2 13B | 1 | fp8 | 128 | 217 | 6,767 |\n"
    values, rules = read(f"Inference on Gaudi 3\n\n{text}")
    assert values == []
    assert rules
