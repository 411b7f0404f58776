"""Calls in child processes: whatever a call does to its process it is one refusal, and the others
are made.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pipelines import sandbox
from pipelines.read.document import Document
from pipelines.read.files import ask_of
from pipelines.sandbox import (
    Call,
    RefusedError,
    SandboxError,
    limited,
    run_calls,
    run_limited,
)
from pipelines.settings import document_limits

# A pattern that tries 2 ** 60 ways, none of which Python can break off by itself for long.
ENDLESS = re.compile(r"(?:a+)+b")
LIMITS = replace(document_limits(), cpu_s=0.1, memory_mib=64, elapsed_per_cpu=300)
WAITING = replace(LIMITS, elapsed_per_cpu=4)


@pytest.fixture(autouse=True)
def children(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    # Those of tests before it know no module of the tests.
    sandbox.close_idle_children()
    yield
    sandbox.close_idle_children()


def misbehave(order: str) -> str:
    match order:
        case "loop":
            ENDLESS.match("a" * 60)
        case "wait":
            time.sleep(600)
        case "memory":
            [" " * 10_000_000 for _ in range(1000)]
        case "part":
            with limited(replace(LIMITS, cpu_s=60, memory_mib=32)):
                misbehave("memory")
        case "segfault":
            ctypes.string_at(0)
        case "abort":
            os.abort()
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "error":
            raise ZeroDivisionError("no divisor")
    return order


EXPECTED = {
    "loop": ("time_limit", "more than 0.1 s of CPU time; .* BENCHLEDGER_DOCUMENT_SECONDS"),
    "wait": ("time_limit", "more than 0.4 s; "),
    "memory": ("memory_limit", "more than 64 MiB of memory; .* BENCHLEDGER_DOCUMENT_MIB"),
    "part": ("memory_limit", ""),
    "segfault": ("reader_crashed", "SIGSEGV"),
    "abort": ("memory_limit", ""),
    "killed": ("reader_crashed", "SIGKILL"),
    "error": ("reader_crashed", "ZeroDivisionError: no divisor"),
}


def test_a_call_that_ends_its_process_is_one_refusal(capfd: pytest.CaptureFixture[str]) -> None:
    orders = ["good", *EXPECTED, "well"]
    calls = [Call(misbehave, (order,), WAITING if order == "wait" else LIMITS) for order in orders]
    found = {call.arguments[0]: answer for call, answer in run_calls(calls, 2)}
    assert sorted(found) == sorted(orders)
    assert (found.pop("good"), found.pop("well")) == ("good", "well")
    for order, (rule, reason) in EXPECTED.items():
        assert found[order].rule == rule, order
        assert re.search(reason, found[order].reason), order
    # An error of the program is not lost.
    assert "in misbehave" in capfd.readouterr().err


def test_a_limited_call_gives_its_refusal() -> None:
    with pytest.raises(RefusedError, match="SIGSEGV"):
        run_limited(misbehave, "segfault", limits=LIMITS)
    # The next one has a process of its own, which then stays.
    assert run_limited(misbehave, "good", limits=LIMITS) == "good"
    [idle] = sandbox._idle
    assert run_limited(os.getpid, limits=LIMITS) == idle.process.pid


def in_child() -> tuple[int, int]:
    return os.getpid(), run_limited(os.getpid, limits=LIMITS)


def test_within_a_child_a_limited_call_is_made_in_the_same_process() -> None:
    [(_, (outer, inner))] = run_calls([Call(in_child, (), LIMITS)], 1)
    assert outer == inner != os.getpid()


def wait_in_parts(parts: int) -> int:
    for _ in range(parts):
        with limited(WAITING):
            time.sleep(0.2)
    return parts


def test_limits_begin_anew_with_each_part_of_a_call() -> None:
    [(_, parts)] = run_calls([Call(wait_in_parts, (4,), LIMITS)], 1)
    assert parts == 4


def in_parts(last: str, after: str) -> None:
    for order in ("good", last):
        with limited(LIMITS, f"part {order}"), limited(LIMITS):
            misbehave(order)
    misbehave(after)


def test_a_refusal_names_the_part_that_has_ended_the_process() -> None:
    orders = [("segfault", "good"), ("memory", "good"), ("error", "good"), ("well", "killed")]
    calls = [Call(in_parts, order, LIMITS) for order in orders]
    found = {call.arguments[0]: answer for call, answer in run_calls(calls, 2)}
    assert {last: (answer.rule, answer.part) for last, answer in found.items()} == {
        "segfault": ("reader_crashed", "part segfault"),
        "memory": ("memory_limit", "part memory"),
        "error": ("reader_crashed", "part error"),
        "well": ("reader_crashed", ""),
    }


def fail() -> None:
    raise SandboxError("no space left")


def test_what_no_call_can_do_is_no_refusal() -> None:
    with pytest.raises(SandboxError, match="no space left"):
        [*run_calls([Call(fail, (), LIMITS)], 1)]


def endless(document: Document) -> None:
    ENDLESS.match("a" * 60)


def test_a_question_without_end_has_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "page.txt").write_text("page")
    monkeypatch.setenv("BENCHLEDGER_WORKERS", "1")
    monkeypatch.setenv("BENCHLEDGER_DOCUMENT_SECONDS", "1")
    assert ask_of(tmp_path / "page.txt", None, endless) is None


def test_without_children_nothing_is_limited() -> None:
    call = Call(misbehave, ("good",), LIMITS)
    assert [*run_calls([call], 0)] == [(call, "good")]
