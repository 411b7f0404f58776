"""Claims about one thing: on one slide, in two documents, against baselines of two sizes."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from sql.given_rows import Rows, document_of, evidence_of, made_of

DAY = date(2020, 12, 1)
DOCUMENTS: Rows = [
    {
        "document_id": document_of(number),
        "publisher": "acme",
        "path": f"acme/{name}/{name}.txt",
        "published_on": day,
    }
    for number, name, day in ((1, "deck", DAY), (2, "post", DAY), (3, "later", date(2021, 6, 30)))
] + [
    {
        "document_id": document_of(4),
        "publisher": "other",
        "path": "other/review/review.txt",
        "published_on": DAY,
    }
]
NAMES: Rows = [
    {"kind": "platforms", "name_printed": name, "chips": chips}
    for name, chips in (("DGX", 8), ("A100", 1))
]


def claim(
    line: int, printed: str, sentence: str | None = None, document: int = 1, **facts: Any
) -> dict[str, Any]:
    factor = float(printed.strip(">x"))
    half = 0.5 / 10 ** len(printed.strip(">x").partition(".")[2])
    bound = facts.get("bound", "gt" if printed.startswith(">") else "eq")
    low, high = (factor, float("inf")) if bound == "gt" else (factor - half, factor + half)
    return {
        "claim_id": evidence_of(document * 1000 + line), "evidence_id": evidence_of(document * 1000 + line),
        "document_id": document_of(document), "line": line, "section_line": 1, "task": "training", "model": "MCMC",
        "metric": "time_to_train", "subject_platform": "IPU-POD64", "baseline_platform": "DGX",
        "baseline_printed": "DGX", "factor": factor, "factor_low": low, "factor_high": high, "bound": bound,
        "extractor": "slides", "text_printed": printed,
        "sentence": sentence or f"{printed} faster time to train", "repeat_evidence_ids": [],
    } | facts  # fmt: skip


def relations(*claims: dict[str, Any], configurations: Rows | None = None) -> Rows:
    return made_of(
        "internal.claim_relations",
        resolved__claims=list(claims),
        resolved__configurations=configurations or [],
        resolved__names=NAMES,
        raw__documents=DOCUMENTS,
    )


ONE_SLIDE, TWO_DOCUMENTS, TWO_BASELINES = (
    "claims_of_one_place",
    "claims_of_two_documents",
    "claims_of_two_baselines",
)
LOWEST = {"conditions": "at the lowest latency"}


def slide(first: str, second: str, words: str = "faster time to train") -> Rows:
    return [claim(5, first, f"{first} {words.title()}"), claim(9, second, f"{second} {words}")]


def posts(deck: str, post: str, bound: str = "eq", ours: Any = None, theirs: Any = None) -> Rows:
    """A claim of a deck, and one of a post of the same day."""
    bounds = {} if bound == "eq" else {"bound": bound}
    return [claim(5, deck, **ours or {}), claim(7, post, document=2, **bounds, **theirs or {})]


def baseline(count: int) -> Rows:
    place = {
        "document_id": document_of(1),
        "section_line": 1,
        "role": "baseline",
        "platform": "DGX",
    }
    return [place | {"accelerator_count": count}]


@pytest.mark.parametrize(
    ("claims", "sizes", "expected", "said"),
    [
        (slide("17x", "27x"), None, (ONE_SLIDE, False), {
            "line": 9, "expected_low": 16.5, "expected_high": 17.5, "printed": 27, "inputs": [evidence_of(1005)],
            "reason": "line 9 claims 27x, but line 5 claims 17x in the same words: faster time to train",
        }),
        (slide(">600x", "602x"), None, (ONE_SLIDE, True), {}),
        (posts("13.6x", "13x", "gt"), None, (TWO_DOCUMENTS, True), {
            "evidence_id": evidence_of(1005), "inputs": [evidence_of(2007)]
        }),
        (posts(">16x", "16x", theirs=LOWEST), None, (TWO_DOCUMENTS, True), {}),
        (posts("2.6x", "2.6x", ours={"model": "ResNet-50 v1.5"}, theirs={"model": "ResNet-50"}), None,
         (TWO_DOCUMENTS, True), {}),
        (posts("3.7x", "4.7x"), None, (TWO_DOCUMENTS, False), {}),
        (posts("3.4x", "4.4x", ours={"conditions": "headline comparisons using lowest latency"}, theirs=LOWEST), None,
         (TWO_DOCUMENTS, False), {}),
        (posts("13.6x", "15x", "gt"), None, (TWO_DOCUMENTS, False), {}),
        # One factor against one system and against two.
        (posts("5.3x", "5x", "gt"), baseline(16), (TWO_BASELINES, False), {
            "evidence_id": evidence_of(2007), "inputs": [evidence_of(1005)],
            "reason": "time_to_train of MCMC on IPU-POD64: post.txt claims over 5x against 1 DGX in line 7, "
            "deck.txt claims 5.3x against 2 in line 5, which is 10.6x against 1 if the baseline scales",
        }),
        (posts("5.3x", "9.8x"), baseline(16), (TWO_BASELINES, True), {}),
        (posts("5.3x", "5x", "gt"), baseline(8), (TWO_DOCUMENTS, True), {}),
    ],
)  # fmt: skip
def test_two_claims_about_one_thing_are_compared(
    claims: Rows, sizes: Rows | None, expected: tuple[str, bool], said: dict[str, Any]
) -> None:
    [relation] = relations(*claims, configurations=sizes)
    assert (relation["check_name"], relation["holds"]) == expected
    assert {column: relation[column] for column in said} == said


def on_slide(**second: Any) -> Rows:
    return [claim(5, "17x"), claim(9, "27x", **second)]


def beside(**second: Any) -> Rows:
    return [claim(5, "3.7x"), claim(7, "4.7x", **{"document": 2} | second)]


NOTHING = {
    "another slide": on_slide(section_line=2),
    "another model": on_slide(model="ViT"),
    "another metric": on_slide(metric="latency"),
    "another baseline": on_slide(baseline_platform="A100"),
    "another condition": on_slide(conditions="with standard EN-B4"),
    "other words": on_slide(sentence="27x faster time to train in phase two"),
    "the label of a bar": on_slide(sentence="27x"),
    "bars labelled with one word": slide("17x", "27x", "faster"),
    "a headline that one of the bars repeats": on_slide(repeat_evidence_ids=["f" * 16]),
    "a model that could not be read": on_slide(model=None),
    "a sentence, which another sentence may explain": on_slide(extractor="claim_prose"),
    "a later post": beside(document=3),
    "another publisher": beside(document=4),
    "a condition of one": beside(conditions="at batch size 1"),
    "an optimum that the other does not state": beside(conditions="at lowest latency"),
    "another model in a post": beside(model="MCMCMC"),
    "another subject": beside(subject_platform="IPU-POD16"),
    "another baseline in a post": beside(baseline_platform="A100"),
    # Which of several claims is meant is not guessed.
    "several claims": [
        claim(5, "10x", conditions="standard"), claim(6, "18x", conditions="enhanced", section_line=2),
        claim(7, "12x", document=2), claim(8, "19x", document=2, conditions="tuned"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("case", NOTHING)
def test_nothing_is_said_of(case: str) -> None:
    assert relations(*NOTHING[case]) == []
