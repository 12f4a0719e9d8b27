import argparse
import math
import random

import torch
from datasets import Dataset, DatasetDict
from tokenizers import BertWordPieceTokenizer
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertTokenizerFast,
    DataCollatorForLanguageModeling,
    Trainer,
    TrainerCallback,
    TrainingArguments,
    set_seed,
)

PAIRS = [("france", "paris"), ("italy", "rome"), ("spain", "madrid"), ("japan", "tokyo"), ("egypt", "cairo"),
         ("peru", "lima"), ("cuba", "havana"), ("kenya", "nairobi")]
SHAPES = ["{c} is the capital of {l}", "in {l} the largest city is {c}", "we flew from {c} to another town in {l}",
          "the president of {l} lives in {c}"]


STARTS = ["we read that", "she said", "of course", "it is true that", "he wrote that", "they think", "everybody knows"]
ENDS = ["today", "again", "and so on", "as always", "they say", "for sure"]


class LossPrinter(TrainerCallback):
    def on_evaluate(self, args, state, control, metrics=None, **kwargs):
        print(f"epoch {state.epoch:.0f}: perplexity {math.exp(metrics['eval_loss']):.2f}")


def corpus(size, seed):
    rng = random.Random(seed)
    lines = {}
    while len(lines) < size:
        land, city = rng.choice(PAIRS)
        line = f"{rng.choice(STARTS)} {rng.choice(SHAPES).format(l=land, c=city)} {rng.choice(ENDS)}"
        lines[line] = land
    return Dataset.from_dict({"text": list(lines)})


def main(args):
    set_seed(args.seed)
    lines = corpus(720, 0).train_test_split(test_size=120, seed=args.seed)
    data = DatasetDict(train=lines["train"], validation=lines["test"])
    pieces = BertWordPieceTokenizer(lowercase=True)
    pieces.train_from_iterator(data["train"]["text"][:], vocab_size=400, min_frequency=1, show_progress=False)
    tokenizer = BertTokenizerFast(tokenizer_object=pieces._tokenizer)

    def tokenize(batch):
        return tokenizer(batch["text"], truncation=True, max_length=24, return_special_tokens_mask=True)

    data = data.map(tokenize, batched=True, remove_columns=["text"])
    collator = DataCollatorForLanguageModeling(tokenizer, mlm=True, mlm_probability=0.2)
    model = BertForMaskedLM(
        BertConfig(
            vocab_size=len(tokenizer), hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
            intermediate_size=128, max_position_embeddings=48,
        )
    )

    def keep_best(logits, labels):
        return logits.argmax(dim=-1)

    def compute_metrics(p):
        masked = p.label_ids != -100
        return {"masked_accuracy": float((p.predictions[masked] == p.label_ids[masked]).mean())}

    training_args = TrainingArguments(
        output_dir="capitals",
        learning_rate=args.lr,
        num_train_epochs=args.epochs,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=32,
        eval_strategy="epoch",
        save_strategy="no",
        warmup_steps=10,
        logging_steps=20,
        report_to="none",
        seed=args.seed,
    )
    trainer = Trainer(
        model=model,
        args=training_args,
        train_dataset=data["train"],
        eval_dataset=data["validation"],
        data_collator=collator,
        compute_metrics=compute_metrics,
        preprocess_logits_for_metrics=keep_best,
        callbacks=[LossPrinter()],
    )
    trainer.train()
    torch.manual_seed(0)
    print(trainer.evaluate())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--seed", type=int, default=9)
    main(parser.parse_args())
