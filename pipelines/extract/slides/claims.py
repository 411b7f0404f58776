"""Claims of a slide: the factors of its headlines, and the bar labels that repeat them."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest

from pipelines.extract.rows import Claim, Reject
from pipelines.extract.slides.comparison import common
from pipelines.extract.slides.context import SlideContext
from pipelines.extract.slides.headlines import Headline, read_headlines
from pipelines.extract.slides.labels import read_repeats
from pipelines.read.document import Line


def read_claims(context: SlideContext) -> tuple[list[Claim | Reject], list[Line]]:
    """The claims of a slide with what cannot be read as one, and its visible lines that are no headlines.

    A factor that a headline has stated before, and a bar label with the factor of a headline, are further evidence of
    that claim: rows with `repeats_line`.
    """
    claims: dict[Headline, Claim] = {}
    rows: list[Claim | Reject] = []
    rest: list[Line] = []
    visible = [line for line in context.lines if not line.is_blank]
    for line, following in zip_longest(visible, visible[1:]):
        headlines, damages = read_headlines(line.cell, following.text if following else "")
        for headline in headlines:
            first = _same(headline, claims)
            claim = _claim(headline, context)
            if first:
                claim = replace(claim, repeats_line=first.cell.line)
            else:
                claims[headline] = claim
            rows.append(claim)
        rows += [
            context.reject(damage.cell, "unread_headline", damage.reason, "sentence", damage.text) for damage in damages
        ]
        if not headlines and not damages:
            rest.append(line)
    for repeat in read_repeats(rest, list(claims)):
        if repeat.headline is None:
            reason = "a factor at a bar that no headline of the slide states: what it compares is not known"
            rows.append(context.reject(repeat.cell, "unread_label", reason, "row", repeat.cell.text))
            continue
        claim = claims[repeat.headline]
        rows.append(
            replace(
                claim,
                cell=repeat.cell,
                factor=repeat.factor.value,
                factor_low=repeat.factor.low,
                factor_high=repeat.factor.high,
                bound=repeat.factor.bound,
                repeats_line=claim.cell.line,
            )
        )
    return rows, rest


def _same(headline: Headline, claims: dict[Headline, Claim]) -> Claim | None:
    """The claim that an earlier headline of the slide has already made, in other or the same words."""
    for known, claim in claims.items():
        if (known.factor, known.metric) == (headline.factor, headline.metric):
            return claim
    return None


def _claim(headline: Headline, context: SlideContext) -> Claim:
    comparison = context.comparison
    words = [headline.condition, *comparison.conditions]
    return Claim(
        cell=headline.cell,
        section=context.section,
        section_line=context.section_line,
        factor=headline.factor.value,
        factor_low=headline.factor.low,
        factor_high=headline.factor.high,
        bound=headline.factor.bound,
        metric=headline.metric,
        task=context.task,
        model_printed=context.model,
        subject_printed=comparison.subject_name,
        baseline_printed=comparison.baseline_name,
        subject_sdk_version=common(side.sdk_version for side in comparison.subject),
        baseline_sdk_version=common(side.sdk_version for side in comparison.baseline),
        conditions="; ".join(dict.fromkeys(word for word in words if word)) or None,
        sentence=headline.text,
    )
