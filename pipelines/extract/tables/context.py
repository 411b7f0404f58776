"""What the text around a table says of its rows: heading, task, suite, units in footnotes, meaning of a precision."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pipelines.extract.tables.conditions import conditions_in
from pipelines.extract.tables.environment import stated_in_environment
from pipelines.extract.tables.headings import Unit
from pipelines.extract.tables.labels import headings_above, headings_over, intro_of, is_condition, title_of
from pipelines.extract.tables.page_release import StatedRelease, release_stated
from pipelines.extract.tables.page_title import of_title, title_over
from pipelines.extract.tables.platform_named import platform_noted, read_platform_in
from pipelines.extract.tables.sentences_above import stated_above, stated_in_intro
from pipelines.extract.tables.settings import settings_in, with_settings
from pipelines.extract.tables.unit_notes import unit_of_table, units_in
from pipelines.read.document import Document
from pipelines.vocabulary.lookup import find

# `X is the precision for storing the activations & gradients, and Y is ... the weights`
_PAIR_NOTE = re.compile(r"\bX\.Y\b.*?\bX\b[^.;]*activation(?:&\w+;|[^.;])*\bY\b[^.;]*weight", re.IGNORECASE | re.DOTALL)
# `MLPerf v2.0 Training Performance`, `MLPerf(TM) Inference v4.1`, `MLPerf Training 3.0`
_SUITE = re.compile(
    r"MLPerf\W{0,4}\s*(?:(?P<before>Training|Inference)\s*)?v?(?P<version>\d+\.\d+)(?:\s*(?P<after>Training|Inference))?",
    re.IGNORECASE,
)
# `Encoder models - throughput optimized`, `Optimized for latency`: the same cells below two such headings are two tests
_TUNING = re.compile(
    r"\b(?P<before>throughput|latency)[\s-]+optimi[sz]ed\b|\boptimi[sz]ed\s+for\s+(?P<behind>throughput|latency)\b",
    re.IGNORECASE,
)
_TASK = re.compile(r"\b(training|inference)\b", re.IGNORECASE)
# `Local batch size 2, global batch size 16. Selective activation checkpointing`: only training has these.
_OF_TRAINING = re.compile(
    r"\b(?:pre-?training|fine-?tuning|global batch|activation (?:re)?(?:checkpointing|computation))\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Context:
    """What holds for every row of a table.

    Attributes:
        section: Nearest heading above the table, as printed.
        section_line: Its line.
        task: `training` or `inference` where the heading says so.
        suite: `MLPerf Training v2.0` where the heading names one.
        tuning: `throughput optimized` or `latency optimized` where the heading says so.
        defines_pairs: True where the document says what X and Y of a precision `X.Y` are.
        platform: Platform that the heading names, for tables without a column of platforms.
        stated: Fields of a row that the heading or the caption states for all rows: model, precision, batch size.
        settings: Attributes of a row that they state for all rows: lengths, shards, the compiler.
        release_of_page: Release that the text above states for all results that print none.
        release_held: The same for a table behind this one that has no heading of its own.
        title: First heading of the document.
        intro: Lines at the beginning of the document that speak of all its tables.
        release: Release that a footnote names for the row, which goes before the one in its cells.
        units: Units that a footnote gives for a canonical dataset or model; None for one that no vocabulary knows.
        unit_of_table: Unit that a footnote gives for all throughputs, for headings that print none.
    """

    section: str | None = None
    section_line: int | None = None
    task: str | None = None
    suite: str | None = None
    tuning: str | None = None
    defines_pairs: bool = False
    platform: str | None = None
    stated: Mapping[str, Any] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    release_of_page: StatedRelease | None = None
    release_held: StatedRelease | None = None
    title: str | None = None
    intro: range = range(0)
    release: str | None = None
    units: Mapping[str, Unit | None] = field(default_factory=dict)
    unit_of_table: Unit | None = None

    def unit_for(self, facts: Mapping[str, Any]) -> Unit | None:
        """The footnote's unit for a row, by its dataset or its model."""
        name = self._noted(facts)
        return self.units[name] if name else None

    def has_unread_unit(self, facts: Mapping[str, Any]) -> bool:
        """True where a footnote gives the row a unit that no vocabulary knows: the heading's would be a wrong one."""
        name = self._noted(facts)
        return name is not None and self.units[name] is None

    def _noted(self, facts: Mapping[str, Any]) -> str | None:
        for kind, column in (("datasets", "dataset_printed"), ("models", "model_printed")):
            printed = facts.get(column)
            entry = find(kind, printed) if printed else None  # type: ignore[arg-type]
            if entry and entry.name in self.units:
                return entry.name
        return None


def read_suite(text: str) -> str | None:
    """`MLPerf Training v2.0` for the ways in which a heading names a round of MLPerf, or None."""
    match = _SUITE.search(text)
    if not match:
        return None
    kind = match["before"] or match["after"]
    return f"MLPerf {kind.capitalize()} v{match['version']}" if kind else f"MLPerf v{match['version']}"


def read_context(
    document: Document,
    lines: range,
    notes: str,
    taken: Collection[int],
    before: Context | None,
    *,
    is_torn: bool = False,
) -> Context:
    """The context of a table.

    Args:
        document: The document that holds it.
        lines: Numbers of the lines between the table before and this one, where its heading may stand.
        notes: The text right behind it.
        taken: Lines of another format, which are no headings of tables.
        before: Context of the table before. Where no heading stands between, its section holds on, but not what its
            words say: the table's own heading may be lost, and its task may be the other one.
        is_torn: Whether the table's heading may stand in joined lines above `lines`: no section holds on then.
    """
    above = headings_above(document, lines, taken)
    is_first = before is None
    if before is None:
        intro = intro_of(document, lines, taken, above)
        before = Context(
            defines_pairs=_defines_precision_pairs(document),
            title=title_of(document, lines, taken),
            release_of_page=release_stated(document, range(0), intro),
            release_held=release_stated(document, intro, range(0)),
            intro=intro,
        )
    if not above and is_torn:
        before = replace(before, section=None, section_line=None, release_held=None)
    held = before.release_held
    of_page = stated_in_intro(document.line(number) for number in before.intro)
    of_page |= stated_in_environment(document, lines.stop)
    platform_of_page = of_page.pop("platform", None)
    if not above:
        said = stated_above(document.line(number) for number in lines)
        return replace(
            before,
            task=None,
            suite=None,
            tuning=None,
            platform=said.pop("platform", None) or platform_noted(notes) or platform_of_page,
            stated=of_page | of_title(before.title) | said,
            settings=(),
            release_of_page=held,
            release_held=release_stated(document, range(0), before.intro) if is_first and held else held,
            units=units_in(notes),
            unit_of_table=unit_of_table(notes),
        )
    texts = [line.cell.text for line in (*above, *headings_over(document, above))]
    said = stated_above(document.line(number) for number in range(above[0].number + 1, lines.stop))
    platform, title = said.pop("platform", None), title_over(before.title, texts)
    own = range(above[-1].number, lines.stop)
    named = next((line for line in above if not is_condition(line.cell.text)), above[-1])
    return Context(
        section=named.cell.text,
        section_line=named.number,
        task=_first(_read_task, texts),
        suite=_first(read_suite, texts),
        tuning=_first(_read_tuning, texts),
        platform=_first(read_platform_in, texts) or platform or platform_noted(notes) or platform_of_page,
        stated=of_page | said | of_title(title) | conditions_in(texts),
        settings=settings_in(texts),
        release_of_page=release_stated(document, own, before.intro, texts),
        release_held=release_stated(document, own, before.intro, texts, holds_on=True),
        title=before.title,
        intro=before.intro,
        defines_pairs=before.defines_pairs,
        units=units_in(notes),
        unit_of_table=unit_of_table(notes),
    )


def _first(read: Callable[[str], str | None], texts: Sequence[str]) -> str | None:
    """What the first text says that says something."""
    return next((found for text in texts if (found := read(text)) is not None), None)


def _read_task(text: str) -> str | None:
    tasks = {match[1].casefold() for match in _TASK.finditer(text)}
    if _OF_TRAINING.search(text):
        tasks.add("training")
    return tasks.pop() if len(tasks) == 1 else None


def _read_tuning(text: str) -> str | None:
    match = _TUNING.search(text)
    return f"{(match['before'] or match['behind']).casefold()} optimized" if match else None


def names_subject(text: str) -> bool:
    """True for a heading that names one platform or one model."""
    return read_platform_in(text) is not None or "model_printed" in conditions_in([text])


def within(context: Context, title: str, *, names_platforms: bool) -> Context:
    """The context of the rows below a title that stands inside their table.

    `names_platforms` says that a title of the table names a platform: below one that names none, and is no mere
    condition, the platform is not known.
    """
    platform = read_platform_in(title)
    if platform is None and (is_condition(title) or not names_platforms):
        platform = context.platform
    return replace(
        context,
        task=_read_task(title) or context.task,
        platform=platform,
        stated=dict(context.stated) | conditions_in([title]),
        settings=tuple(with_settings(settings_in([title]), context.settings)),
    )


def _defines_precision_pairs(document: Document) -> bool:
    """True where a footnote says that X.Y means the precision of activations and of weights."""
    return any("X.Y" in line.text and _PAIR_NOTE.search(line.text) for line in document.lines)
