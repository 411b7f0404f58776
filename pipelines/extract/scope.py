"""What the words around a table or a sentence state for it: captions, headings, sentences, the page, each with its
level.

The nearest level that states a dimension wins; two answers on one level give none, and nothing from further out. What a
text states is read by `mentions.py`; the cells of a table belong in `tables/`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from pipelines.extract.mentions import (
    NAMES,
    Mention,
    families_of_chips,
    field_of,
    find_mentions,
    known_name,
    typed,
)
from pipelines.extract.rows import Level
from pipelines.read.document import Cell, Document, Grid
from pipelines.vocabulary.lookup import find
from pipelines.vocabulary.printed_names import read_model, read_platform, read_versioned


class Stated(NamedTuple):
    """One condition as a level states it.

    Attributes:
        dimension: What is stated: `platform`, `precision`, `metric`, `unit` ...
        value: The typed value, or a name as printed.
        cell: The printed characters.
        level: Where they stand.
    """

    dimension: str
    value: str
    cell: Cell
    level: Level


class Words(NamedTuple):
    """A text around a table or a number.

    Attributes:
        cell: Its characters.
        level: The level they count at.
        in_sentence: Whether it is running text.
        chip: Of a heading: its characters that stand where the headings beside it name a platform.
    """

    cell: Cell
    level: Level
    in_sentence: bool = False
    chip: Cell | None = None


_MAX_SENTENCE = 2000
# A section heading is a label on a line of its own.
_MAX_LABEL = 90
# `TABLE 4: Performance of the representative model`, `**Table 1** FSDP on ...`: a caption may be long.
_CAPTION = re.compile(r"\W{0,3}table\s+\d+(?:\s*[:.]|\*\*|\s{2,}(?=\S)|\s+[-\u2013\u2014])", re.IGNORECASE)
# Words that mark a line as the text of a picture, not as a heading.
_PICTURE = re.compile(r"\blogo$", re.IGNORECASE)
# Sentences that speak of how results came about, beside those that merely stand there.
_OF_RESULTS = re.compile(
    r"\b(?:throughput|latency|speed|performance|results?|numbers|measure[ds]?|measurements?|benchmark(?:s|ed)?|experiments?"
    r"|collected|test(?:s|ed)|per second|time to train|obtained|evaluated|trained"
    r"|run(?:ning|s)?|using|table|metric|unless|workloads?|requests?)\b",
    re.IGNORECASE,
)
# Of these, what the introduction of a page also says of what the software can do.
_OF_USE = re.compile(r"\b(?:run(?:ning|s)?|using|metric)\b", re.IGNORECASE)
_COMPARES = re.compile(
    r"\b(?:than|compared|versus|vs|over\s(?:the\s)?(?:previous|baseline|[A-Z]\w*\d)|baseline|unlike|instead"
    r"|previous(?:ly)?|faster|slower|speed-?ups?|support(?:s|ed)?|requires?|recommend(?:ed)?|install|download|e\.g"
    r"|for example|such as|should|can be|may|if you)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z(*`])")
# `*   **TPU Hardware:** Cloud TPU v6e-4 slice (4 chips)`, `- Model: Llama 3 8B`, `GPU: 8x H100`
_ENTRY = re.compile(
    r"\s*(?:[*+\u2022-]\s+)?(?:\*\*|__)?(?P<key>[A-Za-z#][A-Za-z# /_-]{1,30}?)(?:\*\*|__)?\s?[:=]\s?(?:\*\*|__)?\s?"
    r"(?P<value>[^\s:=].*)"
)
# `80GB` of `A100-80GB`
_MEMORY = re.compile(r"[\s-]?\(?\d{2,3}\s?GB?\)?")
# `_PT = PyTorch 1.12 Eager_`, `FTL: First Token Latency`: what an abbreviation stands for
_LEGEND = re.compile(r"[\W_]{0,4}(?P<key>[A-Z]{2,5})\s?[=:]\s")
# `-  NVIDIA A100 80GB`
_ITEM = re.compile(r"\s*[-*+\u2022]\s+(?=\S)")
# Headings of a part that says how all beside it was run.
_SETUP = re.compile(
    r"\b(?:environment|set-?up|hardware|test ?bed|system|configuration|platform|methodology|settings?|conditions|specs?"
    r"|specifications?|server|details)s?\b",
    re.IGNORECASE,
)
# Levels whose texts name what is below them.
_NAMING = frozenset({"caption", "heading", "page"})
# What a text says of itself, not of results.
_NOT_LENT = frozenset(
    {"field", "comparison", "expectation", "bound", "unknown_name", "image_size", "epoch", "mode", "dataset_split"}
)
# What a label states that is no name of a section of its own.
_CONDITIONS = frozenset(
    {
        *("precision", "batch_size", "sequence_length", "input_length", "output_length", "quantization", "kv_cache"),
        *("tensor_parallel", "pipeline_parallel", "data_parallel", "expert_parallel", "concurrency", "nodes"),
        *("accelerator_count", "epoch", "sdk_version", "mode", "scenario"),
    }
)
# Signs around a name in Markdown and in quotes
_SIGNS = "`*\"'_ "
# `google/gemma-4-31B-it` (FP8 quantized): the name, without what stands behind it
_NAME = re.compile(r"[`*\"'\s]*+(?P<name>[^`*\"(,;]+?)(?:(?<![\s'])[`*\"'\s]++)?(?:[(,;].*)?")


@dataclass
class Around:
    """What holds for one table.

    Attributes:
        section: Nearest heading above it, as printed; None where none is known.
        section_line: Its line.
        words: The texts that count for it, the nearest level first; each inner sequence is one level.
        holds: False where the table's own heading may be lost: only the page and its title count.
    """

    section: str | None = None
    section_line: int | None = None
    words: tuple[tuple[Words, ...], ...] = ()
    _stated: dict[str, Stated | None] = field(default_factory=dict)

    def stated(self, dimension: str) -> Stated | None:
        """What the nearest level states of a dimension, or None for no answer or several."""
        if dimension not in self._stated:
            found = next(self._answers(dimension), None)
            if found and dimension in ("sdk_version", "platform", "framework", "model"):
                near = found
                found = next((s for s in self._answers(dimension) if s and _is_fuller(dimension, s, near)), found)
            if found and dimension == "platform" and found.level == "sentence" and _is_processor(found):
                # `CPU: Xeon Gold 6148` on a page about accelerators is what stands around them.
                found = next((s for s in self._answers(dimension) if s and not _is_processor(s)), found)
            self._stated[dimension] = found
        return self._stated[dimension]

    @cached_property
    def by_level(self) -> list[dict[str, Stated | None]]:
        """What each level states, by dimension; None where it states two things."""
        return [_of_level(level) for level in self.words]

    @cached_property
    def expects(self) -> bool:
        """True where the nearest heading or title says that its numbers are expected and were not measured."""
        near = [words for level in self.words for words in level if words.level in ("row_title", "caption", "heading")]
        return any(m.kind == "expectation" for words in near[:2] for m in find_mentions(words.cell.text))

    def _answers(self, dimension: str) -> Iterator[Stated | None]:
        for level in self.by_level:
            if dimension in level:
                yield level[dimension]

    def within(self, title: Cell) -> Around:
        """The same for rows below a title that stands inside the table."""
        return Around(self.section, self.section_line, ((Words(title, "row_title"),), *self.words))


def _is_fuller(dimension: str, other: Stated, near: Stated) -> bool:
    """True for `1.20.1` and a nearer `1.20`, for `A100-80GB` and a nearer `A100`: the longer says which one it is."""
    if dimension == "sdk_version":
        return other.value.startswith(f"{near.value}.")
    if not other.value.startswith(near.value) or other.value == near.value:
        return False
    if dimension == "model":
        # `YOLOv8n` further out than the name of its family
        return not any(m.kind == "model" and m.value == near.value for m in find_mentions(near.value))
    if dimension == "platform":
        return _MEMORY.fullmatch(other.value, len(near.value)) is not None
    return read_versioned("frameworks", other.value).entry == read_versioned("frameworks", near.value).entry


def _of_level(words: Sequence[Words]) -> dict[str, Stated | None]:
    found: dict[str, list[Stated]] = {}
    for text in words:
        for stated in mentions_at(*text[:3]):
            found.setdefault(stated.dimension, []).append(stated)
        if text.chip is not None:
            # `4090 Results` beside `A6000 Results`; a word alone may be none: `Full Results`
            is_number = any(map(str.isdigit, text.chip.text))
            kind = "platform" if is_number else "unknown_name"
            found.setdefault(kind, []).append(Stated(kind, text.chip.text, text.chip, text.level))
    unknown = [s for s in found.pop("unknown_name", []) if s.level != "sentence"]
    answers = {dimension: _one_of(dimension, several) for dimension, several in found.items()}
    if unknown:
        answers.setdefault("platform", None)
    if not all(_is_no_model(s.value) for s in unknown):
        answers.setdefault("model", None)
    return answers


# `HIPCC-10736`: so long a number is that of a build
_BUILD = re.compile(r"\d{5}")


def _is_no_model(unknown: str) -> bool:
    """True for an unknown name of a family of chips, `RTX 6000`, and for that of a build of software."""
    family = re.split(r"[\s-]|(?<=\D)(?=\d)", unknown)[0]
    return _BUILD.search(unknown) is not None or family.casefold() in families_of_chips()


@lru_cache(1 << 14)
def mentions_at(cell: Cell, level: Level, in_sentence: bool = False) -> tuple[Stated, ...]:
    """What the mentions in printed characters state at a level."""
    stated: list[Stated] = []
    mentions = find_mentions(cell.text, in_sentence)
    if level in _NAMING and not in_sentence and not any(m.kind == "model" for m in mentions):
        # The family alone, `Standard BERT, batch size 1`, is all that such a text says of the model.
        mentions = (*mentions, *(m for m in find_mentions(cell.text, True) if m.kind == "model"))
    compares = any(m.kind == "comparison" for m in mentions)
    for mention in mentions:
        if mention.kind == "field" and (task := _TASK_OF_FIELD.match(cell.text, mention.start, mention.end)):
            # `a high performance inference library`
            stated.append(Stated("task", typed("task", task[0]) or "", cell.part(*task.span()), level))
        if mention.kind == "unknown_name" or (
            mention.kind not in _NOT_LENT and not (compares and mention.kind in NAMES)
        ):
            stated += _stated_by(mention, cell, level)
    is_named = compares or any(s.dimension == "platform" for s in stated)
    if not is_named and (chip := _CALLED_CHIP.search(cell.text[:_MAX_SENTENCE])):
        # What is called a chip is one, whether a vocabulary knows it or not; `NPU FP16` calls nothing so.
        start, end = chip.span(chip.lastgroup or 0)
        is_other = any(m.start < end and start < m.end for m in mentions if m.kind != "unknown_name")
        if not is_other:
            stated = [s for s in stated if s.dimension != "unknown_name"]
            stated.append(Stated("platform", cell.text[start:end], cell.part(start, end), level))
    legend = _LEGEND.match(cell.text)
    of_key = (m.kind for m in mentions if legend and m.start < legend.end("key"))
    if legend and field_of(legend["key"]) is None and _CONDITIONS.isdisjoint(of_key):
        # It says what a word means, and not that it holds.
        return ()
    if entry := _ENTRY.fullmatch(cell.text):
        stated = [*_of_entry(entry, cell, level), *stated]
    return tuple(stated)


# `on NPU KDP520`, `RZ999 board`
_CALLED_CHIP = re.compile(
    r"\b(?:NPU|TPU|DSP|SoC)\s(?P<behind>[A-Z]{2,6}\d{2,5}[A-Z]?)\b"
    r"|\b(?!(?:ARM|AMD)\d)(?P<before>[A-Z]{2,6}\d{2,5}[A-Z]?)\s(?:NPU|board|EVB|SoC)\b"
)
# The first word of `Inference library`, `Training framework`
_TASK_OF_FIELD = re.compile(r"(?:inference|training)(?=\s(?:framework|library|engine|backend))", re.IGNORECASE)


def _stated_by(mention: Mention, cell: Cell, level: Level) -> Iterator[Stated]:
    kind, value, start, end = mention
    place = cell.part(start, end)
    if kind == "batch_size":
        which, _, value = value.rpartition(":")
        if which:
            yield Stated("batch_size_kind", which, place, level)
    yield Stated(kind, value, place, level)


def _of_entry(match: re.Match[str], cell: Cell, level: Level) -> Iterator[Stated]:
    """What an entry of a list says: `Batch size: 8`, `Model: acme/base-7B` also where no vocabulary knows the name."""
    entry = field_of(match["key"].strip())
    dimension = dimension_of(entry.name, str(entry.facts["column"])) if entry else None
    name = _NAME.fullmatch(match["value"])
    if dimension is None or name is None:
        return
    start = match.start("value") + name.start("name")
    place = cell.part(start, start + len(name["name"]))
    value = typed(dimension, name["name"])
    is_name = dimension in NAMES
    if value and (
        not is_name or known_name(dimension, value) or (dimension == "model" and len(value) <= _MAX_LABEL // 2)
    ):
        yield Stated(dimension, value, place, level)


# Columns of `headings.yml` and attributes of it that are dimensions of their own.
_DIMENSIONS = {
    "Input Length": "input_length", "Output Length": "output_length", "Input/Output Length": "lengths",
    "Concurrency": "concurrency", "Requests": "requests", "Request Rate": "request_rate", "Scenario": "scenario",
    "Nodes": "nodes", "Accelerators per Node": "accelerators_per_node", "TP": "tensor_parallel",
    "PP": "pipeline_parallel", "DP": "data_parallel", "CP": "context_parallel", "EP": "expert_parallel",
    "Quantization": "quantization", "KV Cache": "kv_cache", "Microbatch": "gradient_accumulation",
}  # fmt: skip
_COLUMNS = frozenset(
    {
        *("model", "platform", "accelerator_count", "sdk_version", "framework", "dataset", "batch_size", "precision"),
        *("sequence_length", "image_size", "task", "division", "submission_id"),
    }
)


def dimension_of(name: str, column: str) -> str | None:
    """The dimension that a heading of the vocabulary announces, None for one that is none of its own."""
    if column in _COLUMNS:
        return column
    return _DIMENSIONS.get(name)


def _one_of(dimension: str, several: Sequence[Stated]) -> Stated | None:
    """The one thing that all of these state, the fullest of its spellings; None where two differ."""
    first = several[0]
    distinct: dict[str, Stated] = {}
    for stated in several:
        identity = _identity(dimension, stated.value)
        known = distinct.get(identity)
        distinct[identity] = stated if known is None or len(stated.value) > len(known.value) else known
    if len(distinct) == 1:
        return next(iter(distinct.values()))
    if dimension == "platform":
        return _one_platform(list(distinct.values()))
    if dimension in ("model", "framework", "sdk_version"):
        # `Llama 3.1` and `Llama 3.1 8B` are one model, `1.20` and `1.20.1` one release: the longer says which.
        names = sorted(distinct, key=len, reverse=True)
        if all(names[0].startswith(name) for name in names):
            return distinct[names[0]]
    return None if dimension != "section" else first


def _one_platform(several: Sequence[Stated]) -> Stated | None:
    """The one system among a system and its own chip, in brackets or beside it: `DGX A100 (8x A100 40GB)`."""
    # The processor of the host says nothing of the accelerators: `8x V100` beside `2x Xeon E5-2698 v4`.
    several = [stated for stated in several if not _is_processor(stated)]
    if len(several) == 1:
        return several[0]
    if len(several) != 2:
        return None
    first, second = sorted(several, key=lambda s: (s.cell.line, s.cell.start))
    entries = [read_platform(stated.value).entry for stated in (first, second)]
    chips = [str(entry.facts.get("chip") or entry.name) if entry else "" for entry in entries]
    is_apart = first.cell.line != second.cell.line
    if is_apart and all(chips) and entries[0] and chips[1].startswith(entries[0].name):
        # `a single A100`, then the instance that has it
        return first
    # What stands in brackets details what stands before them.
    is_detail = first.cell.line == second.cell.line and 0 <= second.cell.start - first.cell.end <= len(" with (")
    return second if is_detail else None


def _is_processor(stated: Stated) -> bool:
    entry = read_platform(stated.value).entry
    return entry is not None and bool(entry.facts.get("processor"))


def _identity(dimension: str, value: str) -> str:
    text = value.casefold()
    if dimension == "platform":
        found = read_platform(value)
        return f"{found.entry.name} {found.multiplier or ''}" if found.entry else text
    if dimension == "model":
        entry = read_model(value).entry
        return entry.name.casefold() if entry else text.replace("-", " ")
    if dimension == "framework":
        name = read_versioned("frameworks", value)
        return f"{name.entry.name} {name.version or ''}".casefold() if name.entry else text
    if dimension == "dataset":
        entry = find("datasets", value)
        return entry.name if entry else text
    return text


# Where the words stand


class Scope:
    """The headings, captions and sentences of a document; asked once for each table."""

    def __init__(self, document: Document, grids: Sequence[Grid], taken: Collection[int] = ()) -> None:
        self._document = document
        self._grids = sorted(grids, key=lambda grid: grid.first_line)
        self._covered = set(taken)
        for grid in self._grids:
            self._covered.update(range(grid.first_line, grid.last_line + 1))
        self._levels = [(line, level) for line, level in document.levels if line not in self._covered]
        self._heading_lines = [line for line, _ in self._levels]
        self._ends = [grid.last_line for grid in self._grids]
        self._starts = [grid.first_line for grid in self._grids]
        self._setup_lists: dict[int, bool] = {}

    def around(self, grid: Grid) -> Around:
        """What holds for a table, from the caption right above it to the title of the page."""
        before = bisect_left(self._ends, grid.first_line)
        low = self._ends[before - 1] + 1 if before else 1
        if self._levels:
            return self._in_sections(grid, low)
        return self._in_text(grid, low, is_first=before == 0)

    def notes_behind(self, grid: Grid, reach: int = 12) -> list[Cell]:
        """The lines right behind a table, as far as footnotes go: up to the next table or heading."""
        found = []
        for number in range(grid.last_line + 1, min(grid.last_line + 1 + reach, len(self._document.lines) + 1)):
            if number in self._covered:
                break
            if not self._document.line(number).is_blank:
                found.append(self._document.line(number).cell)
        return found

    # Files that say where their headings are

    def _in_sections(self, grid: Grid, low: int) -> Around:
        at = bisect_right(self._heading_lines, grid.first_line) - 1
        if at < 0:
            return Around(words=tuple(level for level in self._near(grid, low) if level))
        # The end of a part is the next heading for what stands behind it, and says nothing.
        chain = [said for group in self._chain(at) if (said := [line for line in group if self._text(line)])]
        if not chain:
            return Around(words=tuple(level for level in self._near(grid, low) if level))
        own = chain[0]
        caption, sentences = self._near(grid, max(low, own[-1] + 1))
        words = [caption, *self._levels_of(chain, grid, sentences)]
        named = next((line for line in own if not _is_condition(self._text(line))), own[0])
        return Around(self._text(named), named, tuple(level for level in words if level))

    def _chain(self, at: int) -> list[list[int]]:
        """The headings over a place, the nearest first; those of one level with nothing between them belong
        together.
        """
        line, level = self._levels[at]
        groups, least = [[line]], level
        behind = line
        for other, depth in reversed(self._levels[:at]):
            is_bare = (
                all(self._document.line(n).is_blank for n in range(other + 1, behind)) if behind - other < 20 else False
            )
            if depth == least and is_bare and other < groups[-1][0] and behind == groups[-1][0]:
                groups[-1].insert(0, other)
            elif depth < least:
                groups.append([other])
                least = depth
            else:
                continue
            behind = other
        return groups

    def _levels_of(
        self, chain: list[list[int]], grid: Grid, sentences: tuple[Words, ...]
    ) -> Iterator[tuple[Words, ...]]:
        for depth, group in enumerate(chain):
            is_title = depth == len(chain) - 1 and depth > 0
            level: Level = "page" if is_title else "heading"
            yield tuple(Words(self._cell(line), level, chip=self._chip_like_siblings(line)) for line in reversed(group))
            # What stands below a heading, before its first part and before the table.
            start = group[-1] + 1
            end = self._next_heading(group[-1])
            end = min(end, grid.first_line, self._next_table(start))
            lines = range(start, end)
            intro = tuple(self._sentences(lines, "page" if is_title else "sentence"))
            if depth == 0:
                yield sentences
                # What stands above the first table of a section speaks of the next ones as well.
                yield tuple(words for words in intro if words not in sentences)
            else:
                yield intro
            yield tuple(self._setups(self._place(group[-1]), grid, chain))
        # Parts that stand beside all of these, in a file without a title.
        yield tuple(self._setups(None, grid, chain))

    def _chip_like_siblings(self, line: int) -> Cell | None:
        """What a heading says where one beside it, else of the same words, names a platform: `4090` of `4090 Results`,
        beside `A6000 Results`; None where it names one itself.
        """
        cell, at = self._cell(line), self._place(line)
        if any(m.kind not in _BESIDE_CHIP for m in find_mentions(cell.text)):
            return None
        depth = self._levels[at][1]
        for step in (-1, 1):
            for other in range(at + step, at + step * _MAX_SIBLINGS, step):
                if not 0 <= other < len(self._levels) or self._levels[other][1] < depth:
                    break
                sibling, level = self._levels[other]
                if level == depth and (found := _in_place_of_chip(cell, self._text(sibling))):
                    return found
        return None

    def _next_heading(self, line: int) -> int:
        at = bisect_right(self._heading_lines, line)
        return self._heading_lines[at] if at < len(self._heading_lines) else len(self._document.lines) + 1

    def _place(self, heading: int) -> int:
        return bisect_left(self._heading_lines, heading)

    def _next_table(self, line: int) -> int:
        at = bisect_left(self._starts, line)
        return self._starts[at] if at < len(self._starts) else len(self._document.lines) + 1

    def _setups(self, at: int | None, grid: Grid, chain: list[list[int]]) -> Iterator[Words]:
        """Lists below a heading of the setup that stands beside the table's own, below one parent."""
        if at is None:
            depth = min(level for _, level in self._levels) - 1
            if any(level == depth + 1 for line, level in self._levels if [line] == chain[-1][:1] and len(chain) > 1):
                return
            at = -1
        else:
            depth = self._levels[at][1]
        inside = {line for group in chain for line in group}
        for line, level in self._levels[at + 1 :]:
            if line >= grid.first_line or level <= depth:
                break
            if line in inside or level != depth + 1:
                continue
            if not _SETUP.search(self._text(line)) and not self._lists_a_setup(line):
                continue
            yield from self._sentences(range(line + 1, self._next_heading(line)), "page", is_setup=True)

    def _lists_a_setup(self, heading: int) -> bool:
        """True for a part that names, in a list, two of what was run, on what and by what, and holds no table."""
        if heading not in self._setup_lists:
            lines = range(heading + 1, self._next_heading(heading))
            entries = [(self._cell(n), m) for n in lines if (m := _ENTRY.fullmatch(self._text(n)))]
            named = {s.dimension for cell, entry in entries for s in _of_entry(entry, cell, "page")}
            is_apart = self._covered.isdisjoint(lines)
            self._setup_lists[heading] = is_apart and len(named.intersection(NAMES)) > 1
        return self._setup_lists[heading]

    # Flattened text: a heading is a label that stands alone

    def _in_text(self, grid: Grid, low: int, *, is_first: bool) -> Around:
        labels = list(self._labels(range(low, grid.first_line)))
        own = labels[0] if labels else None
        caption, sentences = self._near(grid, (own or low - 1) + 1)
        words: list[tuple[Words, ...]] = [caption]
        title = self._title
        if own is None:
            words.append(sentences)
            section = self._last_section(grid)
            words.append(tuple(self._title_words(title)) if title else ())
            return Around(*section, tuple(level for level in words if level))
        group = [own]
        for label in labels[1:]:
            if _is_condition(self._text(group[-1])):
                group.append(label)
        for line in group:
            words.append((Words(self._cell(line), "heading"),))
        words.append(sentences)
        if is_first and title is not None and title < own:
            words.append(tuple(self._sentences(range(low, own), "page")))
        if title is not None and title not in group and self._is_title and self._stands_over(title, grid):
            words.append(tuple(self._title_words(title)))
        named = next((line for line in group if not _is_condition(self._text(line))), own)
        return Around(self._text(named), named, tuple(level for level in words if level))

    def _stands_over(self, title: int, grid: Grid) -> bool:
        """False for a first heading that is one of a row of them: `A on 8x X`, then `B on 8x X`."""
        kinds = {m.kind for m in find_mentions(self._text(title)) if m.kind in ("model", "platform")}
        if "platform" not in kinds:
            return True
        others = (n for n in range(title + 1, grid.first_line) if self._stands_alone(n))
        return not any(m.kind in kinds for number in others for m in find_mentions(self._text(number)))

    @cached_property
    def _is_title(self) -> bool:
        """False where the first label of a text is the heading of its first table, and no title of the page."""
        first = self._grids[0] if self._grids else None
        own = next(self._labels(range(1, first.first_line)), None) if first else None
        return own != self._title

    @cached_property
    def _title(self) -> int | None:
        end = self._grids[0].first_line if self._grids else len(self._document.lines) + 1
        return next((n for n in range(1, end) if self._stands_alone(n)), None)

    def _title_words(self, title: int) -> Iterator[Words]:
        yield Words(self._cell(title), "page")

    def _last_section(self, grid: Grid) -> tuple[str | None, int | None]:
        """The heading of the table before: it may go on, but what it says of its own rows may not hold."""
        for number in range(grid.first_line - 1, 0, -1):
            if number not in self._covered and self._stands_alone(number):
                return self._text(number), number
        return None, None

    def _labels(self, lines: range) -> Iterator[int]:
        return (number for number in reversed(lines) if self._stands_alone(number))

    def _stands_alone(self, number: int) -> bool:
        if number in self._covered:
            return False
        line = self._document.line(number)
        if line.is_blank or not is_label(line.cell.text):
            return False
        last = number == len(self._document.lines)
        return last or number + 1 in self._covered or self._document.line(number + 1).is_blank

    # Both

    def _near(self, grid: Grid, low: int) -> tuple[tuple[Words, ...], tuple[Words, ...]]:
        """The caption of a table, then the sentences above it up to its heading."""
        caption = [Words(grid.caption, "caption")] if grid.caption and not grid.caption.is_blank else []
        lines = [
            n
            for n in range(max(low, 1), grid.first_line)
            if n not in self._covered and not self._document.line(n).is_blank
        ]
        if lines and not caption:
            last = self._cell(lines[-1])
            if _leads_to_table(last.text) and grid.first_line - lines[-1] <= 3:
                caption = [Words(last, "caption")]
                lines = lines[:-1]
        return tuple(caption), tuple(self._sentences(lines, "sentence"))

    def _sentences(self, lines: Iterable[int], level: Level, *, is_setup: bool = False) -> Iterator[Words]:
        """The sentences and entries of lists in these lines that state how results came about."""
        is_listed = False
        for number in lines:
            if number in self._covered:
                continue
            cell = self._cell(number)
            if is_listed and (item := _ITEM.match(cell.text)):
                # What `The environment of the evaluation is:` leads to.
                yield Words(cell.part(item.end(), len(cell.text)), level)
                continue
            is_listed = (is_listed and cell.is_blank) or (
                cell.text.rstrip().endswith(":") and _SETUP.search(cell.text) is not None
            )
            if cell.is_blank or len(cell.text) > _MAX_SENTENCE or _CAPTION.match(cell.text):
                # The caption of an earlier table is no sentence about this one.
                continue
            if _ENTRY.fullmatch(cell.text) or is_setup:
                yield Words(cell, level)
                continue
            for part in _parts(cell):
                said = _OF_USE.sub("", part.text) if level == "page" else part.text
                if _OF_RESULTS.search(said) and not _COMPARES.search(_without_units(part.text)):
                    yield Words(part, level)

    def _cell(self, number: int) -> Cell:
        return self._document.line(number).cell

    def _text(self, number: int) -> str:
        return self._cell(number).text


# Headings before and behind one that are looked at.
_MAX_SIBLINGS = 20
# What a heading may say beside the name of a chip that no vocabulary knows.
_BESIDE_CHIP = frozenset({"field", "unknown_name"})


# `1080 Ti`, `2080 Ti (CUDA 10.0.130)`: a number of a chip, and no more than a word behind it
_NAME_OF_CHIP = re.compile(r"\d{4}(?:\s?[A-Z]\w{0,5})?(?=\s*\(|$)")


def _in_place_of_chip(cell: Cell, sibling: str) -> Cell | None:
    """The characters of a heading where another one, else the same, names a platform: `1080 Ti` beside `Titan V`."""
    for mention in find_mentions(sibling):
        before, behind = sibling[: mention.start], sibling[mention.end :]
        if mention.kind != "platform":
            continue
        if not any(map(str.isalpha, before + behind)):
            # A number below a heading of its own counts or numbers something: `2 GPUs`, `3. Results`.
            name = _NAME_OF_CHIP.match(cell.text)
            return cell.part(0, name.end()) if name else None
        start, end = len(before), len(cell.text) - len(behind)
        if end > start and cell.text.startswith(before) and cell.text.endswith(behind):
            return cell.part(start, end)
    return None


def _without_units(text: str) -> str:
    """A sentence without its units: `images that can be predicted per second` speaks of no ability."""
    for mention in find_mentions(text):
        if mention.kind == "unit":
            text = f"{text[: mention.start]}{' ' * (mention.end - mention.start)}{text[mention.end :]}"
    return text


def _parts(cell: Cell) -> Iterator[Cell]:
    start = 0
    for end in _SENTENCE_END.finditer(cell.text):
        yield cell.part(start, end.start())
        start = end.end()
    yield cell.part(start, len(cell.text))


def is_label(text: str) -> bool:
    """True for a short line that is a label and no sentence, or the caption of a table."""
    if _CAPTION.match(text):
        return True
    return (
        # One letter is what a wrong encoding leaves of a blank line.
        1 < len(text) <= _MAX_LABEL
        and "|" not in text
        and "\t" not in text
        and not text.startswith(("<", "\u2022", "*", "- ", "+ "))
        and not text.endswith((".", ":", "!", "?", ","))
        and any(character.isalpha() for character in text)
        and not _PICTURE.search(text)
        # `Benchmark duration (s):   68.19` is an entry of a list.
        and ": " not in text
    )


def _leads_to_table(text: str) -> bool:
    """True for the line right above a table that speaks of it alone: a label, a caption, what ends with a colon."""
    plain = text.strip(_SIGNS)
    return bool(_CAPTION.match(text)) or text.rstrip().endswith(":") or is_label(plain) or text.startswith("**")


def _is_condition(text: str) -> bool:
    """True for a label that is one condition (`FP16`, `Batch size 8`) or says nothing: no name of a section."""
    mentions = find_mentions(text)
    kinds = {mention.kind for mention in mentions}
    if kinds - _CONDITIONS:
        return False
    if not kinds:
        return len(text.split()) == 1
    covered = sum(mention.end - mention.start for mention in mentions)
    return covered * 3 >= len(text) * 2


def around_line(document: Document, line: int, taken: Collection[int] = ()) -> Around:
    """What holds for something that begins at a line: what the words above it state."""
    place = Grid((), (), (), line, line)
    return Scope(document, [*document.grids, place], taken).around(place)
