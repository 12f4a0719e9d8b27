import sys
from dataclasses import dataclass, field

import numpy as np
from scenarios.assets import CHECKPOINT
from transformers import (
    AutoTokenizer,
    DistilBertConfig,
    DistilBertForSequenceClassification,
    EvalPrediction,
    HfArgumentParser,
    Trainer,
    TrainingArguments,
    set_seed,
)

from data import INTENTS, IntentDataset, load_rows


@dataclass
class ModelArguments:
    dim: int = field(default=48, metadata={"help": "Width of the model."})
    layers: int = field(default=2, metadata={"help": "How many layers."})
    dropout: float = field(default=0.1)


@dataclass
class DataArguments:
    train_size: int = field(default=400)
    eval_size: int = field(default=120)
    max_length: int = field(default=20, metadata={"help": "Longer texts are cut."})


def main():
    parser = HfArgumentParser((ModelArguments, DataArguments, TrainingArguments))
    model_args, data_args, training_args = parser.parse_args_into_dataclasses(
        args=sys.argv[1:] or ["--output_dir", "intents"]
    )
    training_args.learning_rate = 1e-3
    training_args.num_train_epochs = 10
    training_args.per_device_train_batch_size = 16
    training_args.logging_steps = 20
    training_args.save_strategy = "no"
    training_args.report_to = []
    set_seed(training_args.seed)

    tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
    train_rows, eval_rows = load_rows(data_args.train_size, data_args.eval_size)
    train_dataset = IntentDataset(train_rows, tokenizer, data_args.max_length)
    eval_dataset = IntentDataset(eval_rows, tokenizer, data_args.max_length)

    config = DistilBertConfig(
        vocab_size=tokenizer.vocab_size,
        dim=model_args.dim,
        hidden_dim=2 * model_args.dim,
        n_layers=model_args.layers,
        n_heads=4,
        max_position_embeddings=64,
        dropout=model_args.dropout,
        num_labels=len(INTENTS),
        id2label=dict(enumerate(INTENTS)),
        label2id={name: i for i, name in enumerate(INTENTS)},
    )
    model = DistilBertForSequenceClassification(config)

    def compute_metrics(p: EvalPrediction):
        preds = p.predictions[0] if isinstance(p.predictions, tuple) else p.predictions
        preds = np.argmax(preds, axis=1)
        return {"accuracy": (preds == p.label_ids).astype(np.float32).mean().item()}

    trainer = Trainer(
        model=model,
        args=training_args,
        train_dataset=train_dataset,
        eval_dataset=eval_dataset,
        compute_metrics=compute_metrics,
        processing_class=tokenizer,
    )
    trainer.train()
    metrics = trainer.evaluate(eval_dataset=eval_dataset)
    trainer.log_metrics("eval", metrics)
    print(metrics)


if __name__ == "__main__":
    main()
