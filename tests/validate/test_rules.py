"""Every rule that can refuse something has advice, and no advice is left over: the code is searched for its rules."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pipelines.settings import PROJECT
from pipelines.validate.rules import advice_for, rules

CODE = PROJECT / "pipelines"


@dataclass
class Takers:
    """Functions, methods and classes with a parameter `rule`, and its position among the arguments of a call.

    Attributes:
        named: Position by module and name.
        methods: Positions by name of the method alone: what an object is cannot be told from the text.
    """

    named: dict[tuple[str, str], int] = field(default_factory=dict)
    methods: dict[str, int] = field(default_factory=dict)


def module_name(path: Path, root: Path) -> str:
    return ".".join(path.relative_to(root.parent).with_suffix("").parts).removesuffix(".__init__")


def position(arguments: list[str]) -> int | None:
    arguments = [name for name in arguments if name not in ("self", "cls")]
    return arguments.index("rule") if "rule" in arguments else None


def find_takers(trees: dict[str, ast.Module]) -> Takers:
    takers = Takers()
    for module, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                where = position([argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)])
                if where is not None and node.name != "__init__":
                    takers.named[module, node.name] = takers.methods[node.name] = where
            elif isinstance(node, ast.ClassDef):
                fields = [
                    part.target.id
                    for part in node.body
                    if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
                ]
                for part in node.body:
                    if isinstance(part, ast.FunctionDef) and part.name == "__init__":
                        fields = [argument.arg for argument in part.args.args]
                if (where := position(fields)) is not None:
                    takers.named[module, node.name] = where
    return takers


def rule_arguments(tree: ast.Module, module: str, takers: Takers) -> Iterator[ast.expr]:
    """Every expression that is given as a rule: to a call, or in a dictionary."""
    imported = {
        alias.asname or alias.name: (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == "rule":
                    yield value
        elif isinstance(node, ast.Call):
            where: int | None = None
            if isinstance(node.func, ast.Name):
                where = takers.named.get(imported.get(node.func.id, (module, node.func.id)))
            elif isinstance(node.func, ast.Attribute):
                where = takers.methods.get(node.func.attr)
            if keywords := [keyword.value for keyword in node.keywords if keyword.arg == "rule"]:
                yield from keywords
            elif where is not None and where < len(node.args):
                yield node.args[where]


def read_rules(expression: ast.expr) -> set[str]:
    """The rules an expression can be; none where it only hands on what another call was given."""
    if isinstance(expression, ast.Constant) and isinstance(expression.value, str):
        return {expression.value}
    if isinstance(expression, ast.JoinedStr) and isinstance(expression.values[0], ast.Constant):
        return {str(expression.values[0].value).split(":")[0]}
    if isinstance(expression, ast.IfExp):
        return read_rules(expression.body) | read_rules(expression.orelse)
    assert ast.unparse(expression).split(".")[-1] == "rule", f"cannot tell which rule `{ast.unparse(expression)}` is"
    return set()


def rules_given(root: Path) -> dict[str, set[str]]:
    """Modules by the rules they give."""
    # The accounting of lines and numerals gives rules of its own, which refuse nothing.
    paths = [path for path in sorted(root.rglob("*.py")) if path.stem != "marks" and path.parent.name != "accounting"]
    trees = {module_name(path, root): ast.parse(path.read_text("utf-8")) for path in paths}
    takers = find_takers(trees)
    takers.named = {name: where for name, where in takers.named.items() if name[1] != "Mark"}
    found: dict[str, set[str]] = {}
    for module, tree in trees.items():
        for expression in rule_arguments(tree, module, takers):
            for rule in read_rules(expression):
                found.setdefault(rule, set()).add(module)
    return found


def test_every_rule_has_advice_and_no_advice_is_left_over() -> None:
    given = rules_given(CODE)
    without = {rule: modules for rule, modules in given.items() if rule not in rules()}
    assert without == {}, "add them to pipelines/validate/rules.yml"
    assert set(rules()) - set(given) == set(), "no module gives these rules any more"
    # One of each way in which a rule is given; were a way no longer found, the comparison would be worth less.
    assert {"contract", "empty_document", "changed_bytes", "row_does_not_fit", "unread_label", "bar_unreadable"} <= set(
        given
    )
    assert {"header_unreadable", "wrong_type", "nothing_read", "loss_missing", "wrong_encoding"} <= set(given)


@pytest.mark.parametrize("rule", sorted(rules()))
def test_advice_is_one_sentence_that_says_what_to_do(rule: str) -> None:
    assert re.fullmatch(r"[a-z_]+", rule)
    advice = rules()[rule]
    assert re.match(r"[A-Z][a-z]+ ", advice)
    assert advice.endswith(".")
    assert len(advice) <= 140


def test_a_rule_without_advice_would_be_found(tmp_path: Path) -> None:
    (tmp_path / "store.py").write_text(
        "from dataclasses import dataclass\n\n@dataclass\nclass Fault:\n    path: str\n    rule: str\n"
        "def whole(rule: str, reason: str) -> dict[str, str]:\n    return {'rule': rule}\n"
        "class Reader:\n    def refuse(self, cell: str, rule: str) -> None: ...\n"
    )
    (tmp_path / "reader.py").write_text(
        f"from {tmp_path.name}.store import Fault as Wrong, whole\n"
        "def read(reader, table):\n"
        "    Wrong('a', 'first')\n    whole('second' if table else 'third', 'x')\n"
        "    reader.refuse('cell', 'fourth')\n    reader.refuse('cell', rule=f'fifth:{table}')\n"
        "    return {'rule': 'sixth'}\n"
    )
    assert set(rules_given(tmp_path)) == {"first", "second", "third", "fourth", "fifth", "sixth"}
    (tmp_path / "unclear.py").write_text("def read(reader, kind):\n    reader.refuse('cell', kind)\n")
    with pytest.raises(AssertionError, match="cannot tell which rule `kind` is"):
        rules_given(tmp_path)


def test_the_contracts_of_all_tables_have_one_advice() -> None:
    assert advice_for("contract:extracted.measurements") == rules()["contract"]


def test_a_rule_of_an_older_warehouse_has_an_answer_too() -> None:
    assert "reason" in advice_for("no_longer_used")
