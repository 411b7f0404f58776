"""Characters that stand where others were, as a text was decoded with the wrong encoding. They are not repaired."""

from __future__ import annotations

import re

from pipelines.read.document import Document, Note

# A no-break space, a letter with an accent or a quote of UTF-8 read as Latin-1 or Windows-1252, and what stands for a
# character that could not be decoded or written
WRONG_CHARACTERS = re.compile(r"[\u00c2\u00c3][\u0080-\u00bf]|\u00e2[\u0080\u20ac]|\ufffd")


def wrong_characters(document: Document) -> tuple[Note, ...]:
    """One note with the first line that holds such characters; none for a sound document."""
    if all(map(str.isascii, document.texts)):
        return ()
    for line in document.lines:
        if not line.text.isascii() and (match := WRONG_CHARACTERS.search(line.text)):
            what = f"line {line.number} holds {match[0]!r}, which stands for another character"
            reason = f"{what}; cells with such are not read"
            return (Note("wrong_characters", reason, None, "note"),)
    return ()
