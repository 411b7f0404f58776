"""Calls in child processes: whatever an item does to its process it is one refusal, and the others
are read.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipelines import sandbox
from pipelines.read.document import Document
from pipelines.read.files import ask_of
from pipelines.sandbox import (
    Call,
    Refusal,
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
INNER = replace(LIMITS, memory_mib=32, on_memory=Refusal("inner", "{}"))


@pytest.fixture(autouse=True)
def children(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
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
        case "inner":
            with limited("within", INNER):
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
    "inner": ("inner", "32 MiB of memory"),
    "segfault": ("reader_crashed", "SIGSEGV"),
    "abort": ("memory_limit", ""),
    "killed": ("reader_crashed", "SIGKILL"),
    "error": ("reader_crashed", "ZeroDivisionError: no divisor"),
}


def read_all(
    number: int, orders: list[str], refused: Mapping[str, Refusal]
) -> tuple[int, dict[str, Any]]:
    found: dict[str, Any] = {}
    for order in orders:
        if order in refused:
            found[order] = refused[order]
            continue
        with limited(order, WAITING if order == "wait" else LIMITS):
            found[order] = misbehave(order)
    return number, found


def test_an_item_that_ends_its_process_is_one_refusal(capfd: pytest.CaptureFixture[str]) -> None:
    orders = [
        ["good", "error"],
        ["inner", "segfault", "memory"],
        ["loop"],
        ["wait", "abort", "killed", "well"],
    ]
    answers = dict(
        run_calls([Call(read_all, (number, some)) for number, some in enumerate(orders)], 2)
    )
    assert [[*answers[number]] for number in range(4)] == orders
    found = {order: answer for answer in answers.values() for order, answer in answer.items()}
    assert (found.pop("good"), found.pop("well")) == ("good", "well")
    for order, (rule, reason) in EXPECTED.items():
        assert found[order].rule == rule, order
        assert re.search(reason, found[order].reason), order
    # An error of the program is not lost.
    assert "in misbehave" in capfd.readouterr().err


def test_a_call_that_is_one_item_gives_its_refusal() -> None:
    with pytest.raises(RefusedError, match="SIGSEGV"):
        run_limited(misbehave, "segfault", limits=LIMITS)
    # The next one has a process of its own, which then stays.
    assert run_limited(misbehave, "good", limits=LIMITS) == "good"
    [idle] = sandbox._idle
    assert run_limited(os.getpid, limits=LIMITS) == idle.process.pid


def in_child(refused: Mapping[str, Refusal]) -> tuple[int, int]:
    with limited("item", LIMITS):
        return os.getpid(), run_limited(os.getpid, limits=LIMITS)


def test_within_a_child_a_limited_call_is_made_in_the_same_process() -> None:
    [(outer, inner)] = run_calls([Call(in_child, ())], 1)
    assert outer == inner != os.getpid()


def fail_between(refused: Mapping[str, Refusal]) -> None:
    with limited("item", LIMITS):
        pass
    raise OSError("no space left")


def test_what_fails_between_items_is_no_refusal() -> None:
    with pytest.raises(SandboxError, match="OSError: no space left"):
        [*run_calls([Call(fail_between, ())], 1)]


def test_the_journal_names_the_item_that_is_read(tmp_path: Path) -> None:
    call = Call(read_all, (0, ["good", "wait"]), refused={}, journal=tmp_path / "journal")
    calls = run_calls([call], 1)
    assert next(calls)[1]["wait"].rule == "time_limit"
    call = Call(misbehave, ("segfault",), limits=LIMITS, journal=tmp_path / "journal")
    assert next(run_calls([call], 1)).rule == "reader_crashed"
    assert (tmp_path / "journal").read_text() == "misbehave"


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
    assert [*run_calls([Call(read_all, (1, ["good"]))], 0)] == [(1, {"good": "good"})]
