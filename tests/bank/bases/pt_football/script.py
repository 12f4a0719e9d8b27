# Live ticker of football matches: find who scored, who passed, who was booked, for which club.
import random

from datasets import Dataset
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    BertForTokenClassification,
    DataCollatorForTokenClassification,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

SEED = 1966
set_seed(SEED)
rnd = random.Random(SEED)

# ---------------------------------------------------------------- data

FIRST = """Adam Ben Callum Danny Eric Finn George Harry Ivan Jamie Kieran Luke Marco Noah Oscar
Pedro Quinn Ryan Sam Tom Victor Will""".split()
LAST = """O'Brien O'Neill Abbott Barker Costa Dunne Evans Ferrari Garcia Hughes Ito Jensen Keane
Lopez Moreau Nolan Okafor Petrov Reid Santos Turner Ueda Vidal Walsh Young Zeller Preston Burton
Lincoln Bolton Derby Stafford Wells Chester""".split()
TOWNS = """Preston Burton Lincoln Bolton Derby Stafford Wells Chester Ashford Blackmoor Crewe Dover
Exford Grimsby Hartwell Ipsden Kettering Luton Morley Northwick""".split()
SUFFIX = ["City", "United", "Rovers", "Town"]

EVENTS = [
    "<SCORER> puts <CLUB> ahead after a pass from <ASSIST> .",
    "<ASSIST> finds <SCORER> , who makes no mistake .",
    "GOAL ! <SCORER> scores , set up by <ASSIST> .",
    "What a ball by <ASSIST> - <SCORER> taps in for <CLUB> .",
    "<SCORER> heads in the corner of <ASSIST> !",
    "The corner of <ASSIST> is headed in by <SCORER> !",
    "Yellow card for <BOOKED> ( <CLUB> ) after a foul on <PLAYER> .",
    "<PLAYER> is brought down by <BOOKED> , who goes into the book .",
    "<BOOKED> brings down <PLAYER> and sees yellow .",
    "A chance for <PLAYER> after the free kick !",
    "A chance for <CLUB> after the free kick !",
    "Good pressure from <CLUB> at the moment .",
    "Good pressure from <PLAYER> at the moment .",
    "Corner for <CLUB> , nothing comes of it .",
    "<PLAYER> comes on for <PLAYER> at <CLUB> .",
]


def mention(kind):
    if kind == "CLUB":
        return [rnd.choice(TOWNS)] + ([rnd.choice(SUFFIX)] if rnd.random() < 0.4 else [])
    return ([rnd.choice(FIRST)] if rnd.random() < 0.5 else []) + [rnd.choice(LAST)]


def ticker_line():
    minute = rnd.randint(1, 90)
    stoppage = f"+{rnd.randint(1, 6)}" if minute in (45, 90) or rnd.random() < 0.1 else ""
    words, tags = [f"{minute}{stoppage}'"], ["B-MINUTE"]
    for event in rnd.sample(EVENTS, rnd.choice([1, 1, 2])):
        for piece in event.split():
            if piece.startswith("<"):
                kind = piece.strip("<>")
                named = mention(kind)
                words += named
                tags += [f"B-{kind}"] + [f"I-{kind}"] * (len(named) - 1)
            else:
                words.append(piece)
                tags.append("O")
    return {"words": words, "tags": tags}


lines = [ticker_line() for _ in range(2000)]
train_lines, dev_lines, test_lines = lines[:1400], lines[1400:1600], lines[1600:]

tag_names = sorted({tag for line in train_lines for tag in line["tags"]})
tag2id = {tag: i for i, tag in enumerate(tag_names)}

# ---------------------------------------------------------------- tokenizer

wordlevel = Tokenizer(models.WordLevel(unk_token="[UNK]"))
wordlevel.normalizer = normalizers.Lowercase()
wordlevel.pre_tokenizer = pre_tokenizers.Whitespace()
wordlevel.train_from_iterator(
    (" ".join(line["words"]) for line in train_lines),
    trainers.WordLevelTrainer(special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"], min_frequency=2),
)
wordlevel.post_processor = processors.TemplateProcessing(
    single="[CLS] $A [SEP]",
    special_tokens=[(t, wordlevel.token_to_id(t)) for t in ("[CLS]", "[SEP]")],
)
tok = PreTrainedTokenizerFast(
    tokenizer_object=wordlevel,
    pad_token="[PAD]",
    unk_token="[UNK]",
    cls_token="[CLS]",
    sep_token="[SEP]",
)


def encode(batch):
    enc = tok(batch["words"], is_split_into_words=True, truncation=True, max_length=64)
    all_labels = []
    for i, tags in enumerate(batch["tags"]):
        labels, last = [], None
        for word in enc.word_ids(batch_index=i):
            # specials and the later pieces of a word do not count
            labels.append(-100 if word is None or word == last else tag2id[tags[word]])
            last = word
        all_labels.append(labels)
    enc["labels"] = all_labels
    return enc


train_ds, dev_ds, test_ds = (
    Dataset.from_list(part).map(encode, batched=True, remove_columns=["words", "tags"])
    for part in (train_lines, dev_lines, test_lines)
)

# ---------------------------------------------------------------- metric


def spans(tags):
    found, start = set(), None
    for i, tag in enumerate([*tags, "O"]):
        if start is not None and tag != f"I-{tags[start][2:]}":
            found.add((tags[start][2:], start, i))
            start = None
        if tag.startswith("B-"):
            start = i
    return found


def compute_metrics(p):
    preds = p.predictions.argmax(axis=-1)
    hits = guessed = wanted = 0
    for pred_row, gold_row in zip(preds, p.label_ids):
        keep = gold_row != -100
        pred_spans = spans([tag_names[t] for t in pred_row[keep]])
        gold_spans = spans([tag_names[t] for t in gold_row[keep]])
        hits += len(pred_spans & gold_spans)
        guessed += len(pred_spans)
        wanted += len(gold_spans)
    return {
        "precision": hits / max(guessed, 1),
        "recall": hits / max(wanted, 1),
        "f1": 2 * hits / max(guessed + wanted, 1),
    }


# ---------------------------------------------------------------- model and training

config = BertConfig(
    vocab_size=len(tok),
    hidden_size=64,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=128,
    max_position_embeddings=64,
    pad_token_id=tok.pad_token_id,
    num_labels=len(tag_names),
)
model = BertForTokenClassification(config)

args = TrainingArguments(
    output_dir="ticker",
    num_train_epochs=7,
    learning_rate=2e-3,
    warmup_ratio=0.1,
    weight_decay=0.01,
    per_device_train_batch_size=16,
    per_device_eval_batch_size=64,
    eval_strategy="epoch",
    logging_strategy="epoch",
    save_strategy="no",
    report_to="none",
    seed=SEED,
)
trainer = Trainer(
    model=model,
    args=args,
    train_dataset=train_ds,
    eval_dataset=dev_ds,
    data_collator=DataCollatorForTokenClassification(tok),
    processing_class=tok,
    compute_metrics=compute_metrics,
)
trainer.train()

result = trainer.evaluate(test_ds, metric_key_prefix="test")
print({"f1": round(result["test_f1"], 4)})
