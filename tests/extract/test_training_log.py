"""Logs of Keras: runs, epochs, headings, and damaged or cut logs."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers.golden import check_golden

from pipelines.extract import training_log
from pipelines.extract.rows import Epoch, Reject, Row, Run
from pipelines.read.document import Document
from pipelines.read.text import read_text
from pipelines.values.durations import parse_clock, parse_duration
from pipelines.values.numbers import parse_number

FIXTURES = sorted((Path(__file__).parents[1] / "fixtures" / "training_log").glob("*.txt"))
ORIGINALS = os.environ.get("BENCHLEDGER_ORIGINALS")
ORIGINAL = Path(ORIGINALS or "") / "training_log.txt"
needs_originals = pytest.mark.skipif(not ORIGINALS, reason="BENCHLEDGER_ORIGINALS is not set")

BAR = "[==============================]"
STEP = f"5/5 {BAR} - 3s - loss: 0.3\n"
EPOCH = f"Epoch 1/1\n{STEP}"
COLUMNS = [
    "kind", "line", "start", "end", "text", "section", "run_line", "accelerator_printed", "accelerator_count",
    "batch_size", "epochs", "epochs_planned", "training_time_s", "total_parameters", "trainable_parameters", "epoch",
    "steps",
    "epoch_time_s", "step_time_ms", "loss", "loss_is_nan", "rule", "reason",
]  # fmt: skip


def rows_of(document: Document) -> list[Row]:
    """The rows of a log; each points at its characters, which say its value."""
    rows = training_log.extract(document, frozenset()).rows
    for row in rows:
        cell, seconds = (
            row.cell,
            getattr(row, "epoch_time_s", getattr(row, "training_time_s", None)),
        )
        assert document.line(cell.line).text[cell.start : cell.end] == cell.text
        assert cell.text.strip()
        if seconds is not None:
            quantity = (
                parse_duration(cell.text) or parse_clock(cell.text) or parse_number(cell.text)
            )
            assert quantity is not None
            assert quantity.value == seconds
    runs = [row.run_line for row in rows if isinstance(row, Run)]
    keys = [(row.run_line, row.epoch) for row in rows if isinstance(row, Epoch)]
    assert len(set(runs)) == len(runs)
    assert len(set(keys)) == len(keys)
    assert {run_line for run_line, _ in keys} <= set(runs)
    return rows


def read(text: str) -> tuple[list[Run], list[Epoch], list[Reject]]:
    """Runs, epochs and rejects of a text that ends with its last line, whole."""
    rows = rows_of(read_text(f"{text}\n".encode(), "0" * 64))
    kinds = (Run, Epoch, Reject)
    return tuple([row for row in rows if isinstance(row, kind)] for kind in kinds)  # type: ignore[return-value]


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_fixture_gives_the_expected_rows(path: Path) -> None:
    document = read_text(path.read_bytes(), "0" * 64)
    check_golden(path, COLUMNS, rows_of(document))
    assert training_log.recognise(document) > 0.5


@needs_originals
def test_original_has_13_runs_and_39_epochs_and_its_table_is_left_to_others() -> None:
    document = read_text(ORIGINAL.read_bytes(), "0" * 64)
    rows = rows_of(document)
    runs = [row for row in rows if isinstance(row, Run)]
    epochs = [row for row in rows if isinstance(row, Epoch)]
    assert (len(runs), len(epochs), len(rows)) == (13, 39, 52)
    assert [(run.accelerator_count, run.accelerator_printed, run.batch_size) for run in runs] == [
        *[
            (1, "ipu", 10),
            (2, "ipus", None),
            (4, "ipus", None),
            (8, "ipus", None),
            (16, "ipus", None),
        ],
        *((count, "A100-GPU", size) for count in (1, 2) for size in (10, 128, 256, 512)),
    ]
    assert [run.training_time_s for run in runs if run.accelerator_printed != "A100-GPU"] == [
        *(
            499.7363388000522,
            482.76148588582873,
            511.2401789960917,
            512.5336864919402,
            518.1304008550011,
        )
    ]
    said = {
        (run.epochs, run.epochs_planned, run.total_parameters, run.trainable_parameters)
        for run in runs
    }
    assert said == {(3, 3, 8_922_155, 4_512_347)}
    assert [epoch.epoch for epoch in epochs] == [1, 2, 3] * 13
    assert sum(epoch.loss_is_nan for epoch in epochs) == 12
    assert all((epoch.loss is None) == epoch.loss_is_nan for epoch in epochs)
    assert [epoch.step_time_ms for epoch in epochs if (epoch.step_time_ms or 0) < 1] == [
        0.904,
        0.704,
    ]
    assert sum(epoch.epoch_time_s or 0 for epoch in epochs) == 4589
    assert [epoch.loss for epoch in epochs[-3:]] == [316702.4688, 15.7828, 6.7402]
    lines = training_log.extract(document, frozenset()).lines
    left = [line for line in document.lines if line.number not in lines and not line.is_blank]
    table = [
        line.number
        for line in left
        if line.cell.text not in ("Model", "IPUs", "Training", "GPUs", "```")
    ]
    assert table == [216, *range(218, 232)]


# A log may be cut anywhere.


def facts(lines: list[str]) -> dict[int, tuple[object, ...]]:
    """What is read of each epoch, by the line of its bar."""
    epochs = read("\n".join(lines))[1]
    return {
        e.cell.line: (e.epoch, e.steps, e.epoch_time_s, e.step_time_ms, e.loss, e.loss_is_nan)
        for e in epochs
    }


@pytest.mark.parametrize(
    "path", [*FIXTURES, pytest.param(ORIGINAL, marks=needs_originals)], ids=lambda path: path.stem
)
def test_log_cut_anywhere_keeps_the_epochs_before(path: Path) -> None:
    lines = [line.text for line in read_text(path.read_bytes(), "0" * 64).lines]
    before = facts(lines)
    for index in range(5, len(lines)):
        for line, value in facts(lines[:index]).items():
            if line + 2 < index and before.get(line) != value:
                # Only without any header are bars counted; the header below them says which they
                # are.
                assert not re.search(r"Epoch \d", "\n".join(lines[max(0, line - 2) : index]))


@pytest.mark.parametrize(
    ("text", "epochs", "rules"),
    [
        pytest.param(
            f"Epoch 1/2\n5/5 {BAR} - 3s 600ms/step - loss: 0.1l13\nEpoch 2/2\n{STEP}", [(2, 3, 0.3)],
            ["bar_unreadable"], id="a damaged loss is a reject",
        ),
        pytest.param(f"Epoch 1/2\n5/5 {BAR} - 3s - loss:\n", [(1, 3, None)], ["loss_missing"], id="a loss is missing"),
        pytest.param(f"Epoch 1/1\n5/5 {BAR} - 3s - accuracy: 0.9\n", [(1, 3, None)], [], id="no loss is printed"),
        pytest.param(f"Epoch 1/1\n5/5 {BAR} - 3s\n", [], ["epoch_without_bar"], id="a bar without metrics predicts"),
        pytest.param(
            f"Epoch 1/3\n{STEP}{STEP}training time: 5.1\n", [(1, 3, 0.3)], ["epoch_without_header"],
            id="a lost header gives no number away",
        ),
        pytest.param(
            f"Epoch 1/2\n{STEP}Epoch 2/2\n2/2 {BAR} - 1s - loss: 0.1\n", [(1, 3, 0.3)], ["epoch_without_bar"],
            id="an evaluation in place of a lost bar is no epoch",
        ),
        pytest.param(f"{STEP}Epoch 8/8\n{STEP}", [(7, 3, 0.3), (8, 3, 0.3)], [], id="a bar above the first header"),
        pytest.param(f"{EPOCH}{STEP}", [(1, 3, 0.3)], [], id="an evaluation behind the last epoch"),
        pytest.param(
            f"Epoch 1/1\n1/5 [>....] - ETA: 1s\n5/5 {BAR} - 0s - loss: 0.4\n2/2 {BAR} - 0s - loss: 0.1\n{STEP}",
            [(1, 0, 0.4)], [], id="an evaluation of the training data behind another one",
        ),
        pytest.param(f"Epoch x/2\n{STEP}", [], ["epoch_without_header"], id="a header cannot be read"),
        pytest.param("313/313 - 0s - loss: 0.0789\n", [], ["epoch_without_header"], id="a bar alone is no epoch"),
        pytest.param(
            f"313/313 - 0s - loss: 0.0789\n2/2 {BAR} - 0s 1ms/step\n", [], ["epoch_without_header"],
            id="a bar above a prediction is no epoch",
        ),
    ],
)  # fmt: skip
def test_which_epoch_a_bar_ends(
    text: str, epochs: list[tuple[int, float, float | None]], rules: list[str]
) -> None:
    _, found, rejects = read(text)
    assert [(epoch.epoch, epoch.epoch_time_s, epoch.loss) for epoch in found] == epochs
    assert sorted(reject.rule for reject in rejects) == rules


@pytest.mark.parametrize(
    ("columns", "text", "expected"),
    [
        pytest.param(
            "accelerator_printed batch_size",
            f"16 ipus\n{EPOCH}bs 10\n{EPOCH}2 A100-GPU\nbs 10\n{EPOCH}bs 128\n{EPOCH}",
            [("ipus", None), (None, 10), ("A100-GPU", 10), ("A100-GPU", 128)],
            id="a batch size below a run without one is of another device",
        ),
        pytest.param(
            "run_line accelerator_count batch_size",
            f"8 GPUs\nbs 8\n{EPOCH}bs 16\n{EPOCH}{EPOCH}4 GPUs\n{EPOCH}",
            # Nothing printed says that the device of the run before is that of the third, too.
            [(1, 8, 8), (5, 8, 16), (9, None, None), (10, 4, None)],
            id="a batch size starts a run under the same device",
        ),
        *(
            pytest.param(
                "accelerator_printed accelerator_count batch_size model_printed",
                f"train.py --model resnet50\n8 GPUs\nbs 8\n{EPOCH}train.py --model vgg\n{heading}\nbs 16\n{EPOCH}",
                [("GPUs", 8, 8, None), (None, None, 16, None)],
                id=f"{heading} ends the known device and its settings",
            )
            for heading in ("4 Foo-9000", "Foo-9000 x 4", "## Another machine")
        ),
        pytest.param(
            "total_parameters trainable_parameters",
            f"Total params: 8 922 155 (34.03 MB)\nTrainable params: 4,512,347\nTrainable params: 4,512,347\n{EPOCH}",
            [(None, 4_512_347)],
            id="of a count in groups no group is the count",
        ),
        pytest.param(
            "total_parameters trainable_parameters",
            f'Total params: 12,000\nTrainable params: 9,000\n{EPOCH}{EPOCH}Model: "b"\nTrainable params: 7x\n{EPOCH}',
            [(12000, 9000), (12000, 9000), (None, None)],
            id="parameters hold until the next model",
        ),
        pytest.param(
            "run_line epochs epochs_planned",
            f"Epoch 1/9\n{STEP}Epoch 2/9\n{STEP}Epoch 1/9\n{STEP}Epoch 2/3\n{STEP}",
            [(2, 2, 9), (6, 1, 9), (8, 1, 3)],
            id="a header that counts from the start, or to another end, begins a run",
        ),
        pytest.param(
            "model_printed accelerator_printed accelerator_count",
            f'python train.py --model resnet50 --gpu-type A100 --num-gpus 4\nModel: "b"\nTotal params: 12,000\n{EPOCH}',
            [("resnet50", "A100", 4)],
            id="a command names model and device",
        ),
        pytest.param(
            "model_printed",
            f'Model: "b"\nTotal params: 12,000\n{EPOCH}',
            [(None,)],
            id="a summary does not",
        ),
        pytest.param(
            "accelerator_count",
            f"1/1 {BAR} - 0s 20ms/step\n4 GPUs\n{EPOCH}",
            [(4,)],
            id="a prediction is no run",
        ),
    ],
)
def test_runs(columns: str, text: str, expected: list[tuple[object, ...]]) -> None:
    runs, _, rejects = read(text)
    assert [tuple(getattr(run, column) for column in columns.split()) for run in runs] == expected
    assert rejects == []


def test_time_between_two_epochs_is_not_the_training_time() -> None:
    runs, _, rejects = read("".join(f"Epoch {n}/2\n{STEP}Elapsed time: {n}.5 s\n" for n in (1, 2)))
    assert [(run.epochs, run.training_time_s) for run in runs] == [(2, 2.5)]
    assert [reject.rule for reject in rejects] == ["training_time_within_run"]


@pytest.mark.parametrize(
    ("line", "count", "printed", "batch_size"),
    [
        ("8 GPUs", 8, "GPUs", None),
        ("2 x A100", 2, "A100", None),
        ("1 H100-GPU", 1, "H100-GPU", None),
        ("Gaudi2 x 8", 8, "Gaudi2", None),
        ("1 ipu, batch_size 10", 1, "ipu", 10),
        ("**16x H100 (bs=32)**", 16, "H100", 32),
        ("A100-GPU", None, "A100-GPU", None),
        ("Bs 10", None, None, 10),
        ("batch_size=128", None, None, 128),
        ("batch size: 1,024", None, None, 1024),
        ("python train.py --batch-size 64 --epochs 3", None, None, 64),
        ("Namespace(batch_size=32, epochs=3)", None, None, 32),
        ("validation batch size: 64", None, None, None),
        ("batch size 8,16", None, None, None),
        ("We used two GPUs.", None, None, None),
        ("8x A100 x 2", 8, "A100", None),
        pytest.param("8\tGPUs", None, None, None, id="the row of a table with tabs"),
        pytest.param(f"{'-' * 200} 8 GPUs", None, None, None, id="a long line"),
    ],
)
def test_headings(
    line: str, count: int | None, printed: str | None, batch_size: int | None
) -> None:
    run = read(f"{line}\n{EPOCH}")[0][0]
    assert (run.accelerator_count, run.accelerator_printed, run.batch_size) == (
        count,
        printed,
        batch_size,
    )
    assert (run.section, run.section_line) == ((line, 1) if printed else (None, None))


@pytest.mark.parametrize(
    ("line", "seconds", "printed"),
    [
        ("training time: 12.3", 12.3, "12.3"),
        ("Training time: 12.3 s", 12.3, "12.3 s"),
        ("Total training time: 1h 2m", 3720, "1h 2m"),
        ("Elapsed time (ms): 499.7", 0.4997, "499.7"),
        ("Elapsed time: 499.7 seconds.", 499.7, "499.7 seconds"),
        ("Training took 0:01:05", 65, "0:01:05"),
        ("Training time: 130.5 s (2.2 min)", 130.5, "130.5 s"),
    ],
)
def test_training_times(line: str, seconds: float, printed: str) -> None:
    [run] = [row for row in training_log.extract(read_text(f"{EPOCH}{line}\n".encode(), "0" * 64), ()).rows
             if isinstance(row, Run)]  # fmt: skip
    assert (run.training_time_s, run.cell.text) == (pytest.approx(seconds), printed)


@pytest.mark.parametrize(
    "text",
    [
        "The 5/5 rating [...] of the A100 - 3s faster - made 12/2020 a good month.",
        "Epoch 1/3 of our history: 4 GPUs and a batch size of 128.",
        "=====\nTraining time: 3 hours\n8 GPUs\n=====",
        "7000/Unknown",
        "100%|##########| 1875/1875 [00:22<00:00, 85.2it/s]",
    ],
)
def test_prose_is_no_log(text: str) -> None:
    assert training_log.recognise(read_text(text.encode(), "0" * 64)) == 0
    assert read(text) == ([], [], [])


@pytest.mark.parametrize(("blanks", "loss"), [(190, 0.1), (200, None)])
def test_only_a_short_line_goes_on_with_a_bar(blanks: int, loss: float | None) -> None:
    _, epochs, rejects = read(f"Epoch 1/1\n5/5 {BAR} - 3s - loss:\n{' ' * blanks}0.1\n")
    assert [epoch.loss for epoch in epochs] == [loss]
    assert [reject.rule for reject in rejects] == ["loss_missing"] * (loss is None)


@pytest.mark.parametrize(("backspaces", "losses"), [(2_450, [0.3]), (5_000, [])])
def test_a_bar_may_stand_behind_the_backspaces_of_the_one_above(
    backspaces: int, losses: list[float]
) -> None:
    epochs = read(f"Epoch 1/1\n{chr(8) * backspaces}{STEP}")[1]
    assert [epoch.loss for epoch in epochs] == losses


@given(
    st.text(alphabet=st.sampled_from("0123456789/x[]=>.━ -:smu\tEpochlstea\x1b\x08"), max_size=120)
)
def test_any_line_is_read_or_left(line: str) -> None:
    read(f"Epoch 1/2\n{STEP}{line}")


# Rendering random epochs as Keras prints them, and reading them back

DRAWN = "━" * 20
STYLES = [
    f"1/{{n}} [>....] - ETA: 1:02 - loss: 9.9\n{{n}}/{{n}} {BAR} - {{seconds}}s {{step}}ms/step - loss: {{loss}}",
    f"{{n}}/{{n}} {BAR} - {{seconds}}s {{step}}ms/step - loss:\n{{loss}}",
    f"{{n}}/{{n}} {DRAWN} {{seconds}}s {{step}}ms/step - accuracy: 0.9102 - loss: {{loss}} - val_loss: 0.5",
    f"\x1b[1m{{n}}/{{n}}\x1b[0m \x1b[32m{DRAWN}\x1b[0m \x1b[1m{{seconds}}s\x1b[0m {{step}}ms/step - loss: {{loss}}",
    "{n}/{n} - {seconds}s - loss: {loss} - {seconds}s/epoch - {step}ms/step",
]
losses = st.one_of(
    st.just("nan"),
    st.floats(-1e20, 1e20).map(lambda loss: f"{loss:.4f}"),
    st.floats(1e-12, 1e-3).map(lambda loss: f"{loss:.4e}"),
)
printed_runs = st.lists(
    st.tuples(st.integers(0, 90_000), st.integers(0, 999), losses), min_size=1, max_size=4
)


@given(
    st.lists(printed_runs, min_size=1, max_size=3),
    st.integers(1, 9999),
    st.sampled_from(STYLES),
    st.data(),
)
def test_printed_epochs_are_read_back(
    runs: list[list[tuple[int, int, str]]], steps: int, style: str, data: st.DataObject
) -> None:
    lines = []
    for run in runs:
        lines.append(f"{data.draw(st.integers(1, 512))} GPUs")
        lacks_first_header = len(run) > 1 and data.draw(st.booleans())
        for number, (seconds, step, loss) in enumerate(run, start=1):
            lines += [f"Epoch {number}/{len(run)}"] if number > 1 or not lacks_first_header else []
            lines.append(style.format(seconds=seconds, n=steps, step=step, loss=loss))
        lines.append(
            data.draw(st.sampled_from(["", "WARNING:tensorflow:slow", f"2/2 {BAR} - 0s 1ms/step"]))
        )
    read_runs, epochs, rejects = read("\n".join(lines))
    assert rejects == []
    assert [run.epochs for run in read_runs] == [len(run) for run in runs]
    assert [e.epoch for e in epochs] == [
        number for run in runs for number in range(1, len(run) + 1)
    ]
    assert [(e.steps, e.epoch_time_s, e.step_time_ms, e.loss, e.loss_is_nan) for e in epochs] == [
        (steps, seconds, step, None if loss == "nan" else float(loss), loss == "nan")
        for run in runs
        for seconds, step, loss in run
    ]


@pytest.mark.parametrize(
    ("above", "metrics"),
    [
        (f"Epoch 1/1\n1/5 {DRAWN} 1s 3ms/step - loss: 0.9", "loss: 0.4"),
        ("Epoch 1/1", "loss: 0.4 - val_loss: 0.3"),
        ("1 ipu", "loss: 0.4 - val_loss: 0.3"),
    ],
)
def test_a_redrawn_bar_that_may_be_cut_gives_no_epoch_to_the_bar_above_it(
    above: str, metrics: str
) -> None:
    step = f"5/5 {DRAWN} {{}}s 3ms/step - {{}}"
    text = "\n".join([above, step.format(0, "loss: 0.5"), step.format(3, metrics)])
    rows = rows_of(read_text(text.encode(), "0" * 64))
    assert [row for row in rows if isinstance(row, Epoch)] == []
    assert [row.rule for row in rows if isinstance(row, Reject)] == ["bar_unreadable"]


def test_an_evaluation_that_may_be_cut_is_no_damaged_epoch() -> None:
    rows = rows_of(read_text(f"{EPOCH}2/2 {BAR} - 0s - loss: 0.1".encode(), "0" * 64))
    assert [row.epoch for row in rows if isinstance(row, Epoch)] == [1]
    assert [row for row in rows if isinstance(row, Reject)] == []


@pytest.mark.parametrize(
    "last", [f"5/5 {BAR} - 3s 600ms/step - loss: 0.2", f"5/5 {BAR} - 3s 600ms/step - loss:\n0.2"]
)
def test_a_bar_at_the_end_of_a_log_without_an_end_of_line_may_be_cut(last: str) -> None:
    rows = rows_of(read_text(f"Epoch 1/2\n{STEP}Epoch 2/2\n{last}".encode(), "0" * 64))
    assert [row.epoch for row in rows if isinstance(row, Epoch)] == [1]
    assert [row.epochs for row in rows if isinstance(row, Run)] == [1]
    assert [row.rule for row in rows if isinstance(row, Reject)] == ["bar_unreadable"]
