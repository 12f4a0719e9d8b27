"""Finds callsigns, levels, headings, runways ... in transcripts of tower and cockpit radio.

A small BERT tagger that is trained from scratch on transcribed messages (BIO tags per word).
"""

import argparse
import random

import numpy as np
import torch
import torch.nn.functional as F
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

SLOTS = ["CALL", "LVL", "HDG", "SPD", "RWY", "FRQ", "FIX"]
LABELS = ["O"] + [f"{bio}-{slot}" for slot in SLOTS for bio in "BI"]
label2id = {label: i for i, label in enumerate(LABELS)}
id2label = dict(enumerate(LABELS))

AIRLINES = ["SPEEDBIRD", "LUFTHANSA", "SWISS", "KLM", "EASY", "RYANAIR", "IBERIA", "AUSTRIAN"]
LETTERS = ["ALPHA", "BRAVO", "DELTA", "KILO", "LIMA", "TANGO", "ZULU"]
STATIONS = ["RADAR", "TOWER", "GROUND", "APPROACH", "ARRIVAL"]


def o(text):
    return [(word, "O") for word in text.split()]


def slot(name, *words):
    return [(str(w), ("B-" if i == 0 else "I-") + name) for i, w in enumerate(words)]


def callsign(rng):
    words = [rng.choice(AIRLINES), rng.randint(10, 999)]
    if rng.random() < 0.5:
        words.append(rng.choice(LETTERS))
    return slot("CALL", *words)


def level(rng):
    verb = o(rng.choice(["CLIMB", "DESCEND", "CLIMB TO", "DESCEND TO", "MAINTAIN"]))
    if rng.random() < 0.5:
        return verb + o("FLIGHT LEVEL") + slot("LVL", rng.randrange(60, 400, 10))
    return verb + slot("LVL", rng.randrange(2000, 9000, 500), "FEET")


def heading(rng):
    value = slot("HDG", f"{rng.randrange(5, 360, 5):03d}")
    turn = o("TURN " + rng.choice(["LEFT", "RIGHT"]))
    return rng.choice([turn + o("HEADING") + value, turn + value, o("FLY HEADING") + value])


def speed(rng):
    value = rng.randrange(160, 300, 10)
    if rng.random() < 0.4:
        return o("SPEED") + slot("SPD", value)
    return o(rng.choice(["REDUCE", "MAINTAIN", "REDUCE TO"])) + slot("SPD", value, "KNOTS")


def runway(rng):
    words = [f"{rng.randint(1, 36):02d}"]
    if rng.random() < 0.4:
        words.append(rng.choice(["LEFT", "RIGHT", "CENTER"]))
    return o(rng.choice(["CLEARED ILS RUNWAY", "CLEARED TO LAND", "RUNWAY"])) + slot("RWY", *words)


def frequency(rng):
    number = f"{rng.randint(118, 136)}.{rng.choice(['050', '105', '275', '350', '425', '675'])}"
    return o("CONTACT " + rng.choice(STATIONS)) + slot("FRQ", number)


def fix(rng):
    name = "".join(rng.choice(letters) for letters in ["BDKLMRSTV", "AEIOU", "BDGLMNPR", "AEIOU", "KLMNRSX"])
    return o(rng.choice(["DIRECT", "PROCEED TO", "DIRECT TO"])) + slot("FIX", name)


def chatter(rng):
    return rng.choice(
        [
            o(f"WIND {rng.randrange(10, 360, 10):03d} DEGREES {rng.randint(3, 25)} KNOTS"),
            o(f"QNH {rng.randint(990, 1032)}"),
            o(f"SQUAWK {rng.randint(1000, 7677)}"),
            o(f"TRAFFIC {rng.randint(1, 12)} OCLOCK {rng.randint(2, 9)} MILES {rng.randrange(2000, 9000, 500)} FEET"),
        ]
    )


def radio_log(n, seed):
    rng = random.Random(seed)
    rows = []
    for _ in range(n):
        kinds = rng.sample([level, heading, speed, runway, frequency, fix, chatter, chatter], rng.randint(2, 3))
        said = [pair for kind in kinds for pair in kind(rng)]
        by_tower = rng.random() < 0.6
        call = callsign(rng)
        said = call + said if by_tower else said + call
        words, tags = zip(*said)
        rows.append({"speaker": "[ATC]" if by_tower else "[PLT]", "words": list(words), "tags": list(tags)})
    return Dataset.from_list(rows)


def clean(row):
    return {"words": [word.lower() for word in row["words"]]}


def build_tokenizer(sentences, vocab_size):
    core = Tokenizer(models.BPE(unk_token="[UNK]"))
    core.normalizer = normalizers.NFC()
    core.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"], show_progress=False
    )
    core.train_from_iterator((" ".join(words) for words in sentences), trainer)
    core.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[(t, core.token_to_id(t)) for t in ("[CLS]", "[SEP]")],
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    )
    tokenizer.add_special_tokens({"additional_special_tokens": ["[ATC]", "[PLT]"]})
    return tokenizer


def tokenize_and_align(batch, tokenizer, max_length):
    words = [[who] + said for who, said in zip(batch["speaker"], batch["words"])]
    enc = tokenizer(words, is_split_into_words=True, truncation=True, max_length=max_length)
    enc["labels"] = []
    for i, tags in enumerate(batch["tags"]):
        tags = ["O"] + tags
        row, previous = [], None
        for word in enc.word_ids(i):
            row.append(-100 if word is None or word == previous else label2id[tags[word]])
            previous = word
        enc["labels"].append(row)
    return enc


class TaggerTrainer(Trainer):
    """Cross entropy with a smaller weight on O, which is most of the words."""

    def __init__(self, *args, outside_weight=0.5, **kwargs):
        super().__init__(*args, **kwargs)
        self.weight = torch.ones(len(LABELS))
        self.weight[label2id["O"]] = outside_weight

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        active = labels != -100
        loss = F.cross_entropy(
            outputs.logits[active], labels[active], weight=self.weight.to(outputs.logits.device)
        )
        return (loss, outputs) if return_outputs else loss


def spans(tags):
    found, start = set(), None
    for i, tag in enumerate(tags + ["O"]):
        if start is not None and tag != "I-" + tags[start][2:]:
            found.add((start, i, tags[start][2:]))
            start = None
        if tag.startswith("B-"):
            start = i
    return found


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    predictions = np.argmax(logits, axis=-1)
    right = guessed = wanted = 0
    for p, l in zip(predictions, labels):
        keep = l != -100
        pred_spans = spans([id2label[i] for i in p[keep]])
        true_spans = spans([id2label[i] for i in l[keep]])
        right += len(pred_spans & true_spans)
        guessed += len(pred_spans)
        wanted += len(true_spans)
    precision, recall = right / max(guessed, 1), right / max(wanted, 1)
    return {
        "precision": precision,
        "recall": recall,
        "span_f1": 2 * precision * recall / max(precision + recall, 1e-9),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--output_dir", default="readbacks_out")
    parser.add_argument("--train_size", type=int, default=1600)
    parser.add_argument("--test_size", type=int, default=400)
    parser.add_argument("--vocab_size", type=int, default=300)
    parser.add_argument("--max_length", type=int, default=96)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=11)
    args = parser.parse_args()
    set_seed(args.seed)

    train = radio_log(args.train_size, seed=args.seed).map(clean)
    test = radio_log(args.test_size, seed=args.seed + 1).map(clean)

    tokenizer = build_tokenizer(train["words"], args.vocab_size)
    encode = {"tokenizer": tokenizer, "max_length": args.max_length}
    train_enc = train.map(
        tokenize_and_align, batched=True, fn_kwargs=encode, remove_columns=train.column_names
    )
    test_enc = test.map(
        tokenize_and_align, batched=True, fn_kwargs=encode, remove_columns=test.column_names
    )

    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=args.max_length,
        pad_token_id=tokenizer.pad_token_id,
        num_labels=len(LABELS),
        id2label=id2label,
        label2id=label2id,
    )
    model = BertForTokenClassification(config)

    training_args = TrainingArguments(
        output_dir=args.output_dir,
        num_train_epochs=args.epochs,
        per_device_train_batch_size=args.batch_size,
        per_device_eval_batch_size=128,
        learning_rate=args.lr,
        warmup_ratio=0.1,
        weight_decay=0.01,
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=25,
        report_to="none",
        seed=args.seed,
    )
    trainer = TaggerTrainer(
        model=model,
        args=training_args,
        train_dataset=train_enc,
        eval_dataset=test_enc,
        data_collator=DataCollatorForTokenClassification(tokenizer),
        compute_metrics=compute_metrics,
    )
    trainer.train()
    metrics = trainer.evaluate()
    print({"span_f1": round(metrics["eval_span_f1"], 4)})


if __name__ == "__main__":
    main()
