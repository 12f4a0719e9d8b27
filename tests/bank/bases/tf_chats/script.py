"""Moderation of in-game chat: sort reported messages into queues with a small DistilBERT."""
import random
from dataclasses import dataclass

import numpy as np
import pandas as pd
import tensorflow as tf
from sklearn.metrics import classification_report, f1_score
from sklearn.model_selection import train_test_split
from tensorflow.keras.optimizers import Adam
from tensorflow.keras.optimizers.schedules import PolynomialDecay
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing
from tokenizers.trainers import WordLevelTrainer
from transformers import (
    DistilBertConfig,
    PreTrainedTokenizerFast,
    TFDistilBertForSequenceClassification,
)


@dataclass
class Args:
    n_messages: int = 2600
    wrong_clicks: float = 0.04
    max_length: int = 40
    dim: int = 64
    epochs: int = 5
    batch_size: int = 32
    learning_rate: float = 1e-3
    seed: int = 29


HEROES = ["Mira", "Tolk", "the druid", "the archer", "Vex", "our healer", "the goblin", "Sable"]
PLACES = ["mid", "the bridge", "the north gate", "bot lane", "the dungeon", "the ruins"]
CHATTER = [
    "we should push {p} before {h} comes back",
    "{h} went to {p} with half of the team",
    "last round at {p} took way too long",
    "I was such a noob with {h} when I started",
    "ok so {h} is waiting for us at {p}",
    "I sold my old bow to {h} after the raid",
    "nobody saw what happened at {p}",
    "my aim was trash today but {h} helped",
]
DECISIVE = {
    "insult": [
        "{h} you are such a noob",
        "you are trash , uninstall the game",
        "go cry at {p} you useless clown",
        "your aim was trash , learn to play",
    ],
    "trade": [
        "I sell my sword for {n} gold , whisper me",
        "buying wolf pelts , {n} gold each",
        "who wants to swap a shield for my bow",
    ],
    "spam": [
        "free gems at {n} gems dot com , click now",
        "join my stream now , free skins for {n} followers",
        "click the link and win {n} gems",
    ],
    "cheating": [
        "{h} sees through walls , please ban",
        "that guy at {p} uses an aim bot",
        "speed hack again , {h} ran across {p} in {n} seconds",
    ],
    "fine": [
        "good game everyone , see you at {p}",
        "thanks {h} , that was close",
        "can somebody heal {h} please",
    ],
}
SHARES = {"fine": 0.34, "insult": 0.22, "trade": 0.18, "spam": 0.14, "cheating": 0.12}


def fill(pattern, rng):
    return pattern.format(h=rng.choice(HEROES), p=rng.choice(PLACES), n=rng.randint(2, 90))


def load_reports(args):
    rng = random.Random(args.seed)
    rows = []
    for _ in range(args.n_messages):
        queue = rng.choices(list(SHARES), weights=list(SHARES.values()))[0]
        parts = [fill(rng.choice(CHATTER), rng) for _ in range(rng.choice([1, 1, 2]))]
        parts.append(fill(rng.choice(DECISIVE[queue]), rng))
        if rng.random() < args.wrong_clicks:  # players do pick the wrong reason
            queue = rng.choice(list(SHARES))
        rows.append({"message": " . ".join(parts), "queue": queue})
    return pd.DataFrame(rows).drop_duplicates("message").reset_index(drop=True)


def build_tokenizer(messages):
    tokenizer = Tokenizer(WordLevel(unk_token="[UNK]"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = Whitespace()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    tokenizer.train_from_iterator(messages, WordLevelTrainer(special_tokens=specials))
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_input_names=["input_ids", "attention_mask"],
    )


def make_dataset(frame, tokenizer, label2id, args, shuffle=True):
    encoded = tokenizer(
        frame["message"].tolist(),
        padding="max_length",
        truncation=True,
        max_length=args.max_length,
        return_tensors="np",
    )
    labels = frame["queue"].map(label2id).to_numpy()
    dataset = tf.data.Dataset.from_tensor_slices((dict(encoded), labels))
    if shuffle:
        dataset = dataset.shuffle(len(frame), seed=args.seed)
    return dataset.batch(args.batch_size).prefetch(tf.data.AUTOTUNE)


def main(args):
    tf.keras.utils.set_random_seed(args.seed)
    reports = load_reports(args)
    train, test = train_test_split(
        reports, test_size=0.2, stratify=reports["queue"], random_state=args.seed
    )
    train, val = train_test_split(
        train, test_size=0.1, stratify=train["queue"], random_state=args.seed
    )

    queues = sorted(train["queue"].unique())
    label2id = {name: i for i, name in enumerate(queues)}
    tokenizer = build_tokenizer(train["message"])

    train_ds = make_dataset(train, tokenizer, label2id, args)
    val_ds = make_dataset(val, tokenizer, label2id, args, shuffle=False)
    test_ds = make_dataset(test, tokenizer, label2id, args, shuffle=False)

    config = DistilBertConfig(
        vocab_size=len(tokenizer),
        max_position_embeddings=args.max_length,
        dim=args.dim,
        hidden_dim=2 * args.dim,
        n_layers=2,
        n_heads=4,
        pad_token_id=tokenizer.pad_token_id,
        num_labels=len(queues),
        id2label={i: name for name, i in label2id.items()},
        label2id=label2id,
    )
    model = TFDistilBertForSequenceClassification(config)

    num_train_steps = len(train_ds) * args.epochs
    schedule = PolynomialDecay(
        initial_learning_rate=args.learning_rate, end_learning_rate=0.0, decay_steps=num_train_steps
    )
    model.compile(
        optimizer=Adam(learning_rate=schedule),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.fit(train_ds, validation_data=val_ds, epochs=args.epochs, verbose=2)

    logits = model.predict(test_ds, verbose=0).logits
    predicted = np.argmax(logits, axis=-1)
    expected = test["queue"].map(label2id).to_numpy()
    print(classification_report(expected, predicted, target_names=queues, zero_division=0))
    print({"macro_f1": float(f1_score(expected, predicted, average="macro"))})


if __name__ == "__main__":
    main(Args())
