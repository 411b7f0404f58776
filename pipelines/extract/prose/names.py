"""Names of platforms and models in a sentence, known ones and such as grammar tells. Their roles: `subjects.py`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from pipelines.extract.mentions import find_mentions
from pipelines.extract.prose.clauses import COMPARATOR
from pipelines.values.numbers import STACK, parse_count
from pipelines.vocabulary.lookup import find, load

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
_FILLER = (
    r"(?:(?:that\s+of|those\s+of|published|results|for|on|with|using|the|an?|its|our|their|single|one|previous|older|prior|current"
    r"|comparable|competing|competitive|leading|same|is|achievable|by|generation|performance|of|[A-Z]\w*'s)\s+)*"
)
_NO_PLATFORM = (
    r"\w*training|inference|models?|benchmarks?|networks?|workloads?|data\s?sets?|test|suite|tasks?|corpus|release"
    r"|version|update"
)
_UNKNOWN_PLATFORMS = (
    # `The Foo-9000 system delivers`
    re.compile(
        rf"(?<![\w-])({_NAME})(?=(?:\s+{_HARDWARE})?\s*(?:\([^()]*\)\s*)?\s(?:\w+ly\s+|now\s+|still\s+)?{VERB}\b)"
    ),
    # `on the Foo-9000`, where a digit stands in the name and no benchmark follows
    re.compile(
        rf"\b(?:on|with|using|by)\s+(?:the|an?|our|one|single)\s+(?=[\w -]{{0,60}}\d)((?=\D{{0,60}}\d){_NAME})"
        rf"(?!\s+(?:{_NO_PLATFORM})\b)"
    ),
)
_OBJECT = re.compile(rf"\s+{_FILLER}({_NAME})")
# `2x DGX A100`: the count is part of what is compared
_TIMES_BEFORE = re.compile(r"(?<![\w.,])\d{1,5}\s?[xX\u00d7]\s?$")
# `for 30B models`, `the 7B-parameter model`
_SIZE_OF_MODEL = re.compile(r"(?<![\w.-])(\d+(?:\.\d+)?[BMT])(?=(?:[\s-]parameters?)?\s+models?\b)")
_LEADING = re.compile(
    r"^(?:(?:The|Our|An?|With|On|In|For|This|These|Its|At|When|By|Using|And|Both|Each|Standard|Optimi[sz]ed|Official"
    r"|(?:Pre-?)?Training|Fine-?tuning|Serving|Running|Deploying|Testing)\s+)+"
)
# Who makes platforms, kinds of hardware, software and suites: none of them names what was measured.
_NO_NAMES_TEXT = """
    nvidia amd intel google aws amazon microsoft azure graphcore habana qualcomm huawei meta ibm dell hpe oracle
    supermicro lenovo mlperf mlcommons gpu gpus cpu cpus ai ml llm llms nlp sdk ceo hpc asic tpu npu fpga it we
    you they this that which what there here he she i rocm cuda cudnn tensor core cores awq gptq gguf lora qlora
    quantized vllm openvino oneapi tensorrt-llm triton deepspeed sql api tco customers users results performance
    throughput latency speed ttt ttft tpot dl gen ec2 january february march april may june july august
    september october november december
"""
_NO_NAMES = frozenset(_NO_NAMES_TEXT.split())
# Makers of one system, which their sentences call by their name: `2.4x faster than Groq`. Kept as printed.
_MAKERS_OF_ONE = frozenset({"cerebras", "groq", "sambanova"})
_NO_NAME = re.compile(
    rf"(?:{STACK}|CUDA|cuDNN|vLLM|SDK|OpenVINO|oneAPI|TensorRT|TensorRT-LLM|MLPerf|driver|version|v?\d[\d.]*)\b"
    r"|.*(?:_|-(?:based|powered|class|optimized|enabled|only|generation)$|\s(?:inference|training)$)"
    # `A 3x improvement`: a factor is no name
    r"|\d[\d.,]*\s?[xX\u00d7%]?$",
    re.IGNORECASE,
)
# `A100 accelerators`: what kind of thing it is
_CHIP_BEHIND = re.compile(r"\s(?:AI\s)?(?:accelerator|chip|card)s?$", re.IGNORECASE)
# `4 IPUs`: the name of the chips in a count of them
_CHIPS = re.compile(r"\bIPUs?$")
# `BERT` of `BERT-Large`: the letters that the name of a known model starts with
_HEAD = re.compile(r"[A-Za-z]{3,}")
_AFTER_ARTICLE = re.compile(r"\b(?:the|an?|our|its|one|single)\s+$", re.IGNORECASE)
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8, "ten": 10, "sixteen": 16}
# `10,752`, `384`, `eight`; no year
COUNT = rf"\d{{1,3}}(?:,\d{{3}})+|(?!(?:19|20)\d\d\s)\d{{1,6}}|{'|'.join(_NUMBERS)}"
# `10,752 `, `eight NVIDIA `
_COUNT_BEFORE = re.compile(
    rf"(?<![\w.,$/-])(?P<count>{COUNT})\s+(?:NVIDIA\s+|AMD\s+|Intel\s+|Google\s+|AWS\s+)?$", re.IGNORECASE
)
# In `the Llama 2 H100 results` the number belongs to what stands before; `8 A100s` and `on 8 Gaudi2` count.
_PLURAL = re.compile(r"(?:[GITHRLN][PD]Us|[a-z\d]s)$|s\b|\s(?:[GIT]PU|accelerator|chip|card|node|server|system)s\b")
_PLACED = re.compile(r"\b(?:on|using|with|across|by|of)\s+\S+\s+(?:[A-Z]\w+\s)?$")
# `0.191 minutes on 3,456 chips`, `10,755 tokens/second on a single GPU`: the platform is named elsewhere
_DEVICES_BEHIND = re.compile(r"(?:\s[a-z]+\s?/\s?[a-z]+)?\s+(?:on|using|with|across)\s+(?:just\s+|only\s+|an?\s+)?")
# `On 8 GPUs, `, `Llama 3.1 70B (2,048 input tokens, 8 cards): `: what holds for all numbers of a sentence
_OF_ALL = re.compile(r"[^,:;()]{0,60}\([^()]{1,80}\)\s?:\s|\W{0,4}(?:On|With|Using|Across)\s[^,;:()]{1,30},\s")


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
    found = []
    for mention in _known("platform", plain):
        before = _TIMES_BEFORE.search(plain, 0, mention.start)
        start = before.start() if before else mention.start
        found.append(Mention(plain[start : mention.end], start, mention.end))
    # Other known names are blanked out, so that no unknown name runs across one.
    masked = plain
    for start, end in [
        *((name.start, name.end) for name in (*found, *models_in(plain))),
        *((m.start, m.end) for m in find_mentions(plain, True) if m.kind in ("framework", "dataset")),
    ]:
        masked = masked[:start] + "_" * (end - start) + masked[end:]
    matches = [match for pattern in _UNKNOWN_PLATFORMS for match in pattern.finditer(masked)]
    matches += [m for other in COMPARATOR.finditer(masked) if (m := _OBJECT.match(masked, other.end()))]
    for match in matches:
        name = _unknown(plain, *match.span(1))
        # `a Hopper H100`: the word before a known name only says more of it
        if name and not _overlaps(name, found) and masked[name.end : name.end + 2] != " _":
            found.append(name)
    return tuple(sorted(found, key=lambda mention: mention.start))


@lru_cache(maxsize=2048)
def models_in(plain: str) -> tuple[Mention, ...]:
    """Models named in a sentence; unknown ones by a known family's name or by their size alone."""
    found = _known("model", plain)
    taken = [*found, *_known("platform", plain)]
    for pattern in (_family_pattern(), _SIZE_OF_MODEL):
        for match in pattern.finditer(plain):
            mention = _unknown(plain, *match.span(1))
            if mention and not _overlaps(mention, taken):
                found.append(mention)
                taken.append(mention)
    return tuple(sorted(found, key=lambda mention: mention.start))


def accelerators_of(plain: str, mention: Mention | None, end: int) -> int | None:
    """Accelerators that a number was measured on; None where no count is printed.

    A known system counts with the accelerators inside it.

    Args:
        plain: The sentence.
        mention: The platform in it.
        end: One past the last character of the number.
    """
    behind = _DEVICES_BEHIND.match(plain, end)
    for counted in find_mentions(plain, True) if behind else ():
        if counted.kind == "accelerator_count" and behind and counted.start == behind.end():
            return int(counted.value)
    match = _COUNT_BEFORE.search(plain, 0, mention.start) if mention else None
    if mention is not None and match is None and (of_all := _OF_ALL.match(plain)):
        entry = find("platforms", mention.name)
        counts = [m.value for m in find_mentions(of_all[0], True) if m.kind == "accelerator_count"]
        # `Llama 3.1 8B (128 input tokens, 8 cards): the H100 reaches`; a system has chips of its own
        if len(counts) == 1 and entry and entry.facts.get("chips") == 1 and of_all.end() <= mention.start:
            return int(counts[0])
    if mention is None or match is None:
        return None
    is_plural = _PLURAL.search(mention.name) or _PLURAL.match(plain, mention.end)
    if not is_plural and not _PLACED.search(plain, 0, mention.start):
        return None
    count = _NUMBERS.get(match["count"].lower()) or parse_count(match["count"])
    entry = find("platforms", mention.name)
    return count * int(entry.facts.get("chips") or 1) if entry and count else count


def vendor_of(printed: str) -> str | None:
    """Who makes a known platform, or None."""
    entry = find("platforms", printed)
    return entry.facts.get("vendor") if entry else None


def vendors_in(plain: str) -> list[str]:
    """Makers of known platforms that a text names, in alphabetical order."""
    vendors = {vendor for entry in load("platforms").values() if (vendor := entry.facts.get("vendor"))}
    return sorted(vendor for vendor in vendors if re.search(rf"\b{re.escape(vendor)}\b", plain))


def canonical(printed: str) -> str:
    """What two spellings of one platform have in common: the canonical name where one is known."""
    entry = find("platforms", printed)
    return entry.name if entry else printed.casefold()


def _known(kind: str, plain: str) -> list[Mention]:
    """Known names; one in small letters only (`clip`, `bow`) is an everyday word, unless it has a digit."""
    found = []
    for mention in find_mentions(plain, True):
        start, end = mention.start, mention.end
        if kind == "platform" and mention.kind == "accelerator_count" and (ipus := _CHIPS.search(plain, start, end)):
            found.append(Mention(ipus[0], *ipus.span()))
        elif mention.kind == kind and any(c.isupper() or c.isdigit() for c in mention.value):
            start += len("the ") * plain.startswith("the ", start)
            name = _CHIP_BEHIND.sub("", plain[start:end])
            found.append(Mention(name, start, start + len(name)))
    return found


def _unknown(plain: str, start: int, end: int) -> Mention | None:
    """A name without the words before it that only start the sentence, and without a kind of hardware behind it.

    None for words that grammar puts where a name stands and that name nothing: a name has a digit, or a capital within
    a word (`Introducing Cerebras` is a title), or an article before its one word.
    """
    if leading := _LEADING.match(plain[start:end]):
        start += leading.end()
    name = plain[start:end]
    words = [word for word in re.split(r"[\s-]", name) if word.casefold() not in _NO_NAMES]
    if not words or _NO_NAME.match(name) or any(m.start == 0 for m in find_mentions(name) if m.kind in _OTHER_KINDS):
        return None
    is_one = all(word.casefold() in _MAKERS_OF_ONE for word in words)
    if not (is_one or any(map(_is_distinctive, words))):
        is_after_article = len(name.split()) == 1 and _AFTER_ARTICLE.search(plain[:start])
        if not is_after_article:
            return None
    return Mention(name, start, start + len(name), is_known=False)


_OTHER_KINDS = frozenset({"framework", "precision"})


def _is_distinctive(word: str) -> bool:
    return any(c.isdigit() or c.isupper() for c in word[1:]) or word[:1].isdigit()


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
