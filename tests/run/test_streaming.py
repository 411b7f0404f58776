"""What the tables of a build take of the machine, and how large ones are held against their
contracts.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pytest

from pipelines.run.locked_folders import LockedFolders
from pipelines.run.row_cache import Corpus, write_chunk
from pipelines.run.working_copy import WorkingCopy
from pipelines.schemas.tables import TABLES
from pipelines.validate.quarantine import ContractError
from pipelines.warehouse import database
from pipelines.warehouse.database import SPILL_FOLDER, Tables
from pipelines.warehouse.reader import FILE_NAME

NAMES = TABLES["audit.unresolved_names"]
# As many rows, each with a key of its own, as the number says.
ROWS = """
select
    'models' as kind, n::varchar as name_printed, 1 as occurrences, 1 as documents, null as suggestion
from range({}) as t (n)
"""
# What takes more memory than there is.
LARGE = """
select
    'models' as kind, sha256(n::varchar) || sha256(n::varchar || 'x') as name_printed, n as occurrences, 1 as documents,
    null as suggestion
from range(500000) as t (n)
"""


def test_tables_take_no_more_memory_than_they_may_and_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHLEDGER_MEMORY_MIB", "64")
    made = Tables(tmp_path / FILE_NAME)
    assert made.query("select current_setting('memory_limit') as most").to_pylist() == [
        {"most": "64.0 MiB"}
    ]
    made.make(NAMES.full_name, LARGE)
    # What is kept beside the file may go to the disk, too.
    made.execute(f"create table internal.large as {LARGE}")
    [spilled] = made.query(
        "select sum(size) > 0 as is_any from duckdb_temporary_files()"
    ).to_pylist()
    assert spilled["is_any"]
    assert list((tmp_path / SPILL_FOLDER).iterdir())
    assert made.row_count(NAMES.full_name) == 500_000
    made.close()
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


def test_rows_of_some_documents_spill_into_a_folder_that_is_made_for_them(tmp_path: Path) -> None:
    with closing(Tables(spill=tmp_path / SPILL_FOLDER, memory_mib=64)) as tables:
        tables.execute(f"create table internal.large as {LARGE}")
        assert list((tmp_path / SPILL_FOLDER).iterdir())
    assert not list(tmp_path.iterdir())


def test_rows_that_share_a_key_are_refused_however_far_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_ROWS_AT_ONCE", 2048)
    working = WorkingCopy(
        LockedFolders(tmp_path, tmp_path, tmp_path), Tables(tmp_path / FILE_NAME), stands=False
    )
    # A reject is placed by the result or the claim that its row is made of.
    for name, key in (("results", "result_id"), ("claims", "claim_id")):
        working.tables.execute(
            f"create table resolved.{name} as select '' as {key}, '' as document_id, 1 as line"
        )
    name = NAMES.full_name
    working.make(name, ROWS.format(5000))
    assert (working.tables.row_count(NAMES.full_name), working.refused) == (5000, [])
    working.make(name, f"{ROWS.format(5000)} union all ({ROWS.format(2)})")
    assert working.tables.row_count(NAMES.full_name) == 4998
    assert all(
        "another row has the same key" in reason
        for reason in working.refused[-1]["reason"].to_pylist()
    )
    working.make(name, f"{ROWS.format(5000)} union all select 'models', 'none', -1, 1, null")
    assert (working.tables.row_count(NAMES.full_name), working.refused[-1].num_rows) == (5000, 1)
    with pytest.raises(ContractError, match="more than the 10% allowed"):
        working.make(name, ROWS.format(5000).replace("1 as occurrences", "-1 as occurrences"))
    working.tables.close()


def test_batches_of_documents_are_bounded_by_their_rows(tmp_path: Path) -> None:
    rows = {"a": 3, "b": 4, "c": 20, "d": 1}
    chunks = {}
    for name, count in rows.items():
        held = {"measurements": range(count), "claims": [], "numerals": range(100)}
        held = {kind: pa.table({"line": lines}) for kind, lines in held.items()}
        chunks[name] = write_chunk(tmp_path, held, {name: "key"})
    corpus = Corpus(tmp_path, chunks)
    # What one chunk holds is taken whole.
    assert [[*batch.chunks] for batch in corpus.batches(corpus.chunks, 7)] == [
        ["a", "b"],
        ["c"],
        ["d"],
    ]
