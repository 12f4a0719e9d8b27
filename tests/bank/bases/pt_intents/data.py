import random

import torch
from torch.utils.data import Dataset

TEMPLATES = {
    "greet": ["hello there", "good morning to you", "hi how are you", "hey good evening"],
    "weather": ["will it rain {day}", "how cold is it {day}", "is there snow {day}", "what is the forecast for {day}"],
    "alarm": ["wake me up at {hour}", "set an alarm for {hour}", "ring the bell at {hour}", "remind me at {hour}"],
    "music": ["play some {kind}", "put on my {kind} list", "i want to hear {kind}", "turn up the {kind}"],
    "bye": ["see you later", "goodbye then", "talk to you {day}", "bye for now"],
}
DAYS = ["today", "tomorrow", "on monday", "on sunday", "next week"]
HOURS = ["six", "seven", "eight", "noon", "ten"]
KINDS = ["jazz", "rock", "piano", "blues", "folk"]
POLITE = ["please", "thanks", "if you can", "right now", ""]
NAMES = ["robot", "computer", "jarvis", "hal", "friend", "buddy", "assistant", "house", "dear", "look"]
INTENTS = sorted(TEMPLATES)


def load_rows(train_size, eval_size, seed=1):
    """Rows to train on and others to evaluate on, no text twice."""
    rng = random.Random(seed)
    rows = {}
    while len(rows) < train_size + eval_size:
        intent = rng.choice(INTENTS)
        text = rng.choice(TEMPLATES[intent])
        text = text.format(day=rng.choice(DAYS), hour=rng.choice(HOURS), kind=rng.choice(KINDS))
        text = f"{rng.choice(NAMES)} {text} {rng.choice(POLITE)}".strip()
        rows[text] = INTENTS.index(intent)
    rows = list(rows.items())
    return rows[:train_size], rows[train_size:]


class IntentDataset(Dataset):
    def __init__(self, rows, tokenizer, max_length):
        texts = [text for text, _ in rows]
        self.labels = [label for _, label in rows]
        self.encodings = tokenizer(texts, truncation=True, padding=True, max_length=max_length)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, idx):
        item = {key: torch.tensor(val[idx]) for key, val in self.encodings.items()}
        item["labels"] = torch.tensor(self.labels[idx])
        return item
