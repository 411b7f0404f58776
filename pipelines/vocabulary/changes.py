"""What has changed in the vocabularies, and whether a change concerns a document, by what the document has asked.

A look-up may answer otherwise when an entry came, went or says something else under the spelling asked for. A search
may find something else when a word came or went whose every part stands in a text searched.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pipelines.vocabulary.asked import words_of
from pipelines.vocabulary.lookup import KINDS, content, folded, load
from pipelines.vocabulary.word_lists import WORD_LISTS

# State of all vocabularies: spellings with a hash of what they mean, and the lists of words, each by name.
State = dict[str, Any]


@cache
def fingerprint() -> str:
    """Hash of the vocabulary files as this process reads them."""
    digest = hashlib.sha256()
    for kind in KINDS:
        digest.update(kind.encode() + b"\0" + content(kind) + b"\0")
    return digest.hexdigest()


def state() -> State:
    """What every spelling means now, and every list of words, ready for JSON."""
    return {
        "names": {
            kind: {
                json.dumps(place, ensure_ascii=False): _digest((entry.name, sorted(entry.facts.items())))
                for place, entry in {**folded(kind), **load(kind)}.items()
            }
            for kind in KINDS
        },
        "words": {name: sorted(words()) for name, words in WORD_LISTS.items()},
    }


@dataclass
class Changes:
    """What differs between two states.

    Attributes:
        names: (vocabulary, spelling) of every entry that came, went or says something else.
        words: By list, the parts of each word that came or went.
    """

    names: set[tuple[str, str]] = field(default_factory=set)
    words: dict[str, list[list[str]]] = field(default_factory=dict)

    def concern(self, names: Iterable[tuple[str, str]], lists: Collection[str], words: Iterable[str]) -> bool:
        """True when a document that has asked for these names, and searched texts of these words, may read otherwise.

        Args:
            names: (vocabulary, spelling) of its look-ups.
            lists: Lists of words that its texts were searched for.
            words: The words of these texts.
        """
        if not self.names.isdisjoint(names):
            return True
        text = " ".join(words)
        # A part may stand within a longer word: the `s` of a plural, the count of `8xH100`.
        return any(all(part in text for part in parts) for name in lists for parts in self.words.get(name, ()))


def changes_between(before: State, after: State) -> Changes:
    """The differences of two states."""
    changes = Changes()
    for kind in {*before["names"], *after["names"]}:
        old, new = before["names"].get(kind, {}), after["names"].get(kind, {})
        changes.names |= {(kind, json.loads(place)[0]) for place, _ in set(old.items()) ^ set(new.items())}
    for name in {*before["words"], *after["words"]}:
        changed = set(before["words"].get(name, ())) ^ set(after["words"].get(name, ()))
        changes.words[name] = [words_of(word) for word in sorted(changed)]
    return changes


def _digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]
