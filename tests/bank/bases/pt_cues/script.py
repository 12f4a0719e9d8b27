"""Reads a stage manager's prompt-book notes and names the departments that have to act on them."""

import random
import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from datasets import Dataset
from sklearn.metrics import f1_score
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    DataCollatorWithPadding,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

DEPARTMENTS = ["crew", "fly", "lights", "props", "sound", "wardrobe"]

THINGS = {
    "lights": ["cyc", "sidelights", "footlights", "follow spot", "gobo wash", "backlight"],
    "sound": ["thunder", "overture", "rain loop", "church bell", "playback", "telephone ring"],
    "fly": ["gauze", "backdrop", "border", "house tabs", "chandelier", "painted forest"],
    "props": ["letter", "dagger", "tea tray", "lantern", "suitcase", "goblet"],
    "wardrobe": ["cloak", "bonnet", "evening gown", "uniform", "riding boots", "apron"],
    "crew": ["sofa", "wagon", "staircase", "revolve", "four poster", "rostrum"],
}
PHRASES = {
    "lights": ["fade the {} slowly", "snap the {} out", "bring up the {} on the turn"],
    "sound": ["fade the {} under the line", "cut the {} on the turn", "bring up the {} slowly"],
    "fly": ["bring in the {}", "take the {} out slowly", "hold the {} at the dead"],
    "props": ["set the {} down left", "strike the {}", "hand the {} to {who} in the wings"],
    "wardrobe": ["quick change for {who} into the {}", "take the {} from {who}", "set the {}"],
    "crew": ["push the {} upstage", "strike the {}", "set the {} on the spike marks"],
}
CHATTER = ["watch the conductor", "wait for the applause", "stand by for {who}", "{who} is late"]
ACTORS = ["Nina", "Orsino", "Masha", "the duke", "the nurse", "Trofimov", "the chorus"]
WEIGHTS = {"lights": 5, "sound": 4, "fly": 3, "props": 3, "crew": 2, "wardrobe": 2}


@dataclass
class Settings:
    notes: int = 2800
    test_share: float = 0.2
    max_length: int = 80
    hidden: int = 64
    layers: int = 2
    batch_size: int = 32
    epochs: int = 6
    lr: float = 2e-3
    seed: int = 17


def write_note(rng):
    needed, clauses = set(), []
    for _ in range(rng.randint(1, 3)):
        who = rng.choice(ACTORS)
        if rng.random() < 0.2:
            clauses.append(rng.choice(CHATTER).format(who=who))
            continue
        department = rng.choices(list(WEIGHTS), weights=WEIGHTS.values())[0]
        phrase = rng.choice(PHRASES[department]).format(rng.choice(THINGS[department]), who=who)
        if rng.random() < 0.1:
            phrase = f"no longer {phrase}"
        else:
            needed.add(department)
        clauses.append(phrase)
    where = f"Cue {rng.randint(1, 90)}, page {rng.randint(2, 99)}: "
    text = where + ", then ".join(clauses) + "."
    if rng.random() < 0.45:
        text = text.upper()
    return {"note": text, "departments": sorted(needed)}


def build_tokenizer(texts):
    counts = Counter(w for text in texts for w in re.findall(r"\w+|[^\w\s]+", text.lower()))
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"] + [w for w, _ in counts.most_common()]
    vocab = {word: i for i, word in enumerate(words)}
    backend = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
    backend.normalizer = normalizers.Lowercase()
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[("[CLS]", vocab["[CLS]"]), ("[SEP]", vocab["[SEP]"])],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    )


class CueTrainer(Trainer):
    """Rare departments weigh more."""

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
    probs = torch.sigmoid(torch.from_numpy(logits)).numpy()
    preds = (probs > 0.5).astype(int)
    return {"f1_macro": f1_score(labels.astype(int), preds, average="macro", zero_division=0)}


def main():
    cfg = Settings()
    set_seed(cfg.seed)
    rng = random.Random(cfg.seed)

    book = Dataset.from_list([write_note(rng) for _ in range(cfg.notes)])
    book = book.train_test_split(test_size=cfg.test_share, seed=cfg.seed)
    tokenizer = build_tokenizer(book["train"]["note"])

    def prepare(batch):
        enc = tokenizer(batch["note"], truncation=True, max_length=cfg.max_length)
        enc["labels"] = [[float(d in who) for d in DEPARTMENTS] for who in batch["departments"]]
        return enc

    book = book.map(prepare, batched=True)

    hits = np.array(book["train"]["labels"]).sum(axis=0)
    pos_weight = torch.tensor((len(book["train"]) - hits) / hits, dtype=torch.float)

    model = BertForSequenceClassification(
        BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=cfg.hidden,
            num_hidden_layers=cfg.layers,
            num_attention_heads=4,
            intermediate_size=2 * cfg.hidden,
            max_position_embeddings=cfg.max_length,
            pad_token_id=tokenizer.pad_token_id,
            initializer_range=0.08,
            num_labels=len(DEPARTMENTS),
            problem_type="multi_label_classification",
        )
    )
    args = TrainingArguments(
        output_dir="cues",
        num_train_epochs=cfg.epochs,
        per_device_train_batch_size=cfg.batch_size,
        per_device_eval_batch_size=128,
        learning_rate=cfg.lr,
        warmup_ratio=0.1,
        weight_decay=0.01,
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=50,
        report_to="none",
        seed=cfg.seed,
    )
    trainer = CueTrainer(
        model=model,
        args=args,
        train_dataset=book["train"],
        eval_dataset=book["test"],
        data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=compute_metrics,
        pos_weight=pos_weight,
    )
    trainer.train()
    print({"f1_macro": round(trainer.evaluate()["eval_f1_macro"], 4)})


if __name__ == "__main__":
    main()
