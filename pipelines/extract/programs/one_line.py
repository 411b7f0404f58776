"""Summaries on a single line, which announces itself: `total images/sec: 812.5`, `{'train_runtime': 2218.55, ...}`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pipelines.extract.programs.dllogger import fields_of_dll, programs_of_dll
from pipelines.extract.programs.fields import Field, dictionary_on
from pipelines.extract.programs.known import NEVER, TRAINER_EVAL, TRAINER_PREDICT, TRAINER_TRAIN, Program, Task
from pipelines.extract.programs.said import Said
from pipelines.values.numbers import parse_count

# The value of a summary, damaged ones too
_VALUE = r"[^\s,;\d]*\d[^\s,;]*"
# ` +-9.6`, which is always printed: a line without it is cut
_ERROR = r"\s*\+-\s*\d+\.\d+"


@dataclass(frozen=True, slots=True)
class Summary:
    """A line that is a summary of its own.

    Attributes:
        program: What printed it.
        fields: What it says; the names are those of the vocabulary.
        facts: Fields of a `Measurement` that the line itself states.
        is_final: True where it stands for a whole run, so that what follows belongs to another one.
    """

    program: Program
    fields: list[Field]
    facts: Mapping[str, Any] = field(default_factory=dict)
    is_final: bool = False


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A line by its pattern; each group `v0`, `v1` ... is a value, and `names` say of what."""

    program: str
    task: Task | None
    pattern: re.Pattern[str]
    names: tuple[str, ...]
    number: re.Pattern[str] | None = None


_PATTERNS: tuple[_Pattern, ...] = (
    # `total images/sec: 812.5`
    _Pattern(
        "tf_cnn_benchmarks",
        None,
        re.compile(rf"total images/sec: (?P<v0>{_VALUE})"),
        ("Throughput (images/sec)",),
        re.compile(r"(?<!\d)\d+\.\d\d"),
    ),
    # `Total img/sec on 8 GPU(s): 2299.2 +-9.6`
    _Pattern(
        "a synthetic benchmark of Horovod",
        "training",
        re.compile(rf"Total img/sec on (?P<count>\d+) (?:GPU|HPU|CPU|TPU)\(s\): (?P<v0>{_VALUE}){_ERROR}"),
        ("Throughput (img/sec)",),
    ),
    # `Img/sec per GPU: 287.4 +-1.2`
    _Pattern(
        "a synthetic benchmark of Horovod",
        "training",
        re.compile(rf"Img/sec per (?:GPU|HPU|CPU|TPU): (?P<v0>{_VALUE}){_ERROR}"),
        ("Throughput (img/sec/GPU)",),
    ),
    # `Infer benchmark of resnet50 done. 3456.78 samples/sec, 74.05 ms/step`
    _Pattern(
        "a benchmark of timm",
        "inference",
        re.compile(
            rf"Infer(?:ence)? benchmark of (?P<model>\S+) done\.\s+(?P<v0>{_VALUE}) samples/sec, "
            rf"(?P<v1>{_VALUE}) ms/step.*"
        ),
        ("Throughput (samples/sec)", "Latency (ms)"),
    ),
    # `Train benchmark of resnet50 done. 812.34 samples/sec, 315.1 ms/sample`
    _Pattern(
        "a benchmark of timm",
        "training",
        re.compile(rf"Train(?:ing)? benchmark of (?P<model>\S+) done\.\s+(?P<v0>{_VALUE}) samples/sec.*"),
        ("Throughput (samples/sec)",),
    ),
    # `Throughput: 9.74 requests/s, 4030.55 total tokens/s, 1931.06 output tokens/s`; before there were two kinds of
    # tokens, the second number counted all of them
    _Pattern(
        "a throughput benchmark of vLLM",
        "inference",
        re.compile(
            rf"Throughput: (?P<v0>{_VALUE}) requests/s(?:, (?P<v1>{_VALUE}) (?:total )?tokens/s"
            rf"(?:, (?P<v2>{_VALUE}) output tokens/s)?)?"
        ),
        ("Request Throughput (req/s)", "Total Token Throughput (tokens/s)", "Throughput (output tokens/s)"),
    ),
    # `Avg latency: 1.2345 seconds`
    _Pattern(
        "a latency benchmark of vLLM",
        "inference",
        re.compile(rf"Avg latency: (?P<v0>{_VALUE}) seconds"),
        ("Latency (s)",),
    ),
    # `90% percentile latency: 1.25 seconds`
    _Pattern(
        "a latency benchmark of vLLM",
        "inference",
        re.compile(rf"(?<!\d)(?P<percentile>\d+(?:\.\d+)?)% percentile latency: (?P<v0>{_VALUE}) seconds"),
        ("P{percentile} Latency (s)",),
    ),
    # `RESULT,IMAGE_CLASSIFICATION,12345,1681,nvidia,2023-04-26 09:10:11 PM`: how long the container of a training ran,
    # which is some per cent more than its time to train, and is printed of a run that was broken off, too
    _Pattern(
        "the container of an MLPerf training",
        "training",
        re.compile(rf"RESULT,(?P<model>[A-Za-z][\w-]*),\d*,(?P<v0>{_VALUE}),[^,]*,\d{{4}}-.*"),
        ("Training Time (s)",),
    ),
    # `Throughput (including tokenization) = 14.5 tokens/second`
    _Pattern(
        "a text generation of Optimum",
        "inference",
        re.compile(rf"Throughput \((?:including|excluding) tokenization\)\s*=\s*(?P<v0>{_VALUE}) tokens/second"),
        ("Throughput (output tokens/s)",),
    ),
)
# Words without which no line above is one of these
_ANNOUNCING = re.compile(r"images/sec|[Ii]mg/sec|benchmark of|requests/s|latency:|tokenization|train_|^DLL|^RESULT,")
_TRAIN_RUNTIME = re.compile(r"""['"]train_(?:runtime|samples_per_second|steps_per_second)['"]\s*:""")


def summaries_on(said: Said) -> list[Summary]:
    """The summary that a line is, one for each task it is of; none for any other line."""
    text = said.body
    if _ANNOUNCING.search(text) is None:
        return []
    if _TRAIN_RUNTIME.search(text) and (fields := dictionary_on(said)):
        return [Summary(TRAINER_TRAIN, fields, is_final=True)]
    if text.startswith("DLL"):
        return [Summary(program, fields) for program, fields in programs_of_dll(fields_of_dll(said))]
    cell = said.cell
    for each in _PATTERNS:
        if match := each.pattern.fullmatch(text):
            groups = match.groupdict()
            values = [cell.matched(match, f"v{n}") for n in range(len(each.names)) if groups.get(f"v{n}") is not None]
            names = (replace(cell, text=name.format(**groups)) for name in each.names)
            fields = [Field(name, value) for name, value in zip(names, values, strict=False)]
            return [Summary(Program(each.program, NEVER, each.task, number=each.number), fields, _facts(each, groups))]
    return []


def final_evaluation_on(said: Said) -> Summary | None:
    """The evaluation that stands in a dictionary behind the end of a training, or None."""
    fields = dictionary_on(said) if "_runtime" in said.body else []
    names = {each.name.text for each in fields}
    if "eval_runtime" in names:
        return Summary(TRAINER_EVAL, fields)
    return Summary(TRAINER_PREDICT, fields) if names & {"test_runtime", "predict_runtime"} else None


def _facts(pattern: _Pattern, groups: Mapping[str, str | None]) -> dict[str, Any]:
    facts: dict[str, Any] = {"task": pattern.task} if pattern.task else {}
    if count := groups.get("count"):
        facts["accelerator_count"] = parse_count(count)
    if model := groups.get("model"):
        facts["model_printed"] = model
    return facts
