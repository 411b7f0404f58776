"""Descriptions of systems in a submission to MLPerf, `systems/*.json`: platform, count, software.

A description is its fields with the characters of their values, by name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping

from pipelines.extract.conditions import Stated
from pipelines.extract.logs.mllog import whole
from pipelines.extract.mentions import condition_value, find_mentions
from pipelines.extract.tables.cell_values import WORDS
from pipelines.read.document import Cell
from pipelines.values.numbers import parse_count, parse_number
from pipelines.vocabulary.lookup import Entry
from pipelines.vocabulary.printed_names import read_platform

# Keys of a description without a column, by the name of their condition.
_DESCRIBED = {
    "submitter": "submitter",
    "availability": "status",
    "accelerator_model": "accelerator_model_name",
    "host_processor": "host_processor_model_name",
    "operating_system": "operating_system",
    "other_software": "other_software_stack",
}
_NODES, _PER_NODE = "number_of_nodes", "accelerators_per_node"
# `"accelerator_model_name": "N/A"`, `"accelerators_per_node": "-"`
_SAYS_NOTHING = frozenset({"", "no", *WORDS["nothing"]})


def described(fields: Mapping[str, Cell]) -> dict[str, Cell]:
    """The fields that say something; one that is not there is null, not a reject."""
    return {
        name: cell
        for name, cell in fields.items()
        if cell.text.strip().casefold() not in _SAYS_NOTHING
    }


def platform_of(system: Mapping[str, Cell]) -> list[Cell]:
    """The place of the name of a system, which is described.

    The folder of a run is not trusted: what the description calls the system counts, with the chip
    it names where that says which of several it is (`DGX A100` with A100-SXM4-80GB). Of a system
    that is unknown its chip counts, which is the processor where it has no accelerator.
    """
    if (name := system.get("system_name")) is None:
        return []
    # The longest known beginning of the name: `dgxa100` of `dgxa100_ngc21.05_mxnet`.
    beginnings = [name.part(0, end.start()) for end in re.finditer("_|$", name.text)]
    known = _known_platform(beginnings[::-1])
    # The last of two names of the chip is the specific one: `Graphcore IPU GC200`.
    model = system.get("accelerator_model_name")
    if model is None and accelerators_of(system) is None:
        model = system.get("host_processor_model_name")
    chip = _known_platform([*_mentioned(model, "platform")[::-1], model])
    if known is None or chip is None:
        return [(known or chip or (name,))[0]]
    both = read_platform(f"{known[0].text} {chip[0].text}").entry
    if both is None:
        # If system and chip disagree, the chip was measured.
        is_same = known[1].facts.get("chip") == chip[1].facts.get("chip")
        return [known[0] if is_same else chip[0]]
    return [known[0]] if both == known[1] else [known[0], chip[0]]


def accelerators_of(system: Mapping[str, Cell]) -> int | None:
    """Accelerators of all nodes; the product is not printed."""
    # `"number_of_nodes": 1.0`
    numbers = [parse_number(system[name].text) for name in (_NODES, _PER_NODE) if name in system]
    counts = [int(number.value) for number in numbers if number and number.value.is_integer()]
    return (whole(math.prod(counts)) or None) if len(counts) == 2 else None


def conditions_of(system: Mapping[str, Cell], platforms: Iterable[Cell]) -> list[Stated]:
    """All that a description states beside the platform, which is at some places."""
    stated: list[Stated] = []
    called = system.get("system_name")
    if called and (called.line, called.start) not in [(one.line, one.start) for one in platforms]:
        stated += stated_at("system", called)
    software = system.get("framework")
    for dimension in ("framework", "sdk_version"):
        # Two releases in one text are ambiguous.
        parts = _mentioned(software, dimension)
        stated += stated_at(dimension, parts[0] if len(parts) == 1 else None)
    if all(each.dimension != "framework" for each in stated):
        stated += stated_at("software", software)
    for dimension, name in _DESCRIBED.items():
        stated += stated_at(dimension, system.get(name))
    if count := accelerators_of(system):
        per_node = system[_PER_NODE]
        if count == parse_count(per_node.text):
            return stated + stated_at("accelerator_count", per_node)
        stated += stated_at("nodes", system[_NODES])
        stated += stated_at("accelerators_per_node", per_node)
    return stated


def stated_at(dimension: str, cell: Cell | None) -> list[Stated]:
    """The condition that characters state, if they state one."""
    value = condition_value(dimension, cell.text) if cell else None
    return [Stated(dimension, value, cell, "page")] if cell and value else []


def _known_platform(cells: Iterable[Cell | None]) -> tuple[Cell, Entry] | None:
    """The first name of a known platform."""
    entries = ((cell, read_platform(cell.text).entry) for cell in cells if cell)
    return next(((cell, entry) for cell, entry in entries if entry), None)


def _mentioned(cell: Cell | None, kind: str) -> list[Cell]:
    """The parts of a text that mention a condition of a kind."""
    found = find_mentions(cell.text) if cell else ()
    return [cell.part(each.start, each.end) for each in found if cell and each.kind == kind]
