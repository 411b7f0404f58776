"""What a log states of how a program is run: command lines, printed arguments and settings, sentences.

Names of arguments are those of `settings.yml`, or words that the vocabulary knows as headings; what a value or the
name of a program states is recognised as everywhere else, by `mentions`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from pipelines.extract.conditions import Stated
from pipelines.extract.mentions import field_of, find_mentions, known_name, typed
from pipelines.extract.rows import Level
from pipelines.read.document import Cell
from pipelines.read.log_lines import Field, Said, dll_fields
from pipelines.vocabulary.lookup import find
from pipelines.yaml_files import load_yaml

# Values by which a program says that it was told nothing
_NOTHING = frozenset({"", "none", "null", "auto", "n/a", "not set", "default", "*", "explicit", "inf", "[]"})
# What stands in place of the name of a data set: where it comes from, which part of it
_NO_DATASET = re.compile(r"hf|huggingface|random|custom|synthetic|dummy|json|train|test|data|[\W\d_]*", re.IGNORECASE)
# Backends that say by which interface a server is asked, not what it runs
_INTERFACES = frozenset({"openai", "openai-chat", "openai-responses", "pytorch"})
# `Namespace(subparser='bench', model='Qwen/Qwen3-0.6B', batch_size=None)`
_NAMESPACE = re.compile(r"\b(?:Namespace|\w*Args|\w*Arguments|\w*Config)\(")
_ASSIGNED = re.compile(r"(?<![\w.])(?P<name>\w+)=(?P<value>'[^']*'|\"[^\"]*\"|[^\s,()\[\]]+)")
# `--model Qwen/Qwen3-0.6B`, `--batch-size=8`, `-m resnet50`
_OPTION = re.compile(r"(?<!\S)--?(?P<name>[A-Za-z][\w-]*)(?:=|\s+)(?P<value>'[^']*'|\"[^\"]*\"|[^\s-]\S*)")
# `hailortcli benchmark yolov5m.hef`, `-m llama_13b`: the model is an argument without a name, or with its first letter
_ARGUMENT = re.compile(
    r"(?<!\S)(?:-m\s+(?P<name>[^\s-]\S*)|(?P<path>[^\s=-][^\s=]*)\.(?:onnx|hef|xml|engine|plan|gguf|tflite|dlc|mlir))(?!\S)"
)
# `python -m vllm.entrypoints.api_server`
_MODULE = re.compile(r"\bpython[\d.]*\s+$")
# `Model:       resnet50`, `Batch size: 8`, `micro_batch_size ............ 4`
_LINE = re.compile(r"(?P<name>[A-Za-z][\w ()/,.&-]{0,79}?)\s*(?:[:=]|\s\.{3,}\s?)\s*(?P<value>\S(?:.*\S)?)\s*")
# `Total train batch size (w. parallel, distributed & accumulation)`
_REMARK = re.compile(r"(?:(?<!\s)\s++)?\(w\. .{0,200}\)$")
# `model_name_or_path`, `dataset-name`
_TAIL = re.compile(r"[_ -](?:name_or_path|name|id|path|type)$")
# What an argument may state under a name that only the vocabulary knows; numbers say of themselves not what they count.
_NAMED = frozenset({"dataset", "framework", "precision"})
# `256 global`, `147.0000`, `8`
_COUNT = re.compile(r"(?P<count>\d[\d,]*)(?:\.0+)?(?:\s+(?P<kind>global|total|per step))?")
# `inf`, `24 inference requests per seconds`
_RATE_OF_REQUESTS = re.compile(r"\d+(?:\.\d+)?|inf\b")
_TASK = re.compile(r"(?P<task>train|infer)|forward", re.IGNORECASE)
# What PyTorch calls a format
_HALF = {"half": "FP16"}


# `vllm.entrypoints`, `scripts/vllm/benchmark_serving.py`
_JOINTS = str.maketrans("._/", "   ")


class SettingsError(Exception):
    """A `settings.yml` that cannot be read."""


@dataclass(frozen=True)
class Names:
    """The content of `settings.yml`.

    Attributes:
        dimensions: The dimension that a setting states, by its name.
        phrases: Sentences that state settings: a mark, a pattern whose groups are dimensions, a task, an example.
        marks: Words without which no sentence states any.
    """

    dimensions: Mapping[str, str]
    phrases: tuple[tuple[re.Pattern[str], Mapping[str, Any]], ...]
    marks: str


@cache
def names() -> Names:
    """`settings.yml`.

    Raises:
        SettingsError: It cannot be read.
    """
    path = Path(__file__).with_name("settings.yml")
    try:
        listed = load_yaml(path)
        return Names(
            {name: dimension for dimension, spelled in listed["settings"].items() for name in spelled},
            tuple((re.compile(phrase["pattern"]), phrase) for phrase in listed["phrases"]),
            "|".join(phrase["mark"] for phrase in listed["phrases"]),
        )
    except (TypeError, KeyError, AttributeError, re.error) as error:
        raise SettingsError(f"{path.name}: {error}") from error


@lru_cache(maxsize=4096)
def _dimension(name: str) -> str | None:
    """The dimension that a name announces, None for a name that announces none."""
    key = " ".join(name.casefold().split())
    listed = names().dimensions
    if found := listed.get(key) or listed.get(key.replace("-", "_")):
        return found
    entry = field_of(_TAIL.sub("", key))
    column = entry.facts["column"] if entry else None
    return column if column in _NAMED else None


class Settings:
    """What is known of the run that a log is of, until the next one starts."""

    def __init__(self) -> None:
        self._stated: dict[str, tuple[Stated, str | None]] = {}
        # Whether the line before is one of settings, too.
        self.goes_on = False
        # Whether it ends in `\`, so that its command goes on.
        self._is_continued = False

    def clear(self) -> None:
        """Starts a new run: nothing is known of it."""
        self._stated.clear()

    def stated(self, task: str | None) -> dict[str, Stated]:
        """What holds for a task, by dimension."""
        return {name: stated for name, (stated, of) in self._stated.items() if of is None or of == task}

    def read(self, said: Said) -> bool:
        """Takes what a line states; True where the line is one of settings."""
        text, cell = said.body, said.cell
        is_continued, self._is_continued = self._is_continued, text.endswith("\\")
        if text.startswith("DLL"):
            return self._take(dll_fields(said, parameters=True))
        if len(text) > 6 and _NAMESPACE.search(text) and text.count("=") > 1:
            if not self.goes_on:
                self.clear()
            self._take(_fields(_ASSIGNED, cell))
            return True
        is_phrase = self._read_phrase(cell)
        if not text.startswith("|") and (is_continued or not text.startswith("-")):
            options = _fields(_OPTION, cell)
            is_command = bool(options) or self._is_continued
            if (is_command or _ARGUMENT.search(text)) and (self._take(options) | self._read_program(cell)):
                return True
        if is_phrase and not text.startswith("&&&&"):
            return True
        match = _LINE.fullmatch(cell.text)
        if match is None:
            return False
        name = cell.matched(match, "name")
        return self._take([Field(name.part(0, len(_REMARK.sub("", name.text))), cell.matched(match, "value"))])

    def _read_phrase(self, cell: Cell) -> bool:
        for pattern, phrase in names().phrases:
            if match := pattern.match(cell.text):
                if phrase.get("starts_run"):
                    self.clear()
                for stated in stated_in(match, cell):
                    self._stated[stated.dimension] = stated, phrase.get("task")
                return True
        return False

    def _read_program(self, cell: Cell) -> bool:
        """Takes the framework that a command's program is named after, and its model where that is no option."""
        command = cell.part(0, len(cell.text.partition(" --")[0]))
        found: dict[str, Cell] = {}
        for mention in find_mentions(command.text.translate(_JOINTS)):
            if mention.kind == "framework":
                found.setdefault(mention.value.casefold(), command.part(mention.start, mention.end))
        if len(found) == 1:
            self._add("framework", next(iter(found.values())), is_new=True)
        for match in _ARGUMENT.finditer(cell.text):
            group = "name" if match["name"] else "path"
            name = _last_name(cell.matched(match, group))
            if name and not _MODULE.search(cell.text[: match.start()]) and _begins_with_model(name.text):
                self._stated.setdefault("model", (Stated("model", name.text, name, "page"), None))
        return bool(found)

    def _take(self, fields: list[Field]) -> bool:
        """Takes what fields state; True where the name of one is known."""
        is_known = False
        for each in fields:
            dimension = _dimension(each.name.text)
            is_known |= dimension is not None
            if dimension:
                self._add(dimension, each.value, is_new=each.key.endswith("path"))
        return is_known

    def _add(self, dimension: str, value: Cell, *, is_new: bool) -> None:
        for stated in read_setting(dimension, value):
            # Where something lies says less than what it is called.
            if not is_new or stated.dimension not in self._stated:
                self._stated[stated.dimension] = stated, None


def _fields(pattern: re.Pattern[str], cell: Cell) -> list[Field]:
    return [Field(cell.matched(m, "name"), cell.matched(m, "value")) for m in pattern.finditer(cell.text)]


def stated_in(match: re.Match[str], cell: Cell, level: Level = "page") -> Iterator[Stated]:
    """What the groups of a match state that are called like dimensions."""
    dimensions = {*names().dimensions.values()}
    for name, text in match.groupdict().items():
        if text and name in dimensions:
            yield from read_setting(name, cell.matched(match, name), level)


def read_setting(dimension: str, value: Cell, level: Level = "page") -> Iterator[Stated]:
    """What a value states of a dimension, with its characters; nothing where it says nothing that is known."""
    plain = value.part(*_inner(value.text)).stripped()
    if plain.text.casefold() in _NOTHING and dimension != "request_rate":
        return
    if dimension == "known_platform":
        if known_name("platform", plain.text):
            yield Stated("platform", plain.text, plain, level)
    elif dimension in ("model", "dataset"):
        if (name := _last_name(plain)) and (dimension == "model" or not _NO_DATASET.fullmatch(name.text)):
            yield Stated(dimension, name.text, name, level)
    elif dimension == "framework":
        mentions = [mention for mention in find_mentions(plain.text) if mention.kind == "framework"]
        if plain.text.casefold() not in _INTERFACES and len(mentions) == 1 and mentions[0].start == 0:
            name = plain.part(0, mentions[0].end)
            yield Stated("framework", name.text, name, level)
    elif dimension == "precision":
        plain = plain.part(len("torch.") if plain.text.startswith("torch.") else 0, len(plain.text))
        if said := typed("precision", _HALF.get(plain.text, plain.text)):
            yield Stated("precision", said, plain, level)
    elif dimension == "task":
        # How a load generator runs (`PerformanceOnly`) is no task.
        if match := _TASK.search(plain.text):
            is_training = (match["task"] or "").casefold() == "train"
            yield Stated("task", "training" if is_training else "inference", plain.matched(match), level)
    elif match := _COUNT.fullmatch(plain.text):
        count = plain.matched(match, "count")
        said = typed(dimension, count.text)
        if said and said != "0":
            yield Stated(dimension, said, count, level)
        if dimension == "batch_size" and match["kind"] in ("global", "total"):
            yield Stated("batch_size_kind", "global", plain.matched(match, "kind"), level)
    elif match := _RATE_OF_REQUESTS.match(plain.text) if dimension == "request_rate" else None:
        yield Stated(dimension, match[0], plain.matched(match), level)
    elif dimension in ("platform", "scenario"):
        yield Stated(dimension, plain.text, plain, level)


def _inner(text: str) -> tuple[int, int]:
    """Without quotation marks."""
    start = len(text) - len(text.lstrip("'\" "))
    return start, max(start, len(text.rstrip("'\" ")))


def _last_name(printed: Cell) -> Cell | None:
    """The name at the end of a path or of `organisation/name`, as printed; `<class ...>` and `$MODEL` are none."""
    text = printed.text.rstrip("/")
    name = printed.part(max(text.rfind("/"), text.rfind("\\")) + 1, len(text))
    stem, _, suffix = name.text.rpartition(".")
    if stem and (find("models", stem) or suffix in ("json", "jsonl", "parquet", "csv", "txt")):
        return name.part(0, len(stem))
    return name if name.text and not name.text.startswith(("<", "$", "{")) else None


def _begins_with_model(text: str) -> bool:
    return any(mention.kind == "model" and mention.start == 0 for mention in find_mentions(text.replace("_", "-")))
