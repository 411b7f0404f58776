"""Where things are unless a command or the environment says otherwise. No logic belongs here."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent

# Objects made before the young, the middle and all of them are looked through; Python's own are (700, 10, 10).
GARBAGE_THRESHOLDS = (50_000, 20, 100)


def raw_folder() -> Path:
    """Root of the stored documents: `BENCHLEDGER_RAW`, else `raw/` of the project."""
    return Path(os.environ.get("BENCHLEDGER_RAW", PROJECT / "raw"))


def warehouse_folder() -> Path:
    """Folder of tables and published file: `BENCHLEDGER_WAREHOUSE`, else `warehouse/` of the project."""
    return Path(os.environ.get("BENCHLEDGER_WAREHOUSE", PROJECT / "warehouse"))


def build_time() -> datetime:
    """The time of a build, UTC, to the second: now, or `SOURCE_DATE_EPOCH` for a build that can be made again."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    moment = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    return moment.replace(microsecond=0, tzinfo=None)


def prepare_instance() -> None:
    """Let Dagster find its configuration and keep its state out of git, unless the environment says otherwise."""
    os.environ.setdefault("DAGSTER_HOME", str(PROJECT))
    state = Path(os.environ.setdefault("BENCHLEDGER_STATE", str(PROJECT / ".dagster")))
    state.mkdir(parents=True, exist_ok=True)
