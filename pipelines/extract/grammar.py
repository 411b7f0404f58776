"""The patterns of `grammar.yml`: the words of a sentence that compare, join, doubt and count, and the
parts of names.
"""

from __future__ import annotations

import re
from pathlib import Path

from pipelines.values.durations import UNIT
from pipelines.values.numbers import BOUND, NUMBER, STACK, VERSION
from pipelines.vocabulary.lookup import WORD
from pipelines.vocabulary.model_names import ORGANISATION, SIZE_BEFORE
from pipelines.vocabulary.printed_names import MAKER
from pipelines.yaml_files import load_yaml

# Of texts, so that the examples can be tested
CONTENT = load_yaml(Path(__file__).with_name("grammar.yml"))
_PARTS = {
    **CONTENT["parts"],
    "number": NUMBER,
    "bound": BOUND,
    "unit": UNIT,
    "stack": STACK,
    "version": VERSION,
    "maker": MAKER,
    "organisation": ORGANISATION,
    "parameters": SIZE_BEFORE.pattern,
    "letter": WORD.pattern.removesuffix("+"),
}


def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern with its parts (`{number}`, `{unit}`) put in."""
    for name, part in _PARTS.items():
        pattern = pattern.replace(f"{{{name}}}", part)
    return re.compile(pattern)


GRAMMAR = {entry["name"]: compiled(entry["pattern"]) for entry in CONTENT["patterns"]}
