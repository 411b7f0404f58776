"""Device headings lost from a log: no run takes the device of the one above."""

from __future__ import annotations

from pipelines.extract import training_log
from pipelines.extract.rows import Reject, Run
from pipelines.read.document import Document, Line

BAR = "[=====]"


def run(*headings: str, steps: int = 700, time: float = 815.4) -> str:
    bar = f"{steps}/{steps} {BAR} - 28s 41ms/step - loss: 0.5"
    return "\n".join([*headings, "Epoch 1/1", bar, f"training time: {time}"])


def devices(*runs: str) -> tuple[list[tuple[str | None, int | None]], list[str]]:
    lines = tuple(Line(number, line) for number, line in enumerate("\n".join(runs).split("\n"), start=1))
    rows = training_log.extract(Document("0" * 64, None, lines), frozenset()).rows
    found = [(row.accelerator_printed, row.batch_size) for row in rows if isinstance(row, Run)]
    rules = [row.rule for row in rows if isinstance(row, Reject)]
    return found, [rule for rule in rules if rule != "run_without_device"]


def test_a_device_holds_for_further_batch_sizes() -> None:
    found, rejects = devices(run("1 A100-GPU", "bs 10"), run("bs 128", steps=54), run("bs 256", steps=27))
    assert found == [("A100-GPU", 10), ("A100-GPU", 128), ("A100-GPU", 256)]
    assert not rejects


def test_a_batch_size_below_a_run_without_one_is_of_another_device() -> None:
    found, rejects = devices(run("16 ipus"), run("bs 10"), run("bs 128", steps=54), run("2 A100-GPU", "bs 10"))
    assert found == [("ipus", None), (None, 10), (None, 128), ("A100-GPU", 10)]
    assert rejects == ["heading_lost", "heading_lost"]


def test_a_batch_size_in_other_steps_is_of_another_device() -> None:
    one = [run("1 A100-GPU", "bs 10"), run("bs 128", steps=54)]
    found, rejects = devices(*one, run("bs 10", steps=350), run("bs 256", steps=14))
    assert found == [("A100-GPU", 10), ("A100-GPU", 128), (None, 10), (None, 256)]
    assert rejects == ["heading_lost", "heading_lost"]
    again, rejects = devices(*one, run("bs 10", time=816.2))
    assert again[-1] == ("A100-GPU", 10)
    assert not rejects


def test_a_run_without_any_heading_is_reported_where_others_have_one() -> None:
    found, rejects = devices(run("2 ipus"), run(), run("8 ipus"))
    assert found == [("ipus", None), (None, None), ("ipus", None)]
    assert rejects == ["heading_lost"]
    assert devices(run(), run())[1] == []


def test_a_count_of_parameters_printed_twice_is_one() -> None:
    summary = ["Total params: 8,922,155", "Trainable params: 4,512,347", "Trainable params: 4,512,347"]
    lines = tuple(Line(number, line) for number, line in enumerate(run(*summary, "1 ipu").split("\n"), start=1))
    row = training_log.extract(Document("0" * 64, None, lines), frozenset()).rows[0]
    assert isinstance(row, Run)
    assert (row.total_parameters, row.trainable_parameters) == (8922155, 4512347)


def test_a_tab_behind_a_batch_size_is_no_other_line() -> None:
    found, rejects = devices(run("1 A100-GPU", "Batch size 10\t"))
    assert found == [("A100-GPU", 10)]
    assert not rejects


def test_no_break_spaces_hide_nothing() -> None:
    text = run("Total params: 8,922,155", "Trainable params: 4,512,347", "1 ipu, batch_size 10")
    lines = [Line(number, line) for number, line in enumerate(text.split("\n"), start=1)]
    wide = tuple(Line(line.number, line.text.replace(" ", "\u00a0")) for line in lines)
    row, other = (
        training_log.extract(Document("0" * 64, None, each), frozenset()).rows[0] for each in (tuple(lines), wide)
    )
    assert isinstance(row, Run)
    assert isinstance(other, Run)
    assert (row.total_parameters, row.trainable_parameters, row.batch_size) == (8922155, 4512347, 10)
    assert (other.total_parameters, other.trainable_parameters, other.batch_size) == (8922155, 4512347, 10)


def test_of_a_count_in_groups_no_group_is_the_count() -> None:
    text = run("Total params: 8 922 155 (34.03 MB)", "1 ipu")
    lines = tuple(Line(number, line) for number, line in enumerate(text.split("\n"), start=1))
    rows = training_log.extract(Document("0" * 64, None, lines), frozenset()).rows
    assert [row.total_parameters for row in rows if isinstance(row, Run)] == [None]
    assert [(row.rule, row.cell.text) for row in rows if isinstance(row, Reject)] == [
        ("parameters_unreadable", "8 922 155")
    ]
