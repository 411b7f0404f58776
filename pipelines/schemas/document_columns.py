"""Columns about documents and printed places."""

from __future__ import annotations

from pipelines.schemas.column import ID, SHA256, Column

COLUMNS = (
    # documents
    Column("document_id", "text", "sha256 of the stored bytes, in hex", pattern=SHA256),
    Column("source", "text", "publisher/source, the two folders under raw/", pattern=r"^[^/]+/[^/]+$"),
    Column("publisher", "text", "who published the document"),
    Column(
        "interest",
        "text",
        "the publisher's interest in the result",
        one_of=("vendor", "competitor", "independent", "unknown"),
    ),
    Column("title", "text", "title of the source"),
    Column(
        "round",
        "text",
        "round of a benchmark suite that the title or the name of the source says: v1.0",
        pattern=r"^v\d+\.\d+$",
    ),
    Column("url", "text", "address the source was captured from"),
    Column("format", "text", "source format: what reads the document first"),
    Column("media_type", "text", "media type of the stored bytes"),
    Column("charset", "text", "encoding of the bytes as their server named it; null where it named none"),
    Column("published_on", "date", "day of publication, as the document or its sidecar says"),
    Column("retrieved_at", "timestamp", "when the bytes were captured, UTC"),
    Column(
        "edition",
        "text",
        "original as captured, or facts: our own words around the same facts",
        one_of=("original", "facts"),
    ),
    Column("bytes", "integer", "size of the stored document in bytes", at_least=0),
    Column("path", "text", "path of the stored document below raw/"),
    Column("snapshot_on", "date", "day of snapshot_at"),
    Column(
        "snapshot_at",
        "timestamp",
        "what orders the snapshots of a source: when a fetched page was seen to begin to read so, UTC (the last time, "
        "where it returned to it); of an added one the day of publication, else the day of retrieval",
    ),
    Column(
        "mapping_sha256",
        "text",
        "sha256 of the mapping.yml that says what the tables of its source mean; null where there is none in use",
        pattern=SHA256,
    ),
    # places
    Column("line", "integer", "line the value itself is printed on, from 1", at_least=1),
    Column("char_start", "integer", "first character within the line, from 0", at_least=0),
    Column("char_end", "integer", "one past the last character within the line", at_least=0),
    Column("page", "integer", "page of a paged document, from 1; null for text", at_least=1),
    Column("x0", "number", "left edge of the printed box in points; null for text"),
    Column("top", "number", "upper edge of the printed box in points; null for text"),
    Column("x1", "number", "right edge of the printed box in points; null for text"),
    Column("bottom", "number", "lower edge of the printed box in points; null for text"),
    Column("text_printed", "text", "the printed characters themselves"),
    Column("extractor", "text", "source format whose reader found the row"),
    Column("section", "text", "heading that the place stands under, as printed"),
    Column("section_line", "integer", "line of that heading; the rows of one slide or table share it", at_least=1),
    Column("row_line", "integer", "first line of the table row; measurements of one row share it", at_least=1),
    Column("evidence_id", "text", "identifier of the printed place", pattern=ID),
)
