"""What headings state for the run below them. The headings themselves are read in `headings.py`."""

from __future__ import annotations

from pipelines.extract.logs.headings import Device, Stated
from pipelines.extract.logs.runs import Fault, Part, RunDraft
from pipelines.read.document import Cell, Line


class Conditions:
    """What was printed since the last run, and what still holds from before.

    A device heading holds for the run below it and for every further run with a heading of its own (`bs 128`): a run
    without any may stand under a heading that was lost. The parameters hold until the next model summary, a batch size
    only for the run that it is stated for.

    Attributes:
        start: The heading or batch size line that starts the next run, or None.
        lines: Lines of headings above the next run; they belong to the log only when a run follows.
        faults: What of these lines could not be read.
        parameter_faults: What of the model summaries could not be read.
    """

    def __init__(self) -> None:
        self.start: Line | None = None
        self.lines: list[Line] = []
        self.faults: list[Fault] = []
        self.parameter_faults: list[Fault] = []
        self._device: Device | None = None
        self._batch_size: int | None = None
        self._states_batch = False
        self._parameters: dict[str, int | None] = {}
        self._samples: set[int] = set()

    def state_device(self, device: Device) -> None:
        """Takes a device heading: nothing stated before it but the model still holds."""
        self._device, self.start, self._batch_size, self._states_batch = device, device.line, None, False
        self.lines, self.faults, self._samples = [device.line], [], set()
        if device.name is None:
            reason = f"the number of devices in line {device.line.number} cannot be read"
            self.faults.append(Fault(device.line, device.line.cell, "heading_unreadable", reason))
        if device.batch_size:
            self._state_batch_size(device.line, device.batch_size)

    def forget_device(self) -> None:
        """Forgets the heading: what stands in a line that cannot be read may be another one."""
        self._device, self.start, self._batch_size, self._states_batch = None, None, None, False
        self.lines, self.faults, self._samples = [], [], set()

    def state_batch_size(self, line: Line, stated: Stated) -> None:
        """Takes a line that states the batch size of the next run."""
        self.start = self.start or line
        self.lines.append(line)
        self._state_batch_size(line, stated)

    def state_samples(self, samples: int) -> None:
        """Takes the number of samples that bars of the next run count."""
        self._samples.add(samples)

    def state_parameters(self, line: Line, kind: str, cell: Cell, count: int | None) -> None:
        """Takes a line of a model summary; `Total params` starts a new one, a line printed twice does not."""
        is_repeated = kind != "total" and count is not None and self._parameters.get(kind) == count
        if kind == "total" or (kind in self._parameters and not is_repeated):
            self._parameters = {}
        self._parameters[kind] = count
        if count is None:
            reason = f"the number of parameters `{cell.text}` in line {line.number} is not a whole number"
            self.parameter_faults.append(Fault(line, cell, "parameters_unreadable", reason))

    def forget_model(self) -> None:
        """Starts a new model summary."""
        self._parameters = {}

    def start_run(self, parts: list[Part]) -> RunDraft:
        """A run under these conditions; the next one starts without a batch size and a heading of its own."""
        run = RunDraft(
            self.start,
            self._device if self.start else None,
            self._batch_size,
            self._parameters.get("total"),
            self._parameters.get("trainable"),
            parts,
            self._samples,
            states_batch=self._states_batch,
        )
        self.start, self._batch_size, self._states_batch, self._samples = None, None, False, set()
        self.lines, self.faults = [], []
        return run

    def _state_batch_size(self, line: Line, stated: Stated) -> None:
        self._batch_size = int(stated.value) if stated.value is not None else None
        self._states_batch = True
        if stated.value is None:
            reason = f"the batch size `{stated.cell.text}` in line {line.number} is not a whole number"
            self.faults.append(Fault(line, stated.cell, "batch_size_unreadable", reason))
