from __future__ import annotations

import codecs
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.read.document import Cell, Line, ReadError
from pipelines.read.text import MAX_BYTES, check_size, read_text


def lines(content: bytes) -> list[str]:
    return [line.text for line in read_text(content, "0" * 64).lines]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a\nb", ["a", "b"]),
        (b"a\nb\n", ["a", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\rb\n\nc", ["a", "b", "", "c"]),
        (b"a\n\n", ["a", ""]),
        ("a\u2028b\x0cc\x85d\n".encode(), ["a\u2028b\x0cc\x85d"]),
        (codecs.BOM_UTF8 + b"a\nb", ["a", "b"]),
        (codecs.BOM_UTF16_LE + "a\u00e9\nb".encode("utf-16-le"), ["a\u00e9", "b"]),
        (codecs.BOM_UTF16_BE + "a\nb".encode("utf-16-be"), ["a", "b"]),
        (b"22s 3ms/step\x08\x08\x08 done", ["22s 3ms/step\x08\x08\x08 done"]),
    ],
)
def test_lines(content: bytes, expected: list[str]) -> None:
    assert lines(content) == expected


@pytest.mark.parametrize(
    ("content", "rule", "line"),
    [
        (b"", "empty_document", 1),
        (b" \n\t\r\n", "empty_document", 1),
        (b"%PDF-1.7\n" + bytes(range(32)) * 20, "binary_content", 1),
        (b"a\nb\ncaf\xe9\n", "wrong_encoding", 3),
        (codecs.BOM_UTF16_LE + b"a\x00b", "wrong_encoding", 1),
    ],
)
def test_what_is_no_text_is_told(content: bytes, rule: str, line: int) -> None:
    with pytest.raises(ReadError) as error:
        read_text(content, "0" * 64)
    assert (error.value.rule, error.value.line) == (rule, line)
    assert len(error.value.reason) > 20


def test_a_file_that_is_too_large_is_refused() -> None:
    check_size(MAX_BYTES)
    with pytest.raises(ReadError, match="too_large"):
        check_size(MAX_BYTES + 1)


@given(st.text(min_size=1).filter(lambda text: text.strip()))
def test_every_character_stands_on_one_line(text: str) -> None:
    if re.search(r"[\x00-\x07\x0e-\x1a\x1c-\x1f]", text) or text.startswith("\ufeff") or not text.encode().strip():
        return
    document = read_text(text.encode(), "0" * 64)
    assert [line.number for line in document.lines] == list(range(1, len(document.lines) + 1))
    printed = "\n".join(line.text for line in document.lines)
    assert printed.rstrip("\n") == re.sub(r"\r\n?", "\n", text).rstrip("\n")
    assert all(document.line(line.number) == line for line in document.lines)


def test_places() -> None:
    line = Line(7, "  Time\u00a0to Train:\t23h 43m \u00a0")
    assert line.cell == Cell("Time\u00a0to Train:\t23h 43m", 7, 2, 24)
    match = re.search(r"(\d+)h", line.text)
    assert match is not None
    found = line.matched(match, 1)
    assert (line.text[found.start : found.end], found.line) == ("23", 7)
    assert line.cell.part(0, 4) == Cell("Time", 7, 2, 6)
    assert Cell(" \u00a0", 1, 5, 7).stripped() == Cell("", 1, 5, 5)
    again = re.search("Train", line.cell.text)
    assert again is not None
    assert line.cell.matched(again).start == line.text.index("Train")


def test_blank_and_empty_lines_differ() -> None:
    assert [(Line(1, text).is_empty, Line(1, text).is_blank) for text in ("", " \t", "\u00a0", "a")] == [
        (True, True),
        (True, True),
        (False, True),
        (False, False),
    ]


def test_lines_that_are_taken_are_left_out() -> None:
    document = read_text(b"a\nb\nc", "0" * 64)
    assert [line.text for line in document.without({2})] == ["a", "c"]
