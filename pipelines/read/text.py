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
# Control characters that text files do not hold. They do hold backspace (captured progress bars),
# tab, line feed, vertical tab, form feed (a page break), carriage return, escape (captured colours).
_CONTROL = [chr(code) for code in range(0x20) if code not in (8, 9, 10, 11, 12, 13, 0x1B)]
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
# Their bytes may look like UTF-8 and are not.
_SEVEN_BITS = ("utf-7", "iso2022_jp", "iso2022_kr", "hz")
# `<meta charset="utf-8">`,
# `<meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-1">`
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_HEAD = 4096
# A no-break space, a letter with an accent or a quote of UTF-8 read as Latin-1 or Windows-1252, and
# what replaces a character that could not be decoded or written
WRONG_CHARACTERS = re.compile(r"[\u00c2\u00c3][\u0080-\u00bf]|\u00e2[\u0080\u20ac]|\ufffd")


def read_text(
    content: bytes, document_id: str, format: str | None = None, charset: str | None = None
) -> Document:
    """The lines of a text file in any encoding; `charset` is the one named by the server.

    Raises:
        ReadError: `empty_document`, `too_large`, `binary_content` or `wrong_encoding`; the reason
            says what to do.
    """
    if not content.strip():
        raise ReadError("empty_document", "the document has no text; capture it again")
    check_size(len(content))
    encoding = check_characters(content, charset)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        byte = f"byte {error.start} (0x{content[error.start]:02x})"
        reason = f"{byte} is not {encoding}; save the document as UTF-8"
        line = content.count(b"\n", 0, error.start) + 1
        raise ReadError("wrong_encoding", reason, line) from error
    # `str.splitlines` would also split at form feeds and U+2028, which are inside lines of text
    # dumps.
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
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


def check_characters(content: bytes, charset: str | None) -> str:
    """The encoding of bytes that are text; the beginning of a file is enough.

    Raises:
        ReadError: `binary_content`, for bytes that are no text in any encoding.
    """
    encoding = encoding_of(content, charset)
    text = content.decode(encoding, "replace")
    if sum(map(text.count, _CONTROL)) > len(text) * _MAX_CONTROL_SHARE:
        reason = "the document is binary, not text; save a spreadsheet as XLSX or CSV, and a page as HTML, Markdown or PDF"
        raise ReadError("binary_content", reason)
    return encoding


def encoding_of(content: bytes, charset: str | None) -> str:
    """The encoding of a text: that of its byte order mark, else the one that is named and fits its
    bytes, else UTF-8.

    Bytes that are UTF-8 are taken as that, whatever was named: servers name ISO-8859-1 where nobody
    configured them, and no text in it is UTF-8 by chance.

    Args:
        content: The bytes of a document, as fetched.
        charset: As the server named it, or None; it goes before the one that a page of HTML states.
    """
    for mark, encoding in _MARKS.items():
        if content.startswith(mark):
            return encoding
    stated = _CHARSET.search(content[:_HEAD])
    for named in (charset, stated[1].decode("ascii") if stated else None):
        try:
            name = codecs.lookup(named or "").name
        except (LookupError, ValueError):
            continue
        is_wide = name.startswith(("utf-16", "utf-32")) and b"\0" in content
        if name in _SEVEN_BITS or is_wide or not _fits(content, "utf-8"):
            for meant in (_MEANT.get(name, name), name):
                if _fits(content, meant):
                    return meant
    return "utf-8"


def _fits(content: bytes, encoding: str) -> bool:
    try:
        # Some encodings decode what no other one can write.
        content.decode(encoding).encode("utf-8")
    except (UnicodeError, LookupError):
        return False
    return True


def wrong_characters(document: Document) -> tuple[Note, ...]:
    """One note with the first line whose characters were decoded with the wrong encoding; they are
    not repaired.
    """
    for number, text in enumerate(document.texts, start=1):
        if not text.isascii() and (match := WRONG_CHARACTERS.search(text)):
            reason = f"line {number} contains {match[0]!r}, a sign of a wrong encoding; such cells are not read"
            return (Note("wrong_characters", reason, None, "note"),)
    return ()
