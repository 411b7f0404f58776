"""Walks through the lines of a log and says of each what it is. What it says is read in the modules beside this one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from pipelines.extract.programs.epochs import epoch_on, names_epoch_zero, training_time_on
from pipelines.extract.programs.fields import Field, breakdown_unit, fields_on
from pipelines.extract.programs.known import ANY_PROGRAM, Program, may_be_of_program, program_beginning
from pipelines.extract.programs.one_line import Summary, final_evaluation_on, summaries_on
from pipelines.extract.programs.ranks import Ranks
from pipelines.extract.programs.said import Said, said_on
from pipelines.extract.programs.settings import Settings
from pipelines.extract.programs.steps import damage_in, is_step, may_be_step
from pipelines.extract.programs.training import Trainings
from pipelines.read.document import Cell, Line

Kind = Literal["begin", "field", "setting", "step", "maybe_step", "epoch", "rank", "message", "other"]

# So many lines that say nothing known end a block.
_MAX_STRANGE = 3


@dataclass
class Block:
    """A summary while its lines are being read.

    Attributes:
        program: What printed it.
        first: The line that announces it.
        fields: Its fields, in order.
        not_measured: Fields in parts of it that state how it was run, or are of another quantity.
        facts: What the log says of the run up to the last field.
        is_valid: False where it says that its own result does not count.
        run: Number of the run that it is of; a run may have several blocks.
    """

    program: Program
    first: Said
    run: int
    fields: list[Field] = field(default_factory=list)
    not_measured: list[Field] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    is_valid: bool = True


class ProgramReader:
    """The summaries of a log, and what each of its lines is.

    Attributes:
        blocks: The summaries, in order.
        singles: Quantities on lines of their own, by name.
        damaged: Lines of steps that are damaged, with what of them.
        trainings: The runs whose epochs print their time.
        kinds: What each line is, by number; blank lines are in none.
        has_left: True where a summary was left to another format.
    """

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.singles: dict[str, list[Block]] = {}
        self.damaged: list[tuple[Cell, str]] = []
        self.trainings = Trainings()
        self.ranks = Ranks(())
        self.kinds: dict[int, Kind] = {}
        self.has_left = False
        self._settings = Settings()
        self._block: Block | None = None
        self._is_paused = False
        self._strange = 0
        self._unit: str | None = None
        self._run = 0
        self._has_ended = False
        # Something was done or set since the last summary.
        self._goes_step = True

    def walk(self, lines: Iterable[Line]) -> None:
        """Reads all lines."""
        all_said = [said_on(line) for line in lines if not line.is_blank]
        self.ranks = Ranks(all_said)
        for said in all_said:
            self.kinds[said.line.number] = "rank" if self.ranks.is_other(said) else self._take(said)
        self._close()

    def leave(self, block: Block) -> None:
        """Leaves a summary to another format, with its lines."""
        self.blocks.remove(block)
        self.has_left = True
        last = block.fields[-1].value.line
        self.kinds |= {number: "other" for number in self.kinds if block.first.line.number <= number <= last}

    def _take(self, said: Said) -> Kind:
        text = said.body
        if self._block is None and not may_be_of_program(text):
            return "message" if said.is_message else "other"
        is_of_step = is_step(text)
        if text[:5] in ("Epoch", "epoch"):
            if ("%|" in text or not is_of_step) and (epoch := epoch_on(said)):
                self.trainings.add_epoch(epoch, self._settings.facts())
                return "epoch"
            self.trainings.sees_zero |= names_epoch_zero(text)
        if is_of_step:
            if text.startswith("{") and (kind := self._take_dictionary(said)):
                return kind
            self._note_damage(said)
            self._goes_step = True
            return "step"
        if (program := program_beginning(text)) and not self._goes_on(program, said):
            self._begin(program, said)
            return "begin"
        if summaries := summaries_on(said):
            return self._add_summaries(summaries, said)
        if self._block is not None and (kind := self._take_in_block(said, self._block)):
            return kind
        if "raining" in text and (stated := training_time_on(said.line)):
            return "epoch" if self.trainings.add_time(said.line, stated) else "other"
        if may_be_step(text):
            self._note_damage(said)
            return "maybe_step"
        if self._settings.read(said):
            self._goes_step = True
            return "setting"
        if text.startswith("{"):
            self._note_damage(said)
        elif (found := fields_on(said)) and len(found) == 1 and any(map(str.isdigit, found[0].value.text)):
            block = Block(ANY_PROGRAM, said, self._run, found, facts=self._settings.facts())
            self.singles.setdefault(found[0].name.text.casefold(), []).append(block)
        return "message" if said.is_message else "other"

    def _take_dictionary(self, said: Said) -> Kind | None:
        """What the end of a training prints as a dictionary; None for the dictionary of a step."""
        if self._has_ended and (summary := final_evaluation_on(said)):
            return self._add_summaries([summary], said)
        if "train_" in said.body and (summaries := summaries_on(said)):
            return self._add_summaries(summaries, said)
        self._has_ended &= "loss'" not in said.body
        return None

    def _note_damage(self, said: Said) -> None:
        if damage := damage_in(said.body):
            self.damaged.append((said.cell, damage))

    def _goes_on(self, program: Program, said: Said) -> bool:
        """Whether a line that may begin a summary stands in one that has begun: its count of requests, for one."""
        block = self._block
        if block is None or block.program is not program or not said.body.startswith("Successful"):
            return False
        names = {field.name.text for field in (*block.fields, *fields_on(block.first))}
        return any(field.name.text not in names for field in fields_on(said))

    def _begin(self, program: Program, said: Said) -> None:
        self._close()
        if program.starts_run:
            self._settings.clear()
        if program.attribute is None and not self._has_ended:
            self._run += 1
        self._block = Block(program, said, self._run)
        self._is_paused, self._strange, self._unit = False, 0, None
        self._settings.read(said)

    def _take_in_block(self, said: Said, block: Block) -> Kind | None:
        """What a line of a block is; None for one that says nothing known there."""
        text = said.body
        if block.program.pauses.fullmatch(text):
            self._is_paused = True
            return "other"
        if block.program.resumes.fullmatch(text):
            self._is_paused = False
            return "other"
        if unit := breakdown_unit(text):
            self._unit, self._strange = unit, 0
            return "other"
        if text.startswith(("--", "==")):
            # A rule, with the heading of a part in it or without
            return "begin"
        found = fields_on(said, self._unit)
        if not found:
            is_strange = any(map(str.isalpha, text)) and not said.is_message
            self._strange += is_strange
            if self._strange > _MAX_STRANGE:
                self._close()
            return None
        self._strange = 0
        if text.startswith("Result is") and "INVALID" in text:
            block.is_valid = False
        if self._settings.read(said):
            return "setting"
        (block.not_measured if self._is_paused else block.fields).extend(found)
        # What is set behind the last field is of what runs next.
        block.facts = self._settings.facts()
        return "field"

    def _add_summaries(self, summaries: Iterable[Summary], said: Said) -> Kind:
        for summary in summaries:
            if summary.is_final:
                self._close()
                self._run += 1
                self._has_ended = True
            elif self._block is None and not self._has_ended and self._goes_step:
                self._run += 1
                self._goes_step = False
            facts = self._settings.facts() | dict(summary.facts)
            self.blocks.append(Block(summary.program, said, self._run, summary.fields, facts=facts))
        return "field"

    def _close(self) -> None:
        """Ends the block."""
        if self._block is not None:
            self.blocks.append(self._block)
            self._block = None
