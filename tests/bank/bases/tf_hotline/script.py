"""Why did they call? Tags the notes that agents of a broadband hotline type during a call.

A call may have several reasons, so this is multi-label: one yes or no for each reason.
"""
import argparse
import random
from collections import Counter

import tensorflow as tf
from sklearn.metrics import f1_score
from sklearn.preprocessing import MultiLabelBinarizer
from tensorflow.keras.optimizers import Adam
from tensorflow.keras.optimizers.schedules import PolynomialDecay
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, PreTrainedTokenizerFast, TFBertForSequenceClassification

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]

SAID = {
    "billing": [
        "charged twice for {month}",
        "direct debit went out too early",
        "invoice for {month} higher than agreed",
        "wants the late fee taken off",
        "asks for a copy of the {month} invoice",
    ],
    "outage": [
        "no connection since {day}",
        "line keeps dropping in the evening",
        "whole street offline since {day}",
        "download speed down to a crawl",
        "no dial tone on the landline",
    ],
    "equipment": [
        "router shows a red light",
        "replacement router never arrived",
        "power supply of the {box} is dead",
        "remote of the {box} not pairing",
        "wants to send the old {box} back",
    ],
    "appointment": [
        "technician did not turn up on {day}",
        "wants to move the visit to {day}",
        "asks when the engineer comes",
        "needs a morning slot on {day}",
        "visit was booked for the wrong address",
    ],
    "cancel": [
        "wants to leave at the end of {month}",
        "switching to another provider in {month}",
        "asks for the cancellation form",
        "contract to be ended because of a move",
        "gives notice for {month}",
    ],
    "complaint": [
        "very unhappy with the last agent",
        "asks for a manager",
        "third call about this and nobody called back",
        "threatens to go to the regulator",
        "was cut off after a long wait",
    ],
}
OPENING = [
    "inbound call dob and postcode verified",
    "customer rang from mobile and passed security",
    "caller is the partner of the account holder and consent is on file",
    "call transferred from sales and identity checked",
]
FILLER = [
    "checked the {month} statement with caller",
    "router and line look fine from here",
    "told caller about the new {box}",
    "next visit of the van in that area is {day}",
    "explained that notes are kept until {month}",
    "caller was friendly and patient",
]
MONTHS = ["january", "march", "april", "june", "august", "october", "december"]
DAYS = ["monday", "tuesday", "thursday", "friday", "saturday"]
BOXES = ["decoder", "modem", "booster", "receiver"]


def typed_by(words, rng):
    """Everybody types in their own way."""
    style = rng.random()
    if style < 0.45:
        return words.upper()
    if style < 0.7:
        return words.title()
    return words


def make_calls(count, rng):
    calls = []
    for _ in range(count):
        reasons = rng.sample(sorted(SAID), k=rng.choices([1, 2, 3], weights=[4, 4, 2])[0])
        parts = [rng.choice(SAID[reason]) for reason in reasons]
        parts += rng.sample(FILLER, k=rng.choice([0, 1, 2]))
        rng.shuffle(parts)
        words = " . ".join([rng.choice(OPENING), *parts])
        words = words.format(month=rng.choice(MONTHS), day=rng.choice(DAYS), box=rng.choice(BOXES))
        kept = [word for word in words.split() if word == "." or rng.random() > 0.12]
        calls.append((typed_by(" ".join(kept), rng), reasons))
    return calls


def build_tokenizer(notes, min_count=2):
    counts = Counter(word for note in notes for word in note.lower().split())
    known = SPECIAL + sorted(word for word, count in counts.items() if count >= min_count)
    vocab = {word: index for index, word in enumerate(known)}
    raw = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
    raw.normalizer = normalizers.Lowercase()
    raw.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    raw.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[("[CLS]", vocab["[CLS]"]), ("[SEP]", vocab["[SEP]"])],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=raw,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    )


def to_dataset(tokenizer, notes, labels, args, training=False):
    encoded = tokenizer(
        notes,
        padding="max_length",
        truncation=True,
        max_length=args.max_length,
        return_tensors="np",
    )
    inputs = {"input_ids": encoded["input_ids"], "attention_mask": encoded["attention_mask"]}
    ds = tf.data.Dataset.from_tensor_slices((inputs, labels))
    if training:
        ds = ds.shuffle(len(notes), seed=args.seed)
    return ds.batch(args.batch_size).prefetch(tf.data.AUTOTUNE)


def build_model(tokenizer, num_labels, steps, args):
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=args.max_length,
        initializer_range=0.1,
        pad_token_id=tokenizer.pad_token_id,
        num_labels=num_labels,
        problem_type="multi_label_classification",
    )
    model = TFBertForSequenceClassification(config)
    schedule = PolynomialDecay(args.learning_rate, decay_steps=steps, end_learning_rate=0.0)
    model.compile(
        optimizer=Adam(learning_rate=schedule, clipnorm=1.0),
        loss=tf.keras.losses.BinaryCrossentropy(from_logits=True),
        metrics=[
            tf.keras.metrics.AUC(
                curve="PR",
                multi_label=True,
                num_labels=num_labels,
                from_logits=True,
                name="average_precision",
            )
        ],
    )
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=1800)
    parser.add_argument("--max_length", type=int, default=48)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--learning_rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()

    tf.keras.utils.set_random_seed(args.seed)
    calls = make_calls(args.calls, random.Random(args.seed))
    n_test, n_val = args.calls // 5, args.calls // 10
    test, val, train = calls[:n_test], calls[n_test : n_test + n_val], calls[n_test + n_val :]

    binarizer = MultiLabelBinarizer(classes=sorted(SAID))
    y_train = binarizer.fit_transform([reasons for _, reasons in train]).astype("float32")
    y_val = binarizer.transform([reasons for _, reasons in val]).astype("float32")
    y_test = binarizer.transform([reasons for _, reasons in test]).astype("float32")

    tokenizer = build_tokenizer([note for note, _ in train])
    train_ds = to_dataset(tokenizer, [note for note, _ in train], y_train, args, training=True)
    val_ds = to_dataset(tokenizer, [note for note, _ in val], y_val, args)
    test_ds = to_dataset(tokenizer, [note for note, _ in test], y_test, args)

    model = build_model(tokenizer, y_train.shape[1], len(train_ds) * args.epochs, args)
    early = tf.keras.callbacks.EarlyStopping(
        monitor="val_average_precision", mode="max", patience=2, restore_best_weights=True
    )
    model.fit(
        train_ds, validation_data=val_ds, epochs=args.epochs, callbacks=[early], verbose=2
    )

    logits = model.predict(test_ds, verbose=0).logits
    probabilities = tf.sigmoid(logits).numpy()
    predicted = (probabilities > 0.5).astype(int)
    for reason, score in zip(binarizer.classes_, f1_score(y_test, predicted, average=None)):
        print(f"{reason:12} {score:.3f}")
    print({"macro_f1": float(f1_score(y_test, predicted, average="macro"))})


if __name__ == "__main__":
    main()
