"""A trace for people: coloured in a terminal, with a line of carets below the characters in a pipe."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from pipelines.terminal import visible
from pipelines.trace.collect import Trace

# Of longer lines only the part around the characters is shown.
_LINE_WIDTH = 100
_LABEL_WIDTH = 14
# A longer value of a condition pushes its place to the right.
_VALUE_WIDTH = 24
_MARK = "bold black on yellow"
_LEFT_OUT = "\u2026"


def print_trace(trace: Trace, console: Console) -> None:
    """Print one trace; nothing printed in a document is taken for markup."""
    for line in _lines(trace, marks_by_colour=console.is_terminal):
        console.print(line, soft_wrap=True, highlight=False)


def _lines(trace: Trace, *, marks_by_colour: bool) -> Iterator[Text]:
    document, place = trace["document"], trace["place"]
    # Quotation marks are for what an original prints.
    is_paraphrase = document["edition"] == "facts"
    edition = f"edition {document['edition']}{', its prose is a paraphrase' if is_paraphrase else ''}"
    yield Text(visible(_joined(f"{trace['kind']} {trace['id']}", _headline(trace))), style="bold")
    days = f"published {document['published_on'] or 'on an unknown day'}, retrieved {document['retrieved_at']}"
    yield _labelled("document", document["path"])
    yield _labelled("", _joined(document["source"], document["title"], document["url"]))
    yield _labelled("", f"{days}, {edition}")
    section = trace["row"].get("section")
    under = f", under {section if is_paraphrase else repr(section)}" if section else ""
    page = f"page {place['page']}, " if place["page"] else ""
    file = f" ({place['file']})" if place["file"] else ""
    where = f"{page}line {place['line']}{file}, characters {place['char_start']} to {place['char_end']}"
    yield _labelled("place", f"{where}, read by {place['extractor']}{under}")
    yield from _place(place, marks_by_colour)
    for step in trace.get("steps", ()):
        yield _labelled(step["step"], _step(step))
    yield from _conditions(trace.get("conditions", ()), is_paraphrase)
    if "benchmark" in trace:
        yield _labelled("benchmark", f"{trace['benchmark']['key']}: {_parts(trace['benchmark']['parts'])}")
    yield from _groups(trace, marks_by_colour)


def _conditions(conditions: Sequence[dict[str, Any]], is_paraphrase: bool) -> Iterator[Text]:
    """What holds for the value, each with the place that says it."""
    if not conditions:
        return
    yield _labelled("conditions", f"{len(conditions)}, in reading order")
    names = [row["dimension"].replace("_", " ") for row in conditions]
    values = [_cut(row["value"], 0, 0)[0] for row in conditions]
    label_width = max(_LABEL_WIDTH, max(map(cell_len, names)) + 2)
    value_width = min(_VALUE_WIDTH, max(map(cell_len, values)))
    for row, name, value in zip(conditions, names, values, strict=True):
        blanks = " " * (value_width - cell_len(value))
        yield _labelled(name, f"{value}{blanks}  {_stated(row, is_paraphrase)}", label_width)


def _stated(row: dict[str, Any], is_paraphrase: bool) -> str:
    """Where a condition is stated."""
    level = f"from the {row['level'].replace('_', ' ')}"
    if row["evidence_id"] is None:
        return level
    page = f"page {row['page']}, " if row["page"] else ""
    place = f"{page}line {row['line']}, characters {row['char_start']} to {row['char_end']}"
    mark = "" if is_paraphrase and row["level"] == "sentence" else '"'
    return f"{level}, {place}: {mark}{_cut(row['text_printed'], 0, 0)[0]}{mark}"


def _parts(parts: dict[str, Any] | None) -> str:
    if parts is None:
        return "made by another version of benchledger; build again to see its parts"
    given = _joined(*(f"{name} {value}" for name, value in parts.items() if value is not None))
    return f"{given}; without {_joined(*(name for name, value in parts.items() if value is None)) or 'nothing'}"


def _headline(trace: Trace) -> str:
    """What the row says, in a few words."""
    row = trace["row"]
    what = {
        "result": ("model", "platform", "metric"),
        "claim": ("model", "metric", "text_printed"),
        "run": ("accelerator_printed",),
        "configuration": ("role", "platform", "model"),
        "evidence": (),
    }[trace["kind"]]
    return _joined(*(row[name] for name in what), _measured(row, "value", row.get("unit") or ""))


def _groups(trace: Trace, marks_by_colour: bool) -> Iterator[Text]:
    """What belongs to the row: other values, sides, epochs."""
    for index, row in enumerate(trace.get("history", ())):
        where = "; ".join(f"{r['result_id']} in {r['path']} line {r['line']}" for r in row["results"])
        release = f"SDK {row['sdk_version']}" if row["sdk_version"] else "no SDK release"
        text = f"{row['relation']}: {_plain(row['value'])} {row['unit']}, {release}, {row['status']} ({where})"
        yield _labelled("" if index else "history", text)
    if runs := trace.get("runs"):
        yield _labelled("runs", f"{len(runs)}, from the fastest")
        for row in runs:
            time = _measured(row, "training_time_s", "s") or "no time"
            yield _labelled("", f"{time}, {row['status']}, {row['scored_as']} ({row['run_id']}, line {row['line']})")
    for side, facts in trace.get("sides", {}).items():
        printed = f", printed {facts['platform_printed']!r}" if facts["platform_printed"] else ""
        release = f", SDK {facts['sdk_version']}" if facts["sdk_version"] else ""
        yield _labelled(side, f"{facts['platform'] or 'not stated'}{printed}{release}")
    if conditions := trace["kind"] == "claim" and trace["row"]["conditions"]:
        yield _labelled("conditions", conditions)
    for row in trace.get("configurations", ()):
        yield _labelled(row["role"], f"{_configuration(row)} ({row['configuration_id']}, line {row['line']})")
    for index, row in enumerate(trace.get("claims", ())):
        text = f"{row['text_printed']} {row['metric']} ({row['claim_id']}, line {row['line']})"
        yield _labelled("" if index else "claims", text)
    if verdict := trace.get("verdict"):
        yield _labelled("verdict", f"{verdict['verdict'].replace('_', ' ')}: {verdict['reason']}")
        for place in verdict["inputs"]:
            yield _labelled(
                "", f"{place['text_printed']} ({place['evidence_id']}, {place['path']} line {place['line']})"
            )
    for place in trace.get("repeats", ()):
        yield _labelled("repeated", f"line {place['line']}, characters {place['char_start']} to {place['char_end']}")
        yield from _place(place, marks_by_colour)
    for row in trace.get("epochs", ()):
        times = _joined(_measured(row, "epoch_time_s", "s"), _measured(row, "step_time_ms", "ms/step"))
        loss = "nan" if row["loss_is_nan"] else _plain(row["loss"])
        steps = f"{row['steps']} steps, " if row["steps"] else ""
        yield _labelled(f"epoch {row['epoch']}", f"{steps}{times}, loss {loss} (line {row['line']})")
    for row in trace.get("rests_on_it", ()):
        yield _labelled(row["kind"], _joined(row["id"], row["what"]))


def _place(place: dict[str, Any], marks_by_colour: bool) -> Iterator[Text]:
    if place["note"]:
        yield _labelled("", f"{place['note']}; printed was {place['text_printed']!r}")
    width = len(str(place["lines"][-1]["line"])) if place["lines"] else 0
    for line in place["lines"]:
        gutter = f"  {line['line']:>{width}}  "
        if line["line"] != place["line"]:
            yield Text(gutter + _cut(line["text"], 0, 0)[0], style="dim")
            continue
        shown, start, end = _cut(line["text"], place["char_start"], place["char_end"])
        marked = Text(gutter + shown)
        if marks_by_colour:
            marked.stylize(_MARK, len(gutter) + start, len(gutter) + end)
        yield marked
        if not marks_by_colour:
            blanks = cell_len(gutter + shown[:start])
            yield Text(" " * blanks + "^" * max(1, cell_len(shown[start:end])))


def _cut(text: str, start: int, end: int) -> tuple[str, int, int]:
    """A line with nothing that a terminal obeys, cut to a part around the characters, and where they stand in that."""
    text = "".join(" " if unicodedata.category(character)[0] == "Z" else character for character in text)
    first = max(0, start - _LINE_WIDTH // 2) if end > _LINE_WIDTH else 0
    last = max(first + _LINE_WIDTH, end)
    before, behind = _LEFT_OUT if first else "", _LEFT_OUT if last < len(text) else ""
    lead, marked = visible(before + text[first:start], keep=""), visible(text[start:end], keep="")
    return lead + marked + visible(text[end:last], keep="") + behind, len(lead), len(lead + marked)


def _step(step: dict[str, Any]) -> str:
    arrow = " -> ".join(str(end) for end in (step["from"], step["to"]) if end is not None) or "none"
    if step.get("factor") is not None:
        arrow += f", x {_plain(step['factor'])}"
    return f"{arrow} ({step['how']})" if step["how"] else arrow


def _configuration(row: dict[str, Any]) -> str:
    size = f"batch size {row['batch_sizes_printed']}" if row["batch_sizes_printed"] else None
    release = f"SDK {row['sdk_version']}" if row["sdk_version"] else None
    number = row["accelerator_count"]
    count = f"{number} accelerator{'s' if number > 1 else ''}" if number else None
    facts = (row["platform"], count, row["framework"], release, row["precision"], size, row["dataset"])
    return _joined(*facts, row["measured_by"] and f"measured by {row['measured_by']}")


def _measured(row: dict[str, Any], column: str, unit: str) -> str | None:
    return None if row.get(column) is None else f"{_plain(row[column])} {unit}"


def _labelled(label: str, text: str, width: int = _LABEL_WIDTH) -> Text:
    return Text.assemble((f"{visible(label):<{width}}", "cyan"), visible(text))


def _joined(*parts: Any) -> str:
    return ", ".join(str(part) for part in _given(parts))


def _given(parts: Iterable[Any]) -> Iterator[Any]:
    return (part for part in parts if part is not None and part != "")


def _plain(value: float | None) -> str:
    return "none" if value is None else str(int(value)) if float(value).is_integer() else repr(value)
