"""Documents read again after a change: those it concerns, no others; the rows are those of a reading from nothing."""

from __future__ import annotations

import copy
import hashlib
import random
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import Ledger, PageMaker, forget_vocabularies
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipelines.extract.corpus import read_corpus, written_tables
from pipelines.extract.reading import StoredDocument, read_document
from pipelines.settings import PROJECT
from pipelines.vocabulary.lookup import KINDS, VocabularyError
from pipelines.warehouse import parquet_bytes, read_parts

FIXTURES = PROJECT / "tests" / "fixtures"
# A table, a deck, a post and a log, and a document that nothing reads.
PATHS = [
    FIXTURES / "results_page" / "tabs_serving.txt",
    FIXTURES / "results_page" / "tables_without_platform.txt",
    FIXTURES / "chart_deck" / "bars.txt",
    FIXTURES / "claim_prose" / "vendor_post.txt",
    FIXTURES / "training_log" / "device_headings.txt",
    FIXTURES / "claim_prose" / "no_benchmark.txt",
]
DOCUMENTS = [StoredDocument(hashlib.sha256(path.read_bytes()).hexdigest(), path, None) for path in PATHS]
LINES = sorted({line.strip() for path in PATHS for line in path.read_text("utf-8").split("\n") if 0 < len(line) < 60})
WORDS = sorted({word for path in PATHS for word in path.read_text("utf-8").split()})

Vocabularies = dict[str, list[dict[str, Any]]]


def read_vocabularies(folder: Path) -> Vocabularies:
    return {kind: yaml.load((folder / f"{kind}.yml").read_bytes(), Loader=yaml.CSafeLoader) for kind in KINDS}


def write_vocabularies(folder: Path, vocabularies: Vocabularies) -> None:
    for kind, entries in vocabularies.items():
        (folder / f"{kind}.yml").write_text(yaml.dump(entries, Dumper=yaml.CSafeDumper, allow_unicode=True), "utf-8")
    forget_vocabularies()


def rows_of(folder: Path) -> tuple[int, str]:
    """Documents read, and a hash over all rows of all documents."""
    corpus = read_corpus(DOCUMENTS, folder)
    digest = hashlib.sha256()
    for name, table in written_tables().items():
        digest.update(name.encode() + parquet_bytes(read_parts(corpus.files(name), table, corpus.counting)))
    return corpus.documents_read, digest.hexdigest()


def edit(vocabularies: Vocabularies, rng: random.Random) -> None:
    """Change one entry as people do, with words of the documents, so that they are concerned more often than not."""
    entries = vocabularies[rng.choice(KINDS)]
    entry = rng.choice(entries)
    printed = entry.setdefault("printed", [])
    match rng.choice(["drop", "spell", "rename", "fact", "remove", "new", "move"]):
        case "drop" if printed:
            printed.pop(rng.randrange(len(printed)))
        case "spell":
            printed.append(rng.choice([*LINES, *WORDS]))
        case "rename":
            entry["name"] += rng.choice([" X", "2", " (New)"])
        case "fact":
            for name in set(entry) - {"name", "printed", "printed_in"}:
                entry[name] = rng.choice([other[name] for other in entries if name in other])
        case "remove":
            entries.remove(entry)
        case "new":
            facts = {k: v for k, v in entry.items() if k not in ("printed", "printed_in")}
            entries.append(facts | {"name": rng.choice([*LINES, *WORDS])})
        case "move" if printed:
            rng.choice(entries).setdefault("printed", []).append(printed.pop())


def test_any_change_of_the_vocabularies_gives_the_rows_of_a_reading_from_nothing(
    vocabulary: Path, tmp_path: Path
) -> None:
    shipped = read_vocabularies(vocabulary)
    read, _ = rows_of(tmp_path / "kept")
    assert read == len(DOCUMENTS)
    seen: set[int] = set()

    @settings(max_examples=10, suppress_health_check=list(HealthCheck))
    @given(seed=st.integers(0, 10_000), edits=st.integers(1, 3))
    def changed(seed: int, edits: int) -> None:
        rng = random.Random(f"{seed} {edits}")
        vocabularies = copy.deepcopy(shipped)
        for _ in range(edits):
            edit(vocabularies, rng)
        write_vocabularies(vocabulary, vocabularies)
        try:
            cold = rows_of(tmp_path / f"cold-{len(seen)}-{seed}-{edits}")
        except VocabularyError:
            return
        again, rows = rows_of(tmp_path / "kept")
        seen.add(again)
        assert rows == cold[1]

    changed()
    assert min(seen) < len(DOCUMENTS)
    assert max(seen) > 0


def test_what_a_document_asks_does_not_depend_on_what_was_read_before() -> None:
    after_others = [read_document(document).asked for document in [*DOCUMENTS, *DOCUMENTS]][len(DOCUMENTS) :]
    for document, asked in zip(DOCUMENTS, after_others, strict=True):
        forget_vocabularies()
        alone = read_document(document).asked
        assert (alone.names, alone.texts) == (asked.names, asked.texts)


def test_a_new_heading_takes_up_just_the_table_that_prints_it(
    ledger: Ledger, page: PageMaker, vocabulary: Path
) -> None:
    def add_metric(entry: str) -> None:
        metrics = vocabulary / "metrics.yml"
        metrics.write_text(f"{metrics.read_text('utf-8')}- {entry}\n", "utf-8")
        forget_vocabularies()

    headings = ("Model", "Platform", "SDK Version", "Frobs", "Throughput (items/sec)")
    row = {"Throughput (items/sec)": "38,036", "Frobs": "12"}
    ledger.add(page([row], headings=(*headings[:3], headings[4])), "acme/plain", "2023-01-01", name="a.txt")
    ledger.add(page([row], headings=headings), "acme/frobs", "2023-01-01", name="b.txt")
    assert ledger.build().documents_read == 2
    add_metric("{name: grumble, unit: W, better: lower, printed: [Grumbles]}")
    assert ledger.build().documents_read == 0
    assert ledger.sql("select count(*) as n from resolved.results where metric = 'frobs'") == [{"n": 0}]
    add_metric("{name: frobs, unit: MAE, better: lower, printed: [Frobs]}")
    outcome = ledger.build()
    assert (outcome.documents_read, outcome.documents_known) == (1, 1)
    assert ledger.sql("select value from resolved.results where metric = 'frobs'") == [{"value": 12}]


def test_a_name_known_now_takes_up_the_post_that_mentions_it(vocabulary: Path, tmp_path: Path) -> None:
    post, other = tmp_path / "post.txt", tmp_path / "other.txt"
    post.write_text("Results\n\nThe frobnicator9 is 2.5x faster than the A100 at ResNet-50 training.\n")
    other.write_text("Results\n\nThe H100 is 2.5x faster than the A100 at ResNet-50 training.\n")
    documents = [StoredDocument(path.stem, path, "claim_prose") for path in (post, other)]
    assert read_corpus(documents, tmp_path / "kept").documents_read == 2
    platforms = vocabulary / "platforms.yml"
    platforms.write_text(f"{platforms.read_text('utf-8')}- {{name: Frobnicator9, vendor: Acme}}\n", "utf-8")
    forget_vocabularies()
    corpus = read_corpus(documents, tmp_path / "kept")
    assert (corpus.documents_read, corpus.documents_known) == (1, 1)


def test_another_stated_format_takes_up_that_document_only(tmp_path: Path) -> None:
    first, *others = DOCUMENTS
    assert read_corpus(DOCUMENTS, tmp_path).documents_read == len(DOCUMENTS)
    restated = StoredDocument(first.document_id, first.path, "claim_prose")
    corpus = read_corpus([restated, *others], tmp_path)
    assert (corpus.documents_read, corpus.documents_known) == (1, len(others))
    table = written_tables()["line_ledger"]
    rows = read_parts(corpus.files(table.name), table, corpus.counting)
    assert rows["document_id"].to_pylist().count(first.document_id) == len(first.path.read_text("utf-8").splitlines())


@pytest.mark.parametrize("leftover", ["done/*.parquet", "vocabulary.json", "line_ledger/*.parquet.partial"])
def test_what_a_broken_off_reading_leaves_is_made_good(tmp_path: Path, leftover: str) -> None:
    _, expected = rows_of(tmp_path)
    for path in tmp_path.glob(f"*/{leftover}"):
        path.unlink()
    (next(tmp_path.iterdir()) / "line_ledger" / "other.parquet.partial").write_bytes(b"half")
    _, rows = rows_of(tmp_path)
    assert rows == expected
    assert not list(tmp_path.rglob("*.partial"))
