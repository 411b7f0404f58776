"""Which documents' evidence has held before: same bytes, same rows about them, same code. It need not be read again.

A document is known by the hash of its bytes, which every build takes anew; what is said of its places, by a digest.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.extract.corpus import code_fingerprint
from pipelines.extract.row_cache import write_rows

# By document, the digest of what is said of its places.
Digests = dict[str | None, str]

# Beside the tables of a warehouse folder; without it every document is opened.
PROOFS = Path("tables") / "evidence_that_holds.parquet"

_SCHEMA = pa.schema([("document_id", pa.string()), ("digest", pa.string())])


@cache
def _code() -> bytes:
    """Hash of all code that decides whether a place holds."""
    digest = hashlib.sha256(code_fingerprint().encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest().encode()


def proven(warehouse: Path) -> Digests:
    """The digests that this code has found to hold, by document; none when other code has written them."""
    path = warehouse / PROOFS
    if not path.exists():
        return {}
    rows = pq.read_table(path)
    if (rows.schema.metadata or {}).get(b"code") != _code():
        return {}
    return dict(zip(*(rows.column(name).to_pylist() for name in _SCHEMA.names), strict=True))


def remember_proofs(warehouse: Path, digests: Digests) -> None:
    """Keep the digests that hold, in place of those kept before."""
    rows = pa.table([[*digests], [*digests.values()]], schema=_SCHEMA.with_metadata({"code": _code()}))
    write_rows(warehouse / PROOFS, rows)
