"""The characters of a file: from bytes in any encoding to the lines of a plain text `Document`.

Other file formats have their own module beside this one.
"""

from __future__ import annotations

import codecs
import re

from pipelines.read.document import Document, Note, ReadError

# A result page is some 30 kB, the longest training log seen some MB. What is larger is no benchmark
# page, and reading it would take memory from every other document of the build.
MAX_BYTES = 32 * 1024 * 1024
# Control characters that text files do hold: backspace (captured progress bars), tab, line feed,
# vertical tab, form feed (a page break), carriage return, escape (captured colours).
_CONTROL = bytes({*range(0x20)} - {0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1B})
# More than this share of control characters is no text in any encoding.
_MAX_CONTROL_SHARE = 0.001
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Names that say one encoding on the web and mean a larger one (https://encoding.spec.whatwg.org).
_MEANT = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
# Known to Python, and no encoding of a page.
_NO_CHARSETS = ("idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined")
# Their bytes may look like UTF-8 and are not.
_SEVEN_BITS = ("utf-7", "iso2022_jp", "iso2022_kr", "hz")
# A no-break space, a letter with an accent or a quote of UTF-8 read as Latin-1 or Windows-1252, and
# what replaces a character that could not be decoded or written
WRONG_CHARACTERS = re.compile(r"[\u00c2\u00c3][\u0080-\u00bf]|\u00e2[\u0080\u20ac]|\ufffd")


def read_text(content: bytes, document_id: str, format: str | None = None) -> Document:
    """The lines of a text file in UTF-8, or in UTF-16 with its byte order mark.

    Raises:
        ReadError: `empty_document`, `too_large`, `binary_content` or `wrong_encoding`; the reason
            says what to do.
    """
    if not content.strip():
        raise ReadError("empty_document", "the document has no text; capture it again")
    check_size(len(content))
    check_characters(content)
    encoding = encoding_of_mark(content)
    # `str.splitlines` would also split at form feeds and U+2028, which are inside lines of text
    # dumps.
    lines = (
        decode(content, encoding or "utf-8").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    )
    is_open_ended = lines[-1] != ""
    if not is_open_ended:
        lines.pop()
    return Document(document_id, format, tuple(lines), is_open_ended=is_open_ended)


def check_size(size: int) -> None:
    """Refuse a file that is too large to be a benchmark page, before it is read.

    Raises:
        ReadError: `too_large`.
    """
    if size > MAX_BYTES:
        reason = f"{size:,} bytes are more than the {MAX_BYTES:,} allowed; add only the part with the benchmarks"
        raise ReadError("too_large", reason)


def check_characters(content: bytes) -> None:
    """Refuse bytes that are no text in any encoding; the beginning of a file is enough.

    Raises:
        ReadError: `binary_content`.
    """
    controls = len(content) - len(content.translate(None, _CONTROL))
    if controls > len(content) * _MAX_CONTROL_SHARE and encoding_of_mark(content) is None:
        reason = "the document is binary, not text; save a spreadsheet as CSV, and a page as HTML, Markdown or PDF"
        raise ReadError("binary_content", reason)


def encoding_of_mark(content: bytes) -> str | None:
    """The encoding that a byte order mark states, or None without one."""
    return next((encoding for mark, encoding in _MARKS.items() if content.startswith(mark)), None)


def decode(content: bytes, encoding: str) -> str:
    """The text of these bytes.

    Raises:
        ReadError: `wrong_encoding`, with the line of the first byte that does not fit.
    """
    try:
        return content.decode(encoding)
    except LookupError as error:
        raise ReadError(
            "wrong_encoding", f"the page states the encoding {encoding!r}, which does not exist"
        ) from error
    except UnicodeDecodeError as error:
        reason = f"byte {error.start} (0x{content[error.start]:02x}) is not {encoding}; save the document as UTF-8"
        raise ReadError(
            "wrong_encoding", reason, content.count(b"\n", 0, error.start) + 1
        ) from error


def in_utf8(content: bytes, charset: str | None) -> bytes:
    """The same text in UTF-8 with its mark, or the bytes unchanged if the charset does not apply.

    Bytes that are UTF-8 are taken as that, whatever was named: servers name ISO-8859-1 where nobody
    configured them, and no text in it is UTF-8 by chance. A charset that does not fit the bytes
    says nothing of them either.

    Args:
        content: The bytes of a document, as fetched.
        charset: As the server named it, or None.
    """
    if charset is None or encoding_of_mark(content):
        return content
    try:
        name = codecs.lookup(charset).name.replace("_escape", "-escape")
    except (LookupError, ValueError):
        return content
    is_wide = name in _SEVEN_BITS or (name.startswith(("utf-16", "utf-32")) and b"\0" in content)
    if name in _NO_CHARSETS or (not is_wide and _decoded(content, "utf-8") is not None):
        return content
    for meant in (_MEANT.get(name, name), name):
        if (text := _decoded(content, meant)) is not None:
            return codecs.BOM_UTF8 + text.encode("utf-8")
    return content


def _decoded(content: bytes, encoding: str) -> str | None:
    try:
        text = content.decode(encoding)
        # Some encodings decode what no other one can write.
        text.encode("utf-8")
    except (UnicodeError, LookupError):
        return None
    return text


def wrong_characters(document: Document) -> tuple[Note, ...]:
    """One note with the first line whose characters were decoded with the wrong encoding; they are
    not repaired.
    """
    for number, text in enumerate(document.texts, start=1):
        if not text.isascii() and (match := WRONG_CHARACTERS.search(text)):
            reason = f"line {number} contains {match[0]!r}, a sign of a wrong encoding; such cells are not read"
            return (Note("wrong_characters", reason, None, "note"),)
    return ()
