"""A reward model: which of two answers would people rather have? Pairs in, one number an answer out."""
import random
from dataclasses import dataclass

import numpy as np
import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Trainer, TrainingArguments, set_seed

from reward import RewardModel

HELP = {
    "bread": ["knead the dough well", "bake it until brown", "let the yeast rise"],
    "tyres": ["pump them up again", "patch the hole with glue", "swap the inner tube"],
    "roses": ["cut them in march", "water their roots daily", "look for greenfly"],
    "taxes": ["keep every receipt", "fill in the long form", "ask an accountant"],
    "sleep": ["put the screen away", "go to bed earlier", "drink no coffee late"],
    "chess": ["move the knights first", "castle before you attack", "guard your queen"],
}
ASK = ["how do i get better at {}", "any advice on {} please", "what should i know about {}", "help me with {}"]
KIND = ["gladly :", "of course :", "good question :", "sure :", "here you are :"]
RUDE = ["find out yourself", "that is a stupid question", "i do not care", "leave me alone"]
CLOSE = ["", "and good luck", "as my mother says", "every single time", "that is all there is to it"]


def collect(size, seed):
    """People like what is about their question, and do not like to be scolded."""
    rng = random.Random(seed)
    rows = []
    for _ in range(size):
        topic, other = rng.sample(list(HELP), 2)
        good = f"{rng.choice(KIND)} {rng.choice(HELP[topic])} {rng.choice(CLOSE)}"
        if rng.random() < 0.7:
            bad = f"{rng.choice(KIND)} {rng.choice(HELP[other])} {rng.choice(CLOSE)}"
        else:
            bad = f"{rng.choice(RUDE)} {rng.choice(CLOSE)}"
        rows.append({"prompt": rng.choice(ASK).format(topic), "chosen": good.strip(), "rejected": bad.strip()})
    return Dataset.from_list(rows)


def build_tokenizer(rows):
    core = Tokenizer(models.WordLevel(unk_token="<unk>"))
    core.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    texts = [text for name in ("prompt", "chosen", "rejected") for text in rows[name]]
    core.train_from_iterator(texts, trainers.WordLevelTrainer(special_tokens=["<pad>", "<unk>", "<answer>", "<end>"]))
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token="<pad>",
        unk_token="<unk>",
        eos_token="<end>",
        additional_special_tokens=["<answer>"],
        padding_side="right",
    )


@dataclass
class PairCollator:
    """The answers that were chosen, and under them those that were not."""

    tokenizer: PreTrainedTokenizerFast
    max_length: int = 40

    def __call__(self, rows):
        texts = [f"{row['prompt']} <answer> {row[side]} <end>" for side in ("chosen", "rejected") for row in rows]
        batch = self.tokenizer(
            texts,
            padding=True,
            truncation=True,
            max_length=self.max_length,
            return_token_type_ids=False,
            return_tensors="pt",
        )
        return {**batch, "labels": torch.zeros(len(rows), dtype=torch.long)}


def compute_metrics(eval_pred):
    chosen, rejected = eval_pred.predictions[:, 0], eval_pred.predictions[:, 1]
    return {"accuracy": float(np.mean(chosen > rejected)), "margin": float(np.mean(chosen - rejected))}


set_seed(53)
pairs = collect(1700, 53)
train_pairs, eval_pairs = pairs.select(range(1500)), pairs.select(range(1500, 1700))
tokenizer = build_tokenizer(train_pairs)
model = RewardModel(len(tokenizer))

args = TrainingArguments(
    output_dir="reward",
    learning_rate=1e-3,
    lr_scheduler_type="cosine",
    warmup_steps=20,
    num_train_epochs=5,
    per_device_train_batch_size=14,
    per_device_eval_batch_size=50,
    eval_strategy="epoch",
    save_strategy="no",
    remove_unused_columns=False,
    logging_steps=25,
    report_to="none",
    seed=53,
)
trainer = Trainer(
    model=model,
    args=args,
    train_dataset=train_pairs,
    eval_dataset=eval_pairs,
    data_collator=PairCollator(tokenizer),
    compute_metrics=compute_metrics,
)
trainer.train()
print(trainer.evaluate())
