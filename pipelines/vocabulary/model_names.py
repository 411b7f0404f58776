"""Names of models made of a family and a tail: `Llama-3.1-8B-Instruct`, `Qwen/Qwen3-30B-A3B`,
`falcon 7b`.

The families stand in `models.yml`. Models that are no such name, or are known by another one, have
entries there.
"""

from __future__ import annotations

import re
from pathlib import Path

from pipelines.vocabulary.lookup import Entry, families, find, fold
from pipelines.yaml_files import load_yaml

# Who publishes models: `meta-llama/Llama-2-7b-hf`. Of other names before a slash (`FPN/ResNet-50`)
# the model is a part.
ORGANISATION = (
    r"(?:01-ai|ai21labs|allenai|amd|apple|baai|baidu|baichuan-inc|bigcode|bigscience|black-forest-labs|bytedance-seed"
    r"|codellama|cohereforai|coherelabs|compvis|databricks|deepmind|deepseek-ai|eleutherai|facebook|fixie-ai|google"
    r"|google-bert|google-t5|facebookai|distilbert|openai-community|huggingfaceh4|huggingfacetb|huggyllama|ibm|ibm-granite|intel"
    r"|internlm|lgai-exaone|liuhaotian|llava-hf|lmms-lab|lmsys|meta|meta-llama|microsoft|minimaxai|mistralai|mlx-community"
    r"|moonshotai|mosaicml|neuralmagic|nousresearch|nvidia|openai|opengvlab|openbmb|openlm-research|openvino|opensourcerelease"
    r"|qwen|redhatai|runwayml|salesforce|sentence-transformers|snowflake|stabilityai|state-spaces|tencent|thebloke|thudm"
    r"|tiiuae|tinyllama|togethercomputer|torchvision|timm|unsloth|upstage|xai-org|zai-org)/"
)
_ORGANISATION = re.compile(ORGANISATION, re.IGNORECASE)
_JOINT = r"[\s_-]{0,3}"
# `8B`, `1.5b`, `8x7B`, `125M`, `30B-A3B`, `17B-16E`, `E4B`
_SIZE = (
    r"(?:(?:\d{1,2}x)?\d{1,4}(?:\.\d{1,2})?|E\d)[BMT]"
    r"(?:[\s_-]?A\d{1,3}(?:\.\d{1,2})?B)?(?:[\s_-]?\d{1,3}E)?(?!\.{0,9}\w)"
)
_WORDS: dict[str, str] = load_yaml(Path(__file__).with_suffix(".yml"))
_WORD = rf"(?:{'|'.join(_WORDS)})(?!\w)"
# `v0.1`, `2507` (July 2025), `0528`, `128k`: releases and lengths that distinguish models
_RELEASE = r"(?:v\d(?:\.\d){0,2}|2[3-6](?:0[1-9]|1[0-2])|0[1-9][0-3]\d|\d{1,4}k)(?!\.{0,9}\w)"
# `-Coder-32B-Instruct`, ` 7b chat`, `-mini-4k-instruct`. Behind a blank only words that nothing
# else is called by.
TAIL = re.compile(
    rf"(?:{_JOINT}{_WORD}){{0,2}}{_JOINT}{_SIZE}"
    rf"(?:[_-](?:{_WORD}|{_RELEASE})|\s(?:instruct|chat|it|hf)(?!\w)|\sv0\.\d(?!\.{{0,9}}\w)){{0,4}}",
    re.IGNORECASE,
)
# `70-billion-parameter Llama 2`, `70B parameter Llama 2`: the size before the family
SIZE_BEFORE = re.compile(
    r"(?<![\w.])(?P<size>\d{1,4}(?:\.\d{1,2})?)[\s-]?(?:billion|B)[\s-]parameters?\s", re.IGNORECASE
)
_PIECE = re.compile(rf"{_SIZE}|{_RELEASE}|{_WORD}", re.IGNORECASE)
_END = re.compile(r"[A-Za-z0-9.+]+")
# No family has a longer name; longer texts are not searched.
_LONGEST_FAMILY = 60


def read_sized(printed: str) -> Entry | None:
    """The model that a family and a tail make, or None: `falcon-7b-instruct` is
    `Falcon 7B Instruct`.

    Each size, word and release stays in the name, so that two models never get one; only `-hf` says
    nothing. The entry of `models.yml` where it has one of that name.
    """
    text = without_organisation(printed)
    if before := SIZE_BEFORE.match(text):
        return read_sized(f"{text[before.end() :]} {before['size']}B")
    found = None
    for word in _END.finditer(text, 0, _LONGEST_FAMILY):
        family, tail = families().get(fold(text[: word.end()])), TAIL.fullmatch(text, word.end())
        if family and tail:
            found = family, tail[0]
    return _made_of(*found) if found else None


def without_organisation(printed: str) -> str:
    """The name without its publisher: `Llama-2-7b-hf` of `meta-llama/Llama-2-7b-hf`."""
    match = _ORGANISATION.match(printed)
    return printed[match.end() :] if match else printed


def _made_of(family: Entry, tail: str) -> Entry:
    name = " ".join((family.name, *filter(None, map(_canonical, _PIECE.findall(tail)))))
    facts = {key: value for key, value in family.facts.items() if key not in ("sized", "is_family")}
    return find("models", name) or Entry("models", name, facts)


def _canonical(piece: str) -> str:
    """`Instruct` of `it`, `30B-A3B` of `30b_a3b`, `8x7B` of `8x7b`; a release unchanged."""
    small = piece.casefold()
    if small in _WORDS:
        return _WORDS[small]
    return small if small[0] == "v" else re.sub(r"[\s_-]+", "-", small).upper().replace("X", "x")
