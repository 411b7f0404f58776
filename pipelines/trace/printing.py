"""A trace for people: coloured in a terminal, with a line of carets below the characters in a pipe."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from pipelines.export.csv_values import shown_text
from pipelines.terminal import plural, visible
from pipelines.trace.traces import Trace

Row = dict[str, Any]

# Of longer lines only the part around the characters is shown.
_LINE_WIDTH = 100
_LABEL_WIDTH = 14
# A longer value of a condition pushes its place to the right.
_VALUE_WIDTH = 24
_MARK = "bold black on yellow"
_LEFT_OUT = "\u2026"
# The columns that summarise a row.
_HEADLINES = {
    "result": ("model", "platform", "metric"),
    "claim": ("model", "metric", "text_printed"),
    "run": ("accelerator_printed",),
    "configuration": ("role", "platform", "model"),
    "evidence": (),
}


def print_trace(trace: Trace, console: Console) -> None:
    """Print one trace; nothing printed in a document is taken for markup."""
    for line in _lines(trace, marks_by_colour=console.is_terminal):
        console.print(line, soft_wrap=True, highlight=False)


def _lines(trace: Trace, *, marks_by_colour: bool) -> Iterator[Text]:
    document, place, row = trace["document"], trace["place"], trace["row"]
    # Quotation marks are for what an original prints.
    is_paraphrase = document["edition"] == "facts"
    edition = (
        f"edition {document['edition']}{', its prose is a paraphrase' if is_paraphrase else ''}"
    )
    headline = _joined(
        *(row[name] for name in _HEADLINES[trace["kind"]]),
        _measured(row, "value", row.get("unit") or ""),
    )
    yield Text(visible(_joined(f"{trace['kind']} {trace['id']}", headline)), style="bold")
    yield _labelled("document", document["path"])
    yield _labelled("", _joined(document["source"], document["title"], document["url"]))
    published = document["published_on"] or "on an unknown day"
    yield _labelled("", f"published {published}, retrieved {document['retrieved_at']}, {edition}")
    section = row.get("section")
    under = f", under {section if is_paraphrase else repr(section)}" if section else ""
    yield _labelled("place", f"{_where(place)}, read by {place['extractor']}{under}")
    yield _labelled("", f"verified by {place['verified_by'] or 'no second reader'}")
    yield from _place(place, marks_by_colour)
    for step in trace.get("steps", ()):
        yield _labelled(step["step"], _step(step))
    if conditions := trace.get("conditions"):
        yield from _conditions(conditions, is_paraphrase)
    if trace["kind"] == "result":
        yield _labelled("benchmark", row["benchmark_key"])
    for label, text in _belonging(trace):
        yield _labelled(label, text)
    for again in trace.get("repeats", ()):
        yield _labelled("repeated", _where({**again, "page": None, "file": None}))
        yield from _place(again, marks_by_colour)


def _conditions(conditions: list[Row], is_paraphrase: bool) -> Iterator[Text]:
    """The conditions of the value, each with its place."""
    yield _labelled("conditions", f"{len(conditions)}, in reading order")
    names = [row["dimension"].replace("_", " ") for row in conditions]
    values = [_cut(row["value"], 0, 0)[0] for row in conditions]
    label_width = max(_LABEL_WIDTH, max(map(cell_len, names)) + 2)
    value_width = min(_VALUE_WIDTH, max(map(cell_len, values)))
    for row, name, value in zip(conditions, names, values, strict=True):
        stated = f"from the {row['level'].replace('_', ' ')}"
        if row["evidence_id"] is not None:
            mark = "" if is_paraphrase and row["level"] == "sentence" else '"'
            stated += f", {_where(row)}: {mark}{_cut(row['text_printed'], 0, 0)[0]}{mark}"
        yield _labelled(
            name, f"{value}{' ' * (value_width - cell_len(value))}  {stated}", label_width
        )


def _belonging(trace: Trace) -> Iterator[tuple[str, str]]:
    """What belongs to the row: other values, runs, sides, configurations, claims, verdict, epochs."""
    for index, row in enumerate(trace.get("history", ())):
        where = "; ".join(
            f"{r['result_id']} in {r['path']} line {r['line']}" for r in row["results"]
        )
        release = f"SDK {row['sdk_version']}" if row["sdk_version"] else "no SDK release"
        value = f"{shown_text(row['value'])} {row['unit']}"
        yield (
            "" if index else "history",
            f"{row['relation']}: {value}, {release}, {row['status']} ({where})",
        )
    if runs := trace.get("runs"):
        yield "runs", f"{len(runs)}, fastest first"
        for row in runs:
            time = _measured(row, "training_time_s", "s") or "no time"
            yield (
                "",
                f"{time}, {row['status']}, {row['scored_as']} ({row['run_id']}, line {row['line']})",
            )
    for side, facts in trace.get("sides", {}).items():
        printed = f", printed {facts['platform_printed']!r}" if facts["platform_printed"] else ""
        release = f", SDK {facts['sdk_version']}" if facts["sdk_version"] else ""
        yield side, f"{facts['platform'] or 'not stated'}{printed}{release}"
    if trace["kind"] == "claim" and trace["row"]["conditions"]:
        yield "conditions", trace["row"]["conditions"]
    for row in trace.get("configurations", ()):
        yield row["role"], f"{_configuration(row)} ({row['configuration_id']}, line {row['line']})"
    for index, row in enumerate(trace.get("claims", ())):
        text = f"{row['text_printed']} {row['metric']} ({row['claim_id']}, line {row['line']})"
        yield "" if index else "claims", text
    if verdict := trace.get("verdict"):
        yield "verdict", f"{verdict['verdict'].replace('_', ' ')}: {verdict['reason']}"
        for place in verdict["inputs"]:
            yield (
                "",
                f"{place['text_printed']} ({place['evidence_id']}, {place['path']} line {place['line']})",
            )
    for row in trace.get("epochs", ()):
        times = _joined(
            _measured(row, "epoch_time_s", "s"), _measured(row, "step_time_ms", "ms/step")
        )
        loss = "nan" if row["loss_is_nan"] else shown_text(row["loss"]) or "none"
        steps = f"{row['steps']} steps, " if row["steps"] else ""
        yield f"epoch {row['epoch']}", f"{steps}{times}, loss {loss} (line {row['line']})"
    for row in trace.get("rests_on_it", ()):
        yield row["kind"], _joined(row["id"], row["what"])


def _configuration(row: Row) -> str:
    count = plural(row["accelerator_count"], "accelerator") if row["accelerator_count"] else None
    facts = (
        row["platform"], count, row["framework"], row["sdk_version"] and f"SDK {row['sdk_version']}", row["precision"],
        row["batch_sizes_printed"] and f"batch size {row['batch_sizes_printed']}", row["dataset"],
        row["measured_by"] and f"measured by {row['measured_by']}",
    )  # fmt: skip
    return _joined(*facts)


def _place(place: Row, marks_by_colour: bool) -> Iterator[Text]:
    """The lines around a place, its characters marked."""
    if place["note"]:
        yield _labelled("", f"{place['note']}; the document prints {place['text_printed']!r}")
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
            yield Text(
                " " * cell_len(gutter + shown[:start]) + "^" * max(1, cell_len(shown[start:end]))
            )


def _cut(text: str, start: int, end: int) -> tuple[str, int, int]:
    """A line without control codes, cut to a part around the characters, and their position in it."""
    text = "".join(
        " " if unicodedata.category(character)[0] == "Z" else character for character in text
    )
    first = max(0, start - _LINE_WIDTH // 2) if end > _LINE_WIDTH else 0
    last = max(first + _LINE_WIDTH, end)
    before, behind = _LEFT_OUT if first else "", _LEFT_OUT if last < len(text) else ""
    lead, marked = visible(before + text[first:start], keep=""), visible(text[start:end], keep="")
    return lead + marked + visible(text[end:last], keep="") + behind, len(lead), len(lead + marked)


def _where(place: Row) -> str:
    page = f"page {place['page']}, " if place["page"] else ""
    file = f" ({place['file']})" if place.get("file") else ""
    return (
        f"{page}line {place['line']}{file}, characters {place['char_start']} to {place['char_end']}"
    )


def _step(step: Row) -> str:
    arrow = " -> ".join(str(end) for end in (step["from"], step["to"]) if end is not None) or "none"
    if step.get("factor") is not None:
        arrow += f", x {shown_text(step['factor'])}"
    return f"{arrow} ({step['how']})" if step["how"] else arrow


def _measured(row: Row, column: str, unit: str) -> str | None:
    return None if row.get(column) is None else f"{shown_text(row[column])} {unit}"


def _labelled(label: str, text: str, width: int = _LABEL_WIDTH) -> Text:
    return Text.assemble((f"{visible(label):<{width}}", "cyan"), visible(text))


def _joined(*parts: Any) -> str:
    return ", ".join(str(part) for part in parts if part is not None and part != "")
