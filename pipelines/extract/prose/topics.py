"""Whether a comparison is one of benchmarks at all. What it compares belongs in `comparisons.py`."""

from __future__ import annotations

import re
from itertools import islice

from pipelines.extract.prose.names import models_in, platforms_in
from pipelines.extract.prose.sentences import Sentence

# Words that only benchmarks use; `performance`, `training` and `cost` are everyday words.
_BENCHMARK = re.compile(
    r"\b(?:inferenc\w+|throughput|latenc(?:y|ies)|time[\s-]to[\s-]train\w*|(?:tokens|images|samples|sequences)\s+per\s+second|MLPerf"
    r"|[CGTIH]PUs?|AI\s+performance|Xeon|EPYC|Instinct|GeForce|accelerators?|neural\s+networks?)\b",
    re.IGNORECASE,
)
_WORK = re.compile(
    r"\b(?:train|infer|fine-?tun|converg|simulat|comput|process|runs?\b|solv|epochs?\b)\w*", re.IGNORECASE
)
# What a sentence leaves out has been said in one of so many before it.
_REACH = 5


def is_about_benchmarks(sentence: Sentence) -> bool:
    """False where neither the sentence nor what stands above it names hardware, a model or a benchmark's own word.

    `Our team answers 3x faster` and `30% better performance of the sales team` compare as well.
    """
    near = [sentence, *islice(sentence.before(), _REACH), *sentence.section.headings()]
    return any(_BENCHMARK.search(other.plain) or names_subject(other.plain) for other in near)


def says_work(plain: str) -> bool:
    """True where the time that a sentence is about may be one of work that benchmarks measure."""
    return _WORK.search(plain) is not None


def names_subject(plain: str) -> bool:
    """True where a name is known, or has a digit as products do; grammar alone takes a `Sales Team` for one."""
    mentions = (*platforms_in(plain), *models_in(plain))
    return any(mention.is_known or any(c.isdigit() for c in mention.name) for mention in mentions)
