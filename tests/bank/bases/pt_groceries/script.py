# Notes to our delivery service: customers write what the driver should bring, in one line and
# in any order. The picker's handheld needs the amounts, the articles, and what may be packed
# instead if an article is sold out.
import random

import torch
import torch.nn.functional as F
from datasets import Dataset
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    DataCollatorForTokenClassification,
    DistilBertConfig,
    DistilBertForTokenClassification,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

SEED = 23
TAGS = ["O", "B-AMOUNT", "I-AMOUNT", "B-ARTICLE", "I-ARTICLE", "B-INSTEAD", "I-INSTEAD"]
tag2id = {tag: i for i, tag in enumerate(TAGS)}

set_seed(SEED)

ARTICLES = [
    *("oat milk", "whole milk", "buttermilk", "sourdough bread", "rye crackers", "brown rice"),
    *("red lentils", "chickpeas", "tinned tomatoes", "tomato paste", "spring onions", "garlic"),
    *("sweet potatoes", "broccoli", "frozen peas", "baby spinach", "feta", "grated parmesan"),
    *("cottage cheese", "salted butter", "margarine", "free range eggs", "smoked tofu", "mustard"),
    *("minced beef", "salmon fillet", "olive oil", "cider vinegar", "raspberry jam", "cornflakes"),
    *("ground coffee", "peppermint tea", "sparkling water", "apple juice", "washing powder"),
]
NUMBERS = ["one", "two", "three", "2", "3", "5", "6", "10", "1.5", "250", "half a", "a dozen"]
UNITS = ["kg", "g", "bags of", "boxes of", "bottles of", "packs of", "litres of", "jars of"]
OPENINGS = ["hi ,", "please bring", "hello , we need", "for Friday :", "can I have", ""]
SWAPS = ["( or {} )", ", otherwise {}", ", if sold out {}"]
ENDINGS = ["thanks", "leave it at the door", "no rush", "ring twice please", ""]


def tagged(text, kind=None):
    words = text.split()
    if kind is None:
        return [(word, "O") for word in words]
    return [(word, f"{'I' if i else 'B'}-{kind}") for i, word in enumerate(words)]


def ordered():
    """One article with its amount before or behind it, sometimes with something instead of it."""
    article, other = random.sample(ARTICLES, 2)
    amount = random.choice(NUMBERS) + (" " + random.choice(UNITS) if random.random() < 0.6 else "")
    part = tagged(article, "ARTICLE")
    if random.random() < 0.7:
        part = tagged(amount, "AMOUNT") + part
    else:
        part = part + tagged("x") + tagged(amount.removesuffix(" of"), "AMOUNT")
    if random.random() < 0.4:
        before, _, after = random.choice(SWAPS).partition("{}")
        part += tagged(before) + tagged(other, "INSTEAD") + tagged(after)
    return part


def note():
    pairs = tagged(random.choice(OPENINGS))
    for i in range(random.randint(1, 2)):
        pairs += tagged(random.choice([",", "and", "plus", "also"])) if i else []
        pairs += ordered()
    pairs += tagged(random.choice(ENDINGS))
    loud = random.random() < 0.1
    words = [word.upper() if loud else word for word, _ in pairs]
    return {"words": words, "tags": [tag2id[tag] for _, tag in pairs]}


train_ds = Dataset.from_list([note() for _ in range(1000)])
test_ds = Dataset.from_list([note() for _ in range(250)])

# few pieces only, so that the model fits onto the handheld: rarer words come in two or three
backend = Tokenizer(models.WordPiece(unk_token="[UNK]"))
backend.normalizer = normalizers.Lowercase()
backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
backend.train_from_iterator(
    (" ".join(words) for words in train_ds["words"]),
    trainers.WordPieceTrainer(
        vocab_size=260, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"], show_progress=False
    ),
)
backend.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=backend,
    pad_token="[PAD]",
    unk_token="[UNK]",
    cls_token="[CLS]",
    sep_token="[SEP]",
    model_max_length=128,
    model_input_names=["input_ids", "attention_mask"],
)


def align(tags, word_ids):
    """A word's tag for its first piece; later pieces and special tokens are left out."""
    labels, last = [], None
    for word in word_ids:
        labels.append(-100 if word is None or word == last else tags[word])
        last = word
    return labels


def encode(batch):
    out = tokenizer(batch["words"], is_split_into_words=True, truncation=True)
    out["labels"] = [align(tags, out.word_ids(i)) for i, tags in enumerate(batch["tags"])]
    return out


train_ds = train_ds.map(encode, batched=True, remove_columns=["words", "tags"])
test_ds = test_ds.map(encode, batched=True, remove_columns=["words", "tags"])

config = DistilBertConfig(
    vocab_size=len(tokenizer),
    dim=64,
    hidden_dim=128,
    n_layers=2,
    n_heads=4,
    dropout=0.0,
    attention_dropout=0.0,
    max_position_embeddings=128,
    pad_token_id=tokenizer.pad_token_id,
    id2label=dict(enumerate(TAGS)),
    label2id=tag2id,
)
model = DistilBertForTokenClassification(config)

# a missed word costs a second tour, one too many only a tap on the screen
weights = torch.tensor([0.5 if tag == "O" else 1.0 for tag in TAGS])


class TagTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        logits = outputs.logits.transpose(1, 2)  # cross_entropy wants the classes second
        loss = F.cross_entropy(logits, labels, weight=weights.to(logits.device), ignore_index=-100)
        return (loss, outputs) if return_outputs else loss


def spans(tags):
    found, start = set(), None
    for i, tag in enumerate([*tags, "O"]):
        if start is not None and tag != "I-" + tags[start][2:]:
            found.add((start, i, tags[start][2:]))
            start = None
        if tag.startswith("B-"):
            start = i
    return found


def compute_metrics(p):
    guesses = p.predictions.argmax(axis=-1)
    right = guessed = there = 0
    for guess, label in zip(guesses, p.label_ids, strict=True):
        kept = label != -100
        ours = spans([TAGS[i] for i in guess[kept]])
        gold = spans([TAGS[i] for i in label[kept]])
        right, guessed, there = right + len(ours & gold), guessed + len(ours), there + len(gold)
    precision, recall = right / max(guessed, 1), right / max(there, 1)
    return {"precision": precision, "recall": recall, "f1": 2 * right / max(guessed + there, 1)}


args = TrainingArguments(
    output_dir="groceries",
    learning_rate=4e-3,
    weight_decay=0.01,
    warmup_ratio=0.1,
    num_train_epochs=7,
    per_device_train_batch_size=32,
    per_device_eval_batch_size=64,
    eval_strategy="epoch",
    logging_strategy="epoch",
    save_strategy="no",
    report_to="none",
    seed=SEED,
)
trainer = TagTrainer(
    model=model,
    args=args,
    train_dataset=train_ds,
    eval_dataset=test_ds,
    data_collator=DataCollatorForTokenClassification(tokenizer),
    compute_metrics=compute_metrics,
    processing_class=tokenizer,
)
trainer.train()
scores = trainer.evaluate()
print({name: round(scores[f"eval_{name}"], 4) for name in ("precision", "recall", "f1")})
