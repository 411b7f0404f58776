"""Names of platforms and models in a sentence, known ones and such as grammar tells. Their roles: `subjects.py`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from pipelines.extract.prose.clauses import COMPARATOR
from pipelines.values.precisions import parse_precision
from pipelines.values.versions import STACK
from pipelines.vocabulary.lookup import Kind, find, load, spelling_pattern

# `Foo-9000`, `MI300X`, `Llama 2 70B`, `AWS Trainium2`: words with a capital or a digit, one after the other
_WORD = r"(?>[A-Z][\w+/-]{0,60}(?:\.\w{1,40}){0,5}|[a-z]{1,8}-?\d[\w-]{0,60}(?:\.\w{1,40}){0,5})"
_NAME = rf"{_WORD}(?:[ -](?>[A-Z0-9][\w+/-]{{0,60}}(?:\.\w{{1,40}}){{0,5}})){{0,7}}"
_HARDWARE = (
    r"(?:systems?|platforms?|servers?|accelerators?|GPUs?|processors?|instances?|chips?|clusters?|cards?|box(?:es)?"
    r"|nodes?|pods?|devices?)"
)
VERB = (
    r"(?:is|are|was|were|can|has|have|will|delivers?|delivered|achiev\w+|process(?:es|ed)?|outperform\w*|provid\w+|offer\w*|train(?:s|ed)|"
    r"runs?|ran|reach\w+|show(?:s|ed)|gives?|gave|beats?|exceed\w*|surpass\w*|complet\w+|enables?|improv(?:es|ed)|reduc(?:es|ed)|cuts?|doubl\w+|"
    r"tripl\w+|halv\w+|generat\w+|perform(?:s|ed)|demonstrat\w+|boasts?|serves?|finish\w+|takes?|took|needs?|sustain\w*|hits?|produc\w+|lowers?)"
)
_SUBJECT = re.compile(
    rf"(?<![\w-])({_NAME})(?=(?:\s+{_HARDWARE})?\s*(?:\([^()]*\)\s*)?\s(?:\w+ly\s+|now\s+|still\s+)?{VERB}\b)"
)
_FILLER = (
    r"(?:(?:that\s+of|those\s+of|published|results|for|on|with|using|the|an?|its|our|their|single|one|previous|older|prior|current"
    r"|comparable|competing|competitive|leading|same|is|achievable|by|generation|performance|of|[A-Z]\w*'s)\s+)*"
)
_OBJECT = re.compile(rf"\s+{_FILLER}({_NAME})")
_NO_PLATFORM = (
    r"\w*training|inference|models?|benchmarks?|networks?|workloads?|data\s?sets?|test|suite|tasks?|corpus|release"
    r"|version|update"
)
# `on the Foo-9000 system`, `with Foo-9000 servers`
_PLACED = re.compile(
    rf"\b(?:on|with|using|by|of|for)\s+(?:the\s+|an?\s+|our\s+|one\s+|single\s+)*({_NAME})(?=\s+{_HARDWARE}\b)"
)
# `on the Foo-9000`, where a digit stands in the name and no benchmark follows
_PLACED_BARE = re.compile(
    rf"\b(?:on|with|using|by)\s+(?:the|an?|our|one|single)\s+(?=[\w -]{{0,60}}\d)({_NAME})(?!\s+(?:{_NO_PLATFORM})\b)"
)
# Memory and form of a chip belong to its name: `H100 SXM5`, `A100 PCIe 80GB`
_TAIL = re.compile(r"(?:[- ](?:\d+\s?GB|SXM\d?|PCIe|NVL\d*|OAM|[Ss]uperP[oO][dD]|Pods?)(?![\w-]))+")
# `2x DGX A100`: the count is part of what is compared
_COUNT = re.compile(r"(?<![\w.,])\d{1,5}\s?[xX\u00d7]\s?$")
_MODEL_NOUN = (
    r"(?:training|pre-?training|inference|inferencing|fine-?tuning|models?|benchmarks?|networks?|workloads?|serving)"
)
# `the Llama 2 70B benchmark`, `GPT-J inference`
_MODEL_BY_NOUN = re.compile(rf"(?<![\w-])({_NAME})(?=(?:\s*:)?\s+{_MODEL_NOUN}\b)")
# `Llama 2 70B`, `Mixtral 8x7B`
_MODEL_BY_SIZE = re.compile(
    r"(?<![\w-])((?:[A-Z][\w+/-]{0,60}(?:\.\w[\w+/-]{0,40}){0,4}|[a-z]{1,8}-?\d[\w-]{0,60}(?:\.\w[\w-]{0,40}){0,4})"
    r"(?: [A-Z0-9][\w.-]{0,40}){0,6}?[ -](?:\d{1,4}x)?\d{1,5}(?:\.\d{1,3})?[BMT])(?![\w-])"
)
# `for 30B models`, `the 7B-parameter model`
_MODEL_OF_SIZE = re.compile(r"(?<![\w.-])(\d+(?:\.\d+)?[BMT])(?=(?:[\s-]parameters?)?\s+models?\b)")
# `BERT-Large Training`, `Training: Llama 2 70B`
_HEADING_MODEL = re.compile(
    rf"^(?:#+\s*+)?(?:[\w ]*?\b(?:training|inference)\s*+:\s*+)?({_NAME})(?:\s*+(?:[:-]\s*+)?(?i:{_MODEL_NOUN})\b|\s*$)"
)
_LEADING = re.compile(
    r"^(?:(?:The|Our|An?|With|On|In|For|This|These|Its|At|When|By|Using|And|Both|Each|Standard|Optimi[sz]ed|Official"
    r"|(?:Pre-?)?Training|Fine-?tuning|Serving|Running|Deploying|Testing)\s+)+"
)
# Who makes platforms, kinds of hardware, software and suites: none of them names what was measured.
_NO_NAMES_TEXT = """
    nvidia amd intel google aws amazon microsoft azure graphcore cerebras habana groq sambanova qualcomm
    huawei meta ibm dell hpe oracle supermicro lenovo mlperf mlcommons gpu gpus cpu cpus ai ml llm llms nlp
    sdk ceo hpc asic tpu npu fpga it we you they this that which what there here he she i rocm cuda cudnn
    tensor core cores awq gptq gguf lora qlora quantized
    vllm openvino oneapi tensorrt-llm triton deepspeed sql api tco customers users results performance
    throughput latency speed ttt ttft tpot dl gen ec2
    january february march april may june july august september october november december
"""
_NO_NAMES = frozenset(_NO_NAMES_TEXT.split())
_SOFTWARE = re.compile(
    rf"(?:{STACK}|CUDA|cuDNN|vLLM|SDK|OpenVINO|oneAPI|TensorRT|TensorRT-LLM|driver|version|v?\d[\d.]*)\b",
    re.IGNORECASE,
)


# `eight A100s`, `8 Gaudi2s`
_PLURAL = re.compile(
    r"(?<=[A-Z]\d{2})s(?![\w-])|(?<=[A-Z]\d{3})s(?![\w-])|(?<=[A-Z]\d{4})s(?![\w-])|(?<=[A-Za-z-]\d)s(?![\w-])"
)
# `A 3x improvement`: a factor is no name
_NUMBER = re.compile(r"\d[\d.,]*\s?[xX\u00d7%]?")
# `Foo 9000 GPUs`
_KIND_BEHIND = re.compile(r"(?:(?<!\s)\s+(?:GPUs?|CPUs?)){1,3}$")
# `BERT` of `BERT-Large`: the letters that the name of a known model starts with
_HEAD = re.compile(r"[A-Za-z]{3,}")
# `GPU-based clouds`
_MADE_OF = ("-based", "-powered", "-class", "-optimized", "-enabled", "-only", "-generation")


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a sentence: its characters, and whether a vocabulary knows it."""

    name: str
    start: int
    end: int
    is_known: bool = True


@lru_cache(maxsize=2048)
def platforms_in(plain: str) -> tuple[Mention, ...]:
    """Platforms named in a sentence; unknown ones where a verb, a comparator or a kind of hardware tells."""
    found = [_widened(plain, mention) for mention in _known("platforms", plain)]
    masked = _without_other_names(plain, found)
    for match in [*_SUBJECT.finditer(masked), *_PLACED.finditer(masked)]:
        _add_unknown(found, plain, match)
    for match in _PLACED_BARE.finditer(masked):
        if any(c.isdigit() for c in match[1]):
            _add_unknown(found, plain, match)
    for comparator in COMPARATOR.finditer(masked):
        if compared := _OBJECT.match(masked, comparator.end()):
            _add_unknown(found, plain, compared)
    return tuple(sorted(found, key=lambda mention: mention.start))


@lru_cache(maxsize=2048)
def models_in(plain: str) -> tuple[Mention, ...]:
    """Models named in a sentence; unknown ones by their size, a known family's name or the noun behind them."""
    found = list(_known("models", plain))
    taken = [*found, *(m for m in _known("platforms", plain))]
    for pattern in (_MODEL_BY_SIZE, _family_pattern(), _MODEL_BY_NOUN, _MODEL_OF_SIZE):
        for match in pattern.finditer(plain):
            mention = _trimmed(plain, *match.span(1))
            if mention and _is_name(plain, mention) and not _overlaps(mention, taken):
                found.append(mention)
                taken.append(mention)
    return tuple(sorted(found, key=lambda mention: mention.start))


def heading_model(plain: str) -> Mention | None:
    """The one model a heading names, known or not, or None."""
    found = {mention.name.casefold(): mention for mention in models_in(plain)}
    if found:
        return next(iter(found.values())) if len(found) == 1 else None
    match = _HEADING_MODEL.match(plain)
    mention = _trimmed(plain, *match.span(1)) if match else None
    if mention is None or not _has_model_noun(plain) or not _is_name(plain, mention):
        return None
    return None if _overlaps(mention, _known("platforms", plain)) else mention


def vendor_of(printed: str) -> str | None:
    """Who makes a known platform, or None."""
    entry = find("platforms", printed)
    return entry.facts.get("vendor") if entry else None


def vendors_in(plain: str) -> list[str]:
    """Makers of known platforms that a text names, in alphabetical order."""
    return sorted(vendor for vendor in _vendors() if re.search(rf"\b{re.escape(vendor)}\b", plain))


@cache
def _vendors() -> frozenset[str]:
    return frozenset(vendor for entry in load("platforms").values() if (vendor := entry.facts.get("vendor")))


def canonical(printed: str) -> str:
    """What two spellings of one platform have in common: the canonical name where one is known."""
    entry = find("platforms", printed)
    return entry.name if entry else printed.casefold()


def _has_model_noun(plain: str) -> bool:
    return re.search(rf"\b{_MODEL_NOUN}\b", plain, re.IGNORECASE) is not None


def _known(kind: Kind, plain: str) -> list[Mention]:
    """Known names; one in small letters only (`clip`, `bow`) is an everyday word, unless it has a digit."""
    found = []
    for match in spelling_pattern(kind).finditer(_PLURAL.sub(" ", plain)):
        start, end = match.span()
        if plain[start : start + 4].lower() == "the ":
            start += 4
        name = plain[start:end]
        if any(c.isupper() or c.isdigit() for c in name):
            found.append(Mention(name, start, end))
    return found


def _widened(plain: str, mention: Mention) -> Mention:
    start, end = mention.start, mention.end
    tail = _TAIL.match(plain, end)
    end = tail.end() if tail else end
    count = _COUNT.search(plain[:start])
    start = count.start() if count else start
    return Mention(plain[start:end], start, end)


def _without_other_names(plain: str, platforms: list[Mention]) -> str:
    """The sentence with known names blanked out, so that no unknown name runs across one."""
    spans = [(mention.start, mention.end) for mention in platforms]
    spans += [(mention.start, mention.end) for mention in models_in(plain)]
    kinds: tuple[Kind, ...] = ("frameworks", "datasets")
    for kind in kinds:
        spans += [match.span() for match in spelling_pattern(kind).finditer(plain)]
    for start, end in spans:
        plain = plain[:start] + "_" * (end - start) + plain[end:]
    return plain


def _add_unknown(found: list[Mention], plain: str, match: re.Match[str]) -> None:
    mention = _trimmed(plain, *match.span(1))
    if mention and _is_name(plain, mention) and not _overlaps(mention, found):
        found.append(mention)


def _trimmed(plain: str, start: int, end: int) -> Mention | None:
    """A name without the words before it that only start the sentence, and without a kind of hardware behind it."""
    text = plain[start:end]
    if leading := _LEADING.match(text):
        start += leading.end()
    text = _KIND_BEHIND.sub("", plain[start:end])
    return Mention(text, start, start + len(text), is_known=False) if text else None


def _is_name(plain: str, mention: Mention) -> bool:
    words = mention.name.split()
    if parse_precision(mention.name) or words[-1].casefold() in ("inference", "training"):
        return False
    if all(word.casefold() in _NO_NAMES for word in words) or _SOFTWARE.match(mention.name):
        return False
    if find("frameworks", words[0]) or words[0].casefold() in ("mlperf", "sdk") or "_" in mention.name:
        return False
    if _NUMBER.fullmatch(mention.name) or words[-1].casefold().endswith(_MADE_OF):
        return False
    is_marked = any(c.isdigit() or c.isupper() for c in mention.name[1:] if c != " ")
    return is_marked if len(words) == 1 and not _after_article(plain, mention.start) else is_marked or mention.start > 0


def _after_article(plain: str, start: int) -> bool:
    return re.search(r"\b(?:the|an?|our|its|one|single)\s+$", plain[:start], re.IGNORECASE) is not None


def _overlaps(mention: Mention, others: list[Mention]) -> bool:
    return any(mention.start < other.end and other.start < mention.end for other in others)


@cache
def _family_pattern() -> re.Pattern[str]:
    """Relatives of known models (`BERT-Tiny`, `ResNet-152`), by the letters that a known name starts with."""
    heads = {match[0] for entry in load("models").values() if (match := _HEAD.match(entry.name))}
    names = (head for head in heads if any(c.isupper() for c in head[1:]))
    body = "|".join(sorted(names, key=lambda head: (-len(head), head)))
    pattern = rf"(?<![\w-])((?:{body})(?:[- ]?(?:\d[\w.]*|[A-Z]\w*))(?:[ -](?:\d[\w.]*B|[A-Z]\d*))*)(?![\w-])"
    return re.compile(pattern)
