"""Headings that count devices, or the platforms that hold them: `# of GPUs`, `Node count`."""

from __future__ import annotations

import re

# `# of Systems`, `Num. GPUs`, `No. of chips`, `GPU(s)`, `n_gpus`, `Node count`, `Number of GPUs used`
_COUNT = re.compile(
    r"(?:(?P<mark>\#|n|no\.?|num(?:ber)?\.?)[\s-]*(?:of\s+)?)?"
    r"(?:(?P<device>GPU|accelerator|chip|card|device|HPU|IPU|TPU|NPU|RDU|XPU)"
    r"|(?P<platform>system|server|node|host|machine|instance|VM|slice|pod|worker))(?P<many>s|\(s\))?(?P<count>\s+(?:count|used|#))?",
    re.IGNORECASE,
)


def counted_spelling(text: str) -> str | None:
    """The spelling of the vocabulary for a heading that counts devices or the platforms that hold them."""
    match = _COUNT.fullmatch(text)
    if match is None or not (match["mark"] or match["count"] or (match["device"] and match["many"])):
        return None
    return "Devices" if match["device"] else "Nodes"
