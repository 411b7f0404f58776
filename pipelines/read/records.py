"""JSON, JSON Lines and YAML to `Document`: every list of objects is a table, and so is the one object
of a file.

A line keeps its number and a value its place: a text with escapes is written as it reads, with
blanks for what it is shorter. What the tables mean belongs in `extract/tables/`.
"""

from __future__ import annotations

import gc
import json
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import accumulate, chain
from typing import Any, NamedTuple, NoReturn

import yaml

from pipelines.read.document import Cell, Document, Grid, Note, ReadError

# `"p99_ttft_ms"`, `-1.5e3`, `{`, in a text that is known to be JSON
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[^\s"{}\[\]:,]++|[{}\[\]]')
_NOT_BLANK = re.compile(r"\S")
# `[{"model":`, `{}`, how a JSON begins that may be cut off or one of several
_BEGUN = re.compile(r'[\[{]\s*+(?:\{\s*+)?(?:"(?:[^"\\]|\\.)*+"\s*+:|\})')
# `\n` in a text is no end of its line.
_CONTROL = dict.fromkeys(range(0x20), " ")
_DEEPEST, _MOST_VALUES = 100, 1_000_000
# A longer list of numbers or texts holds samples, not results.
_MOST_LISTED = 8
# Of the one object of a file
_ROOT = "."
_YAML = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_YAML_NULL = ("~", "null", "Null", "NULL")
_MERGE = "<<"


class Scalar(NamedTuple):
    """A number, a word, or a text without its quotes and escapes; "" for null."""

    text: str
    start: int
    end: int


Node = Scalar | dict[str, tuple[Scalar, "Node"]] | list["Node"]
# A bracket, or "" with a scalar.
Event = tuple[str, Scalar]
# The values of an object by their keys from outside, without those in lists of objects.
Fields = dict[tuple[str, ...], tuple[tuple[Scalar, ...], Scalar]]


def is_json(text: str) -> bool:
    """Whether a text is JSON, or begins as such."""
    text = text.strip()
    if not text.startswith(("{", "[")):
        return False
    try:
        json.loads(text, parse_int=str, parse_float=str)
    except RecursionError:
        return True
    except json.JSONDecodeError as error:
        # It is cut off, or one of several lines.
        is_begun = _is_cut_off(text, error) or text.startswith(("\n{", "\n["), error.pos - 1)
        return is_begun and _BEGUN.match(text) is not None
    return True


def _is_cut_off(text: str, error: json.JSONDecodeError) -> bool:
    return not text[error.pos :].strip() or error.msg.startswith("Unterminated string")


def read(document: Document) -> Document:
    """The lines of a file of records, and a grid for each list of objects, with all of its objects.

    The headings of a grid are the keys of each value, and its path says which list it is:
    `results[].metrics[]`, `.` for the one object of a file. Values of the objects around a list are
    columns, too, with `^` before the first key.

    Raises:
        ReadError: `bad_records`, with line and column.
    """
    records = _Records("\n".join(document.texts))
    return records.document(document, records.json_events())


def read_yaml(document: Document) -> Document:
    """The same for YAML; several documents of a file are one list.

    What an alias stands for has the place of its anchor, and counts as often as it is repeated.

    Raises:
        ReadError: As of `read`.
    """
    records = _Records("\n".join(document.texts))
    return records.document(document, records.yaml_events())


@contextmanager
def _without_collection() -> Iterator[None]:
    """To search millions of values for cycles, which they have not, takes half of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _Records:
    """The records of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._begins = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        # What is written otherwise than in the file.
        self._written: list[Scalar] = []
        self._samples: Counter[str] = Counter()
        self._rows: defaultdict[str, list[tuple[Fields, ...]]] = defaultdict(list)
        # The key of each list.
        self._captions: dict[str, Scalar] = {}

    @_without_collection()
    def document(self, document: Document, events: Iterable[Event]) -> Document:
        roots = self._tree(events)
        if len(roots) == 1 and isinstance(roots[0], dict):
            fields = self._fields(roots[0])
            self._rows[_ROOT].append((fields,))
            self._walk_object(roots[0], "", (fields,))
        else:
            self._walk_list(roots[0] if len(roots) == 1 else roots, "", ())
        grids = [self._grid(path, rows) for path, rows in self._rows.items()]
        notes = []
        if self._samples:
            lists = ", ".join(f"`{name}` ({n:,})" for name, n in self._samples.most_common(8))
            reason = (
                f"{self._samples.total():,} values are samples and not read, in the lists {lists}"
            )
            notes.append(Note("samples", reason, None, "note"))
        return replace(
            document,
            texts=tuple(self._rewritten().split("\n")),
            grids=tuple(grid for grid in grids if grid.keys),
            notes=tuple(notes),
            is_data=True,
        )

    def _place(self, at: int) -> tuple[int, int]:
        """Line, from 1, and offset in it, of a character."""
        line = bisect_right(self._begins, at)
        return line, at - self._begins[line - 1]

    def _cell(self, scalar: Scalar) -> Cell:
        line, start = self._place(scalar.start)
        return Cell(scalar.text, line, start, start + len(scalar.text))

    def _fail(self, at: int, reason: str) -> NoReturn:
        line, column = self._place(at)
        raise ReadError("bad_records", f"column {column + 1}: {reason}", line)

    def _rewritten(self) -> str:
        """The text with what is written otherwise; a line keeps its length."""
        parts: list[str] = []
        at = 0
        for text, start, end in sorted(self._written, key=lambda one: one.start):
            if start < at:
                continue
            first, *others = self._text[start:end].split("\n")
            blanks = ["\n" + " " * len(other) for other in others]
            parts += [self._text[at:start], text.ljust(len(first)), *blanks]
            at = end
        return "".join(parts) + self._text[at:]

    # From characters to objects

    def json_events(self) -> Iterator[Event]:
        """The brackets and scalars of JSON, or of one JSON a line."""
        for begin, end in self._roots():
            for match in _TOKEN.finditer(self._text, begin, end):
                token, start, end = match[0], match.start(), match.end()
                if token[0] == '"':
                    text = json.loads(token) if "\\" in token else token[1:-1]
                    yield "", self._scalar(text, start + 1, end - 1)
                elif token in "{}[]":
                    yield token, Scalar("", start, end)
                else:
                    yield "", Scalar("" if token == "null" else token, start, end)

    def _scalar(self, text: str, start: int, end: int) -> Scalar:
        """A text as it reads, between two characters of the file."""
        if text != self._text[start:end]:
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            text = text.translate(_CONTROL)
            self._written.append(Scalar(text, start, end))
        left = text.lstrip()
        start += len(text) - len(left)
        return Scalar(left.rstrip(), start, end)

    def _roots(self) -> Iterator[tuple[int, int]]:
        """First and last character of each JSON; of several, each is a line of its own."""
        decoder = json.JSONDecoder(parse_int=str, parse_float=str)
        text, ends = self._text, list[tuple[int, int]]()
        is_one_line = True
        while begin := _NOT_BLANK.search(text, ends[-1][1] if ends else 0):
            start = begin.start()
            if not is_one_line:
                self._fail(start, "a second document begins here: store each in a file of its own")
            if ends and "\n" not in text[ends[-1][1] : start]:
                self._fail(start, "there is text behind the end of the JSON")
            try:
                _, end = decoder.raw_decode(text, start)
            except json.JSONDecodeError as error:
                self._fail(error.pos, self._fault(error))
            except RecursionError:
                self._fail(start, f"it is nested more than {_DEEPEST} deep")
            is_one_line = "\n" not in text[start:end]
            if ends and not is_one_line:
                self._fail(start, "a second document begins here: store each in a file of its own")
            ends.append((start, end))
        yield from ends

    def _fault(self, error: json.JSONDecodeError) -> str:
        """What is wrong with a text that is no JSON."""
        if _is_cut_off(self._text, error):
            return "the JSON is not complete: the file is cut off"
        if self._text[error.pos :].lstrip().startswith(("//", "/*", "#")):
            return "a comment is no JSON: delete the comments"
        return f"it is no JSON: {error.msg[:1].lower()}{error.msg[1:]}"

    def yaml_events(self) -> Iterator[Event]:
        """The brackets and scalars of YAML, with what its aliases stand for."""
        known: dict[str, list[Event]] = {}
        # Anchor, depth and events of what is not complete.
        begun: list[tuple[str, int, list[Event]]] = []
        depth = 0
        try:
            for event in yaml.parse(self._text, Loader=_YAML):
                found = self._of_yaml(event, known)
                anchor = getattr(event, "anchor", None)
                if anchor and not isinstance(event, yaml.AliasEvent):
                    begun.append((anchor, depth, []))
                for _, _, events in begun:
                    events += found
                yield from found
                depth += isinstance(event, yaml.CollectionStartEvent)
                depth -= isinstance(event, yaml.CollectionEndEvent)
                while begun and begun[-1][1] == depth:
                    anchor, _, events = begun.pop()
                    known[anchor] = events
        except yaml.MarkedYAMLError as error:
            mark: Any = error.problem_mark or error.context_mark
            self._fail(mark.index, f"it is no YAML: {error.problem}")
        except yaml.YAMLError as error:
            at = getattr(error, "position", 0)
            self._fail(at, f"it is no YAML: {' '.join(str(error).split())}")

    def _of_yaml(self, event: Any, known: Mapping[str, list[Event]]) -> list[Event]:
        if not isinstance(event, yaml.NodeEvent | yaml.CollectionEndEvent):
            return []
        anchor = getattr(event, "anchor", None) or ""
        first: Any = event.start_mark
        last: Any = event.end_mark
        start, end = first.index, last.index
        if isinstance(event, yaml.AliasEvent):
            if anchor not in known:
                self._fail(start, f"the alias `*{anchor[:60]}` has no anchor before it")
            return known[anchor]
        if isinstance(event, yaml.ScalarEvent):
            is_quoted = event.style in ("'", '"')
            if event.implicit[0] and event.value in _YAML_NULL:
                return [("", Scalar("", start, end))]
            return [("", self._scalar(event.value, start + is_quoted, end - is_quoted))]
        sign = "}"
        if isinstance(event, yaml.CollectionStartEvent):
            sign = "{" if isinstance(event, yaml.MappingStartEvent) else "["
        return [(sign, Scalar("", start, end))]

    def _tree(self, events: Iterable[Event]) -> list[Node]:
        """The nodes of the outermost level.

        Raises:
            ReadError: A key stands twice, or it is too deep or too much.
        """
        roots: list[Node] = []
        around: list[Any] = [roots]
        key: Scalar | None = None
        values = 0
        for sign, scalar in events:
            inside = around[-1]
            if sign in ("}", "]"):
                around.pop()
                continue
            node: Node = {} if sign == "{" else [] if sign == "[" else scalar
            if isinstance(inside, list):
                inside.append(node)
            elif key is None:
                if sign:
                    self._fail(scalar.start, "a key is a list or an object")
                if scalar.text in inside:
                    self._fail(scalar.start, f"the key {scalar.text[:60]!r} stands twice")
                key = scalar
                continue
            else:
                inside[key.text] = key, node
                key = None
            if sign:
                around.append(node)
            values += 1
            if len(around) > _DEEPEST + 1:
                self._fail(scalar.start, f"it is nested more than {_DEEPEST} deep")
            if values > _MOST_VALUES:
                self._fail(scalar.start, f"more than {_MOST_VALUES:,} values: store a part")
        return roots

    # From objects to tables

    def _fields(self, node: Node) -> Fields:
        return {tuple(key.text for key in keys): (keys, one) for keys, one in self._values(node)}

    def _values(
        self, node: Node, keys: tuple[Scalar, ...] = ()
    ) -> Iterator[tuple[tuple[Scalar, ...], Scalar]]:
        """The values of an object with their keys; long lists of them are samples."""
        for key, value in _items(node):
            own = (*keys, key)
            if isinstance(value, Scalar):
                yield own, value
            elif isinstance(value, dict):
                yield from self._values(value, own)
            else:
                listed = [*_scalars(value)]
                if len(listed) <= _MOST_LISTED:
                    end = key.start + len(key.text)
                    for index, one in listed:
                        yield (*keys, Scalar(key.text + index, key.start, end)), one
                    continue
                self._samples[".".join(one.text for one in own)] += len(listed)
                self._written += [one._replace(text="") for _, one in listed]

    def _walk_list(self, items: Node, path: str, around: tuple[Fields, ...]) -> None:
        """Add the objects of a list to the rows of its table."""
        path += "[]"
        for item in items if isinstance(items, list) else ():
            if isinstance(item, dict):
                own = (self._fields(item), *around)
                self._rows[path].append(own)
                self._walk_object(item, f"{path}.", own)
            else:
                self._walk_list(item, path, around)

    def _walk_object(self, node: Node, path: str, around: tuple[Fields, ...]) -> None:
        """Find the lists in an object; `around` are the rows around them, nearest first."""
        for key, value in _items(node):
            if isinstance(value, list):
                self._captions.setdefault(f"{path}{key.text}[]", key)
                self._walk_list(value, path + key.text, around)
            elif isinstance(value, dict):
                self._walk_object(value, f"{path}{key.text}.", around)

    def _grid(self, path: str, rows: Sequence[tuple[Fields, ...]]) -> Grid:
        # How far out, and keys -> the keys with their places.
        columns: dict[tuple[int, tuple[str, ...]], tuple[Scalar, ...]] = {}
        for row in rows:
            for level, fields in enumerate(row):
                for names, (keys, _) in fields.items():
                    columns.setdefault((level, names), keys)
        nearer: Counter[tuple[str, ...]] = Counter()
        headings = {}
        for level, names in sorted(columns, key=lambda column: column[0]):
            nearer[names] += level > 0
            first, *others = map(self._cell, columns[level, names])
            # The sign is not printed: the characters behind it keep their place.
            signs = "^" * nearer[names] * (level > 0)
            first = first._replace(text=signs + first.text, start=first.start - len(signs))
            headings[level, names] = (first, *others)
        # Nor is the index of a value in a list.
        last = [columns[column][-1] for column in headings]
        cells = [[self._cell(one._replace(text=one.text[: one.end - one.start])) for one in last]]
        known: dict[int, Cell] = {}
        for row in rows:
            at = next((one.start for _, one in chain(*map(dict.values, row))), 0)
            line, start = self._place(at)
            blank = Cell("", line, start, start)
            cells.append([blank] * len(headings))
            for number, (level, names) in enumerate(headings):
                found = row[level].get(names) if level < len(row) else None
                if found:
                    # A value around several rows is one cell.
                    cell = known.get(found[1].start) or self._cell(found[1])
                    cells[-1][number] = known.setdefault(found[1].start, cell)
        lines = [cell.line for cell in chain.from_iterable(cells)]
        caption = self._captions.get(path)
        return Grid(
            cells,
            min(lines, default=1),
            max(lines, default=1),
            self._cell(caption) if caption else None,
            path,
            tuple(headings.values()),
        )


def _items(node: Node) -> Iterator[tuple[Scalar, Node]]:
    """The fields of an object, with those that a merge key (`<<`) of YAML adds."""
    for key, value in node.values() if isinstance(node, dict) else ():
        if key.text != _MERGE:
            yield key, value
            continue
        # Of several objects the first counts.
        for base in reversed(value) if isinstance(value, list) else [value]:
            for inner, one in _items(base):
                if inner.text not in node:
                    yield inner, one


def _scalars(items: Sequence[Node], index: str = "") -> Iterator[tuple[str, Scalar]]:
    """The numbers and texts of a list, and of lists in it, with their index."""
    for number, item in enumerate(items):
        if isinstance(item, Scalar):
            yield f"{index}[{number}]", item
        elif isinstance(item, list):
            yield from _scalars(item, f"{index}[{number}]")
