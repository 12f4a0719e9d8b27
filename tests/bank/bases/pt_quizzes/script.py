"""Sort pub quiz questions into their rounds with a small DistilBERT trained from scratch.

The pub's archive is a spreadsheet with the question and the round it was asked in; whoever sends in
new questions forgets the second column.
"""

import argparse
import random

import numpy as np
import pandas as pd
from datasets import Dataset
from sklearn.metrics import accuracy_score, f1_score
from tokenizers import BertWordPieceTokenizer
from transformers import (
    BertTokenizerFast,
    DistilBertConfig,
    DistilBertForSequenceClassification,
    Trainer,
    TrainingArguments,
    set_seed,
)

COUNTRIES = ["Peru", "Norway", "Kenya", "Portugal", "Vietnam", "Canada", "Morocco", "Iceland"]
PEOPLE = ["Anna Holt", "James Ward", "Maria Silva", "Ruth Okoye", "Sam Doyle", "Lena Berg"]
YEARS = [str(year) for year in range(1890, 2015, 5)]
OPENERS = ["", "", "For two points:", "Tie breaker!", "Listen carefully.", "Easy one:"]

ROUNDS = {
    "geography": [
        "What is the capital of {country}?",
        "Which river forms the border of {country}?",
        "What is the highest mountain in {country}?",
        "On which sea does the coast of {country} lie?",
        "How many provinces did {country} have in {year}?",
    ],
    "history": [
        "Which treaty ended the war with {country} in {year}?",
        "Who became king of {country} in {year}?",
        "In which battle was the army of {country} beaten in {year}?",
        "Which revolution drove {person} out of {country}?",
        "Who was elected president of {country} in {year}?",
    ],
    "music": [
        "Which band from {country} topped the charts in {year}?",
        "On which album did {person} sing in {year}?",
        "Which instrument does {person} play on the hit single of {year}?",
        "Who wrote the lyrics of the song about {country}?",
        "Which singer from {country} went on tour with {person}?",
    ],
    "film": [
        "Who played opposite {person} in the film of {year}?",
        "Which director shot his western in {country} in {year}?",
        "For which role was {person} given an award in {year}?",
        "Which actor left the cast after a scene shot in {country}?",
        "What was the sequel with {person} called?",
    ],
    "sport": [
        "Who won the marathon in {country} in {year}?",
        "How many goals did {person} score in {year}?",
        "Which team from {country} lifted the cup in {year}?",
        "In which olympic discipline did {person} win gold?",
        "Which goalkeeper saved a penalty against {country}?",
    ],
    "food": [
        "Which cheese from {country} is eaten with honey?",
        "Which spice gives the stew from {country} its colour?",
        "What did the cook {person} put into a soup in {year}?",
        "Which grape is grown for wine in {country}?",
        "Which bread do people bake in {country} at easter?",
    ],
}


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=1300)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch_size", type=int, default=16)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--max_length", type=int, default=40)
    parser.add_argument("--seed", type=int, default=2024)
    return parser.parse_args()


def write_question(rng):
    name = rng.choice(list(ROUNDS))
    question = rng.choice(ROUNDS[name]).format(
        country=rng.choice(COUNTRIES), person=rng.choice(PEOPLE), year=rng.choice(YEARS)
    )
    if rng.random() < 0.04:  # the quizmaster ticked the wrong box
        name = rng.choice(list(ROUNDS))
    return {"question": f"{rng.choice(OPENERS)} {question}".strip(), "round": name}


def load_archive(size, seed):
    rng = random.Random(seed)
    archive = pd.DataFrame([write_question(rng) for _ in range(size)])
    held_out = archive.sample(frac=0.25, random_state=seed)
    train = archive.drop(held_out.index)
    return train.reset_index(drop=True), held_out.reset_index(drop=True)


def train_tokenizer(texts):
    pieces = BertWordPieceTokenizer(lowercase=True)
    pieces.train_from_iterator(texts, vocab_size=500, min_frequency=2, show_progress=False)
    return BertTokenizerFast(tokenizer_object=pieces._tokenizer, model_max_length=64)


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    predictions = np.argmax(logits, axis=-1)
    return {
        "accuracy": accuracy_score(labels, predictions),
        "f1": f1_score(labels, predictions, average="macro"),
    }


def main():
    args = parse_args()
    set_seed(args.seed)

    train_df, test_df = load_archive(args.questions, args.seed)
    train_df["label"], rounds = pd.factorize(train_df["round"])
    test_df["label"] = rounds.get_indexer(test_df["round"])
    print(train_df["round"].value_counts().to_dict())

    tokenizer = train_tokenizer(train_df["question"])

    def tokenize(batch):
        return tokenizer(
            batch["question"], truncation=True, padding="max_length", max_length=args.max_length
        )

    train_set = Dataset.from_pandas(train_df).map(tokenize, batched=True)
    test_set = Dataset.from_pandas(test_df).map(tokenize, batched=True)

    config = DistilBertConfig(
        vocab_size=tokenizer.vocab_size,
        max_position_embeddings=64,
        n_layers=2,
        n_heads=4,
        dim=64,
        hidden_dim=128,
        num_labels=len(rounds),
        id2label=dict(enumerate(rounds)),
        label2id={name: number for number, name in enumerate(rounds)},
    )
    model = DistilBertForSequenceClassification(config)

    training_args = TrainingArguments(
        output_dir="quiz-rounds",
        eval_strategy="epoch",
        save_strategy="no",
        learning_rate=args.lr,
        per_device_train_batch_size=args.batch_size,
        per_device_eval_batch_size=64,
        num_train_epochs=args.epochs,
        weight_decay=0.01,
        warmup_ratio=0.1,
        logging_steps=50,
        report_to="none",
        seed=args.seed,
    )
    trainer = Trainer(
        model=model,
        args=training_args,
        train_dataset=train_set,
        eval_dataset=test_set,
        compute_metrics=compute_metrics,
    )
    trainer.train()

    metrics = trainer.evaluate()
    print(metrics)


if __name__ == "__main__":
    main()
