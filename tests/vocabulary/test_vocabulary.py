"""The vocabularies: each file loads, no spelling means two things, and the spellings of real
documents resolve.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import forget_vocabularies

from pipelines.extract.mentions import condition_value
from pipelines.extract.named_quantities import quantity_of
from pipelines.values.variants import parse_variant
from pipelines.vocabulary import lookup
from pipelines.vocabulary.lookup import (
    KINDS,
    Kind,
    VocabularyError,
    find,
    fold,
    load,
    spelling_pattern,
)
from pipelines.vocabulary.printed_names import read_model, read_platform, read_versioned
from pipelines.vocabulary.resolution import item_counted, items_of_families, resolve_name
from pipelines.vocabulary.units import find_unit

FOLDER = Path(lookup.__file__).parent

# "Latest GPU" is all that the chart deck prints: who makes it is not known.
WITHOUT_VENDOR = {"Latest GPU"}

# Keys that an entry of each kind must have beside its name.
FACTS: dict[Kind, set[str]] = {
    "models": {"family"},
    "platforms": set(),
    "frameworks": set(),
    "datasets": set(),
    "metrics": {"unit", "better"},
    "headings": {"column"},
    "units": {"unit", "scale"},
}


def entries(kind: Kind) -> list[dict[str, Any]]:
    """The entries of a vocabulary file, one for each name."""
    return [item for item in lookup.entries(kind) if not item.get("sized")]


@pytest.fixture
def other_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder that vocabularies are read from for one test."""
    forget_vocabularies()
    monkeypatch.setattr(lookup, "FOLDER", tmp_path)
    yield tmp_path
    forget_vocabularies()


def test_every_file_is_a_kind() -> None:
    assert {path.stem for path in FOLDER.glob("*.yml")} == {
        *KINDS,
        "families",
        "dimensions",
        "model_names",
        "printed_names",
        "ranges",
        "unit_forms",
    }


@pytest.mark.parametrize("kind", KINDS)
def test_every_file_loads_with_unique_names_and_the_facts_of_its_kind(kind: Kind) -> None:
    assert [
        name for name, count in Counter(item["name"] for item in entries(kind)).items() if count > 1
    ] == []
    assert len({entry.name for entry in load(kind).values()}) == len(entries(kind))
    assert [item["name"] for item in entries(kind) if not FACTS[kind] <= item.keys()] == []
    # `- {name: 910}` would be a number, and `No` a flag: YAML needs quotes there.
    texts = [text for item in entries(kind) for text in (item["name"], *item.get("printed", []))]
    assert [text for text in texts if not isinstance(text, str)] == []


@pytest.mark.parametrize(
    ("second", "clash"),
    [
        ("- {name: ResNet-50, printed: [RN50]}", "'rn50'"), ("- {name: RN50}", "'rn50'"),
        # Case, width of blanks and kind of hyphen carry no meaning.
        ("- {name: ResNet-50, printed: [ResNet\u201150  v1.5]}", "'resnet-50 v1.5'"),
        ("- {family: ResNet-50}", "without a name"),
        ('- {name: "Acme{1,2}", printed: ["A{}{}"]}', "fewer alternatives"),
    ],
)  # fmt: skip
def test_a_file_that_contradicts_itself_is_refused(
    other_folder: Path, second: str, clash: str
) -> None:
    first = "- {name: ResNet-50 v1.5, printed: [rn50]}\n"
    (other_folder / "models.yml").write_text(first, "utf-8")
    assert find("models", "RN50") is not None
    forget_vocabularies()
    (other_folder / "models.yml").write_text(first + second + "\n", "utf-8")
    with pytest.raises(VocabularyError, match=clash):
        load("models")


def test_an_entry_may_stand_for_several(other_folder: Path) -> None:
    (other_folder / "platforms.yml").write_text(
        '- {name: "Acme X{1,2}{, Pro}", chip: "Acme X{}", chips: 1, printed: ["X{}{}", "{1}{0}"]}\n',
        "utf-8",
    )
    assert {entry.name for entry in load("platforms").values()} == {
        "Acme X1",
        "Acme X1 Pro",
        "Acme X2",
        "Acme X2 Pro",
    }
    entry = find("platforms", "X2 Pro")
    assert entry is not None
    assert (entry.name, entry.facts) == ("Acme X2 Pro", {"chips": 1, "chip": "Acme X2"})


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        # Models
        ("bert_large", "BERT-Large"), ("ResNet 50 v1.5", "ResNet-50 v1.5"),
        ("meta-llama/Llama-2-7b-chat-hf", "Llama 2 7B Chat"),
        ("meta-llama/Meta-Llama-3.1-8B-Instruct", "Llama 3.1 8B Instruct"),
        ("Llama3.1 8b instruct", "Llama 3.1 8B Instruct"), ("tiiuae/falcon-11B", "Falcon 11B"),
        ("Llama-2 34b", "Llama 2 34B"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B", "DeepSeek-R1 Distill Qwen 1.5B"),
        ("Qwen3-235B-A22B-Instruct-2507", "Qwen3 235B-A22B Instruct 2507"),
        ("gemma-3n-E4B-it", "Gemma 3n E4B Instruct"), ("internlm2_5-7b-chat", "InternLM2.5 7B Chat"),
        ("yolo11n-seg", "YOLO11n-seg"), ("resnext50_32x4d", "ResNeXt-50"), ("convnext_tiny", "ConvNeXt-Tiny"),
        # A tail with more in it is another model, and so is a part of another network.
        ("Llama-2-7B-Acme", None), ("TinyLlama-2-7B", None), ("FPN/ResNet-50", None), ("Falcon", None),
        # Platforms
        ("NVIDIA GeForce RTX 4090 Laptop GPU", "GeForce RTX 4090 Laptop"), ("RTX4090", "GeForce RTX 4090"),
        ("MacBook Pro (M1 Max)", "MacBook Pro M1 Max"), ("Raspberry Pi 4 Model B", "Raspberry Pi 4"),
        ("Intel(R) Core(TM) i7-8700K CPU", "Core i7-8700K"), ("Qualcomm Snapdragon 8 Gen 2", "Snapdragon 8 Gen 2"),
        ("QuietBox (Wormhole)", "TT-QuietBox"), ("Ascend910B3", "Ascend 910B3"), ("imx8mp", "i.MX8MP"),
        ("RTX 9000", None), ("A10G 24GB", "A10G"), ("NVIDIA RTX 3070 Ti 8GB", "GeForce RTX 3070 Ti"),
        # No size of memory, but a damaged name.
        ("Bow-200G", None),
    ],
)  # fmt: skip
def test_names_are_read_however_their_words_are_joined(printed: str, name: str | None) -> None:
    entry = read_model(printed).entry or read_platform(printed).entry
    assert (entry and entry.name) == name


@pytest.mark.parametrize(
    ("item", "model", "counted"),
    [
        ("frames", "YOLOv8n", "images"), ("sequences", "ViT", "images"), ("frames", "BERT-Large", "sequences"),
        ("images", "ViT", "images"), ("tokens", "BERT-Large", "tokens"),
        # Speech has frames of its own, and an unknown model takes what its page says.
        ("frames", "Conformer-Small", "frames"), ("frames", "Acme", "frames"),
    ],
)  # fmt: skip
def test_a_frame_is_an_image_where_a_model_takes_images(
    item: str, model: str, counted: str
) -> None:
    assert item_counted(item, model, None, None) == counted


def test_words_of_headings_are_no_metrics_in_sentences() -> None:
    words = [text for item in entries("metrics") for text in item.get("in_headings", ())]
    assert words
    assert not any(spelling_pattern("metrics").search(text) for text in words)


def test_the_facts_of_entries_fit_together() -> None:
    without = {
        item["name"] for item in entries("platforms") if "chips" in item and "vendor" not in item
    }
    assert without == WITHOUT_VENDOR
    assert {item["better"] for item in entries("metrics")} == {"higher", "lower"}
    assert set(items_of_families()) <= {entry.get("family") for entry in lookup.entries("models")}
    of_all, of_one = (find("units", printed) for printed in ("tokens/sec", "tokens/sec/GPU"))
    assert (of_all and of_all.facts["unit"]) != (of_one and of_one.facts["unit"])
    found = read_versioned("frameworks", "DeepSpeed 0.14.0")
    assert (found.entry and found.entry.name, found.version) == ("DeepSpeed", "0.14.0")
    # Two numbers stay two.
    assert fold("Gemma-2 7B") != fold("Gemma 27B")
    assert fold("Gemma 2 7B") == fold("gemma-2-7b")


def test_no_name_is_a_platform_and_a_framework_or_dataset() -> None:
    # The reader tells damaged rows by the kind of their cells, so these three must not overlap.
    spellings = {kind: {spelling for spelling, _ in load(kind)} for kind in KINDS}
    assert spellings["platforms"] & spellings["frameworks"] == set()
    assert spellings["platforms"] & spellings["datasets"] == set()
    assert spellings["frameworks"] & spellings["datasets"] == set()
    assert spellings["models"] & spellings["platforms"] == set()


@pytest.mark.parametrize(
    ("kind", "printed", "name"),
    [
        ("models", "ResNet-50v1.5", "ResNet-50 v1.5"), ("models", "ResNet-50", "ResNet-50"),
        ("platforms", "A100 (A100-SXM4-80GB)", "A100 80GB"), ("platforms", "NVIDIA H200 NVL8", "H200 NVL8"),
        ("platforms", "Tenstorrent Wormhole", "Tenstorrent Wormhole"), ("platforms", "Qualcomm AI200", "Cloud AI 200"),
        ("metrics", "TTFT Latency", "ttft"), ("metrics", "Latency per Token", "token_latency"),
    ],
)  # fmt: skip
def test_spellings_of_documents_resolve(kind: Kind, printed: str, name: str) -> None:
    entry = find(kind, printed)
    assert entry is not None
    assert entry.name == name


@pytest.mark.parametrize(
    ("printed", "suite", "name"),
    [
        ("ResNet50 v1.5", "MLPerf Training v2.0", "ResNet-50 v1.5"),
        ("ResNet-50", "MLPerf Training v1.0", "ResNet-50 v1.5"),
        ("BERT", "MLPerf Training v2.0", "BERT-Large"), ("BERT", None, None),
    ],
)  # fmt: skip
def test_spellings_resolve_within_their_suite(
    printed: str, suite: str | None, name: str | None
) -> None:
    entry = find("models", printed, suite)
    assert (entry and entry.name) == name


@pytest.mark.parametrize(
    ("printed", "name", "multiplier"),
    [
        ("Gaudi 2 x 8", "Gaudi2", 8),
        ("8 * Ascend 910", "Ascend 910", 8), ("V100*8", "V100", 8), ("H100 (x8)", "H100", 8),
        ("NVIDIA A100 (8 GPUs)", "A100", 8), ("Trainium2, 16 chips", "Trainium2", 16),
        ("DGX H100 (8 GPUs)", "DGX H100", 1), ("DGX A100 (16 GPUs)", "DGX A100", 2),
        # A part of a system is none of it.
        ("DGX A100 (4 GPUs)", None, None),
    ],
)  # fmt: skip
def test_counts_of_platforms_and_of_their_devices(
    printed: str, name: str | None, multiplier: int | None
) -> None:
    platform = read_platform(printed)
    assert (platform.entry and platform.entry.name, platform.multiplier) == (name, multiplier)


@pytest.mark.parametrize(
    "printed",
    [
        "HuggingFace BERT-Large Ph1 pre-training",
        "GPT3-23B pre-training",
        "HuggingFace ViT-Base fine-tuning",
    ],
)
def test_model_cells_with_a_stage_resolve_by_what_is_left(printed: str) -> None:
    name = parse_variant(printed).name
    assert name is not None
    assert find("models", name) is not None


@pytest.mark.parametrize(
    "sentence",
    [
        "Each server has two SSD disks of 1.92 TB.",
        "The model is a transformer with a falcon on its cover, and flowers in bloom.",
        "The second sign is complex, as the command a user gives, and takes as long as the orca or the ring.",
        "Whatever the base, the large gain is a gemma among results.",
    ],
)  # fmt: skip
def test_everyday_words_are_no_models(sentence: str) -> None:
    assert list(spelling_pattern("models").finditer(sentence)) == []


def test_models_are_found_in_sentences_by_their_longest_spelling() -> None:
    found = [
        m[0]
        for m in spelling_pattern("models").finditer(
            "Llama 2 70B LoRA and ResNet-50v1.5, next to 3D U-Net."
        )
    ]
    assert found == ["Llama 2 70B LoRA", "ResNet-50v1.5", "3D U-Net"]


def test_a_spelling_is_found_in_full_although_another_begins_it() -> None:
    for kind in KINDS:
        for spelling in {
            spelling for (spelling, _), entry in load(kind).items() if "in_print" not in entry.facts
        }:
            match = spelling_pattern(kind).search(f"( {spelling} )")
            assert match, (kind, spelling)
            assert match[0].casefold() == spelling


@pytest.mark.parametrize(
    ("printed", "family"),
    [
        ("resnet50", "ResNet-50"), ("ResNet-50 v1.5", "ResNet-50"), ("bert-base-cased-finetuned-mrpc", "BERT-Base"),
        ("BERT-Base", "BERT-Base"), ("BERT-Large", "BERT-Large"), ("meta-llama/Llama-2-7b-chat-hf", "Llama 2 7B"),
        ("Llama-2-7b", "Llama 2 7B"),
    ],
)  # fmt: skip
def test_models_are_compared_with_their_kin_and_stay_themselves(printed: str, family: str) -> None:
    named = resolve_name({"kind": "models", "name_printed": printed, "suite": None})
    assert named["comparable_as"] == family


@pytest.mark.parametrize(
    ("printed", "metric", "statistic"),
    [
        ("Latency P50", "latency", "p50"), ("TTFT Latency P99", "ttft", "p99"), ("Median TPOT", "tpot", "p50"),
        ("99.9th Percentile TTFT", "ttft", "p99.9"), ("Min Latency", "latency", "min"), ("TTFT", "ttft", None),
        ("Latency per Token P99", "token_latency", "p99"), ("Avg latency", "latency", "mean"),
    ],
)  # fmt: skip
def test_a_statistic_is_no_part_of_a_metric(
    printed: str, metric: str, statistic: str | None
) -> None:
    named = quantity_of(printed)
    assert named is not None
    assert named[:2] == (metric, statistic)
    assert not any(
        re.search(r"_(?:p\d+|min|max|mean)", item["name"]) for item in entries("metrics")
    )


@pytest.mark.parametrize(
    ("printed", "suite", "model"),
    [
        ("MLPerf Tiny v1.2", "MLPerf Tiny v1.2", "ResNet-50"),
        ("MLPerf(TM) Mobile: v4.0", "MLPerf Mobile v4.0", "ResNet-50"),
        ("MLPerf Automotive v0.5 Inference", "MLPerf Automotive Inference v0.5", "ResNet-50"),
        ("MLPerf v2.0 Training Performance", "MLPerf Training v2.0", "ResNet-50 v1.5"),
        ("MLPerf Inference: Edge v5.0", "MLPerf Inference Edge v5.0", "ResNet-50 v1.5"),
        ("MLPerf 3.1", "MLPerf v3.1", "ResNet-50 v1.5"),
    ],
)
def test_a_suite_keeps_its_whole_name_and_its_own_models(
    printed: str, suite: str, model: str
) -> None:
    assert condition_value("suite", printed) == suite
    entry = read_model("ResNet-50", suite).entry
    assert entry is not None
    assert entry.name == model


@pytest.mark.parametrize(
    ("printed", "name", "version"),
    [
        *[("ncnn 20211208", "ncnn", "20211208"), ("llama.cpp b3451", "llama.cpp", "b3451")],
        *[("LMDeploy v0.2.0", "LMDeploy", "0.2.0"), ("vLLM 0.6.3.post1", "vLLM", "0.6.3.post1")],
    ],
)
def test_a_version_is_no_part_of_a_known_framework(printed: str, name: str, version: str) -> None:
    found = read_versioned("frameworks", printed)
    assert (found.entry and found.entry.name, found.version) == (name, version)
    assert read_versioned("frameworks", "TensorFlow 2").version is None


def test_a_bit_is_no_byte() -> None:
    assert {find_unit(text) for text in ("Gb/s", "Gbps", "Tbps", "Mb/sec")} == {None}
    assert [found.scale for text in ("GB/s", "TB/s") if (found := find_unit(text))] == [1, 1000]


def test_a_processor_of_servers_has_no_count_of_its_own() -> None:
    # A server has one, two or more of them: a platform that is a processor states no count.
    names = ("Xeon ", "EPYC ")
    counted = [
        entry["name"]
        for entry in entries("platforms")
        if str(entry["name"]).startswith(names)
        and entry.get("platform_kind") == "chip"
        and entry.get("chips")
    ]
    assert counted == []
