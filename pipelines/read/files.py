"""Which file format a stored document has, by its suffix and its first characters, and the reader
that opens it.

A reader is a module of this room with `read(document) -> Document`, chosen in `_reader_of`; its
suffixes and their media types are in `suffixes.yml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import TypeVar

import re2

from pipelines.read.document import Document, ReadError
from pipelines.read.html import is_html
from pipelines.read.records import is_json
from pipelines.read.separated_values import is_separated
from pipelines.read.split_numbers import masked
from pipelines.read.submission import check_archive, is_packed, read_submission
from pipelines.read.text import check_characters, check_size, read_text, wrong_characters
from pipelines.read.workbook import check_workbook, is_workbook, read_workbook
from pipelines.sandbox import RefusedError, run_limited
from pipelines.settings import document_limits, reading_workers
from pipelines.values.numbers import parse_number
from pipelines.yaml_files import load_yaml

Answer = TypeVar("Answer")

# A PDF is recognised by its content; some servers put a few bytes before it.
_PDF_MARK, _PDF_HEAD = b"%PDF-", 1024
# Bytes at the beginning of a file that show whether it is text
_HEAD = 1 << 16
# A page or a table of some hundreds of rows tells what it is; twice as much pays for cutting it.
_BEGINNING = 1 << 16
# What can be read up to any row, with what a row begins or ends with: not JSON, a workbook, or a
# log, which ends with its results.
_ENDS_OF_ROWS = {"html": b"<tr", "markdown": b"\n", "separated_values": b"\n"}
# Formats that no reader knows yet, by suffix
_UNREAD = ("ipynb", "toml", "xml", "svg")
# `17544.1`, `v5.1`, `llama2-70b`
_WORD = re2.compile(r"[\w.+-]+")
# `.. csv-table:: Throughput`
_TABLE_DIRECTIVE = re.compile(r"\s*\.\.\s+(?:csv|list)-table::.*")
# How the rule below the headings of a drawn table begins: `+=======+====+`, `======  ====`
_RULES = ("+=", "==")
# The module of this room that reads a file, and its media type, by suffix
_FORMATS = load_yaml(Path(__file__).with_name("suffixes.yml"))


def open_file(
    path: Path, document_id: str, format: str | None = None, charset: str | None = None
) -> Document:
    """The document in a file, or in the folder or zip file of a submission; `charset` is the one
    named by the server.

    Raises:
        ReadError: The file cannot be turned into lines.
    """
    if path.is_dir() or is_packed(path):
        return read_submission(path, document_id, format)
    check_file(path, charset)
    return read_bytes(path.read_bytes(), path.name, document_id, format, charset)


def check_file(path: Path, charset: str | None = None) -> None:
    """Refuse a file that no reader can open, by its size and its first bytes.

    Raises:
        ReadError: `too_large`, `pdf_too_large`, `binary_content`, `bad_records` or `bad_archive`;
            the reason says what to do.
    """
    if is_packed(path):
        check_archive(path)
        return
    with path.open("rb") as file:
        head = file.read(_HEAD)
    size = path.stat().st_size
    if _PDF_MARK in head[:_PDF_HEAD]:
        from pipelines.read.pdf.reader import check_pdf_size

        check_pdf_size(size)
        return
    check_size(size)
    if is_workbook(head, _suffix(path.name)):
        check_workbook(path.read_bytes())
    else:
        check_characters(head, charset)


def read_bytes(
    content: bytes,
    name: str,
    document_id: str,
    format: str | None = None,
    charset: str | None = None,
) -> Document:
    """The document in these bytes; the suffix of `name` is used before the content.

    Raises:
        ReadError: The bytes cannot be turned into lines.
    """
    if _PDF_MARK in content[:_PDF_HEAD]:
        # Imported here: not needed for a build without PDFs.
        from pipelines.read.pdf.reader import read_pdf

        return read_pdf(content, document_id, format)
    if is_workbook(content, _suffix(name)):
        return read_workbook(content, document_id, format)
    document = read_text(content, document_id, format, charset)
    kind = _FORMATS.get(_suffix(name), (None, ""))[0] or _kind_of(document, name)
    if kind:
        document = replace(_reader_of(kind)(document), is_open_ended=False)
    else:
        document = replace(document, texts=tuple(map(masked, document.texts)))
    return replace(document, notes=(*document.notes, *wrong_characters(document)))


def _reader_of(kind: str) -> Callable[[Document], Document]:
    """The reader of a kind of file, imported here: most builds need few of the parsers."""
    match kind:
        case "separated_values":
            from pipelines.read.separated_values import read
        case "restructured_text":
            from pipelines.read.restructured_text import read
        case "markdown":
            from pipelines.read.markdown import read
        case "records":
            from pipelines.read.records import read
        case "sql":
            from pipelines.read.sql_dump import read
        case "yaml":
            from pipelines.read.records import read_yaml as read
        case _:
            from pipelines.read.html import read
    return read


def _suffix(name: str) -> str:
    return PurePath(name).suffix.lower()


def _kind_of(document: Document, name: str) -> str | None:
    """The file format that the content of a text shows.

    Raises:
        ReadError: `no_reader`, for TOML or XML.
    """
    text = "\n".join(document.texts)
    if is_html(text):
        return "html"
    if is_json(text):
        return "records"
    suffix = "xml" if text.lstrip().startswith("<?xml") else _suffix(name).removeprefix(".")
    if suffix in _UNREAD:
        numbers = sum(parse_number(word) is not None for word in _WORD.findall(text))
        reason = f"no reader knows {suffix.upper()} yet, so none of its {numbers:,} numbers is read; save its table as CSV"
        raise ReadError("no_reader", reason)
    if _is_restructured_text(document):
        return "restructured_text"
    return "separated_values" if is_separated(document) else None


def _is_restructured_text(document: Document) -> bool:
    """True for a text with a table of reStructuredText."""
    texts = [*document.texts]
    if any(map(_TABLE_DIRECTIVE.fullmatch, texts)):
        return True
    rules = {line for line, text in enumerate(texts) if text.lstrip().startswith(_RULES)}
    if not rules:
        return False
    # Imported here: rarely needed.
    from pipelines.read.restructured_tables import drawn_lines, read_drawn

    # Without a rule below its headings it is one that a program has printed.
    drawn = (lines for lines in drawn_lines(texts) if not rules.isdisjoint(lines))
    return any(read_drawn(texts, lines) for lines in drawn)


def media_type_of(name: str) -> str:
    """The media type of a file by its suffix; plain text if unknown."""
    return str(_FORMATS.get(_suffix(name), (None, "text/plain"))[1])


@contextmanager
def beginning_of(path: Path) -> Iterator[Path]:
    """A file with the first rows of a long page or table, for as long as the context lasts; the
    file itself where it is short, or can only be read whole.

    What the rows below say is not known then: who finds anything doubtful in the first rows has to
    look at the whole file.

    Args:
        path: A file, or the folder of a submission.
    """
    end_of_row = _ENDS_OF_ROWS.get(_FORMATS.get(_suffix(path.name), (None,))[0])
    if end_of_row is None or path.is_dir() or path.stat().st_size < 2 * _BEGINNING:
        yield path
        return
    with path.open("rb") as file:
        begun = file.read(_BEGINNING)
    end = begun.lower().rfind(end_of_row)
    with TemporaryDirectory() as folder:
        part = Path(folder) / path.name
        part.write_bytes(begun[: end + 1].removesuffix(b"<"))
        yield path if end < 0 or _PDF_MARK in begun[:_PDF_HEAD] else part


def ask_of(
    path: Path, charset: str | None, question: Callable[[Document], Answer]
) -> Answer | None:
    """What a function of a module finds in the lines of a file; None where they cannot be read
    within the limits.

    The file is stored all the same, and the build says why it is not read.
    """
    if reading_workers() == 0:
        return _answer(path, charset, question)
    try:
        found: Answer | None = run_limited(
            _answer, path, charset, question, limits=document_limits()
        )
    except RefusedError:
        return None
    return found


def why_unread(path: Path, charset: str | None) -> str:
    """Why a file cannot be read within the limits, with its line."""
    try:
        if reading_workers() == 0:
            return _fault(path, charset)
        return str(run_limited(_fault, path, charset, limits=document_limits()))
    except RefusedError as error:
        return error.reason


def _fault(path: Path, charset: str | None) -> str:
    try:
        open_file(path, "", charset=charset)
    except ReadError as error:
        return f"line {error.line}: {error.reason}"
    return ""


def _answer(
    path: Path, charset: str | None, question: Callable[[Document], Answer]
) -> Answer | None:
    try:
        return question(open_file(path, "", charset=charset))
    except ReadError:
        return None
