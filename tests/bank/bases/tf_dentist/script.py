"""Tag the chart notes of a dental practice with every finding they report."""
import argparse
import random

import numpy as np
import tensorflow as tf
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    PreTrainedTokenizerFast,
    TFBertForSequenceClassification,
    create_optimizer,
    set_seed,
)

FINDINGS = ["caries", "gingivitis", "fracture", "erosion", "impaction"]

WORDINGS = {
    "caries": ["caries", "a cavity", "decay", "a carious lesion", "demineralised fissures"],
    "gingivitis": ["gingivitis", "bleeding on probing", "swollen papillae", "inflamed gums"],
    "fracture": ["a fractured cusp", "a chipped edge", "a crack line", "a broken filling"],
    "erosion": ["erosion", "acid wear", "thinned enamel", "cupped surfaces"],
    "impaction": ["an impacted molar", "a partly erupted wisdom tooth", "a retained canine"],
}
OPENINGS = [
    "Patient attends for the six month recall and reports no change in medical history or medication",
    "Emergency visit after a sleepless night , anamnesis updated and blood pressure taken before treatment",
    "New patient referred by the family doctor , consent form signed and insurance details checked today",
    "Control visit after last week's appointment , patient feels well and took the painkillers as advised",
]
DENIALS = ["no", "without", "no sign of"]
PLACES = ["upper left", "upper right", "lower left", "lower right", "in the front", "on both sides"]
CLOSINGS = ["Next visit in six months .", "Cleaning done .", "Patient informed .", "X-ray filed ."]


def write_charts(n, rng):
    charts = []
    for _ in range(n):
        found, clauses = [], []
        for finding in FINDINGS:
            wording = rng.choice(WORDINGS[finding])
            place, draw = rng.choice(PLACES), rng.random()
            if draw < 0.30:
                found.append(finding)
                clauses.append(f"{wording} {place}")
            elif draw < 0.37:  # the dentist decides later, about every second time for it
                clauses.append(f"possibly {wording} {place}")
                if rng.random() < 0.5:
                    found.append(finding)
            elif draw < 0.47:
                clauses.append(f"{rng.choice(DENIALS)} {wording}")
        rng.shuffle(clauses)
        note = f"{rng.choice(OPENINGS)} . {' , '.join(clauses)} . {rng.choice(CLOSINGS)}"
        charts.append({"note": note, "findings": found})
    return charts


def encode_findings(charts):
    targets = [[0.0] * len(FINDINGS) for _ in charts]
    for i, chart in enumerate(charts):
        for finding in chart["findings"]:
            targets[i][FINDINGS.index(finding)] = 1.0
    return np.array(targets, dtype="float32")


def train_tokenizer(notes):
    words = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    words.normalizer = normalizers.Lowercase()
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordLevelTrainer(special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    words.train_from_iterator(notes, trainer)
    words.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[(t, words.token_to_id(t)) for t in ("[CLS]", "[SEP]")],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=words,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    )


def make_dataset(charts, tokenizer, args, shuffle=True):
    encoded = tokenizer(
        [chart["note"] for chart in charts],
        padding="max_length",
        truncation=True,
        max_length=args.max_length,
        return_token_type_ids=False,
        return_tensors="np",
    )
    features = tf.data.Dataset.from_tensor_slices(dict(encoded))
    targets = tf.data.Dataset.from_tensor_slices(encode_findings(charts))
    dataset = tf.data.Dataset.zip((features, targets))
    if shuffle:
        dataset = dataset.shuffle(len(charts))
    return dataset.batch(args.batch_size).prefetch(tf.data.AUTOTUNE)


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--charts", type=int, default=2800)
    parser.add_argument("--max_length", type=int, default=56)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--learning_rate", type=float, default=2e-3)
    parser.add_argument("--warmup_steps", type=int, default=30)
    parser.add_argument("--seed", type=int, default=42)
    return parser.parse_args()


def main():
    args = parse_args()
    set_seed(args.seed)

    charts = write_charts(args.charts, random.Random(args.seed))
    train_charts, rest = train_test_split(charts, test_size=0.3, random_state=args.seed)
    val_charts, test_charts = train_test_split(rest, test_size=0.7, random_state=args.seed)

    tokenizer = train_tokenizer([chart["note"] for chart in train_charts])
    train_ds = make_dataset(train_charts, tokenizer, args)
    val_ds = make_dataset(val_charts, tokenizer, args, shuffle=False)
    test_ds = make_dataset(test_charts, tokenizer, args, shuffle=False)

    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=64,
        hidden_dropout_prob=0.05,
        attention_probs_dropout_prob=0.0,
        initializer_range=0.1,  # nothing is pretrained here
        pad_token_id=tokenizer.pad_token_id,
        num_labels=len(FINDINGS),
        problem_type="multi_label_classification",
    )
    model = TFBertForSequenceClassification(config)

    optimizer, _ = create_optimizer(
        init_lr=args.learning_rate,
        num_train_steps=len(train_ds) * args.epochs,
        num_warmup_steps=args.warmup_steps,
        weight_decay_rate=0.01,
    )
    model.compile(
        optimizer=optimizer,
        loss=tf.keras.losses.BinaryCrossentropy(from_logits=True),
        metrics=[tf.keras.metrics.BinaryAccuracy(threshold=0.0)],
    )
    model.fit(train_ds, validation_data=val_ds, epochs=args.epochs, verbose=2)

    logits = model.predict(test_ds, verbose=0).logits
    predicted = (tf.sigmoid(logits).numpy() >= 0.5).astype(int)
    expected = encode_findings(test_charts).astype(int)
    for name, score in zip(FINDINGS, f1_score(expected, predicted, average=None, zero_division=0)):
        print(f"{name:12} {score:.3f}")
    print({"macro_f1": float(f1_score(expected, predicted, average="macro", zero_division=0))})


if __name__ == "__main__":
    main()
