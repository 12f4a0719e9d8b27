# Vet notes -> what was wrong with the herd. One visit often has several troubles, or none.
import random
from collections import Counter

import numpy as np
import pandas as pd
import tensorflow as tf
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MultiLabelBinarizer
from tensorflow import keras
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, PreTrainedTokenizerFast, TFBertForSequenceClassification

SEED = 7
EPOCHS = 7
BATCH_SIZE = 32
MAX_LENGTH = 64

random.seed(SEED)
keras.utils.set_random_seed(SEED)

# ---------------------------------------------------------------- notes
TROUBLES = {
    "lameness": ["limping", "swollen hock", "overgrown claws", "foot rot", "sole ulcer"],
    "mastitis": ["clots in milk", "hot quarter", "hard udder", "high cell count"],
    "calving": ["retained placenta", "breech calf", "long labour", "torn birth canal"],
    "digestion": ["bloat", "scours", "twisted stomach", "poor cudding", "acidosis"],
    "breathing": ["coughing", "runny nose", "fast breathing", "rattling lungs"],
    "parasites": ["lice", "lungworm eggs", "ticks", "liver fluke"],
}
WELL = {
    "lameness": ["all walking sound", "hooves trimmed last week"],
    "mastitis": ["milk is clean", "udder soft on both sides"],
    "calving": ["calf is up and drinking", "easy birth at night"],
    "digestion": ["rumen full and moving", "good appetite"],
    "breathing": ["lungs are clear", "nose dry and cool"],
    "parasites": ["coat is shiny", "egg count at zero"],
}
FOUND = ["{sign} in {who}", "{who} shows {sign}", "treated {who} for {sign}", "{who} with {sign}"]
WHO = ["two heifers", "the red cow", "a dry cow", "number {n}", "the young bull", "three calves"]
CHAT = ["visit on monday morning", "owner was away", "new straw in the barn", "rain all week"]


def typed(word):
    if random.random() > 0.04 or len(word) < 3:
        return word
    slip = random.randrange(len(word))
    return word[:slip] + word[slip + 1 :]


def one_visit():
    lines, wrong = [random.choice(CHAT)], set()
    for trouble in random.sample(sorted(TROUBLES), random.randint(1, 4)):
        ill = random.random() < 0.55
        if not ill:
            lines.append(random.choice(WELL[trouble]))
            continue
        who = random.choice(WHO).format(n=random.randint(1, 30))
        sign = random.choice(TROUBLES[trouble])
        lines.append(random.choice(FOUND).format(sign=sign, who=who))
        wrong.add(trouble)
    random.shuffle(lines)
    lines = [line.upper() if random.random() < 0.5 else line for line in lines]
    note = " ".join(typed(word) for word in " . ".join(lines).split())
    return {"note": note, "troubles": ", ".join(sorted(wrong))}


visits = pd.DataFrame([one_visit() for _ in range(2400)]).drop_duplicates("note")
binarizer = MultiLabelBinarizer()
labels = binarizer.fit_transform(visits["troubles"].map(lambda t: t.split(", ") if t else []))
labels = labels.astype("float32")

train_notes, test_notes, y_train, y_test = train_test_split(
    visits["note"].tolist(), labels, test_size=0.2, random_state=SEED
)

# ---------------------------------------------------------------- tokenizer
counts = Counter(word for note in train_notes for word in note.lower().split())
vocab = {word: i for i, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])}
for word, count in counts.most_common():
    if count >= 2:
        vocab[word] = len(vocab)

word_level = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
word_level.normalizer = normalizers.Lowercase()
word_level.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
word_level.post_processor = processors.TemplateProcessing(
    single="[CLS] $A [SEP]",
    special_tokens=[("[CLS]", vocab["[CLS]"]), ("[SEP]", vocab["[SEP]"])],
)
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=word_level,
    pad_token="[PAD]",
    unk_token="[UNK]",
    cls_token="[CLS]",
    sep_token="[SEP]",
)


def encode(notes):
    enc = tokenizer(
        notes, padding=True, truncation=True, max_length=MAX_LENGTH, return_tensors="np"
    )
    return {"input_ids": enc["input_ids"], "attention_mask": enc["attention_mask"]}


x_train, x_test = encode(train_notes), encode(test_notes)

# ---------------------------------------------------------------- model
config = BertConfig(
    vocab_size=len(vocab),
    hidden_size=64,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=128,
    max_position_embeddings=MAX_LENGTH,
    initializer_range=0.1,
    pad_token_id=vocab["[PAD]"],
    num_labels=len(binarizer.classes_),
    problem_type="multi_label_classification",
)
model = TFBertForSequenceClassification(config)

steps = EPOCHS * int(np.ceil(len(y_train) / BATCH_SIZE))
schedule = keras.optimizers.schedules.PolynomialDecay(
    initial_learning_rate=1e-3, decay_steps=steps, end_learning_rate=0.0
)
model.compile(
    optimizer=keras.optimizers.Adam(learning_rate=schedule),
    loss=keras.losses.BinaryCrossentropy(from_logits=True),
)
model.fit(x_train, y_train, batch_size=BATCH_SIZE, epochs=EPOCHS, verbose=2)

# ---------------------------------------------------------------- how good
logits = model.predict(x_test, batch_size=128, verbose=0).logits
y_pred = (tf.nn.sigmoid(logits).numpy() > 0.5).astype(int)
print("troubles per visit:", y_test.sum(axis=1).mean(), "predicted:", y_pred.sum(axis=1).mean())
print({"f1": f1_score(y_test, y_pred, average="micro", zero_division=0)})
