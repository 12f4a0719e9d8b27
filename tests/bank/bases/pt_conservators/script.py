"""Which care does a museum object need? Several tags per catalogue card, from its text.

The cards are made up; the tags are those that our conservators write on the back.
"""

import random
import re
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import torch
from datasets import Dataset, DatasetDict
from sklearn.metrics import f1_score, precision_score, recall_score
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from torch import nn
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    DataCollatorWithPadding,
    HfArgumentParser,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

CARE_TAGS = ["light", "damp", "moth", "two_persons", "poison"]
TAG2ID = {tag: i for i, tag in enumerate(CARE_TAGS)}

OBJECTS = "Cloak Casket Banner Tankard Psalter Reliquary Portrait Harness Fan Mask Globe Idol".split()
PLACES = "Bergen Lübeck Ghent Tunis Kyoto Lima Isfahan Riga Cusco Delft".split()
DONORS = ["Mrs Harlow", "the Ferrier estate", "Dr Quist", "the Guild of Dyers", "Count Orsolo"]
MATERIALS = [
    ("watercolour on laid paper", "light"),
    ("hand coloured albumen print", "light"),
    ("painted silk gauze", "light"),
    ("wool embroidery on madder dyed linen", "light moth"),
    ("parchment with iron gall ink", "light damp"),
    ("tempera on limewood panel", "damp"),
    ("forged iron with brass rivets", "damp"),
    ("carved walrus ivory", "damp"),
    ("woven goat hair and wool", "moth"),
    ("eider down and feather work", "moth"),
    ("blown glass with enamel", "two_persons"),
    ("soft paste porcelain", "two_persons"),
    ("plaster cast, hollow", "two_persons"),
    ("mercury gilt bronze", "poison"),
    ("emerald green wallpaper", "light poison"),
    ("fired stoneware", ""),
    ("carved basalt", ""),
    ("cast brass", ""),
    ("turned boxwood", ""),
    ("glazed earthenware", ""),
    ("cut marble", ""),
    ("hammered pewter", ""),
    ("pressed bakelite", ""),
]
CONDITIONS = [
    ("flaking paint along the lower edge", "two_persons"),
    ("old repair, left joint loose", "two_persons"),
    ("active corrosion near the hinge", "damp"),
    ("mould spots under the lining", "damp"),
    ("moth holes at the hem", "moth"),
    ("arsenic powder found", "poison"),
    ("lead white lifting from the ground", "poison two_persons"),
    ("colours faded on the right side", "light"),
    ("stable", ""),
    ("sound and complete", ""),
    ("surface dusty, else well", ""),
    ("small chip at the foot, old", ""),
    ("good, cleaned lately", ""),
    ("tested for arsenic, none found", ""),
    ("no flaking, no corrosion", ""),
    ("old moth holes darned, treated", ""),
]
HISTORY = [
    "shown in a glass case beside a silk banner",
    "stored with the wool rugs until {year}",
    "compare the feather cloak in hall 2",
    "iron stand made by the workshop in {year}",
    "formerly catalogued as porcelain",
    "drawn by a pupil in {year} as a watercolour",
    "lent to the town hall in {year}",
    "label in ink, hardly legible",
]


@dataclass
class DataArgs:
    n_cards: int = field(default=3000)
    max_length: int = field(default=96, metadata={"help": "in tokens, [CLS] and [SEP] included"})
    forgotten: float = field(default=0.02, metadata={"help": "share of tags nobody wrote down"})


@dataclass
class ModelArgs:
    hidden: int = 64
    layers: int = 2
    heads: int = 4
    threshold: float = 0.5


def write_card(rnd, forgotten):
    def year():
        return str(rnd.randint(1480, 1990))

    material, care = rnd.choice(MATERIALS)
    condition, more_care = rnd.choice(CONDITIONS)
    text = (
        f"{rnd.randint(1880, 1999)}.{rnd.randint(1, 400)}.{rnd.randint(1, 30)} {rnd.choice(OBJECTS)}, "
        f"{rnd.choice(PLACES)}, about {year()}. Gift of {rnd.choice(DONORS)} in {year()}, "
        f"{rnd.choice(HISTORY).format(year=year())}. Made of {material}. Condition: {condition}. "
        f"Height {rnd.randint(4, 190)} cm, {rnd.choice(HISTORY).format(year=year())}."
    )
    tags = sorted(set(care.split()) | set(more_care.split()))
    tags = [tag for tag in tags if rnd.random() >= forgotten]
    rnd.shuffle(tags)
    return {"text": text, "care": ", ".join(tags)}


def clean(text):
    text = re.sub(r"\b\d{4}(\.\d+){2}\b", "[ACCESSION]", text)
    text = re.sub(r"\b1[4-9]\d\d\b", "[YEAR]", text)
    return re.sub(r"\b\d+ cm\b", "[SIZE]", text)


def build_tokenizer(texts):
    tok = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tok.normalizer = normalizers.Lowercase()
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    tok.train_from_iterator(texts, trainers.WordLevelTrainer(special_tokens=special, min_frequency=2))
    tok.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[(t, tok.token_to_id(t)) for t in ("[CLS]", "[SEP]")],
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=tok,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    )
    tokenizer.add_special_tokens({"additional_special_tokens": ["[ACCESSION]", "[YEAR]", "[SIZE]"]})
    return tokenizer


def multi_hot(care):
    row = [0.0] * len(CARE_TAGS)
    for tag in filter(None, care.split(", ")):
        row[TAG2ID[tag]] = 1.0
    return row


class CareTrainer(Trainer):
    """Rare tags weigh more, because a forgotten poison is worse than one tag too many."""

    def __init__(self, *args, pos_weight, **kwargs):
        super().__init__(*args, **kwargs)
        self.pos_weight = pos_weight

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss_fct = nn.BCEWithLogitsLoss(pos_weight=self.pos_weight.to(labels.device))
        loss = loss_fct(outputs.logits, labels)
        return (loss, outputs) if return_outputs else loss


def make_compute_metrics(threshold):
    def compute_metrics(p):
        probs = torch.sigmoid(torch.from_numpy(p.predictions)).numpy()
        y_pred = (probs >= threshold).astype(int)
        y_true = p.label_ids.astype(int)
        return {
            "macro_f1": f1_score(y_true, y_pred, average="macro", zero_division=0),
            "precision": precision_score(y_true, y_pred, average="macro", zero_division=0),
            "recall": recall_score(y_true, y_pred, average="macro", zero_division=0),
        }

    return compute_metrics


def main():
    parser = HfArgumentParser((DataArgs, ModelArgs))
    data_args, model_args = parser.parse_args_into_dataclasses(args=[])
    training_args = TrainingArguments(
        output_dir="conservators",
        num_train_epochs=5,
        learning_rate=1e-3,
        warmup_ratio=0.1,
        weight_decay=0.01,
        per_device_train_batch_size=16,
        per_device_eval_batch_size=128,
        eval_strategy="epoch",
        save_strategy="epoch",
        save_total_limit=1,
        load_best_model_at_end=True,
        metric_for_best_model="macro_f1",
        logging_steps=25,
        report_to="none",
        seed=1871,
    )
    set_seed(training_args.seed)

    rnd = random.Random(training_args.seed)
    cards = [write_card(rnd, data_args.forgotten) for _ in range(data_args.n_cards)]
    first, second = int(0.7 * len(cards)), int(0.85 * len(cards))
    raw = DatasetDict(
        train=Dataset.from_list(cards[:first]),
        valid=Dataset.from_list(cards[first:second]),
        test=Dataset.from_list(cards[second:]),
    )
    print(Counter(tag for care in raw["train"]["care"] for tag in care.split(", ")))

    tokenizer = build_tokenizer([clean(text) for text in raw["train"]["text"]])

    def preprocess(batch):
        enc = tokenizer(
            [clean(text) for text in batch["text"]],
            truncation=True,
            max_length=data_args.max_length,
        )
        enc["labels"] = [multi_hot(care) for care in batch["care"]]
        return enc

    ds = raw.map(preprocess, batched=True, remove_columns=["text", "care"])

    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=model_args.hidden,
        num_hidden_layers=model_args.layers,
        num_attention_heads=model_args.heads,
        intermediate_size=2 * model_args.hidden,
        max_position_embeddings=data_args.max_length,
        pad_token_id=tokenizer.pad_token_id,
        num_labels=len(CARE_TAGS),
        problem_type="multi_label_classification",
        id2label=dict(enumerate(CARE_TAGS)),
        label2id=TAG2ID,
    )
    model = BertForSequenceClassification(config)

    y_train = np.array(ds["train"]["labels"])
    share = y_train.mean(axis=0)
    pos_weight = torch.tensor(np.sqrt((1 - share) / share), dtype=torch.float32)

    trainer = CareTrainer(
        model=model,
        args=training_args,
        train_dataset=ds["train"],
        eval_dataset=ds["valid"],
        data_collator=DataCollatorWithPadding(tokenizer),
        processing_class=tokenizer,
        compute_metrics=make_compute_metrics(model_args.threshold),
        pos_weight=pos_weight,
    )
    trainer.train()
    result = trainer.evaluate(ds["test"])
    print({"macro_f1": round(result["eval_macro_f1"], 4)})


if __name__ == "__main__":
    main()
