"""The loader of all YAML: what it makes of a text, and what it refuses with the line."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from pipelines.settings import PROJECT
from pipelines.yaml_files import Fields, YamlError, load_yaml

TEXT = """\
precision: 16.10
On: yes
count: 12
ratio: 1e-3
sixty: 190:20:30
day: 2024-01-01
flag: true
quoted: "8"
nothing:
model: !ResNet-50 v1.5
tables:
- a: 1
- {b: [2, x]}
"""


def test_values_are_what_is_written_and_know_their_lines() -> None:
    with pytest.raises(YamlError, match="line 10: a tag"):
        load_yaml(TEXT)
    content = load_yaml(TEXT.replace("!", ""))
    assert content == {
        "precision": 16.1, "On": "yes", "count": 12, "ratio": 0.001, "sixty": "190:20:30", "day": "2024-01-01",
        "flag": True, "quoted": "8", "nothing": None, "model": "ResNet-50 v1.5",
        "tables": [{"a": 1}, {"b": [2, "x"]}],
    }  # fmt: skip
    content = load_yaml(TEXT, texts_only=True)
    written = {
        "precision": "16.10",
        "count": "12",
        "flag": "true",
        "nothing": "",
        "model": "!ResNet-50 v1.5",
    }
    assert {name: content[name] for name in written} == written
    assert (type(content), content.line, content.lines["tables"]) == (Fields, 1, 11)
    tables = content["tables"]
    assert (tables.lines, tables[1].line, tables[1].lines) == ({0: 12, 1: 13}, 13, {"b": 13})
    assert load_yaml("# nothing") is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: &x 1\nb: *x", r"line 1: an anchor \(`&name`\)"),
        ("b: *x", r"line 1: an alias \(`\*name`\)"),
        ("a: 1\n<<: {b: 1}", "line 2: a merge key"),
        ("a: 1\nb: 2\na: 3", "line 3: 'a' is given twice"),
        ("a: !!omap [a: 1]", "line 1: a tag"),
        ("? [a]\n: b", "line 1: a field name must be text"),
        ("a: 1\n---\nb: 2", "line 3: a second document"),
        ("a:\n" + "- " * 400 + "x", "line 2: nested more than 20 deep"),
        ("a: [1", "line 2: no YAML"),
        ("a: \0", "no YAML"),
        (b"a: 1\nb: \xff", "line 2: it is not UTF-8"),
        ("a: " + "x" * 200, "larger than 0 KB"),
    ],
)
@pytest.mark.parametrize("texts_only", [True, False])
def test_what_a_file_must_not_hold_is_named_with_its_line(
    text: str | bytes, reason: str, texts_only: bool
) -> None:
    with pytest.raises(YamlError, match=reason):
        load_yaml(text, most_bytes=100 if "xxx" in str(text) else 100_000, texts_only=texts_only)


def test_files_of_the_project_are_read_as_yaml_reads_them() -> None:
    files = sorted((PROJECT / "pipelines").rglob("*.yml"))
    assert len(files) > 10
    for path in files:
        assert load_yaml(path) == yaml.safe_load(path.read_text("utf-8")), path.name


def test_nothing_else_loads_yaml() -> None:
    loading = ("yaml.load", "yaml.safe_load", "yaml.parse", "yaml.compose")
    users = {
        path.name
        for path in (PROJECT / "pipelines").rglob("*.py")
        if any(map(path.read_text().count, loading))
    }
    # Stored documents have anchors, and each value its place.
    assert users == {"yaml_files.py", "records.py"}


def test_a_file_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(YamlError, match="it cannot be read: No such file"):
        load_yaml(tmp_path / "none.yml")
