"""The log of all attempts: small where nothing changes, and nothing of it is ever lost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pipelines.ingest.fetch_log import Attempt, FetchLogError, append_attempt, read_attempts
from pipelines.ingest.store import read_store, state_of_store
from pipelines.run.up_to_date import build_digest

START = datetime(2026, 1, 31, 12, tzinfo=UTC)
SEEN = {
    "requests": 2,
    "status": 304,
    "etag": '"a1"',
    "document_id": "0" * 64,
    "final_url": "https://acme.example/r",
}


def made(hour: float, outcome: str, **more: object) -> Attempt:
    fields = {"source": "acme/results", "url": "https://acme.example/r", "outcome": outcome}
    return Attempt.model_validate(fields | {"attempted_at": START + timedelta(hours=hour)} | more)


ATTEMPTS = [
    made(0, "changed", **SEEN),
    *[made(hour, "unchanged", **SEEN) for hour in range(1, 200)],
    made(200, "unchanged", **SEEN | {"requests": 3}),
    *[made(hour, "failed", reason="the server returned 503") for hour in (201, 202, 203)],
    # A server that asks to wait says something else each time.
    *[made(hour, "failed", not_before=START + timedelta(hours=hour + 1)) for hour in (204, 205)],
    *[made(hour, "unchanged", **SEEN) for hour in (206, 207)],
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for attempt in ATTEMPTS:
        append_attempt(tmp_path / "acme" / "results", attempt)
    return tmp_path / "acme" / "results"


def test_every_attempt_comes_back_as_it_was(folder: Path) -> None:
    assert read_attempts(folder) == ATTEMPTS
    assert [row["attempted_at"] for row in read_store(folder.parent.parent).fetches] == [
        attempt.attempted_at.replace(tzinfo=None) for attempt in ATTEMPTS
    ]


def test_a_page_that_does_not_change_takes_little_room(folder: Path) -> None:
    log = folder / "fetches.jsonl"
    assert len([line for line in log.read_text().splitlines() if '"outcome"' in line]) == 7
    before = log.read_bytes()
    append_attempt(folder, made(208, "unchanged", **SEEN))
    # What was written is never written again.
    assert log.read_bytes().startswith(before)
    assert log.stat().st_size - len(before) < 40


@pytest.mark.parametrize("broken", ['{"again_at":"2026-02', '{"source": "acme/resu'])
def test_a_line_broken_off_is_replaced(folder: Path, broken: str) -> None:
    with (folder / "fetches.jsonl").open("a") as log:
        log.write(broken)
    assert read_attempts(folder) == ATTEMPTS
    append_attempt(folder, made(208, "unchanged", **SEEN))
    assert read_attempts(folder) == [*ATTEMPTS, made(208, "unchanged", **SEEN)]


@pytest.mark.parametrize(
    "moment", ["2026-02-01T10:00:00", "2026-02-31T10:00:00Z", "9999-12-31T23:59:59Z", "soon"]
)
def test_a_short_line_without_a_time_or_an_attempt_before_it_is_named(
    folder: Path, moment: str
) -> None:
    log = folder / "fetches.jsonl"
    number = log.read_text().count("\n") + 1
    log.write_text(log.read_text() + f'{{"again_at":"{moment}"}}\n')
    with pytest.raises(FetchLogError, match=f"line {number}: "):
        read_attempts(folder)
    log.write_text('{"again_at":"2026-02-01T10:00:00Z"}\n')
    with pytest.raises(FetchLogError, match="line 1: Field required"):
        read_attempts(folder)


def test_a_line_that_somebody_broke_is_not_taken_for_the_attempt_before(folder: Path) -> None:
    log = folder / "fetches.jsonl"
    log.write_text(log.read_text() + "nonsense\n")
    append_attempt(folder, made(208, "unchanged", **SEEN))
    assert log.read_text().splitlines()[-1].startswith('{"source"')


@pytest.mark.parametrize(
    ("then", "is_news"),
    [
        (made(300, "unchanged", **SEEN), False),
        (made(300, "unchanged", **SEEN | {"etag": '"b2"'}), False),
        (made(300, "changed", **SEEN), False),
        (made(300, "gone", reason="the server returned 404"), True),
        (made(300, "failed", reason="the server returned 503"), True),
    ],
)
def test_only_an_outcome_of_another_kind_is_a_reason_to_build(
    folder: Path, then: Attempt, is_news: bool
) -> None:
    raw = folder.parent.parent
    before, _ = state_of_store(raw)
    append_attempt(folder, then)
    after, _ = state_of_store(raw)
    assert (after != before) is is_news
    append_attempt(
        folder, then.model_copy(update={"attempted_at": then.attempted_at + timedelta(hours=1)})
    )
    assert state_of_store(raw)[0] == after
    append_attempt(folder, made(302, "unchanged", **SEEN))
    assert state_of_store(raw)[0] == before


def test_a_look_is_something_to_build_when_asked_and_a_broken_log_always(folder: Path) -> None:
    raw = folder.parent.parent
    before, state = build_digest(read_store(raw)), state_of_store(raw)[0]
    append_attempt(folder, made(208, "unchanged", **SEEN))
    assert build_digest(read_store(raw)) != before
    with (folder / "fetches.jsonl").open("a") as log:
        log.write("nonsense\n")
    assert state_of_store(raw)[0] != state
