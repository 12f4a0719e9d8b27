"""Reads what parents write to a school office and marks every topic that a message is about."""

import argparse
import random
import re

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
import torch.nn.functional as F
from datasets import Dataset
from sklearn.metrics import f1_score
from sklearn.preprocessing import MultiLabelBinarizer
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import (
    DataCollatorWithPadding,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

ASKS = {
    "absence": [
        "{kid} will not be in class on {day}",
        "please excuse {kid} from lessons on {day}",
        "{kid} is staying at home until {day}",
    ],
    "bus": [
        "the driver left before {kid} reached the stop on {day}",
        "which route stops closest to our street",
        "{kid} lost the season ticket between two stops",
    ],
    "fees": [
        "we have not received the invoice for {month}",
        "could we pay the rest in two instalments",
        "the transfer for {month} was booked twice",
    ],
    "health": [
        "{kid} has to take an inhaler before sport",
        "the doctor found an allergy against nuts",
        "{kid} got a bad cough over the weekend",
    ],
    "homework": [
        "{kid} could not finish the worksheet for {day}",
        "the exercises in maths took us three hours",
        "is the essay due on {day} or later",
    ],
    "lunch": [
        "{kid} would like the vegetarian menu from {month} on",
        "the canteen card of {kid} is empty again",
        "{kid} left the lunchbox in the canteen on {day}",
    ],
    "trip": [
        "i sign the permission for the museum on {day}",
        "what should {kid} pack for the excursion in {month}",
        "are there still places for the ski camp in {month}",
    ],
}
HELLO = ["Dear Mrs {name},", "Hello Mr {name},", "Good morning,", "Hi there,", "To the office:"]
CHAT = [
    "I hope that you had a good start into {month}.",
    "Thanks a lot for the kind talk on {day}.",
    "Sorry that I write so late in the evening!",
    "I tried to call you on {day} but nobody answered.",
]
JOIN = [". Also, ", ". And one more thing: ", ". Besides, ", "; "]
BYE = ["Best wishes, {name}", "Many thanks in advance! {name}", "Kind regards", "Yours, {name}"]
KIDS = ["Ada", "Bela", "Carl", "Dina", "Emil", "Frida", "Gus", "Hana", "Ilja", "Juna"]
NAMES = ["Abel", "Brandt", "Costa", "Dietz", "Evans", "Fischer", "Grau", "Horvat", "Ito"]
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]
MONTHS = ["January", "March", "May", "September", "October", "November"]


def write_message(rng):
    topics = rng.sample(sorted(ASKS), k=rng.choices([1, 2, 3], weights=[4, 4, 2])[0])
    body = rng.choice(ASKS[topics[0]])
    for topic in topics[1:]:
        body += rng.choice(JOIN) + rng.choice(ASKS[topic])
    chat = " ".join(rng.sample(CHAT, k=rng.randint(0, 2)))
    text = f"{rng.choice(HELLO)} {chat} {body}. {rng.choice(BYE)}"
    text = text.format(
        kid=rng.choice(KIDS),
        name=rng.choice(NAMES),
        day=rng.choice(DAYS),
        month=rng.choice(MONTHS),
    )
    return {"text": text, "topics": ";".join(topics)}


def load_inbox(size, seed):
    rng = random.Random(seed)
    rows = []
    for _ in range(size):
        rows.append(write_message(rng))
        if rng.random() < 0.04:  # many parents press "send" a second time
            rows.append(dict(rows[-1]))
    return pd.DataFrame(rows)


def clean(text):
    text = re.sub(r"[^a-z ]", " ", text.lower())
    return re.sub(r" +", " ", text).strip()


def build_tokenizer(texts):
    tok = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordLevelTrainer(special_tokens=["[PAD]", "[UNK]"])
    tok.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tok, pad_token="[PAD]", unk_token="[UNK]")


def encode(texts, targets, tokenizer, max_length):
    enc = tokenizer(list(texts), truncation=True, max_length=max_length)
    return Dataset.from_dict(
        {
            "input_ids": enc["input_ids"],
            "attention_mask": enc["attention_mask"],
            "labels": targets.astype("float32").tolist(),
        }
    )


class MessageNet(nn.Module):
    def __init__(self, vocab_size, num_labels, pad_id, dim=64, hidden=96):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, dim, padding_idx=pad_id)
        self.conv = nn.Conv1d(dim, hidden, kernel_size=3, padding=1)
        self.dropout = nn.Dropout(0.2)
        self.classifier = nn.Linear(hidden, num_labels)

    def forward(self, input_ids, attention_mask, labels=None):
        x = self.embed(input_ids).transpose(1, 2)
        x = torch.relu(self.conv(x)).transpose(1, 2)
        x = x.masked_fill(attention_mask.unsqueeze(-1) == 0, 0.0)
        pooled = x.max(dim=1).values
        return {"logits": self.classifier(self.dropout(pooled))}


class MultiLabelTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = F.binary_cross_entropy_with_logits(outputs["logits"], labels.float())
        return (loss, outputs) if return_outputs else loss


def compute_metrics(p):
    probs = torch.sigmoid(torch.from_numpy(p.predictions)).numpy()
    y_pred = (probs > 0.5).astype(int)
    return {"f1": f1_score(p.label_ids.astype(int), y_pred, average="micro", zero_division=0)}


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--messages", type=int, default=2400)
    parser.add_argument("--max_length", type=int, default=72)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--seed", type=int, default=13)
    return parser.parse_args()


def main():
    args = parse_args()
    set_seed(args.seed)

    df = load_inbox(args.messages, args.seed)
    df["text"] = df["text"].map(clean)
    mlb = MultiLabelBinarizer()
    df = df.drop_duplicates("text").reset_index(drop=True)
    targets = mlb.fit_transform(df["topics"].str.split(";"))

    order = np.random.default_rng(args.seed).permutation(len(df))
    n_train = int(0.8 * len(df))
    train_idx, test_idx = order[:n_train], order[n_train:]
    train_texts, test_texts = df["text"].iloc[train_idx], df["text"].iloc[test_idx]

    tokenizer = build_tokenizer(train_texts)
    train_ds = encode(train_texts, targets[train_idx], tokenizer, args.max_length)
    test_ds = encode(test_texts, targets[test_idx], tokenizer, args.max_length)

    model = MessageNet(len(tokenizer), len(mlb.classes_), tokenizer.pad_token_id)

    training_args = TrainingArguments(
        output_dir="parents-out",
        learning_rate=args.lr,
        lr_scheduler_type="linear",
        warmup_steps=20,
        weight_decay=0.01,
        num_train_epochs=args.epochs,
        per_device_train_batch_size=args.batch_size,
        per_device_eval_batch_size=128,
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=25,
        report_to="none",
        seed=args.seed,
    )
    trainer = MultiLabelTrainer(
        model=model,
        args=training_args,
        train_dataset=train_ds,
        eval_dataset=test_ds,
        data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=compute_metrics,
    )
    trainer.train()
    result = trainer.evaluate()
    print({"f1": round(result["eval_f1"], 4)})


if __name__ == "__main__":
    main()
