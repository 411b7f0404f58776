"""Every line has one role, every numeral one status: the rules one by one, and what holds for any
text.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

import pytest
from conftest import CORPUS, OF_PAGES
from conftest import ORIGINALS as SOURCES
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.extract.accounting.ledger import Accounting
from pipelines.extract.accounting.statuses import find_numerals, rules
from pipelines.extract.reading import Reading, StoredDocument, open_document, read_document
from pipelines.extract.tables.entries import MappingFile
from pipelines.schemas.columns import COLUMNS
from pipelines.settings import PROJECT

FIXTURES = sorted((PROJECT / "tests" / "fixtures").glob("*/*.txt"))
ORIGINALS = (
    sorted(Path(os.environ["BENCHLEDGER_ORIGINALS"]).glob("*.txt"))
    if "BENCHLEDGER_ORIGINALS" in os.environ
    else []
)
SHIPPED = [
    path for snapshot in CORPUS for path in sorted((PROJECT / "raw" / snapshot).rglob("*.txt"))
]

# A first line that makes a document one that prose can read.
CLAIM = "On BERT-Large the H100 is 2.5x faster than the A100.\n\n"


@pytest.fixture(scope="session")
def inbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("inbox") / "document.txt"


def read(path: Path, format: str | None = None) -> Reading:
    """What a document gives with its mapping: beside a fixture, of the source of a document, or
    beside the inbox.
    """
    source = PROJECT / "raw" / SOURCES[path.name][0] if path in ORIGINALS else path.parents[1]
    beside = (
        path.with_suffix(".mapping.yml"),
        source / "mapping.yml",
        path.with_name("mapping.yml"),
    )
    found = next((mapping for mapping in beside if mapping.exists()), None)
    mapping = MappingFile(found, hashlib.sha256(found.read_bytes()).hexdigest()) if found else None
    return read_document(StoredDocument("0" * 64, path, format, mapping=mapping))


def account(text: str, inbox: Path, format: str | None = None) -> Accounting:
    inbox.write_text(text, "utf-8")
    return read(inbox, format).accounting


def verdicts(text: str, inbox: Path, format: str | None = None, after: int = 0) -> dict[str, str]:
    """`status/rule` of every numeral behind line `after`, by its characters."""
    found = account(text, inbox, format)
    columns = zip(found.lines, found.texts, found.statuses, strict=True)
    return {printed: "/".join(status) for line, printed, status in columns if line > after}


def in_prose(sentence: str, inbox: Path) -> dict[str, str]:
    return verdicts(CLAIM + sentence, inbox, after=2)


# Numerals


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("54,784 and 16.16", ["54,784", "16.16"]),
        ("SDK 2.4.0 | 2.0-2045, 2.0-2049", ["2.4.0", "2.0-2045", "2.0-2049"]),
        ("23h 43m", ["23h", "43m"]),
        ("1e-3 5.8231e-02", ["1e-3", "5.8231e-02"]),
        ("4,8,12 and 1,2,8+", ["4", "8", "12", "1", "2", "8"]),
        ("7000/7000 - 453s 65ms/step", ["7000", "7000", "453s", "65ms"]),
        ("ResNet-50 IPU-POD64 A100s GC200", ["50", "64", "100", "200"]),
        ("2021-06-30 12:34", ["2021-06-30", "12:34"]),
        ("32x4d 8x7B", ["32", "4", "8", "7"]),
        ("note² and ¹³", ["²", "¹³"]),
        ("1234,567 12,3456", ["1234", "567", "12", "3456"]),
        ("no digits", []),
    ],
)
def test_a_numeral_is_what_a_reader_calls_a_number(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in find_numerals(text)] == expected


@given(st.text(alphabet=st.sampled_from("0123456789.,:-eExhmsd/ ²³A%٣"), max_size=60))
def test_each_digit_stands_in_exactly_one_numeral(text: str) -> None:
    spans = find_numerals(text)
    covered = [index for start, end in spans for index in range(start, end)]
    assert len(covered) == len(set(covered)), "numerals overlap"
    digits = {
        index for index, character in enumerate(text) if character.isdecimal() or character in "²³"
    }
    assert digits <= set(covered)
    assert all(digits & set(range(start, end)) for start, end in spans), "a numeral without a digit"


# Any document


def check(reading: Reading, path: Path) -> None:
    document = open_document(StoredDocument("0" * 64, path, None))
    found = reading.accounting
    assert len(found.roles) == len(document.lines), "every line exactly once"
    for line, (role, _) in zip(document.lines, found.roles, strict=True):
        assert role in (COLUMNS["audit.line_ledger.role"].one_of or ())
        assert not (role == "blank" and not line.is_blank)
    expected = [(line.number, span) for line in document.lines for span in find_numerals(line.text)]
    places = list(zip(found.lines, zip(found.starts, found.ends, strict=True), strict=True))
    assert places == expected
    assert [document.line(number).text[start:end] for number, (start, end) in places] == found.texts
    for status, rule in found.statuses:
        assert status in (COLUMNS["audit.numerals.status"].one_of or ())
        assert rule in rules()[status], f"{status}/{rule} is no rule with a meaning"


# Other publishers' logs print summaries that no table keeps.
_READ_WHOLE = {
    path for path in SHIPPED if path.relative_to(PROJECT / "raw").parts[0] != "google"
} | {*ORIGINALS}


@pytest.mark.parametrize(
    "path", [*FIXTURES, *SHIPPED, *ORIGINALS], ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_every_line_and_every_numeral_is_accounted_for(path: Path) -> None:
    reading = read(path)
    check(reading, path)
    found = reading.accounting
    if path in _READ_WHOLE:
        assert "unparsed" not in {status for status, _ in found.statuses}
        assert "unparsed" not in {role for role, _ in found.roles}
    spans = zip(found.lines, found.starts, found.ends, found.statuses, strict=True)
    status = {(n, at): said for n, start, end, (said, _) in spans for at in range(start, end)}
    text = open_document(StoredDocument("0" * 64, path, None)).texts
    for kind in ("measurements", "claims", "epochs", "prices", "submissions"):
        for row in reading.rows.get(kind, []):
            for index in range(row["char_start"], row["char_end"]):
                if text[row["line"] - 1][index].isdecimal():
                    assert status[row["line"], index] == "extracted", (
                        kind,
                        row["line"],
                        row["text_printed"],
                    )


_WORDS = st.sampled_from(
    re.split(
        " ",
        "the A100 IPU-POD64 ResNet-50 is 2.6x faster 12 ms 58,112 images/sec BERT Training SL128 | \t - 10% of 2021 "
        "NOTES: 1x SDK 1.4.0 7000/7000 [=====] 22s 3ms/step loss: 0.1 Epoch 1/3 Model Platform Throughput (items/sec) "
        "³ $149,995 5U MLPerf ID: 1.0-1025 </b> https://a.b/1 \f \u00a0 batch size 16",
    )
)
_LINES = st.lists(st.lists(_WORDS, max_size=8).map(" ".join), max_size=12).map("\n".join)


@settings(max_examples=80, deadline=None)
@given(text=_LINES)
def test_any_text_is_accounted_for(text: str, inbox: Path) -> None:
    inbox.write_text(text, "utf-8")
    if text.strip():
        check(read(inbox), inbox)


# Prose: what is set aside, and what never is


@pytest.mark.parametrize(
    ("sentence", "numeral", "expected"),
    [
        ("Founded in 2016, Foo has grown.", "2016", "ignored/date"),
        ("It was shown on March 3 at NeurIPS 2022 posters.", "3", "ignored/date"),
        ("It was shown at NeurIPS 2022 posters.", "2022", "ignored/date"),
        ("We took part in MLPerf in 2021 as well.", "2021", "ignored/date"),
        ("Foo joined more than 50 other members of the group.", "50", "ignored/count_of_things"),
        ("Members beside it number more than 50.", "50", "ignored/count_of_things"),
        ("A team of 35 engineers did it.", "35", "ignored/count_of_things"),
        ("It fits into 5U of a rack.", "5", "ignored/rack_units"),
        ("Four 1U boxes stand below it.", "1", "ignored/rack_units"),
        ("That is 10% of the total training compute workload.", "10", "ignored/share_of_whole"),
        ("The work took 18 months.", "18", "ignored/calendar_span"),
        ("We are open 24 hours a day.", "24", "ignored/calendar_span"),
        (
            "The chip has 80 GB of HBM and 54 billion transistors.",
            "54",
            "ignored/hardware_specification",
        ),
        ("Foo raised $120 million of funding.", "120", "ignored/amount_of_business"),
        ("See https://foo.example/6x-faster for all.", "6", "ignored/url"),
        ('<img width="17">', "17", "ignored/markup"),
        ("See Figure 3 for all.", "3", "ignored/reference"),
        ("As told before [14] at length.", "14", "ignored/reference"),
        ("1. First of all.", "1", "ignored/list_number"),
        ("It ended at 10:30 am.", "10:30", "ignored/time_of_day"),
        ("It ran on 16 GPUs.", "16", "condition/count_of_systems"),
        ("It ran on a 2x DGX A100 system.", "2", "condition/count_of_systems"),
        ("Its weights are FP16 throughout.", "16", "condition/number_format"),
        ("Its weights are 16.16 throughout.", "16.16", "condition/number_format"),
        ("The last times in the list were 16.64 and 17.", "16.64", "unparsed/unread_number"),
        ("It was made on `device=0` at the time.", "0", "unparsed/unread_number"),
        ("It needs Poplar SDK 1.4 at least.", "1.4", "condition/version"),
        ("It needs PyTorch 2.1 at least.", "2.1", "condition/version"),
        ("Everything ran with a batch size of 1024.", "1024", "condition/setting"),
        ("The network has 24 layers.", "24", "condition/model_size"),
        ("Deep Voice 3 reads text.", "3", "name/known_name"),
        ("The Foo-9000 is new.", "9000", "name/word_with_digits"),
    ],
)
def test_prose_is_judged_by_named_rules(
    sentence: str, numeral: str, expected: str, inbox: Path
) -> None:
    assert in_prose(sentence, inbox)[numeral] == expected


@pytest.mark.parametrize(
    ("sentence", "numeral"),
    [
        ("In our lab it took 93 ms where others took longer.", "93"),
        ("Somewhere the rate was 88 tokens every second.", "88"),
        ("Accuracy reached 75.9% in the end.", "75.9"),
        ("That is 10% of the latency of old.", "10"),
        ("Sales were 3x what we planned.", "3"),
        ("We saw 2020 things per second in all rooms.", "2020"),
        ("We have 50 members per second.", "50"),
        ("It achieved 412 TFLOPS all night.", "412"),
        ("A latency of just 7 was seen.", "7"),
    ],
)
def test_a_number_with_a_benchmark_unit_is_never_set_aside(
    sentence: str, numeral: str, inbox: Path
) -> None:
    assert in_prose(sentence, inbox)[numeral] == "unparsed/unread_benchmark"


def test_a_number_that_no_rule_knows_is_unread(inbox: Path) -> None:
    assert in_prose("Speed went from 12 to 9.", inbox) == {
        "12": "unparsed/unread_number",
        "9": "unparsed/unread_number",
    }
    assert in_prose("5513", inbox) == {"5513": "unparsed/unread_number"}
    # Alone on its line it is a cell of some table, not the widths of 4 and 16 bits.
    assert in_prose("4.16", inbox) == {"4.16": "unparsed/unread_number"}
    # Nobody has 1.34 of a system; the price is that of the instance before it.
    assert (
        in_prose("trn1.2xlarge,1.34\ntrn1.32xlarge,21.50", inbox)["1.34"]
        == "unparsed/unread_number"
    )
    assert in_prose("It costs $3,200.", inbox) == {"3,200": "unparsed/unread_price"}


def test_a_sentence_over_several_lines_is_judged_as_one(inbox: Path) -> None:
    wrapped = (
        "The members of the group came from many countries and they all agreed, since by then more than\n"
        "50 other members had joined in the years before, that the rules of the whole thing were fine.\n"
    )
    assert in_prose(wrapped, inbox)["50"] == "ignored/count_of_things"


def test_roles_of_lines_in_prose(inbox: Path) -> None:
    text = (
        CLAIM + "Foo Results\n\nThis is a sentence of prose.\n\nhttps://foo.example/a\n\n"
        "All names are trademarks of their owners.\n\nIt took 93 ms somewhere.\n\n"
        "The DGX A100 has a list price of $10,000.\n"
    )
    roles = [role for role, _ in account(text, inbox).roles if role != "blank"]
    assert roles == [
        "claim",
        "heading",
        "prose",
        "boilerplate",
        "boilerplate",
        "unparsed",
        "measurement",
    ]


# Tables, charts, logs


def test_cells_of_a_table_are_names_and_conditions(inbox: Path, page: object) -> None:
    rows = [{"Throughput (items/sec)": "38,036", "Variant": "Ph1 (SL128)"}]
    inbox.with_name("mapping.yml").write_text(OF_PAGES, "utf-8")
    found = verdicts(page(rows), inbox)  # type: ignore[operator]
    inbox.with_name("mapping.yml").unlink()
    assert found == {
        "50": "name/extracted_name",
        "1.5": "name/extracted_name",
        "1": "condition/extracted_condition",
        "128": "condition/extracted_condition",
        "16": "name/extracted_name",
        "3.1": "condition/extracted_condition",
        "2012": "name/extracted_name",
        "16,384": "condition/extracted_condition",
        "16.16": "condition/extracted_condition",
        "38,036": "extracted/measurement",
    }


def test_cells_that_a_mapping_ignores_and_damaged_rows_are_accounted_for(inbox: Path) -> None:
    text = (
        "| Model | Platform | Batch Size | Wobble | Throughput (items/sec) |\n"
        "| ViT | H100 | 32 | 77 | 512 |\n"
        "| ViT | H100 | 64 | 78 | none at all 9 |\n"
    )
    assert set(verdicts(text, inbox, after=1).values()) == {"unparsed/no_mapping"}
    inbox.with_name("mapping.yml").write_text(
        f"others: ignore\n{OF_PAGES.partition('tables:')[0]}tables: [{{}}]\n"
    )
    found = account(text, inbox)
    inbox.with_name("mapping.yml").unlink()
    by_place = {
        (line, printed): "/".join(status)
        for line, printed, status in zip(found.lines, found.texts, found.statuses, strict=True)
    }
    assert by_place[2, "77"] == by_place[3, "78"] == "ignored/mapping_ignores"
    assert by_place[2, "32"] == "condition/extracted_condition"
    assert by_place[2, "512"] == "extracted/measurement"
    assert by_place[3, "9"] == "unparsed/rejected"


def test_a_slide_without_an_axis_leaves_its_bars_unread(inbox: Path) -> None:
    slide = (
        "RESNET-50 : TRAINING\n\n2.6x Higher Throughput\n\n"
        "NOTES:\n1x H100 | FP16 | SDK 1.4.0\n1x A100 | FP16\n\n581\n\n1x\n"
    )
    found = account(slide, inbox)
    assert "/".join(found.statuses[found.texts.index("581")]) == "unparsed/bar_without_axis"
    assert found.statuses[-1] == ("condition", "baseline_bar")
    assert found.statuses[found.texts.index("1.4.0")] == ("condition", "version")
    with_axis = account(slide + "Throughput (images/sec)\n", inbox)
    assert with_axis.statuses[with_axis.texts.index("581")] == ("extracted", "measurement")


def test_metrics_of_a_log_that_no_table_keeps_are_unread(inbox: Path) -> None:
    log = (
        "2 x A100, batch_size 16\ntrain.py --model-name resnet\nEpoch 1/1\n"
        "500/500 [=====] - 12s 24ms/step - loss: 0.31 - accuracy: 0.92\ntraining time: 12.5\n"
    )
    assert verdicts(log, inbox) == {
        "2": "condition/run_condition",
        "100": "name/word_with_digits",
        "16": "condition/run_condition",
        "1": "condition/epoch_number",
        "500": "condition/epoch_steps",
        "12s": "extracted/epoch",
        "24ms": "extracted/epoch_field",
        "0.31": "extracted/epoch_field",
        "0.92": "unparsed/metric_not_kept",
        "12.5": "extracted/run",
    }


def test_a_document_of_no_format_is_unread_as_a_whole(inbox: Path) -> None:
    found = account("Nothing of interest.\n\nWe have 50 members.\n", inbox)
    assert found.roles == [("unparsed", "no_format"), ("blank", "blank"), ("unparsed", "no_format")]
    assert found.statuses == [("unparsed", "no_format")]


def test_bytes_that_are_no_text_have_no_lines(inbox: Path) -> None:
    inbox.write_bytes(bytes(range(32)) * 20)
    assert read(inbox).accounting == Accounting()


def test_the_bar_of_an_evaluation_is_unread_and_an_unfinished_one_set_aside(inbox: Path) -> None:
    bar = "[==============================]"
    text = (
        f"1 ipu\nEpoch 1/1\n3/9 [=====>........................] - ETA: 4s\n9/9 {bar} - 3s 333ms/step - loss: 0.3\n"
        f"4/4 {bar} - 2s 512ms/step - loss: 0.4 - accuracy: 0.8125\n"
    )
    found = verdicts(text, inbox, "training_log")
    assert (found["512ms"], found["0.8125"]) == (
        "unparsed/log_evaluation",
        "unparsed/log_evaluation",
    )
    assert found["4s"] == "ignored/log_bar_without_epoch"
