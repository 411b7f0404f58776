"""What a log says of how its program was run: arguments, commands, lines such as `Batch size: 8`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pipelines.extract.programs.dllogger import parameters_of_dll
from pipelines.extract.programs.said import Said
from pipelines.values.numbers import parse_count, parse_number
from pipelines.values.precisions import parse_precision
from pipelines.vocabulary.lookup import find

# The field of a `Measurement`, or the words of an attribute, by the names of arguments and of printed lines.
_MEANINGS: dict[str, str] = {
    **dict.fromkeys(("model", "model_name_or_path", "model_name", "model_id", "onnx", "arch"), "model_printed"),
    **dict.fromkeys(("selected device", "device name"), "platform_printed"),
    **dict.fromkeys(("backend", "framework"), "framework_printed"),
    **dict.fromkeys(("batch size", "batch_size", "total train batch size"), "batch_size"),
    **dict.fromkeys(("dtype", "precision", "quantization"), "precision"),
    **dict.fromkeys(("number of gpus", "num gpus"), "accelerator_count"),
    **dict.fromkeys(("random_input_len", "input_len", "average input length (tokens)"), "Input Length"),
    **dict.fromkeys(("random_output_len", "output_len", "average output length (tokens)"), "Output Length"),
    **dict.fromkeys(
        ("max_concurrency", "max request concurrency", "max reqeuest concurrency", "maximum request concurrency",
         "request concurrency"),
        "Concurrency",
    ),
    **dict.fromkeys(("request_rate", "traffic request rate", "request rate"), "Request Rate"),
    "mode": "task",
    "scenario": "Scenario",
    **dict.fromkeys(("tensor_parallel_size", "tp size", "tp_size", "tp"), "TP"),
    **dict.fromkeys(("pipeline_parallel_size", "pp size", "pp_size"), "PP"),
}  # fmt: skip
_COLUMNS = (
    "model_printed",
    "platform_printed",
    "framework_printed",
    "batch_size",
    "precision",
    "accelerator_count",
    "task",
)
_NOTHING = frozenset({"", "none", "null", "auto", "n/a", "not set", "default", "*", "explicit", "inf", "[]"})
# What PyTorch calls a format
_HALF = {"half": "FP16"}
# Backends that say by which interface a server is asked, not what it runs
_INTERFACES = frozenset({"openai", "openai-chat", "openai-responses", "pytorch"})

# `Namespace(subparser='bench', model='Qwen/Qwen3-0.6B', batch_size=None)`
_NAMESPACE = re.compile(r"\b(?:Namespace|\w*Args|\w*Arguments|\w*Config)\(")
_ASSIGNED = re.compile(r"(?<![\w.])(?P<name>\w+)=(?P<value>'[^']*'|\"[^\"]*\"|[^\s,()\[\]]+)")
# `--model Qwen/Qwen3-0.6B`, `--batch-size=8`, `-m resnet50`
_OPTION = re.compile(r"(?<!\S)--?(?P<name>[A-Za-z][\w-]*)(?:=|\s+)(?P<value>'[^']*'|\"[^\"]*\"|[^\s-]\S*)")
_IS_COMMAND = re.compile(r"(?:^|\s)--?[A-Za-z][\w-]*(?:=|\s+[^\s-])")
# `Model:       resnet50`, `Batch size: 8`, `micro_batch_size ............ 4`
_LINE = re.compile(r"(?P<name>[A-Za-z][\w ()/,.&-]{0,79}?)\s*(?:[:=]|\s\.{3,}\s?)\s*(?P<value>\S(?:.*\S)?)\s*")
# `&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=resnet50.onnx --fp16`
_RUNNING = re.compile(r"&&&& RUNNING (?P<framework>\w+)\.\w+")
# `Total train batch size (w. parallel, distributed & accumulation)`, `256 global`
_REMARK = re.compile(r"(?:(?<!\s)\s++)?\(w\. .{0,200}\)$")
_TASK = re.compile(r"train|infer|forward", re.IGNORECASE)
_COUNT = re.compile(r"(?P<count>\d[\d,]*)(?:\s+(?:global|total|per step))?")


class Settings:
    """What is known of the run that a log is of, until the next one starts."""

    def __init__(self) -> None:
        self._stated: dict[str, str] = {}

    def clear(self) -> None:
        """Starts a new run: nothing is known of it."""
        self._stated.clear()

    def facts(self) -> dict[str, Any]:
        """The fields of a `Measurement` that are known."""
        facts: dict[str, Any] = {}
        attributes = []
        for meaning, value in self._stated.items():
            if meaning not in _COLUMNS:
                number = parse_number(value)
                attributes.append(f"{meaning} {number.value:.10g}" if number else f"{meaning} {value}")
            elif (fact := _FACTS[meaning](value)) is not None:
                facts[meaning] = fact
        return facts | {"attributes": ", ".join(sorted(attributes)) or None}

    def read(self, said: Said) -> bool:
        """Takes what a line states; True where the line is one of settings."""
        text = said.body
        if text.startswith("DLL") and (parameters := parameters_of_dll(said)) is not None:
            self._state_all(parameters)
            return True
        if len(text) > 6 and _NAMESPACE.search(text) and text.count("=") > 1:
            self.clear()
            self._state_all({match["name"]: match["value"] for match in _ASSIGNED.finditer(text)})
            return True
        if running := _RUNNING.match(text):
            self.clear()
            self._stated["framework_printed"] = running["framework"]
        if "-" in text and _IS_COMMAND.search(text) and not text.startswith(("-", "|")):
            options = {match["name"].replace("-", "_"): match["value"] for match in _OPTION.finditer(text)}
            if known := {name: value for name, value in options.items() if name.casefold() in _MEANINGS}:
                self._state_all(known)
                return True
        match = _LINE.fullmatch(text)
        if match is None or (name := _REMARK.sub("", match["name"]).casefold()) not in _MEANINGS:
            return False
        self._state_all({name: match["value"]})
        return True

    def _state_all(self, stated: Mapping[str, str]) -> None:
        for name, value in stated.items():
            meaning, plain = _MEANINGS.get(name.casefold()), value.strip("'\" ")
            if meaning is not None and (plain.casefold() not in _NOTHING or meaning == "Request Rate"):
                self._stated[meaning] = plain


def _model(printed: str) -> str | None:
    """The name at the end of a path or of `organisation/name`, as printed; `<class ...>` is none."""
    name = printed.rstrip("/").rpartition("/")[2]
    stem = name.rpartition(".")[0]
    if stem and find("models", stem):
        return stem
    return name if name and not name.startswith(("<", "$", "{")) else None


def _known_framework(printed: str) -> str | None:
    return printed if printed.casefold() not in _INTERFACES and find("frameworks", printed) else None


def _count(printed: str) -> int | None:
    match = _COUNT.fullmatch(printed)
    return (parse_count(match["count"]) or None) if match else None


def _precision(printed: str) -> str | None:
    found = parse_precision(_HALF.get(printed, printed.removeprefix("torch.")))
    return found.name if found else None


def _task(printed: str) -> str | None:
    """`BenchmarkMode.TRAIN`, `training`, `forward-only`; how a load generator runs (`PerformanceOnly`) is no task."""
    found = _TASK.search(printed)
    return {"train": "training", "infer": "inference", "forward": "inference"}[found[0].casefold()] if found else None


_FACTS = {
    "model_printed": _model,
    "platform_printed": lambda printed: printed,
    "framework_printed": _known_framework,
    "batch_size": _count,
    "precision": _precision,
    "accelerator_count": _count,
    "task": _task,
}
