"""The summaries of a log as rows, and what their other numbers are."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import repeat

from pipelines.extract.contract import Mark
from pipelines.extract.programs.damage import cut_fields, disordered, family_of
from pipelines.extract.programs.fields import Field
from pipelines.extract.programs.known import ANY_PROGRAM
from pipelines.extract.programs.marks import not_kept, not_measured, repeated, setting_of
from pipelines.extract.programs.ranks import Ranks
from pipelines.extract.programs.reader import Block
from pipelines.extract.programs.values import Measured, Unread, read_measured
from pipelines.extract.rows import Measurement, Reject
from pipelines.read.document import Cell
from pipelines.values.quantity import Quantity

# What is counted makes another metric of a throughput.
_METRIC_OF_ITEM = {"requests": "request_throughput", "total tokens": "total_token_throughput"}
# The speed of a program in its own steps, which says nothing of the work in them.
_WORK_OF_STEPS = frozenset({"steps", "batches"})
# Run, metric, item and task: a summary gives one value for each, unless it repeats itself.
_Key = tuple[int, str, str | None, str | None, str | None]


@dataclass
class SummaryRows:
    """The rows of all summaries of a log.

    Attributes:
        ranks: What other processes print.
        rows: Measurements, and what could not be let in.
        marks: What the other numbers of the summaries are.
    """

    ranks: Ranks
    rows: list[Measurement | Reject] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    _seen: dict[_Key, Quantity] = field(default_factory=dict)

    def add(self, block: Block) -> None:
        """Adds what a summary says."""
        cut = cut_fields(block.fields) if block.program.is_aligned else ()
        first = len(self.rows)
        for each in block.fields:
            if each in cut:
                reason = f"the line of `{each.name.text.strip()}` is shorter than those beside it: it may be cut"
                self._refuse(block, each, each.value, "log_value_unreadable", reason)
                continue
            read = read_measured(each.name, each.value, block.program)
            if isinstance(read, Unread):
                self._refuse(block, each, read.cell, "log_value_unreadable", read.reason)
            elif read is None:
                self.marks.append(not_measured(each.name, each.value))
            else:
                self._add_measured(block, each, read)
        for each in block.not_measured:
            self.marks.append(setting_of(each.value))
        self.rows[first:] = map(self._in_order, self.rows[first:], repeat(disordered(self.rows[first:])))

    def _add_measured(self, block: Block, printed: Field, read: Measured) -> None:
        heading, quantity = read.heading, read.quantity
        assert heading.metric is not None
        assert heading.unit is not None
        if not block.is_valid:
            reason = f"{block.program.name} says of this result that it is INVALID"
            self._refuse(block, printed, read.cell, "log_result_invalid", reason)
            return
        # What known programs print is of the whole run, even where each process prints it with its own clock.
        is_unknown = block.program is ANY_PROGRAM and (heading.canonical_unit or "").startswith("items/s")
        if is_unknown and self.ranks.differ(printed):
            reason = "several processes print it with different values: it is the rate of one of them"
            self._refuse(block, printed, read.cell, "log_value_of_one_process", reason)
            return
        item = heading.unit.item
        metric = _METRIC_OF_ITEM.get(item or "", heading.metric) if heading.metric == "throughput" else heading.metric
        facts = {"task": block.program.task} | block.facts
        extra = block.program.attribute
        key = (block.run, metric, item, facts["task"], extra)
        if block.program is ANY_PROGRAM and (item in _WORK_OF_STEPS or self._is_printed(metric, quantity)):
            self.marks.append(not_kept(read.cell) if item in _WORK_OF_STEPS else repeated(read.cell))
            return
        if (before := self._seen.get(key)) is not None:
            if before.low <= quantity.high and quantity.low <= before.high:
                self.marks.append(repeated(read.cell))
            else:
                reason = f"the summary gives `{printed.name.text.strip()}` twice, with different values"
                self._refuse(block, printed, read.cell, "log_field_repeated", reason)
            return
        if any(other[:2] == key[:2] and other[3:] == key[3:] for other in self._seen):
            # Samples and tokens are two counts of one run.
            extra = f"Items {item}" if extra is None else f"{extra}, Items {item}"
        self._seen[key] = quantity
        facts["attributes"] = ", ".join(filter(None, (facts.get("attributes"), extra))) or None
        self.rows.append(
            Measurement(
                cell=read.cell,
                section=block.first.cell.text if block.program.begins.fullmatch(block.first.body) else None,
                section_line=block.first.line.number,
                metric=metric,
                value=quantity.value,
                value_low=quantity.low,
                value_high=quantity.high,
                bound=quantity.bound,
                unit=heading.canonical_unit or "",
                unit_printed=heading.unit.printed or None,
                item=item,
                row_line=block.first.line.number,
                **facts,
            )
        )
        rest = printed.value.part(read.cell.end - printed.value.start, len(printed.value.text))
        if any(map(str.isdigit, rest.text)):
            # The deviation behind a value: ` +-9.6`
            self.marks.append(not_kept(rest))

    def _is_printed(self, metric: str, quantity: Quantity) -> bool:
        """Whether some summary has printed the same value."""
        seen = (before for key, before in self._seen.items() if key[1] == metric)
        return any(before.low <= quantity.high and quantity.low <= before.high for before in seen)

    def _in_order(self, row: Measurement | Reject, families: frozenset[str]) -> Measurement | Reject:
        if isinstance(row, Reject) or family_of(row.metric) not in families:
            return row
        reason = f"the percentiles of {family_of(row.metric)} do not rise: one of them is damaged"
        row_json = json.dumps({"metric": row.metric, "value": row.cell.text})
        return Reject(cell=row.cell, rule="log_values_disagree", reason=reason, row_json=row_json)

    def _refuse(self, block: Block, printed: Field, cell: Cell, rule: str, reason: str) -> None:
        row = {"name": printed.name.text, "value": printed.value.text, "summary": block.program.name}
        self.rows.append(Reject(cell=cell, rule=rule, reason=reason, row_json=json.dumps(row, ensure_ascii=False)))
