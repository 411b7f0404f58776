"""Nothing of a user's is replaced or removed; what killed runs leave is, by the next one; damage
stops nothing.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest
from conftest import Ledger, PageMaker
from typer.testing import CliRunner, Result

from pipelines import own_files
from pipelines.cli.main import app
from pipelines.cli.options import write_output
from pipelines.export import folder as export_folder
from pipelines.export import replacing
from pipelines.export.folder import SUMS, export
from pipelines.export.replacing import give_back
from pipelines.ingest.snapshots import IngestError, add_document
from pipelines.own_files import MARKER, NotOursError, create_file, marked
from pipelines.report.site import write_site
from pipelines.warehouse.reader import FILE_NAME, WarehouseError

VALUES = "select value from resolved.results order by value"
NOW = datetime(2026, 1, 31, tzinfo=UTC)


def content(folder: Path) -> dict[str, bytes]:
    """All that a folder holds: bytes of files, targets of links."""
    return {
        path.relative_to(folder).as_posix(): os.fsencode(path.readlink())
        if path.is_symlink()
        else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_symlink() or path.is_file()
    }


def list_sums(folder: Path) -> None:
    """What `sha256sum` does."""
    names = sorted(set(content(folder)) - {SUMS})
    sums = [
        f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names
    ]
    (folder / SUMS).write_text("".join(sums))


def run(ledger: Ledger, *arguments: str) -> Result:
    own = {"BENCHLEDGER_RAW": str(ledger.raw), "BENCHLEDGER_WAREHOUSE": str(ledger.warehouse)}
    return CliRunner().invoke(app, arguments, env=own)


# Folders and files of others


def test_an_export_replaces_an_export_that_nobody_has_changed_alone(
    with_a_page: Ledger, tmp_path: Path
) -> None:
    def edit(folder: Path) -> None:
        (folder / "csv" / "main" / "claims.csv").write_text("mine")

    def add(folder: Path) -> None:
        (folder / "thesis.txt").write_text("mine")
        list_sums(folder)

    def link(folder: Path) -> None:
        (folder / "NOTICE").rename(folder.parent / "NOTICE")
        (folder / "NOTICE").symlink_to(folder.parent / "NOTICE")

    def describe(folder: Path) -> None:
        (folder / "datapackage.json").write_text("[]")
        list_sums(folder)

    target, own = tmp_path / "exported", tmp_path / "mydata"
    export(with_a_page.warehouse, target)
    own.mkdir()
    for spoil in (None, edit, add, link, describe):
        folder = shutil.copytree(target, tmp_path / spoil.__name__ / "folder") if spoil else own
        (spoil or add)(folder)
        before = content(folder)
        with pytest.raises(
            NotOursError, match=r"was changed, or was not written by benchledger; move it"
        ):
            export(with_a_page.warehouse, folder)
        assert content(folder) == before
    (tmp_path / "file").write_text("mine")
    with pytest.raises(NotOursError, match="file was changed, or was not written by benchledger"):
        export(with_a_page.warehouse, tmp_path / "file")
    assert len(export(with_a_page.warehouse, target)) == len(content(target))


def test_a_build_touches_nothing_of_others(ledger: Ledger, page: PageMaker) -> None:
    ledger.add(page([{"Throughput (items/sec)": "38,036"}]), "acme/results", "2023-01-01")
    own = ("downloads/film.mkv.partial", "thesis.txt.partial", "cache/notes.txt")
    for name in own:
        (ledger.warehouse / name).parent.mkdir(parents=True, exist_ok=True)
        (ledger.warehouse / name).write_text("mine")
    assert "cache holds notes.txt, which benchledger did not write" in ledger.build().faults[0]
    assert {*content(ledger.warehouse)} == {*own, ".build.lock"}
    shutil.rmtree(ledger.warehouse / "cache")
    for name in ("previous.duckdb", FILE_NAME):
        with duckdb.connect(ledger.warehouse / name) as connection:
            connection.execute("create table mine as select 1 as value")
        before = (ledger.warehouse / name).read_bytes()
        assert f"{name} is not a benchledger warehouse" in ledger.build().faults[0]
        assert (ledger.warehouse / name).read_bytes() == before
        (ledger.warehouse / name).unlink()
    # What is put into a cache that is marked stays, too.
    (ledger.warehouse / "cache" / "mine").mkdir(parents=True)
    (ledger.warehouse / "cache" / "mine" / "notes.txt.partial").write_text("mine")
    create_file(ledger.warehouse / "cache" / MARKER, b"")
    assert ledger.build().success
    assert {*own[:2], "cache/mine/notes.txt.partial"} <= {*content(ledger.warehouse)}


def test_a_report_touches_nothing_of_others(with_a_page: Ledger, tmp_path: Path) -> None:
    site, outside = with_a_page.warehouse / "site", tmp_path / "outside"
    outside.write_text("mine")
    site.mkdir()
    (site / "index.html").write_text("mine")
    with pytest.raises(NotOursError, match=r"holds index\.html, which benchledger did not write"):
        write_site(with_a_page.warehouse, with_a_page.raw)
    assert content(site) == {"index.html": b"mine"}
    (site / "index.html").unlink()
    (site / ".files").touch()
    (site / ".index.html.partial").symlink_to(outside)
    write_site(with_a_page.warehouse, with_a_page.raw)
    assert outside.read_text() == "mine"


def test_a_document_is_added_beside_all_that_is_there(tmp_path: Path) -> None:
    raw, file, outside = tmp_path / "raw", tmp_path / "page.md", tmp_path / "outside"
    file.write_text("one")
    folder = add_document(file, "acme/results", raw, now=NOW).path.parent
    file.write_text("two")
    name = f"page-{hashlib.sha256(b'two').hexdigest()[:8]}"
    mine = folder / f"{name}.md"
    mine.write_text("mine")
    (folder / ".snapshot.yml.partial").symlink_to(outside)
    before = content(folder)
    with pytest.raises(IngestError, match=f"something else has the name {mine}; rename it"):
        add_document(file, "acme/results", raw, now=NOW)
    assert content(folder) == before
    mine.rename(tmp_path / "mine.md")
    before = content(folder)
    second = add_document(file, "acme/results", raw, now=NOW)
    after = content(folder)
    assert (second.path.name, second.path.read_text()) == (mine.name, "two")
    assert [one for one in before if after[one] != before[one]] == ["snapshot.yml"]
    assert not outside.exists()


def test_comments_in_a_sidecar_survive(tmp_path: Path) -> None:
    raw, file = tmp_path / "raw", tmp_path / "b # 1.md"
    file.write_text("one")
    stored = add_document(file, "acme/results", raw, now=NOW, url="http://acme.example/\u00fc#top")
    sidecar = stored.path.parent / "snapshot.yml"
    text = sidecar.read_text("utf-8")
    text = text.replace("documents:", "# All by hand.\ndocuments:").replace(
        "- file", "  # The 'first' # page.\n- file"
    )
    sidecar.write_text(
        text.replace("original\n", "original  # checked twice\n") + "# The end.\n", "utf-8"
    )
    for name in ("a.md", "c.md"):
        file.with_name(name).write_text(name)
        add_document(file.with_name(name), "acme/results", raw, now=NOW)
        lines = sidecar.read_text("utf-8").splitlines()
        assert lines[:4] == [
            "# All by hand.",
            "# The 'first' # page.",
            "# checked twice",
            "# The end.",
        ]
        assert [line for line in lines[4:] if " #" in line] == ["- file: 'b # 1.md'"]


# What killed runs leave

_KILLED_WHEN_RENAMED = """
import os, signal, sys
from pathlib import Path
{imported}
def killed(path, target, real=Path.{method}):
    if Path(target).name == {name!r}:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(path, target)
Path.{method} = killed
first, second = map(Path, sys.argv[1:])
{call}
"""


def killed_when_renamed(method: str, name: str, imported: str, call: str, *arguments: Path) -> None:
    """Run a call in a process that kills itself when a file is about to get this name."""
    code = _KILLED_WHEN_RENAMED.format(method=method, name=name, imported=imported, call=call)
    ended = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True
    )
    assert ended.returncode == -signal.SIGKILL, ended.stderr


def test_a_killed_export_is_removed_by_the_next_one_and_loses_nothing(
    with_a_page: Ledger, tmp_path: Path
) -> None:
    target, others = tmp_path / "out" / "exported", tmp_path / "out" / ".exported.4711.partial"
    others.mkdir(parents=True)
    (others / "mine.txt").write_text("mine")
    export(with_a_page.warehouse, target)
    # Killed between the two names, it has moved the earlier one away.
    imported = "from pipelines.export.folder import export"
    killed_when_renamed(
        "rename", target.name, imported, "export(first, second)", with_a_page.warehouse, target
    )
    assert len([*target.parent.iterdir()]) == 2
    assert not target.exists()
    with pytest.raises(WarehouseError):
        export(tmp_path / "nowhere", target)
    assert (target / SUMS).exists()
    export(with_a_page.warehouse, target)
    assert {path.name for path in target.parent.iterdir()} == {"exported", others.name}
    assert content(others) == {"mine.txt": b"mine"}


def test_a_build_killed_between_two_names_leaves_nothing(
    with_a_page: Ledger, page: PageMaker
) -> None:
    with_a_page.add(page([{"Throughput (items/sec)": "40,112"}]), "acme/results", "2023-02-01")
    imported = "sys.path.append('tests'); from makers.plain_build import plain_build"
    call = "plain_build(first, second)"
    killed_when_renamed(
        "replace", "previous.duckdb", imported, call, with_a_page.raw, with_a_page.warehouse
    )
    assert with_a_page.build().success
    expected = {".build.lock", FILE_NAME, "cache", "previous.duckdb"}
    assert {path.name for path in with_a_page.warehouse.iterdir()} == expected


def test_a_name_that_is_too_long_and_a_killed_add_or_report_leave_nothing(
    with_a_page: Ledger, tmp_path: Path
) -> None:
    raw, file = with_a_page.raw, tmp_path / f"{'x' * 250}.md"
    for text in ("one", "two"):
        file.write_text(text)
        result = run(with_a_page, "add", str(file), "--source", "acme/more")
    assert (result.exit_code, "File name too long" in result.stderr) == (2, True), result.output
    assert not [*raw.rglob("*.partial*")]
    file = tmp_path / "page.md"
    file.write_text("three")
    imported = "from pipelines.ingest.snapshots import IngestError, add_document"
    killed_when_renamed(
        "replace",
        "snapshot.yml",
        imported,
        "add_document(first, 'acme/results', second)",
        file,
        raw,
    )
    imported, site = "from pipelines.report.site import write_site", with_a_page.warehouse
    killed_when_renamed(
        "hardlink_to", "index.html", imported, "write_site(first, second)", site, raw
    )
    add_document(file, "acme/results", raw)
    write_site(with_a_page.warehouse, raw)
    hidden = {path.name for folder in (raw, with_a_page.warehouse) for path in folder.rglob(".*")}
    assert hidden == {".store.lock", ".build.lock", ".benchledger", ".files"}


# Damaged files


def flip(path: Path, place: int | None = None) -> None:
    """Change one bit of a file, as a disk does: its size and its time stay."""
    status, changed = path.stat(), bytearray(path.read_bytes())
    changed[len(changed) // 2 if place is None else place] ^= 1
    path.write_bytes(changed)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_a_damaged_warehouse_is_kept_and_built_anew(with_a_page: Ledger, tmp_path: Path) -> None:
    path, expected = with_a_page.warehouse / FILE_NAME, with_a_page.sql(VALUES)
    kept = path.with_name(f"{FILE_NAME}.damaged")
    kept.write_text("kept before")
    whole = path.read_bytes()
    asked = (
        ["sql", "from main.claims"],
        ["export", "--to", str(tmp_path / "to")],
        ["report"],
        ["trace", "0" * 16],
    )
    spoilt: tuple[tuple[Callable[[Path], None], tuple[list[str], ...]], ...] = (
        (lambda path: flip(path, 9), asked[:1]),
        (lambda path: os.truncate(path, 5_000), asked),
    )
    for spoil, commands in spoilt:
        path.write_bytes(whole)
        spoil(path)
        for command in commands:
            result = run(with_a_page, *command)
            assert result.exit_code == 1, result.output
            words = (
                f"error: {path} is damaged, or is not a DuckDB file; `benchledger build` renames it"
            )
            assert (result.stderr.startswith(words), result.stderr.count("\n")) == (True, 1), (
                result.stderr
            )
    damaged = path.read_bytes()
    outcome = with_a_page.build()
    assert outcome.success, outcome.faults
    assert f"{path} cannot be read" in outcome.warnings[0]
    assert with_a_page.sql(VALUES) == expected
    assert (kept.read_text(), kept.with_name(f"{kept.name}.2").read_bytes()) == (
        "kept before",
        damaged,
    )


def test_a_warehouse_that_somebody_writes_to_is_not_taken_for_damaged(with_a_page: Ledger) -> None:
    path = with_a_page.warehouse / FILE_NAME
    (path.parent / "cache" / "published.json").unlink()
    code = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); c.execute('create table x as select 1'); "
    command = [sys.executable, "-c", f"{code} print(1, flush=True); input()", str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout
        assert other.stdout.readline()
        faults = with_a_page.build().faults
        other.communicate(b"\n")
    assert "is open for writing in another program" in faults[0]
    assert not [*path.parent.glob("*.damaged")]


def test_damage_in_the_cache_lets_documents_be_read_again(with_a_page: Ledger) -> None:
    expected = with_a_page.sql(VALUES)
    for kind in ("done", "measurements"):
        [path] = with_a_page.warehouse.glob(f"cache/*/{kind}/*.*")
        flip(path)
        # The rows of the cache are taken, as the published file is gone.
        (with_a_page.warehouse / FILE_NAME).unlink()
        outcome = with_a_page.build()
        # Not every bit of a list of documents says something.
        assert (outcome.success, outcome.documents_read or kind == "done") == (True, 1), (
            outcome.faults
        )
        assert with_a_page.sql(VALUES) == expected


# What users are given


def saved_when(monkeypatch: pytest.MonkeyPatch, module: object, name: str, file: Path) -> None:
    """Save a user's file as soon as a function is called."""
    real = getattr(module, name)

    def called(*arguments: object, **named: object) -> object:
        if not file.exists():
            file.write_text("mine")
        return real(*arguments, **named)

    monkeypatch.setattr(module, name, called)


def test_what_is_saved_into_an_export_while_it_runs_stays(
    with_a_page: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "ex"
    written = len(export(with_a_page.warehouse, target))
    before = content(target)
    # While tables are written, and right before the folder is moved away: it stops the switch.
    for module, name in ((export_folder, "_write"), (export_folder, "take_place")):
        with monkeypatch.context() as patched:
            saved_when(patched, module, name, target / "notes.txt")
            with pytest.raises(
                NotOursError, match=r"ex/notes\.txt was changed, or was not written"
            ):
                export(with_a_page.warehouse, target)
        assert content(target) == before | {"notes.txt": b"mine"}
        (target / "notes.txt").unlink()
    # By somebody who works in the folder when it has been moved: it is carried over.
    folder = os.open(target, os.O_RDONLY)

    def give_name(
        new: Path, name: Path, real: Callable[[Path, Path], None] = own_files.give_name
    ) -> None:
        if new.name == target.name:
            for late in ("late.txt", "csv/main/late.txt", "NOTICE.txt"):
                with os.fdopen(os.open(late, os.O_WRONLY | os.O_CREAT, dir_fd=folder), "w") as file:
                    file.write("mine")
        real(new, name)

    with monkeypatch.context() as patched:
        patched.setattr(replacing, "give_name", give_name)
        export(with_a_page.warehouse, target)
    assert content(target) == before | dict.fromkeys(
        ("late.txt", "csv/main/late.txt", "NOTICE.txt"), b"mine"
    )
    assert [path.name for path in tmp_path.glob("*ex*")] == ["ex"]
    assert written == len(before)


def test_exports_and_reports_at_once_are_whole(with_a_page: Ledger, tmp_path: Path) -> None:
    target, expected = tmp_path / "ex", tmp_path / "alone"
    export(with_a_page.warehouse, expected)
    with ThreadPoolExecutor(4) as pool:
        runs = [pool.submit(export, with_a_page.warehouse, target) for _ in range(2)]
        runs += [pool.submit(write_site, with_a_page.warehouse, with_a_page.raw) for _ in range(2)]
        for run in runs:
            run.result()
    assert content(target) == content(expected)
    assert write_site(with_a_page.warehouse, with_a_page.raw).changed == 0
    hidden = [path.name for path in (*tmp_path.rglob(".*"), *with_a_page.warehouse.rglob(".*"))]
    assert not [name for name in hidden if name.endswith(".partial")]


def test_a_page_that_a_user_has_changed_stops_the_report(with_a_page: Ledger) -> None:
    site = write_site(with_a_page.warehouse, with_a_page.raw).start.parent
    added = site / "mine.html"
    added.write_text("mine")
    # The pages of the next report are others.
    with_a_page.change("update main.current_results set value = 40112")
    [script, *_] = sorted((site / "data").glob("*-0.js"))
    for edited in (site / "index.html", site / "static" / "site.css", script):
        written = edited.read_bytes()
        edited.write_bytes(written + b"mine")
        before = content(site)
        with pytest.raises(NotOursError, match=f"{edited.name} was changed"):
            write_site(with_a_page.warehouse, with_a_page.raw)
        assert content(site) == before
        edited.write_bytes(written)
    # A page that is put where the next report has one.
    (site / ".files").write_text((site / ".files").read_text().replace("index.html\n", ""))
    (site / "index.html").write_text("mine")
    with pytest.raises(NotOursError, match=r"index\.html was changed, or was not written"):
        write_site(with_a_page.warehouse, with_a_page.raw)
    assert (site / "index.html").read_text() == "mine"
    (site / "index.html").unlink()
    assert write_site(with_a_page.warehouse, with_a_page.raw).changed
    assert added.read_text() == "mine"


def test_a_page_or_picture_replaces_its_own_kind_alone(tmp_path: Path) -> None:
    target, outside = tmp_path / "\udcff page.html", tmp_path / "outside"
    for words in (b"<p>one</p>", b"\x89PNG two"):
        write_output(target, words)
        assert target.read_bytes().startswith(words)
    target.write_bytes(target.read_bytes().replace(b"two", b"mine"))
    outside.write_bytes(marked(b"mine"))
    (tmp_path / "link").symlink_to(outside)
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "folder" / "inner").mkdir(parents=True)
    (tmp_path / "folder" / "inner" / "mine").write_text("mine")
    before = content(tmp_path)
    for path in (target, tmp_path / "link", tmp_path / "dangling", tmp_path / "folder"):
        with pytest.raises(NotOursError, match="move it, or choose another name"):
            write_output(path, b"ours")
    assert content(tmp_path) == before


def test_a_kill_between_two_names_loses_neither(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    write_output(target, b"one")
    before = content(tmp_path)
    killed = (
        "hardlink_to",
        target.name,
        "from pipelines.cli.options import write_output",
        "write_output(first, b'two')",
    )
    killed_when_renamed(*killed, target, target)
    assert not target.exists()
    give_back(target)
    assert content(tmp_path).items() >= before.items()
    # What somebody has put there after the kill stays, too.
    killed_when_renamed(*killed, target, target)
    target.write_text("mine")
    with pytest.raises(NotOursError):
        write_output(target, b"three")
    assert target.read_text() == "mine"
    target.unlink()
    write_output(target, b"four")
    assert content(tmp_path) == {"page.html": marked(b"four")}
