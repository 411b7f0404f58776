from __future__ import annotations

import csv
import io
import math
import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.extract import training_log
from pipelines.extract.rows import Epoch, Reject, Row, Run
from pipelines.read.document import Document, Line
from pipelines.read.text import read_text
from pipelines.values.durations import parse_clock, parse_duration
from pipelines.values.numbers import parse_number

FIXTURES = sorted((Path(__file__).parents[1] / "fixtures" / "training_log").glob("*.txt"))
ORIGINALS = os.environ.get("BENCHLEDGER_ORIGINALS")
needs_originals = pytest.mark.skipif(not ORIGINALS, reason="BENCHLEDGER_ORIGINALS is not set")

BAR = "[==============================]"
COLUMNS = [
    "kind", "line", "start", "end", "text", "section", "run_line", "accelerator_printed", "accelerator_count",
    "batch_size", "epochs", "epochs_planned", "training_time_s", "total_parameters", "trainable_parameters", "epoch",
    "steps",
    "epoch_time_s", "step_time_ms", "loss", "loss_is_nan", "rule", "reason",
]  # fmt: skip


def document_of(text: str) -> Document:
    lines = text.removesuffix("\n").split("\n")
    return Document("0" * 64, None, tuple(Line(number, line) for number, line in enumerate(lines, start=1)))


def read(text: str) -> tuple[list[Run], list[Epoch], list[Reject]]:
    document = document_of(text)
    rows = training_log.extract(document, frozenset()).rows
    check_places(document, rows)
    return (
        [row for row in rows if isinstance(row, Run)],
        [row for row in rows if isinstance(row, Epoch)],
        [row for row in rows if isinstance(row, Reject)],
    )


def seconds_of(text: str) -> float:
    quantity = parse_duration(text) or parse_clock(text) or parse_number(text)
    assert quantity is not None, text
    return quantity.value


def check_places(document: Document, rows: list[Row]) -> None:
    """Every row points at its characters, and they say its value."""
    for row in rows:
        cell = row.cell
        assert document.line(cell.line).text[cell.start : cell.end] == cell.text
        assert cell.text.strip()
        if isinstance(row, Epoch) and row.epoch_time_s is not None:
            assert seconds_of(cell.text) == row.epoch_time_s
        if isinstance(row, Run) and row.training_time_s is not None:
            assert seconds_of(cell.text) == row.training_time_s
    runs = [row.run_line for row in rows if isinstance(row, Run)]
    assert len(set(runs)) == len(runs)
    keys = [(row.run_line, row.epoch) for row in rows if isinstance(row, Epoch)]
    assert len(set(keys)) == len(keys)
    assert {run_line for run_line, _ in keys} <= set(runs)


def as_csv(rows: list[Row]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        values = {column: getattr(row, column, None) for column in COLUMNS}
        place = {"line": row.cell.line, "start": row.cell.start, "end": row.cell.end, "text": row.cell.text}
        writer.writerow(values | place | {"kind": type(row).__name__})
    return text.getvalue()


# Fixtures


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_fixture_gives_the_expected_rows(path: Path) -> None:
    document = read_text(path.read_bytes(), "0" * 64)
    rows = training_log.extract(document, frozenset()).rows
    check_places(document, rows)
    assert as_csv(rows) == path.with_suffix(".expected.csv").read_text("utf-8")
    assert training_log.recognise(document) > 0.5


# The original


def original() -> Document:
    return read_text((Path(ORIGINALS or "") / "training_log.txt").read_bytes(), "0" * 64)


@needs_originals
def test_original_has_13_runs_and_39_epochs() -> None:
    document = original()
    extraction = training_log.extract(document, frozenset())
    check_places(document, extraction.rows)
    runs = [row for row in extraction.rows if isinstance(row, Run)]
    epochs = [row for row in extraction.rows if isinstance(row, Epoch)]
    assert (len(runs), len(epochs), len(extraction.rows)) == (13, 39, 52)
    assert [(run.accelerator_count, run.accelerator_printed, run.batch_size, run.training_time_s) for run in runs] == [
        (1, "ipu", 10, 499.7363388000522),
        (2, "ipus", None, 482.76148588582873),
        (4, "ipus", None, 511.2401789960917),
        (8, "ipus", None, 512.5336864919402),
        (16, "ipus", None, 518.1304008550011),
        (1, "A100-GPU", 10, 815.4172495089006),
        (1, "A100-GPU", 128, 95.34690408990718),
        (1, "A100-GPU", 256, 95.33727809297852),
        (1, "A100-GPU", 512, 54.37938559206668),
        (2, "A100-GPU", 10, 828.7121053638402),
        (2, "A100-GPU", 128, 109.71801541000605),
        (2, "A100-GPU", 256, 108.5867206279654),
        (2, "A100-GPU", 512, 108.58856278494932),
    ]
    assert {(run.epochs, run.epochs_planned) for run in runs} == {(3, 3)}
    assert {(run.total_parameters, run.trainable_parameters) for run in runs} == {(8_922_155, 4_512_347)}
    assert [epoch.epoch for epoch in epochs] == [1, 2, 3] * 13
    assert sum(epoch.loss_is_nan for epoch in epochs) == 12
    assert all((epoch.loss is None) == epoch.loss_is_nan for epoch in epochs)
    assert [epoch.step_time_ms for epoch in epochs if (epoch.step_time_ms or 0) < 1] == [0.904, 0.704]
    assert sum(epoch.epoch_time_s or 0 for epoch in epochs) == 4589
    assert [epoch.loss for epoch in epochs[-3:]] == [316702.4688, 15.7828, 6.7402]


@needs_originals
def test_original_table_is_left_to_others() -> None:
    document = original()
    lines = training_log.extract(document, frozenset()).lines
    left = [line for line in document.lines if line.number not in lines and not line.is_blank]
    table = [line.number for line in left if line.cell.text not in ("Model", "IPUs", "Training", "GPUs", "```")]
    assert table == [216, *range(218, 232)]


# A log may be cut anywhere.

Facts = dict[int, tuple[object, ...]]


def facts(text: str) -> Facts:
    """What is read of each epoch, by the line of its bar."""
    return {
        e.cell.line: (e.epoch, e.steps, e.epoch_time_s, e.step_time_ms, e.loss, e.loss_is_nan) for e in read(text)[1]
    }


def mutated_texts() -> list[object]:
    names = ["device_headings", "keras2_validation", "keras3_terminal", "one_line_per_epoch"]
    params: list[object] = [pytest.param(path, id=path.stem) for path in FIXTURES if path.stem in names]
    path = Path(ORIGINALS or "") / "training_log.txt"
    return [*params, pytest.param(path, id="original", marks=needs_originals)]


def text_of(path: Path) -> str:
    return "\n".join(line.text for line in read_text(path.read_bytes(), "0" * 64).lines)


@pytest.mark.parametrize("path", mutated_texts())
def test_log_cut_anywhere_keeps_the_epochs_before(path: Path) -> None:
    lines = text_of(path).split("\n")
    before = facts("\n".join(lines))
    for index in range(len(lines)):
        after = facts("\n".join(lines[:index]))
        for line, value in after.items():
            if line + 2 < index and before.get(line) != value:
                # Only without any header are bars counted; the header below them says which they are.
                assert not re.search(r"Epoch \d", "\n".join(lines[max(0, line - 2) : index]))


STEP = f"5/5 {BAR} - 3s - loss: 0.3\n"


@pytest.mark.parametrize(
    ("text", "epochs", "rules"),
    [
        pytest.param(
            f"Epoch 1/2\n5/5 {BAR} - 3s 600ms/step - loss: 0.1l13\nEpoch 2/2\n{STEP}",
            [(2, 3, 0.3)],
            ["bar_unreadable"],
            id="a damaged loss is a reject",
        ),
        pytest.param(f"Epoch 1/2\n5/5 {BAR} - 3s - loss:\n", [(1, 3, None)], ["loss_missing"], id="a loss is missing"),
        pytest.param(f"Epoch 1/1\n5/5 {BAR} - 3s - accuracy: 0.9\n", [(1, 3, None)], [], id="no loss is printed"),
        pytest.param(
            f"Epoch 1/3\n{STEP}{STEP}training time: 5.1\n",
            [(1, 3, 0.3)],
            ["epoch_without_header"],
            id="a lost header gives no number away",
        ),
        pytest.param(
            f"Epoch 1/2\n{STEP}Epoch 2/2\n2/2 {BAR} - 1s - loss: 0.1\n",
            [(1, 3, 0.3)],
            ["epoch_without_bar"],
            id="an evaluation in place of a lost bar is no epoch",
        ),
        pytest.param(f"{STEP}Epoch 8/8\n{STEP}", [(7, 3, 0.3), (8, 3, 0.3)], [], id="a bar above the first header"),
        pytest.param(f"Epoch 1/1\n{STEP}{STEP}", [(1, 3, 0.3)], [], id="an evaluation behind the last epoch"),
        pytest.param(
            f"Epoch x/2\n{STEP}", [], ["epoch_without_header", "header_unreadable"], id="a header cannot be read"
        ),
        pytest.param("313/313 - 0s - loss: 0.0789\n", [], ["epoch_without_header"], id="a bar alone is no epoch"),
    ],
)
def test_which_epoch_a_bar_ends(text: str, epochs: list[tuple[int, float, float | None]], rules: list[str]) -> None:
    _, found, rejects = read(text)
    assert [(epoch.epoch, epoch.epoch_time_s, epoch.loss) for epoch in found] == epochs
    assert sorted(reject.rule for reject in rejects) == rules


# Runs


def test_a_batch_size_below_a_run_without_one_is_of_another_device() -> None:
    epoch = f"Epoch 1/1\n{STEP}"
    runs, _, _ = read(f"16 ipus\n{epoch}bs 10\n{epoch}2 A100-GPU\nbs 10\n{epoch}bs 128\n{epoch}")
    assert [(run.accelerator_printed, run.batch_size) for run in runs] == [
        ("ipus", None),
        (None, 10),
        ("A100-GPU", 10),
        ("A100-GPU", 128),
    ]


@pytest.mark.parametrize("heading", ["4 Foo-9000", "Foo-9000 x 4", "## Another machine"])
def test_a_heading_of_an_unknown_device_ends_the_known_one_and_its_settings(heading: str) -> None:
    epoch = f"Epoch 1/1\n{STEP}"
    text = f"train.py --model resnet50\n8 GPUs\nbs 8\n{epoch}train.py --model vgg\n{heading}\nbs 16\n{epoch}"
    runs = read(text)[0]
    devices = [(run.accelerator_printed, run.accelerator_count, run.batch_size, run.model_printed) for run in runs]
    assert devices == [("GPUs", 8, 8, None), (None, None, 16, None)]


def test_of_a_count_in_groups_no_group_is_the_count() -> None:
    summary = "Total params: 8 922 155 (34.03 MB)\nTrainable params: 4,512,347\nTrainable params: 4,512,347\n"
    [run] = read(f"{summary}Epoch 1/1\n5/5 {BAR} - 3s - loss: 0.3\n")[0]
    assert (run.total_parameters, run.trainable_parameters) == (None, 4_512_347)


def test_header_that_counts_from_the_start_begins_a_run() -> None:
    bar = f"5/5 {BAR} - 3s - loss: 0.3\n"
    runs, epochs, rejects = read(f"Epoch 1/9\n{bar}Epoch 2/9\n{bar}Epoch 1/9\n{bar}")
    assert [(run.run_line, run.epochs) for run in runs] == [(2, 2), (6, 1)]
    assert ([epoch.epoch for epoch in epochs], rejects) == ([1, 2, 1], [])


def test_a_command_names_model_and_device_and_a_summary_does_not() -> None:
    epoch = f"Epoch 1/1\n{STEP}"
    summary = 'Model: "sequential"\nTotal params: 12,000\n'
    [run] = read(f"python train.py --model resnet50 --gpu-type A100 --num-gpus 4\n{summary}{epoch}")[0]
    assert (run.model_printed, run.accelerator_printed, run.accelerator_count) == ("resnet50", "A100", 4)
    [run] = read(f"{summary}{epoch}")[0]
    assert (run.model_printed, run.accelerator_printed) == (None, None)


def test_prediction_before_the_training_is_no_run() -> None:
    runs, _, rejects = read(f"1/1 {BAR} - 0s 20ms/step\n4 GPUs\nEpoch 1/1\n5/5 {BAR} - 3s - loss: 0.3\n")
    assert ([run.accelerator_count for run in runs], rejects) == ([4], [])


def test_batch_size_line_starts_a_run_under_the_same_device() -> None:
    epoch = f"Epoch 1/1\n{STEP}"
    runs, _, _ = read(f"8 GPUs\nbs 8\n{epoch}bs 16\n{epoch}{epoch}4 GPUs\n{epoch}")
    assert [(run.run_line, run.accelerator_count, run.batch_size) for run in runs] == [
        (1, 8, 8),
        (5, 8, 16),
        # Nothing printed says that the device of the run before is this one's, too.
        (9, None, None),
        (10, 4, None),
    ]


def test_parameters_hold_until_the_next_model() -> None:
    epoch = f"Epoch 1/1\n{STEP}"
    runs, _, rejects = read(
        f'Total params: 12,000\nTrainable params: 9,000\n{epoch}{epoch}Model: "b"\nTrainable params: 7x\n{epoch}'
    )
    assert [(run.total_parameters, run.trainable_parameters) for run in runs] == [
        (12000, 9000),
        (12000, 9000),
        (None, None),
    ]
    assert rejects == []


def test_time_between_two_epochs_is_not_the_training_time() -> None:
    lines = [f"Epoch {n}/2\n5/5 {BAR} - {n}s - loss: 0.3\nElapsed time: {n}.5 s\n" for n in (1, 2)]
    runs, epochs, rejects = read("".join(lines))
    assert [(run.epochs, run.training_time_s) for run in runs] == [(2, 2.5)]
    assert [epoch.epoch for epoch in epochs] == [1, 2]
    assert [reject.rule for reject in rejects] == ["training_time_within_run"]


@pytest.mark.parametrize(
    ("line", "count", "printed", "batch_size"),
    [
        ("8 GPUs", 8, "GPUs", None),
        ("2 x A100", 2, "A100", None),
        ("4 ipus", 4, "ipus", None),
        ("1 H100-GPU", 1, "H100-GPU", None),
        ("Gaudi2 x 8", 8, "Gaudi2", None),
        ("1 ipu, batch_size 10", 1, "ipu", 10),
        ("**16x H100 (bs=32)**", 16, "H100", 32),
        ("A100-GPU", None, "A100-GPU", None),
    ],
)
def test_device_headings(line: str, count: int | None, printed: str, batch_size: int | None) -> None:
    run = read(f"{line}\nEpoch 1/1\n5/5 {BAR} - 3s - loss: 0.3\n")[0][0]
    assert (run.accelerator_count, run.accelerator_printed, run.batch_size) == (count, printed, batch_size)
    assert (run.section, run.section_line, run.run_line) == (line, 1, 1)


@pytest.mark.parametrize(
    ("line", "batch_size"),
    [
        ("Bs 10", 10),
        ("batch_size=128", 128),
        ("batch size: 1,024", 1024),
        ("python train.py --batch-size 64 --epochs 3", 64),
        ("Namespace(batch_size=32, epochs=3)", 32),
        ("validation batch size: 64", None),
        ("batch size 8,16", None),
        ("We used two GPUs.", None),
    ],
)
def test_batch_sizes(line: str, batch_size: int | None) -> None:
    assert read(f"{line}\nEpoch 1/1\n{STEP}")[0][0].batch_size == batch_size


@pytest.mark.parametrize(
    ("line", "seconds", "printed"),
    [
        ("training time: 12.3", 12.3, "12.3"),
        ("Training time: 12.3 s", 12.3, "12.3 s"),
        ("Total training time: 1h 2m", 3720, "1h 2m"),
        ("Elapsed time: 499.7 seconds.", 499.7, "499.7 seconds"),
        ("Training took 0:01:05", 65, "0:01:05"),
        ("Training time: 130.5 s (2.2 min)", 130.5, "130.5 s"),
    ],
)
def test_training_times(line: str, seconds: float, printed: str) -> None:
    run = read(f"Epoch 1/1\n5/5 {BAR} - 3s - loss: 0.3\n{line}\n")[0][0]
    assert (run.training_time_s, run.cell.text) == (seconds, printed)


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
    document = document_of(text)
    assert training_log.recognise(document) == 0
    assert training_log.extract(document, frozenset()).rows == []


@given(st.text(alphabet=st.sampled_from("0123456789/x[]=>.━ -:smu\tEpochlstea\x1b\x08"), max_size=120))
def test_any_line_is_read_or_left(line: str) -> None:
    read(f"Epoch 1/2\n5/5 {BAR} - 3s - loss: 0.3\n{line}\n")


# Rendering random epochs as Keras prints them, and reading them back


@dataclass(frozen=True)
class Printed:
    seconds: int
    step: int
    unit: str
    loss: str

    @property
    def values(self) -> tuple[float, float, float | None, bool]:
        milliseconds = {"us": self.step / 1000, "ms": float(self.step), "s": self.step * 1000.0}[self.unit]
        loss = None if self.loss == "nan" else float(self.loss)
        return float(self.seconds), milliseconds, loss, self.loss == "nan"


DRAWN = "━" * 20
STYLES = [
    f"1/{{n}} [>....] - ETA: 1:02 - loss: 9.9\n{{n}}/{{n}} {BAR} - {{e.seconds}}s {{step}}/step - loss: {{e.loss}}",
    f"{{n}}/{{n}} {BAR} - {{e.seconds}}s {{step}}/step - loss:\n{{e.loss}}",
    f"{{n}}/{{n}} {DRAWN} {{e.seconds}}s {{step}}/step - accuracy: 0.9102 - loss: {{e.loss}} - val_loss: 0.5",
    f"\x1b[1m{{n}}/{{n}}\x1b[0m \x1b[32m{DRAWN}\x1b[0m \x1b[1m{{e.seconds}}s\x1b[0m {{step}}/step - loss: {{e.loss}}",
    "{n}/{n} - {e.seconds}s - loss: {e.loss} - {e.seconds}s/epoch - {step}/step",
    "{n}/{n} - {e.seconds}s - {step}/step - accuracy: 0.91 - loss: {e.loss}",
]
losses = st.one_of(
    st.just("nan"),
    st.floats(-1e20, 1e20).map(lambda loss: f"{loss:.4f}"),
    st.floats(1e-12, 1e-3).map(lambda loss: f"{loss:.4e}"),
)
printed_epochs = st.builds(
    Printed, st.integers(0, 90_000), st.integers(0, 999), st.sampled_from(["us", "ms", "s"]), losses
)


@given(
    st.lists(st.lists(printed_epochs, min_size=1, max_size=4), min_size=1, max_size=3),
    st.integers(1, 9999),
    st.sampled_from(STYLES),
    st.data(),
)
def test_printed_epochs_are_read_back(runs: list[list[Printed]], steps: int, style: str, data: st.DataObject) -> None:
    lines = []
    for run in runs:
        lines.append(f"{data.draw(st.integers(1, 512))} GPUs")
        lacks_first_header = len(run) > 1 and data.draw(st.booleans())
        for number, epoch in enumerate(run, start=1):
            if number > 1 or not lacks_first_header:
                lines.append(f"Epoch {number}/{len(run)}")
            lines.append(style.format(e=epoch, n=steps, step=f"{epoch.step}{epoch.unit}"))
        lines.append(data.draw(st.sampled_from(["", "WARNING:tensorflow:slow", f"2/2 {BAR} - 0s 1ms/step"])))
    read_runs, epochs, rejects = read("\n".join(lines))
    assert rejects == []
    assert [run.epochs for run in read_runs] == [len(run) for run in runs]
    assert [e.epoch for e in epochs] == [number for run in runs for number in range(1, len(run) + 1)]
    assert {e.steps for e in epochs} == {steps}
    for read_epoch, printed in zip(epochs, [printed for run in runs for printed in run], strict=True):
        seconds, milliseconds, loss, is_nan = printed.values
        assert (read_epoch.epoch_time_s, read_epoch.loss, read_epoch.loss_is_nan) == (seconds, loss, is_nan)
        assert read_epoch.step_time_ms is not None
        assert math.isclose(read_epoch.step_time_ms, milliseconds)


def test_a_bar_at_the_end_of_a_log_without_an_end_of_line_may_be_cut() -> None:
    text = f"Epoch 1/2\n5/5 {BAR} - 3s 600ms/step - loss: 0.3\nEpoch 2/2\n5/5 {BAR} - 3s 600ms/step - loss: 0.2"
    rows = training_log.extract(read_text(text.encode(), "0" * 64), frozenset()).rows
    assert [row.epoch for row in rows if isinstance(row, Epoch)] == [1]
    assert [row.epochs for row in rows if isinstance(row, Run)] == [1]
    assert [row.rule for row in rows if isinstance(row, Reject)] == ["bar_unreadable"]
