# Route bank complaints to the product team that has to answer them.
import random
from collections import Counter

import numpy as np
import pandas as pd
import torch
from sklearn.metrics import f1_score
from transformers import (
    DistilBertConfig,
    DistilBertForSequenceClassification,
    Trainer,
    TrainingArguments,
    set_seed,
)

SEED = 2024
MAX_LEN = 32
set_seed(SEED)

PRODUCTS = ["mortgage", "credit card", "student loan", "checking account", "debt collection"]
ROWS = {
    "mortgage": 300,
    "credit card": 300,
    "student loan": 90,
    "checking account": 300,
    "debt collection": 90,
}
TERMS = {
    "mortgage": [
        "escrow",
        "appraisal",
        "refinance",
        "foreclosure",
        "closing",
        "lender",
        "property",
        "servicer",
    ],
    "credit card": [
        "card",
        "annual",
        "fee",
        "rewards",
        "limit",
        "statement",
        "purchase",
        "cashback",
    ],
    "student loan": [
        "school",
        "forbearance",
        "income",
        "tuition",
        "deferment",
        "graduate",
        "servicer",
        "repayment",
    ],
    "checking account": [
        "overdraft",
        "deposit",
        "branch",
        "atm",
        "wire",
        "teller",
        "cheque",
        "fee",
    ],
    "debt collection": [
        "collector",
        "validation",
        "harassing",
        "calls",
        "agency",
        "owed",
        "letter",
        "repayment",
    ],
}
OTHER = [
    "i",
    "the",
    "they",
    "my",
    "was",
    "to",
    "and",
    "told",
    "after",
    "days",
    "again",
    "never",
    "company",
    "called",
    "received",
    "asked",
    "would",
    "not",
    "money",
    "still",
    "about",
    "with",
    "month",
    "time",
    "because",
    "when",
    "please",
    "help",
    "nobody",
    "answered",
]


def export_complaints():
    rng = random.Random(SEED)
    records = []
    for product in PRODUCTS:
        for _ in range(ROWS[product]):
            words = rng.choices(OTHER, k=rng.randint(8, 20))
            for _ in range(rng.randint(1, 4)):
                words.insert(rng.randrange(len(words)), rng.choice(TERMS[product]))
            if rng.random() < 0.6:
                stray = rng.choice(PRODUCTS)
                words.insert(rng.randrange(len(words)), rng.choice(TERMS[stray]))
            narrative = " ".join(words).capitalize() + rng.choice([".", "!", " XXXX."])
            records.append({"narrative": narrative, "product": product})
    return pd.DataFrame(records)


def clean(narrative):
    return narrative.lower().replace("xxxx", "").strip(" .!")


def oversample(frame):
    most = frame["label"].value_counts().max()
    parts = [
        part.sample(most, replace=len(part) < most, random_state=SEED)
        for _, part in frame.groupby("label")
    ]
    return pd.concat(parts).sample(frac=1, random_state=SEED)


def split(frame, held_out=0.25):
    cut = int(len(frame) * (1 - held_out))
    return frame.iloc[:cut], frame.iloc[cut:]


df = export_complaints()
df = df.sample(frac=1, random_state=SEED).reset_index(drop=True)
df["text"] = pd.Series([clean(n) for n in df["narrative"].tolist()])
df["label"] = df["product"].map({name: i for i, name in enumerate(PRODUCTS)})
df = df.drop(columns=["narrative", "product"])

train_df, test_df = split(df)
train_df = oversample(train_df)
print(train_df["label"].value_counts().to_dict(), len(test_df))

SPECIAL = ["[PAD]", "[UNK]", "[CLS]"]
counts = Counter(word for text in train_df["text"] for word in text.split())
words = [word for word, seen in counts.most_common() if seen > 1]
vocab = {word: i for i, word in enumerate(SPECIAL + words)}
PAD, UNK, CLS = (vocab[token] for token in SPECIAL)


def encode(text):
    ids = [CLS] + [vocab.get(word, UNK) for word in text.split()]
    ids = ids[:MAX_LEN]
    return ids + [PAD] * (MAX_LEN - len(ids))


class ComplaintDataset(torch.utils.data.Dataset):
    def __init__(self, frame):
        self.input_ids = torch.tensor([encode(text) for text in frame["text"]])
        self.attention_mask = (self.input_ids != PAD).long()
        self.labels = torch.tensor(frame["label"].to_numpy())

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, idx):
        return {
            "input_ids": self.input_ids[idx],
            "attention_mask": self.attention_mask[idx],
            "labels": self.labels[idx],
        }


config = DistilBertConfig(
    vocab_size=len(vocab),
    max_position_embeddings=MAX_LEN,
    dim=48,
    hidden_dim=96,
    n_layers=2,
    n_heads=4,
    pad_token_id=PAD,
    num_labels=len(PRODUCTS),
)
model = DistilBertForSequenceClassification(config)


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    preds = np.argmax(logits, axis=-1)
    return {
        "accuracy": float((preds == labels).mean()),
        "f1": float(f1_score(labels, preds, average="macro")),
    }


args = TrainingArguments(
    output_dir="complaints-out",
    num_train_epochs=10,
    per_device_train_batch_size=32,
    per_device_eval_batch_size=128,
    learning_rate=2e-3,
    weight_decay=0.01,
    warmup_ratio=0.1,
    eval_strategy="epoch",
    logging_strategy="epoch",
    save_strategy="no",
    report_to="none",
    seed=SEED,
)
trainer = Trainer(
    model=model,
    args=args,
    train_dataset=ComplaintDataset(train_df),
    eval_dataset=ComplaintDataset(test_df),
    compute_metrics=compute_metrics,
)
trainer.train()
scores = trainer.evaluate()
print({"accuracy": round(scores["eval_accuracy"], 4), "f1": round(scores["eval_f1"], 4)})
