"""What reading a document has asked the vocabularies: the names looked up, and the texts searched for any known name.

It decides, when a vocabulary changes, which documents have to be read again; how is said in `changes.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar, cast

# Case is ignored as Python's patterns ignore it: four letters beyond ASCII match plain ones.
_PLAIN = str.maketrans({"\u017f": "s", "\u212a": "k", "\u0130": "i", "\u0131": "i"})
# `resnet50` and `v1` of `ResNet50-v1.5`: a run of letters and digits with a letter in it. Numbers alone are in any
# document and tell nothing.
_WORD = re.compile(r"(?<![a-z0-9])[0-9]*[a-z][a-z0-9]*")

F = TypeVar("F", bound=Callable[..., object])


@dataclass
class Asked:
    """What one document has asked.

    Attributes:
        names: (vocabulary, `key` of the printed name) of every look-up, answered or not.
        texts: Texts that were searched, by the list of words they were searched for.
    """

    names: set[tuple[str, str]] = field(default_factory=set)
    texts: dict[str, set[str]] = field(default_factory=dict)

    @property
    def words(self) -> set[str]:
        """The words of all texts searched."""
        # Most texts are searched for several lists; a line parts words as well as anything.
        return set(words_of("\n".join(set().union(*self.texts.values()))))


_asked: ContextVar[Asked | None] = ContextVar("asked", default=None)
_forget: list[Callable[[], None]] = []


def words_of(text: str) -> list[str]:
    """The runs of ASCII letters and digits that have a letter, in small letters."""
    return _WORD.findall(text.translate(_PLAIN).lower())


@contextmanager
def asking() -> Iterator[Asked]:
    """What is asked in this block, all of it: nothing that was found out before is remembered."""
    for forget in _forget:
        forget()
    asked = Asked()
    token = _asked.set(asked)
    try:
        yield asked
    finally:
        _asked.reset(token)


def note_name(kind: str, spelling: str) -> None:
    """A name is looked up."""
    if asked := _asked.get():
        asked.names.add((kind, spelling))


def note_text(words: str, text: str) -> None:
    """A text is searched for any of a list of words."""
    if asked := _asked.get():
        asked.texts.setdefault(words, set()).add(text)


def remembered(maxsize: int) -> Callable[[F], F]:
    """`lru_cache` for the length of one document: a longer one would hide what the next document asks."""

    def decorate(function: F) -> F:
        cached = lru_cache(maxsize)(function)
        _forget.append(cached.cache_clear)
        return cast(F, cached)

    return decorate


class WordPattern:
    """A pattern made of lists of words (`word_lists.py`): what it is searched for in is noted.

    Args:
        pattern: The compiled pattern.
        lists: Names of the lists.
    """

    def __init__(self, pattern: re.Pattern[str], *lists: str) -> None:
        self._pattern, self._lists = pattern, lists

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """As of `re.Pattern`."""
        self._note(text)
        return self._pattern.finditer(text)

    def search(self, text: str) -> re.Match[str] | None:
        """As of `re.Pattern`."""
        self._note(text)
        return self._pattern.search(text)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """As of `re.Pattern`."""
        self._note(text)
        return self._pattern.match(text, start)

    def _note(self, text: str) -> None:
        for words in self._lists:
            note_text(words, text)
