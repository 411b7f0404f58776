"""The programs whose summaries are known: how each begins, what it calls its quantities, what stands beside them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Task = Literal["training", "inference"]

NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class Program:
    """One kind of summary.

    Attributes:
        name: What it is called in reasons.
        begins: Matches the line that it begins with.
        task: What is run, or None where its settings say it.
        spellings: The program's own names of quantities, in small letters, with the vocabulary's; an empty one for a
            quantity that is none of the benchmark.
        pauses: Matches a line below which other fields stand that are not measured.
        resumes: Matches a line below which measured ones stand again.
        attribute: What tells its results from others of the same task, or None.
        is_aligned: True where it prints all values flush right.
        number: How it prints every value, or None where that varies.
        starts_run: True where its first line also starts a new run, so that what was set before holds no more.
    """

    name: str
    begins: re.Pattern[str]
    task: Task | None
    spellings: Mapping[str, str] = field(default_factory=dict)
    pauses: re.Pattern[str] = NEVER
    resumes: re.Pattern[str] = NEVER
    attribute: str | None = None
    number: re.Pattern[str] | None = None
    is_aligned: bool = False
    starts_run: bool = False


TRAINER_TRAIN = Program(
    "the Trainer's train metrics",
    re.compile(r"(?<!\*)\*{3,}+\s*+train metrics\s*\*{3,}"),
    "training",
    {
        "train_runtime": "Training Time (s)",
        "train_samples_per_second": "Throughput (samples/s)",
        # The same speed in another count.
        "train_steps_per_second": "",
        "perplexity": "",
    },
    is_aligned=True,
)
TRAINER_EVAL = Program(
    "the Trainer's evaluation metrics",
    re.compile(r"(?<!\*)\*{3,}+\s*+eval\w* metrics\s*\*{3,}"),
    "inference",
    {"eval_samples_per_second": "Throughput (samples/s)", "eval_perplexity": "Perplexity"},
    attribute="Evaluation within a training",
    is_aligned=True,
)
TRAINER_PREDICT = Program(
    "the Trainer's prediction metrics",
    re.compile(r"(?<!\*)\*{3,}+\s*+(?:predict|test)\w* metrics\s*\*{3,}"),
    "inference",
    {f"{split}_samples_per_second": "Throughput (samples/s)" for split in ("predict", "test")},
    attribute="Prediction within a training",
    is_aligned=True,
)
# Every program whose summary is a block of lines with a line that announces it.
PROGRAMS: tuple[Program, ...] = (
    TRAINER_TRAIN,
    TRAINER_EVAL,
    TRAINER_PREDICT,
    # vLLM, SGLang, and what is made after them
    Program(
        "a serving benchmark",
        # JetStream, and vLLM before it drew a rule, begin with a count.
        re.compile(
            r"(?<!=)=++\s*+(?:Serving|Offline Throughput|One Batch) Benchmark Result\s*=+|Successful requests: +\d+"
        ),
        "inference",
        {
            "last generation throughput (tok/s)": "",
            "request goodput (req/s)": "",
            "generation throughput (tokens/second)": "Throughput (output tokens/s)",
        },
        number=re.compile(r"(?<!\d)\d+\.\d{2,}"),
    ),
    Program(
        "a TensorRT-LLM benchmark",
        re.compile(r"=\s*PERFORMANCE OVERVIEW"),
        "inference",
        {
            "average request latency (ms)": "Request Latency (ms)",
            "average time-to-first-token [ttft] (ms)": "TTFT (ms)",
            "average time-per-output-token [tpot] (ms)": "TPOT (ms)",
            # The mean of the users' speeds, beside that of the server over its users.
            "per user output speed [1/tpot] (tokens/sec/user)": "",
            "per user output throughput [w/ ctx] (tps/user)": "Throughput per User (tokens/sec/user)",
            "per gpu output throughput (tps/gpu)": "Throughput (output tokens/sec/GPU)",
            "per gpu output throughput (tokens/sec/gpu)": "Throughput (output tokens/sec/GPU)",
            "total output throughput (tokens/sec)": "Throughput (output tokens/sec)",
        },
        number=re.compile(r"(?<!\d)\d+\.\d{4}"),
        pauses=re.compile(
            r"=\s*(?:DATASET DETAILS|REQUEST DETAILS|WORLD|ENGINE DETAILS|PYTORCH BACKEND|\w+ BACKEND).*"
        ),
    ),
    Program(
        "trtexec",
        re.compile(r"=== Performance summary ===(?:\s.*)?"),
        "inference",
        pauses=re.compile(r"=== (?!Performance).*==="),
    ),
    Program(
        "an MLPerf load generator",
        re.compile(r"MLPerf Results Summary"),
        "inference",
        {
            "completed samples per second": "Throughput (samples/s)",
            "completed tokens per second": "Throughput (tokens/s)",
            "samples per second": "Throughput (samples/s)",
            "tokens per second": "Throughput (tokens/s)",
            "qps": "Throughput (queries/s)",
        },
        pauses=re.compile(r"Test Parameters Used"),
        resumes=re.compile(r"Additional Stats"),
        starts_run=True,
    ),
    Program(
        "perf_analyzer",
        re.compile(r"Request (?:concurrency|rate): \d.*", re.IGNORECASE),
        "inference",
        # What the server alone says
        {"avg request latency": ""},
        pauses=re.compile(r"Server:|\*\*\* Measurement Settings \*\*\*"),
        resumes=re.compile(r"Client:"),
    ),
)
# A quantity on a line of its own, `Throughput: 1234.5 samples/sec`, of whatever program the log is.
ANY_PROGRAM = Program("the log", NEVER, None)
# A line with one of these words may begin a summary; looked for before any of the patterns above.
ANNOUNCING = re.compile(
    r"metrics|Benchmark Result|Successful requests|PERFORMANCE|Performance summary|Results Summary"
    r"|Request (?i:concurrency|rate)"
)

# One of them stands in every line that is read, but in those that `may_be_of_program` names.
_MARKS = (":", "=", "|", "{", "[", "%", "*")

# Counts and settings that a summary prints beside what it has measured.
COUNTED = re.compile(
    r"(?:successful|failed|completed|total|number|num|count|execution|inference|request|benchmark duration|concurrency"
    r"|traffic|burstiness|max(?:imum)? request|backend|epoch\b|\w+_samples$|total_flos|memory_allocated|max_memory"
    r"|total_memory|sequence count|delayed|input|output tokens|measurement|sut name|mode\b|scenario\b|batch size)",
    re.IGNORECASE,
)


def may_be_of_program(text: str) -> bool:
    """False for words that no line of a program consists of, such as the cell of a table: most lines of a page."""
    return (
        any(mark in text for mark in _MARKS)
        or " -" in text
        or "Summary" in text
        or "benchmark of" in text
        or text.startswith("RESULT,")
    )


def program_beginning(text: str) -> Program | None:
    """The program whose summary begins with a line, or None."""
    if ANNOUNCING.search(text) is None:
        return None
    return next((program for program in PROGRAMS if program.begins.fullmatch(text)), None)
