"""Lines of NVIDIA's DLLogger: the summary without a step, and the parameters of the run."""

from __future__ import annotations

import re
from dataclasses import replace

from pipelines.extract.programs.fields import Field, pairs_in
from pipelines.extract.programs.known import NEVER, Program
from pipelines.extract.programs.said import Said

# What programs call their quantities; of a unit they print, the vocabulary says what it is.
DLLOGGER = Program(
    "DLLogger",
    NEVER,
    None,
    {
        "e2e_train_time": "Training Time",
        "total_train_time": "Training Time",
        "training_sequences_per_second": "Throughput (sequences/s)",
        "inference_sequences_per_second": "Throughput (sequences/s)",
        "train.total_ips": "Throughput",
        "val.total_ips": "Throughput",
        # The same without the time for loading data
        "train.compute_ips": "",
        "val.compute_ips": "",
        "final_loss": "Training Loss",
        **dict.fromkeys(
            ("train_throughput", "throughput_train", "average_train_throughput", "avg_train_throughput"), "Throughput"
        ),
        **dict.fromkeys(
            ("infer_throughput", "throughput_infer", "inference_throughput", "throughput_eval", "eval_throughput"),
            "Throughput",
        ),
    },
)
# `DLL 2020-11-18 19:30:26.531456 - () train.total_ips : 2345.6 img/s`, `DLL 2020-11-18 19:30:26.53 - Summary: ...`
_LINE = re.compile(
    r"DLL \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? - (?:(?:\(\)|Summary:?)\s*+)?\s*+(?P<rest>[A-Za-z_]\S*\s*:\s.*)"
)
# `train.total_ips : 2345.6 img/s`, up to the next name
_PAIR = re.compile(r"(?P<name>[A-Za-z_][\w.\-]{0,80})\s*:\s+(?P<value>\S+(?:\s+[A-Za-z%][\w/%]*(?=\s|$)(?!\s*:\s))?)")
# `DLLL {"timestamp": "1605727826.53", ..., "type": "LOG", "step": [], "data": {"e2e_train_time": 543.2}}`
_JSON = re.compile(r"DLLL \{.*\"step\": (?:\[\]|\(\)|\"\"|\{\}), \"data\": (?P<data>\{.*\})\}")
# `DLL 2020-11-18 19:30:20.1 - PARAMETER batch_size : 256  epochs : 1`, `DLLL {..., "step": "PARAMETER", "data": {...}}`
_PARAMETERS = re.compile(r"(?:DLL \S+ \S+ - PARAMETER|DLLL \{.*\"step\": \"PARAMETER\", \"data\":)\s(?P<rest>.*)")
_TRAINING, _INFERENCE = re.compile(r"train|final_loss"), re.compile(r"infer|eval|val\b|val\.|latency")


def fields_of_dll(said: Said) -> list[Field]:
    """The fields of a summary of DLLogger; none for any other line."""
    cell = said.cell
    if match := _LINE.fullmatch(cell.text):
        rest = cell.matched(match, "rest")
        return [Field(rest.matched(pair, "name"), rest.matched(pair, "value")) for pair in _PAIR.finditer(rest.text)]
    if match := _JSON.fullmatch(cell.text):
        return pairs_in(cell.matched(match, "data"))
    return []


def parameters_of_dll(said: Said) -> dict[str, str] | None:
    """The parameters of the run that a line of DLLogger states; None for any other line."""
    cell = said.cell
    match = _PARAMETERS.fullmatch(cell.text)
    if match is None:
        return None
    rest = cell.matched(match, "rest")
    if rest.text.startswith("{"):
        return {field.name.text: field.value.text for field in pairs_in(rest)}
    return {pair["name"]: pair["value"] for pair in _PAIR.finditer(rest.text)}


def programs_of_dll(fields: list[Field]) -> list[tuple[Program, list[Field]]]:
    """The fields by what was run, as their names say it."""
    found: dict[str | None, list[Field]] = {}
    for field in fields:
        name = field.name.text.casefold()
        task = "training" if _TRAINING.search(name) else "inference" if _INFERENCE.search(name) else None
        found.setdefault(task, []).append(field)
    return [
        (replace(DLLOGGER, task="training" if task == "training" else "inference" if task else None), each)
        for task, each in found.items()
    ]
