"""Stores and warehouses in a bucket of a real S3 server on loopback: beside others, after kills,
and with faults.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import loopback
import pytest
from conftest import OF_PAGES, RETRIEVED, Ledger, PageMaker
from makers.plain_build import plain_build
from s3_server import S3Server, running_server
from typer.testing import CliRunner

import benchledger
from pipelines.cli.main import app
from pipelines.ingest.fetching import fetch_sources
from pipelines.ingest.http import RequestLimits
from pipelines.ingest.mirror import commit, pull
from pipelines.ingest.registry import read_source, register, unregister
from pipelines.ingest.snapshots import add_document
from pipelines.ingest.store import read_store
from pipelines.object_addresses import AddressError, address_of, folder_of, shown
from pipelines.remote import bucket as requests_to_a_bucket
from pipelines.remote import publishing
from pipelines.remote.bucket import Bucket, ObjectStoreError
from pipelines.remote.publishing import (
    POINTER,
    BusyError,
    Lease,
    bring,
    leased,
    read_pointer,
    seconds_locked,
)
from pipelines.run.up_to_date import is_up_to_date, take_over_published
from pipelines.schemas.tables import PUBLISHED
from pipelines.settings import FILE_NAME
from pipelines.warehouse.reader import query_published

SECRET = "wJalrXUtnFEMI-a-secret"
SOURCE = "acme/results"
SETTINGS = {
    "AWS_ACCESS_KEY_ID": "AKIA-of-the-tests", "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_MAX_ATTEMPTS": "1", "AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "BENCHLEDGER_LEASE_SECONDS": "0.5",
}  # fmt: skip


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """The server, and the settings by which AWS's libraries find it; nothing of them is on the
    command line.
    """
    with running_server() as server, pytest.MonkeyPatch.context() as patch:
        for name, value in SETTINGS.items():
            patch.setenv(name, value)
        patch.setenv("AWS_ENDPOINT_URL", server.url)
        patch.setenv("BENCHLEDGER_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setattr(publishing, "_CLOCK_STEP_S", 1)
        yield server


@pytest.fixture
def place(s3: S3Server, request: pytest.FixtureRequest) -> str:
    """The address of a bucket of a test's own."""
    name = re.sub(r"[^a-z0-9]+", "-", request.node.name.lower())[:60].strip("-")
    requests_to_a_bucket._connected(s3.url).create_bucket(Bucket=name)
    s3.requests()
    return f"s3://{name}"


def add(raw: Path, text: str, name: str = "page.txt", source: str = SOURCE) -> Any:
    inbox = raw.parent / "inbox"
    inbox.mkdir(parents=True, exist_ok=True)
    (inbox / name).write_text(text, "utf-8")

    def work() -> Any:
        stored = add_document(
            inbox / name, source, raw, published_on=date(2023, 1, 1), now=RETRIEVED
        )
        (raw / source / "mapping.yml").write_text(OF_PAGES)
        return stored

    return commit(raw, source, work)


def names(place: str) -> list[str]:
    return [stat.name for stat in Bucket(place).list()]


def elsewhere(code: str, cache: Path, *arguments: str) -> subprocess.Popen[str]:
    """Code in a process of its own, as on another machine: with a cache of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        env=os.environ | {"BENCHLEDGER_CACHE": str(cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    out, errors = process.communicate(timeout=120)
    return process.returncode, out + errors


def generation(path: Path, number: int) -> Path:
    """A small warehouse file, all of whose tables say the same number."""
    with duckdb.connect(path) as connection:
        connection.execute(
            f"create table a as select {number} as n; create table b as select {number} as n"
        )
    return path


def publish(folder: Path, file: Path, **more: Any) -> None:
    with leased(folder) as lease:
        assert lease
        lease.publish(file, None, **more)


def read(folder: Path) -> tuple[int, int]:
    [row] = query_published(
        folder / FILE_NAME, "select (select n from a) as a, (select n from b) as b"
    ).to_pylist()
    return row["a"], row["b"]


# Addresses


NO_ADDRESSES = (
    f"s3://key:{SECRET}@bucket/raw",
    "gs://bucket/raw",
    "s3://bucket/../raw",
    "s3://bucket/a//b",
    "s3://",
)


def test_an_address_is_a_folder_that_is_shown_as_the_address() -> None:
    for address in ("s3://bucket/raw", "s3://bucket", "s3://my.bucket-1/a/b c/ü"):
        folder = folder_of(address)
        assert address_of(folder) == address
        assert shown(folder / "acme" / "page.txt") == f"{address}/acme/page.txt"
        assert folder_of(str(folder)) == folder
    assert (folder_of("raw"), address_of(Path("raw")), shown(Path("raw"))) == (
        Path("raw"),
        None,
        "raw",
    )
    for address in NO_ADDRESSES:
        with pytest.raises(AddressError, match="s3://bucket/folder") as raised:
            folder_of(address)
        assert SECRET not in str(raised.value)


# Builds


def test_a_build_from_a_bucket_is_the_same_as_a_local_one(
    s3: S3Server,
    place: str,
    page: PageMaker,
    with_a_page: Ledger,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    raw, warehouse = folder_of(f"{place}/raw"), folder_of(f"{place}/warehouse")
    add(raw, page([{"Throughput (items/sec)": "38,036"}]))
    assert names(place) == [
        "raw/.conditional-put",
        f"raw/{SOURCE}/2023-01-01/page.txt",
        f"raw/{SOURCE}/2023-01-01/snapshot.yml",
        f"raw/{SOURCE}/mapping.yml",
        f"raw/{SOURCE}/source.yml",
    ]
    assert plain_build(raw, warehouse).faults == []
    for table in PUBLISHED:
        columns = ", ".join(column.name for column in table.columns)
        query = f"select {columns} from {table.full_name} order by all"
        assert query_published(warehouse / FILE_NAME, query).equals(
            query_published(with_a_page.warehouse / FILE_NAME, query)
        )
    # Another machine reads what is published, and knows that there is nothing to build.
    monkeypatch.setenv("BENCHLEDGER_CACHE", str(tmp_path / "another"))
    ledger = benchledger.open_warehouse(f"{place}/warehouse", f"{place}/raw")
    [result] = ledger.results(arrow=True).to_pylist()
    assert result["value"] == 38036
    assert "38,036" in str(ledger.trace(result["result_id"])["place"])
    raw, warehouse = folder_of(f"{place}/raw"), folder_of(f"{place}/warehouse")
    s3.requests()
    pull(raw)
    take_over_published(warehouse)
    assert is_up_to_date(warehouse, read_store(raw))
    assert s3.requests() == [f"LIST /{place[5:]}", f"GET /{place[5:]}/warehouse/{POINTER}"]


KILLED_BEFORE_THE_POINTER = """
    import os, signal, sys
    from pathlib import Path
    from pipelines.object_addresses import folder_of
    from pipelines.remote.bucket import Bucket
    from pipelines.remote.publishing import leased

    upload = Bucket.upload
    def killed(*arguments):
        upload(*arguments)
        os.kill(os.getpid(), signal.SIGKILL)
    Bucket.upload = killed
    with leased(folder_of(sys.argv[1])) as lease:
        lease.publish(Path(sys.argv[2]), None)
"""


def test_a_build_that_is_killed_changes_nothing_and_the_next_one_goes_on(
    place: str, page: PageMaker, tmp_path: Path
) -> None:
    raw, warehouse = folder_of(f"{place}/raw"), folder_of(f"{place}/warehouse")
    add(raw, page([{"Throughput (items/sec)": "38,036"}]))
    publish(warehouse, generation(tmp_path / "before.duckdb", 1))
    with leased(warehouse):
        [fault] = plain_build(raw, warehouse).faults
    assert f"another build of {place}/warehouse is running" in fault
    other = generation(tmp_path / "killed.duckdb", 3)
    status, said = ended(
        elsewhere(KILLED_BEFORE_THE_POINTER, tmp_path / "killed", f"{place}/warehouse", str(other))
    )
    assert status == -9, said
    with pytest.raises(BusyError, match="the lock expires in"):
        Lease(warehouse)
    bring(warehouse)
    assert read(warehouse) == (1, 1)
    assert len([name for name in names(place) if name.startswith("warehouse/builds/")]) == 2
    while seconds_locked(warehouse):
        time.sleep(0.2)
    publish(warehouse, generation(tmp_path / "after.duckdb", 2))
    bring(warehouse)
    assert read(warehouse) == (2, 2)
    # What the killed build has put goes when nobody can be about to fetch it.
    assert len([name for name in names(place) if name.startswith("warehouse/builds/")]) == 3


# Publishing


PUBLISHER = """
    import sys
    from datetime import timedelta
    from pathlib import Path
    from pipelines.object_addresses import folder_of
    from pipelines.remote import publishing

    # Nothing is kept: a reader meets builds that are deleted between its two requests.
    publishing._KEPT_FOR = timedelta(seconds=-10)
    for file in sorted(Path(sys.argv[2]).glob("*.duckdb")):
        with publishing.leased(folder_of(sys.argv[1])) as lease:
            lease.publish(file, None)
"""


def test_a_reader_beside_a_publisher_sees_whole_builds(place: str, tmp_path: Path) -> None:
    folder, made = folder_of(f"{place}/warehouse"), tmp_path / "made"
    made.mkdir()
    publish(folder, generation(tmp_path / "first.duckdb", 0))
    for number in range(1, 9):
        generation(made / f"{number}.duckdb", number)
    process = elsewhere(PUBLISHER, tmp_path / "cache", f"{place}/warehouse", str(made))
    seen: list[tuple[int, int]] = []
    while process.poll() is None and len(seen) < 2000:
        bring(folder)
        seen.append(read(folder))
    assert ended(process) == (0, "")
    bring(folder)
    seen.append(read(folder))
    assert all(a == b for a, b in seen)
    assert seen == sorted(seen)
    assert seen[-1] == (8, 8)
    assert len({*seen}) > 2
    assert len([name for name in names(place) if "builds/" in name]) == 1


def test_a_build_that_has_lost_its_lock_cannot_publish(place: str, tmp_path: Path) -> None:
    folder = folder_of(f"{place}/warehouse")
    slow = Lease(folder)
    with pytest.raises(BusyError, match="the lock expires in"):
        Lease(folder)
    # It is renewed for as long as its build lives, and only then.
    time.sleep(2)
    with pytest.raises(BusyError):
        Lease(folder)
    slow._done.set()
    while seconds_locked(folder):
        time.sleep(0.2)
    other = Lease(folder)
    # Before the other one has published anything, too.
    with pytest.raises(ObjectStoreError, match="lost its lock to another build"):
        slow.publish(generation(tmp_path / "slow.duckdb", 1), None)
    slow.release()
    other.publish(generation(tmp_path / "other.duckdb", 2), {"digest": "d", "code": "c"})
    other.release()
    bring(folder)
    assert read(folder) == (2, 2)
    assert not seconds_locked(folder)


def test_a_build_whose_bytes_are_not_those_that_were_put_is_not_read(
    place: str, tmp_path: Path
) -> None:
    folder = folder_of(f"{place}/warehouse")
    publish(folder, generation(tmp_path / "one.duckdb", 1))
    bucket = Bucket(f"{place}/warehouse")
    [stat] = bucket.list("builds/")
    bucket.put(stat.name, b"something else", stat.etag)
    with pytest.raises(ObjectStoreError, match="does not contain the uploaded bytes"):
        bring(folder)
    assert not (folder / FILE_NAME).exists()
    _, pointer = read_pointer(bucket)
    assert pointer
    bucket.put(POINTER, b'{"current": 1}', pointer.etag)
    with pytest.raises(ObjectStoreError, match="it is not a warehouse pointer"):
        bring(folder)


# Adding


def test_whoever_was_slower_adds_to_what_the_other_has_put(place: str, page: PageMaker) -> None:
    raw, other = folder_of(f"{place}/raw"), folder_of(f"{place}/raw/")
    assert raw == other
    ours, theirs = (page([{"Throughput (items/sec)": value}]) for value in ("38,036", "41,000"))
    add(raw, theirs)
    others = {
        stat.name: Bucket(place).get(stat.name) for stat in Bucket(place).list(f"raw/{SOURCE}")
    }
    for name in others:
        Bucket(place).delete(name)
    pull(raw)
    assert len(read_store(raw).documents) == 0
    file = raw.parent / "inbox" / "page.txt"
    file.write_text(ours, "utf-8")
    calls = []

    def work() -> Any:
        if not calls:
            # What another machine puts while this one is at work: another page of the same name and
            # day.
            for name, content in others.items():
                assert content
                Bucket(place).put(name, content.body)
        calls.append(1)
        return add_document(file, SOURCE, raw, published_on=date(2023, 1, 1), now=RETRIEVED)

    stored = commit(raw, SOURCE, work)
    assert len(calls) == 2
    assert stored.path.name != "page.txt"
    pull(raw)
    store = read_store(raw)
    assert {Path(row["path"]).name for row in store.documents} == {"page.txt", stored.path.name}
    assert store.faults == []


def test_what_is_fetched_is_put_and_what_cannot_be_fetched_leaves_nothing(
    place: str, page: PageMaker
) -> None:
    raw = folder_of(f"{place}/raw")
    pull(raw)
    limits = RequestLimits(pause_s=0)
    with loopback.serve() as server:
        server.replies["/page"] = loopback.text(page([{"Throughput (items/sec)": "38,036"}]))
        source = commit(
            raw,
            SOURCE,
            partial(register, raw, SOURCE, f"{server.url}/page", allow_hosts=["127.0.0.1"]),
        )
        for outcome in ("changed", "unchanged"):
            [attempt] = fetch_sources([read_source(raw, source.name)], raw, limits)
            assert attempt.outcome == outcome
        kept = names(f"{place}/raw")
        gone = commit(
            raw,
            "acme/gone",
            partial(register, raw, "acme/gone", f"{server.url}/gone", allow_hosts=["127.0.0.1"]),
        )
        [attempt] = fetch_sources([gone], raw, limits)
        assert attempt.outcome == "gone"
        unregister(gone)
    assert names(f"{place}/raw") == kept
    content = Bucket(f"{place}/raw").get(f"{SOURCE}/fetches.jsonl")
    assert content
    assert len(content.body.splitlines()) == 2


def test_the_folder_follows_the_bucket_and_only_what_is_new_is_fetched(
    s3: S3Server, place: str
) -> None:
    raw, bucket = folder_of(f"{place}/raw"), Bucket(f"{place}/raw")
    for name in (
        "a/b/2023-01-01/one.txt",
        "a/b/2023-01-01/two.txt",
        "a/b/",
        "a/b/.hidden/three.txt",
    ):
        bucket.put(name, b"text")
    assert pull(raw)
    (raw / "a/b/2023-01-01/one.txt").write_text("changed here")
    (raw / "a/c").mkdir()
    (raw / "a/c/stray.txt").write_text("never put")
    s3.requests()
    assert not pull(raw)
    assert s3.requests() == [f"LIST /{place[5:]}", f"GET /{place[5:]}/raw/a/b/2023-01-01/one.txt"]
    files = sorted(
        path.relative_to(raw).as_posix() for path in raw.rglob("*") if not path.name.startswith(".")
    )
    assert files == [
        "a",
        "a/b",
        "a/b/2023-01-01",
        "a/b/2023-01-01/one.txt",
        "a/b/2023-01-01/two.txt",
    ]
    bucket.delete("a/b/2023-01-01/one.txt")
    assert pull(raw)
    assert [path.name for path in raw.rglob("*.txt")] == ["two.txt"]


def test_objects_that_cannot_be_files_are_faults_of_their_own(place: str) -> None:
    raw, bucket = folder_of(f"{place}/raw"), Bucket(f"{place}/raw")
    odd = ["/etc/b.txt", "a//b.txt", "a/b", f"a/b/2023-01-01/{'x' * 400}.txt"]
    for name in (*odd, "a/b/2023-01-01/page.txt", f"a/b/2023-01-01/{'x' * 250}.txt"):
        bucket.put(name, name.encode())
    assert pull(raw)
    store = read_store(raw)
    assert len(store.documents) == 2
    assert [(fault.path, fault.rule) for fault in store.faults] == [
        (name, "unusable_key") for name in odd
    ]
    assert not pull(raw)
    for name in odd:
        bucket.delete(name)
    assert pull(raw)
    assert read_store(raw).faults == []
    # None leads out of the folder, or is taken for a file of the mirror.
    bucket.put("../../escaped/2023/page.txt", b"text")
    bucket.put(".mirror.json", b"{}")
    pull(raw)
    assert len(read_store(raw).documents) == 2
    assert not (raw.parent.parent / "escaped").exists()


# Faults


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.output


def test_what_the_server_refuses_is_one_sentence_without_secrets(s3: S3Server, place: str) -> None:
    ask = ("sql", "select 1", "--warehouse")
    told = f"there is no warehouse at {place}/warehouse/{FILE_NAME}; run `benchledger build` first"
    assert run(*ask, f"{place}/warehouse") == (1, f"error: {told}\n")
    assert run(*ask, "s3://nowhere/w") == (
        1,
        "error: the bucket nowhere of s3://nowhere/w does not exist\n",
    )
    with s3.fault("denied"):
        assert run(*ask, f"{place}/warehouse") == (
            1,
            f"error: access to {place}/warehouse is denied (AccessDenied)\n",
        )
    status, words = run("sql", "select 1", "--warehouse", f"s3://key:{SECRET}@bucket/warehouse")
    assert status == 2
    assert SECRET not in words


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"AWS_ENDPOINT_URL": f"http://user:{SECRET}@127.0.0.1:9"}, "cannot be reached"),
        ({"AWS_SECRET_ACCESS_KEY": ""}, "there are no credentials for s3://bucket/w"),
        ({"AWS_PROFILE": "not-there"}, "there are no credentials for s3://bucket/w"),
        # Without the library the command says what to install.
        ({}, "object stores need boto3; `make -C "),
    ],
)
def test_a_server_that_cannot_be_asked_is_one_sentence(
    s3: S3Server, settings: dict[str, str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name, value in settings.items():
        monkeypatch.setenv(name, value) if value else monkeypatch.delenv(name)
    if not settings:
        monkeypatch.setitem(sys.modules, "boto3", None)
    requests_to_a_bucket._connected.cache_clear()
    try:
        status, said = run("sql", "select 1", "--warehouse", "s3://bucket/w")
    finally:
        requests_to_a_bucket._connected.cache_clear()
    assert status == 1
    assert words in said
    assert SECRET not in said
    assert "127.0.0.1" not in said


def test_nothing_is_written_where_the_server_keeps_no_conditions(
    s3: S3Server, place: str, tmp_path: Path
) -> None:
    with s3.fault("no conditions"):
        with pytest.raises(ObjectStoreError, match="ignores the condition of a put"):
            add(folder_of(f"{place}/raw"), "text")
        with pytest.raises(ObjectStoreError, match="ignores the condition of a put"):
            Lease(folder_of(f"{place}/warehouse"))
    assert names(place) == ["raw/.conditional-put", "warehouse/.conditional-put"]
