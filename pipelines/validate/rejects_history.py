"""What was refused, build after build: which rejects are open, since when, and which have closed.

The memory is the published warehouse: a cache that was thrown away, or a build that was broken off, changes nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

Row = dict[str, Any]

_LENGTH = 16


def identify(refused: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Refused rows with a `reject_id` each: the same document, place, rule and row give the same one in every build."""
    seen: Counter[str] = Counter()
    rows = []
    for row in refused:
        where = row["document_id"] or row["path"]
        place = (where, row["line"], row["char_start"], row["extractor"], row["rule"])
        text = json.dumps([*place, _without_nulls(row["row_json"])], ensure_ascii=False, default=str)
        # The same thing refused twice at one place, as far as can be told.
        seen[text] += 1
        digest = hashlib.sha256(f"{text} {seen[text]}".encode()).hexdigest()
        rows.append({"reject_id": digest[:_LENGTH], **row})
    return rows


def open_rejects(refused: Iterable[Mapping[str, Any]], before: Sequence[Row], now: datetime) -> list[Row]:
    """The rejects of this build, each with the time when a build first saw it.

    Args:
        refused: What this build refused, identified.
        before: The rejects that the published warehouse lists, open and closed.
        now: The time of this build, UTC.
    """
    first_seen = {row["reject_id"]: row["first_seen"] for row in before}
    return [{**row, "first_seen": first_seen.get(row["reject_id"], now)} for row in refused]


def closed_rejects(
    still_open: Iterable[Mapping[str, Any]], before: Sequence[Row], documents: Collection[str], now: datetime
) -> list[Row]:
    """The rejects of earlier builds that this one has no more, in the order in which they closed.

    Args:
        still_open: The rejects of this build.
        before: The rejects that the published warehouse lists, open and closed; only closed ones have `closed_at`.
        documents: The documents of this build.
        now: The time of this build, UTC.
    """
    ids = {row["reject_id"] for row in still_open}
    closed = [
        {
            **row,
            "closed_at": row.get("closed_at") or now,
            "closed_because": row.get("closed_because") or _cause(row, documents),
        }
        for row in before
        if row["reject_id"] not in ids
    ]
    return sorted(closed, key=lambda row: (row["closed_at"], row["path"] or "", row["line"] or 0, row["reject_id"]))


def _cause(row: Row, documents: Collection[str]) -> str:
    is_gone = row["extractor"] != "store" and row["document_id"] and row["document_id"] not in documents
    return "document_removed" if is_gone else "no_longer_refused"


def _without_nulls(row_json: str | None) -> Any:
    """The row as it is compared: a column that is new, and has no value yet, does not make it another row."""
    row = json.loads(row_json) if row_json else None
    return {name: value for name, value in sorted(row.items()) if value is not None} if isinstance(row, dict) else row
