"""Mark the parties, the judge, the court, the statute and the sum in summaries of court rulings."""

import random
import string
from collections import Counter

import numpy as np
import torch.nn.functional as F
from datasets import Dataset
from sklearn.model_selection import train_test_split
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from transformers import (
    DataCollatorForTokenClassification,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

SEED = 7
set_seed(SEED)
rng = random.Random(SEED)

# ---------------------------------------------------------------- the corpus

ROLES = ["CLAIMANT", "DEFENDANT", "JUDGE", "COURT", "STATUTE", "SUM"]
TAGS = ["O"] + [f"{prefix}-{role}" for role in ROLES for prefix in ("B", "I")]
tag2id = {tag: i for i, tag in enumerate(TAGS)}

SURNAMES = (
    "Abbott Ainsley Barlow Baxter Bright Calder Carver Colby Crane Dalton Denham Drake Eaton Ellis "
    "Fenwick Fletcher Garland Gibbs Granger Hale Harding Holt Ingram Jarvis Keating Kemp Lambert "
    "Langley Lincoln Marlow Mercer Morley Nash Norris Oakes Osborne Palmer Pryce Quill Ramsey "
    "Redfern Rowe Salter Selby Stanton Tatham Thorne Upton Vance Wade Walton Whitby Wyatt Yates"
).split()
TRADES = ["Holdings", "Estates", "Haulage", "Foods", "Marine", "Textiles", "Energy", "Builders"]
TOWNS = ["Lincoln", "Durham", "Whitby", "Leeds", "Exeter", "Langley", "Norwich", "Stanton"]
ACTS = ["Housing", "Theft", "Companies", "Finance", "Children", "Employment", "Land", "Fraud"]


def person():
    return rng.choice(["", "", f"{rng.choice(string.ascii_uppercase)}. "]) + rng.choice(SURNAMES)


def party():
    if rng.random() < 0.5:
        return person()
    return f"{rng.choice(SURNAMES)} {rng.choice(['', '& Sons ', rng.choice(TRADES) + ' '])}Ltd"


def fill(role):
    if role in ("CLAIMANT", "DEFENDANT"):
        return party()
    if role == "JUDGE":
        return rng.choice(["Mr Justice ", "Lady ", "HHJ ", ""]) + rng.choice(SURNAMES)
    if role == "COURT":
        town = rng.choice(TOWNS)
        return rng.choice(["the Court of Appeal", f"{town} Crown Court", f"{town} County Court"])
    if role == "STATUTE":
        act = f"the {rng.choice(ACTS)} Act {rng.randint(1925, 2021)}"
        return rng.choice([act, f"section {rng.randint(1, 180)} of {act}"])
    if role == "SUM":
        return f"£ {rng.randint(1, 900)},{rng.randint(0, 999):03d}"
    return person()


TEMPLATES = {
    "contract": [
        "{CLAIMANT} v {DEFENDANT} , heard at {COURT} , {JUDGE} presiding .",
        "{CLAIMANT} supplied goods to {DEFENDANT} and was never paid the {SUM} that was due .",
        "{JUDGE} ordered {DEFENDANT} to pay {SUM} to {CLAIMANT} within {days} days .",
        "The claim of {CLAIMANT} was allowed by {JUDGE} under {STATUTE} .",
        "{OTHER} gave evidence that {DEFENDANT} had signed in the presence of {OTHER} .",
    ],
    "housing": [
        "{CLAIMANT} , the landlord , sought possession from {DEFENDANT} , the tenant .",
        "At {COURT} the tenant , {DEFENDANT} , admitted arrears of {SUM} .",
        "{JUDGE} refused possession , as {STATUTE} requires notice of {days} days .",
        "Notice had been served on {DEFENDANT} by {OTHER} , an agent of {CLAIMANT} .",
        "{COURT} stayed the order which {CLAIMANT} had obtained before {JUDGE} .",
    ],
    "tax": [
        "{DEFENDANT} was assessed to {SUM} ; the officer , {OTHER} , relied on {STATUTE} .",
        "The revenue , through {CLAIMANT} , pursued {DEFENDANT} for {SUM} of unpaid duty .",
        "Before {COURT} , {OTHER} appeared as counsel , instructed by {DEFENDANT} .",
        "Relief under {STATUTE} was withheld by {JUDGE} , and {SUM} fell due in {days} days .",
        "From the decision of {JUDGE} it was {DEFENDANT} who appealed to {COURT} .",
    ],
    "injury": [
        "Against {DEFENDANT} , her employer , {CLAIMANT} brought proceedings at {COURT} .",
        "Damages of {SUM} were fixed by {JUDGE} after hearing the surgeon , {OTHER} .",
        "A breach of {STATUTE} by {DEFENDANT} injured {CLAIMANT} and also {OTHER} .",
        "Costs of {SUM} follow , to be met by {DEFENDANT} , so {JUDGE} held .",
        "{OTHER} , who saw {CLAIMANT} fall , was believed ; {JUDGE} so found .",
    ],
}
OVERLOOKED = 0.12  # share of the mentions that the annotators are known to have missed


def write_summary(matter):
    words, tags = [], []
    for template in rng.sample(TEMPLATES[matter], 2):
        for piece in template.split():
            if piece == "{days}":
                words.append(str(rng.choice([7, 14, 21, 28, 56])))
                tags.append("O")
            elif piece.startswith("{"):
                role = piece.strip("{}")
                mention = fill(role).split()
                marked = role != "OTHER" and rng.random() >= OVERLOOKED
                words += mention
                tags += [f"{'I' if i else 'B'}-{role}" if marked else "O" for i in range(len(mention))]
            else:
                words.append(piece)
                tags.append("O")
    return {"words": words, "tags": tags, "matter": matter}


rulings = [write_summary(matter) for matter in TEMPLATES for _ in range(400)]
train_rows, test_rows = train_test_split(
    rulings, test_size=0.25, random_state=SEED, stratify=[row["matter"] for row in rulings]
)

# ---------------------------------------------------------------- the tokenizer

counts = Counter(word for row in train_rows for word in row["words"])
letters = list(string.ascii_letters + string.digits + string.punctuation + "£")
pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *letters, *("##" + letter for letter in letters)]
pieces += sorted(word for word, count in counts.items() if count >= 5)
vocab = {piece: i for i, piece in enumerate(dict.fromkeys(pieces))}

wordpiece = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
wordpiece.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
wordpiece.post_processor = processors.TemplateProcessing(
    single="[CLS] $A [SEP]",
    special_tokens=[("[CLS]", vocab["[CLS]"]), ("[SEP]", vocab["[SEP]"])],
)
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=wordpiece,
    pad_token="[PAD]",
    unk_token="[UNK]",
    cls_token="[CLS]",
    sep_token="[SEP]",
    model_input_names=["input_ids", "attention_mask"],
)


def encode(row):
    enc = tokenizer(row["words"], is_split_into_words=True, truncation=True, max_length=128)
    labels, previous = [], None
    for word in enc.word_ids():
        if word is None or word == previous:
            labels.append(-100)
        else:
            labels.append(tag2id[row["tags"][word]])
        previous = word
    enc["labels"] = labels
    return enc


columns = ["words", "tags", "matter"]
train_set = Dataset.from_list(train_rows).map(encode, remove_columns=columns)
test_set = Dataset.from_list(test_rows).map(encode, remove_columns=columns)

# ---------------------------------------------------------------- the score


def mentions(tags):
    found, start = set(), None
    for i, tag in enumerate([*tags, "O"]):
        if start is not None and tag != "I-" + tags[start][2:]:
            found.add((start, i, tags[start][2:]))
            start = None
        if tag.startswith("B-"):
            start = i
    return found


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    predictions = np.argmax(logits, axis=-1)
    hits = guessed = real = 0
    for pred, gold in zip(predictions, labels):
        keep = gold != -100
        pred_mentions = mentions([TAGS[i] for i in pred[keep]])
        gold_mentions = mentions([TAGS[i] for i in gold[keep]])
        hits += len(pred_mentions & gold_mentions)
        guessed += len(pred_mentions)
        real += len(gold_mentions)
    precision, recall = hits / max(guessed, 1), hits / max(real, 1)
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / max(precision + recall, 1e-9),
    }


# ---------------------------------------------------------------- the model and its training


class Tagger(nn.Module):
    def __init__(self, vocab_size, num_tags, dim=64):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, dim, padding_idx=tokenizer.pad_token_id)
        self.dropout = nn.Dropout(0.2)
        self.lstm = nn.LSTM(dim, dim, batch_first=True, bidirectional=True)
        self.classifier = nn.Linear(2 * dim, num_tags)

    def forward(self, input_ids, attention_mask, labels=None):
        embedded = self.dropout(self.embedding(input_ids))
        lengths = attention_mask.sum(dim=1).cpu()
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(
            self.lstm(packed)[0], batch_first=True, total_length=input_ids.size(1)
        )
        logits = self.classifier(self.dropout(states))
        if labels is None:
            return {"logits": logits}
        loss = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=-100)
        return {"loss": loss, "logits": logits}


model = Tagger(len(tokenizer), num_tags=len(TAGS))

args = TrainingArguments(
    output_dir="rulings_out",
    num_train_epochs=6,
    learning_rate=5e-3,
    warmup_steps=30,
    weight_decay=0.01,
    per_device_train_batch_size=32,
    per_device_eval_batch_size=64,
    eval_strategy="epoch",
    save_strategy="no",
    logging_steps=20,
    report_to="none",
    seed=SEED,
)
trainer = Trainer(
    model=model,
    args=args,
    train_dataset=train_set,
    eval_dataset=test_set,
    processing_class=tokenizer,
    data_collator=DataCollatorForTokenClassification(tokenizer),
    compute_metrics=compute_metrics,
)
trainer.train()
scores = trainer.evaluate()
print({"f1": round(scores["eval_f1"], 4)})
