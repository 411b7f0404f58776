"""When a source is due, and what is fresh."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pipelines.exceptions import WrongUseError
from pipelines.ingest.fetch_log import Attempt, FetchLogError, Result, append_attempt, read_attempts
from pipelines.ingest.registry import read_registry, read_source, register
from pipelines.ingest.sidecars import parse_cadence

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
URL = "https://acme.example/results"


HOURS = {"hourly": 1, "Daily": 24, "monthly": 720, "12 hours": 12, "every 2 weeks": 336, "day": 24}


def test_cadences() -> None:
    assert {text: parse_cadence(text) / timedelta(hours=1) for text in HOURS} == HOURS
    assert parse_cadence("every 30 minutes") == timedelta(minutes=30)


@pytest.mark.parametrize(
    "text", ["", "now and then", "0 days", "-1 day", "1.5 days", "5 seconds", "99999 days"]
)
def test_what_is_no_cadence(text: str) -> None:
    with pytest.raises(ValueError, match="cadence"):
        parse_cadence(text)


def source(raw: Path, text: str = f"url: {URL}\ncadence: daily\n") -> Path:
    folder = raw / "acme" / "results"
    folder.mkdir(parents=True)
    (folder / "source.yml").write_text("publisher: Acme\n" + text)
    return folder


def attempt(folder: Path, hours_ago: float, outcome: Result, **more: object) -> None:
    at = NOW - timedelta(hours=hours_ago)
    append_attempt(
        folder,
        Attempt.model_validate(
            {"source": "acme/results", "url": URL, "attempted_at": at, "outcome": outcome} | more
        ),
    )


def test_a_source_is_due_when_its_interval_is_over(tmp_path: Path) -> None:
    folder = source(tmp_path)
    assert read_source(tmp_path, "acme/results").is_due(NOW)
    assert read_source(tmp_path, "acme/results").freshness(NOW) == "never fetched"
    attempt(folder, 23, "changed")
    [registered] = read_registry(tmp_path)
    assert (registered.is_due(NOW), registered.freshness(NOW)) == (False, "fresh")
    assert registered.is_due(NOW + timedelta(hours=1))
    assert registered.freshness(NOW + timedelta(hours=1)) == "due"
    attempt(folder, 0, "failed")
    [registered] = read_registry(tmp_path)
    assert not registered.is_due(NOW + timedelta(minutes=59))
    assert registered.freshness(NOW + timedelta(hours=26)) == "stale"
    assert registered.last_change_at == NOW - timedelta(hours=23)


def test_what_failed_is_looked_at_again_before_the_next_month(tmp_path: Path) -> None:
    folder = source(tmp_path, f"url: {URL}\ncadence: monthly\n")
    waits = []
    for number, outcome in enumerate(["changed", *["failed"] * 11, "gone", "failed", "unchanged"]):
        attempt(folder, 1000 - number, outcome)  # type: ignore[arg-type]
        registered = read_source(tmp_path, "acme/results")
        assert registered.next_due_at is not None
        waits.append((registered.next_due_at - registered.last.attempted_at) / timedelta(hours=1))  # type: ignore[union-attr]
    assert waits == [720, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 720, 720, 1, 720]


def test_an_attempt_of_tomorrow_does_not_put_the_next_one_off(tmp_path: Path) -> None:
    folder = source(tmp_path)
    attempt(folder, -10 * 365 * 24, "changed")
    assert read_source(tmp_path, "acme/results").is_due(NOW)
    attempt(folder, 0, "unchanged")
    registered = read_source(tmp_path, "acme/results")
    assert (registered.last_seen_at, registered.is_due(NOW + timedelta(hours=23))) == (NOW, False)
    assert registered.freshness(NOW + timedelta(days=3)) == "stale"


def test_minutes_are_for_hosts_of_ones_own(tmp_path: Path) -> None:
    with pytest.raises(WrongUseError, match="only for hosts in allow_hosts"):
        register(tmp_path, "acme/results", URL, cadence="5 minutes")
    assert not (tmp_path / "acme").exists()
    register(tmp_path, "acme/results", URL, cadence="5 minutes", allow_hosts=["acme.example"])
    attempt(tmp_path / "acme" / "results", 0, "changed")
    registered = read_source(tmp_path, "acme/results")
    assert [registered.is_due(NOW + timedelta(minutes=minutes)) for minutes in (4, 5)] == [
        False,
        True,
    ]


def test_a_server_may_ask_for_more_time(tmp_path: Path) -> None:
    folder = source(tmp_path)
    attempt(folder, 25, "failed", not_before=NOW + timedelta(days=2))
    assert not read_source(tmp_path, "acme/results").is_due(NOW + timedelta(days=1))
    assert read_source(tmp_path, "acme/results").is_due(NOW + timedelta(days=2))


@pytest.mark.parametrize(
    ("text", "freshness"),
    [
        ("", "not registered"),
        (f"url: {URL}\n", "by hand"),
        ("cadence: never\n", "faulty"),
        ("interest: [\n", "faulty"),
        (f"url: {URL}\nreplaced_on: 2024-11-21\n", "replaced"),
    ],
)
def test_what_is_never_due(tmp_path: Path, text: str, freshness: str) -> None:
    source(tmp_path, text)
    [registered] = read_registry(tmp_path)
    assert (registered.freshness(NOW), registered.next_due_at) == (freshness, None)


@pytest.mark.parametrize(
    "log",
    [
        b"nonsense\n",
        b"\xff\xfe\n",
        # A time without a zone is no time.
        b'{"source": "acme/results", "url": "x", "attempted_at": "2026-01-31T12:00:00", "outcome": "gone"}\n',
    ],
)
def test_a_log_that_cannot_be_read_is_a_fault_of_its_source(tmp_path: Path, log: bytes) -> None:
    folder = source(tmp_path)
    (folder / "fetches.jsonl").write_bytes(log)
    with pytest.raises(FetchLogError, match=r"line 1|cannot be read"):
        read_attempts(folder)
    registered = read_source(tmp_path, "acme/results")
    assert (registered.freshness(NOW), registered.is_due(NOW)) == ("faulty", False)
