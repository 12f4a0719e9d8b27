# Part 3 of our series: a language model that speaks "weather forecast".
# We train a byte-level tokenizer, glue all forecasts together, cut them into chunks
# of equal length, and let a small RoBERTa fill in the words that we hide.
import math
import random

import torch
from datasets import Dataset, DatasetDict
from masking import WholeWordMasker
from tokenizers import ByteLevelBPETokenizer
from torch.optim import AdamW
from transformers import PreTrainedTokenizerFast, RobertaConfig, RobertaForMaskedLM, Trainer, TrainingArguments
from transformers import get_linear_schedule_with_warmup, set_seed

SEED = 21
EPOCHS = 20
BATCH_SIZE = 16
CHUNK_SIZE = 24
set_seed(SEED)

# ---------------------------------------------------------------- 1. the forecasts
SKIES = {
    "sunny": ("a light breeze from the south", "sunglasses"),
    "rainy": ("gusty winds from the west", "an umbrella"),
    "snowy": ("icy winds from the north", "warm boots"),
    "foggy": ("no wind at all", "your headlights"),
    "stormy": ("a gale from the coast", "nobody outside"),
}
TOWNS = {"Bergen": "Norway", "Porto": "Portugal", "Graz": "Austria", "Turku": "Finland", "Ghent": "Belgium", "Nantes": "France"}
DAYS = {"Monday": "Tuesday", "Wednesday": "Thursday", "Friday": "Saturday"}


def forecast(rng):
    town, day, sky = rng.choice(list(TOWNS)), rng.choice(list(DAYS)), rng.choice(list(SKIES))
    wind, advice = SKIES[sky]
    return (
        f"Good morning from {town} in {TOWNS[town]}. It will be {sky} on {day} and {sky} on {DAYS[day]}, "
        f"with {wind}. You will need {advice}."
    )


rng = random.Random(SEED)
raw = DatasetDict(
    {
        "train": Dataset.from_dict({"forecast": [forecast(rng) for _ in range(800)]}),
        "validation": Dataset.from_dict({"forecast": [forecast(rng) for _ in range(160)]}),
    }
)

# ---------------------------------------------------------------- 2. the tokenizer
bpe = ByteLevelBPETokenizer()
bpe.train_from_iterator(
    raw["train"]["forecast"][:], vocab_size=600, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"], show_progress=False
)
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=bpe._tokenizer, bos_token="<s>", pad_token="<pad>", eos_token="</s>", unk_token="<unk>", mask_token="<mask>"
)


# ---------------------------------------------------------------- 3. chunks
def encode(examples):
    result = tokenizer(examples["forecast"], return_token_type_ids=False)
    result["word_ids"] = [result.word_ids(i) for i in range(len(result["input_ids"]))]
    return result


def group_texts(examples):
    joined = {name: sum(rows, []) for name, rows in examples.items()}
    usable = len(joined["input_ids"]) // CHUNK_SIZE * CHUNK_SIZE
    chunks = {name: [row[i : i + CHUNK_SIZE] for i in range(0, usable, CHUNK_SIZE)] for name, row in joined.items()}
    chunks["labels"] = chunks["input_ids"].copy()
    return chunks


encoded = raw.map(encode, batched=True, remove_columns=["forecast"])
chunked = encoded.map(group_texts, batched=True, batch_size=200)
print(f"{len(chunked['train'])} chunks for training, {len(chunked['validation'])} for validation")

# ---------------------------------------------------------------- 4. the model
config = RobertaConfig(
    vocab_size=len(tokenizer),
    hidden_size=64,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=128,
    max_position_embeddings=CHUNK_SIZE + 2,
    type_vocab_size=1,
    initializer_range=0.08,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
    bos_token_id=tokenizer.bos_token_id,
    pad_token_id=tokenizer.pad_token_id,
    eos_token_id=tokenizer.eos_token_id,
)
model = RobertaForMaskedLM(config)
print(f"{model.num_parameters():,} parameters")

# ---------------------------------------------------------------- 5. training
steps_per_epoch = math.ceil(len(chunked["train"]) / BATCH_SIZE)
optimizer = AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
scheduler = get_linear_schedule_with_warmup(
    optimizer, num_warmup_steps=20, num_training_steps=steps_per_epoch * EPOCHS
)

training_args = TrainingArguments(
    output_dir="roberta-forecasts",
    num_train_epochs=EPOCHS,
    per_device_train_batch_size=BATCH_SIZE,
    per_device_eval_batch_size=32,
    eval_strategy="epoch",
    save_strategy="no",
    logging_steps=50,
    remove_unused_columns=False,
    report_to=[],
    seed=SEED,
)
trainer = Trainer(
    model=model,
    args=training_args,
    data_collator=WholeWordMasker(tokenizer, seed=SEED),
    train_dataset=chunked["train"],
    eval_dataset=chunked["validation"],
    optimizers=(optimizer, scheduler),
)

before = trainer.evaluate()
print(f"Perplexity before: {math.exp(before['eval_loss']):.2f}")
trainer.train()
after = trainer.evaluate()
perplexity = math.exp(after["eval_loss"])
print(f"Perplexity after: {perplexity:.2f}")
print({"perplexity": perplexity})

# ---------------------------------------------------------------- 6. does it work?
model.eval()
ids = tokenizer("It will be foggy on Friday and<mask> on Saturday, with no wind at all.", return_tensors="pt", return_token_type_ids=False)
with torch.no_grad():
    scores = model(**ids).logits[0]
place = (ids["input_ids"][0] == tokenizer.mask_token_id).nonzero()[0, 0]
print([tokenizer.decode(token) for token in scores[place].topk(3).indices])
