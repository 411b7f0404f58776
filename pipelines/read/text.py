"""Plain text files to `Document`. Other file formats have their own module beside this one."""

from __future__ import annotations

import codecs
import re

from pipelines.read.document import Document, Lines, ReadError

# A result page is some 30 kB, the longest training log seen some MB. What is larger is no benchmark page,
# and reading it would take memory from every other document of the build.
MAX_BYTES = 32 * 1024 * 1024

# Control characters that text files do hold: backspace (captured progress bars), tab, line feed, vertical tab,
# form feed (a page break), carriage return, escape (captured colours).
_CONTROL = re.compile(rb"[\x00-\x07\x0e-\x1a\x1c-\x1f]")

# More than this share of control characters is no text in any encoding.
_MAX_CONTROL_SHARE = 0.001

# `str.splitlines` would also split at form feeds and U+2028, which stand inside lines of text dumps.
_LINE_END = re.compile(r"\r\n|\n|\r")

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_text(content: bytes, document_id: str, format: str | None = None) -> Document:
    """The lines of a text file in UTF-8, or in UTF-16 with its byte order mark.

    Raises:
        ReadError: `empty_document`, `too_large`, `binary_content` or `wrong_encoding`; the reason says what to do.
    """
    if not content.strip():
        raise ReadError("empty_document", "the document holds no text; capture it again")
    check_size(len(content))
    text = _decode(content)
    lines = _LINE_END.split(text)
    is_open_ended = lines[-1] != ""
    if not is_open_ended:
        lines.pop()
    return Document(document_id, format, Lines(lines), is_open_ended=is_open_ended)


def check_size(size: int) -> None:
    """Refuse a file that is too large to be a benchmark page, before it is read.

    Raises:
        ReadError: `too_large`.
    """
    if size > MAX_BYTES:
        reason = f"{size:,} bytes are more than the {MAX_BYTES:,} allowed; add only the part with the benchmarks"
        raise ReadError("too_large", reason)


def _decode(content: bytes) -> str:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            try:
                return content.decode(encoding)
            except UnicodeDecodeError as error:
                raise _encoding_error(content, error) from error
    if len(_CONTROL.findall(content)) > len(content) * _MAX_CONTROL_SHARE:
        raise ReadError("binary_content", "the document is binary, not text; add the page's text or HTML instead")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _encoding_error(content, error) from error


def _encoding_error(content: bytes, error: UnicodeDecodeError) -> ReadError:
    line = content.count(b"\n", 0, error.start) + 1
    return ReadError(
        "wrong_encoding",
        f"byte {error.start} (0x{content[error.start]:02x}) is not {error.encoding}; "
        "save the document as UTF-8 and add that",
        line,
    )
