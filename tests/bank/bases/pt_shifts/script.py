"""Which departments have to look at a shift note? Multi-label classification of factory logs."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import torch
from datasets import Dataset
from sklearn.metrics import f1_score
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    DataCollatorWithPadding,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

DEPARTMENTS = ["mechanics", "electrics", "hydraulics", "quality", "safety"]
HOW_OFTEN = [0.34, 0.26, 0.20, 0.14, 0.06]
PROBLEMS = {
    "mechanics": [
        "{m} spindle is rattling",
        "bearing on {m} runs hot",
        "belt of {m} has slipped",
        "gear at {m} grinds when starting",
        "{m} guide rail is bent",
    ],
    "electrics": [
        "fuse for {m} has blown",
        "{m} sensor reads nothing",
        "loose cable behind {m}",
        "drive of {m} trips on overcurrent",
        "{m} panel stays dark",
    ],
    "hydraulics": [
        "oil is dripping under {m}",
        "pressure at {m} drops overnight",
        "hose on {m} looks cracked",
        "{m} cylinder creeps down",
    ],
    "quality": [
        "parts from {m} are out of tolerance",
        "burrs on every edge after {m}",
        "surface from {m} shows scratches",
    ],
    "safety": [
        "guard door at {m} does not lock",
        "emergency stop on {m} reacts late",
        "walkway next to {m} is blocked",
    ],
}
NOTHING_WRONG = [
    "swapped tools on {m}",
    "{m} ran the whole shift",
    "cleaned around {m}",
    "changed over {m} to the new order",
    "waiting for material at {m}",
]
CLEARED = ["{p} was fixed by the day crew", "checked whether {p} but all fine"]
MACHINES = ["press", "lathe", "mill", "saw", "robot", "conveyor", "packer", "furnace"]


@dataclass
class Config:
    n_train: int = 2400
    n_val: int = 400
    n_test: int = 600
    max_length: int = 48
    hidden: int = 64
    layers: int = 2
    heads: int = 4
    lr: float = 2e-3
    epochs: int = 7
    batch_size: int = 32
    seed: int = 5


def write_note(rng):
    clauses, departments = [], set()
    for _ in range(rng.integers(1, 4)):
        machine = f"{rng.choice(MACHINES)} {rng.integers(1, 10)}"
        department = rng.choice(DEPARTMENTS, p=HOW_OFTEN)
        problem = str(rng.choice(PROBLEMS[department])).format(m=machine)
        kind = rng.random()
        if kind < 0.5:
            clauses.append(problem)
            departments.add(str(department))
        elif kind < 0.7:
            clauses.append(str(rng.choice(CLEARED)).format(p=problem))
        else:
            clauses.append(str(rng.choice(NOTHING_WRONG)).format(m=machine))
    note = " . ".join(clauses)
    # the terminals in halls 1 and 2 only have capital letters
    return {
        "note": note.upper() if rng.random() < 0.6 else note,
        "departments": sorted(departments),
    }


def make_split(n, rng):
    return Dataset.from_list([write_note(rng) for _ in range(n)])


def build_tokenizer(notes, max_length):
    counts = Counter(word for note in notes for word in note.lower().split())
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"] + [w for w, c in counts.most_common() if c > 1]
    vocab = {word: i for i, word in enumerate(words)}
    tok = Tokenizer(WordLevel(vocab, unk_token="[UNK]"))
    tok.normalizer = Lowercase()
    tok.pre_tokenizer = Whitespace()
    tok.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[("[CLS]", vocab["[CLS]"]), ("[SEP]", vocab["[SEP]"])],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tok,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_max_length=max_length,
    )


def preprocess(batch, tokenizer):
    encoded = tokenizer(batch["note"], truncation=True)
    encoded["labels"] = [
        [1.0 if name in departments else 0.0 for name in DEPARTMENTS]
        for departments in batch["departments"]
    ]
    return encoded


class MultiLabelTrainer(Trainer):
    def __init__(self, *args, pos_weight=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.pos_weight = pos_weight

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss_fct = torch.nn.BCEWithLogitsLoss(pos_weight=self.pos_weight.to(labels.device))
        loss = loss_fct(outputs.logits, labels)
        return (loss, outputs) if return_outputs else loss


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    probs = 1 / (1 + np.exp(-logits))
    preds = (probs > 0.5).astype(int)
    return {"f1": f1_score(labels, preds, average="macro", zero_division=0)}


def main(cfg):
    set_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    train, val, test = (make_split(n, rng) for n in (cfg.n_train, cfg.n_val, cfg.n_test))

    tokenizer = build_tokenizer(train["note"], cfg.max_length)
    train, val, test = (
        split.map(
            preprocess,
            batched=True,
            fn_kwargs={"tokenizer": tokenizer},
            remove_columns=split.column_names,
        )
        for split in (train, val, test)
    )

    positives = np.array(train["labels"]).mean(axis=0)
    pos_weight = torch.tensor(np.sqrt((1 - positives) / positives), dtype=torch.float32)

    model = BertForSequenceClassification(
        BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=cfg.hidden,
            num_hidden_layers=cfg.layers,
            num_attention_heads=cfg.heads,
            intermediate_size=2 * cfg.hidden,
            max_position_embeddings=cfg.max_length,
            pad_token_id=tokenizer.pad_token_id,
            initializer_range=0.08,
            num_labels=len(DEPARTMENTS),
            problem_type="multi_label_classification",
            id2label=dict(enumerate(DEPARTMENTS)),
            label2id={name: i for i, name in enumerate(DEPARTMENTS)},
        )
    )

    args = TrainingArguments(
        output_dir="shift_notes",
        learning_rate=cfg.lr,
        num_train_epochs=cfg.epochs,
        per_device_train_batch_size=cfg.batch_size,
        per_device_eval_batch_size=100,
        weight_decay=0.01,
        warmup_ratio=0.1,
        eval_strategy="epoch",
        save_strategy="epoch",
        logging_strategy="epoch",
        save_total_limit=2,
        load_best_model_at_end=True,
        metric_for_best_model="eval_loss",
        greater_is_better=False,
        report_to="none",
        seed=cfg.seed,
    )
    trainer = MultiLabelTrainer(
        model=model,
        args=args,
        train_dataset=train,
        eval_dataset=val,
        data_collator=DataCollatorWithPadding(tokenizer),
        processing_class=tokenizer,
        compute_metrics=compute_metrics,
        pos_weight=pos_weight,
    )
    trainer.train()
    scores = trainer.evaluate(test, metric_key_prefix="test")
    print({"f1": round(scores["test_f1"], 4)})


if __name__ == "__main__":
    main(Config())
