"""Whether two captures of a page say the same: what changes from one look to the next without any news is left out."""

from __future__ import annotations

import hashlib
import re

from pipelines.read.document import Document

_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
# Not `2048`, which is a batch.
_YEAR = r"20[0-3]\d"
_WEEKDAY = r"\b(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+)?"
_ANY_DATE = (
    # `2026-11-21`, `2026-11-21T09:30:00Z`, `2026/11/21`
    rf"(?:(?<![\w./-]){_YEAR}(?P<{{name}}>[-/])[01]?\d(?P={{name}})[0-3]?\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?(?![\w/-])"
    # `Tuesday, July 4, 2023`, `Jul 4th 2023`
    rf"|{_WEEKDAY}\b(?:{_MONTHS})[a-z]*\.?\s+\d{{{{1,2}}}}(?:st|nd|rd|th)?,?\s+20\d\d"
    # `4 Jul 2023`, `Sat, 21 Nov 2026`
    rf"|{_WEEKDAY}\b\d{{{{1,2}}}}(?:st|nd|rd|th)?\s+(?:{_MONTHS})[a-z]*\.?,?\s+20\d\d)"
)
# `09:30`, `9:30:15 AM UTC`
_TIME, _ZONE = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?", r"(?:\s*(?:am|pm|utc|gmt|[+-]\d{2}:?\d{2}))"
# A time to train is printed like the time of a day: behind a date that nothing announces it has to say which it is.
_DATE = re.compile(
    _ANY_DATE.format(name="sign") + rf"(?:,?\s+at\s+{_TIME}{_ZONE}*|,?\s+{_TIME}{_ZONE}+)?", re.IGNORECASE
)
_STATED_DATE = re.compile(
    r"(?P<word>\b(?:updated?|published|posted|modified|reviewed|changed|generated|built|created|as\s+of|date|stand)\b"
    r"\D{0,12}?(?<!\d))(?:(?:" + _ANY_DATE.format(name="same") +
    # `07/04/2023`, `21.11.2026`, `2026.11.21`; elsewhere `8/4/2048` may be a way to split a model
    rf"|\d{{1,2}}[-/.]\d{{1,2}}[-/.]{_YEAR}(?![\w.-])|{_YEAR}\.\d{{1,2}}\.\d{{1,2}}(?![\w.-]))(?:,?\s+(?:at\s+)?{_TIME}{_ZONE}*)?"
    # `Last modified: November 2026`, `Last reviewed 3 days ago`
    rf"|\b(?:{_MONTHS})[a-z]*\.?,?\s+20\d\d\b|\b\d{{1,3}}\s+(?:second|minute|hour|day|week|month|year)s?\s+ago\b)",
    re.IGNORECASE,
)
_VOLATILE = re.compile(
    # `© 2019-2026`, `Copyright 2026`, `© Acme Inc. 2026`
    rf"(?:\(c\)\s*(?:©\s*)?|(?:©|\bcopyright\b)[^\d|]{{0,40}}){_YEAR}\b(?:\s*[-–]\s*{_YEAR}\b)?"
    # `3f2b8c19-d07a-4f00-9abc-0123456789ab`
    r"|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
    # `3f2b8c19d07a`: a build number, a nonce, a request id
    r"|\b(?=[0-9a-f-]{0,64}\d)(?=[0-9a-f-]{0,64}[a-f])[0-9a-f]{12,}(?:-[0-9a-f]{4,})*\b"
    # `commit 3f2b8c1`, `Request ID: 8f14e45f`
    r"|\b(?:commit|revision|rev|request(?:\s+id)?|trace(?:\s+id)?|ray\s+id|nonce|session)[\s:#=]{1,3}"
    r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,}\b"
    # `Page generated in 0.123 seconds`; a picture may be, too, and that is a result
    r"|\bpage\s+(?:was\s+)?(?:generated|rendered|served|loaded)\s+in\s+\d+(?:\.\d+)?\s*(?:ms|milliseconds|s|sec|seconds)\b",
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
        text = _STATED_DATE.sub(r"\g<word><date>", line.text)
        text = _DATE.sub("<date>", text)
        words = " ".join(_VOLATILE.sub("<token>", text).split())
        if words:
            digest.update(words.encode("utf-8", "surrogatepass") + b"\n")
    for page in document.pages:
        for shape in page.shapes:
            corners = [round(number, 1) for point in (shape.box[:2], shape.box[2:], *shape.points) for number in point]
            digest.update(f"{page.number} {shape.kind} {corners}\n".encode())
    return digest.hexdigest()
