"""What the project withstands: `python benchmarks/attack.py [--seed N] [--only NAME ...]`, or
`make attack`.

Builds are killed while others read what they publish, disks are full, documents of every format,
servers, addresses, links and queries are made to stall, exhaust or mislead whoever takes them.
Printed are tries and failures of each attack, and each failure in a line; exit status 1 where there
is any. All of it runs in folders of its own, on this machine alone. How tries come out depends on
the machine's speed; which ones are made depends on the seed.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

from pipelines.settings import PROJECT

sys.path.insert(0, str(PROJECT / "tests"))

from loopback import Handler, serve
from makers.small_pdf import make_pdf, write

from pipelines.exceptions import BUILT_WITH_LOSSES, FAILED, WRONG_USE
from pipelines.ingest import fetch_log
from pipelines.ingest.fetching import fetch_sources
from pipelines.ingest.http import RequestLimits
from pipelines.ingest.registry import read_source, register
from pipelines.ingest.store import read_store
from pipelines.warehouse.reader import WarehouseError, query_published

KILLS = 12
DAMAGED_COPIES = 3
DAMAGES = 8
DOCUMENT_SECONDS = 10
QUICK = RequestLimits(
    seconds=3.0, bytes=1 << 20, pause_s=0.0, tries=2, backoff_s=0.05, longest_wait_s=1.0
)
PAGE = "Results\n\n| Model | Platform | Throughput (items/sec) |\n| --- | --- | --- |\n| ViT | Bow Pod16 | {value} |\n"
MAPPING = """tables:
- columns:
    Model: model
    Platform: platform
    Throughput (items/sec): {metric: throughput, unit: items/s}
"""
# All that a reader may ever see of the store of `killed`: the page before, or the page behind.
VALUES = ("7,608", "9,999")

# Tries, and what failed.
Result = tuple[int, list[str]]


def command(
    folder: Path, *arguments: str, prepare: Callable[[], None] | None = None
) -> subprocess.Popen[str]:
    """A `benchledger` command on the store and the warehouse of a folder, with a record of runs of
    its own.
    """
    own = {
        "BENCHLEDGER_RAW": "raw",
        "BENCHLEDGER_WAREHOUSE": "warehouse",
        "BENCHLEDGER_STATE": "state",
    }
    environment = os.environ | {name: str(folder / part) for name, part in own.items()}
    environment |= {
        "PYTHONPATH": str(PROJECT),
        "BENCHLEDGER_DOCUMENT_SECONDS": str(DOCUMENT_SECONDS),
    }
    return subprocess.Popen(
        [sys.executable, "-m", "pipelines.cli.main", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True,
        preexec_fn=prepare,
    )  # fmt: skip


def ended(
    process: subprocess.Popen[str], allowed: tuple[int, ...], what: str, seconds: float = 120
) -> Iterator[str]:
    """What is wrong with how a command ends: too late, with another status, by a signal, with a
    traceback.
    """
    try:
        _, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        yield f"{what}: not ended after {seconds:g} s"
        return
    if process.returncode not in allowed:
        yield f"{what}: status {process.returncode}, {errors.strip()[-200:]!r}"
    if "Traceback" in errors:
        yield f"{what}: a traceback, {errors.strip()[-200:]!r}"


def store_page(folder: Path, value: str, name: str = "acme/results/2023-01-01/page.md") -> None:
    path = folder / "raw" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    (path.parents[1] / "mapping.yml").write_text(MAPPING)
    partial = path.with_name(".partial")
    partial.write_text(PAGE.format(value=value))
    partial.replace(path)


def published(folder: Path) -> list[float]:
    return [
        row["value"]
        for row in query_published(
            folder / "warehouse", "select value from resolved.results"
        ).to_pylist()
    ]


@contextmanager
def reading(folder: Path, failures: list[str]) -> Iterator[list[int]]:
    """Reads the published file again and again while it lasts; gives the number of reads."""
    reads, over = [0], threading.Event()
    known = [float(value.replace(",", "")) for value in VALUES]

    def read() -> None:
        while not over.is_set():
            try:
                if (found := published(folder)) not in ([known[0]], [known[1]]):
                    failures.append(f"a reader saw {found}")
            except WarehouseError as error:
                failures.append(f"a reader was refused: {error}")
            reads[0] += 1

    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield reads
    finally:
        over.set()
        thread.join()


def killed(folder: Path, chance: random.Random) -> Iterator[tuple[str, Result]]:
    """Builds killed at any moment, each followed by one that must go well, with readers all the
    while.
    """
    kills: list[str] = []
    readers: list[str] = []
    store_page(folder, VALUES[0])
    started = time.monotonic()
    kills += ended(command(folder, "build"), (0,), "the first build")
    longest = time.monotonic() - started
    with reading(folder, readers) as reads:
        for number in range(KILLS):
            store_page(folder, VALUES[(number + 1) % 2])
            process = command(folder, "build")
            time.sleep(chance.uniform(0.3, longest))
            with_group = chance.random() < 0.5
            (os.killpg if with_group else os.kill)(process.pid, signal.SIGKILL)
            process.communicate()
            kills += [f"kill {number}: {found}" for found in [published(folder)] if len(found) != 1]
            if number % 3 == 2 or number == KILLS - 1:
                kills += ended(command(folder, "build"), (0,), f"the build after kill {number}")
                expected = [float(VALUES[(number + 1) % 2].replace(",", ""))]
                kills += [
                    f"after kill {number}: {found}"
                    for found in [published(folder)]
                    if found != expected
                ]
                kills += [
                    f"left over: {path}" for path in (folder / "warehouse").rglob("*.partial*")
                ]
    yield "kill -9 of a build", (KILLS, kills)
    yield "reads beside builds", (reads[0], readers)


def full_disk(folder: Path, chance: random.Random) -> Iterator[tuple[str, Result]]:
    """Builds that may write files of so many bytes and no more, first of a warehouse that is there."""
    failures: list[str] = []
    store_page(folder, VALUES[0])
    failures += ended(command(folder, "build"), (0,), "the first build")
    before, sizes = (
        published(folder),
        [0, 3_000, 30_000, 100_000, 300_000, 1_000_000, chance.randrange(2_000_000)],
    )
    store_page(folder, VALUES[1])
    for size in sizes:
        process = command(
            folder,
            "build",
            prepare=lambda size=size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
        )
        failures += ended(process, (0, FAILED), f"{size} bytes")
        failures += [
            f"{size} bytes: {found}"
            for found in [published(folder)]
            if process.returncode and found != before
        ]
        before = published(folder)
    failures += ended(command(folder, "build"), (0,), "a build with room again")
    failures += [f"with room again: {found}" for found in [published(folder)] if found != [9999]]
    yield "full disk", (len(sizes), failures)


def documents(chance: random.Random) -> dict[str, bytes]:
    """Documents made to stall, exhaust or end whoever reads them, by file name."""
    many = 200_000
    row = "| ViT | Bow Pod16 | 7,608 |\n"
    table = "| Model | Platform | Throughput (items/sec) |\n| --- | --- | --- |\n"
    made: dict[str, str | bytes] = {
        "empty.txt": "", "nul.txt": b"\0" * many, "noise.bin": chance.randbytes(many),
        "latin.txt": "Modèle\n".encode("latin-1") * 50, "half.txt": "Results".encode("utf-16")[:-1],
        "line.txt": "a" * 5_000_000, "digits.txt": "Throughput: " + "1" * 2_000_000 + " images/s\n",
        "blanks.txt": "Model" + " " * 3_000_000 + "x", "tabs.txt": "\t" * many + "\nViT" + "\t1" * many,
        "pipes.txt": "|" * many + "\n" + "|" * many, "commas.csv": "," * many + "\n" + "1," * many,
        "quotes.csv": 'a,b\n"' + "x\n" * many,
        "wide.csv": ",".join(f"c{n}" for n in range(5_000)) + "\n" + "1," * 4_999 + "1",
        "nested.html": "<html>" + "<div>" * many, "tables.html": "<html>" + "<table><tr><td>" * 20_000,
        "spans.html": "<html><table>" + '<tr><td rowspan="65000" colspan="1000">1</td></tr>' * 500 + "</table>",
        "lists.html": "<html><ol start=999999999>" + "<li>x" * many, "entity.html": "<html><p>" + "&amp" * many,
        "script.html": "<html><script>while(1){}</script><table><tr><td>" + "<b>" * many,
        "brackets.md": "[" * many, "stars.md": "*a " * many,
        "quotes.md": ">" * many + " a", "ticks.md": "`" * many + "a",
        "links.md": "![a](" * 50_000, "table.md": table + row * 30_000, "broken.md": table + row[:-9] * 3_000,
        "include.rst": ".. include:: /etc/passwd\n\n.. raw:: html\n   :file: /etc/passwd\n\nText\n====\n",
        "grid.rst": "+" + "-+" * 5_000 + "\n|" + " |" * 5_000 + "\n+" + "-+" * 5_000 + "\n",
        "roles.rst": ":a:`" * 50_000, "titles.rst": "".join(f"{n}\n{'=-~^'[n % 4] * 9}\n\n" for n in range(5_000)),
        "epochs.txt": "16 ipus\n" + "Epoch 1/999999999\n7000/7000 [=====] - 22s 3ms/step - loss: nan\n" * 5_000,
        "json.txt": '{"a":' * many, "summary.txt": "Throughput: " + "1," * many + " requests/s\n",
        "orders.txt": "Model\x9b31m\u202e\nViT\x9b2J\n" * 3_000,
        "head.pdf": b"%PDF-1.7\n" + chance.randbytes(many), "cut.pdf": make_pdf(write(60, 700, "text", 10))[:-200],
        "pages.pdf": make_pdf(*[write(60, 700, "7,608", 10)] * 400),
        "boxes.pdf": make_pdf(["0 0 1 1 re f"] * many), "saves.pdf": make_pdf(["q"] * many),
    }  # fmt: skip
    shipped = sorted(
        path
        for path in (PROJECT / "raw").glob("*/*/*/*")
        if path.is_file() and path.suffix != ".yml"
    )
    for path in shipped:
        content = path.read_bytes()
        for number in range(DAMAGED_COPIES):
            damaged = bytearray(content[: chance.randrange(len(content))] if number else content)
            for _ in range(20):
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
            made[f"{path.parent.name}-{path.stem}-{number}{path.suffix}"] = bytes(damaged)
    return {
        name: content.encode() if isinstance(content, str) else content
        for name, content in made.items()
    }


_DOCUMENTS = """
select
    d.path,
    (select count(*) from audit.rejects as r where r.document_id = d.document_id) as rejects,
    (select count(*) from audit.line_ledger as l where l.document_id = d.document_id) as lines
from raw.documents as d
"""


def bad_documents(folder: Path, chance: random.Random) -> Iterator[tuple[str, Result]]:
    """One build of all bad documents and a good one: each is read or refused, and the good one is
    read.
    """
    made = documents(chance)
    failures: list[str] = []
    store_page(folder, VALUES[0], "good/page/2023-01-01/page.md")
    for number, (name, content) in enumerate(made.items()):
        path = folder / "raw" / f"bad{number:03}" / "page" / "2023-01-01" / name
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
    failures += ended(command(folder, "build"), (0, BUILT_WITH_LOSSES), "the build", 420)
    if not (folder / "warehouse" / "benchmarks.duckdb").exists():
        yield "bad documents", (len(made), [*failures, "nothing was built"])
        return
    rows = {
        Path(row["path"]).name: row
        for row in query_published(folder / "warehouse", _DOCUMENTS).to_pylist()
    }
    for name in made:
        if name not in rows or not rows[name]["rejects"] + rows[name]["lines"]:
            failures.append(f"{name} is neither read nor refused")
    good = (
        "select count(*) as n from raw.documents inner join resolved.results using (document_id) "
    )
    good += "where publisher = 'good'"
    if query_published(folder / "warehouse", good).to_pylist() != [{"n": 1}]:
        failures.append("the good page is not read")
    for kind, is_of in {"bad PDFs": True, "bad documents of other formats": False}.items():
        own = [name for name in made if (Path(name).suffix == ".pdf") is is_of]
        others = [words for words in failures if words.split()[0] not in made] if not is_of else []
        yield kind, (len(own), others + [words for words in failures if words.split()[0] in own])


def hostile_replies() -> dict[str, Callable[[Handler], None]]:
    """What a server may answer, by path."""

    def raw(
        content: bytes, forever: bytes = b"", pause_s: float = 0.0
    ) -> Callable[[Handler], None]:
        def reply(handler: Handler) -> None:
            handler.close_connection = True
            handler.wfile.write(content)
            until = time.monotonic() + 20
            while forever and time.monotonic() < until:
                handler.wfile.write(forever)
                time.sleep(pause_s)

        return reply

    def silent(handler: Handler) -> None:
        time.sleep(20)

    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    bomb = gzip.compress(b"x" * 300_000_000, 9)
    packed = head + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
    return {
        "silent": silent, "drip": raw(head + b"\r\n", b"x", 0.5), "endless": raw(head + b"\r\n", b"x" * 65_536),
        "headers": raw(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"), "header": raw(b"HTTP/1.1 200 OK\r\nX: ", b"a" * 65_536),
        "garbage": raw(b"\xff\x00nonsense\r\n\r\n"), "nothing": raw(b""), "version": raw(b"HTTP/9.9 200 OK\r\n\r\nx"),
        "status": raw(b"HTTP/1.1 999 \x1b[2J\r\n\r\n"), "negative": raw(head + b"Content-Length: -1\r\n\r\nx"),
        "short": raw(head + b"Content-Length: 99999\r\n\r\nx"),
        "huge": raw(head + b"Content-Length: 9" + b"9" * 30 + b"\r\n\r\n"),
        "chunk": raw(head + b"Transfer-Encoding: chunked\r\n\r\nffffffffffff\r\nx"),
        "both": raw(head + b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n"),
        "bomb": raw(packed % len(bomb) + bomb), "notgzip": raw(packed % 5 + b"words"),
        "twice": raw(head + b"Content-Encoding: gzip, gzip\r\nContent-Length: 1\r\n\r\nx"),
        "circle": raw(b"HTTP/1.1 302 Found\r\nLocation: /circle\r\nContent-Length: 0\r\n\r\n"),
        "inside": raw(b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest\r\nContent-Length: 0\r\n\r\n"),
        "file": raw(b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n"),
        "nowhere": raw(b"HTTP/1.1 302 Found\r\nLocation: http://[\r\nContent-Length: 0\r\n\r\n"),
        "wait": raw(b"HTTP/1.1 503 X\r\nRetry-After: 99999999999\r\nContent-Length: 0\r\n\r\n"),
        "type": raw(b"HTTP/1.1 200 OK\r\nContent-Type: \xff\x1b[31m\r\nContent-Length: 1\r\n\r\nx"),
        "charset": raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=\xfe\r\nContent-Length: 1\r\n\r\nx"),
        "etag": raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nETag: \xff\x80\r\nContent-Length: 1\r\n\r\ny"),
        "unasked": raw(b"HTTP/1.1 304 Not Modified\r\n\r\n"), "empty": raw(head + b"Content-Length: 0\r\n\r\n"),
    }  # fmt: skip


def hostile_servers(folder: Path, chance: random.Random) -> Iterator[tuple[str, Result]]:
    """Rounds with a source for each bad answer and a good one: all have an outcome, and the good
    one is stored.
    """
    raw, failures = folder / "raw", []
    replies = hostile_replies()
    with serve() as server:
        server.replies |= {f"/{name}": reply for name, reply in replies.items()}
        server.replies["/good"] = lambda handler: handler.send(
            200, PAGE.format(value=1).encode(), Content_Type="text/markdown"
        )
        names = [*replies, "good"]
        chance.shuffle(names)
        sources = [
            register(raw, f"acme/{name}", f"{server.url}/{name}", allow_hosts=["127.0.0.1"])
            for name in names
        ]
        started = time.monotonic()
        # Each twice: the second look is made with what the first has remembered.
        for _ in range(2):
            for attempt in fetch_sources(
                [read_source(raw, source.name) for source in sources], raw, QUICK
            ):
                name = attempt.source.removeprefix("acme/")
                if attempt.outcome not in get_args(fetch_log.Result) or "internal error" in (
                    attempt.reason or ""
                ):
                    failures.append(f"{name}: {attempt.outcome}, {attempt.reason}")
                if (attempt.outcome in ("changed", "unchanged")) is not (
                    name in ("good", "charset", "etag")
                ):
                    failures.append(f"{name}: {attempt.outcome}, {attempt.reason}")
        if time.monotonic() - started > 2 * len(names) * QUICK.tries * (QUICK.seconds + 1):
            failures.append(f"two rounds took {time.monotonic() - started:.0f} s")
    stored = read_store(raw)
    failures += [f"{fault.path}: {fault.rule}" for fault in stored.faults]
    yield "hostile servers", (2 * len(names), failures)


ADDRESSES = (
    "http://127.0.0.1/", "http://localhost/", "http://0.0.0.0/", "http://0/", "http://127.1/", "http://2130706433/",
    "http://0x7f000001/", "http://017700000001/", "http://[::1]/", "http://[::]/", "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/", "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/", "http://[fe80::1%25lo]/",
    "http://[fc00::1]/", "http://[::127.0.0.1]/", "http://10.0.0.1/", "http://172.16.0.1/", "http://192.168.0.1/",
    "http://169.254.169.254/latest/meta-data/", "http://168.63.129.16/", "http://100.64.0.1/", "http://192.0.0.192/",
    "http://224.0.0.1/", "http://255.255.255.255/", "http://240.0.0.1/", "http://127.0.0.1:22/", "http://127.0.0.1:0/",
    "http://user:secret@example.org/", "http://example.org:99999/", "http://[/", "http:///", "http://", "//127.0.0.1/",
    "file:///etc/passwd", "ftp://example.org/", "gopher://127.0.0.1/", "javascript:alert(1)", "data:text/html,x",
    "http://127.0.0.1#@example.org/", "http://example.org@127.0.0.1/", "http://127。0。0。1/", "http://①②⑦.⓪.⓪.①/",
    "http://localhost./", "http://LOCALHOST/", "http://a.localhost/", "http://xn--/", "http://" + "a" * 300 + ".org/",
    "http://exa mple.org/", "http://example.org\r\nX: y/", "http://127.0.0.1\\@example.org/",
)  # fmt: skip


def addresses(folder: Path, chance: random.Random) -> Iterator[tuple[str, Result]]:
    """Addresses that lead inside, or nowhere: none is asked, and none is registered that can never
    be.
    """
    asked: list[Any] = []
    failures: list[str] = []
    with serve() as server:
        server.replies = dict.fromkeys(
            ("/", "/latest/meta-data/"), lambda handler: handler.send(200, b"secret")
        )
        asked = server.asked
        ports = [
            *ADDRESSES,
            f"http://localhost:{server.server_port}/",
            f"http://2130706433:{server.server_port}/",
        ]
        for number, url in enumerate(ports):
            path = folder / "raw" / "acme" / f"page{number}" / "source.yml"
            path.parent.mkdir(parents=True)
            path.write_text(f"publisher: acme\ncadence: daily\nurl: {json.dumps(url)}\n")
            [attempt] = fetch_sources(
                [read_source(folder / "raw", f"acme/page{number}")], folder / "raw", QUICK
            )
            if attempt.outcome not in ("blocked", "failed") or "internal error" in (
                attempt.reason or ""
            ):
                failures.append(f"{url!r}: {attempt.outcome}, {attempt.reason}")
    failures += [f"the server was asked for {path}" for _, path, _ in asked]
    failures += [f"stored: {row['path']}" for row in read_store(folder / "raw").documents]
    yield "addresses", (len(ports), failures)


QUERIES = (
    "from test_all_types()", "select 1; select 2",
    "copy (select 1) to '{file}'", "export database '{file}'", "attach '{file}' as other", "attach ':memory:' as m",
    "install httpfs", "load '{file}'", "from read_csv('/etc/passwd')", "from read_text('/etc/passwd')",
    "from glob('/*')",
    "from '/etc/passwd'", "from read_blob('{file}')", "from read_parquet('http://127.0.0.1/x')", "pragma database_list",
    "set enable_external_access = true", "set memory_limit = '900GB'", "reset memory_limit", "set threads = 100000",
    "set temp_directory = '{file}'", "call enable_logging()", "call enable_profiling()", "pragma enable_profiling",
    "pragma enable_checkpoint_on_shutdown", "checkpoint", "force checkpoint", "vacuum", "create table x as select 1",
    "drop table main.current_results", "delete from main.current_results", "update main.current_results set value = 1",
    "insert into main.current_results select * from main.current_results", "create secret (type s3, key_id 'a')",
    "from duckdb_secrets()", "select getenv('HOME')", "select error(repeat('x', 1000000))",
    "select 1; drop schema main",
    "select count(*) from range(1000000000) a, range(1000000000) b", "select repeat('x', 2000000000) as x",
    "select list(range) from range(1000000000)", "from range(1000000000000)",
    "select " + "(" * 5_000 + "1" + ")" * 5_000,
    "select " + " + ".join(["1"] * 20_000), "with recursive t as (select 1 as n union all select n + 1 from t) from t",
    "select regexp_matches(repeat('a', 100000), '(a+)+b')", "select '\x1b[2J' as \"\x1b[31m\"", "", ";", "\0", "select",
    "prepare p as select 1", "execute p", "begin", "use memory", "explain analyze select count(*) from range(10)",
)  # fmt: skip


def queries(folder: Path, chance: random.Random) -> Iterator[tuple[str, Result]]:
    """Queries that would write, read elsewhere, change settings or never end: the file stays, and
    each command ends.
    """
    failures: list[str] = []
    store_page(folder, VALUES[0])
    failures += ended(command(folder, "build"), (0,), "the build")
    file, before = folder / "written", (folder / "warehouse" / "benchmarks.duckdb").read_bytes()
    there = set(folder.rglob("*"))
    for query in QUERIES:
        words = query.replace("{file}", str(file))
        # No process takes it as an argument otherwise.
        (folder / "query.sql").write_text(words)
        limits = [
            "--seconds",
            "4",
            "--memory-mib",
            "500",
            "--max-rows",
            "100000",
            "--format",
            "csv",
        ]
        failures += ended(
            command(folder, "sql", "--file", str(folder / "query.sql"), *limits),
            (0, FAILED),
            repr(words[:60]),
            60,
        )
    new = set(folder.rglob("*")) - there - {folder / "query.sql"}
    failures += [f"a query has written {path}" for path in sorted(new)]
    if (folder / "warehouse" / "benchmarks.duckdb").read_bytes() != before:
        failures.append("the published file has changed")
    yield "queries", (len(QUERIES), failures)


def stores(folder: Path, chance: random.Random) -> Iterator[tuple[str, Result]]:
    """Links, sidecars and names under `raw/` that lead outside, in a circle, or to the end of the
    process.
    """
    failures: list[str] = []
    raw, secret = folder / "raw", folder / "secret"
    secret.mkdir()
    (secret / "page.md").write_text(PAGE.format(value="6,666"))
    store_page(folder, VALUES[0])
    day = raw / "acme" / "results" / "2023-01-01"
    links = {
        raw / "outside": secret, day / "link.md": secret / "page.md", day / "passwd.txt": Path("/etc/passwd"),
        raw / "acme" / "up": raw, day / "self.md": day / "self.md", day / "gone.md": folder / "nowhere",
        raw / "acme" / "results" / "2024-01-01": secret,
    }  # fmt: skip
    for link, target in links.items():
        link.symlink_to(target)
    os.mkfifo(day / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(day / "socket.txt"))
    sidecars = (
        "[" * 50_000,
        "- " * 50_000 + "x",
        "a: &a [*a]",
        "!!python/object/apply:os.system ['true']",
        "\0",
        "x" * 9_000_000,
        "publisher: 1" + ":1" * 30_000,
        "".join(
            f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9) if n else ''}]}}\n"
            for n in range(9)
        ),
    )
    for number, text in enumerate(sidecars):
        path = raw / f"sidecar{number}" / "page" / "source.yml"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    for number, moment in enumerate(("9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+12:00")):
        made = raw / "time" / f"page{number}"
        store_page(folder, "5,555", f"time/page{number}/2023-01-01/page.md")
        (made / "fetches.jsonl").write_text(f'{{"again_at":"{moment}"}}\n')
        entry = f"file: page.md, sha256: {'0' * 64}, bytes: 1, retrieved_at: '{moment}'"
        (made / "2023-01-01" / "snapshot.yml").write_text(f"documents: [{{{entry}}}]\n")
    odd = [
        "\x1b[2J.md",
        "\u202egpj.md",
        "a\nb.md",
        "-rf.md",
        "$(true).md",
        "'; drop table x; --.md",
        "[red].md",
    ]
    for number, name in enumerate(odd):
        store_page(folder, str(number + 1), f"odd{number}/page/2023-01-01/{name}")
    failures += ended(command(folder, "build"), (BUILT_WITH_LOSSES,), "the build")
    for arguments in (("sources",), ("rejects",), ("coverage",), ("fetch",), ("map", "odd0/page")):
        failures += ended(
            command(folder, *arguments), (0, WRONG_USE, BUILT_WITH_LOSSES), arguments[0]
        )
    with zipfile.ZipFile(folder / "bad.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("results/pod/bert/result_0.txt", "a log\n" * 300)
    packed = (folder / "bad.zip").read_bytes()
    (folder / "bad.zip").write_bytes(packed[:60] + b"\xff" * 20 + packed[80:])
    names = [b"bad.zip", b"...", b"a\\b.md", b"\xff.md"]
    for name in names:
        path = os.fsdecode(os.fsencode(folder) + b"/" + name)
        if name != b"bad.zip":
            Path(path).write_text(PAGE.format(value="4,444"))
        failures += ended(
            command(folder, "add", path, "--source", "odd/names"), (WRONG_USE,), f"add {name!r}"
        )
    failures += ended(
        command(folder, "build", "--cluster", "nonsense"),
        (WRONG_USE,),
        "build --cluster nonsense",
        20,
    )
    values = sorted(published(folder))
    if values != [1, 2, 3, 4, 5, 6, 7, 7608]:
        failures.append(f"the store gives {values}")
    yield (
        "links, sidecars and names",
        (len(links) + 7 + len(sidecars) + len(odd) + len(names), failures),
    )


def others_files(folder: Path, chance: random.Random) -> Iterator[tuple[str, Result]]:
    """Files of others under every name that a command writes or removes: each stays, and the
    command says so.
    """
    failures: list[str] = []
    store_page(folder, VALUES[0])
    warehouse, exported, mine, day = (
        folder / "warehouse",
        folder / "exported",
        folder / "mine",
        folder / "raw/a/b/2023-01-01",
    )
    failures += ended(command(folder, "build"), (0,), "the build")
    failures += ended(command(folder, "export", "--to", str(exported)), (0,), "the export")
    for path in (mine, day):
        path.mkdir(parents=True)
    (mine / "thesis.txt").write_text("mine")
    written = chance.sample(sorted(path for path in exported.rglob("*") if path.is_file()), 4)
    # Where it is put, the command, and whether that is refused.
    tries: list[tuple[Path, tuple[str, ...], bool]] = [
        (mine / "SHA256SUMS", ("export", "--to", str(mine)), True),
        (exported / "notes.txt", ("export", "--to", str(exported)), True),
        *((path, ("export", "--to", str(exported)), True) for path in written),
        (folder / ".exported.4711.partial" / "notes.txt", ("export", "--to", str(exported)), False),
        (warehouse / "site" / "index.html", ("report",), True),
        (warehouse / ".site.partial", ("report",), False),
        (warehouse / "site" / "index.html", ("report",), True),
        (warehouse / "site" / "mine.html", ("report",), False),
        (mine / "page.html", ("map", "a/b", "--html", str(mine / "page.html")), True),
        (warehouse / "previous.duckdb.damaged", ("build", "--again"), False),
        (warehouse / "downloads" / "film.partial", ("build", "--again"), False),
        (warehouse / "cache" / "notes" / "film.partial", ("build", "--again"), False),
        (warehouse / f".{warehouse.name}.4711.partial", ("build", "--again"), False),
    ]
    digest = hashlib.sha256(PAGE.format(value="1").encode()).hexdigest()
    page = folder / "page.md"
    page.write_text(PAGE.format(value="1"))
    add = ("add", str(page), "--source", "a/b", "--published-on", "2023-01-01")
    tries += [
        (day / name, add, False)
        for name in ("page.md", f"page-{digest[:8]}.md", f"page-{digest[:8]}-2.md")
    ]
    for path, arguments, is_refused in tries:
        before = path.read_bytes() if path.exists() else None
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
        allowed = (FAILED, WRONG_USE) if is_refused else (0, BUILT_WITH_LOSSES)
        failures += ended(command(folder, *arguments), allowed, f"{path.name}, {arguments[0]}")
        if not path.exists() or path.read_text() != "mine":
            failures.append(f"{path.name} was replaced by {arguments[0]}")
        if path.parent != day:
            path.unlink(missing_ok=True)
        if before is not None:
            path.write_bytes(before)
    for number in range(4):
        saved = exported / f"saved{number}.txt"
        while_it_runs = threading.Timer(chance.uniform(0.5, 3), saved.write_text, ["mine"])
        while_it_runs.start()
        failures += ended(
            command(folder, "export", "--to", str(exported)), (0, WRONG_USE), "export beside a save"
        )
        while_it_runs.join()
        if not saved.exists():
            failures.append(f"{saved.name} was removed by export")
        saved.unlink(missing_ok=True)
    outside = folder / "outside"
    for link in (day / ".snapshot.yml.partial", warehouse / "site" / ".index.html.partial"):
        link.symlink_to(outside)
    page.write_text(PAGE.format(value="2"))
    failures += ended(command(folder, *add), (0, BUILT_WITH_LOSSES), "add beside a link")
    (warehouse / "site" / ".files").touch()
    failures += ended(command(folder, "report"), (0,), "report beside a link")
    if outside.exists():
        failures.append("a link was written through")
    yield "files of others", (len(tries) + 6, failures)


def damaged_files(folder: Path, chance: random.Random) -> Iterator[tuple[str, Result]]:
    """The published file and files of the cache, cut or with one bit changed: the next build gives
    the same values.
    """
    failures: list[str] = []
    store_page(folder, VALUES[0])
    failures += ended(command(folder, "build"), (0,), "the build")
    warehouse = folder / "warehouse"
    target = warehouse / "benchmarks.duckdb"
    for number in range(DAMAGES):
        path = (
            target if number % 2 else chance.choice(sorted(warehouse.glob("cache/*/*/*.parquet")))
        )
        status, content = path.stat(), bytearray(path.read_bytes())
        place = chance.randrange(len(content))
        content[place] ^= 1 << chance.randrange(8)
        path.write_bytes(content[:place] if number % 4 < 2 else content)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        if path == target:
            for arguments in (
                ("export", "--to", str(folder / f"exported{number}")),
                ("sql", "from resolved.evidence"),
            ):
                failures += ended(
                    command(folder, *arguments), (0, FAILED), f"{arguments[0]} of damage {number}"
                )
        else:
            # What is in the cache is taken where there is no published file.
            target.unlink()
        failures += ended(
            command(folder, "build"), (0,), f"the build after damage {number} of {path.name}"
        )
        failures += [
            f"after damage {number}: {found}" for found in [published(folder)] if found != [7608]
        ]
    yield "damaged files", (DAMAGES, failures)


ATTACKS = {
    attack.__name__: attack
    for attack in (
        *(killed, full_disk, bad_documents, hostile_servers, addresses, queries, stores),
        *(others_files, damaged_files),
    )
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=20230704)
    parser.add_argument("--only", nargs="*", choices=[*ATTACKS], default=[*ATTACKS])
    options = parser.parse_args()
    failed, began = False, time.monotonic()
    print(f"{'attack':<34}{'tries':>8}{'failures':>10}{'s':>7}")
    for name in options.only:
        folder, started = Path(tempfile.mkdtemp(prefix="attack-")), time.monotonic()
        try:
            for title, (tries, failures) in ATTACKS[name](folder, random.Random(options.seed)):
                print(
                    f"{title:<34}{tries:>8}{len(failures):>10}{time.monotonic() - started:>7.0f}",
                    flush=True,
                )
                for words in failures[:10]:
                    print(f"  {ascii(words)[1:-1][:300]}", flush=True)
                failed |= bool(failures)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{time.monotonic() - began:.0f} s in all")
    sys.exit(failed)


if __name__ == "__main__":
    main()
