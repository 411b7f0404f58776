"""Every rule under which something is refused has its advice, and every advice its rule."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from pipelines.settings import PROJECT
from pipelines.validate.rules import advice_for, rules


def constants() -> Iterator[tuple[str, bool]]:
    """Every text of one word in the code, and whether it is given as a rule by that name."""
    for path in sorted((PROJECT / "pipelines").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value.partition(":")[0], False
            elif (
                isinstance(node, ast.keyword)
                and node.arg == "rule"
                and isinstance(node.value, ast.Constant)
            ):
                yield str(node.value.value), True
            elif isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in (
                "Refusal",
                "ReadError",
            ):
                first = node.args[0] if node.args else None
                if isinstance(first, ast.Constant):
                    yield str(first.value), True


def test_every_rule_has_advice_and_no_advice_is_left_over() -> None:
    found = list(constants())
    given = {text for text, is_rule in found if is_rule}
    assert len(given) > 5
    assert given - set(rules()) == set(), "add them to pipelines/validate/rules.yml"
    assert set(rules()) - {text for text, _ in found} == set(), (
        "no module gives these rules any more"
    )


@pytest.mark.parametrize("rule", sorted(rules()))
def test_advice_is_one_sentence_that_says_what_to_do(rule: str) -> None:
    assert re.fullmatch(r"[a-z_]+", rule)
    advice = rules()[rule]
    assert re.match(r"[A-Z][a-z]+ ", advice)
    assert advice.endswith(".")
    assert len(advice) <= 140


def test_rules_of_contracts_and_of_an_older_warehouse_have_an_answer_too() -> None:
    assert advice_for("contract:extracted.measurements") == rules()["contract"]
    assert "reason" in advice_for("no_longer_used")
