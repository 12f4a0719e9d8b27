"""Route support tickets to a team."""
import random

import numpy as np
import torch
from datasets import Dataset
from scenarios.assets import CHECKPOINT
from transformers import AutoTokenizer, DataCollatorWithPadding, Trainer, TrainingArguments
from transformers import get_linear_schedule_with_warmup, set_seed

from model import TicketClassifier, count_trainable, param_groups

TEAMS = {
    "billing": ["I was charged twice", "my invoice is wrong", "please refund the payment", "the receipt is missing"],
    "login": ["I forgot my password", "my account is locked", "the code never arrives", "I cannot sign in"],
    "delivery": ["my parcel is late", "the courier lost it", "it came to the wrong address", "the box was empty"],
}
POLITE = ["Hello,", "Dear team,", "Hi there,", "Good evening,", "Hey,", "To whom it may concern,", "Hi,", "Good morning,"]
CLOSE = ["thank you", "please help", "this is urgent", "best regards", "I am waiting", "as I said before", "any news?", "see below"]
EPOCHS, BATCH, LR, HEAD_LR = 2, 16, 1e-4, 1e-3

set_seed(23)
random.seed(23)


def tickets(n):
    names = list(TEAMS)
    out = {}
    while len(out) < n:
        team = random.choice(names)
        text = f"{random.choice(POLITE)} {random.choice(TEAMS[team])}, {random.choice(CLOSE)}"
        out[text] = {"text": text, "label": names.index(team)}
    return Dataset.from_list(list(out.values()))


tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
columns = ["input_ids", "attention_mask", "label"]
all_tickets = tickets(330)
train_data = all_tickets.select(range(240)).map(lambda r: tokenizer(r["text"]), remove_columns=["text"]).select_columns(columns)
eval_data = all_tickets.select(range(240, 330)).map(lambda r: tokenizer(r["text"]), remove_columns=["text"]).select_columns(columns)

model = TicketClassifier(CHECKPOINT, num_labels=len(TEAMS))
for parameter in model.encoder.embeddings.parameters():
    parameter.requires_grad = False
print("trainable:", count_trainable(model))

total_steps = len(train_data) // BATCH * EPOCHS
optimizer = torch.optim.AdamW(param_groups(model, LR, HEAD_LR, 0.01))
scheduler = get_linear_schedule_with_warmup(optimizer, num_warmup_steps=3, num_training_steps=total_steps)


def accuracy(p):
    return {"accuracy": float((np.argmax(p.predictions, axis=-1) == p.label_ids).mean())}


trainer = Trainer(
    model=model,
    args=TrainingArguments(
        output_dir="tickets",
        num_train_epochs=EPOCHS,
        per_device_train_batch_size=BATCH,
        per_device_eval_batch_size=45,
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=4,
        max_grad_norm=1.0,
        report_to="none",
    ),
    train_dataset=train_data,
    eval_dataset=eval_data,
    data_collator=DataCollatorWithPadding(tokenizer),
    compute_metrics=accuracy,
    optimizers=(optimizer, scheduler),
)
trainer.train()
print(trainer.evaluate())
