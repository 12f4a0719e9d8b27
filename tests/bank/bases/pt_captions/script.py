# Live captions come out of the speech recogniser without a single comma. This puts the marks back:
# for every word, is it followed by nothing, a comma, a full stop or a question mark?
#
#   well i think the train leaves at nine do you have the tickets
#   well, i think the train leaves at nine. do you have the tickets?

import argparse
import random

import numpy as np
import torch
import torch.nn.functional as F
from datasets import Dataset
from sklearn.metrics import f1_score
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from tokenizers.trainers import BpeTrainer
from transformers import (
    BertConfig,
    BertForTokenClassification,
    DataCollatorForTokenClassification,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

MARKS = ["", ",", ".", "?"]
NONE, COMMA, STOP, QUESTION = range(4)

PEOPLE = ["i", "you", "we", "they"]
NAMES = ["harriet", "oswaldo", "milena", "fitzgerald", "annika", "bartholomew", "ludovic"]
OPENERS = ["well", "yes", "no", "okay", "listen", "honestly"]
VERBS = ["thought", "knew", "believed", "remembered", "heard"]
THINGS = ["train", "ferry", "concert", "lighthouse", "passport", "microphone", "orchestra"]
DOES = ["leaves", "starts", "matters", "disappeared", "opens", "helps"]
WHEN = ["tonight", "tomorrow", "again", "at nine", "on sunday", "in november", "before breakfast"]
JOINTS = ["but", "so"]
ASKS = ["do you", "did they", "can we", "will you", "why did they", "when can we", "where will you"]
ACTS = ["find", "see", "bring", "sell", "paint", "forget"]


def clause(rng):
    words = [rng.choice(PEOPLE + NAMES), rng.choice(VERBS), "the", rng.choice(THINGS)]
    words.append(rng.choice(DOES))
    if rng.random() < 0.5:
        words += rng.choice(WHEN).split()
    return words


def sentence(rng):
    """Words and the mark after each, as the captioners of the archive wrote them."""
    words, marks = [], []  # not every captioner sets every comma

    def say(part, mark):
        words.extend(part)
        marks.extend([NONE] * (len(part) - 1) + [mark])

    start = rng.random()
    if start < 0.3:
        say([rng.choice(OPENERS)], COMMA if rng.random() < 0.7 else NONE)
    elif start < 0.4:
        say([rng.choice(NAMES)], COMMA)
    elif start < 0.5:
        say([rng.choice(JOINTS)], NONE)
    if rng.random() < 0.4:
        asked = [*rng.choice(ASKS).split(), rng.choice(ACTS), "the", rng.choice(THINGS)]
        if rng.random() < 0.4:
            asked += rng.choice(WHEN).split()
        say(asked, QUESTION)
    elif rng.random() < 0.4:
        say(clause(rng), COMMA if rng.random() < 0.6 else NONE)
        say([rng.choice(JOINTS), *clause(rng)], STOP)
    else:
        say(clause(rng), STOP)
    return words, marks


def make_captions(rng, how_many):
    rows, seen = [], set()
    while len(rows) < how_many:
        words, marks = [], []
        for _ in range(rng.randint(1, 2)):
            more_words, more_marks = sentence(rng)
            words += more_words
            marks += more_marks
        if tuple(words) not in seen:
            seen.add(tuple(words))
            rows.append({"words": words, "marks": marks})
    return rows


def build_tokenizer(rows):
    tok = Tokenizer(models.BPE(unk_token="[UNK]"))
    tok.normalizer = normalizers.Lowercase()
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    tok.train_from_iterator(
        (" ".join(row["words"]) for row in rows),
        BpeTrainer(vocab_size=215, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"]),
    )
    tok.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return PreTrainedTokenizerFast(
        tokenizer_object=tok,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    )


def on_last_piece(marks, word_ids):
    """The mark of a word stands on its last piece; the other pieces are not asked."""
    labels = [-100] * len(word_ids)
    for position, word in enumerate(word_ids[:-1]):
        if word is not None and word_ids[position + 1] != word:
            labels[position] = marks[word]
    return labels


def make_dataset(rows, tokenizer, max_length):
    def encode(batch):
        enc = tokenizer(
            batch["words"], is_split_into_words=True, truncation=True, max_length=max_length
        )
        enc["labels"] = [
            on_last_piece(marks, enc.word_ids(i)) for i, marks in enumerate(batch["marks"])
        ]
        return enc

    dataset = Dataset.from_list(rows)
    return dataset.map(encode, batched=True, remove_columns=dataset.column_names)


class MarkTrainer(Trainer):
    """Most words are followed by nothing, so the marks weigh more."""

    weights = torch.tensor([1.0, 2.0, 2.0, 2.0])

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        logits = outputs.logits
        weights = self.weights.to(logits.device)
        loss = F.cross_entropy(logits.view(-1, len(MARKS)), labels.view(-1), weight=weights)
        return (loss, outputs) if return_outputs else loss


def score_marks(prediction):
    said, meant = np.argmax(prediction.predictions, axis=-1), prediction.label_ids
    asked = meant != -100
    marks = [COMMA, STOP, QUESTION]
    return {"f1": f1_score(meant[asked], said[asked], labels=marks, average="micro")}


def main():
    parser = argparse.ArgumentParser(description="Put punctuation back into live captions.")
    parser.add_argument("--captions", type=int, default=2000)
    parser.add_argument("--max-length", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=7)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=12)
    opt = parser.parse_args()

    set_seed(opt.seed)
    rows = make_captions(random.Random(opt.seed), opt.captions)
    cut = int(0.8 * len(rows))
    tokenizer = build_tokenizer(rows[:cut])
    train_set = make_dataset(rows[:cut], tokenizer, opt.max_length)
    eval_set = make_dataset(rows[cut:], tokenizer, opt.max_length)

    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=64,
        pad_token_id=tokenizer.pad_token_id,
        id2label=dict(enumerate(MARKS)),
        label2id={mark: i for i, mark in enumerate(MARKS)},
    )
    model = BertForTokenClassification(config)

    training_args = TrainingArguments(
        output_dir="caption-marks",
        learning_rate=opt.lr,
        num_train_epochs=opt.epochs,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=100,
        warmup_ratio=0.1,
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=25,
        report_to="none",
        seed=opt.seed,
    )
    trainer = MarkTrainer(
        model=model,
        args=training_args,
        train_dataset=train_set,
        eval_dataset=eval_set,
        data_collator=DataCollatorForTokenClassification(tokenizer),
        processing_class=tokenizer,
        compute_metrics=score_marks,
    )
    trainer.train()
    print({"f1": round(trainer.evaluate()["eval_f1"], 4)})


if __name__ == "__main__":
    main()
