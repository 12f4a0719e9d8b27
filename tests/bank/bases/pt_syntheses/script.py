# Find reagents, solvents, products, temperatures, times and yields in lab procedures.
import random

import numpy as np
import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    BertForTokenClassification,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

SEED = 42
set_seed(SEED)

# ---------------------------------------------------------------- data
POSITIONS = ["2-", "3-", "4-", "2,4-", "3,5-", ""]
GROUPS = ["bromo", "chloro", "nitro", "methyl", "methoxy", "fluoro", "amino", "cyano", "iodo"]
CORES = [
    "benzene",
    "aniline",
    "phenol",
    "pyridine",
    "benzaldehyde",
    "toluene",
    "indole",
    "quinoline",
    "thiophene",
    "acetophenone",
    "benzonitrile",
    "anisole",
]
SALTS = ["sodium", "potassium", "lithium", "caesium"]
ANIONS = ["hydride", "carbonate", "hydroxide", "acetate", "tert-butoxide"]
LIQUIDS = [
    "ethanol",
    "toluene",
    "dichloromethane",
    "acetic acid",
    "ethyl acetate",
    "diethyl ether",
    "pyridine",
    "acetonitrile",
    "dimethyl sulfoxide",
    "water",
    "methanol",
]
TEMPLATES = [
    "to a solution of <REAGENT> in <SOLVENT> was added <REAGENT> at <TEMP> .",
    "<REAGENT> and <REAGENT> were dissolved in <SOLVENT> and stirred for <TIME> .",
    "<REAGENT> ( {n} mmol ) was suspended in <SOLVENT> ( {n} ml ) and heated to <TEMP> .",
    "the mixture was stirred at <TEMP> for <TIME> , then <REAGENT> was added .",
    "the residue was taken up in <SOLVENT> , washed with <SOLVENT> and dried .",
    "after <TIME> the solid was filtered off to give <PRODUCT> ( {n} mg , <YIELD> ) .",
    "recrystallisation from <SOLVENT> gave <PRODUCT> in <YIELD> yield .",
    "<REAGENT> was refluxed with <REAGENT> in <SOLVENT> for <TIME> to afford <PRODUCT> .",
    "<PRODUCT> was obtained from <REAGENT> as a white solid ( <YIELD> ) .",
    "<REAGENT> was treated with <REAGENT> ( {n} ml ) and left for <TIME> at <TEMP> .",
    "<PRODUCT> was isolated in <YIELD> after {n} extractions with <SOLVENT> .",
    "<REAGENT> was poured into <SOLVENT> and cooled to <TEMP> .",
]


def compound(rng):
    name = rng.choice(POSITIONS) + rng.choice(GROUPS)
    if rng.random() < 0.4:
        name += "-" + rng.choice(["3-", "5-", "6-"]) + rng.choice(GROUPS)
    return name + rng.choice(CORES)


def fill(kind, rng):
    if kind == "SOLVENT":
        return rng.choice(LIQUIDS)
    if kind == "PRODUCT":
        return compound(rng)
    if kind == "REAGENT":
        draw = rng.random()
        if draw < 0.45:
            return compound(rng)
        return f"{rng.choice(SALTS)} {rng.choice(ANIONS)}" if draw < 0.7 else rng.choice(LIQUIDS)
    if kind == "TEMP":
        if rng.random() < 0.3:
            return "room temperature"
        return f"{rng.randrange(-78, 160)} °C"
    if kind == "TIME":
        return f"{rng.randrange(1, 48)} {rng.choice(['h', 'min', 'days'])}"
    return f"{rng.randrange(12, 99)} %"


def write_procedure(rng):
    words, tags = [], []
    for template in rng.sample(TEMPLATES, rng.randint(1, 3)):
        for piece in template.split():
            if piece.startswith("<"):
                kind = piece.strip("<>")
                entity = fill(kind, rng).split()
                words += entity
                tags += [f"B-{kind}"] + [f"I-{kind}"] * (len(entity) - 1)
            else:
                words.append(piece.replace("{n}", str(rng.randrange(1, 300))))
                tags.append("O")
    return {"words": words, "tags": tags}


rng = random.Random(SEED)
procedures = [write_procedure(rng) for _ in range(1300)]
train_procedures, test_procedures = procedures[:1000], procedures[1000:]

KINDS = ["REAGENT", "SOLVENT", "PRODUCT", "TEMP", "TIME", "YIELD"]
TAGS = ["O"] + [f"{prefix}-{kind}" for kind in KINDS for prefix in "BI"]
tag2id = {tag: i for i, tag in enumerate(TAGS)}
id2tag = dict(enumerate(TAGS))

# ---------------------------------------------------------------- tokenizer
wordpiece = Tokenizer(models.WordPiece(unk_token="[UNK]"))
wordpiece.normalizer = normalizers.Lowercase()
wordpiece.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
wordpiece.train_from_iterator(
    (" ".join(p["words"]) for p in train_procedures),
    trainers.WordPieceTrainer(
        vocab_size=600, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"], show_progress=False
    ),
)
wordpiece.post_processor = processors.TemplateProcessing(
    single="[CLS] $A [SEP]",
    special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
)
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=wordpiece,
    pad_token="[PAD]",
    unk_token="[UNK]",
    cls_token="[CLS]",
    sep_token="[SEP]",
)


def encode(example):
    encoded = tokenizer(example["words"], is_split_into_words=True, truncation=True, max_length=192)
    tag_ids = [tag2id[tag] for tag in example["tags"]]
    labels, previous = [], None
    for word_id in encoded.word_ids():
        first = word_id is not None and word_id != previous
        labels.append(tag_ids[word_id] if first else -100)
        previous = word_id
    return {"input_ids": encoded["input_ids"], "labels": labels}


train_ds = Dataset.from_list(train_procedures).map(encode, remove_columns=["words", "tags"])
test_ds = Dataset.from_list(test_procedures).map(encode, remove_columns=["words", "tags"])


def pad(rows, value):
    longest = max(len(row) for row in rows)
    return torch.tensor([row + [value] * (longest - len(row)) for row in rows])


def collate(examples):
    input_ids = pad([e["input_ids"] for e in examples], tokenizer.pad_token_id)
    return {
        "input_ids": input_ids,
        "attention_mask": (input_ids != tokenizer.pad_token_id).long(),
        "labels": pad([e["labels"] for e in examples], -100),
    }


# ---------------------------------------------------------------- model
config = BertConfig(
    vocab_size=len(tokenizer),
    hidden_size=64,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=128,
    max_position_embeddings=192,
    initializer_range=0.1,
    pad_token_id=tokenizer.pad_token_id,
    id2label=id2tag,
    label2id=tag2id,
)
model = BertForTokenClassification(config)


class TagTrainer(Trainer):
    """Gives the many O words half the weight of the others."""

    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        weight = torch.ones(len(TAGS), device=labels.device)
        weight[tag2id["O"]] = 0.5
        loss_fct = torch.nn.CrossEntropyLoss(weight=weight, ignore_index=-100)
        loss = loss_fct(outputs.logits.view(-1, len(TAGS)), labels.view(-1))
        return (loss, outputs) if return_outputs else loss


# ---------------------------------------------------------------- metric
def spans(tags):
    found, start = set(), None
    for i, tag in enumerate([*tags, "O"]):
        if start is not None and tag != "I-" + tags[start][2:]:
            found.add((start, i, tags[start][2:]))
            start = None
        if tag.startswith("B-"):
            start = i
    return found


def compute_metrics(eval_pred):
    logits, label_ids = eval_pred
    predictions = np.argmax(logits, axis=-1)
    hits = n_predicted = n_true = 0
    for pred_row, label_row in zip(predictions, label_ids, strict=True):
        keep = label_row != -100
        true = spans([id2tag[t] for t in label_row[keep]])
        predicted = spans([id2tag[t] for t in pred_row[keep]])
        hits += len(true & predicted)
        n_predicted += len(predicted)
        n_true += len(true)
    precision, recall = hits / max(n_predicted, 1), hits / max(n_true, 1)
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / max(precision + recall, 1e-9),
    }


# ---------------------------------------------------------------- training
args = TrainingArguments(
    output_dir="synthesis-tagger",
    learning_rate=2e-3,
    num_train_epochs=8,
    per_device_train_batch_size=16,
    per_device_eval_batch_size=64,
    warmup_steps=30,
    weight_decay=0.01,
    eval_strategy="epoch",
    logging_steps=50,
    save_strategy="no",
    report_to="none",
    seed=SEED,
)
trainer = TagTrainer(
    model=model,
    args=args,
    train_dataset=train_ds,
    eval_dataset=test_ds,
    data_collator=collate,
    compute_metrics=compute_metrics,
)
trainer.train()
result = trainer.evaluate()
print({"f1": round(result["eval_f1"], 4)})
