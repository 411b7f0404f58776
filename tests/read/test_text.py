"""Characters: from bytes in any encoding to lines, which encoding counts, and places within lines."""

from __future__ import annotations

import codecs
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.read.document import Cell, Line, ReadError
from pipelines.read.files import read_bytes
from pipelines.read.text import MAX_BYTES, check_size, encoding_of, read_text

WORDS = "Caf\u00e9 \u2013 7,608 images/s"


def read(content: bytes, charset: str | None = None, name: str = "page.txt") -> str:
    return read_bytes(content, name, "0" * 64, None, charset).texts[0]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a\nb", ["a", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\rb\n\nc\n\n", ["a", "b", "", "c", ""]),
        ("a\u2028b\x0cc\x85d\n".encode(), ["a\u2028b\x0cc\x85d"]),
        (codecs.BOM_UTF8 + b"a\nb", ["a", "b"]),
        (codecs.BOM_UTF16_LE + "a\u00e9\nb".encode("utf-16-le"), ["a\u00e9", "b"]),
        (codecs.BOM_UTF16_BE + "a\nb".encode("utf-16-be"), ["a", "b"]),
        (b"22s 3ms/step\x08\x08\x08 done", ["22s 3ms/step\x08\x08\x08 done"]),
    ],
)
def test_lines(content: bytes, expected: list[str]) -> None:
    document = read_text(content, "0" * 64)
    assert list(document.texts) == expected
    assert [line.text for line in document.without({2})] == [*expected[:1], *expected[2:]]


@pytest.mark.parametrize(
    ("content", "rule", "line"),
    [
        (b"", "empty_document", 1),
        (b" \n\t\r\n", "empty_document", 1),
        (b"<html><body><script>load()</script></body></html>", "empty_document", 1),
        (b"<html>", "empty_document", 1),
        (b"%PDX-1.7\n" + bytes(range(32)) * 20, "binary_content", 1),
        (b"a\nb\ncaf\xe9\n", "wrong_encoding", 3),
        (b"<html>\n<p>Z\xfcrich</p>", "wrong_encoding", 2),
        (b"<html><meta charset='klingon'><p>caf\xe9</p>", "wrong_encoding", 1),
        (codecs.BOM_UTF16_LE + b"a\x00b", "wrong_encoding", 1),
    ],
)
def test_bytes_that_are_no_text_are_refused(content: bytes, rule: str, line: int) -> None:
    with pytest.raises(ReadError) as error:
        read(content)
    assert (error.value.rule, error.value.line) == (rule, line)


def test_a_file_that_is_too_large_is_refused() -> None:
    check_size(MAX_BYTES)
    with pytest.raises(ReadError, match="too_large"):
        check_size(MAX_BYTES + 1)


@given(st.text(min_size=1).filter(lambda text: text.strip()))
def test_every_character_is_on_one_line(text: str) -> None:
    if (
        re.search(r"[\x00-\x07\x0e-\x1a\x1c-\x1f]", text)
        or text.startswith("\ufeff")
        or not text.encode().strip()
    ):
        return
    document = read_text(text.encode(), "0" * 64)
    assert "\n".join(document.texts).rstrip("\n") == re.sub(r"\r\n?", "\n", text).rstrip("\n")
    assert all(
        document.line(number) == (number, line.text)
        for number, line in enumerate(document.lines, start=1)
    )


@pytest.mark.parametrize(
    ("encoding", "charset"),
    [
        ("cp1252", "windows-1252"),
        # What everybody calls Latin-1 is Windows-1252 on the web.
        ("cp1252", "ISO-8859-1"),
        ("cp1252", "us-ascii"),
        # Servers say it where nobody configured them.
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


@pytest.mark.parametrize(
    ("charset", "words"),
    [
        ("shift_jis", "\u6027\u80fd"),
        ("gb2312", "\u541e\u5410\u91cf"),
        ("euc-kr", "\uc131\ub2a5"),
        ("koi8-r", "\u041e"),
    ],
)
def test_other_scripts(charset: str, words: str) -> None:
    assert read(words.encode(charset), charset) == words


def test_an_encoding_that_does_not_fit_is_not_forced() -> None:
    for charset in ("shift_jis", "no-such-encoding"):
        with pytest.raises(ReadError, match="is not utf-8"):
            read(WORDS.encode("cp1252"), charset)
    assert encoding_of(WORDS.encode(), "iso-8859-1") == "utf-8"


def test_a_server_goes_before_the_page_and_a_mark_before_both() -> None:
    page = '<?xml version="1.0"?><html><meta charset="{}"><body>' + WORDS
    assert read(page.format("koi8-r").encode("cp1252"), "windows-1252", "page.html") == WORDS
    assert read(page.format("windows-1252").encode("cp1252"), None, "page.html") == WORDS
    assert (
        read(codecs.BOM_UTF8 + page.format("windows-1252").encode(), "koi8-r", "page.html") == WORDS
    )
    assert read(page.format("koi8-r").encode("utf-16"), None, "page.html") == WORDS


def test_places() -> None:
    line = Line(7, "  Time\u00a0to Train:\t23h 43m \u00a0")
    assert line.cell == Cell("Time\u00a0to Train:\t23h 43m", 7, 2, 24)
    match = re.search(r"(\d+)h", line.text)
    assert match is not None
    assert line.matched(match, 1) == Cell("23", 7, 17, 19)
    assert line.cell.part(0, 4) == Cell("Time", 7, 2, 6)
    assert Cell(" \u00a0", 1, 5, 7).stripped() == Cell("", 1, 5, 5)
    assert [Line(1, text).is_blank for text in (" \t", "\u00a0", "a")] == [True, True, False]


@pytest.mark.parametrize(
    ("name", "content", "format", "numbers"),
    [
        ("page.xml", "<a>3</a>", "XML", 1),
        ("page.txt", "<?xml version='1.0'?><result>12.5</result>", "XML", 2),
    ],
)
def test_data_is_no_text(name: str, content: str, format: str, numbers: int) -> None:
    with pytest.raises(
        ReadError, match=f"no reader knows {format} yet, so none of its {numbers} numbers"
    ) as raised:
        read_bytes(content.encode(), name, "0" * 64)
    assert raised.value.rule == "no_reader"


def test_text_that_begins_like_data_is_text() -> None:
    for text in (
        "[1] The H100 is 3x faster.",
        "{'loss': 0.1}",
        "[INFO] 12 ms",
        "[{'loss': 1.2}]",
        "[[1.5, 2.5]]\n12 ms",
        '["x" done]',
        '{"a": 1 truncated',
        "[1]\n\nThe H100",
        "<?xml version='1.0'?><html>3 ms</html>",
    ):
        assert read_bytes(text.encode(), "page.txt", "0" * 64).texts[0] != ""
