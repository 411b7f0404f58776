"""Whether two captures of a page say the same: what changes from one look to the next without any news is left out."""

from __future__ import annotations

import hashlib
import re

from pipelines.read.document import Document

_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
# `09:30`, ` at 09:30:15 UTC`; only right behind a date, as a time to train is printed the same way
_CLOCK = r"(?:,?\s+(?:at\s+)?\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s*(?:am|pm|utc|gmt|[+-]\d{2}:?\d{2}))*)?"
_DATE = re.compile(
    # `2026-11-21`, `2026-11-21T09:30:00Z`
    r"(?:\b20\d\d-[01]\d-[0-3]\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?"
    # `Tuesday, July 4, 2023`, `Jul 4th 2023`
    rf"|\b(?:[a-z]{{3,6}}day,?\s+)?(?:{_MONTHS})[a-z]*\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+20\d\d"
    # `4 Jul 2023`
    rf"|\b(?:[a-z]{{3,6}}day,?\s+)?\d{{1,2}}(?:st|nd|rd|th)?\s+(?:{_MONTHS})[a-z]*\.?,?\s+20\d\d)" + _CLOCK,
    re.IGNORECASE,
)
# `Last updated 07/04/2023 09:30`; elsewhere `8/4/2048` may be a way to split a model
_STATED_DATE = re.compile(
    r"(?P<word>\b(?:updated|published|modified|generated|built|created|as of)\b\D{0,12})\d{1,2}[-/.]\d{1,2}[-/.]20\d\d"
    + _CLOCK,
    re.IGNORECASE,
)
_VOLATILE = re.compile(
    # `© 2019-2026`, `Copyright 2026`
    r"(?:©|\(c\)|\bcopyright)\s*(?:©\s*)?20\d\d(?:\s*[-–]\s*20\d\d)?"
    # `3f2b8c19d07a`: a build number, a nonce, a request id
    r"|\b(?=[0-9a-f-]*\d)(?=[0-9a-f-]*[a-f])[0-9a-f]{12,}(?:-[0-9a-f]{4,})*\b",
    re.IGNORECASE,
)


def content_digest(document: Document) -> str:
    """Hash of what a document says; dates, times beside a date, copyright years and nonces do not count.

    Args:
        document: Its lines, in order, and what is drawn on its pages: a bar without a number is a value, too.
            Blank lines and the blanks within a line do not count either.
    """
    digest = hashlib.sha256()
    for line in document.lines:
        text = _DATE.sub("<date>", line.text)
        text = _STATED_DATE.sub(r"\g<word><date>", text)
        words = " ".join(_VOLATILE.sub("<token>", text).split())
        if words:
            digest.update(words.encode("utf-8", "surrogatepass") + b"\n")
    for page in document.pages:
        for shape in page.shapes:
            corners = [round(number, 1) for point in (shape.box[:2], shape.box[2:], *shape.points) for number in point]
            digest.update(f"{page.number} {shape.kind} {corners}\n".encode())
    return digest.hexdigest()
