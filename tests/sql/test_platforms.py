"""What a result was measured on: the chip in a platform, how many of them ran, and who sells the
platform.
"""

from __future__ import annotations

from typing import Any

import pytest
from conftest import BuildOnce, Ledger

PAGE = """# Serving

| Model | System | TP | DP | Tokens/s | Tokens/s/GPU |
|---|---|---|---|---|---|
| Llama 3 8B | g5.xlarge | | | 100 | |
| Llama 3 8B | 4x v5e-256 | | | 2048 | |
| Llama 3 8B | 2x DGX H100 | 8 | | 800 | |
| Llama 3 8B | DGX A100 | 2 | 2 | 400 | |
| Llama 3 8B | trn1.32xlarge | 8 | | 80 | |
| Llama 3 8B | H100 NVL | 4 | | 40 | |
| Llama 3 8B | DGX B200 | | | | 70 |
| Llama 3 8B | Pixel 3a | | | 5 | |

## Training

| Model | System | TP | Tokens/s |
|---|---|---|---|
| Llama 3 8B | 2x DGX H200 | 8 | 800 |

## Scaling

| Model | System | GPUs | TP | DP | Tokens/s |
|---|---|---|---|---|---|
| Llama 3 8B | L40S | 16 | 8 | | 1600 |
| Llama 3 8B | L4 | 16 | 8 | 1 | 1600 |

## Rates of one device

| Model | System | GPUs | Tokens/s/GPU | TTFT (ms) |
|---|---|---|---|---|
| Llama 3 8B | MI300X | | 900 | 70 |
| Llama 3 8B | MI325X | 8 | 950 | |
| Llama 3 8B | MI355X | | | 60 |
| Llama 3 8B | 1x MI350X | | 970 | |

## First tokens

| Model | System | TTFT (ms) |
|---|---|---|
| Mixtral 8x7B | MI300X | 80 |
"""
MAPPING = """
tables:
- section: Training
  constants: {task: training}
  columns: {Model: model, System: platform, TP: tensor_parallel, Tokens/s: {metric: throughput, unit: tokens/s}}
- section: Scaling
  constants: {task: inference}
  columns:
    Model: model
    System: platform
    GPUs: accelerator_count
    TP: tensor_parallel
    DP: data_parallel
    Tokens/s: {metric: throughput, unit: tokens/s}
- section: Rates of one device
  constants: {task: inference}
  columns:
    Model: model
    System: platform
    GPUs: accelerator_count
    Tokens/s/GPU: {metric: throughput_per_device, unit: tokens/s/GPU}
    TTFT (ms): {metric: ttft, unit: ms}
- section: First tokens
  constants: {task: inference}
  columns: {Model: model, System: platform, TTFT (ms): {metric: ttft, unit: ms}}
- section: Serving
  constants: {task: inference}
  columns:
    Model: model
    System: platform
    TP: tensor_parallel
    DP: data_parallel
    Tokens/s: {metric: throughput, unit: tokens/s}
    Tokens/s/GPU: {metric: throughput_per_device, unit: tokens/s/GPU}
"""
# platform, kind, maker, vendor, chip, chips, value of one chip
MEASURED = [
    ("DGX A100", "system", "NVIDIA", "NVIDIA", "A100", 4, 100),
    ("DGX B200", "system", "NVIDIA", "NVIDIA", "B200", 8, 70),
    ("DGX H100", "system", "NVIDIA", "NVIDIA", "H100 SXM", 8, 100),
    # In training the other half has a copy of the model.
    ("DGX H200", "system", "NVIDIA", "NVIDIA", "H200 SXM", 16, 50),
    ("Google Pixel 3a", "phone", "Google", "Qualcomm", "Snapdragon 670", 1, 5),
    # How many chips it has is not known, but four ran.
    ("H100 NVL", "card", "NVIDIA", "NVIDIA", "H100 NVL", 4, 10),
    ("L4", "card", "NVIDIA", "NVIDIA", "L4", 8, 200),
    # The page counts 16, and says nothing of copies.
    ("L40S", "card", "NVIDIA", "NVIDIA", "L40S", 16, 100),
    # A rate of one device says nothing of how many there were; another model was measured apart.
    ("MI300X", "chip", "AMD", "AMD", "MI300X", None, 900),
    ("MI300X", "chip", "AMD", "AMD", "MI300X", None, None),
    ("MI300X", "chip", "AMD", "AMD", "MI300X", 1, None),
    ("MI350X", "chip", "AMD", "AMD", "MI350X", 1, 970),
    ("MI325X", "chip", "AMD", "AMD", "MI325X", 8, 950),
    ("MI355X", "chip", "AMD", "AMD", "MI355X", 1, None),
    ("TPU v5e-256", "system", "Google", "Google", "TPU v5e", 1024, 2),
    ("g5.xlarge", "instance", "AWS", "NVIDIA", "A10G", 1, 100),
    # Eight NeuronCores are four chips of two.
    ("trn1.32xlarge", "instance", "AWS", "AWS", "Trainium", 4, 20),
]


@pytest.fixture(scope="module")
def measured(once: BuildOnce) -> Ledger:
    def build(ledger: Ledger) -> Any:
        ledger.add(PAGE, "acme/serving", "2026-01-01", name="page.md", format="results_page")
        ledger.map("acme/serving", MAPPING)
        return ledger.resolve()

    return once("platforms", build)


def test_a_result_says_which_chips_ran_and_who_sells_the_platform(measured: Ledger) -> None:
    found = measured.sql(
        "select platform, platform_kind, maker, vendor, chip, chips, value_per_accelerator from main.current_results"
    )
    assert sorted((tuple(row.values()) for row in found), key=str) == sorted(MEASURED, key=str)


PART = """
    - metadata: {{label: vllm-{label}}}
      standardized:
        tool: vllm
        replicas: {replicas}
        model: {{name: facebook/opt-125m}}
        accelerator: {{model: NVIDIA H100, count: {count}, parallelism: {{dp: {dp}, tp: {tp}, pp: 1}}}}
"""
REPORT = """version: '0.2'
run: {{uid: a1}}
scenario:
  stack:{parts}
results:
  request_performance:
    aggregate:
      requests: {{total: 9}}
      throughput: {{output_token_rate: {{units: tokens/s, mean: 70}}}}
"""
SERVED = (
    '{{"server_info": {{"model_path": "facebook/opt-125m", "tp_size": 1, "dp_size": {dp}}},'
    ' "completed": 9, "total_output_tokens_retokenized": 9, "request_throughput": 3, "output_throughput": 50,'
    ' "mean_e2e_latency_ms": 5, "mean_ttft_ms": 4}}'
)


def part(label: int = 0, replicas: int = 1, count: int = 1, dp: int = 1, tp: int = 1) -> str:
    return PART.format(label=label, replicas=replicas, count=count, dp=dp, tp=tp)


def test_a_name_of_a_chip_does_not_count_those_of_a_deployment(once: BuildOnce) -> None:
    files = {
        # The count of one part with one replica is printed; of several it is not known.
        "one.yaml": REPORT.format(parts=part(count=8, tp=8)),
        "one-alone.yaml": REPORT.format(parts=part()),
        "two.yaml": REPORT.format(parts=part(count=4) + part(label=1, count=4)),
        "replicas.yaml": REPORT.format(parts=part(replicas=4)),
        "copies.yaml": REPORT.format(parts=part(dp=8)),
        "old.yaml": """version: '0.1'
scenario:
  model: {name: facebook/opt-125m}
  host: {accelerator: [{model: NVIDIA H100, count: 1, parallelism: {tp: 1, dp: 1}}]}
metrics: {requests: {total: 9}, throughput: {output_tokens_per_sec: 70}}
""",
        "copies.jsonl": SERVED.format(dp=8),
        "alone.jsonl": SERVED.format(dp=1),
    }

    def build(ledger: Ledger) -> Any:
        for number, (name, content) in enumerate(files.items()):
            # Of equal tests one is the current one.
            content = content.replace("total: 9", f"total: {9 + number}")
            source = f"{name.replace('.', '-')}/results"
            ledger.add(content, source, "2026-01-01", name)
            if "json" in name:
                ledger.map(source, "constants: {platform: '!H100 SXM'}")
        return ledger.resolve()

    rows = once("deployments", build).sql(
        "select distinct source, accelerator_count from main.current_results where metric = 'throughput'"
    )
    assert {row["source"].partition("/")[0]: row["accelerator_count"] for row in rows} == {
        "one-yaml": 8,
        "one-alone-yaml": 1,
        "two-yaml": None,
        "replicas-yaml": None,
        "copies-yaml": None,
        "old-yaml": None,
        "copies-jsonl": None,
        "alone-jsonl": 1,
    }
