# Reads the address line of an envelope: who, which street, which number, which town?
# A small BERT trained from nothing, one label per word; the sorting desk looks at whole spans.
import random

import numpy as np
import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from torch import nn
from transformers import (
    BertConfig,
    BertForTokenClassification,
    BertTokenizerFast,
    DataCollatorForTokenClassification,
    Trainer,
    TrainingArguments,
    set_seed,
)

SEED = 23
PARTS = ["PER", "STR", "NUM", "TOWN"]
LABELS = ["O"] + [f"{prefix}-{part}" for part in PARTS for prefix in "BI"]
LABEL2ID = {label: i for i, label in enumerate(LABELS)}
ID2LABEL = dict(enumerate(LABELS))

STEMS = ["Ash", "Birch", "Brad", "Cran", "Dun", "Elm", "Fair", "Green", "Hart", "Ken", "Lang"]
STEMS += ["Marl", "New", "Oak", "Pem", "Red", "Stan", "Thorn", "Wake", "West"]
TOWN_ENDS = ["ford", "ham", "ton", "bury", "mouth", "stead"]
NAME_ENDS = ["son", "man", "er", "well", "ley", "wood"]
STREET_ENDS = ["Road", "Street", "Lane", "Avenue", "Close", "Drive"]
FIRST = ["Ada", "Ben", "Clara", "David", "Edith", "Frank", "Grace", "Hugh", "Iris", "James"]
FIRST += ["Kate", "Leo", "Mary", "Noah", "Olive", "Paul", "Rose", "Sam"]
NOTES = ["Please forward", "By hand", "Fragile", "Do not bend", "Return if undelivered"]


def person():
    words = [random.choice(FIRST), random.choice(STEMS) + random.choice(NAME_ENDS)]
    if random.random() < 0.3:
        words.insert(0, random.choice(["Mr", "Mrs", "Dr"]))
    if random.random() < 0.15:
        words[-1] = random.choice(STEMS) + random.choice(TOWN_ENDS)  # people are called like towns
    return words


def town():
    before = [random.choice(["Upper", "Little", "Great"])] if random.random() < 0.25 else []
    return [*before, random.choice(STEMS) + random.choice(TOWN_ENDS)]


def street():
    kind = random.random()
    words = [random.choice(FIRST)]
    if kind < 0.4:
        words = town()
    elif kind < 0.7:
        words = [random.choice(STEMS) + random.choice(NAME_ENDS)]
    return [*words, random.choice(STREET_ENDS)]


def envelope():
    """The words of a line and the tag of each; the parts come in any of a few orders."""
    number = [str(random.randint(1, 240)) + random.choice(["", "", "a", "b"])]
    who, where, place = ("PER", person()), [("NUM", number), ("STR", street())], ("TOWN", town())
    if random.random() < 0.35:
        where.reverse()
    pieces = [who, *where, place] if random.random() < 0.6 else [place, *where, who]
    pieces.insert(random.choice([0, 2, 4, 4]), ("O", random.choice(NOTES).split()))
    if random.random() < 0.4:
        pieces.insert(0, ("O", [random.choice(["To", "Attn", "Flat", "Parcel"])]))
    words, tags = [], []
    for part, said in pieces:
        words += said
        inside = [f"B-{part}"] + [f"I-{part}"] * (len(said) - 1)
        tags += ["O"] * len(said) if part == "O" else inside
    return {"words": words, "tags": [LABEL2ID[tag] for tag in tags]}


def train_tokenizer(lines):
    tok = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tok.normalizer = normalizers.BertNormalizer(lowercase=True)
    tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tok.train_from_iterator(
        lines, trainers.WordPieceTrainer(vocab_size=220, special_tokens=special)
    )
    ids = [(name, tok.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    tok.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ids)
    return BertTokenizerFast(tokenizer_object=tok)


def align(batch, tokenizer):
    encoded = tokenizer(batch["words"], is_split_into_words=True, truncation=True, max_length=64)
    encoded["labels"] = []
    for row, tags in enumerate(batch["tags"]):
        labels, previous = [], None
        for word in encoded.word_ids(row):
            # only the first piece of a word carries its tag
            labels.append(-100 if word is None or word == previous else tags[word])
            previous = word
        encoded["labels"].append(labels)
    return encoded


def spans(tags):
    found, start, part = set(), None, None
    for i, tag in enumerate([*tags, "O"]):
        if part is not None and tag != f"I-{part}":
            found.add((start, i, part))
            part = None
        if tag.startswith("B-"):
            start, part = i, tag[2:]
    return found


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    predictions = np.argmax(logits, axis=-1)
    hits = said = meant = 0
    for row in zip(predictions, labels, strict=True):
        pairs = [(p, g) for p, g in zip(*row, strict=False) if g != -100]
        ours = spans([ID2LABEL[int(p)] for p, _ in pairs])
        theirs = spans([ID2LABEL[int(g)] for _, g in pairs])
        hits, said, meant = hits + len(ours & theirs), said + len(ours), meant + len(theirs)
    return {"f1": 2 * hits / max(said + meant, 1)}


class WeightedTrainer(Trainer):
    """Notes are most of what is not an address, so O counts half."""

    def __init__(self, *args, class_weights, **kwargs):
        super().__init__(*args, **kwargs)
        self.class_weights = class_weights

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        logits = outputs.logits
        loss_fct = nn.CrossEntropyLoss(weight=self.class_weights.to(logits.device))
        loss = loss_fct(logits.transpose(1, 2), labels)
        inputs["labels"] = labels
        return (loss, outputs) if return_outputs else loss


def main():
    set_seed(SEED)
    train = Dataset.from_list([envelope() for _ in range(1200)])
    test = Dataset.from_list([envelope() for _ in range(300)])
    tokenizer = train_tokenizer([" ".join(words) for words in train["words"]])
    how = {"batched": True, "remove_columns": ["words", "tags"]}
    train = train.map(align, fn_kwargs={"tokenizer": tokenizer}, **how)
    test = test.map(align, fn_kwargs={"tokenizer": tokenizer}, **how)

    model = BertForTokenClassification(
        BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=128,
            num_labels=len(LABELS),
            id2label=ID2LABEL,
        )
    )
    weights = torch.tensor([0.5] + [1.0] * (len(LABELS) - 1))

    args = TrainingArguments(
        output_dir="envelopes-bert",
        learning_rate=2e-3,
        num_train_epochs=6,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=100,
        eval_strategy="epoch",
        save_strategy="epoch",
        save_total_limit=1,
        logging_strategy="epoch",
        load_best_model_at_end=True,
        metric_for_best_model="f1",
        greater_is_better=True,
        report_to="none",
        seed=SEED,
    )
    trainer = WeightedTrainer(
        model=model,
        args=args,
        train_dataset=train,
        eval_dataset=test,
        data_collator=DataCollatorForTokenClassification(tokenizer),
        processing_class=tokenizer,
        compute_metrics=compute_metrics,
        class_weights=weights,
    )
    trainer.train()
    scores = trainer.evaluate()
    print({"f1": round(scores["eval_f1"], 4)})


if __name__ == "__main__":
    main()
