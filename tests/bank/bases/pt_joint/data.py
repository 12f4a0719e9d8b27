import random

import torch
from torch.utils.data import Dataset

INTENTS = ["book", "cancel", "ask"]
SLOTS = ["O", "B-PLACE", "I-PLACE", "B-TIME", "B-GUESTS"]
FRAMES = {
    "book": ["book a table at {place} for {guests} at {time}", "please reserve {place} at {time}",
             "we are {guests} and want to eat at {place}"],
    "cancel": ["cancel my table at {place}", "we will not come to {place} at {time} after all",
               "drop the {time} reservation for {guests}"],
    "ask": ["is {place} open at {time}", "does {place} have room for {guests}", "how far is {place}"],
}
PLACES = ["Bella Napoli", "Sakura", "Zum Anker", "Chez Odile", "Tandoor", "El Rincon", "Harbourview", "Noma"]
TIMES = ["noon", "seven", "eight", "midnight", "half-past-six", "nine"]
GUESTS = ["two", "three", "four", "five", "a-dozen"]


def fill(frame, rng):
    words, slots = [], []
    for piece in frame.split():
        if piece == "{place}":
            place = rng.choice(PLACES).split()
            words += place
            slots += ["B-PLACE"] + ["I-PLACE"] * (len(place) - 1)
        elif piece in ("{time}", "{guests}"):
            words.append(rng.choice(TIMES if piece == "{time}" else GUESTS))
            slots.append("B-TIME" if piece == "{time}" else "B-GUESTS")
        else:
            words.append(piece)
            slots.append("O")
    return words, slots


def commands(size, seed):
    rng = random.Random(seed)
    rows = {}
    while len(rows) < size:
        intent = rng.choice(INTENTS)
        words, slots = fill(rng.choice(FRAMES[intent]), rng)
        if rng.random() < 0.5:
            words, slots = [rng.choice(["hi", "hello", "hey", "ok", "well"]), *words], ["O", *slots]
        rows[" ".join(words)] = (words, slots, intent)
    return list(rows.values())


class CommandDataset(Dataset):
    def __init__(self, rows, tokenizer, max_length=32):
        self.rows = rows
        self.tokenizer = tokenizer
        self.max_length = max_length

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        words, slots, intent = self.rows[index]
        encoding = self.tokenizer(
            words,
            is_split_into_words=True,
            truncation=True,
            padding="max_length",
            max_length=self.max_length,
        )
        slot_labels, previous = [], None
        for word_id in encoding.word_ids():
            if word_id is None or word_id == previous:
                slot_labels.append(-100)
            else:
                slot_labels.append(SLOTS.index(slots[word_id]))
            previous = word_id
        return {
            "input_ids": torch.tensor(encoding["input_ids"]),
            "attention_mask": torch.tensor(encoding["attention_mask"]),
            "intent_labels": torch.tensor(INTENTS.index(intent)),
            "slot_labels": torch.tensor(slot_labels),
        }
