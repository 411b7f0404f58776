"""A value of the warehouse as text: as every CSV of the project has it, as JSON, and as people read it."""

from __future__ import annotations

import json
import math
import re
from datetime import date, datetime
from decimal import Decimal
from typing import Any

# The beginnings of texts that a spreadsheet executes as formulas, also after a tab or a line end.
_FORMULA = re.compile(r"[=+\-@\t\r\n]")


def csv_text(value: Any) -> str:
    """A value as every CSV of the project has it: null as nothing, lists as JSON, times with `T`
    and `Z`, `INF`.
    """
    if isinstance(value, list | dict):
        return json.dumps(plain(value), ensure_ascii=False)
    if isinstance(value, datetime):
        return f"{value.isoformat()}Z"
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "INF" if value > 0 else "-INF"
    return shown_text(value)


def spreadsheet_text(value: Any) -> str:
    """As `csv_text`, with an apostrophe before a text that a spreadsheet could take for a formula."""
    text = csv_text(value)
    is_formula = not isinstance(value, int | float | Decimal) and _FORMULA.match(text)
    return f"'{text}" if is_formula else text


def plain(value: Any) -> Any:
    """A value as JSON has it: days as ISO dates, infinity as a string, NaN as null."""
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return value.isoformat() if isinstance(value, date | datetime) else value


def shown_text(value: Any) -> str:
    """A value as a table for people has it: null as nothing, lists with commas."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(shown_text(part) for part in value)
    if isinstance(value, dict):
        return json.dumps(plain(value), ensure_ascii=False)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)
