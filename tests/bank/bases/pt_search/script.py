"""Find the answer to a question: a small bi-encoder trained with in-batch negatives."""
import random

import numpy as np
import torch
from scenarios.assets import CHECKPOINT
from torch.utils.data import Dataset
from transformers import AutoTokenizer, Trainer, TrainerCallback, TrainingArguments, set_seed

from model import BiEncoder

FACTS = {
    "refund": ("my money back", "we return the payment"),
    "parcel": ("the package", "the courier comes"),
    "password": ("a new login", "click on forgotten"),
    "opening": ("your hours", "from nine until six"),
    "gift": ("a present", "we wrap with ribbon"),
    "size": ("larger shoes", "swap them in the shop"),
    "invoice": ("a bill", "sent by mail monthly"),
    "repair": ("a broken zip", "our tailor mends"),
    "school": ("lessons", "a teacher at noon"),
    "pets": ("my dog", "animals stay outside"),
    "food": ("something vegan", "beans and rice daily"),
    "garden": ("a lawnmower", "borrow tools here"),
    "train": ("the station", "platform two leaves early"),
    "doctor": ("an appointment", "call the nurse"),
    "music": ("concert tickets", "seats by the stage"),
    "weather": ("rain", "roofs and umbrellas"),
    "parking": ("my car", "behind the tower"),
    "wifi": ("the internet", "ask for a code"),
    "towels": ("clean linen", "laundry every friday"),
    "bikes": ("cycling", "helmets in the cellar"),
    "keys": ("lost keys", "the porter has spares"),
    "taxi": ("a ride downtown", "drivers wait in front"),
    "pool": ("swimming", "warm water upstairs"),
    "breakfast": ("eggs and toast", "a buffet from seven"),
    "museum": ("old paintings", "the gallery opens at ten"),
    "bakery": ("fresh bread", "around the corner"),
    "bank": ("cash", "a machine next door"),
    "church": ("the bells", "they ring on sundays"),
    "beach": ("the sea", "follow the sandy path"),
    "hiking": ("long walks", "maps at the counter"),
    "library": ("novels", "shelves on the first floor"),
    "repairs": ("a dripping tap", "the plumber visits"),
}
ASKS = ["how do i get {}", "what about {}", "please tell me about {}", "is there {}", "who helps with {}", "i need {}"]
TELLS = ["well {}", "{} as always", "in short {}", "{} , see page two", "good to know : {}", "{} for everyone"]


def all_pairs(seed):
    """Every way to ask for a fact with every way to tell it, shuffled."""
    rows = [
        (ask.format(asked), tell.format(told), number)
        for number, (asked, told) in enumerate(FACTS.values())
        for ask in ASKS
        for tell in TELLS
    ]
    random.Random(seed).shuffle(rows)
    return rows


class QuestionAnswers(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        query, answer, fact = self.rows[i]
        return {"query": query, "answer": answer, "fact": fact}


class PairCollator:
    def __init__(self, tokenizer, max_length=24):
        self.tokenizer = tokenizer
        self.max_length = max_length

    def __call__(self, rows):
        queries = self.encode([row["query"] for row in rows])
        answers = self.encode([row["answer"] for row in rows])
        return {
            "query_ids": queries["input_ids"],
            "query_mask": queries["attention_mask"],
            "answer_ids": answers["input_ids"],
            "answer_mask": answers["attention_mask"],
            "labels": torch.tensor([row["fact"] for row in rows]),
        }

    def encode(self, texts):
        return self.tokenizer(texts, padding=True, truncation=True, max_length=self.max_length, return_tensors="pt")


class Progress(TrainerCallback):
    def on_evaluate(self, args, state, control, metrics=None, **kwargs):
        print(f"step {state.global_step}: recall@1 {metrics['eval_recall_at_1']:.3f}")


def compute_metrics(eval_pred):
    queries, answers = eval_pred.predictions
    facts = eval_pred.label_ids
    similarity = queries @ answers.T
    best = similarity.argmax(axis=1)
    return {"recall_at_1": float((facts[best] == facts).mean())}


def main():
    set_seed(29)
    tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
    rows = all_pairs(29)
    train_dataset, eval_dataset = QuestionAnswers(rows[:640]), QuestionAnswers(rows[640:768])
    model = BiEncoder(vocab_size=len(tokenizer))
    args = TrainingArguments(
        output_dir="search",
        num_train_epochs=6,
        learning_rate=1e-3,
        warmup_ratio=0.1,
        lr_scheduler_type="cosine",
        per_device_train_batch_size=16,
        per_device_eval_batch_size=32,
        eval_strategy="epoch",
        save_strategy="no",
        remove_unused_columns=False,
        label_names=["labels"],
        report_to="none",
    )
    trainer = Trainer(
        model=model,
        args=args,
        train_dataset=train_dataset,
        eval_dataset=eval_dataset,
        data_collator=PairCollator(tokenizer),
        compute_metrics=compute_metrics,
        callbacks=[Progress()],
    )
    trainer.train()
    print(trainer.evaluate())


if __name__ == "__main__":
    main()
