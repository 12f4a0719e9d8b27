"""The smallest Trainers that can break: random models of every task, made in memory."""

from __future__ import annotations

import tempfile
from functools import cache
from typing import Any, TypeVar

import torch
import transformers
from datasets import ClassLabel, Dataset, Features, Value
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    BertForTokenClassification,
    DataCollatorForLanguageModeling,
    DataCollatorForSeq2Seq,
    DataCollatorForTokenClassification,
    DataCollatorWithPadding,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
    Trainer,
    TrainingArguments,
    ViTConfig,
    ViTForImageClassification,
)

Model = TypeVar("Model", bound=torch.nn.Module)
TRANSFORMERS = int(transformers.__version__.split(".")[0])
"""The version whose ways a test may have to know."""
FOLDER = tempfile.TemporaryDirectory(prefix="tiny-")
"""Of all output folders: it goes with the tests that filled it."""
WORDS = (
    "red",
    "blue",
    "green",
    "dog",
    "cat",
    "bird",
    "runs",
    "sleeps",
    "sings",
    "today",
    "never",
)
SIZES: dict[str, Any] = {
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 16,
}


def tokenizer() -> PreTrainedTokenizerFast:
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    vocabulary = {word: number for number, word in enumerate([*special, *WORDS])}
    inner = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    inner.pre_tokenizer = Whitespace()
    return PreTrainedTokenizerFast(
        tokenizer_object=inner,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_max_length=32,
    )


def sentences(count: int, start: int = 0) -> list[str]:
    """Sentences of two to seven words, no two alike for a long while."""
    made = []
    for number in range(start, start + count):
        digits = [(number // 11**place) % 11 for place in range(3)]
        words = [WORDS[digit] for digit in digits] + ["never"] * (number % 4)
        made.append(" ".join(words))
    return made


@cache
def pairs(count: int, start: int = 0) -> Dataset:
    """Tokenized sentences with three named classes in turn."""
    texts = sentences(count, start)
    rows = {"text": texts, "label": [number % 3 for number in range(count)]}
    names = Features(text=Value("string"), label=ClassLabel(names=["yes", "maybe", "no"]))
    dataset = Dataset.from_dict(rows, features=names)
    encoded: Any = tokenizer()(texts)
    for name in ("input_ids", "attention_mask"):
        dataset = dataset.add_column(name, encoded[name])
    return dataset


def arguments(**more: Any) -> TrainingArguments:
    return TrainingArguments(
        **{
            "output_dir": tempfile.mkdtemp(dir=FOLDER.name),
            "per_device_train_batch_size": 4,
            "learning_rate": 1e-3,
            "num_train_epochs": 3,
            "report_to": "none",
            "use_cpu": True,
            **more,
        }
    )


def bert(**more: Any) -> BertForSequenceClassification:
    sizes = {"vocab_size": len(WORDS) + 4, "num_labels": 3, **SIZES}
    return BertForSequenceClassification(BertConfig(**{**sizes, **more}))


def trained(model: Model) -> Model:
    """As a checkpoint's weights are: no bias is 0 any more."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() == 1 and "classifier" not in name:
                weight += 0.01 * torch.randn_like(weight)
    return model


def accuracy(given: Any) -> dict[str, float]:
    predictions, labels = given
    return {"accuracy": float((predictions.argmax(axis=-1) == labels).mean())}


def classifier(**more: Any) -> Trainer:
    """A healthy three-class Trainer; `more` replaces what a test wants broken."""
    args = more.pop("args", None) or arguments()
    given: dict[str, Any] = {
        "model": bert(),
        "args": args,
        "train_dataset": pairs(48),
        "eval_dataset": pairs(24, start=300),
        "data_collator": DataCollatorWithPadding(tokenizer()),
        "processing_class": tokenizer(),
        "compute_metrics": accuracy,
    }
    return more.pop("trainer_class", Trainer)(**{**given, **more})


def token_classifier(ignore_padding: bool = True) -> Trainer:
    dataset = pairs(24).map(lambda row: {"labels": [number % 2 for number in row["input_ids"]]})
    collator = DataCollatorForTokenClassification(
        tokenizer(), label_pad_token_id=-100 if ignore_padding else 0
    )
    config = BertConfig(vocab_size=len(WORDS) + 4, num_labels=2, **SIZES)
    return Trainer(
        BertForTokenClassification(config),
        arguments(),
        train_dataset=dataset.remove_columns("label"),
        eval_dataset=dataset.remove_columns("label"),
        data_collator=collator,
    )


def language_model() -> Trainer:
    config = GPT2Config(vocab_size=len(WORDS) + 4, n_embd=16, n_layer=1, n_head=2, n_positions=32)
    return Trainer(
        GPT2LMHeadModel(config),
        arguments(),
        train_dataset=pairs(24).select_columns(["input_ids", "attention_mask"]),
        data_collator=DataCollatorForLanguageModeling(tokenizer(), mlm=False),
    )


def translator() -> Trainer:
    dataset = pairs(24).map(lambda row: {"labels": row["input_ids"]})
    config = T5Config(
        vocab_size=len(WORDS) + 4, d_model=16, d_ff=16, num_layers=1, num_heads=2, d_kv=8
    )
    config.decoder_start_token_id = 0
    model = T5ForConditionalGeneration(config)
    return Trainer(
        model,
        arguments(),
        train_dataset=dataset.select_columns(["input_ids", "attention_mask", "labels"]),
        data_collator=DataCollatorForSeq2Seq(tokenizer(), model=model),
    )


class Pictures(torch.utils.data.Dataset):
    """A plain torch data set, without columns."""

    def __len__(self) -> int:
        return 24

    def __getitem__(self, number: int) -> dict[str, Any]:
        shade = torch.full((3, 8, 8), float(number % 3))
        return {"pixel_values": shade, "labels": number % 3}


def picture_classifier() -> Trainer:
    config = ViTConfig(image_size=8, patch_size=4, num_labels=3, **SIZES)
    return Trainer(
        ViTForImageClassification(config),
        arguments(),
        train_dataset=Pictures(),
        eval_dataset=Pictures(),
        compute_metrics=accuracy,
    )


def regressor() -> Trainer:
    dataset = pairs(24).remove_columns("label")
    dataset = dataset.add_column("label", [number / 24 for number in range(24)])
    return classifier(
        model=bert(num_labels=1, problem_type="regression"),
        train_dataset=dataset,
        eval_dataset=dataset.select(range(8)),
        compute_metrics=None,
    )
