"""The bytes of a page in the encoding that its server named, as bytes that say themselves how they are encoded."""

from __future__ import annotations

import codecs

_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
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
_TWO_BYTES = ("utf-16", "utf-32")


def in_utf8(content: bytes, charset: str | None) -> bytes:
    """The same text in UTF-8 with its mark, or the bytes as they are where the charset says nothing of them.

    Bytes that are UTF-8 are taken as that, whatever was named: servers name ISO-8859-1 where nobody has told them, and
    no text in it is UTF-8 by chance. A charset that does not fit the bytes says nothing of them either.

    Args:
        content: The bytes of a document, as fetched.
        charset: As the server named it, or None.
    """
    if charset is None or content.startswith(_MARKS):
        return content
    try:
        name = codecs.lookup(charset).name.replace("_escape", "-escape")
    except (LookupError, ValueError):
        return content
    is_wide = name in _SEVEN_BITS or (name.startswith(_TWO_BYTES) and b"\0" in content)
    if name in _NO_CHARSETS or (not is_wide and _is_utf8(content)):
        return content
    for meant in (_MEANT.get(name, name), name):
        try:
            return codecs.BOM_UTF8 + content.decode(meant).encode("utf-8")
        except (UnicodeError, LookupError):
            continue
    return content


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
