"""Lines that a program prints as it goes on: steps, iterations, progress bars. No row is made of them."""

from __future__ import annotations

import re

# Each with a real line; the first words decide, so that a hundred thousand lines are read quickly.
_STEP = re.compile(
    "|".join(
        (
            # `iteration       43/     100 | consumed samples:         5504 | elapsed time per iteration (ms): 5444.9 |`
            r"iteration\s+\d+/\s*\d+\s*\|",
            # `completed step: 10, seconds: 1.234, TFLOP/s/device: 312.5, Tokens/s/device: 5321.1, loss: 9.12`
            r"completed step: \d+, ",
            # `Infer [8/40]. 1841.02 samples/sec. 139.053 ms/step.`
            r"(?:Infer|Train) \[\d+/\d+\]\. ",
            # `Iter #0: 287.1 img/sec per GPU`
            r"Iter #\d+: ",
            # `Epoch: [0][  10/5005]`, `Epoch: [0/100]  [2240/2502]  eta:`, `Test: [ 10/196]`, `Train: 0 [ 0/1251 (0%)]`
            # `Epoch [1][50/7330]\tlr: 2.0e-02`, `Epoch(train) [1][50/7330]`
            r"(?:Epoch|Test|Train|Val|Valid|Eval)\w*+:?\s*+(?:\(\w+\)\s*+)?"
            r"(?:\d++\s*+|\[\s*+\d++\s*+(?:/\s*+\d+)?\]\s*+)?\[\s*+\d++\s*+/\s*\d+",
            # `Epoch 1/10, Step 100/500, Loss: 0.5`, `epoch 3 | step 200 | loss 0.4`, `epoch=0/micro_step=1/...`
            # `Training epoch 0, iteration 120/149 | lr: 3e-05 | consumed_samples: 121`
            r"(?:Training )?Epoch\b[\s:=#\[(]*\d+\S{0,12}[\s,|:;/\]-]*"
            r"(?:global_|micro_)?(?:step|iter(?:ation)?|batch)s?\b",
            r"epoch=\d+/micro_step=\d+/global_step=\d+",
            # `epoch 001:    100 / 5005 loss=4.5, ppl=22.6, wps=12345`
            r"(?:train_inner \| )?epoch \d+:\s+\d+ / \d+\s",
            # `Average on 10 runs - GPU latency: 4.24171 ms - Host latency: 4.29793 ms`
            r"Average on \d+ runs - ",
            # `10\timages/sec: 812.5 +/- 0.0 (jitter = 0.0)\t7.6`
            r"\d+\s+images/sec: ",
            # `Pass [1] throughput: 1187.8 infer/sec. Avg latency: 840 usec (std 205 usec)`
            r"Pass \[\d+\] throughput: ",
            # `Engine 000: Avg prompt throughput: 1.2 tokens/s, Avg generation throughput: 30.1 tokens/s, Running: 1`
            r"(?:Engine \d+: )?Avg prompt throughput: ",
            # `Decode batch. #running-req: 1, #token: 50, gen throughput (token/s): 97.1`, `Prefill batch. #new-seq: 1`
            r"(?:Decode|Prefill) batch[.,]? ",
            # `:::MLLOG {"namespace": "", "time_ms": 1620000000000, "event_type": "POINT_IN_TIME", "key": "seed"}`
            r":::MLL(?:OG)? ",
            # `DLL 2020-11-18 19:30:26.53 - (0, 10) loss : 7.1`, `DLL 2020-11-18 19:30:26.5 - Iteration: 10  loss: 1`
            r"DLL \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? - "
            r"(?:\(\d[^)]*\)|(?:Epoch|Iteration|Step|Training)\b(?:[^:\d]*+\d|[^:]*+:\s*\d))",
            r"DLLL \{.*\"step\": (?:\[\s*\"?\d|\"?\d|\{\"?\w+)",
        )
    ),
    re.IGNORECASE,
)
# `step: 10  loss:  7.1234  memory: 12.34GiB(34.5%)  tps: 1,234  mfu: 12.34%`, `Step 10: loss = 7.1 (0.3 sec)`,
# `[step 10] loss: 0.3`, `global step 500: loss = 2.3`, `Iteration 100, loss = 0.3`, `iter: 20/720 loss: 1.2`; a
# numbered heading of a text (`Step 2: Install PyTorch 2.1`) has no named number behind it
_MAYBE_STEP = re.compile(
    r"\[?(?:train |training |global[ _])?(?:step|iter(?:ation)?|batch|update)s?\b\]?\s*+(?:[:=#\[]\s*+)?(?>\d[\d,]*\b)"
    r".*?[A-Za-z)]\s*+[:=]\s*+[-+]?\d",
    re.IGNORECASE,
)
# ` 98%|█████████▊| 2086/2120 [26:01<00:22,  1.49it/s]`, `Epoch 0:   1%|  | 795/77225 [9:07:58<878:01:48, 41.36s/it]`,
# `128it [00:12, 10.1it/s]`
_BAR = re.compile(
    r"(?:[^|]{0,80}?:?\s*)?\d{1,3}(?:\.\d+)?%\|[^|]*\|\s*[^\s/]+\s*/\s*[^\s\[]+\s*\[.*"
    r"|(?:[^|]{0,80}?: )?\d+it \[\d+:\d\d.*"
)
# `{'loss': 2.2607, 'learning_rate': 5.26e-06, 'epoch': 0.02}`
_DICTIONARY = re.compile(r"\{(?:\s*+['\"][\w/. -]{1,60}['\"]\s*+:\s*+(?:'[^']*'|\"[^\"]*\"|[-+\w.]+)\s*+,?)+\}")
_OF_STEP = re.compile(
    r"['\"](?:loss|step|epoch|learning_rate|grad_norm|\w*_loss|\w*_runtime|global_step|iteration)['\"]\s*:"
)


# `12.3o4`, `1O24`, `5l2`: a letter within a number that stands behind a name; never `1e-05`, `2x4`, `1h23m`, `0x7f`
_LETTER_WITHIN = re.compile(r"[:=|(/]\s*(?P<number>[-+]?\d[\d.,]*[A-DF-Za-df-wyz]\d[\d.,]*)(?![\w-])")
# What other words of a step look like that: `1h23`, `5m12`, `3d4`
_TIME_WITHIN = re.compile(r"\d+[dhms]\d+")


def damage_in(text: str) -> str | None:
    """What of the words of a step is damaged, as a sentence; None where nothing is seen to be."""
    if text.startswith("{") and _OF_STEP.search(text) and not text.endswith("}"):
        return "the dictionary is not closed: the line may be cut"
    if "%|" in text and "[" in text and "]" not in text[text.rindex("[") :]:
        return "the progress bar is not closed: the line may be cut"
    for match in _LETTER_WITHIN.finditer(text):
        if not _TIME_WITHIN.fullmatch(match["number"]):
            return f"`{match['number']}` is not a number"
    return None


def is_step(text: str) -> bool:
    """Whether the words of a program are what only a program prints for a step, or for how far it is."""
    if text.startswith("{"):
        return bool(_OF_STEP.search(text) and _DICTIONARY.fullmatch(text))
    if _STEP.match(text):
        return True
    return ("%|" in text or "it [" in text) and bool(_BAR.fullmatch(text))


def may_be_step(text: str) -> bool:
    """Whether the words may be those of a step; a text that is no log may hold such a line, too."""
    return bool(_MAYBE_STEP.match(text))
