"""Printed release numbers: `SDK 2.4.0`, `SDK 3.3`, `TensorRT 7.2.1`."""

from __future__ import annotations

import re

# `rc1`, `-beta.2`, `b2`, `.dev3`; resolved/results.sql knows the order of these stages
_STAGE = r"(?:[-.]?(?:rc|alpha|beta|post|dev|preview|[ab](?=\d))\.?\d*)?"
# `2.4.0`, `3.3`, `1.13.1.1.12.0`, `2.18.0rc1`, `v1.2`
VERSION = rf"\d+(?:\.\d+)+{_STAGE}"
# The vendors' own software, whose releases are printed with its name: `SynapseAI 1.13`, `ROCm 6.2`
STACK = r"(?:SynapseAI|Neuron|ROCm|Poplar)"
_SDK = re.compile(rf"(?:(?:\w+\s+)?SDK\s*|v\.?\s*)?({VERSION}|\d+{_STAGE})", re.IGNORECASE)


def parse_sdk(text: str) -> str | None:
    """The release in a cell such as `SDK 2.4.0` or `Poplar SDK 1.4`, as printed without its name; None otherwise."""
    match = _SDK.fullmatch(text.strip())
    return match[1] if match else None
