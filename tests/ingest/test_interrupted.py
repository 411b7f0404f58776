"""Ctrl-C while a document is stored or removed: it ends before, or has all that is written of it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from loopback import Server, text

from benchledger import Project
from pipelines.ingest import fetching, snapshots

PAGE = "Results\n\n| Model | Platform | Throughput (items/sec) |\n| ViT | Bow Pod16 | 7,608 |\n"


def and_interrupt(work: Callable[..., Any]) -> Callable[..., Any]:
    """The work, and Ctrl-C before anything is done after it."""

    def interrupted(*given: Any) -> Any:
        done = work(*given)
        os.kill(os.getpid(), signal.SIGINT)
        return done

    return interrupted


@contextmanager
def interrupts() -> Iterator[None]:
    """Expects Ctrl-C, even where the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "page.txt").write_text(PAGE)
    return Project(tmp_path)


def written(project: Project) -> list[str]:
    paths = project.raw.rglob("*")
    return sorted(path.name for path in paths if path.is_file() and path.suffix != ".lock")


def test_an_added_document_has_its_entry(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "give_name", and_interrupt(snapshots.give_name))
    with interrupts():
        project.add(tmp_path / "page.txt", "acme/results", title="Results of Acme")
    assert written(project) == ["page.txt", "snapshot.yml", "source.yml"]


def test_a_removed_document_is_gone_with_its_entry(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("page.txt", "other.txt"):
        (tmp_path / name).write_text(PAGE.replace("7,608", str(len(name))))
        project.add(tmp_path / name, "acme/results")
    monkeypatch.setattr(snapshots, "write_sidecar", and_interrupt(snapshots.write_sidecar))
    with interrupts():
        project.remove("other.txt")
    assert written(project) == ["page.txt", "snapshot.yml", "source.yml"]


def test_a_fetched_document_has_its_entries_and_stays_registered(
    project: Project, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.replies["/page.txt"] = text(PAGE)
    monkeypatch.setattr(fetching, "capture", and_interrupt(fetching.capture))
    with interrupts():
        project.add(f"{server.url}/page.txt", "acme/results", allow_hosts=["127.0.0.1"])
    assert written(project) == ["fetches.jsonl", "page.txt", "snapshot.yml", "source.yml"]
