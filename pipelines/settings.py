"""Where things are unless a command or the environment says otherwise. No logic belongs here."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pipelines.object_addresses import folder_of

_CODE = Path(__file__).resolve().parent
# The checkout around the code; of an installed package, the folder one works in.
IS_CHECKOUT = (_CODE.parent / "pyproject.toml").exists()
PROJECT = _CODE.parent if IS_CHECKOUT else Path.cwd()

# The published warehouse, and the one that stood before the results last changed, in the folder of the warehouse.
FILE_NAME = "benchmarks.duckdb"
PREVIOUS_FILE = "previous.duckdb"
# The first page of the site, below the folder of the warehouse.
START_PAGE = Path("site/index.html")

# Where documents are read unless a cluster is named.
LOCAL = "local"

# Objects made before the young, the middle and all of them are looked through; Python's own are (700, 10, 10).
GARBAGE_THRESHOLDS = (50_000, 20, 100)


@dataclass(frozen=True, slots=True)
class DocumentLimits:
    """What reading one document may cost, whatever its format: opening it, all source formats, the accounting.

    What a PDF may cost before its lines are known stands in `read/pdf/limits.py`.

    Attributes:
        cpu_s: Seconds of processor time; the largest documents that are known take about two.
        memory_mib: MiB of address space beyond what the process has when the document begins.
        elapsed_per_cpu: Elapsed seconds for each second of processor time, as the machine may be busy.
    """

    cpu_s: int = 60
    memory_mib: int = 1536
    elapsed_per_cpu: int = 4


def document_limits() -> DocumentLimits:
    """The limits of a document: those of the class, or `BENCHLEDGER_DOCUMENT_SECONDS`, `BENCHLEDGER_DOCUMENT_MIB`."""
    given = {"cpu_s": "BENCHLEDGER_DOCUMENT_SECONDS", "memory_mib": "BENCHLEDGER_DOCUMENT_MIB"}
    return DocumentLimits(**{field: int(os.environ[name]) for field, name in given.items() if name in os.environ})


def build_memory_mib() -> int:
    """MiB that DuckDB takes in a build before it goes to the disk: 768, or `BENCHLEDGER_MEMORY_MIB`."""
    return int(os.environ.get("BENCHLEDGER_MEMORY_MIB", "768"))


def reading_workers() -> int | None:
    """Processes that read documents, `BENCHLEDGER_WORKERS`; None for as many as make sense.

    With 0 the process itself reads them, as a debugger needs it, and no limit holds.
    """
    return int(os.environ["BENCHLEDGER_WORKERS"]) if "BENCHLEDGER_WORKERS" in os.environ else None


def cluster_address() -> str:
    """The Dask scheduler whose workers read documents, `BENCHLEDGER_CLUSTER`; else `local`: this machine does."""
    return os.environ.get("BENCHLEDGER_CLUSTER") or LOCAL


def raw_folder() -> Path:
    """Root of the stored documents: `BENCHLEDGER_RAW`, else `raw/` of the project."""
    return folder_of(os.environ.get("BENCHLEDGER_RAW", PROJECT / "raw"))


def warehouse_folder() -> Path:
    """Folder of tables and published file: `BENCHLEDGER_WAREHOUSE`, else `warehouse/` of the project."""
    return folder_of(os.environ.get("BENCHLEDGER_WAREHOUSE", PROJECT / "warehouse"))


def webhook() -> str | None:
    """The address that failed runs are reported to, `BENCHLEDGER_WEBHOOK`; None where nobody is to be told."""
    return os.environ.get("BENCHLEDGER_WEBHOOK") or None


def lease_seconds() -> float:
    """How long a build in an object store holds its lock without renewing it: `BENCHLEDGER_LEASE_SECONDS`, else 60."""
    return float(os.environ.get("BENCHLEDGER_LEASE_SECONDS", 60))


def build_time() -> datetime:
    """The time of a build, UTC, to the second: now, or `SOURCE_DATE_EPOCH` for a build that can be made again."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    moment = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    return moment.replace(microsecond=0, tzinfo=None)


def state_folder() -> Path:
    """Where Dagster keeps its record of runs: `BENCHLEDGER_STATE`, else `.dagster/` of the project."""
    return Path(os.environ.get("BENCHLEDGER_STATE", PROJECT / ".dagster"))


def prepare_instance() -> None:
    """Let Dagster find its configuration and keep its state out of git, unless the environment says otherwise."""
    # The wheel has a copy of the checkout's `dagster.yaml`.
    os.environ.setdefault("DAGSTER_HOME", str(PROJECT if IS_CHECKOUT else _CODE))
    state = state_folder()
    os.environ["BENCHLEDGER_STATE"] = str(state)
    state.mkdir(parents=True, exist_ok=True)
