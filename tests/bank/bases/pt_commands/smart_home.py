"""What people say to their house, and what the house should do."""
import random
import re

ROOMS = ["kitchen", "bedroom", "bathroom", "office", "garage", "hallway", "attic"]
DEVICES = {"lamp": "light", "ceiling light": "light", "heating": "heater", "radiator": "heater", "radio": "speaker",
           "music": "speaker", "blinds": "shutter", "curtains": "shutter", "fan": "fan"}
VERBS = {"turn on": "ON", "switch on": "ON", "start": "ON", "turn off": "OFF", "switch off": "OFF", "stop": "OFF"}
NUMBERS = {"five": "5", "ten": "10", "fifteen": "15", "twenty": "20", "thirty": "30"}
POLITE = ["please", "could you", "hey house", "i want you to", ""]


def utterance(rng):
    verb, device, room = rng.choice(list(VERBS)), rng.choice(list(DEVICES)), rng.choice(ROOMS)
    said = f"{rng.choice(POLITE)} {verb} the {device} in the {room}"
    action = f"{VERBS[verb]} {DEVICES[device]} @ {room}"
    kind = rng.random()
    if kind < 0.35:
        number = rng.choice(list(NUMBERS))
        said += f" in {number} minutes"
        action += f" wait {NUMBERS[number]}"
    elif kind < 0.7:
        number = rng.choice(list(NUMBERS))
        said += f" for {number} minutes"
        action += f" last {NUMBERS[number]}"
    return said.strip(), action


def as_transcribed(text, rng):
    """The recogniser writes capitals and full stops as it likes."""
    words = [word.capitalize() if rng.random() < 0.4 else word for word in text.split()]
    return " ".join(words) + rng.choice(["", ".", "!"])


def clean(text):
    return re.sub(r"[^a-z ]", "", text.lower()).strip()


def load(n_train, n_test, seed):
    rng = random.Random(seed)
    pairs = {}
    while len(pairs) < n_train + n_test:
        said, action = utterance(rng)
        pairs[said] = action
    rows = [(as_transcribed(said, rng), action) for said, action in pairs.items()]
    return rows[:n_train], rows[n_train:]
