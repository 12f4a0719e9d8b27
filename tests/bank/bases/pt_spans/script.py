#!/usr/bin/env python
"""Extractive question answering on toy news."""
from functools import partial

import numpy as np
from datasets import Dataset
from scenarios.assets import CHECKPOINT
from transformers import (
    AutoTokenizer,
    DistilBertConfig,
    DistilBertForQuestionAnswering,
    Trainer,
    TrainingArguments,
    default_data_collator,
    set_seed,
)

WHO = ["anna", "bob", "carla", "david", "elena", "frank", "grace", "henry"]
WHERE = ["paris", "london", "berlin", "madrid", "rome", "vienna", "dublin", "oslo"]
WHEN = ["monday", "tuesday", "friday", "saturday", "sunday", "today", "yesterday"]
ASKED = ["where was it", "which city was it", "in what place was that"]
SHAPES = ["{who} arrived in {where} on {when} morning", "on {when} the people of {where} met {who}",
          "in {where} there was rain when {who} left on {when}"]


def make_examples(count, seed):
    rng = np.random.default_rng(seed)
    examples = []
    seen = set()
    while len(examples) < count:
        fill = {"who": rng.choice(WHO), "where": rng.choice(WHERE), "when": rng.choice(WHEN)}
        context = SHAPES[int(rng.integers(len(SHAPES)))].format(**fill)
        answer = str(fill["where"])
        if context in seen:
            continue
        seen.add(context)
        examples.append({
            "id": str(len(examples)),
            "question": str(rng.choice(ASKED)),
            "context": context,
            "answers": {"text": [answer], "answer_start": [context.index(answer)]},
        })
    return Dataset.from_list(examples)


def prepare_features(examples, tokenizer, max_length):
    inputs = tokenizer(
        examples["question"],
        examples["context"],
        max_length=max_length,
        truncation="only_second",
        return_offsets_mapping=True,
        padding="max_length",
    )
    offset_mapping = inputs.pop("offset_mapping")
    start_positions, end_positions = [], []
    for i, offsets in enumerate(offset_mapping):
        answer = examples["answers"][i]
        start_char = answer["answer_start"][0]
        end_char = start_char + len(answer["text"][0])
        sequence_ids = inputs.sequence_ids(i)
        context_start = sequence_ids.index(1)
        context_end = len(sequence_ids) - 1 - sequence_ids[::-1].index(1)
        idx = context_start
        while idx <= context_end and offsets[idx][0] <= start_char:
            idx += 1
        start_positions.append(idx - 1)
        idx = context_end
        while idx >= context_start and offsets[idx][1] >= end_char:
            idx -= 1
        end_positions.append(idx + 1)
    inputs["start_positions"] = start_positions
    inputs["end_positions"] = end_positions
    return inputs


def exact_match(eval_pred):
    start_logits, end_logits = eval_pred.predictions
    starts, ends = eval_pred.label_ids
    start_hit = start_logits.argmax(-1) == starts
    end_hit = end_logits.argmax(-1) == ends
    return {"exact_match": float((start_hit & end_hit).mean())}


def main():
    set_seed(2)
    tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
    examples = make_examples(600, 0)
    raw_train, raw_eval = examples.select(range(480)), examples.select(range(480, 600))
    prepare = partial(prepare_features, tokenizer=tokenizer, max_length=32)
    train_set = raw_train.map(prepare, batched=True, remove_columns=raw_train.column_names)
    eval_set = raw_eval.map(prepare, batched=True, remove_columns=raw_eval.column_names)
    model = DistilBertForQuestionAnswering(
        DistilBertConfig(
            vocab_size=tokenizer.vocab_size, dim=64, hidden_dim=128, n_layers=2, n_heads=4,
            max_position_embeddings=64, dropout=0.0, attention_dropout=0.0,
        )
    )
    args = TrainingArguments(
        output_dir="qa",
        learning_rate=2e-3,
        num_train_epochs=6,
        per_device_train_batch_size=16,
        per_device_eval_batch_size=64,
        warmup_ratio=0.1,
        eval_strategy="epoch",
        save_strategy="no",
        report_to="none",
    )
    trainer = Trainer(
        model=model,
        args=args,
        train_dataset=train_set,
        eval_dataset=eval_set,
        data_collator=default_data_collator,
        compute_metrics=exact_match,
    )
    trainer.train()
    print(trainer.evaluate())


if __name__ == "__main__":
    main()
