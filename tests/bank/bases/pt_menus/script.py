"""Which allergens does a dish contain? Read from its line on the menu (several may apply)."""

import random

import numpy as np
import torch
from datasets import Dataset, DatasetDict
from sklearn.metrics import f1_score
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from torch import nn
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

SEED = 7
MAX_LENGTH = 32
ALLERGENS = ["gluten", "milk", "egg", "nuts", "fish"]

set_seed(SEED)
rng = random.Random(SEED)

INGREDIENTS = {
    "gluten": ["toasted brioche", "spelt noodles", "couscous", "sourdough crumbs", "bulgur"],
    "milk": ["brown butter", "aged cheddar", "sour cream", "ricotta", "mascarpone"],
    "egg": ["hollandaise", "poached yolk", "aioli", "meringue", "soft omelette"],
    "nuts": ["roasted walnuts", "almond praline", "pistachio", "hazelnut oil", "pecan crumble"],
    "fish": ["smoked trout", "anchovy", "seared tuna", "cod", "salmon roe"],
}
PLAIN = [
    "rice",
    "lentils",
    "grilled fennel",
    "beetroot",
    "pickled onion",
    "roast carrots",
    "kale",
    "sweet potato",
    "tomato salsa",
    "charred leek",
    "mushrooms",
    "lemon",
    "green beans",
    "pear",
    "plum compote",
    "black beans",
    "braised lamb",
    "chicken thigh",
    "pork belly",
    "coconut broth",
    "avocado",
    "chickpeas",
    "parsley",
    "mint",
]
# contains the word, and not the allergen
HARMLESS = ["oat cream", "vegan butter", "buckwheat noodles", "rice crumbs", "pumpkin seed praline"]
LINKS = ["with", "and", "on", "over", "topped with", "served with", "next to"]
OPENINGS = ["Our", "Warm", "Slow-cooked", "Today's", "Grandma's", "House", "Seasonal"]


def dish():
    chosen = [name for name in ALLERGENS if rng.random() < 0.28]
    parts = [rng.choice(INGREDIENTS[name]) for name in chosen]
    parts += rng.sample(PLAIN, rng.randint(2, 4))
    if rng.random() < 0.3:
        parts.append(rng.choice(HARMLESS))
    rng.shuffle(parts)
    line = f"{rng.choice(OPENINGS)} {parts[0]}"
    for part in parts[1:]:
        line += rng.choice([", ", f" {rng.choice(LINKS)} "]) + part
    # now and then the kitchen forgets a tick
    ticked = [name for name in chosen if rng.random() > 0.03]
    return {"text": line + ".", "allergens": ticked}


dishes = [dish() for _ in range(2000)]
raw = DatasetDict(
    train=Dataset.from_list(dishes[:1600]),
    test=Dataset.from_list(dishes[1600:]),
)

# --- a word-level tokenizer, learnt from the training menus only
words = Tokenizer(models.WordLevel(unk_token="[UNK]"))
words.normalizer = normalizers.Lowercase()
words.pre_tokenizer = pre_tokenizers.Whitespace()
words.train_from_iterator(
    raw["train"]["text"],
    trainers.WordLevelTrainer(special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"]),
)
words.post_processor = processors.TemplateProcessing(
    single="[CLS] $A [SEP]",
    special_tokens=[(token, words.token_to_id(token)) for token in ("[CLS]", "[SEP]")],
)
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=words,
    unk_token="[UNK]",
    pad_token="[PAD]",
    cls_token="[CLS]",
    sep_token="[SEP]",
)


def preprocess(batch):
    encoded = tokenizer(batch["text"], truncation=True, padding="max_length", max_length=MAX_LENGTH)
    encoded["labels"] = [
        [float(name in chosen) for name in ALLERGENS] for chosen in batch["allergens"]
    ]
    return encoded


data = raw.map(preprocess, batched=True, remove_columns=["text", "allergens"])

# --- model
config = BertConfig(
    vocab_size=len(tokenizer),
    hidden_size=48,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=96,
    max_position_embeddings=MAX_LENGTH,
    initializer_range=0.1,
    pad_token_id=tokenizer.pad_token_id,
    num_labels=len(ALLERGENS),
    problem_type="multi_label_classification",
    id2label=dict(enumerate(ALLERGENS)),
    label2id={name: i for i, name in enumerate(ALLERGENS)},
)
model = BertForSequenceClassification(config)

# an allergen that is missed is worse than one too many
share = torch.tensor(data["train"]["labels"]).float().mean(dim=0)
pos_weight = ((1 - share) / share).sqrt()


class AllergenTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss_fn = nn.BCEWithLogitsLoss(pos_weight=pos_weight.to(labels.device))
        loss = loss_fn(outputs.logits, labels)
        return (loss, outputs) if return_outputs else loss


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    probs = torch.sigmoid(torch.from_numpy(logits)).numpy()
    predicted = (probs > 0.5).astype(int)
    return {
        "f1": f1_score(labels.astype(int), predicted, average="macro", zero_division=0),
        "all_right": float(np.mean((predicted == labels).all(axis=1))),
    }


args = TrainingArguments(
    output_dir="menus",
    num_train_epochs=6,
    per_device_train_batch_size=32,
    per_device_eval_batch_size=100,
    learning_rate=3e-3,
    warmup_ratio=0.1,
    weight_decay=0.01,
    eval_strategy="epoch",
    logging_strategy="epoch",
    save_strategy="no",
    report_to="none",
    seed=SEED,
)
trainer = AllergenTrainer(
    model=model,
    args=args,
    train_dataset=data["train"],
    eval_dataset=data["test"],
    compute_metrics=compute_metrics,
)
trainer.train()
result = trainer.evaluate()
print({"f1": round(result["eval_f1"], 4), "all_right": round(result["eval_all_right"], 4)})
