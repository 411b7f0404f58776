"""Templates to bytes: what documents say is shown as text, and numbers look alike on every page."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import math
from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from pipelines import site_links as links
from pipelines.terminal import plural, visible

# Beyond so many digits a number is not read but copied, and its own page prints it in full.
_DIGITS = 6
# What a page may load: what stands beside it, and nothing that is written into the page itself.
_POLICY = "default-src 'none'; script-src 'self'{}; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"
# The engine of the page of SQL is compiled from bytes, in a worker that the page makes of what it
# was given.
_ENGINE_POLICY = _POLICY.format(" 'wasm-unsafe-eval'") + "; worker-src blob:"
# Level of gzip: the next ones take twice the time for a tenth of the bytes.
_PACKING = 4
# Words before a value that is no plain number.
BOUNDS = {"eq": "", "gt": "more than ", "lt": "less than ", "approx": "about ", "up_to": "up to "}
_WORDS = {
    "mae": "MAE",
    "mrr": "MRR",
    "tpot": "time per output token (TPOT)",
    "ttft": "time to first token (TTFT)",
    "sdk_version": "SDK version",
    "p50": "median",
    "new_release": "new release",
}


def environment() -> Environment:
    """The templates of the site: everything is escaped, a name that nobody gives is an error."""
    made = Environment(
        loader=PackageLoader("pipelines.report"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {
        one.__name__: one
        for one in (number, exact, rough, words, titled, share, data, digest, web_address, plural)
    }
    shared = (
        links.page_of,
        links.traced_page,
        links.feed_of,
        links.part_of,
        links.anchor,
        links.rows_of,
        interval,
    )
    made.globals |= {one.__name__: one for one in shared}
    moved = Path(__file__).parent / "templates" / "moved.js"
    made.globals["moved"] = Markup(moved.read_text("utf-8"))
    made.globals |= {"policy": _POLICY.format(""), "engine_policy": _ENGINE_POLICY}
    return made


def number(value: float | None) -> str:
    """A number for reading: `38,036`, `15.1417`, `0.000012`; at most six digits that mean
    something.
    """
    if value is None:
        return ""
    if not math.isfinite(value):
        return "unlimited" if math.isinf(value) else "nan"
    _, _, exponent = f"{value:e}".partition("e")
    text = f"{value:,.{max(0, _DIGITS - 1 - int(exponent))}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def rough(value: float | None) -> str:
    """A ratio to three digits, as many as one compares: `31.6`, `1,250`."""
    return "" if value is None else number(float(f"{value:.3g}"))


def exact(value: float | None) -> str:
    """A number with all its digits, grouped by thousands."""
    if value is None or not math.isfinite(value):
        return number(value)
    return f"{int(value):,}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:,}"


def interval(low: float | None, high: float | None, *, is_factor: bool = False) -> str:
    """`9.92 to 10.36`, `15.83 or more`, `3 or less`; of a factor to three digits, `9.92x to 10.4x`."""
    if low is None or high is None:
        return ""
    least, most = (f"{rough(end)}x" if is_factor else number(end) for end in (low, high))
    if math.isinf(high):
        return f"{least} or more"
    if math.isinf(low):
        return f"{most} or less"
    return least if low == high else f"{least} to {most}"


def words(name: str | None) -> str:
    """A name of the warehouse in words: `time_to_train` is time to train."""
    return "" if name is None else _WORDS.get(name, name.replace("_", " "))


def titled(row: Mapping[str, Any]) -> str:
    """What a result measures, in words: `Inference latency, p99`; `Training time`, not `Training training
    time`.
    """
    metric, task = words(row["metric"]), words(row["task"])
    text = metric if task and metric.startswith(task) else f"{task} {metric}".strip()
    statistic = f", {words(row['statistic'])}" if row.get("statistic") else ""
    return f"{text[:1].upper()}{text[1:]}{statistic}"


def share(part: float | None, whole: float | None) -> str:
    """A share in percent that is 100 only when nothing is missing."""
    if part is None or not whole:
        return ""
    percent = 100 * part / whole
    return f"{percent:.0f}%" if percent in (0, 100) else f"{min(99.9, max(0.1, percent)):.1f}%"


def web_address(url: str | None) -> str | None:
    """An address that a browser may be sent to; None of anything else, such as a script."""
    try:
        return url if url and urlsplit(url).scheme in ("http", "https") else None
    except ValueError:
        return None


def data(value: Any) -> Markup:
    """JSON for a `<script type="application/json">`: nothing in it ends the element."""
    text = json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    # What is left in it is ASCII punctuation and text of which every hidden character is written
    # out.
    return Markup(text)


def script(name: str, content: Any) -> tuple[str, bytes]:
    """A script of the site's data, by its path: a page that is opened from the disk may load nothing
    else. It is JSON, packed, without a time in it: the same content gives the same bytes.
    """
    text = json.dumps(content, separators=(",", ":"), default=str)
    return f"data/{name}.js", packed_script("ledgerData", name, text.encode(), _PACKING)


def digest(script: str) -> str:
    """What a policy calls a script that stands in the page itself."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


def packed_script(registry: str, name: str, content: bytes, level: int = 6) -> bytes:
    """A script that adds a packed content to a registry of the page."""
    packed = base64.b64encode(gzip.compress(content, level, mtime=0)).decode()
    return f'(window.{registry} ??= {{}})["{name}"] = "{packed}";\n'.encode()


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, str):
        return visible(value, keep="")
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value.isoformat() if isinstance(value, date) else value


def _shown(value: Any) -> Any:
    """What every expression of a template gives: without characters that a reader cannot see, and
    that turn text.
    """
    if value is None:
        return ""
    if isinstance(value, Markup):
        return value
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d}"
    return value
