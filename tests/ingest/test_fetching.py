"""Fetching from a server that misbehaves in every way it can."""

from __future__ import annotations

import gzip
import socket
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from loopback import Handler, Server, text

from pipelines.ingest.addresses import is_public
from pipelines.ingest.fetch_log import Attempt
from pipelines.ingest.fetching import fetch_sources
from pipelines.ingest.http import RequestLimits
from pipelines.ingest.registry import read_source
from pipelines.ingest.store import read_store

PAGE = "Results\n\n| Model | Platform | Throughput (items/sec) |\n| ViT | Bow Pod16 | 7,608 |\n"
QUICK = RequestLimits(seconds=1.0, bytes=20_000, pause_s=0.0, tries=3, backoff_s=0.01, longest_wait_s=1.0)
NAME = "acme/results"


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    return tmp_path / "raw"


def register(raw: Path, url: str, name: str = NAME, **more: object) -> None:
    folder = raw / name
    folder.mkdir(parents=True, exist_ok=True)
    fields = {"publisher": "acme", "url": url, "cadence": "daily", "allow_hosts": ["127.0.0.1"]} | more
    (folder / "source.yml").write_text(yaml.safe_dump(fields))


def fetch(raw: Path, name: str = NAME, limits: RequestLimits = QUICK) -> Attempt:
    [attempt] = fetch_sources([read_source(raw, name)], raw, limits)
    assert read_source(raw, name).last == attempt
    return attempt


def documents(raw: Path) -> list[str]:
    store = read_store(raw)
    assert store.faults == []
    return [row["path"] for row in store.documents]


def test_the_first_look_stores_the_page_as_it_is(server: Server, raw: Path) -> None:
    server.replies["/results"] = text(PAGE)
    register(raw, server.url + "/results")
    attempt = fetch(raw)
    assert (attempt.outcome, attempt.status, attempt.bytes) == ("changed", 200, len(PAGE))
    [path] = documents(raw)
    assert (raw / path).read_text() == PAGE
    [row] = read_store(raw).documents
    assert (row["url"], row["media_type"]) == (server.url + "/results", "text/plain")


def test_a_second_look_is_conditional(server: Server, raw: Path) -> None:
    def reply(handler: Handler) -> None:
        if handler.headers.get("If-None-Match") == '"one"':
            handler.send(304)
        else:
            text(PAGE, ETag='"one"', Last_Modified="Tue, 04 Jul 2023 09:00:00 GMT")(handler)

    server.replies["/results"] = reply
    register(raw, server.url + "/results")
    fetch(raw)
    assert [fetch(raw).outcome, fetch(raw).outcome] == ["unchanged", "unchanged"]
    assert server.asked[-1][2]["if-modified-since"] == "Tue, 04 Jul 2023 09:00:00 GMT"
    assert len(documents(raw)) == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Last updated July 4, 2023", "Last updated August 1, 2023"),
        (
            "Generated 2026-01-02T03:04:05Z 3f2b8c19d07a",
            "Generated 2026-01-03T13:14:15Z 9ab8c19d0fff",
        ),
        ("Sat, 21 Nov 2026", "Sun, 22 Nov 2026"),
        ("Request ID: 3f2b8c19-d07a-4f00-9abc-0123456789ab", "Request ID: 4a2b8c19-d07a-4f00-9abc-0123456789ac"),
        ("end  of page", "end of page "),
    ],
)
def test_other_bytes_with_the_same_content_make_no_release(server: Server, raw: Path, before: str, after: str) -> None:
    server.replies["/results"] = text(PAGE + before + "\n")
    register(raw, server.url + "/results")
    first = fetch(raw)
    server.replies["/results"] = text(PAGE + after + "\n")
    second = fetch(raw)
    assert (second.outcome, second.document_id) == ("unchanged", first.document_id)
    assert "bytes differ" in str(second.reason)
    assert len(documents(raw)) == 1


HTML = """<html><head><script nonce="{nonce}">var built = {built};</script>
<style>td {{ color: {colour} }}</style></head>
<body><nav><a href="/?session={nonce}">Home {built}</a></nav><h1>Results</h1>
<table><tr><th>Model</th><th>Platform</th><th>Throughput (items/sec)</th></tr>
<tr><td>ViT</td><td>Bow Pod16</td><td>{value}</td></tr></table>
<footer>Last updated {day}</footer></body></html>"""


def test_an_html_page_is_compared_by_what_it_shows(server: Server, raw: Path) -> None:
    page = {"nonce": "8ab1", "built": 1, "colour": "red", "value": "7,608", "day": "July 4, 2023"}
    server.replies["/results"] = text(HTML.format(**page), Content_Type="text/html; charset=utf-8")
    register(raw, server.url + "/results")
    assert fetch(raw).outcome == "changed"
    page |= {"nonce": "77ff", "built": 2, "colour": "blue", "day": "August 1, 2023"}
    server.replies["/results"] = text(HTML.format(**page), Content_Type="text/html; charset=utf-8")
    assert fetch(raw).outcome == "unchanged"
    server.replies["/results"] = text(HTML.format(**page | {"value": "7,700"}), Content_Type="text/html; charset=utf-8")
    assert fetch(raw).outcome == "changed"
    assert len(documents(raw)) == 2
    assert all(path.endswith(".html") for path in documents(raw))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("7,608", "7,609"),
        ("7,608 |", "7,608 | 12:30 |"),
        ("SDK 3.1", "SDK 3.2"),
        ("8/4/2048", "8/4/2040"),
        ("x", "y"),
        ("2023-01-01 8:39", "2023-01-01 8:40"),
        ("2023-01-01\t8:39:10", "2023-01-01\t8:39:11"),
        ("session: 1048576", "session: 1048577"),
    ],
)
def test_other_content_is_a_new_snapshot(server: Server, raw: Path, before: str, after: str) -> None:
    page = PAGE + "SDK 3.1 with TP/PP/length 8/4/2048, x\n"
    page += "" if before in page else before + "\n"
    server.replies["/results"] = text(page)
    register(raw, server.url + "/results")
    fetch(raw)
    server.replies["/results"] = text(page.replace(before, after))
    assert fetch(raw).outcome == "changed"
    assert len(documents(raw)) == 2


def test_a_page_that_returns_to_an_earlier_state_is_recorded_without_a_second_copy(server: Server, raw: Path) -> None:
    register(raw, server.url + "/results")
    server.replies["/results"] = text(PAGE)
    first = fetch(raw)
    time.sleep(1.1)
    server.replies["/results"] = text(PAGE.replace("7,608", "7,000"))
    second = fetch(raw)
    order = {row["document_id"]: row["snapshot_at"] for row in read_store(raw).documents}
    assert order[second.document_id] > order[first.document_id]
    time.sleep(1.1)
    server.replies["/results"] = text(PAGE)
    third = fetch(raw)
    assert (third.outcome, third.document_id) == ("changed", first.document_id)
    order = {row["document_id"]: row["snapshot_at"] for row in read_store(raw).documents}
    assert order[first.document_id] > order[second.document_id]
    assert len(documents(raw)) == 2
    sightings = sorted(read_store(raw).sightings, key=lambda row: row["snapshot_at"])
    assert [row["document_id"] for row in sightings] == [first.document_id, second.document_id, first.document_id]


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (404, "gone"),
        (410, "gone"),
        (401, "blocked"),
        (403, "blocked"),
        (451, "blocked"),
        (400, "failed"),
        (501, "failed"),
    ],
)
def test_what_a_status_means_and_that_it_is_not_asked_again(
    server: Server, raw: Path, status: int, outcome: str
) -> None:
    server.replies["/results"] = lambda handler: handler.send(status, b"no")
    register(raw, server.url + "/results")
    assert (fetch(raw).outcome, len(server.paths())) == (outcome, 1)


def test_robots_txt_is_obeyed_with_its_wildcards_and_its_delay(server: Server, raw: Path) -> None:
    server.replies["/robots.txt"] = text("User-agent: *\nCrawl-delay: 0.3\nDisallow: /*/private$\n")
    server.replies["/a/private"] = server.replies["/a/open"] = text(PAGE)
    register(raw, server.url + "/a/private")
    attempt = fetch(raw)
    assert (attempt.outcome, server.paths()) == ("blocked", [])
    assert "robots.txt" in str(attempt.reason)
    register(raw, server.url + "/a/open")
    assert fetch(raw).outcome == "changed"
    (asked_at, *_), (next_at, *_) = server.asked[-2:]
    assert next_at - asked_at >= 0.3


@pytest.mark.parametrize("fault", ["status 503", "connection closed", "body cut", "silence"])
def test_passing_faults_are_retried(server: Server, raw: Path, fault: str) -> None:
    faults = [fault, fault]

    def reply(handler: Handler) -> None:
        if not faults:
            text(PAGE)(handler)
            return
        faults.pop()
        handler.close_connection = True
        if fault == "status 503":
            handler.send(503)
        elif fault == "connection closed":
            handler.connection.shutdown(socket.SHUT_RDWR)
        elif fault == "body cut":
            handler.send(200, b"half a pa", Content_Type="text/plain", Content_Length="5000")
        else:
            time.sleep(QUICK.seconds + 0.3)

    server.replies["/results"] = reply
    register(raw, server.url + "/results")
    attempt = fetch(raw)
    assert (attempt.outcome, len(server.paths())) == ("changed", 3)
    assert [(raw / path).read_text() for path in documents(raw)] == [PAGE]


PACKED = gzip.compress(PAGE.encode(), mtime=0)


@pytest.mark.parametrize(
    ("body", "coding", "length", "words"),
    [
        (PAGE.encode()[:30], "identity", len(PAGE), "closed"),
        # A proxy that lost the end of a page states the length of what it has: only the packing tells.
        (PACKED[:-9], "gzip", len(PACKED) - 9, "breaks off before its end"),
    ],
)
def test_a_body_that_stays_cut_is_never_stored(
    server: Server, raw: Path, body: bytes, coding: str, length: int, words: str
) -> None:
    def reply(handler: Handler) -> None:
        handler.send(200, body, Content_Type="text/plain", Content_Encoding=coding, Content_Length=str(length))
        handler.close_connection = True

    server.replies["/results"] = reply
    register(raw, server.url + "/results")
    attempt = fetch(raw)
    assert (attempt.outcome, documents(raw), len(server.paths())) == ("failed", [], QUICK.tries)
    assert words in str(attempt.reason)


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("gzip", PACKED),
        ("x-gzip", PACKED + b"\0" * 512),
        ("gzip", gzip.compress(PAGE[:20].encode()) + gzip.compress(PAGE[20:].encode())),
        ("identity", PAGE.encode()),
    ],
    ids=["gzip", "padded", "several", "identity"],
)
def test_a_packed_body_is_unpacked_to_its_end(server: Server, raw: Path, coding: str, packed: bytes) -> None:
    server.replies["/results"] = lambda handler: handler.send(
        200, packed, Content_Type="text/plain", Content_Encoding=coding
    )
    register(raw, server.url + "/results")
    assert fetch(raw).outcome == "changed"
    assert [(raw / path).read_text() for path in documents(raw)] == [PAGE]


def test_retry_after_is_waited_for_when_it_is_short(server: Server, raw: Path) -> None:
    answers = [lambda handler: handler.send(429, Retry_After="1"), text(PAGE)]
    server.replies["/results"] = lambda handler: answers.pop(0)(handler)
    register(raw, server.url + "/results")
    assert fetch(raw).outcome == "changed"
    first, second = [at for at, path, _ in server.asked if path == "/results"]
    assert second - first >= 1.0


@pytest.mark.parametrize("as_date", [False, True])
def test_a_long_retry_after_puts_the_next_look_off(server: Server, raw: Path, as_date: bool) -> None:
    until = datetime.now(UTC) + timedelta(days=3)
    stated = format_datetime(until, usegmt=True) if as_date else str(3 * 24 * 3600)
    server.replies["/results"] = lambda handler: handler.send(503, Retry_After=stated)
    register(raw, server.url + "/results")
    attempt = fetch(raw)
    assert (attempt.outcome, len(server.paths())) == ("failed", 1)
    source = read_source(raw, NAME)
    assert source.next_due_at is not None
    assert abs(source.next_due_at - until) < timedelta(minutes=1)


def test_redirects_are_followed_so_far_and_no_further(server: Server, raw: Path) -> None:
    server.replies["/results"] = lambda handler: handler.send(302, Location="/moved?page=1")
    server.replies["/moved"] = text(PAGE)
    register(raw, server.url + "/results")
    attempt = fetch(raw)
    assert (attempt.outcome, attempt.final_url) == ("changed", server.url + "/moved?page=1")
    for number in range(9):
        server.replies[f"/hop{number}"] = lambda handler, to=number + 1: handler.send(301, Location=f"/hop{to}")
    register(raw, server.url + "/hop0", "acme/hops")
    attempt = fetch(raw, "acme/hops")
    assert attempt.outcome == "failed"
    assert "more than 5 times" in str(attempt.reason)
    server.replies["/circle"] = lambda handler: handler.send(301, Location="/circle")
    register(raw, server.url + "/circle", "acme/circle")
    assert "circle" in str(fetch(raw, "acme/circle").reason)
    server.replies["/nowhere"] = lambda handler: handler.send(301)
    register(raw, server.url + "/nowhere", "acme/nowhere")
    assert "where the page is" in str(fetch(raw, "acme/nowhere").reason)


def test_a_body_is_read_up_to_its_limit(server: Server, raw: Path) -> None:
    def chunked(handler: Handler) -> None:
        handler.send(200, Content_Type="text/plain", Transfer_Encoding="chunked")
        for _ in range(100):
            handler.wfile.write(b"3e8\r\n" + b"x" * 1000 + b"\r\n")
        handler.wfile.write(b"0\r\n\r\n")

    bomb = gzip.compress(b"0" * 50_000_000)
    assert len(bomb) < 60_000
    server.replies |= {
        "/stated": lambda handler: handler.send(200, Content_Type="text/plain", Content_Length="999999999"),
        "/chunked": chunked,
        "/bomb": lambda handler: handler.send(200, bomb, Content_Type="text/plain", Content_Encoding="gzip"),
        "/nested": lambda handler: handler.send(
            200, gzip.compress(bomb), Content_Type="text/plain", Content_Encoding="gzip, gzip"
        ),
        "/broken": lambda handler: handler.send(200, b"no gzip", Content_Type="text/plain", Content_Encoding="gzip"),
        "/other": lambda handler: handler.send(200, b"x", Content_Type="text/plain", Content_Encoding="deflate"),
    }
    for path in ("stated", "chunked", "bomb", "nested", "broken", "other"):
        register(raw, f"{server.url}/{path}", f"acme/{path}")
        attempt = fetch(raw, f"acme/{path}")
        assert (attempt.outcome, path in server.paths()[-1]) == ("failed", True), path
        assert attempt.reason
    assert documents(raw) == []


def test_a_server_that_drips_does_not_hold_the_round_up(server: Server, raw: Path) -> None:
    def drip(handler: Handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        for _ in range(100):
            handler.wfile.write(b"X-A: b\r\n")
            time.sleep(0.1)

    server.replies["/drip"] = drip
    server.replies["/results"] = text(PAGE)
    register(raw, server.url + "/drip", "acme/drip")
    register(raw, server.url + "/results")
    limits = RequestLimits(seconds=0.5, pause_s=0.0, tries=2, backoff_s=0.01)
    started = time.monotonic()
    slow, good = fetch_sources([read_source(raw, "acme/drip"), read_source(raw, NAME)], raw, limits)
    assert (slow.outcome, good.outcome) == ("failed", "changed")
    assert time.monotonic() - started < 4


@pytest.mark.parametrize("media_type", ["image/png", "application/zip", "video/mp4", "application/octet-stream", ""])
def test_what_is_no_text_is_not_stored(server: Server, raw: Path, media_type: str) -> None:
    server.replies["/picture"] = lambda handler: handler.send(200, b"\x89PNG", Content_Type=media_type)
    register(raw, server.url + "/picture")
    assert (fetch(raw).outcome, documents(raw)) == ("failed", [])


@pytest.mark.parametrize("nothing", [" \n ", "\ufeff\n"])
def test_an_empty_page_is_no_snapshot(server: Server, raw: Path, nothing: str) -> None:
    server.replies["/results"] = text(nothing)
    register(raw, server.url + "/results")
    assert (fetch(raw).outcome, documents(raw)) == ("failed", [])


@pytest.mark.parametrize(
    "host",
    ["localhost", "127.0.0.1", "[::1]", "0.0.0.0", "2130706433", "169.254.169.254", "10.0.0.1"],
)
def test_addresses_that_are_not_public_are_refused(server: Server, raw: Path, host: str) -> None:
    server.replies["/results"] = text(PAGE)
    register(raw, f"http://{host}:{server.server_port}/results", allow_hosts=[])
    attempt = fetch(raw)
    assert (attempt.outcome, server.asked) == ("blocked", [])
    assert "not public" in str(attempt.reason)


def test_a_redirect_into_the_own_network_is_refused(server: Server, raw: Path) -> None:
    server.replies["/results"] = lambda handler: handler.send(302, Location=f"http://localhost:{server.server_port}/in")
    server.replies["/in"] = text(PAGE)
    register(raw, server.url + "/results")
    assert (fetch(raw).outcome, server.paths()) == ("blocked", ["/results"])


def test_a_name_that_stands_for_an_inner_address_is_refused(
    server: Server, raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resolve(host: str, port: int, *arguments: object, **more: object) -> list[object]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in ("8.8.8.8", "127.0.0.1")]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    register(raw, f"http://bench.example:{server.server_port}/results", allow_hosts=[])
    assert fetch(raw).outcome == "blocked"


@pytest.mark.parametrize(
    "url",
    ["ftp://example.org/x", "file:///etc/passwd", "http://", "https://me:secret@example.org/", "http://e.org:99999/"],
)
def test_addresses_that_are_none(raw: Path, url: str) -> None:
    register(raw, url)
    attempt = fetch(raw)
    assert (attempt.outcome, attempt.requests) == ("failed", 0)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True), ("2606:4700:4700::1111", True), ("127.0.0.1", False), ("10.1.2.3", False), ("::1", False),
        ("172.16.0.1", False), ("192.168.1.1", False), ("169.254.169.254", False), ("168.63.129.16", False),
        ("100.100.100.200", False), ("224.0.0.1", False), ("255.255.255.255", False), ("0.0.0.0", False),
        ("fe80::1%eth0", False), ("fd00:ec2::254", False), ("::ffff:10.0.0.1", False), ("64:ff9b::7f00:1", False),
        ("2002:7f00:1::", False), ("fec0::1", False), ("192.0.0.192", False),
    ],
)  # fmt: skip
def test_public_addresses(address: str, public: bool) -> None:
    assert is_public(address) is public


def test_one_request_at_a_time_and_a_pause_between_two(server: Server, raw: Path) -> None:
    running, most = 0, 0

    def reply(handler: Handler) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        time.sleep(0.05)
        running -= 1
        text(PAGE + handler.path)(handler)

    names = [f"acme/page{number}" for number in range(4)]
    for name in names:
        server.replies["/" + name] = reply
        register(raw, f"{server.url}/{name}", name)
    limits = RequestLimits(seconds=2.0, pause_s=0.2, tries=1)
    attempts = fetch_sources([read_source(raw, name) for name in names], raw, limits)
    assert [attempt.outcome for attempt in attempts] == ["changed"] * 4
    assert most == 1
    times = [at for at, _, _ in server.asked]
    assert len(times) == 5
    assert all(later - earlier >= 0.2 for earlier, later in pairwise(times))


def test_two_addresses_with_the_same_bytes(server: Server, raw: Path) -> None:
    server.replies["/results"] = text(PAGE)
    register(raw, server.url + "/results")
    register(raw, server.url + "/results", "acme/other")
    fetch(raw)
    attempt = fetch(raw, "acme/other")
    assert (attempt.outcome, len(documents(raw))) == ("failed", 1)
    assert "one address" in str(attempt.reason)


def test_a_faulty_sidecar_or_log_is_an_outcome_of_its_source(server: Server, raw: Path) -> None:
    server.replies["/results"] = text(PAGE)
    register(raw, server.url + "/results", cadence="now and then")
    [attempt] = fetch_sources([read_source(raw, NAME)], raw, QUICK)
    assert attempt.outcome == "failed"
    assert "cadence" in str(attempt.reason)
