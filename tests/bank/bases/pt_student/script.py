"""Distil a teacher into a smaller student (which shelf does a book belong on?)."""
from dataclasses import dataclass, field

import numpy as np
import torch
import torch.nn.functional as F
from datasets import ClassLabel, Dataset
from scenarios.assets import CHECKPOINT
from sklearn.metrics import accuracy_score, f1_score
from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification, DataCollatorWithPadding
from transformers import Trainer, TrainingArguments, set_seed

from teacher import build_teacher, train_teacher

SHELVES = {
    "crime": ["murder", "detective", "alibi", "poison", "inspector"],
    "travel": ["island", "journey", "mountains", "harbour", "desert"],
    "cooking": ["recipes", "kitchen", "baking", "spices", "vegetables"],
    "history": ["empire", "kings", "medieval", "revolution", "treaty"],
    "science": ["atoms", "evolution", "galaxies", "chemistry", "genes"],
}
PHRASES = ["a book about {a} and {b}", "{a} , {b} and other stories", "the {a} of the {b}", "from {a} to {b}",
           "an introduction to {a} with much on {b}", "everything you wanted to know : {a} or {b}"]
ADDED = ["volume one", "second edition", "for beginners", "illustrated", "abridged", "a bestseller", "signed", "used"]


@dataclass
class DistillationTrainingArguments(TrainingArguments):
    alpha: float = field(default=0.1, metadata={"help": "Weight of the labels; the rest is the teacher's."})
    temperature: float = field(default=2.0)


class DistillationTrainer(Trainer):
    def __init__(self, *args, teacher_model=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.teacher_model = teacher_model

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs_stu = model(**inputs)
        loss_ce = outputs_stu.loss
        with torch.no_grad():
            outputs_tea = self.teacher_model(**inputs)
        t = self.args.temperature
        loss_kd = t ** 2 * F.kl_div(
            F.log_softmax(outputs_stu.logits / t, dim=-1),
            F.softmax(outputs_tea.logits / t, dim=-1),
            reduction="batchmean",
        )
        loss = self.args.alpha * loss_ce + (1.0 - self.args.alpha) * loss_kd
        return (loss, outputs_stu) if return_outputs else loss


def catalogue(size, seed):
    rng = np.random.default_rng(seed)
    books = {}
    while len(books) < size:
        label = int(rng.integers(len(SHELVES)))
        a, b = rng.choice(list(SHELVES.values())[label], size=2, replace=False)
        books[f"{rng.choice(PHRASES).format(a=a, b=b)} {rng.choice(ADDED)}"] = label
    ds = Dataset.from_dict({"title": list(books), "label": list(books.values())})
    return ds.cast_column("label", ClassLabel(names=list(SHELVES)))


def compute_metrics(pred):
    logits, labels = pred
    preds = logits.argmax(axis=-1)
    return {"accuracy": accuracy_score(labels, preds), "f1": f1_score(labels, preds, average="macro")}


set_seed(77)
tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
books = catalogue(640, 77).train_test_split(test_size=160, seed=77, stratify_by_column="label")
encoded = books.map(lambda b: tokenizer(b["title"], truncation=True, max_length=32), batched=True, remove_columns=["title"])
encoded = encoded.remove_columns("token_type_ids")
collator = DataCollatorWithPadding(tokenizer)

teacher = build_teacher(len(tokenizer), len(SHELVES))
teacher = train_teacher(teacher, encoded["train"], collator)

student = BertForSequenceClassification(
    BertConfig(
        vocab_size=len(tokenizer), hidden_size=48, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=96, max_position_embeddings=48, num_labels=len(SHELVES),
    )
)
training_args = DistillationTrainingArguments(
    output_dir="distilled",
    alpha=0.1,
    learning_rate=3e-3,
    num_train_epochs=8,
    per_device_train_batch_size=24,
    per_device_eval_batch_size=80,
    eval_strategy="epoch",
    save_strategy="no",
    report_to="none",
)
trainer = DistillationTrainer(
    model=student,
    teacher_model=teacher,
    args=training_args,
    train_dataset=encoded["train"],
    eval_dataset=encoded["test"],
    data_collator=collator,
    compute_metrics=compute_metrics,
    processing_class=tokenizer,
)
trainer.train()
print(trainer.evaluate())
