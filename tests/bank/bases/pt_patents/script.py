# Which sections of the classification does a patent belong to?  (multi-label, 8 sections)
# Reads title + abstract with a very small BERT that starts from random weights.
import random

import numpy as np
from datasets import Dataset
from sklearn.metrics import f1_score
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from torch import nn
from transformers import (
    BertConfig,
    BertModel,
    DataCollatorWithPadding,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

SEED = 23
MAX_LEN = 96
random.seed(SEED)
set_seed(SEED)

# --- what the applicants write about: a few things are at home in two sections ----------------
TERMS = {
    "A": "toothbrush saddle mattress garment inhaler catheter bandage seedling harvester dough",
    "B": "gripper conveyor nozzle trailer bumper sprayer pallet milling hull lamination",
    "C": "polymer catalyst enzyme alloy solvent glass cement antibody pulp furnace",
    "D": "yarn loom knitting fibre weaving felt bobbin dyeing pulp cord",
    "E": "foundation lock hinge scaffold drilling roof sewer window bridge excavator",
    "F": "turbine piston bearing boiler compressor nozzle burner gearbox lamp heat-pump",
    "G": "lens display sensor barcode memory clock spectrometer hologram controller camera",
    "H": "antenna inverter battery transistor cable amplifier electrode switch modem sensor",
}
TERMS = {section: words.split() for section, words in TERMS.items()}
SECTIONS = sorted(TERMS)

OPENINGS = [
    "The present invention relates to an arrangement and to a method of making the same .",
    "Disclosed herein are systems and methods , and an apparatus for carrying them out .",
    "According to one embodiment of the present disclosure , an improved device is provided .",
    "There is provided , in a first aspect of the invention , an assembly for general use .",
]
CLAUSES = [
    "one {t} is arranged on the {n} and held by a {a} {n}",
    "the {n} comprises a {a} {t} facing the {n}",
    "wherein the {t} is coupled to at least one {n}",
    "and the {a} {n} acts upon a {t} of known kind",
    "a plurality of {n} elements surrounds the {t}",
]
NEUTRAL = [
    "the {a} {n} is secured to the {n} in a known manner",
    "the {n} may be formed in one piece with the {a} {n}",
    "in use , the {n} moves relative to the {n}",
]
NOUNS = ["housing", "member", "portion", "body", "surface", "unit", "frame", "carrier", "plate"]
ADJECTIVES = ["first", "second", "upper", "lower", "inner", "flexible", "rigid", "removable"]
TITLES = ["Apparatus and method", "Improved device", "Method of manufacture", "Assembly", "System"]


def fill(pattern, term=""):
    out = []
    for w in pattern.split():
        if w == "{t}":
            w = term
        elif w == "{n}":
            w = random.choice(NOUNS)
        elif w == "{a}":
            w = random.choice(ADJECTIVES)
        out.append(w)
    return " ".join(out)


def write_patent():
    sections = random.sample(SECTIONS, random.choice([1, 1, 2, 2, 3]))
    clauses = [fill(random.choice(NEUTRAL))]
    for s in sections:
        for term in random.sample(TERMS[s], 2 if len(sections) == 1 else 1):
            clauses.append(fill(random.choice(CLAUSES), term))
    random.shuffle(clauses)
    abstract = random.choice(OPENINGS) + " " + " ; ".join(clauses) + " ."
    return {"title": random.choice(TITLES), "abstract": abstract, "sections": sections}


patents = [write_patent() for _ in range(2000)]
train_rows, valid_rows, test_rows = patents[:1500], patents[1500:1700], patents[1700:]

# --- tokenizer, from the training texts only --------------------------------------------------
tok = Tokenizer(models.WordPiece(unk_token="[UNK]"))
tok.normalizer = normalizers.Lowercase()
tok.pre_tokenizer = pre_tokenizers.Whitespace()
tok.train_from_iterator(
    (row["title"] + " " + row["abstract"] for row in train_rows),
    trainers.WordPieceTrainer(
        vocab_size=600, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"], show_progress=False
    ),
)
tok.post_processor = processors.TemplateProcessing(
    single="[CLS] $A [SEP]",
    pair="[CLS] $A [SEP] $B:1 [SEP]:1",
    special_tokens=[("[CLS]", tok.token_to_id("[CLS]")), ("[SEP]", tok.token_to_id("[SEP]"))],
)
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=tok,
    pad_token="[PAD]",
    unk_token="[UNK]",
    cls_token="[CLS]",
    sep_token="[SEP]",
)


def preprocess(batch):
    enc = tokenizer(batch["title"], batch["abstract"], truncation="only_second", max_length=MAX_LEN)
    enc["labels"] = [[float(s in own) for s in SECTIONS] for own in batch["sections"]]
    return enc


def to_dataset(rows):
    ds = Dataset.from_list(rows)
    return ds.map(preprocess, batched=True, remove_columns=ds.column_names)


train_ds, valid_ds, test_ds = map(to_dataset, (train_rows, valid_rows, test_rows))


# --- model ------------------------------------------------------------------------------------
class PatentSections(nn.Module):
    def __init__(self, config, n_sections):
        super().__init__()
        self.bert = BertModel(config, add_pooling_layer=False)
        self.dropout = nn.Dropout(0.1)
        self.classifier = nn.Linear(config.hidden_size, n_sections)
        self.loss_fct = nn.BCEWithLogitsLoss()

    def forward(self, input_ids, attention_mask, token_type_ids=None, labels=None):
        hidden = self.bert(
            input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        mask = attention_mask.unsqueeze(-1).float()
        mean = (hidden * mask).sum(1) / mask.sum(1)
        logits = self.classifier(self.dropout(mean))
        out = {"logits": logits, "embedding": mean}  # the embedding is for "similar patents"
        if labels is not None:
            out = {"loss": self.loss_fct(logits, labels), **out}
        return out


model = PatentSections(
    BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=96,
        max_position_embeddings=MAX_LEN,
        pad_token_id=tokenizer.pad_token_id,
    ),
    n_sections=len(SECTIONS),
)


def compute_metrics(eval_pred):
    logits, _ = eval_pred.predictions
    probs = 1 / (1 + np.exp(-logits))
    chosen = (probs > 0.5).astype(int)
    gold = eval_pred.label_ids.astype(int)
    return {
        "f1_micro": f1_score(gold, chosen, average="micro", zero_division=0),
        "exact": float((chosen == gold).all(axis=1).mean()),
    }


training_args = TrainingArguments(
    output_dir="patents",
    learning_rate=2e-3,
    warmup_ratio=0.1,
    num_train_epochs=4,
    per_device_train_batch_size=25,
    per_device_eval_batch_size=100,
    eval_strategy="epoch",
    save_strategy="no",
    logging_steps=50,
    report_to="none",
    seed=SEED,
)

trainer = Trainer(
    model=model,
    args=training_args,
    train_dataset=train_ds,
    eval_dataset=valid_ds,
    data_collator=DataCollatorWithPadding(tokenizer),
    compute_metrics=compute_metrics,
)
trainer.train()

result = trainer.predict(test_ds)
print("all sections right:", round(result.metrics["test_exact"], 3))
print({"f1_micro": round(float(result.metrics["test_f1_micro"]), 4)})
