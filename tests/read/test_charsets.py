"""Which encoding counts where a server names one and the bytes say another."""

from __future__ import annotations

import codecs

import pytest

from pipelines.read.document import ReadError
from pipelines.read.files import read_bytes
from pipelines.read.text import in_utf8

WORDS = "Caf\u00e9 \u2013 7,608 images/s"


def read(content: bytes, charset: str | None, name: str = "page.txt") -> str:
    return read_bytes(content, name, "0" * 64, None, charset).lines[0].text


@pytest.mark.parametrize(
    ("encoding", "charset"),
    [
        ("cp1252", "windows-1252"),
        # What everybody calls Latin-1 is Windows-1252 on the web.
        ("cp1252", "ISO-8859-1"),
        ("cp1252", "us-ascii"),
        ("utf-8", "utf-8"),
        # Servers say it where nobody has told them.
        ("utf-8", "iso-8859-1"),
        ("utf-8", "utf-16"),
        ("utf-8", "no-such-encoding"),
        ("utf-8", "unicode_escape"),
        ("utf-8", None),
        ("utf-16-le", "utf-16le"),
        ("utf-16", "windows-1252"),
        ("utf-8-sig", "windows-1252"),
        ("utf-7", "utf-7"),
    ],
)
def test_the_encoding_that_fits_counts(encoding: str, charset: str | None) -> None:
    assert read(WORDS.encode(encoding), charset) == WORDS


@pytest.mark.parametrize("charset", ["shift_jis", "gb2312", "euc-kr", "koi8-r", "iso-2022-jp"])
def test_other_scripts(charset: str) -> None:
    words = {"koi8-r": "\u041e\u0431\u0443\u0447\u0435\u043d\u0438\u0435", "gb2312": "\u541e\u5410\u91cf"}.get(
        charset, "\uc131\ub2a5" if charset == "euc-kr" else "\u6027\u80fd"
    )
    assert read(words.encode(charset), charset) == words


def test_an_encoding_that_does_not_fit_is_not_forced() -> None:
    with pytest.raises(ReadError, match="is not utf-8"):
        read(WORDS.encode("cp1252"), "shift_jis")
    with pytest.raises(ReadError, match="is not utf-8"):
        read(WORDS.encode("cp1252"), "no-such-encoding")


def test_a_server_goes_before_the_page_and_a_mark_before_both() -> None:
    page = '<html><head><meta charset="{}"></head><body>' + WORDS + "</body></html>"
    assert read(page.format("koi8-r").encode("cp1252"), "windows-1252", "page.html") == WORDS
    assert read(page.format("windows-1252").encode("cp1252"), None, "page.html") == WORDS
    assert read(codecs.BOM_UTF8 + page.format("windows-1252").encode(), "koi8-r", "page.html") == WORDS


def test_bytes_that_need_no_help_are_the_same_bytes() -> None:
    content = WORDS.encode()
    assert in_utf8(content, "iso-8859-1") is content
    assert in_utf8(content, None) is content
