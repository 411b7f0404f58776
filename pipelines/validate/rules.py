"""What to do about a reject, by its rule, from `rules.yml`. The readers decide what is refused."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pipelines.yaml_files import load_yaml

RULES_FILE = Path(__file__).with_name("rules.yml")

_UNKNOWN = "Read the reason and the row; there is no advice for this rule."


@cache
def rules() -> dict[str, str]:
    """Advice in one sentence, by rule."""
    return dict(load_yaml(RULES_FILE))


def advice_for(rule: str) -> str:
    """What to do about the rejects of a rule, such as `contract:extracted.measurements`, in one
    sentence.
    """
    return rules().get(rule.split(":")[0], _UNKNOWN)
