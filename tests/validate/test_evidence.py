"""The evidence check: it passes what is printed, and finds every wrong place and every wrong value."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import Ledger, PageMaker, Rows

from pipelines.extract import reading
from pipelines.extract.reading import FoundRow, StoredDocument, read_document
from pipelines.run.document_tables import check_evidence_of
from pipelines.run.up_to_date import distrust
from pipelines.settings import PROJECT
from pipelines.validate.evidence import check
from pipelines.validate.evidence.check import KINDS, Checked, check_evidence
from pipelines.validate.evidence.parser import measured, ranges
from pipelines.validate.evidence.places import Place
from pipelines.validate.evidence.readings import Row
from pipelines.values import numbers
from pipelines.values.quantity import Quantity
from pipelines.vocabulary.lookup import entries
from pipelines.warehouse.reader import FILE_NAME

PATH = "acme/results/2023-01-01/page.txt"
TABLE_OF = {"measurements": "results", "runs": "training_runs", "epochs": "training_epochs"}

# Prose with every form of a factor, a number, a time and a price; a line break may stand inside.
SENTENCES = (
    "The IPU-M2000 delivers 2.6x higher throughput than the A100.",
    "The IPU-M2000 delivers over 13x higher throughput than the A100.",
    "The IPU-M2000 delivers >60x higher throughput than the A100.",
    "The IPU-M2000 delivers 31% higher throughput than the A100.",
    "The IPU-M2000 delivers up to 45% lower latency than the A100.",
    "The IPU-M2000 delivers up to ~3x higher throughput than the A100.",
    "The IPU-M2000 is twice as fast as the A100 in BERT training.",
    "The IPU-M2000 is two to three times as fast as the A100 in BERT training.",
    "The IPU-M2000 delivers five times higher throughput than the A100.",
    "The IPU-M2000 delivers triple the throughput of the A100.",
    "The IPU-M2000 delivers 2x-3x higher throughput than the A100.",
    "The IPU-M2000 delivers between 2x and 3x higher throughput than the A100.",
    "The IPU-M2000 delivers approximately 20% to 80% higher throughput than the A100.",
    "The IPU-M2000 delivers about 20%-80% higher throughput than the A100.",
    "The IPU-M2000 delivers between roughly 2x and 3x higher throughput than the A100.",
    "The IPU-M2000 delivers &gt;60x higher throughput than the A100.",
    "The IPU-M2000 delivers 4&times; higher throughput than the A100.",
    "The IPU-M2000 delivers 3x or more higher throughput than the A100.",
    "BERT latency on the IPU-M2000 fell 2.3x.",
    "On the IPU-POD16 the time-to-train of BERT is 14.5 minutes.",
    "On the IPU-POD16 the time-to-train of BERT is just over 9 minutes.",
    "On the IPU-POD16 the time-to-train of BERT is 1 hour and\n30 minutes.",
    "ResNet-50 training on the IPU-POD16 reaches 58,112 images per second.",
    "ResNet-50 training on the IPU-POD16 reaches around 1.2 million images per second.",
    "ResNet-50 training on the IPU-POD16 reaches 58 k images/s.",
    "The list price of the IPU-POD16 is $149,995.",
    "The list price of the IPU-POD64 is about US$2 million.",
)  # fmt: skip


def tables_of(
    text: str, folder: Path, format: str
) -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]]]:
    """Evidence and rows by table, as a document gives them; canonical platforms are left out."""
    path = folder / PATH
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    evidence: dict[str, dict[str, Any]] = {}
    tables: dict[str, list[dict[str, Any]]] = {name: [] for name in KINDS}
    for kind, rows in read_document(StoredDocument("d", path, format)).rows.items():
        for row in rows:
            key = f"{row['line']}:{row['char_start']}"
            assert kind != "rejects", row
            evidence[key] = row | {"evidence_id": key}
            named = row | {"evidence_id": key, "value_printed": row["text_printed"]}
            tables[f"resolved.{TABLE_OF.get(kind, kind)}"].append(named)
    return list(evidence.values()), tables


def checked(
    evidence: list[dict[str, Any]], tables: dict[str, list[dict[str, Any]]], folder: Path
) -> Checked:
    return check_evidence(
        evidence,
        tables,
        [{"document_id": "d", "path": PATH, "format": None, "charset": None}],
        folder,
    )


def raw_of(ledger: Ledger) -> Path:
    return ledger.raw if any(ledger.raw.iterdir()) else PROJECT / "raw"


def test_all_evidence_of_the_five_documents_holds(both: Ledger) -> None:
    found = check_evidence_of(both.tables(), raw_of(both))
    assert found.faults == []
    assert [{"n": found.documents}] == both.sql("select count(*) as n from raw.documents")
    assert [{"n": found.places}] == both.sql("select count(*) as n from resolved.evidence")
    repeats = both.sql("select sum(len(repeat_evidence_ids)) as n from resolved.claims")[0]["n"]
    for name, kind in KINDS.items():
        said = f"distinct ({', '.join(kind.columns)})" if kind.is_repeated else "evidence_id"
        [count] = both.sql(f"select count({said}) as n from {name} where evidence_id is not null")
        assert found.rows[name] == count["n"] + (repeats if name == "resolved.claims" else 0)
        # The originals are text, in which no chart is drawn; their readers give no conditions.
        assert found.rows[name] > 0 or name in (
            "resolved.chart_values",
            "resolved.result_conditions",
        )


@pytest.mark.parametrize("sentence", SENTENCES)
def test_every_form_holds_and_no_other_value_does(sentence: str, tmp_path: Path) -> None:
    evidence, tables = tables_of(sentence, tmp_path, "claim_prose")
    # Of a change (`from 12 to 9 minutes`) the new value is a result as well.
    assert sum(map(len, tables.values())) == 1 + ("fell from" in sentence)
    assert checked(evidence, tables, tmp_path).faults == []
    columns = ("value", "factor", "_usd", "_low", "_high")
    changed = 0
    for name, rows in tables.items():
        for column in [
            c for row in rows for c in row if c.endswith(columns) and c in KINDS[name].columns
        ]:
            wrong = {**tables, name: [row | {column: row[column] + 0.01} for row in rows]}
            if wrong[name] != rows:
                changed += 1
                [fault] = checked(evidence, wrong, tmp_path).faults
                assert (
                    f"{PATH} line 1: {rows[0]['text_printed']!r} in {name}: the text gives" in fault
                )
    assert changed >= 2


@pytest.mark.parametrize("metadata", ['{"status": "success"}', "null"])
def test_times_with_more_digits_than_a_number_keeps_hold(tmp_path: Path, metadata: str) -> None:
    events = [
        ("1592943722304.853516", "run_start", "{}"),
        ("1592943782304.031250", "run_stop", metadata),
    ]
    lines = [
        f':::MLLOG {{"time_ms": {time}, "key": "{key}", "metadata": {said}}}\n'
        for time, key, said in events
    ]
    evidence, tables = tables_of("".join(lines), tmp_path, "mlperf_training")
    [run] = tables["resolved.training_runs"]
    assert (round(run["training_time_s"], 3), checked(evidence, tables, tmp_path).faults) == (
        59.999,
        [],
    )


def test_every_place_that_is_one_off_is_found(part: Ledger) -> None:
    # Conditions repeat from row to row.
    # In the tables of other vendors some rows print the same number as the row above, at the same
    # place.
    evidence = part.sql(
        "select e.* from resolved.evidence as e inner join raw.documents as d using (document_id) "
        "where split_part(d.source, '/', 1) in ('graphcore', 'mlperf', 'unknown') and e.evidence_id not in "
        "(select c.evidence_id from resolved.result_conditions as c where c.evidence_id is not null)"
    )
    documents = part.sql("select document_id, path, format, charset from raw.documents")
    steps = [("char_start", 1), ("char_start", -1), ("char_end", 1), ("char_end", -1), ("line", 1)]
    moved = [row | {column: row[column] + step} for row in evidence for column, step in steps]
    assert len(check_evidence(moved, {}, documents, part.raw).faults) == len(moved) > 1000


WRONG = {
    "results": "value value_low value_high",
    "claims": "factor factor_low",
    "training_runs": "training_time_s",
    "training_epochs": "epoch_time_s step_time_ms steps",
    "prices": "price_usd",
    "configurations": "platform platform_printed",
    "submissions": "submission_id",
}


def test_every_wrong_value_is_found(part: Ledger) -> None:
    wrong: dict[str, list[dict[str, Any]]] = {}
    for name, columns in WRONG.items():
        wrong[f"resolved.{name}"] = [
            row
            | {
                column: f"{row[column]}1"
                if isinstance(row[column], str)
                else row[column] * 1.001 + 0.001
            }
            for row in part.sql(f"select * from resolved.{name}")
            for column in columns.split()
        ]
    found = check_evidence(
        part.sql("select * from resolved.evidence"),
        wrong,
        part.sql("select document_id, path, format, charset from raw.documents"),
        part.raw,
    )
    for name, rows in wrong.items():
        # A claim is read at each of its places, where a bar prints the factor without its interval.
        faults = [fault for fault in found.faults if f" in {name}: " in fault]
        assert len(faults) >= len(rows) > 0, name


def test_a_row_without_evidence_and_evidence_without_a_document_are_found(tmp_path: Path) -> None:
    evidence, tables = tables_of(SENTENCES[0], tmp_path, "claim_prose")
    assert (
        "refers to the evidence 1:23, which does not exist" in checked([], tables, tmp_path).reason
    )
    (tmp_path / PATH).unlink()
    assert f"{PATH} cannot be reopened" in checked(evidence, tables, tmp_path).reason
    assert "d is not a stored document" in check_evidence(evidence, tables, [], tmp_path).reason


def test_the_reason_names_the_first_faults_and_counts_the_others(tmp_path: Path) -> None:
    text = "\n\n".join(SENTENCES[:5])
    evidence, tables = tables_of(text, tmp_path, "claim_prose")
    (tmp_path / PATH).write_text(text.replace("delivers", "reaches"), "utf-8")
    reason = checked(evidence, tables, tmp_path).reason
    assert reason.startswith("the evidence check failed at 5 places: ")
    assert f"{PATH} line 1: '2.6x' is stored for 23..27, found '.6x '" in reason
    assert reason.endswith("; and 2 more")


PAGE = {"Throughput (items/sec)": "38,036"}


def published(ledger: Ledger) -> bytes:
    return (ledger.warehouse / FILE_NAME).read_bytes()


def refused(ledger: Ledger) -> dict[str, str]:
    """Why each document is refused, by its path; nothing of it is in any table, or counts as read."""
    rows = ledger.sql(
        "select document_id, path, reason from audit.rejects where rule = 'evidence_does_not_hold'"
    )
    for row in rows:
        for table in (
            "resolved.results",
            "resolved.evidence",
            "resolved.result_conditions natural join resolved.results",
        ):
            assert (
                ledger.sql(f"select * from {table} where document_id = '{row['document_id']}'")
                == []
            )
        [counts] = ledger.sql(
            f"select * from audit.coverage where document_id = '{row['document_id']}'"
        )
        assert counts["numerals_extracted"] == 0 < counts["numerals_unparsed"]
    return {row["path"]: row["reason"] for row in rows}


def test_a_document_with_a_place_one_character_off_is_refused_and_the_others_stand(
    with_a_page: Ledger, page: PageMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = with_a_page
    before = ledger.sql("select * from resolved.results")
    real = reading.columns_of

    def shifted(found: Sequence[FoundRow]) -> dict[str, Sequence[Any]]:
        columns = real(found)
        return columns | {
            name: [at + 1 for at in columns[name]] for name in ("char_start", "char_end") if columns
        }

    monkeypatch.setattr(reading, "columns_of", shifted)
    ledger.add(page([PAGE | {"Model": "ViT"}]), "acme/other", "2023-01-01", name="b.txt")
    outcome = ledger.resolve("audit.coverage")
    assert (outcome.success, outcome.faults) == (True, [])
    assert ledger.sql("select * from resolved.results") == before
    [(path, reason)] = refused(ledger).items()
    assert path == "acme/other/2023-01-01/b.txt"
    assert re.search(r"b\.txt line \d+: '.+' is stored for 1\.\.\d+, found '", reason)


def fails(monkeypatch: pytest.MonkeyPatch, table: str, text: str) -> None:
    """Let the evidence of one printed text of a table not hold."""
    kind = check.KINDS[table]

    def read(place: Place, row: Row) -> str | None:
        return "does not hold" if place.text == text else kind.read(place, row)

    monkeypatch.setitem(check.KINDS, table, kind._replace(read=read))


HEDGED = "On BERT the A100 is approximately {} faster than the V100, and {} faster than the T4."
# By source: a table and the printed text of it that does not hold; model and number of a row, and
# the numbers of two claims; what is lost.
NOT_HOLDING = {
    "acme/results": ("resolved.results", "38,036", ("DINO", "38,036", "20% to 80%", "2x"), {"38,036"}),
    # A condition refuses the numbers that it holds for.
    "acme/conditions": (
        "resolved.result_conditions", "ViT", ("ViT", "40,112", "30% to 60%", "3x"), {"40,112"},
    ),
    # The other claims of the sentence have the same words around them.
    "acme/claims": (
        "resolved.claims", "40% to 70%", ("GPT-2", "51,200", "40% to 70%", "4x"), {"40% to 70%", "4x"},
    ),
}  # fmt: skip


def test_a_row_that_does_not_hold_is_refused_with_what_depends_on_it_alone(
    ledger: Ledger, page: PageMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    for source, (table, text, (model, number, hedged, factor), _) in NOT_HOLDING.items():
        fails(monkeypatch, table, text)
        rows = [
            {"Throughput (items/sec)": number, "Model": model},
            {"Throughput (items/sec)": "1,500", "Model": "BERT-Large"},
        ]
        text = f"{HEDGED.format(hedged, factor)}\n\n{page(rows)}"
        ledger.add(text, source, "2023-01-01", format="results_page")
    assert ledger.build().success

    def of(source: str, query: str) -> Rows:
        document = f"(select document_id from raw.documents where source = '{source}')"
        return ledger.sql(
            f"with found as ({query}) select * from found where document_id in {document}"
        )

    for source, (table, text, (_, number, hedged, factor), lost) in NOT_HOLDING.items():
        rejects = of(source, "from audit.rejects")
        assert [(row["rule"], row["scope"]) for row in rejects] == [
            ("evidence_does_not_hold", "row")
        ] * len(lost)
        assert all(f"{text!r} in {table}: does not hold" in row["reason"] for row in rejects)
        held = (
            "select evidence_id from resolved.results union select evidence_id from resolved.claims"
        )
        left = of(source, f"from resolved.evidence where evidence_id in ({held})")
        printed = {"1,500", number, hedged, factor}
        assert sorted(row["text_printed"] for row in left) == sorted(printed - lost)
        unread = of(source, "from audit.numerals where rule = 'evidence_does_not_hold'")
        assert {row["line"] for row in unread} == {row["line"] for row in rejects}
    assert (
        ledger.sql("from resolved.result_conditions anti join resolved.results using (result_id)")
        == []
    )
    # What is left holds, and a build that changes nothing keeps what was refused.
    monkeypatch.undo()
    assert check_evidence_of(ledger.tables(), ledger.raw).faults == []
    assert ledger.build().success
    assert len(ledger.sql("from audit.rejects")) == sum(
        len(lost) for *_, lost in NOT_HOLDING.values()
    )


def test_a_ledger_of_which_nothing_holds_is_not_published(
    with_a_page: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = with_a_page
    before = published(ledger)
    monkeypatch.setattr(check, "_faults", lambda row, *more: ["nothing holds"])
    distrust(ledger.warehouse)
    outcome = ledger.build()
    assert not outcome.success
    assert published(ledger) == before
    assert "no values could be read from the 1 documents" in outcome.faults[0]


TABLE = """| Model | Size | PyTorch Neuron Version | Run Mode | Batch size | Container | Offline (ms) |
| --- | --- | --- | --- | --- | --- | --- |
| Llama | 7B | 2.5.1 | Data Parallel | 1,024 | nemo:25.02 | 4.5 |

All on V100 GPUs, with float16, or on Xeon(R) 8480+, and again with 13 B.
"""


def fault_of(
    folder: Path, text: str, dimension: str, value: str, name: str | None = None
) -> str | None:
    """What is wrong with a condition that points at the first place of a text in the table."""
    path = folder / PATH
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TABLE, "utf-8")
    [(line, start)] = [
        (n, row.index(text)) for n, row in enumerate(TABLE.splitlines(), start=1) if text in row
    ]
    place = {
        "document_id": "d",
        "evidence_id": "e",
        "line": line,
        "char_start": start,
        "char_end": start + len(text),
    }
    row = {
        "evidence_id": "e",
        "dimension": dimension,
        "value": value,
        "name_printed": name,
        "value_printed": None,
    }
    found = checked([place | {"text_printed": text}], {"resolved.result_conditions": [row]}, folder)
    assert found.rows == {"resolved.result_conditions": 1}
    return found.faults[0].partition("resolved.result_conditions: ")[2] if found.faults else None


@pytest.mark.parametrize(
    ("text", "dimension", "value", "name", "holds"),
    [
        ("1,024", "batch_size", "1024", None, True),
        ("1,024", "batch_size", "1025", None, False),
        ("1,024", "batch_size", "24", None, False),
        ("1,024", "precision", "FP8", None, False),
        ("Llama", "model", "Llama", "Llama", True),
        # Names of which another cell prints the rest.
        ("Llama", "model", "LLaMA 7B", "Llama 7B", True),
        ("Llama", "model", "LLaMA 13B", "Llama 13B", True),
        ("Llama", "model", "Llama 70B", "Llama 70B", False),
        ("Llama", "model", "GPT-3", "Llama", False),
        ("2.5.1", "framework", "PyTorch Neuron 2.5.1", "PyTorch Neuron 2.5.1", True),
        ("2.5.1", "framework", "JAX 2.5.1", "JAX 2.5.1", False),
        # More characters than the value has.
        ("V100 GPUs", "platform", "V100", "V100", True),
        ("V100 GPUs", "platform", "V10", "V10", False),
        ("nemo:25.02", "sdk_version", "25.02", None, True),
        ("nemo:25.02", "sdk_version", "25.0", None, False),
        ("nemo:25.02", "sdk_version", "25", None, False),
        ("Xeon(R) 8480+", "platform", "Xeon 8480+", "Xeon 8480+", True),
        # What no column holds stands under its heading, or is what is left of one.
        ("Data Parallel", "other", "Run Mode Data Parallel", None, True),
        ("Data Parallel", "other", "Run Mode Tensor Parallel", None, False),
        ("1,024", "other", "Requests 1024", None, True),
        ("1,024", "other", "Requests 24", None, False),
        ("7B", "other", "Size 17B", None, False),
        ("float16", "other", "FP16", None, True),
        ("Offline (ms)", "other", "Offline", None, True),
    ],
)
def test_conditions(
    tmp_path: Path, text: str, dimension: str, value: str, name: str | None, holds: bool
) -> None:
    assert (fault_of(tmp_path, text, dimension, value, name) is None) is holds


# The check's own parser


@pytest.mark.parametrize(
    ("text", "unit", "printed", "value", "step"),
    [
        ("54,784", "items/s", "images/s", 54784, 1),
        ("70688 tokens/sec", "items/s", "tokens/sec", 70688, 1),
        ("1.5", "items/s", "k images/s", 1500, 100),
        ("1.2 million", "items/s", "images/s", 1.2e6, 1e5),
        ("$149,995", "USD", None, 149995, 1),
        ("23h 43m", "s", None, 85380, 60),
        ("1 hour and 30 minutes", "s", "hour", 5400, 60),
        ("109.36", "s", "mins", 6561.6, 0.6),
        ("704us", "ms", None, 0.704, 0.001),
        ("2:03:04.2", "s", None, 7384.2, 0.1),
        ("0.102", "ms", "s/im", 102, 1),
        ("7", "s", "seconds per image", 7, 1),
    ],
)
def test_amounts(text: str, unit: str, printed: str | None, value: float, step: float) -> None:
    found = measured(text, unit, printed)
    assert found is not None
    assert found[:2] == pytest.approx((value, step))


@pytest.mark.parametrize(
    ("printed", "half"), [("40", 5 * 3600), ("2.5", 180), ("7", 1800), ("300", 50 * 3600)]
)
def test_about_is_rounded_in_the_printed_unit(printed: str, half: float) -> None:
    found = measured(printed, "s", "h")
    assert found is not None
    [only] = ranges(found, "approx")
    assert (only.low, only.high) == pytest.approx((found.value - half, found.value + half))


@pytest.mark.parametrize(
    ("text", "unit", "printed"),
    [
        ("0,191", "items/s", "images/s"),
        ("12", "s", None),
        ("12", "ms", "images/s"),
        ("12 14", "USD", None),
    ],
)
def test_what_is_no_amount_of_the_unit(text: str, unit: str, printed: str | None) -> None:
    assert measured(text, unit, printed) is None


@pytest.mark.parametrize(
    ("read", "text", "stored", "says"),
    [
        ("parse_number", "On ResNet-50 the IPU-POD16 reaches 58,113 images per second.", (581130.0, 5.0),
         "the text gives 58113.0 (58112.5 to 58113.5)"),
        ("step_of", "The time-to-train of ResNet-50 on the IPU-POD16 is 14.5 minutes.", (870.0, 30.0),
         "the text gives 870.0 (867.0 to 873.0)"),
    ],
)  # fmt: skip
def test_a_fault_of_the_reader_is_found(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    read: str,
    text: str,
    stored: tuple[float, float],
    says: str,
) -> None:
    """The check shares no code with the readers: what they read wrongly does not confirm itself."""
    real = getattr(numbers, read)
    for name, module in list(sys.modules.items()):
        if name.startswith("pipelines.") and getattr(module, read, None) is real:
            faulty = (
                _ten_times(real) if read == "parse_number" else lambda plain: 10.0 * real(plain)
            )
            monkeypatch.setattr(module, read, faulty)
    evidence, tables = tables_of(text, tmp_path, "claim_prose")
    [row] = tables["resolved.results"]
    assert (row["value"], row["value_high"] - row["value"]) == stored
    [fault] = checked(evidence, tables, tmp_path).faults
    assert says in fault


def _ten_times(real: Callable[..., Quantity | None]) -> Callable[..., Quantity | None]:
    def read(text: str, words: str = "") -> Quantity | None:
        found = real(text, words)
        return found and found.scaled(10.0)

    return read


def test_the_parser_knows_every_unit_of_the_vocabulary() -> None:
    printed = ("1,234.5", "0.05", "12", "1.5e-3", "12.30", "1234567", "-3.5", ".75")
    for entry, text in itertools.product(entries("units"), printed):
        known, found = numbers.parse_number(text), measured(text, entry["unit"], entry["name"])
        assert known is not None
        assert found is not None, (text, entry["name"])
        assert found.value == pytest.approx(known.value * entry["scale"]), (text, entry["name"])
        assert found.step == pytest.approx((known.high - known.low) * entry["scale"]), (
            text,
            entry["name"],
        )
