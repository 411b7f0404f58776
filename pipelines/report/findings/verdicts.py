"""Names of verdicts and findings: light, for the commands import it before they know what is asked."""

from __future__ import annotations

from enum import StrEnum

TITLES = {
    "claims": "Claims and what the numbers say of them",
    "discrepancies": "Relations between printed numbers that do not hold",
    "conflicts": "Places that disagree on one fact",
}


class Verdict(StrEnum):
    """What the numbers of the warehouse say of a claim."""

    confirmed = "confirmed"
    consistent = "consistent"
    contradicted = "contradicted"
    not_checkable = "not_checkable"
