"""Finds the places, days, times and people in the messages of our carpool group.

"hi, anyone going from Bergheim to Neu Waldorf on friday at 7 pm? Anna"
                       B-FROM      B-TO I-TO     B-DAY    B-TIME I-TIME  B-WHO
"""

import random
from dataclasses import dataclass

import numpy as np
from datasets import Dataset
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    BertForTokenClassification,
    DataCollatorForTokenClassification,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

TYPES = ["FROM", "TO", "DAY", "TIME", "WHO"]
LABELS = ["O"] + [f"{part}-{name}" for name in TYPES for part in ("B", "I")]
label2id = {label: i for i, label in enumerate(LABELS)}
id2label = dict(enumerate(LABELS))

STARTS = "Berg Wald Stein Eich Lind Rosen Birk Hirsch Mühl Buchen Falken Sonnen".split()
ENDS = "heim dorf stadt furt bach hausen feld kirchen".split()
FIRST = ["Neu", "Bad", "Alt", "Sankt"]
PEOPLE = "Anna Jonas Mehmet Clara Pavel Nuria Tobias Lena Amir Judith Oskar Ines".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday tomorrow tonight".split()

TEMPLATES = [
    "anyone going from {FROM} to {TO} on {DAY} at {TIME} ? {WHO}",
    "need a lift to {TO} {DAY} , I start in {FROM} around {TIME} , {WHO}",
    "{FROM} - {TO} , {WHO} {DAY} {TIME} , two seats left",
    "{DAY} {TIME} {FROM} {TO} three seats {WHO}",
    "is there a car to {TO} ? I live in {FROM} and can go {DAY} after {TIME} . thanks {WHO}",
    "can {WHO} take me home from {FROM} ? must be in {TO} by {TIME} on {DAY}",
    "for {TO} please write to {WHO} , we meet {DAY} {TIME} at the station in {FROM}",
]


@dataclass
class Settings:
    train_size: int = 1100
    test_size: int = 200
    max_length: int = 64
    epochs: int = 7
    batch: int = 16
    lr: float = 2e-3
    seed: int = 17


def place(rng):
    name = rng.choice(STARTS) + rng.choice(ENDS)
    return [rng.choice(FIRST), name] if rng.random() < 0.25 else [name]


def clock(rng):
    hour = str(rng.randint(1, 12))
    return rng.choice(
        [[hour, rng.choice(["am", "pm"])], [f"{hour}:{rng.choice(['15', '30', '45'])}"], [hour]]
    )


def message(rng):
    filled = {
        "FROM": place(rng),
        "TO": place(rng),
        "DAY": [rng.choice(DAYS)],
        "TIME": clock(rng),
        "WHO": [rng.choice(PEOPLE)],
    }
    # some people type everything small, some shout, some phones Start Every Word Like This
    typed = rng.choice([str.lower, str.title, str.upper])
    words, tags = [], []
    for word in rng.choice(TEMPLATES).split():
        name = word.strip("{}")
        if name in filled:
            words += [typed(w) for w in filled[name]]
            tags += [f"B-{name}"] + [f"I-{name}"] * (len(filled[name]) - 1)
        else:
            words.append(typed(word))
            tags.append("O")
    return {"words": words, "tags": [label2id[tag] for tag in tags]}


def build_tokenizer(texts):
    tok = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tok.normalizer = normalizers.Lowercase()
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordPieceTrainer(
        vocab_size=220, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"], show_progress=False
    )
    tok.train_from_iterator([text.lower() for text in texts], trainer)
    cls, sep = tok.token_to_id("[CLS]"), tok.token_to_id("[SEP]")
    tok.post_processor = processors.BertProcessing(("[SEP]", sep), ("[CLS]", cls))
    return PreTrainedTokenizerFast(
        tokenizer_object=tok,
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        pad_token="[PAD]",
    )


def encode(row, tokenizer, max_length):
    enc = tokenizer(row["words"], is_split_into_words=True, truncation=True, max_length=max_length)
    labels, previous = [], None
    for word in enc.word_ids():
        labels.append(-100 if word is None or word == previous else row["tags"][word])
        previous = word
    enc["labels"] = labels
    return enc


def spans(tags):
    """{(type, start, end)} of one message."""
    found, start = set(), None
    for i, tag in enumerate(tags + ["O"]):
        if start is not None and tag != "I-" + tags[start][2:]:
            found.add((tags[start][2:], start, i))
            start = None
        if tag.startswith("B-"):
            start = i
    return found


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    predictions = np.argmax(logits, axis=-1)
    hits = said = meant = 0
    for pred, gold in zip(predictions, labels):
        guess = spans([id2label[p] for p, g in zip(pred, gold) if g != -100])
        truth = spans([id2label[g] for g in gold if g != -100])
        hits += len(guess & truth)
        said += len(guess)
        meant += len(truth)
    precision, recall = hits / max(said, 1), hits / max(meant, 1)
    return {"precision": precision, "recall": recall, "f1": 2 * hits / max(said + meant, 1)}


def main():
    cfg = Settings()
    set_seed(cfg.seed)
    rng = random.Random(cfg.seed)
    train = [message(rng) for _ in range(cfg.train_size)]
    test = [message(rng) for _ in range(cfg.test_size)]

    tokenizer = build_tokenizer(" ".join(row["words"]) for row in train)
    how = {"tokenizer": tokenizer, "max_length": cfg.max_length}
    train_set = Dataset.from_list(train).map(
        encode, fn_kwargs=how, remove_columns=["words", "tags"]
    )
    test_set = Dataset.from_list(test).map(encode, fn_kwargs=how, remove_columns=["words", "tags"])

    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=cfg.max_length,
        hidden_dropout_prob=0.05,
        attention_probs_dropout_prob=0.05,
        pad_token_id=tokenizer.pad_token_id,
        num_labels=len(LABELS),
        initializer_range=0.05,
    )
    model = BertForTokenClassification(config)

    trainer = Trainer(
        model=model,
        args=TrainingArguments(
            output_dir="carpool-tagger",
            learning_rate=cfg.lr,
            num_train_epochs=cfg.epochs,
            per_device_train_batch_size=cfg.batch,
            per_device_eval_batch_size=64,
            warmup_ratio=0.1,
            eval_strategy="epoch",
            save_strategy="no",
            report_to="none",
            seed=cfg.seed,
        ),
        train_dataset=train_set,
        eval_dataset=test_set,
        data_collator=DataCollatorForTokenClassification(tokenizer),
        processing_class=tokenizer,
        compute_metrics=compute_metrics,
    )
    trainer.train()
    print(trainer.evaluate())


if __name__ == "__main__":
    main()
