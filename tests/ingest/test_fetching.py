"""Fetching from servers that misbehave, lie, or would bring a round down: one outcome per source,
and no other harm.
"""

from __future__ import annotations

import gzip
import socket
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from loopback import Handler, Reply, Server, text
from makers.small_pdf import make_pdf, write

from pipelines.exceptions import BenchledgerError
from pipelines.ingest import fetching
from pipelines.ingest.fetch_log import Attempt
from pipelines.ingest.fetching import fetch_sources
from pipelines.ingest.http import Answer, RequestLimits, is_public
from pipelines.ingest.registry import RegisteredSource, read_source
from pipelines.ingest.store import read_store

PAGE = "Results\n\n| Model | Platform | Throughput (items/sec) |\n| ViT | Bow Pod16 | 7,608 |\n"
QUICK = RequestLimits(
    seconds=0.5, bytes=20_000, pause_s=0.0, tries=3, backoff_s=0.01, longest_wait_s=1.0
)
# `Tue, 04 Jul 2023 ...`, told apart by one character
OLDER, NEWER, LATEST = (f"Tue, 04 Jul {year} 09:00:00 GMT" for year in (2022, 2023, 2024))
Look = Callable[..., list[Attempt]]


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    return tmp_path / "raw"


@pytest.fixture
def look(server: Server, raw: Path) -> Look:
    """Looks at pages in one round, each as a source of its own: `acme/page0` and so on."""

    def look(*pages: str, limits: RequestLimits = QUICK, **more: object) -> list[Attempt]:
        names = [f"acme/page{number}" for number in range(len(pages))]
        for name, page in zip(names, pages, strict=True):
            (raw / name).mkdir(parents=True, exist_ok=True)
            url = server.url + page if page.startswith("/") else page
            fields = {
                "publisher": "acme",
                "url": url,
                "cadence": "daily",
                "allow_hosts": ["127.0.0.1"],
            } | more
            (raw / name / "source.yml").write_text(yaml.safe_dump(fields))
        attempts = fetch_sources([read_source(raw, name) for name in names], raw, limits)
        assert [
            read_source(raw, name).last for name in names if not read_source(raw, name).fault
        ] in ([], attempts)
        return attempts

    return look


def outcomes(attempts: list[Attempt]) -> list[str]:
    return [attempt.outcome for attempt in attempts]


def documents(raw: Path) -> list[str]:
    store = read_store(raw)
    assert store.faults == []
    return [row["path"] for row in store.documents]


def status(code: int, body: bytes = b"", **headers: str) -> Reply:
    return lambda handler: handler.send(code, body, **headers)


def in_turn(*replies: Reply) -> Reply:
    """Answers with each once, and then with the last."""
    left = [*replies]
    return lambda handler: (left.pop(0) if len(left) > 1 else left[0])(handler)


def with_bytes(name: bytes, value: bytes, code: int = 200) -> Reply:
    """Answers with a header as it stands, whatever stands in it."""

    def reply(handler: Handler) -> None:
        handler.send_response(code)
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


def an_hour_later(raw: Path) -> None:
    """Snapshots of one second have no order: those that there are become older."""
    for sidecar in raw.glob("*/*/*/snapshot.yml"):
        content = yaml.safe_load(sidecar.read_text())
        for entry in content["documents"]:
            moments = [entry["snapshot_at"], *entry["seen_again_at"]]
            older = [
                (datetime.fromisoformat(moment) - timedelta(hours=1)).isoformat()
                for moment in moments
            ]
            entry["snapshot_at"], entry["seen_again_at"] = older[0], older[1:]
        sidecar.write_text(yaml.safe_dump(content))


# What a page says, and whether it is news


def test_the_first_look_stores_the_page_as_it_is(server: Server, raw: Path, look: Look) -> None:
    server.replies["/results"] = text(PAGE)
    [attempt] = look("/results")
    assert (attempt.outcome, attempt.status, attempt.bytes) == ("changed", 200, len(PAGE))
    [row] = read_store(raw).documents
    assert (raw / row["path"]).read_text() == PAGE
    assert (row["url"], row["media_type"]) == (server.url + "/results", "text/plain")
    # Another address with these very bytes is none of a page.
    one, other = look("/results", "/results?other")
    assert (one.outcome, other.outcome, len(documents(raw))) == ("unchanged", "failed", 1)
    assert "only once" in str(other.reason)


def test_a_second_look_is_conditional(server: Server, raw: Path, look: Look) -> None:
    def reply(handler: Handler) -> None:
        if handler.headers.get("If-None-Match") == '"one"':
            handler.send(304)
        else:
            text(PAGE, ETag='"one"', Last_Modified=NEWER)(handler)

    server.replies["/results"] = reply
    assert outcomes([*look("/results"), *look("/results"), *look("/results")]) == [
        "changed",
        "unchanged",
        "unchanged",
    ]
    assert server.asked[-1][2]["if-modified-since"] == NEWER
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
        (
            "Request ID: 3f2b8c19-d07a-4f00-9abc-0123456789ab",
            "Request ID: 4a2b8c19-d07a-4f00-9abc-0123456789ac",
        ),
        ("end  of page", "end of page "),
    ],
)
def test_other_bytes_with_the_same_content_make_no_release(
    server: Server, raw: Path, look: Look, before: str, after: str
) -> None:
    server.replies["/results"] = in_turn(text(PAGE + before + "\n"), text(PAGE + after + "\n"))
    [first], [second] = look("/results"), look("/results")
    assert (second.outcome, second.document_id) == ("unchanged", first.document_id)
    assert "bytes changed" in str(second.reason)
    assert len(documents(raw)) == 1


HTML = """<html><head><script nonce="{nonce}">var built = {built};</script>
<style>td {{ color: {colour} }}</style></head>
<body><nav><a href="/?session={nonce}">Home {built}</a></nav><h1>Results</h1>
<table><tr><th>Model</th><th>Platform</th><th>Throughput (items/sec)</th></tr>
<tr><td>ViT</td><td>Bow Pod16</td><td>{value}</td></tr></table>
<footer>Last updated {day}</footer></body></html>"""


def test_an_html_page_is_compared_by_what_it_shows(server: Server, raw: Path, look: Look) -> None:
    page = {"nonce": "8ab1", "built": 1, "colour": "red", "value": "7,608", "day": "July 4, 2023"}
    again = page | {"nonce": "77ff", "built": 2, "colour": "blue", "day": "August 1, 2023"}
    states = [
        text(HTML.format(**one), Content_Type="text/html")
        for one in (page, again, again | {"value": "7,700"})
    ]
    server.replies["/results"] = in_turn(*states)
    assert outcomes([attempt for _ in states for attempt in look("/results")]) == [
        "changed",
        "unchanged",
        "changed",
    ]
    assert [Path(path).suffix for path in documents(raw)] == [".html", ".html"]


def test_a_chart_that_is_drawn_anew_says_something_else(server: Server, look: Look) -> None:
    def chart(height: int, day: str) -> Reply:
        body = make_pdf(
            [
                *write(72, 700, f"ResNet-50 throughput. Updated {day}", 12),
                f"72 100 40 {height} re f",
            ]
        )
        return status(200, body, Content_Type="application/pdf")

    states = [
        chart(300, "July 4, 2023"),
        chart(300, "August 1, 2023"),
        chart(400, "August 1, 2023"),
    ]
    server.replies["/deck.pdf"] = in_turn(*states)
    assert outcomes([attempt for _ in states for attempt in look("/deck.pdf")]) == [
        "changed",
        "unchanged",
        "changed",
    ]


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
def test_other_content_is_a_new_snapshot(
    server: Server, raw: Path, look: Look, before: str, after: str
) -> None:
    page = PAGE + "SDK 3.1 with TP/PP/length 8/4/2048, x\n"
    page += "" if before in page else before + "\n"
    server.replies["/results"] = in_turn(text(page), text(page.replace(before, after)))
    assert outcomes([*look("/results"), *look("/results")]) == ["changed", "changed"]
    assert len(documents(raw)) == 2


def test_a_page_that_returns_to_an_earlier_state_is_recorded_without_a_second_copy(
    server: Server, raw: Path, look: Look
) -> None:
    server.replies["/results"] = in_turn(
        text(PAGE), text(PAGE.replace("7,608", "7,000")), text(PAGE)
    )
    seen = []
    for _ in range(3):
        an_hour_later(raw)
        seen += look("/results")
        order = {row["document_id"]: row["snapshot_at"] for row in read_store(raw).documents}
        assert max(order, key=lambda document: order[document]) == seen[-1].document_id
    assert (outcomes(seen), seen[2].document_id) == (["changed"] * 3, seen[0].document_id)
    assert len(documents(raw)) == 2
    sightings = sorted(read_store(raw).sightings, key=lambda row: row["snapshot_at"])
    assert [row["document_id"] for row in sightings] == [attempt.document_id for attempt in seen]


def test_a_snapshot_of_a_source_has_each_of_its_pages(server: Server, raw: Path) -> None:
    results, archive, later = PAGE + "SDK 3.3\n", PAGE + "SDK 3.1\n", PAGE + "SDK 3.2 and 3.1\n"
    server.replies |= {
        "/results": text(results),
        "/archive": in_turn(text(archive), text(archive), text(later)),
    }
    fields = {
        "publisher": "acme",
        "url": f"{server.url}/results",
        "urls": [f"{server.url}/archive"],
    }
    (raw / "acme" / "pages").mkdir(parents=True)
    stated = fields | {"cadence": "daily", "allow_hosts": ["127.0.0.1"]}
    (raw / "acme" / "pages" / "source.yml").write_text(yaml.safe_dump(stated))
    seen = []
    for _ in range(3):
        an_hour_later(raw)
        seen.append(outcomes(fetch_sources([read_source(raw, "acme/pages")], raw, QUICK)))
    assert seen == [["changed", "changed"], ["unchanged", "unchanged"], ["changed", "unchanged"]]
    store = read_store(raw)
    last = max(row["snapshot_at"] for row in store.sightings)
    latest = {row["document_id"] for row in store.sightings if row["snapshot_at"] == last}
    texts = {
        (raw / row["path"]).read_text() for row in store.documents if row["document_id"] in latest
    }
    assert (texts, len(store.documents)) == ({results, later}, 3)


def test_what_is_known_of_one_page_is_not_said_of_another(
    server: Server, raw: Path, look: Look
) -> None:
    server.replies |= {"/v1": dated(PAGE, NEWER), "/v2": dated(PAGE + "SDK 3.2\n", OLDER)}
    server.replies["/latest"] = status(302, Location="/v1")
    assert outcomes([*look("/latest"), *look("/latest")]) == ["changed", "unchanged"]
    assert server.asked[-1][2]["if-modified-since"] == NEWER
    server.replies["/latest"] = status(302, Location="/v2")
    assert outcomes(look("/latest")) == ["changed"]
    assert len(documents(raw)) == 2


def test_not_modified_is_no_answer_to_who_has_not_asked(server: Server, look: Look) -> None:
    server.replies["/results"] = in_turn(text(PAGE), status(304))
    look("/results")
    [attempt] = look("/results")
    assert (attempt.outcome, attempt.reason) == ("failed", "the server returned 304")


@pytest.mark.parametrize(
    "media_type", ["image/png", "application/zip", "application/octet-stream", ""]
)
@pytest.mark.parametrize("body", [b"\x89PNG", b" \n ", b"\xef\xbb\xbf\n"])
def test_what_is_empty_or_no_text_is_not_stored(
    server: Server, raw: Path, look: Look, media_type: str, body: bytes
) -> None:
    server.replies["/picture"] = status(
        200, body, Content_Type=media_type if body[:1] == b"\x89" else "text/plain"
    )
    assert (outcomes(look("/picture")), documents(raw)) == (["failed"], [])


def test_a_long_name_in_any_script_is_cut_to_what_a_file_may_be_called(
    server: Server, raw: Path, look: Look
) -> None:
    path = "/" + "%F0%A0%AE%B7" * 90 + ".html"
    server.replies[path] = text(PAGE)
    assert outcomes(look(path)) == ["changed"]
    assert documents(raw)[0].split("/")[-1].startswith("𠮷")


# What a killed fetch leaves


@pytest.mark.parametrize("loss", ["the document", "its sidecar", "its bytes"])
def test_a_lost_snapshot_is_asked_for_again(
    server: Server, raw: Path, look: Look, loss: str
) -> None:
    server.replies["/results"] = in_turn(dated(PAGE, OLDER), dated(PAGE + "SDK 3.2\n", NEWER))
    look("/results")
    [seen] = look("/results")
    [latest] = [row for row in read_store(raw).documents if row["document_id"] == seen.document_id]
    path = raw / str(latest["path"])
    if loss == "its bytes":
        path.write_text("damaged")
    else:
        (path if loss == "the document" else path.with_name("snapshot.yml")).unlink()
    [attempt] = look("/results")
    assert (attempt.status, attempt.document_id) == (200, latest["document_id"])
    assert "if-modified-since" not in server.asked[-1][2]
    if loss == "the document":
        assert latest["document_id"] in [row["document_id"] for row in read_store(raw).documents]


def test_a_capture_broken_off_is_taken_up_where_it_stood(
    server: Server, raw: Path, look: Look
) -> None:
    server.replies["/results"] = text(PAGE)
    look("/results")
    [stored] = (raw / "acme" / "page0").glob("*/results.txt")
    # As after `kill -9` between the document and its sidecar, and in the middle of each of them.
    stored.with_name("snapshot.yml").unlink()
    stored.with_name(f".{'0' * 64}.partial").write_text("Resul")
    stored.with_name(".snapshot.yml.partial").write_text("docum")
    (raw / "acme" / "page0" / "fetches.jsonl").unlink()
    assert outcomes(look("/results")) == ["changed"]
    assert documents(raw) == [stored.relative_to(raw).as_posix()]


def test_a_fetch_killed_before_it_was_logged_is_completed_by_the_next(
    server: Server, raw: Path, look: Look
) -> None:
    """What the server says of the page before is not taken for the one that was stored."""
    log = raw / "acme" / "page0" / "fetches.jsonl"
    server.replies["/page"] = dated(PAGE, OLDER)
    look("/page")
    for state in (dated(PAGE + "New.\n", NEWER), dated(PAGE, LATEST)):
        before = log.read_bytes()
        an_hour_later(raw)
        server.replies["/page"] = state
        assert outcomes(look("/page")) == ["changed"]
        # As if the process had been killed between the two.
        log.write_bytes(before)
        [attempt] = look("/page")
        assert (attempt.outcome, attempt.status) == ("unchanged", 200)
    assert len(documents(raw)) == 2
    # A page that is as it was before a look that is lost: "not modified" would leave the other
    # standing.
    before = log.read_bytes()
    an_hour_later(raw)
    server.replies["/page"] = dated(PAGE + "Other.\n", "Tue, 04 Jul 2025 09:00:00 GMT")
    look("/page")
    log.write_bytes(before)
    server.replies["/page"] = dated(PAGE, LATEST)
    [attempt] = look("/page")
    assert (attempt.outcome, attempt.status) == ("changed", 200)


# What a server answers


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        (404, "gone"),
        (410, "gone"),
        (401, "blocked"),
        (403, "blocked"),
        (451, "blocked"),
        (400, "failed"),
    ],
)
def test_what_a_status_means_and_that_it_is_not_asked_again(
    server: Server, look: Look, code: int, outcome: str
) -> None:
    server.replies["/results"] = status(code, b"no")
    assert (outcomes(look("/results")), len(server.paths())) == ([outcome], 1)


def test_robots_txt_is_obeyed_with_its_wildcards_and_its_delay(server: Server, look: Look) -> None:
    rules = "User-agent: *\nCrawl-delay: 0.3\nDisallow: /*/private$\n" + "# nothing\n" * 60_000
    server.replies |= {"/robots.txt": text(rules), "/a/private": text(PAGE), "/a/open": text(PAGE)}
    # Rules longer than anyone reads count as far as they are read.
    private, public = look("/a/private", "/a/open")
    assert (private.outcome, public.outcome, server.paths()) == ("blocked", "changed", ["/a/open"])
    assert "robots.txt" in str(private.reason)
    (asked_at, *_), (next_at, *_) = server.asked[-2:]
    assert next_at - asked_at >= 0.3


def test_no_more_is_asked_of_a_host_whose_rules_cannot_be_read(server: Server, look: Look) -> None:
    server.replies["/robots.txt"] = status(500)
    attempts = look("/1", "/2", "/3")
    assert {(one.outcome, "robots.txt cannot be read" in str(one.reason)) for one in attempts} == {
        ("failed", True)
    }
    assert len(server.asked) == QUICK.tries


def closed(handler: Handler) -> None:
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def silent(handler: Handler) -> None:
    handler.close_connection = True
    time.sleep(QUICK.seconds + 0.2)


def cut(body: bytes, length: int, coding: str = "identity") -> Reply:
    def reply(handler: Handler) -> None:
        handler.close_connection = True
        handler.send(
            200,
            body,
            Content_Type="text/plain",
            Content_Encoding=coding,
            Content_Length=str(length),
        )

    return reply


@pytest.mark.parametrize("fault", [status(503), closed, silent, cut(b"half a pa", 5000)])
def test_passing_faults_are_retried(server: Server, raw: Path, look: Look, fault: Reply) -> None:
    server.replies["/results"] = in_turn(fault, fault, text(PAGE))
    assert (outcomes(look("/results")), len(server.paths())) == (["changed"], 3)
    assert [(raw / path).read_text() for path in documents(raw)] == [PAGE]


PACKED = gzip.compress(PAGE.encode(), mtime=0)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (cut(PAGE.encode()[:30], len(PAGE)), "closed"),
        # A proxy that lost the end of a page states the length of what it has: only the packing
        # tells.
        (cut(PACKED[:-9], len(PACKED) - 9, "gzip"), "ends early"),
    ],
)
def test_a_body_that_stays_cut_is_never_stored(
    server: Server, raw: Path, look: Look, fault: Reply, words: str
) -> None:
    server.replies["/results"] = fault
    [attempt] = look("/results")
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
def test_a_packed_body_is_unpacked_to_its_end(
    server: Server, raw: Path, look: Look, coding: str, packed: bytes
) -> None:
    server.replies["/results"] = status(
        200, packed, Content_Type="text/plain", Content_Encoding=coding
    )
    assert outcomes(look("/results")) == ["changed"]
    assert [(raw / path).read_text() for path in documents(raw)] == [PAGE]


def test_a_body_is_read_up_to_its_limit(server: Server, raw: Path, look: Look) -> None:
    def chunked(handler: Handler) -> None:
        handler.send(200, Content_Type="text/plain", Transfer_Encoding="chunked")
        for _ in range(100):
            handler.wfile.write(b"3e8\r\n" + b"x" * 1000 + b"\r\n")
        handler.wfile.write(b"0\r\n\r\n")

    def packed(body: bytes, coding: str) -> Reply:
        return status(200, body, Content_Type="text/plain", Content_Encoding=coding)

    bomb = gzip.compress(b"0" * 50_000_000)
    assert len(bomb) < 60_000
    server.replies |= {
        "/stated": status(200, Content_Type="text/plain", Content_Length="999999999"),
        "/chunked": chunked,
        "/bomb": packed(bomb, "gzip"),
        "/nested": packed(gzip.compress(bomb), "gzip, gzip"),
        "/broken": packed(b"no gzip", "gzip"),
        "/other": packed(b"x", "deflate"),
    }
    attempts = look("/stated", "/chunked", "/bomb", "/nested", "/broken", "/other")
    assert [(attempt.outcome, bool(attempt.reason)) for attempt in attempts] == [
        ("failed", True)
    ] * 6
    assert (len(server.paths()), documents(raw)) == (6, [])


def test_a_server_that_drips_does_not_hold_the_round_up(server: Server, look: Look) -> None:
    def drip(handler: Handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        for _ in range(30):
            handler.wfile.write(b"X-A: b\r\n")
            time.sleep(0.1)

    server.replies |= {"/drip": drip, "/results": text(PAGE)}
    started = time.monotonic()
    assert outcomes(look("/drip", "/results")) == ["failed", "changed"]
    assert time.monotonic() - started < 3


def test_all_sources_of_a_host_wait_when_one_is_told_to(server: Server, look: Look) -> None:
    server.replies["/busy"] = in_turn(status(429, Retry_After="1"), text(PAGE))
    server.replies["/other"] = text(PAGE + "Other.\n")
    assert outcomes(look("/busy", "/other")) == ["changed", "changed"]
    asked = [at for at, path, _ in server.asked if path != "/robots.txt"]
    assert asked[1] - asked[0] >= 1.0, asked


@pytest.mark.parametrize(
    ("days", "stated"),
    [
        (3, str(3 * 24 * 3600)),
        (3, format_datetime(datetime.now(UTC) + timedelta(days=3), usegmt=True)),
        # Nobody is put off for ever.
        (30, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ],
    ids=["seconds", "a moment", "never"],
)
def test_a_long_retry_after_puts_the_next_look_off(
    server: Server, raw: Path, look: Look, days: int, stated: str
) -> None:
    server.replies["/results"] = status(503, Retry_After=stated)
    assert (outcomes(look("/results")), len(server.paths())) == (["failed"], 1)
    source = read_source(raw, "acme/page0")
    assert source.next_due_at is not None
    assert abs(source.next_due_at - datetime.now(UTC) - timedelta(days=days)) < timedelta(hours=1)


def test_redirects_are_followed_so_far_and_no_further(server: Server, look: Look) -> None:
    server.replies |= {"/results": status(302, Location="/moved?page=1"), "/moved": text(PAGE)}
    server.replies |= {
        f"/hop{number}": status(301, Location=f"/hop{number + 1}") for number in range(9)
    }
    server.replies |= {"/circle": status(301, Location="/circle"), "/nowhere": status(301)}
    moved, *refused = look("/results", "/hop0", "/circle", "/nowhere")
    assert (moved.outcome, moved.final_url) == ("changed", server.url + "/moved?page=1")
    assert outcomes(refused) == ["failed"] * 3
    for attempt, words in zip(
        refused, ("more than 5 times", "circle", "without a Location header"), strict=True
    ):
        assert words in str(attempt.reason)


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        (b"ETag", b'"\xe9\xff"', 200),
        (b"Retry-After", b"9" * 5000, 503),
        (b"Retry-After", b"Mon, 01 Jan 2026 00:00:00 +9999999999999999999999", 503),
        (b"Location", b"http://xn--/", 302),
    ],
)
def test_a_strange_header_is_no_reason_to_leave_the_others(
    server: Server, look: Look, name: bytes, value: bytes, code: int
) -> None:
    server.replies |= {"/strange": with_bytes(name, value, code), "/good": text(PAGE + "Good.\n")}
    for _ in range(2):
        strange, good = look("/strange", "/good")
    assert good.outcome == "unchanged"
    assert strange.outcome == ("unchanged" if code == 200 else "failed")
    assert "error of the program" not in str(strange.reason)


def test_one_request_at_a_time_and_a_pause_between_two(server: Server, look: Look) -> None:
    running, most = 0, 0

    def reply(handler: Handler) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        time.sleep(0.05)
        running -= 1
        text(PAGE + handler.path)(handler)

    pages = ["/1", "/2", "/3"]
    server.replies |= dict.fromkeys(pages, reply)
    limits = RequestLimits(seconds=2.0, pause_s=0.2, tries=1)
    assert outcomes(look(*pages, limits=limits)) == ["changed"] * 3
    assert most == 1
    times = [at for at, _, _ in server.asked]
    assert len(times) == 4
    assert all(later - earlier >= 0.2 for earlier, later in pairwise(times))


# Which addresses are asked


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "[::1]", "0.0.0.0", "2130706433", "10.0.0.1"]
)
def test_addresses_that_are_not_public_are_refused(server: Server, look: Look, host: str) -> None:
    [attempt] = look(f"http://{host}:{server.server_port}/results", allow_hosts=[])
    assert (attempt.outcome, server.asked) == ("blocked", [])
    assert "not public" in str(attempt.reason)


def test_a_redirect_into_the_own_network_is_refused(server: Server, look: Look) -> None:
    server.replies["/results"] = status(302, Location=f"http://localhost:{server.server_port}/in")
    assert (outcomes(look("/results")), server.paths()) == (["blocked"], ["/results"])


def test_a_name_that_stands_for_an_inner_address_is_refused(
    server: Server, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resolve(host: str, port: int, *arguments: object, **more: object) -> list[object]:
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
            for address in ("8.8.8.8", "127.0.0.1")
        ]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    assert outcomes(look(f"http://bench.example:{server.server_port}/results", allow_hosts=[])) == [
        "blocked"
    ]


def test_a_connection_is_not_used_for_another_name(server: Server, look: Look) -> None:
    ports = []

    def reply(handler: Handler) -> None:
        ports.append(handler.client_address[1])
        text(PAGE)(handler)

    server.replies["/here"] = status(302, Location=f"http://localhost:{server.server_port}/there")
    server.replies["/there"] = server.replies["/robots.txt"] = reply
    assert outcomes(look("/here", allow_hosts=["127.0.0.1", "localhost"])) == ["changed"]
    assert len(set(ports)) == len(ports)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/x",
        "file:///etc/passwd",
        "http://",
        "https://me:secret@example.org/",
        "http://e.org:99999/",
    ],
)
def test_addresses_that_are_none(look: Look, url: str) -> None:
    [attempt] = look(url)
    assert (attempt.outcome, attempt.requests) == ("failed", 0)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True), ("2606:4700:4700::1111", True), ("127.0.0.1", False), ("10.1.2.3", False), ("::1", False),
        ("172.16.0.1", False), ("192.168.1.1", False), ("169.254.169.254", False), ("168.63.129.16", False),
        ("100.100.100.200", False), ("224.0.0.1", False), ("255.255.255.255", False), ("0.0.0.0", False),
        ("fe80::1%eth0", False), ("fd00:ec2::254", False), ("::ffff:10.0.0.1", False), ("64:ff9b::7f00:1", False),
        ("2002:7f00:1::", False), ("fec0::1", False), ("192.0.0.192", False), ("::127.0.0.1", False),
        ("::169.254.169.254", False), ("::10.0.0.1", False), ("::ffff:0:127.0.0.1", False),
    ],
)  # fmt: skip
def test_public_addresses(address: str, public: bool) -> None:
    assert is_public(address) is public


# What goes wrong here


def test_what_nobody_foresaw_is_an_outcome_of_its_source(
    server: Server, raw: Path, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    def capture(answer: Answer, source: RegisteredSource, raw: Path) -> object:
        if source.name == "acme/page0":
            raise RuntimeError("no such luck")
        return known(answer, source, raw)

    known = fetching.capture
    monkeypatch.setattr(fetching, "capture", capture)
    server.replies["/good"] = text(PAGE)
    assert outcomes(look("/good?1", "/good?2")) == ["failed", "changed"]
    assert "RuntimeError: no such luck" in str(read_source(raw, "acme/page0").attempts[-1].reason)


def test_a_faulty_sidecar_is_an_outcome_of_its_source(look: Look) -> None:
    [attempt] = look("/results", cadence="now and then")
    assert (attempt.outcome, "cadence" in str(attempt.reason)) == ("failed", True)


def test_a_store_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    (tmp_path / "raw").write_text("a file")
    with pytest.raises(BenchledgerError, match="cannot write to"):
        fetch_sources([], tmp_path / "raw" / "below", QUICK)
