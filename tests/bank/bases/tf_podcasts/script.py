"""Tag podcast episodes with their topics, from the show notes. An episode has one to three topics.

python script.py --epochs 10
"""

import argparse
import math
import random

import pandas as pd
import tensorflow as tf
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MultiLabelBinarizer
from tensorflow.keras.callbacks import EarlyStopping
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    PreTrainedTokenizerFast,
    TFBertForSequenceClassification,
    create_optimizer,
)

TOPICS = {
    "crime": "detective alibi burglary trial case verdict forgery ransom witness suspect heist jury",
    "food": "sourdough butter recipe oven cumin broth oil season dumplings yeast pickles pastry",
    "health": "sleep diet vaccine surgery allergy nurse clinic trial case stress migraine therapy",
    "history": "empire treaty archive castle dynasty siege parchment colony emperor crown abbey plague",
    "money": "mortgage savings pension inflation budget taxes shares oil debt insurance salary rent",
    "music": "album drummer record score chorus vinyl orchestra synth melody tour lyrics label",
    "science": "telescope protein comet enzyme fossil neuron record orbit isotope glacier crater genome",
    "sport": "striker marathon referee relay stadium penalty score season keeper sprint medal derby",
}
SHOWS = ["The Long Table", "Night Bus", "Second Coffee", "Open Window", "Loose Change", "Half Past"]
SPONSORS = ["Nordbank", "Fernweh Shoes", "Plume Mattress", "Kettle Works", "Paperboat"]
PEOPLE = ["Ines", "Omar", "Ruth", "Jakob", "Mei", "Tariq", "Lotte", "Paulo", "Dana", "Viktor"]
SENTENCES = [
    "{host} talks to {guest} about {a}, {b} and the {c}.",
    "We get into the {a} and why the {b} still matters.",
    "A listener asks {guest} about {a} and {b}.",
    "{guest} explains the {a} in five minutes, then the {b}.",
    "What nobody tells you about {a}: {host} on {b} and {c}.",
]
ASIDES = [
    "As always there is a quiz at the end.",
    "Recorded live on a rainy evening.",
    "The sound is better this time.",
    "Write to us with your questions.",
]


def write_notes(rng, topics):
    host, guest = rng.sample(PEOPLE, 2)
    parts = [
        f"Episode {rng.randint(1, 400)} of {rng.choice(SHOWS)}, supported by"
        f" {rng.choice(SPONSORS)}: ten percent off your first order with our code."
    ]
    for topic in topics:
        a, b, c = rng.sample(TOPICS[topic].split(), 3)
        parts.append(rng.choice(SENTENCES).format(host=host, guest=guest, a=a, b=b, c=c))
    if rng.random() < 0.5:
        parts.insert(rng.randint(1, len(parts)), rng.choice(ASIDES))
    if rng.random() < 0.25:
        other = rng.choice([topic for topic in TOPICS if topic not in topics])
        parts.append(f"Next week: {rng.choice(TOPICS[other].split())}.")
    return " ".join(parts)


def load_feed(size, seed):
    rng = random.Random(seed)
    rows = []
    for _ in range(size):
        if rows and rng.random() < 0.07:
            rows.append(rng.choice(rows))  # a rerun comes with its old notes
            continue
        topics = rng.sample(sorted(TOPICS), rng.choice([1, 1, 2, 2, 2, 3]))
        rows.append({"notes": write_notes(rng, topics), "topics": ";".join(topics)})
    return pd.DataFrame(rows)


def build_tokenizer(texts, vocab_size):
    tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordLevelTrainer(
        vocab_size=vocab_size, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    )


def encode(tokenizer, texts, max_length):
    encoded = tokenizer(
        list(texts),
        padding="max_length",
        truncation=True,
        max_length=max_length,
        return_tensors="np",
    )
    return dict(encoded)


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--episodes", type=int, default=2200)
    parser.add_argument("--vocab-size", type=int, default=1000)
    parser.add_argument("--max-length", type=int, default=80)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--learning-rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=11)
    return parser.parse_args()


def main():
    args = parse_args()
    tf.keras.utils.set_random_seed(args.seed)

    feed = load_feed(args.episodes, args.seed).drop_duplicates("notes")
    binarizer = MultiLabelBinarizer()
    tags = pd.DataFrame(
        binarizer.fit_transform(feed["topics"].str.split(";")),
        columns=binarizer.classes_,
        index=feed.index,
    )
    feed = feed.merge(tags, left_index=True, right_index=True)
    names = list(binarizer.classes_)

    train, test = train_test_split(feed, test_size=0.2, random_state=args.seed)
    train, valid = train_test_split(train, test_size=0.1, random_state=args.seed)
    y_train, y_valid, y_test = (part[names].to_numpy("float32") for part in (train, valid, test))

    tokenizer = build_tokenizer(train["notes"], args.vocab_size)
    x_train = encode(tokenizer, train["notes"], args.max_length)
    x_valid = encode(tokenizer, valid["notes"], args.max_length)
    x_test = encode(tokenizer, test["notes"], args.max_length)

    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        num_hidden_layers=1,
        num_attention_heads=4,
        intermediate_size=128,
        initializer_range=0.1,
        max_position_embeddings=args.max_length,
        pad_token_id=tokenizer.pad_token_id,
        num_labels=len(names),
    )
    model = TFBertForSequenceClassification(config)

    total_steps = math.ceil(len(train) / args.batch_size) * args.epochs
    optimizer, _ = create_optimizer(
        init_lr=args.learning_rate,
        num_train_steps=total_steps,
        num_warmup_steps=total_steps // 10,
        weight_decay_rate=0.01,
    )
    model.compile(
        optimizer=optimizer,
        loss=tf.keras.losses.BinaryCrossentropy(from_logits=True),
        metrics=[tf.keras.metrics.BinaryAccuracy(threshold=0.0)],
    )
    model.fit(
        x_train,
        y_train,
        validation_data=(x_valid, y_valid),
        epochs=args.epochs,
        batch_size=args.batch_size,
        callbacks=[EarlyStopping(monitor="val_loss", patience=3, restore_best_weights=True)],
        verbose=2,
    )

    logits = model.predict(x_test, batch_size=64, verbose=0).logits
    predicted = (tf.sigmoid(logits).numpy() > 0.5).astype(int)
    for name, score in zip(names, f1_score(y_test, predicted, average=None, zero_division=0)):
        print(f"{name:10} {score:.3f}")
    print({"f1": float(f1_score(y_test, predicted, average="micro"))})


if __name__ == "__main__":
    main()
