"""Which papers must accompany a consignment? Multi-label tagging of customs entries.

An entry is a header and one to three lines of goods. A line may need no paper at all, if it is only
about packaging, catalogues or replicas of such goods.
"""

import random
from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch
import torch.nn.functional as F
from datasets import Dataset
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MultiLabelBinarizer
from tokenizers import Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import WordLevel
from tokenizers.processors import TemplateProcessing
from tokenizers.trainers import WordLevelTrainer
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    DataCollatorWithPadding,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

PAPERS = ["phytosanitary", "veterinary", "cites", "dangerous_goods", "excise", "dual_use"]

GOODS = {
    "mangoes": ["phytosanitary"],
    "seed potatoes": ["phytosanitary"],
    "oak logs": ["phytosanitary"],
    "cut roses": ["phytosanitary"],
    "orchid bulbs": ["phytosanitary", "cites"],
    "rosewood planks": ["phytosanitary", "cites"],
    "boneless beef": ["veterinary"],
    "raw milk cheese": ["veterinary"],
    "salmon fillets": ["veterinary"],
    "sturgeon caviar": ["veterinary", "cites"],
    "coral pieces": ["cites"],
    "crocodile handbags": ["cites"],
    "lithium batteries": ["dangerous_goods"],
    "acetone": ["dangerous_goods"],
    "fireworks": ["dangerous_goods"],
    "denatured ethanol": ["dangerous_goods", "excise"],
    "diesel": ["dangerous_goods", "excise"],
    "malt whisky": ["excise"],
    "red wine": ["excise"],
    "cigars": ["excise"],
    "thermal cameras": ["dual_use"],
    "gas centrifuges": ["dual_use"],
    "encryption modules": ["dual_use"],
    "survey drones": ["dual_use", "dangerous_goods"],
    "cotton shirts": [],
    "oak chairs": [],
    "bicycles": [],
    "steel screws": [],
    "ceramic tiles": [],
    "picture books": [],
}
EXEMPTING = ["empty boxes for", "printed catalogues of", "plastic replicas of", "labels for"]
NEUTRAL = ["assorted", "premium", "boxed", "first grade", "unbranded"]
UNITS = ["pallets", "cartons", "drums", "crates", "bags"]
COUNTRIES = ["peru", "kenya", "norway", "vietnam", "canada", "brazil", "japan", "turkey"]
PORTS = ["rotterdam", "antwerp", "hamburg", "gdansk", "trieste"]


@dataclass
class Config:
    entries: int = 2600
    test_share: float = 0.2
    max_length: int = 48
    hidden_size: int = 64
    layers: int = 2
    heads: int = 4
    learning_rate: float = 2e-3
    epochs: int = 10
    batch_size: int = 32
    output_dir: str = "permits_out"
    seed: int = 7


def make_entry(rng):
    lines = [
        f"entry from {rng.choice(COUNTRIES)} through {rng.choice(PORTS)} "
        f"declared by agent {rng.randint(1, 60)}"
    ]
    papers = set()
    for _ in range(rng.randint(1, 3)):
        item = rng.choice(list(GOODS))
        exempt = rng.random() < 0.3
        adjective = rng.choice(EXEMPTING if exempt else NEUTRAL)
        lines.append(f"{rng.randint(2, 40)} {rng.choice(UNITS)} {adjective} {item}")
        if not exempt:
            papers.update(GOODS[item])
    return {"lines": lines, "papers": sorted(papers)}


def build_tokenizer(entries):
    backend = Tokenizer(WordLevel(unk_token="[UNK]"))
    backend.normalizer = normalizers.Lowercase()
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = WordLevelTrainer(special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    backend.train_from_iterator(chain.from_iterable(e["lines"] for e in entries), trainer)
    backend.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[(t, backend.token_to_id(t)) for t in ("[CLS]", "[SEP]")],
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backend,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    )
    tokenizer.add_special_tokens({"additional_special_tokens": ["[LINE]"]})
    return tokenizer


def encode(entries, tokenizer, cfg):
    targets = MultiLabelBinarizer(classes=PAPERS).fit_transform([e["papers"] for e in entries])
    dataset = Dataset.from_dict(
        {
            "text": [" [LINE] ".join(e["lines"]) for e in entries],
            "labels": targets.astype(np.float32).tolist(),
        }
    )
    return dataset.map(
        lambda batch: tokenizer(batch["text"], truncation=True, max_length=cfg.max_length),
        batched=True,
        remove_columns=["text"],
    )


class PermitTrainer(Trainer):
    def __init__(self, *args, pos_weight, **kwargs):
        super().__init__(*args, **kwargs)
        self.pos_weight = pos_weight.to(self.args.device)

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = F.binary_cross_entropy_with_logits(
            outputs.logits, labels, pos_weight=self.pos_weight
        )
        return (loss, outputs) if return_outputs else loss


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    probabilities = torch.sigmoid(torch.from_numpy(logits)).numpy()
    predicted = (probabilities > 0.5).astype(int)
    return {"macro_f1": f1_score(labels.astype(int), predicted, average="macro", zero_division=0)}


def main():
    cfg = Config()
    set_seed(cfg.seed)
    rng = random.Random(cfg.seed)
    entries = [make_entry(rng) for _ in range(cfg.entries)]
    train_entries, test_entries = train_test_split(
        entries, test_size=cfg.test_share, random_state=cfg.seed
    )

    tokenizer = build_tokenizer(train_entries)
    train_set = encode(train_entries, tokenizer, cfg)
    test_set = encode(test_entries, tokenizer, cfg)

    share = np.mean(train_set["labels"][:], axis=0)
    pos_weight = torch.tensor(np.sqrt((1 - share) / share), dtype=torch.float32)

    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=cfg.hidden_size,
        num_hidden_layers=cfg.layers,
        num_attention_heads=cfg.heads,
        intermediate_size=2 * cfg.hidden_size,
        max_position_embeddings=cfg.max_length,
        hidden_dropout_prob=0.05,
        attention_probs_dropout_prob=0.05,
        pad_token_id=tokenizer.pad_token_id,
        num_labels=len(PAPERS),
        id2label=dict(enumerate(PAPERS)),
        label2id={name: i for i, name in enumerate(PAPERS)},
        problem_type="multi_label_classification",
    )
    model = BertForSequenceClassification(config)

    training_args = TrainingArguments(
        output_dir=cfg.output_dir,
        learning_rate=cfg.learning_rate,
        num_train_epochs=cfg.epochs,
        per_device_train_batch_size=cfg.batch_size,
        per_device_eval_batch_size=128,
        warmup_ratio=0.1,
        weight_decay=0.01,
        logging_steps=50,
        save_strategy="no",
        report_to="none",
        seed=cfg.seed,
    )
    trainer = PermitTrainer(
        model=model,
        args=training_args,
        train_dataset=train_set,
        eval_dataset=test_set,
        data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=compute_metrics,
        pos_weight=pos_weight,
    )
    trainer.train()
    scores = trainer.evaluate()
    print({"macro_f1": round(scores["eval_macro_f1"], 4)})


if __name__ == "__main__":
    main()
