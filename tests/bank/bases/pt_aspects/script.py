"""Tag guest feedback with the departments that should read it (several per message)."""
import argparse
import os
import random

import numpy as np
import pandas as pd
from datasets import Dataset
from sklearn.metrics import f1_score
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    DataCollatorWithPadding,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

DEPARTMENTS = ["kitchen", "housekeeping", "reception", "spa", "parking"]
PHRASES = {
    "kitchen": ["breakfast was cold", "the soup had no taste", "we loved the buffet", "coffee came late"],
    "housekeeping": ["the towels were dirty", "sheets smelled fresh", "dust under the bed", "nobody cleaned our room"],
    "reception": ["check in took an hour", "the clerk was rude", "friendly desk staff", "our booking got lost"],
    "spa": ["the pool was freezing", "a wonderful massage", "sauna closed early", "the jacuzzi is broken"],
    "parking": ["no space for our car", "the garage was narrow", "valet scratched the door", "charging station worked"],
}
FILLERS = ["we stayed two nights", "it rained all week", "my wife and i", "overall fine", "we came by train", "thanks for everything"]


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data_dir", default="feedback_data")
    parser.add_argument("--output_dir", default="feedback_model")
    parser.add_argument("--max_length", type=int, default=48)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--threshold", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=7)
    return parser.parse_args()


def export_feedback(data_dir, seed):
    rng = random.Random(seed)
    rows = []
    for number in range(1400):
        wanted = rng.sample(DEPARTMENTS, rng.choice([1, 1, 2, 2, 3]))
        parts = [rng.choice(PHRASES[name]) for name in wanted] + rng.sample(FILLERS, 2)
        rng.shuffle(parts)
        row = {"feedback_id": number, "comment": " . ".join(parts), "language": "en"}
        row.update({name: int(name in wanted) for name in DEPARTMENTS})
        rows.append(row)
    os.makedirs(data_dir, exist_ok=True)
    frame = pd.DataFrame(rows)
    frame.iloc[:1100].to_csv(os.path.join(data_dir, "train.csv"), index=False)
    frame.iloc[1100:].to_csv(os.path.join(data_dir, "valid.csv"), index=False)


def load_frame(data_dir, split):
    frame = pd.read_csv(os.path.join(data_dir, f"{split}.csv"))
    frame["labels"] = frame[DEPARTMENTS].astype("float32").values.tolist()
    return frame[["comment", "labels"]]


def build_tokenizer(comments):
    tok = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    tok.train_from_iterator(comments, trainers.WordLevelTrainer(special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"]))
    tok.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return PreTrainedTokenizerFast(tokenizer_object=tok, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]")


def make_dataset(frame, tokenizer, max_length):
    dataset = Dataset.from_pandas(frame, preserve_index=False)
    return dataset.map(lambda rows: tokenizer(rows["comment"], truncation=True, max_length=max_length), batched=True, remove_columns=["comment"])


def build_model(tokenizer):
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=128, max_position_embeddings=64,
        num_labels=len(DEPARTMENTS), problem_type="multi_label_classification",
    )
    return BertForSequenceClassification(config)


def main():
    args = parse_args()
    set_seed(args.seed)
    export_feedback(args.data_dir, args.seed)
    train_frame = load_frame(args.data_dir, "train")
    valid_frame = load_frame(args.data_dir, "valid")
    tokenizer = build_tokenizer(train_frame["comment"])
    train_ds = make_dataset(train_frame, tokenizer, args.max_length)
    valid_ds = make_dataset(valid_frame, tokenizer, args.max_length)
    model = build_model(tokenizer)

    def compute_metrics(prediction):
        logits, targets = prediction
        probabilities = 1 / (1 + np.exp(-logits))
        chosen = (probabilities > args.threshold).astype(int)
        return {"micro_f1": f1_score(targets.astype(int), chosen, average="micro", zero_division=0)}

    training_args = TrainingArguments(
        output_dir=args.output_dir,
        num_train_epochs=args.epochs,
        learning_rate=args.lr,
        per_device_train_batch_size=args.batch_size,
        per_device_eval_batch_size=64,
        save_strategy="no",
        logging_steps=20,
        report_to="none",
        use_cpu=True,
        seed=args.seed,
    )
    trainer = Trainer(
        model=model,
        args=training_args,
        train_dataset=train_ds,
        eval_dataset=valid_ds,
        data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=compute_metrics,
    )
    trainer.train()
    print(trainer.evaluate())


if __name__ == "__main__":
    main()
