"""The rows that documents give, read in a process of its own with the code of any commit.

Parent and child are this one file: the parent starts it with the folder of the code on
`PYTHONPATH`, sends a job as JSON and gets a line of JSON for each document. Comparing rows belongs
in `compare.py`.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import yaml

# A document of 3 MB is read in seconds; a pool as large as this fills the machine without swapping.
MAX_WORKERS = 4

# One row of a document, by column.
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Listed:
    """A document to be read.

    Attributes:
        label: What it is called in what is printed.
        path: Its file.
        format: Source format that its sidecar states, or None.
        mapping: File that says what its tables mean, or None.
    """

    label: str
    path: str
    format: str | None = None
    mapping: str | None = None

    @property
    def key(self) -> str:
        """Tells apart what is read differently: the bytes, the suffix by which they are opened, and
        the format.
        """
        path = Path(self.path)
        files = (
            sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
        )
        content = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
        return f"{content} {Path(self.path).suffix} {self.format or ''}"


@dataclass(frozen=True, slots=True)
class DocumentRows:
    """What one document gave.

    Attributes:
        rows: Its rows by kind.
        columns: Columns that the code knows, by kind of rows.
        error: Traceback where reading raised, else None.
    """

    rows: Mapping[str, Sequence[Row]]
    columns: Mapping[str, Sequence[str]]
    error: str | None = None


def list_raw(folder: Path) -> Iterator[Listed]:
    """Every document below a folder of stored documents, with the format that its sidecar states."""
    for sidecar in sorted(folder.glob("*/*/*/snapshot.yml")):
        for entry in yaml.safe_load(sidecar.read_text("utf-8"))["documents"]:
            path = sidecar.with_name(entry["file"])
            yield Listed(path.relative_to(folder).as_posix(), str(path), entry.get("format"))


def list_files(
    folder: Path, pattern: str, prefix: str = "", format: str | None = None
) -> Iterator[Listed]:
    """Every file below a folder that fits the pattern, apart from expectations and descriptions of
    them.
    """
    for path in sorted(folder.glob(pattern)):
        if path.is_file() and not path.name.endswith((".expected.csv", ".truth.csv", ".yml")):
            yield Listed(prefix + path.relative_to(folder).as_posix(), str(path), format)


def rows_of(
    documents: Sequence[Listed], code: Path, *, instead: str | None = None
) -> dict[str, DocumentRows]:
    """Rows of the documents by label, read by the code below the folder `code`.

    Args:
        documents: What is read.
        code: Folder that holds the package `pipelines`.
        instead: Module whose `extract(document, taken)` takes the place of the source format
            `results_page`.

    Raises:
        SystemExit: The reading process has ended with an error.
    """
    job = {"documents": [asdict(listed) for listed in documents], "instead": instead}
    environment = os.environ | {"PYTHONPATH": str(code)}
    child = subprocess.run(
        [sys.executable, __file__],
        input=json.dumps(job),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        cwd=code,
        env=environment,
    )
    if child.returncode:
        raise SystemExit(f"reading with the code in {code} failed")
    read = (json.loads(line) for line in child.stdout.splitlines())
    return {label: DocumentRows(**found) for label, found in read}


# The child


def _read(job: tuple[Listed, str | None]) -> tuple[str, dict[str, Any]]:
    from pipelines.extract.reading import StoredDocument, read_document
    from pipelines.extract.rows import ROW_KINDS

    listed, instead = job
    columns = {kind: list(row_class.__dataclass_fields__) for kind, row_class in ROW_KINDS.items()}
    _formats(instead)
    stored = StoredDocument("0" * 64, Path(listed.path), listed.format)
    if listed.mapping:
        stored = replace(stored, mapping=_mapping_file(Path(listed.mapping)))
    rows: dict[str, list[Row]] = {}
    error = None
    try:
        rows = read_document(stored).rows
    except Exception:
        # Code in the making may raise for one document; the others are compared all the same.
        error = traceback.format_exc()
    return listed.label, {"rows": rows, "columns": columns, "error": error}


def _mapping_file(path: Path) -> Any:
    from pipelines.extract.tables.entries import MappingFile

    return MappingFile(path, hashlib.sha256(path.read_bytes()).hexdigest())


def _formats(instead: str | None) -> dict[str, Any]:
    """The source formats, `results_page` replaced where another module is to take its place."""
    from pipelines.extract.contract import formats

    known: dict[str, Any] = formats()
    if instead and known["results_page"].extract is not importlib.import_module(instead).extract:
        old, new = known["results_page"], importlib.import_module(instead)
        # The same dictionary that the reading of documents goes through.
        known["results_page"] = SimpleNamespace(**vars(old) | {"extract": new.extract})
    return known


def _main() -> None:
    job = json.load(sys.stdin)
    import pipelines

    expected = Path(os.environ["PYTHONPATH"]).resolve()
    if expected not in Path(pipelines.__file__ or "").resolve().parents:
        raise SystemExit(f"read with {pipelines.__file__} in place of the code in {expected}")
    documents = [Listed(**listed) for listed in job["documents"]]
    # The longest first, so that none is left over at the end.
    documents.sort(
        key=lambda listed: (
            -Path(listed.path).stat().st_size * (5 if listed.path.endswith(".pdf") else 1)
        )
    )
    # Loaded before the pool forks, so that it is loaded once.
    _formats(job["instead"])
    jobs = [(listed, job["instead"]) for listed in documents]
    with ProcessPoolExecutor(min(MAX_WORKERS, os.cpu_count() or 1)) as pool:
        for answer in pool.map(_read, jobs):
            print(json.dumps(answer, default=str), flush=True)


if __name__ == "__main__":
    _main()
