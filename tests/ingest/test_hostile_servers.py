"""Servers that would bring down a round of fetching, or have it believe what is not so: one source's affair, each."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
import yaml
from loopback import Handler, Reply, Server, text
from makers.small_pdf import make_pdf, write

from pipelines.ingest import fetching
from pipelines.ingest.addresses import is_public
from pipelines.ingest.fetch_log import Attempt
from pipelines.ingest.fetching import FetchingError, fetch_sources
from pipelines.ingest.http import RequestLimits
from pipelines.ingest.registry import read_source
from pipelines.ingest.store import read_store

PAGE = "Results\n\n| Model | Platform | Throughput (items/sec) |\n| ViT | Bow Pod16 | 7,608 |\n"
QUICK = RequestLimits(seconds=2.0, bytes=20_000, pause_s=0.0, tries=2, backoff_s=0.01, longest_wait_s=1.0)
# `Tue, 04 Jul 2023 ...`, told apart by one character
OLDER, NEWER = "Tue, 04 Jul 2022 09:00:00 GMT", "Tue, 04 Jul 2023 09:00:00 GMT"


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    return tmp_path / "raw"


def fetch(raw: Path, *urls: str, hosts: tuple[str, ...] = ("127.0.0.1",)) -> list[Attempt]:
    """Look at these addresses in one round, each as a source of its own."""
    names = [f"acme/page{number}" for number, _ in enumerate(urls)]
    for name, url in zip(names, urls, strict=True):
        (raw / name).mkdir(parents=True, exist_ok=True)
        fields = {"publisher": "Acme", "url": url, "cadence": "daily", "allow_hosts": list(hosts)}
        (raw / name / "source.yml").write_text(yaml.safe_dump(fields))
    return fetch_sources([read_source(raw, name) for name in names], raw, QUICK)


def outcomes(attempts: list[Attempt]) -> list[str]:
    return [attempt.outcome for attempt in attempts]


def with_bytes(name: bytes, value: bytes, status: int = 200) -> Reply:
    """Answers with a header as it stands, whatever stands in it."""

    def reply(handler: Handler) -> None:
        handler.send_response(status)
        handler._headers_buffer.append(name + b": " + value + b"\r\n")  # type: ignore[attr-defined]
        handler.send_header("Content-Type", "text/plain")
        handler.send_header("Content-Length", str(len(PAGE)))
        handler.end_headers()
        handler.wfile.write(PAGE.encode())

    return reply


def dated(body: str, modified: str) -> Reply:
    """A page as a careful server gives it: not again to who has it in this state or a later one."""

    def reply(handler: Handler) -> None:
        if handler.headers.get("If-Modified-Since", "") >= modified:
            handler.send(304)
        else:
            text(body, Last_Modified=modified)(handler)

    return reply


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        (b"ETag", b'"\xe9\xff"', 200),
        (b"Retry-After", b"9" * 5000, 503),
        (b"Retry-After", b"Mon, 01 Jan 2026 00:00:00 +9999999999999999999999", 503),
        (b"Location", b"http://xn--/", 302),
    ],
)
def test_a_strange_header_is_no_reason_to_leave_the_others(
    server: Server, raw: Path, name: bytes, value: bytes, status: int
) -> None:
    server.replies |= {"/strange": with_bytes(name, value, status), "/good": text(PAGE + "Good.\n")}
    for _ in range(2):
        strange, good = fetch(raw, server.url + "/strange", server.url + "/good")
    assert good.outcome == "unchanged"
    assert strange.outcome == ("unchanged" if status == 200 else "failed")
    assert "error of the program" not in str(strange.reason)


def test_what_nobody_foresaw_is_an_outcome_of_its_source(
    server: Server, raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def capture(body: bytes, media_type: str, charset: None, url: str, source: str, *more: object) -> object:
        if source == "acme/page0":
            raise RuntimeError("no such luck")
        return known(body, media_type, charset, url, source, *more)  # type: ignore[arg-type]

    known = fetching.capture
    monkeypatch.setattr(fetching, "capture", capture)
    server.replies["/good"] = text(PAGE)
    attempts = fetch(raw, server.url + "/good?1", server.url + "/good?2")
    assert outcomes(attempts) == ["failed", "changed"]
    assert "RuntimeError: no such luck" in str(read_source(raw, "acme/page0").runs[-1].last.reason)


def test_nobody_is_put_off_for_ever(server: Server, raw: Path) -> None:
    server.replies["/results"] = with_bytes(b"Retry-After", b"Fri, 31 Dec 9999 23:59:59 GMT", 503)
    [attempt] = fetch(raw, server.url + "/results")
    assert attempt.not_before is not None
    assert (attempt.not_before - attempt.attempted_at).days <= 30


def test_all_sources_of_a_host_wait_when_one_is_told_to(server: Server, raw: Path) -> None:
    answers = [lambda handler: handler.send(429, Retry_After="1")]
    server.replies["/busy"] = lambda handler: (answers.pop() if answers else text(PAGE))(handler)
    server.replies["/other"] = text(PAGE + "Other.\n")
    assert outcomes(fetch(raw, server.url + "/busy", server.url + "/other")) == ["changed", "changed"]
    asked = [(at, path) for at, path, _ in server.asked if path != "/robots.txt"]
    assert asked[1][0] - asked[0][0] >= 1.0, asked


def test_no_more_is_asked_of_a_host_whose_rules_cannot_be_read(server: Server, raw: Path) -> None:
    server.replies["/robots.txt"] = lambda handler: handler.send(500)
    attempts = fetch(raw, *(f"{server.url}/{number}" for number in range(5)))
    assert {(one.outcome, "robots.txt cannot be read" in str(one.reason)) for one in attempts} == {("failed", True)}
    assert len(server.asked) == QUICK.tries


def test_rules_longer_than_anyone_reads_count_as_far_as_they_are_read(server: Server, raw: Path) -> None:
    rules = "User-agent: *\nDisallow: /private\n" + "# nothing\n" * 5_000
    server.replies |= {"/robots.txt": text(rules), "/open": text(PAGE), "/private": text(PAGE)}
    assert outcomes(fetch(raw, server.url + "/open", server.url + "/private")) == ["changed", "blocked"]


def test_what_is_known_of_one_page_is_not_said_of_another(server: Server, raw: Path) -> None:
    server.replies |= {"/v1": dated(PAGE, NEWER), "/v2": dated(PAGE + "SDK 3.2\n", OLDER)}
    server.replies["/latest"] = lambda handler: handler.send(302, Location="/v1")
    assert outcomes(fetch(raw, server.url + "/latest") + fetch(raw, server.url + "/latest")) == ["changed", "unchanged"]
    assert server.asked[-1][2]["if-modified-since"] == NEWER
    server.replies["/latest"] = lambda handler: handler.send(302, Location="/v2")
    assert outcomes(fetch(raw, server.url + "/latest")) == ["changed"]
    assert len(read_store(raw).documents) == 2


@pytest.mark.parametrize("loss", ["the document", "its sidecar", "its bytes"])
def test_a_lost_snapshot_is_asked_for_again(server: Server, raw: Path, loss: str) -> None:
    server.replies["/results"] = dated(PAGE, OLDER)
    fetch(raw, server.url + "/results")
    server.replies["/results"] = dated(PAGE + "SDK 3.2\n", NEWER)
    [seen] = fetch(raw, server.url + "/results")
    [latest] = [row for row in read_store(raw).documents if row["document_id"] == seen.document_id]
    path = raw / str(latest["path"])
    if loss == "its bytes":
        path.write_text("damaged")
    else:
        (path if loss == "the document" else path.with_name("snapshot.yml")).unlink()
    [attempt] = fetch(raw, server.url + "/results")
    assert (attempt.status, attempt.document_id) == (200, latest["document_id"])
    assert "if-modified-since" not in server.asked[-1][2]
    if loss == "the document":
        assert latest["document_id"] in [row["document_id"] for row in read_store(raw).documents]


def test_not_modified_is_no_answer_to_who_has_not_asked(server: Server, raw: Path) -> None:
    server.replies["/results"] = text(PAGE)
    fetch(raw, server.url + "/results")
    server.replies["/results"] = lambda handler: handler.send(304)
    [attempt] = fetch(raw, server.url + "/results")
    assert (attempt.outcome, attempt.reason) == ("failed", "the server answers 304")


def test_a_capture_broken_off_is_taken_up_where_it_stood(server: Server, raw: Path) -> None:
    server.replies["/results"] = text(PAGE)
    fetch(raw, server.url + "/results")
    [stored] = (raw / "acme" / "page0").glob("*/results.txt")
    # As after `kill -9` between the document and its sidecar, and in the middle of each of them.
    stored.with_name("snapshot.yml").unlink()
    stored.with_name(f".{'0' * 64}.partial").write_text("Resul")
    stored.with_name(".snapshot.yml.partial").write_text("docum")
    (raw / "acme" / "page0" / "fetches.jsonl").unlink()
    assert outcomes(fetch(raw, server.url + "/results")) == ["changed"]
    store = read_store(raw)
    assert (store.faults, [row["path"] for row in store.documents]) == (
        [],
        [stored.relative_to(raw).as_posix()],
    )


def an_hour_later(raw: Path) -> None:
    """Snapshots of one second have no order: those that there are become older."""
    for sidecar in raw.glob("*/*/*/snapshot.yml"):
        content = yaml.safe_load(sidecar.read_text())
        for entry in content["documents"]:
            moments = [entry["snapshot_at"], *entry["seen_again_at"]]
            older = [(datetime.fromisoformat(moment) - timedelta(hours=1)).isoformat() for moment in moments]
            entry["snapshot_at"], entry["seen_again_at"] = older[0], older[1:]
        sidecar.write_text(yaml.safe_dump(content))


def test_a_fetch_killed_before_it_was_logged_is_completed_by_the_next(server: Server, raw: Path) -> None:
    """What was stored is news to the log, and what the server says of the page before is not taken for this one."""
    log = raw / "acme" / "page0" / "fetches.jsonl"
    states = [dated(PAGE, OLDER), dated(PAGE + "New.\n", NEWER), dated(PAGE, NEWER.replace("04", "05"))]
    for number, state in enumerate(states):
        before = log.read_bytes() if log.exists() else b""
        server.replies["/page"] = state
        an_hour_later(raw)
        assert outcomes(fetch(raw, server.url + "/page")) == ["changed"]
        # As if the process had been killed between the two.
        log.write_bytes(before)
        [attempt] = fetch(raw, server.url + "/page")
        assert (attempt.outcome, "broke off" in str(attempt.reason)) == ("changed", True)
        assert outcomes(fetch(raw, server.url + "/page")) == ["unchanged"]
        assert len(list(raw.glob("acme/page0/*/page*.txt"))) == min(number + 1, 2)
    assert [run.first.outcome for run in read_source(raw, "acme/page0").runs] == ["changed", "unchanged"] * 3


def test_a_look_after_a_lost_one_asks_for_the_whole_page(server: Server, raw: Path) -> None:
    log = raw / "acme" / "page0" / "fetches.jsonl"
    server.replies["/page"] = dated(PAGE, OLDER)
    fetch(raw, server.url + "/page")
    before = log.read_bytes()
    an_hour_later(raw)
    server.replies["/page"] = dated(PAGE + "New.\n", NEWER)
    fetch(raw, server.url + "/page")
    log.write_bytes(before)
    # The page is as it was before the look that is lost: "not modified" would leave the other standing.
    server.replies["/page"] = dated(PAGE, OLDER)
    [attempt] = fetch(raw, server.url + "/page")
    assert (attempt.outcome, attempt.status) == ("changed", 200)


def test_a_long_name_in_any_script_is_cut_to_what_a_file_may_be_called(server: Server, raw: Path) -> None:
    path = "/" + "%F0%A0%AE%B7" * 90 + ".html"
    server.replies[path] = text(PAGE)
    assert outcomes(fetch(raw, server.url + path)) == ["changed"]
    [row] = read_store(raw).documents
    assert str(row["path"]).split("/")[-1].startswith("𠮷")


def test_a_connection_is_not_used_for_another_name(server: Server, raw: Path) -> None:
    ports = []

    def reply(handler: Handler) -> None:
        ports.append(handler.client_address[1])
        text(PAGE)(handler)

    server.replies["/here"] = lambda handler: handler.send(302, Location=f"http://localhost:{server.server_port}/there")
    server.replies["/there"] = server.replies["/robots.txt"] = reply
    assert outcomes(fetch(raw, server.url + "/here", hosts=("127.0.0.1", "localhost"))) == ["changed"]
    assert len(set(ports)) == len(ports)


def test_a_store_that_cannot_be_written_to_is_named(server: Server, tmp_path: Path) -> None:
    (tmp_path / "raw").write_text("a file")
    with pytest.raises(FetchingError, match="nothing can be stored"):
        fetch_sources([], tmp_path / "raw" / "below", QUICK)


@pytest.mark.parametrize("address", ["::127.0.0.1", "::169.254.169.254", "::10.0.0.1", "::ffff:0:127.0.0.1"])
def test_an_inner_address_in_an_old_guise(address: str) -> None:
    assert not is_public(address)


def test_a_chart_that_is_drawn_anew_says_something_else(server: Server, raw: Path) -> None:
    def chart(height: int, day: str) -> Reply:
        body = make_pdf([*write(72, 700, f"ResNet-50 throughput. Updated {day}", 12), f"72 100 40 {height} re f"])
        return lambda handler: handler.send(200, body, Content_Type="application/pdf")

    seen = []
    for height, day in ((300, "July 4, 2023"), (300, "August 1, 2023"), (400, "August 1, 2023")):
        server.replies["/deck.pdf"] = chart(height, day)
        seen += outcomes(fetch(raw, server.url + "/deck.pdf"))
    assert seen == ["changed", "unchanged", "changed"]
