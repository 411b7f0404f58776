"""INSERT statements of SQL as tables."""

from __future__ import annotations

import pytest

from pipelines.read.document import ReadError
from pipelines.read.files import read_bytes

DUMP = """-- it's a dump; of "results"
CREATE TABLE IF NOT EXISTS test (
  model TEXT,
  "avg ts" REAL
);
INSERT INTO test (model, "avg ts") VALUES ('a (b), c;', '12.5'), ('it''s', NULL);
insert into test(model, "avg ts")
values ('d', 7e3);
INSERT INTO other (n) VALUES (1);
"""


def test_statements_with_the_same_columns_are_one_table() -> None:
    first, other = read_bytes(DUMP.encode(), "x.sql", "0" * 64).grids
    assert first.texts == (
        ("model", "avg ts"),
        ("a (b), c;", "12.5"),
        ("it''s", ""),
        ("d", "7e3"),
    )
    assert other.texts == (("n",), ("1",))
    for row in first.rows:
        for cell in row:
            assert DUMP.splitlines()[cell.line - 1][cell.start : cell.end] == cell.text


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("create table t (a);\ninsert into t (a) values ('1')", 2, "no `;` at its end"),
        ("insert into t (a)\nvalues ('1);", 2, "not closed in its line"),
        ("insert into t values (1), (2);", 1, "names no columns"),
        ("insert into t (a, b) values (1);", 1, "1 values for 2 columns"),
        ("insert into t;", 1, "names no columns"),
    ],
)
def test_a_statement_that_is_no_table_is_refused(text: str, line: int, reason: str) -> None:
    with pytest.raises(ReadError, match=reason) as raised:
        read_bytes(text.encode(), "x.sql", "0" * 64)
    assert (raised.value.rule, raised.value.line) == ("bad_records", line)
