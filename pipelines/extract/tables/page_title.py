"""The model that the title of a document names, and for which of its tables that counts."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from pipelines.extract.tables.conditions import conditions_in
from pipelines.extract.tables.platform_named import read_platform_in


def title_over(title: str | None, headings: Collection[str]) -> str | None:
    """The title, where it stands over these headings.

    None where it is one of a row of them (`A on 8x X`, then `B on 8x X`): its model is not theirs.
    """
    is_alike = title is not None and title not in headings and read_platform_in(title) is not None
    return None if is_alike and any(map(read_platform_in, headings)) else title


def of_title(title: str | None) -> dict[str, Any]:
    """The model and the framework that the title of the document names: `ResNet-50 v1.5 for PyTorch`."""
    named = ("model_printed", "framework_printed")
    return {name: value for name, value in conditions_in([title or ""]).items() if name in named}
