"""What stands around a numeral in running text, as patterns. Their order is in `statuses.py`."""

from __future__ import annotations

import re

# Words between a number and what it counts; behind a preposition something else begins.
_ADJECTIVE = r"(?:(?!(?:on|in|at|per|with|for|of|vs|than|to|from|by|and|or|is|are|was|were)\b)[\w-]+\s)"

# A word with which two things are compared; beside a numeral it makes a claim.
COMPARISON = re.compile(
    r"\b(?:faster|slower|quicker|higher|lower|greater|better|worse|less|fewer|shorter|longer|smaller|cheaper"
    r"|improv\w+|increas\w+|decreas\w+|reduc\w+|gains?|speed-?\s?ups?|accelerat\w+|outperform\w*|exceed\w*|surpass\w*"
    r"|advantage|uplift|boost\w*|versus|vs|compared|twice|double[sd]?|half|efficien\w+|scaling)\b",
    re.IGNORECASE,
)
# A word for what benchmarks measure.
METRIC = re.compile(
    r"\b(?:throughput|latenc\w+|performance|time[\s-]to[\s-]\w+|training\s+time|inference\s+time|step\s+time|epoch\s+time"
    r"|accurac\w+|speed|utili[sz]ation|efficiency|perplexity|loss|BLEU|WER|MAE|MRR|mAP|F1|tokens?|power|cost|price)\b",
    re.IGNORECASE,
)

# ` images per second`, `k tokens/s`, ` queries every second`, ` samples/sec/W`
RATE = re.compile(
    r"\s?(?:[kKM]\b|thousand|million|billion)?[\s-]?(?:[\w-]{1,40}\s){0,3}?[\w-]{0,40}\s?"
    r"(?:/|\bper\b|\ban?\b|\bevery\b|\beach\b)\s?(?:s|sec|secs|second|minute|min|hour|ms|watt|W|dollar|joule|GPU)\b"
    r"|\s?(?:fps|qps|rps|wps|TPS|it/s)\b|\s?/\s?s(?:ec)?\b",
    re.IGNORECASE,
)
# ` ms`, `-minute`, ` hours`, `s`: what benchmarks are timed in; not `24 hours a day`
DURATION = re.compile(
    r"[\s-]?(?:ns|us|µs|μs|ms|s|secs?|min|mins|h|hrs?|(?:nano|micro|milli)?seconds?|minutes?|hours?|days?)\b"
    r"(?!\s+(?:a|per)\s+(?:day|week)|\s+ago)",
    re.IGNORECASE,
)
# `x`, ` times`, `-fold`
TIMES = re.compile(r"\s?[xX×](?![\w])|[\s-]times\b|[\s-]?fold\b", re.IGNORECASE)
PERCENT = re.compile(r"\s?(?:%|percent\b|per\s+cent\b)", re.IGNORECASE)
# `a latency of just `, `accuracy: `, `the speed-up is `
VALUE_BEFORE = re.compile(
    r"\b(?:throughput|latenc(?:y|ies)|time[\s-]to[\s-]\w+|accuracy|perplexity|speed-?\s?up|loss|MAE|MRR|epoch\s+time)"
    r"\s*(?:of|is|was|were|at|to|=|:)\s*(?:(?:just|only|about|around|over|under|below|above|up\s+to|nearly|almost)\s+)*$",
    re.IGNORECASE,
)

# `2x DGX A100`, `8 x H100`
COUNTED = re.compile(r"\s?[xX×]\s?(?=[^\W\d])")
# `2x AcmeOne`: a name in no vocabulary, but with a digit or a second capital
COUNTED_UNKNOWN = re.compile(r"\s?[xX×]\s?(?=\S*(?:\d|[a-z][A-Z]|[A-Z]{2}))[A-Z]\S*")
HARDWARE = re.compile(
    rf"[\s-]{_ADJECTIVE}{{0,2}}?(?:IPUs?|GPUs?|CPUs?|TPUs?|HPUs?|NPUs?|accelerators?|chips?|processors?|nodes?|servers?|sockets?"
    r"|devices?|cards?|hosts?|instances?|systems?|machines?|pods?|racks?|replicas?|cores?|tiles?|threads?|lanes?)\b",
    re.IGNORECASE,
)

VERSION_BEFORE = re.compile(
    r"(?:\b(?:SDK|Neuron|SynapseAI|version|ver\.?|release|build|driver|CUDA|cuDNN|Python|Ubuntu|ROCm|JDK|kernel|firmware)\s*v?"
    r"|(?<![\w])v\.?)$",
    re.IGNORECASE,
)
# `MLPerf 3.1`, `MLPerf Training (2.0)`; only with a point, as `MLPerf 2021` is a year
SUITE_BEFORE = re.compile(r"\bMLPerf(?:\s+(?:Training|Inference|HPC|Tiny|Storage|Client))?\s*\(?$", re.IGNORECASE)
FORMAT_BEFORE = re.compile(r"\b(?:(?:NV|MX)?FP|BFLOAT|FLOAT|BF|TF|U?INT)[\s-]?$", re.IGNORECASE)
FORMAT_BEHIND = re.compile(r"[\s-]bit\b", re.IGNORECASE)
SETTING_BEFORE = re.compile(
    r"\b(?:(?:micro|mini|global)?[\s-]?batch(?:[\s-]?sizes?)?|BS|seq(?:uence)?[\s-]?len(?:gth)?s?|SL|(?:input|output|context|prompt)\s+lengths?"
    r"|group\s+dim|image\s+size|resolution|learning\s+rate|phase|epoch|top|seed|threshold|beam(?:\s+size)?|concurrency|degree)"
    r"\s*+(?:(?:of|=|:|is)\s*+)?(?:\d++(?:[.,]\d++)*+\s*+(?:,|-|\u2013|to|and|or|through|&)\s*+)*-?$",
    re.IGNORECASE,
)
SETTING_BEHIND = re.compile(
    r"(?:th|st|nd|rd)\s+percentile\b"
    rf"|[\s-]{_ADJECTIVE}{{0,1}}?(?:epochs?|steps?|iterations?|batch(?:es)?|folds?|shots?|runs?|trials?|seeds?|warm-?ups?)\b",
    re.IGNORECASE,
)
MODEL_SIZE = re.compile(
    rf"\s?(?:[MBT]\b|million|billion|trillion)?[\s-]{_ADJECTIVE}{{0,1}}?(?:layers?|units?|parameters?|params|weights|heads|dimensions?|channels?|experts|classes)\b",
    re.IGNORECASE,
)
IMAGE_SIZE_BEHIND = re.compile(r"\s?[x×]\s?\d")
IMAGE_SIZE_BEFORE = re.compile(r"\d\s?[x×]\s?$")

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec)[a-z]*\.?"
MONTH_BEFORE = re.compile(rf"\b{_MONTH}\s+(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s+)?$")
MONTH_BEHIND = re.compile(rf"(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}(?![a-z])")
# Only a year can follow these; a capital word before a year names what took place in it: `NeurIPS 2022`
YEAR_BEFORE = re.compile(
    r"(?:\b(?:in|since|of|by|from|until|till|during|before|after|early|late|mid|end|year|spring|summer|autumn|fall|winter|and|to)"
    r"|©|\([cC]\)|\b[Cc]opyright|\bQ[1-4]|\bH[12]|\b[A-Z][\w-]{0,40}[A-Za-z]|[,/(-])[\s-]{0,9}$"
)
# `OGB-LSC 2022`: an event in capitals is named with its year, whatever follows
EVENT_BEFORE = re.compile(r"\b[A-Z][\w-]{0,30}[A-Z]\w{0,30}\s$")
YEAR_BEHIND = re.compile(r"\s*(?:[.,;:)]|$|-\s|\s(?:[A-Z]|and|in|to|at|as|by|for|with|on|we|the|was|is)\b)|/\d\d")
YEAR = range(1990, 2050)
CALENDAR = re.compile(
    r"[\s-]?(?:weeks?|months?|years?|decades?|quarters?)\b|\s+(?:hours?|days?)\s+(?:a|per)\s+(?:day|week)\b|\s+days?\s+ago\b"
)
DAY_BEFORE = re.compile(r"\d{4}-\d\d-\d\d[T\s]$")
CLOCK_BEHIND = re.compile(r"\s?(?:[ap]\.?m\.?\b|UTC|GMT|PST|PDT|CET|EST)", re.IGNORECASE)
ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")
LIST_NUMBER = re.compile(r"[.)](?:\s|$)")
LIST_START = re.compile(r"\s*(?:#{1,6}\s+)?\(?$")
REFERENCE_BEFORE = re.compile(
    r"\b(?:table|fig(?:ure|\.)?|section|sec\.|chapter|appendix|page|slide|chart|footnote|note|eq(?:uation|\.)?|step|item|part|no\.)\s*#?$"
    r"|#$|\.\w{1,4}:$",
    re.IGNORECASE,
)
CITATION_BEFORE, CITATION_BEHIND = re.compile(r"\[$"), re.compile(r"\]")
RACK_UNITS = re.compile(r"\s?(?:U|RU)(?![\w-])")
HARDWARE_UNITS = re.compile(
    r"[\s-]?(?:(?:million|billion|trillion)\s)?(?:[KMGTP]i?B(?:/s(?:ec)?|ps)?|[KMGT]b(?:/s|ps|it\w*)|[kMGTPE]?(?:FLOPS?|FLOP/s|OPS)|(?:peta|tera|giga|exa)(?:FLOPS?|bytes?|ops)"
    r"|[kMG]?Hz|nm|mm2?|kW|W|watts?|transistors|bytes?|megabytes|gigabytes|terabytes)(?![\w/])",
    re.IGNORECASE,
)
# `achieved 412 TFLOPS`: a peak is stated, this was measured
MEASURED_BEFORE = re.compile(r"\b(?:achiev|sustain|measur|reach|deliver|record)\w*\b[^.;]{0,40}$", re.IGNORECASE)
OF_WHOLE = re.compile(r"\s+of\s+(?P<what>[^.,;:()]{1,60})", re.IGNORECASE)
_THINGS = (
    r"(?:members?|affiliates|partners?|customers?|clients?|companies|organi[sz]ations|vendors|manufacturers|institutions|universities|start-?ups"
    r"|countries|cities|offices|states|people|persons|employees|engineers|researchers|scientists|developers|users|experts|colleagues|teams"
    r"|papers|articles|blogs?|posts|charts|tables|pages|slides|sections|chapters|tutorials|examples|repositories|authors|talks|events"
    r"|submitters|submissions|entries|rounds|categories|divisions|challenges|competitions|awards|goals|reasons|questions|ways"
    r"|models|workloads|applications|benchmarks|networks|tasks|use\s+cases|projects|products|updates|releases|versions|features|improvements|metrics)"
)
THINGS_BEHIND = re.compile(rf"\+?\s{_ADJECTIVE}{{0,3}}?{_THINGS}\b", re.IGNORECASE)
THINGS_BEFORE = re.compile(
    rf"\b{_THINGS}\b[^.;:]{{0,60}}\b(?:number(?:s|ed|ing)?|count(?:s|ed)?|total(?:s|led)?)\s+(?:(?:more|fewer|less)\s+than\s+|about\s+|over\s+|around\s+)?$",
    re.IGNORECASE,
)
MONEY_BEFORE = re.compile(r"(?:[$€£¥]|\b(?:USD|EUR|GBP))\s?$")
MONEY_BEHIND = re.compile(r"\s?(?:dollars|euros|USD|EUR|€)(?!\w)")
BUSINESS = re.compile(
    r"\b(?:rais(?:e[ds]?|ing)|fund\w*|invest\w*|valu(?:ed|ation)|revenues?|markets?|turnover|profit|acqui\w+|grants?|round)\b",
    re.IGNORECASE,
)
MEMORY = re.compile(r"\s?GB(?![\w/])")
