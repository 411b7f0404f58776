"""Columns about rejects, names, conflicts, counts and history."""

from __future__ import annotations

from pipelines.schemas.column import ID, LINE_ROLES, NUMERAL_STATUSES, SCOPES, Column

COLUMNS = (
    # rejects and names
    Column(
        "rule",
        "text",
        "short name of the rule that refused the row, or gave the line its role, or the numeral its status",
    ),
    Column("reason", "text", "what is wrong, in words"),
    Column(
        "scope",
        "text",
        "what was lost: a document, a page, a table, a row or a sentence; note where nothing is known to be",
        one_of=SCOPES,
    ),
    Column("row_json", "text", "the whole row or text that was refused, as JSON"),
    Column(
        "reject_id", "text", "hash of document, place, rule and row: the same reject in every build has it", pattern=ID
    ),
    Column("first_seen", "timestamp", "when a build first refused it, UTC"),
    Column("closed_at", "timestamp", "when a build first did without it, UTC"),
    Column(
        "closed_because",
        "text",
        "whether its document is gone, or read otherwise: a vocabulary, a rule, a correction or the code changed",
        one_of=("document_removed", "no_longer_refused"),
    ),
    Column("former_key", "text", "benchmark_key that an earlier build gave; results may still have it", pattern=ID),
    Column(
        "results",
        "integer",
        "printed places whose results went from the one key to the other",
        at_least=1,
        table="audit.renamed_keys",
    ),
    Column("table_name", "text", "full name of the table"),
    Column("column_name", "text", "name of the column"),
    Column("from_table", "text", "full name of a table that the column is made of"),
    Column("from_column", "text", "its column; null where its rows are counted"),
    Column("kind", "text", "kind of thing: of name, or of conflict"),
    Column("name_printed", "text", "name as printed"),
    Column("name", "text", "canonical name; null where no vocabulary knows the printed one"),
    Column("family", "text", "family of the model"),
    Column("comparable_as", "text", "name under which the model is compared with others; for comparison only"),
    Column(
        "price_terms",
        "text",
        "of a metric that is a price, what it is for: list, on demand, reserved",
        table="resolved.names",
    ),
    Column("is_family", "flag", "true where the printed model names only a family and the variant names the model"),
    Column("chips", "integer", "accelerator chips in one platform", at_least=1),
    Column("multiplier", "integer", "platforms stated before or behind the name, as in 8x H100", at_least=1),
    Column("version_printed", "text", "version printed behind the name, as in PyTorch 2.5"),
    Column("item", "text", "what one sample of the model is", table="resolved.names"),
    Column("better", "text", "direction in which the metric is a gain", one_of=("higher", "lower")),
    Column("occurrences", "integer", "rows that print the name", at_least=0),
    Column("suggestion", "text", "nearest known spelling; never applied"),
    # counts per document
    Column("lines", "integer", "lines of the document", at_least=0),
    # accounting
    Column("role", "text", "what the line is in its document", one_of=LINE_ROLES, table="audit.line_ledger"),
    Column("status", "text", "what became of the numeral", one_of=NUMERAL_STATUSES, table="audit.numerals"),
    Column("lines_unparsed", "integer", "lines that nothing could make sense of", at_least=0),
    Column("numerals", "integer", "numerals printed in the document", at_least=0),
    Column("numerals_extracted", "integer", "numerals that are extracted values", at_least=0),
    Column(
        "numerals_explained", "integer", "numerals that are conditions or names, or set aside by a rule", at_least=0
    ),
    Column("numerals_unparsed", "integer", "numerals that were not read", at_least=0),
    Column("marks_seen", "integer", "bars and points of drawn charts, stored or refused", at_least=0),
    Column("marks_stored", "integer", "bars and points that stand in resolved.chart_values", at_least=0),
    Column("marks_refused", "integer", "bars and points that the rejects of their chart count", at_least=0),
    # conflicts
    Column("left_evidence_id", "text", "place of the first value", pattern=ID),
    Column("right_evidence_id", "text", "place of the second value", pattern=ID),
    Column("left_value", "number", "first value, in the canonical unit"),
    Column("right_value", "number", "second value, in the canonical unit"),
    # marts
    Column(
        "status",
        "text",
        "how the value stands",
        one_of=("current", "superseded", "restated", "conflicting", "withdrawn", "third_party"),
    ),
    Column("stands", "flag", "true for the one row of a benchmark that main.current_results shows"),
    Column(
        "stands_in_release", "flag", "true for the one row of a benchmark and SDK release that main.sdk_progress uses"
    ),
    Column("first_published_on", "date", "first snapshot day that prints the value"),
    Column("last_published_on", "date", "last snapshot day that prints the value"),
    Column("documents", "integer", "documents concerned", at_least=1),
    Column("document_ids", "texts", "documents that print the value"),
    Column("superseded_versions", "texts", "SDK releases whose values this row stands for instead, newest first"),
    Column("sdk_from", "text", "earlier SDK release"),
    Column("sdk_to", "text", "later SDK release"),
    Column("value_from", "number", "value under the earlier release"),
    Column("value_to", "number", "value under the later release"),
    Column(
        "speedup", "number", "gain from the earlier to the later release; above 1 is better, for times too", at_least=0
    ),
)
