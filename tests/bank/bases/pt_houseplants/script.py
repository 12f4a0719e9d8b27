"""What is wrong with my plant? Sorts (made-up) letters to a garden programme by what ails it."""

import random

import numpy as np
import pandas as pd
from datasets import Dataset
from sklearn.metrics import accuracy_score, f1_score
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from torch import nn
from transformers import (
    BertConfig,
    BertModel,
    DataCollatorWithPadding,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

SEED = 12
MAX_LENGTH = 64
set_seed(SEED)

AILMENTS = ["too wet", "too dry", "pests", "too dark", "sunburn"]
SIGNS = {
    "too wet": [
        "the soil smells musty",
        "water stands in the saucer",
        "the stem has gone soft and brown",
        "mould grows on the earth",
    ],
    "too dry": [
        "the tips of the leaves are crisp",
        "the earth has come away from the pot",
        "the pot weighs nothing at all",
        "the leaves curl up and rustle",
    ],
    "pests": [
        "there is a fine web between the leaves",
        "small black flies come out of the pot",
        "the leaves are sticky underneath",
        "white woolly dots sit on the stem",
    ],
    "too dark": [
        "the new shoots are long and pale",
        "it leans over to the window",
        "it has not grown since the move to the hall",
        "the gaps from leaf to leaf get longer",
    ],
    "sunburn": [
        "there are bleached patches on the upper side",
        "the side that faces the glass turned silver",
        "the spots came the week we put it on the balcony",
        "it went pale after the first hot days",
    ],
}
PLANTS = ["monstera", "fern", "orchid", "rubber tree", "ivy", "palm", "begonia", "fig"]
OPENINGS = ["Dear team,", "Hello,", "Good morning!", "Hello from Leeds,", "Dear Mrs Hart,"]
STORIES = [
    "I was given my {} by my aunt",
    "we have had our {} for three years",
    "I bought a {} in spring",
    "the {} in our office worries me",
    "a {} stands on my desk",
]
SHARED = [
    "some leaves have turned yellow",
    "it drops leaves every day",
    "I water it once a week",
    "I gave it fresh earth in May",
    "it looks rather sad",
]
ENDINGS = ["What can I do?", "Can it be saved?", "Many thanks!", "Please help.", "Any ideas?"]


def letter(rng, ailment):
    told = rng.sample(SIGNS[ailment], 2) + rng.sample(SHARED, rng.randint(1, 3))
    rng.shuffle(told)
    if rng.random() < 0.25:
        other = rng.choice([a for a in AILMENTS if a != ailment])
        told.insert(rng.randrange(len(told)), "it is not that " + rng.choice(SIGNS[other]))
    story = rng.choice(STORIES).format(rng.choice(PLANTS))
    sentences = [story, *told]
    body = ". ".join(s[0].upper() + s[1:] for s in sentences)
    return f"{rng.choice(OPENINGS)} {body}. {rng.choice(ENDINGS)}"


def read_post(n):
    rng = random.Random(SEED)
    ailments = [rng.choice(AILMENTS) for _ in range(n)]
    return pd.DataFrame({"letter": [letter(rng, a) for a in ailments], "ailment": ailments})


def with_labels(frame):
    return frame.assign(label=frame["ailment"].map(AILMENTS.index))


post = read_post(1300)
train_df, test_df = with_labels(post.iloc[:1000]), with_labels(post.iloc[1000:])
print(train_df["ailment"].value_counts())

wordpiece = Tokenizer(models.WordPiece(unk_token="[UNK]"))
wordpiece.normalizer = normalizers.BertNormalizer(lowercase=True)
wordpiece.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
wordpiece.train_from_iterator(
    train_df["letter"].tolist(),
    trainers.WordPieceTrainer(
        vocab_size=500, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"], show_progress=False
    ),
)
wordpiece.post_processor = processors.BertProcessing(
    ("[SEP]", wordpiece.token_to_id("[SEP]")), ("[CLS]", wordpiece.token_to_id("[CLS]"))
)
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=wordpiece,
    unk_token="[UNK]",
    pad_token="[PAD]",
    cls_token="[CLS]",
    sep_token="[SEP]",
)


def tokenize(batch):
    return tokenizer(batch["letter"], truncation=True, max_length=MAX_LENGTH)


def to_dataset(frame):
    dataset = Dataset.from_pandas(frame, preserve_index=False)
    return dataset.map(tokenize, batched=True, remove_columns=["letter", "ailment"])


train_dataset, test_dataset = to_dataset(train_df), to_dataset(test_df)


class PlantDoctor(nn.Module):
    def __init__(self, config, n_ailments):
        super().__init__()
        self.bert = BertModel(config, add_pooling_layer=False)
        self.dropout = nn.Dropout(0.1)
        self.classifier = nn.Linear(config.hidden_size, n_ailments)
        self.loss_fn = nn.CrossEntropyLoss()

    def forward(self, input_ids, attention_mask=None, labels=None):
        hidden = self.bert(input_ids, attention_mask=attention_mask).last_hidden_state
        logits = self.classifier(self.dropout(hidden[:, 0]))
        if labels is None:
            return {"logits": logits}
        return {"loss": self.loss_fn(logits, labels), "logits": logits}


config = BertConfig(
    vocab_size=len(tokenizer),
    hidden_size=48,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=96,
    max_position_embeddings=MAX_LENGTH,
    pad_token_id=tokenizer.pad_token_id,
)
model = PlantDoctor(config, len(AILMENTS))


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    predictions = np.argmax(logits, axis=-1)
    return {
        "accuracy": accuracy_score(labels, predictions),
        "f1": f1_score(labels, predictions, average="macro"),
    }


training_args = TrainingArguments(
    output_dir="houseplants",
    num_train_epochs=5,
    per_device_train_batch_size=32,
    per_device_eval_batch_size=100,
    learning_rate=2e-3,
    weight_decay=0.01,
    warmup_ratio=0.1,
    eval_strategy="epoch",
    save_strategy="no",
    logging_steps=20,
    report_to="none",
    seed=SEED,
)

trainer = Trainer(
    model=model,
    args=training_args,
    train_dataset=train_dataset,
    eval_dataset=test_dataset,
    data_collator=DataCollatorWithPadding(tokenizer),
    compute_metrics=compute_metrics,
)
trainer.train()

scores = trainer.evaluate()
print({"accuracy": round(scores["eval_accuracy"], 4), "f1": round(scores["eval_f1"], 4)})
