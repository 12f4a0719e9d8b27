"""Finds what was prescribed (drug, dose, how often, why) and what a patient does not tolerate in
the sentences of discharge letters. The letters are made up."""

import argparse
import random

import numpy as np
import torch
import torch.nn as nn
from datasets import Dataset
from sklearn.metrics import f1_score
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    DataCollatorForTokenClassification,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

ENTITIES = ["DRUG", "DOSE", "FREQ", "REASON", "ALLERGY"]
TAGS = ["O"] + [f"{prefix}-{entity}" for entity in ENTITIES for prefix in ("B", "I")]
TAG2ID = {tag: i for i, tag in enumerate(TAGS)}

STARTS = [
    "al",
    "be",
    "car",
    "dor",
    "es",
    "fen",
    "gli",
    "hy",
    "ilo",
    "ket",
    "lam",
    "mor",
    "nab",
    "oxa",
    "pra",
    "que",
    "ril",
    "ser",
    "tol",
    "val",
    "zo",
]
MIDDLES = ["ba", "ci", "do", "fe", "lu", "mi", "no", "pe", "ra", "sa", "ti", "vo"]
ENDS = ["dipine", "lolex", "mycin", "pramil", "prazol", "sartan", "statin", "zepam"]
DISEASES = [
    "asthma", "gout", "migraine", "atrial fibrillation", "high blood pressure", "chest infection",
    "iron deficiency", "back pain", "heart failure", "panic attacks", "type 2 diabetes", "reflux",
    "urinary infection", "hay fever", "poor sleep", "leg cramps",
]  # fmt: skip
OFTEN = [
    "once daily", "twice daily", "three times a day", "every 8 hours", "every 12 hours", "at night",
    "in the morning", "before meals", "as needed", "on alternate days", "weekly",
]  # fmt: skip
UNITS = ["mg", "micrograms", "ml", "tablets", "drops", "units"]
AMOUNTS = [1, 2, 4, 5, 8, 10, 12, 20, 25, 40, 50, 75, 80, 100, 250, 500]
CLAUSES = [
    (6, "{start} {DRUG} {DOSE} {FREQ} for {REASON}"),
    (5, "{DRUG} {DOSE} {FREQ} was added because of {REASON}"),
    (4, "please continue {DRUG} at {DOSE} {FREQ}"),
    (3, "for {REASON} we gave {DOSE} of {DRUG}"),
    (2, "{DRUG} was raised to {DOSE} and is to be taken {FREQ}"),
    (3, "known allergy to {ALLERGY}"),
    (2, "{ALLERGY} gave a rash in the past"),
    (2, "did not tolerate {ALLERGY} {amount} {unit}"),
    (2, "no history of {disease}"),
    (2, "the mother had {disease} when aged {amount}"),
    (2, "creatinine was {amount} {unit} on day {amount}"),
    (2, "seen twice daily by the nurses and once weekly by the doctor"),
    (3, "we will review the results in the clinic in {amount} weeks"),
    (2, "the patient went home in good general condition on day {amount}"),
    (2, "the treatment for {disease} in the other hospital is not known to us"),
    (2, "the wound was dry and the drain gave {amount} ml at night"),
    (2, "the scan showed nothing new and no {disease} was found"),
]


def make_drug(rng):
    return rng.choice(STARTS) + rng.choice(MIDDLES) + rng.choice(ENDS)


def misspell(word, rng):
    if len(word) > 4 and word.isalpha() and rng.random() < 0.06:
        i = rng.randrange(1, len(word) - 2)
        word = word[:i] + word[i + 1] + word[i] + word[i + 2 :]
    return word


def fill(slot, rng):
    if slot in ("DRUG", "ALLERGY"):
        return make_drug(rng)
    if slot == "DOSE":
        return f"{rng.choice(AMOUNTS)} {rng.choice(UNITS)}"
    return {
        "FREQ": rng.choice(OFTEN),
        "REASON": rng.choice(DISEASES),
        "disease": rng.choice(DISEASES),
        "start": rng.choice(["start", "started", "commenced", "now on"]),
        "amount": str(rng.choice(AMOUNTS)),
        "unit": rng.choice(UNITS),
    }[slot]


def write_sentence(rng):
    words, tags = [], []
    weights, patterns = zip(*CLAUSES, strict=True)
    for pattern in rng.choices(patterns, weights, k=rng.choice([1, 2, 2, 3])):
        for piece in pattern.split():
            if not piece.startswith("{"):
                words.append(misspell(piece, rng))
                tags.append("O")
                continue
            slot = piece.strip("{}")
            for i, word in enumerate(fill(slot, rng).split()):
                words.append(misspell(word, rng))
                tags.append(f"{'I' if i else 'B'}-{slot}" if slot in ENTITIES else "O")
        words.append(rng.choice([",", ";"]))
        tags.append("O")
    words[-1] = "."
    words[0] = words[0].capitalize()
    return {"tokens": words, "tags": tags}


def build_tokenizer(sentences, vocab_size):
    tok = Tokenizer(models.BPE(unk_token="[UNK]"))
    tok.normalizer = normalizers.Lowercase()
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"],
        show_progress=False,
    )
    tok.train_from_iterator((" ".join(words) for words in sentences), trainer)
    tok.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[("[CLS]", tok.token_to_id("[CLS]")), ("[SEP]", tok.token_to_id("[SEP]"))],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tok,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    )


def tokenize_and_align(batch, tokenizer, max_length):
    encoded = tokenizer(
        batch["tokens"], is_split_into_words=True, truncation=True, max_length=max_length
    )
    all_labels = []
    for i, tags in enumerate(batch["tags"]):
        labels, previous = [], None
        for word_id in encoded.word_ids(i):
            if word_id is None or word_id == previous:
                labels.append(-100)
            else:
                labels.append(TAG2ID[tags[word_id]])
            previous = word_id
        all_labels.append(labels)
    encoded["labels"] = all_labels
    return encoded


class Tagger(nn.Module):
    def __init__(self, vocab_size, num_tags, max_length, dim=80, heads=4, layers=2, pad_id=0):
        super().__init__()
        self.words = nn.Embedding(vocab_size, dim, padding_idx=pad_id)
        self.places = nn.Embedding(max_length, dim)
        layer = nn.TransformerEncoderLayer(
            dim, heads, dim_feedforward=2 * dim, dropout=0.1, batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(dim)
        self.classifier = nn.Linear(dim, num_tags)
        self.num_tags = num_tags

    def forward(self, input_ids, attention_mask, labels=None):
        positions = torch.arange(input_ids.size(1), device=input_ids.device)
        hidden = self.words(input_ids) + self.places(positions)
        hidden = self.encoder(hidden, src_key_padding_mask=attention_mask == 0)
        logits = self.classifier(self.norm(hidden))
        if labels is None:
            return {"logits": logits}
        loss = nn.functional.cross_entropy(
            logits.view(-1, self.num_tags), labels.view(-1), ignore_index=-100
        )
        return {"loss": loss, "logits": logits}


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    predictions = np.argmax(logits, axis=-1)
    real = labels != -100
    entity_ids = [i for i, tag in enumerate(TAGS) if tag != "O"]
    f1 = f1_score(labels[real], predictions[real], labels=entity_ids, average="micro")
    return {"f1": f1}


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--train_size", type=int, default=1000)
    parser.add_argument("--test_size", type=int, default=400)
    parser.add_argument("--vocab_size", type=int, default=400)
    parser.add_argument("--max_length", type=int, default=128)
    parser.add_argument("--epochs", type=float, default=8)
    parser.add_argument("--batch_size", type=int, default=16)
    parser.add_argument("--learning_rate", type=float, default=1e-3)
    parser.add_argument("--output_dir", default="prescriptions")
    parser.add_argument("--seed", type=int, default=11)
    return parser.parse_args()


def main():
    args = parse_args()
    set_seed(args.seed)

    rng = random.Random(args.seed)
    letters = [write_sentence(rng) for _ in range(args.train_size + args.test_size)]
    raw = Dataset.from_list(letters).train_test_split(test_size=args.test_size, seed=args.seed)

    tokenizer = build_tokenizer(raw["train"]["tokens"], args.vocab_size)
    train_ds = raw["train"].map(
        tokenize_and_align,
        batched=True,
        fn_kwargs={"tokenizer": tokenizer, "max_length": args.max_length},
        remove_columns=raw["train"].column_names,
    )
    test_ds = raw["test"].map(
        tokenize_and_align,
        batched=True,
        fn_kwargs={"tokenizer": tokenizer, "max_length": args.max_length},
        remove_columns=raw["test"].column_names,
    )

    model = Tagger(
        vocab_size=len(tokenizer),
        num_tags=len(TAGS),
        max_length=args.max_length,
        pad_id=tokenizer.pad_token_id,
    )
    training_args = TrainingArguments(
        output_dir=args.output_dir,
        learning_rate=args.learning_rate,
        num_train_epochs=args.epochs,
        per_device_train_batch_size=args.batch_size,
        per_device_eval_batch_size=64,
        warmup_ratio=0.1,
        weight_decay=0.01,
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=25,
        report_to="none",
        seed=args.seed,
    )
    trainer = Trainer(
        model=model,
        args=training_args,
        train_dataset=train_ds,
        eval_dataset=test_ds,
        data_collator=DataCollatorForTokenClassification(tokenizer),
        processing_class=tokenizer,
        compute_metrics=compute_metrics,
    )
    trainer.train()
    metrics = trainer.evaluate()
    print({"f1": round(metrics["eval_f1"], 4)})


if __name__ == "__main__":
    main()
