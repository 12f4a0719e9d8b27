from dataclasses import dataclass

import numpy as np
import torch
from datasets import Dataset
from scenarios.assets import CHECKPOINT
from transformers import AutoTokenizer, BertConfig, BertForMultipleChoice, PreTrainedTokenizerBase
from transformers import Trainer, TrainingArguments, set_seed

KNOWN = {
    "the baker": ["bakes bread", "sells cakes"],
    "the pilot": ["flies a plane", "checks the runway"],
    "the farmer": ["milks a cow", "ploughs a field"],
    "the nurse": ["measures a fever", "changes a bandage"],
    "the judge": ["reads a verdict", "opens the trial"],
}
STARTS = ["this morning {}", "as always {}", "on tuesdays {}", "when nobody looks {}"]


def swag_like(n, seed):
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        who = str(rng.choice(list(KNOWN)))
        others = rng.permutation([k for k in KNOWN if k != who])[:3]
        right = int(rng.integers(4))
        endings = [str(rng.choice(KNOWN[o])) for o in others]
        endings.insert(right, str(rng.choice(KNOWN[who])))
        row = {"sent1": str(rng.choice(STARTS)).format(who), "label": right}
        row.update({f"ending{i}": e for i, e in enumerate(endings)})
        rows.append(row)
    return Dataset.from_list(rows)


@dataclass
class DataCollatorForMultipleChoice:
    tokenizer: PreTrainedTokenizerBase
    pad_to_multiple_of: int | None = None

    def __call__(self, features):
        labels = [feature.pop("label") for feature in features]
        batch_size = len(features)
        num_choices = len(features[0]["input_ids"])
        flattened = [
            [{k: v[i] for k, v in feature.items()} for i in range(num_choices)] for feature in features
        ]
        flattened = sum(flattened, [])
        batch = self.tokenizer.pad(
            flattened, padding=True, pad_to_multiple_of=self.pad_to_multiple_of, return_tensors="pt"
        )
        batch = {k: v.view(batch_size, num_choices, -1) for k, v in batch.items()}
        batch["labels"] = torch.tensor(labels, dtype=torch.int64)
        return batch


def main():
    set_seed(17)
    tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
    ending_names = ["ending0", "ending1", "ending2", "ending3"]

    def preprocess(examples):
        first = [[context] * 4 for context in examples["sent1"]]
        second = [[examples[end][i] for end in ending_names] for i in range(len(examples["sent1"]))]
        first, second = sum(first, []), sum(second, [])
        encoded = tokenizer(first, second, truncation=True)
        return {k: [v[i : i + 4] for i in range(0, len(v), 4)] for k, v in encoded.items()}

    train_ds = swag_like(480, 0).map(preprocess, batched=True)
    eval_ds = swag_like(120, 1).map(preprocess, batched=True)

    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=96, max_position_embeddings=48,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    )
    model = BertForMultipleChoice(config)

    def compute_metrics(eval_predictions):
        predictions, label_ids = eval_predictions
        preds = np.argmax(predictions, axis=1)
        return {"accuracy": (preds == label_ids).astype(np.float32).mean().item()}

    trainer = Trainer(
        model,
        TrainingArguments(
            output_dir="swag",
            learning_rate=2e-3,
            warmup_steps=20,
            per_device_train_batch_size=16,
            per_device_eval_batch_size=30,
            num_train_epochs=4,
            eval_strategy="epoch",
            save_strategy="no",
            report_to="none",
        ),
        train_dataset=train_ds,
        eval_dataset=eval_ds,
        processing_class=tokenizer,
        data_collator=DataCollatorForMultipleChoice(tokenizer),
        compute_metrics=compute_metrics,
    )
    trainer.train()
    print(trainer.evaluate())


if __name__ == "__main__":
    main()
