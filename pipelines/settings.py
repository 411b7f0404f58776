"""Default folders and settings, and their environment variables. No logic belongs here."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from pipelines.object_addresses import folder_of
from pipelines.sandbox import Limits, Refusal

_CODE = Path(__file__).resolve().parent
# The checkout around the code; of an installed package, the folder one works in.
IS_CHECKOUT = (_CODE.parent / "pyproject.toml").exists()
PROJECT = _CODE.parent if IS_CHECKOUT else Path.cwd()

# File names of the published warehouse and of the one before the last change of the results.
FILE_NAME = "benchmarks.duckdb"
PREVIOUS_FILE = "previous.duckdb"
# The mapping of a source and its draft; the last fits both, further drafts and a mapping that was
# replaced.
MAPPING_FILE, DRAFT_FILE, MAPPING_FILES = "mapping.yml", "mapping.draft.yml", "mapping*.yml"
# The first page of the site, below the folder of the warehouse.
START_PAGE = Path("site/index.html")
# What the site has written, so that nothing else in its folder is ever removed; the last file of a
# report.
SITE_LIST = START_PAGE.with_name(".files")

# Where documents are read unless a cluster is named.
LOCAL = "local"

# Why a document is refused that goes beyond its limits.
_LESS = "store only the part with the benchmarks, or increase"
_TOO_SLOW = Refusal(
    "time_limit", f"reading the document takes more than {{}}; {_LESS} BENCHLEDGER_DOCUMENT_SECONDS"
)
_TOO_LARGE = Refusal(
    "memory_limit", f"reading the document takes more than {{}}; {_LESS} BENCHLEDGER_DOCUMENT_MIB"
)
CRASHED = "reader_crashed"
_CRASHED = Refusal(CRASHED, "the reader crashed on the document ({}); report it")


def document_limits() -> Limits:
    """What reading one document may cost: opening it, all source formats, the accounting.

    The largest known documents take about two seconds. A PDF has limits of its own while it is
    opened.
    """
    seconds = int(os.environ.get("BENCHLEDGER_DOCUMENT_SECONDS", "60"))
    memory_mib = int(os.environ.get("BENCHLEDGER_DOCUMENT_MIB", "1536"))
    return Limits(seconds, memory_mib, 4, _TOO_SLOW, _TOO_LARGE, _CRASHED)


def build_memory_mib() -> int:
    """MiB that DuckDB takes in a build before it goes to the disk: 768, or
    `BENCHLEDGER_MEMORY_MIB`.
    """
    return int(os.environ.get("BENCHLEDGER_MEMORY_MIB", "768"))


def runs_by_itself() -> bool:
    """Whether schedule and sensor are on when the UI is first started: `BENCHLEDGER_FETCH=1`."""
    return os.environ.get("BENCHLEDGER_FETCH") == "1"


def reading_workers() -> int | None:
    """Processes that read documents, `BENCHLEDGER_WORKERS`; None for as many as make sense.

    With 0 the process itself reads them, as a debugger needs it, and no limit holds.
    """
    return int(os.environ["BENCHLEDGER_WORKERS"]) if "BENCHLEDGER_WORKERS" in os.environ else None


def cluster_address() -> str:
    """The Dask scheduler whose workers read documents, `BENCHLEDGER_CLUSTER`; else `local`: this
    machine does.
    """
    return os.environ.get("BENCHLEDGER_CLUSTER") or LOCAL


def raw_folder() -> Path:
    """Root of the stored documents: `BENCHLEDGER_RAW`, else `raw/` of the project."""
    return folder_of(os.environ.get("BENCHLEDGER_RAW", PROJECT / "raw"))


def warehouse_folder() -> Path:
    """Folder of tables and published file: `BENCHLEDGER_WAREHOUSE`, else `warehouse/` of the
    project.
    """
    return folder_of(os.environ.get("BENCHLEDGER_WAREHOUSE", PROJECT / "warehouse"))


def site_address() -> str | None:
    """Where the site is served, for links from Dagster: `BENCHLEDGER_SITE`, which `benchledger ui`
    sets; None if it is not set.
    """
    return os.environ.get("BENCHLEDGER_SITE") or None


def webhook() -> str | None:
    """The address that failed runs are reported to, `BENCHLEDGER_WEBHOOK`; None if it is not set."""
    return os.environ.get("BENCHLEDGER_WEBHOOK") or None


def lease_seconds() -> float:
    """How long a build in an object store holds its lock without renewing it:
    `BENCHLEDGER_LEASE_SECONDS`, else 60.
    """
    return float(os.environ.get("BENCHLEDGER_LEASE_SECONDS", 60))


def build_time() -> datetime:
    """The time of a build, UTC, to the second: now, or `SOURCE_DATE_EPOCH` for a build that can be
    made again.
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    moment = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    return moment.replace(microsecond=0, tzinfo=None)


def state_folder() -> Path:
    """Where Dagster keeps its record of runs: `BENCHLEDGER_STATE`, else `.dagster/` of the project."""
    return Path(os.environ.get("BENCHLEDGER_STATE", PROJECT / ".dagster"))


def prepare_instance() -> None:
    """Set the folder of Dagster's configuration, unless the environment does."""
    # The wheel has a copy of the checkout's `dagster.yaml`.
    os.environ.setdefault("DAGSTER_HOME", str(PROJECT if IS_CHECKOUT else _CODE))
    state = state_folder()
    os.environ["BENCHLEDGER_STATE"] = str(state)
    state.mkdir(parents=True, exist_ok=True)
