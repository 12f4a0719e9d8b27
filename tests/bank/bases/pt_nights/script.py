# %% [markdown]
# Sleep stages from a wristband. The band writes one row a minute (movement, pulse, skin temperature),
# the sleep lab gave us the hypnogram of the same nights, one stage for every five minutes.
# Goal: a stage for every minute of a night that the lab never saw.

# %%
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.metrics import cohen_kappa_score
from transformers import Trainer, TrainingArguments, set_seed

set_seed(8)
rng = np.random.default_rng(8)

STAGES = ["wake", "light", "deep", "rem"]
CHANNELS = ["movement", "pulse", "skin"]

# %% [markdown]
# ### The nights
# (No real sleepers in this notebook, the real ones may not leave the lab.)

# %%
# from -> to, per five minutes; deep sleep belongs to the early night, REM to the late one
EARLY = np.array([[0.60, 0.40, 0.00, 0.00], [0.06, 0.60, 0.29, 0.05], [0.02, 0.16, 0.82, 0.00], [0.10, 0.30, 0.00, 0.60]])
LATE = np.array([[0.65, 0.32, 0.00, 0.03], [0.09, 0.62, 0.07, 0.22], [0.05, 0.45, 0.50, 0.00], [0.06, 0.14, 0.00, 0.80]])

MOVES = np.array([6.0, 1.0, 0.3, 0.6])  # counts a minute
BEATS = np.array([9.0, 2.0, -4.0, 3.0])  # above the sleeper's own mean
JITTER = np.array([3.0, 1.8, 1.0, 4.0])  # the pulse is restless in REM
WARMTH = np.array([-0.3, 0.1, 0.2, 0.0])


def a_night():
    blocks = int(rng.integers(60, 100))
    stage, hypnogram = 0, []
    for b in range(blocks):
        late = b / blocks
        p = (1 - late) * EARLY[stage] + late * LATE[stage]
        stage = int(rng.choice(4, p=p / p.sum()))
        hypnogram.append(stage)
    per_minute = np.repeat(hypnogram, 5)
    n = len(per_minute)
    drift = np.cumsum(rng.normal(0, 0.01, n))
    night = pd.DataFrame(
        {
            "movement": rng.poisson(MOVES[per_minute] * rng.uniform(0.6, 1.5)).astype(float),
            "pulse": rng.normal(60, 7) + BEATS[per_minute] + JITTER[per_minute] * rng.normal(0, 1, n),
            "skin": 33.5 + rng.normal(0, 0.5) + WARMTH[per_minute] + drift + rng.normal(0, 0.15, n),
        }
    )
    # now and then the band sits loose
    for _ in range(rng.integers(1, 4)):
        at = rng.integers(0, n - 10)
        night.loc[at : at + rng.integers(2, 9), ["pulse", "skin"]] = np.nan
    return night, hypnogram


nights = [a_night() for _ in range(260)]
print(len(nights), "nights,", sum(len(n) for n, _ in nights) // 60, "hours")
nights[0][0].describe()


# %% [markdown]
# ### Rows -> tensors
# Gaps are bridged, every sleeper is compared with himself only.

# %%
def features(night):
    night = night.interpolate(limit_direction="both")
    night = (night - night.mean()) / night.std()
    return torch.tensor(night[CHANNELS].to_numpy().T, dtype=torch.float32)  # (channels, minutes)


def targets(hypnogram):
    return torch.tensor(hypnogram).repeat_interleave(5)


data = [{"x": features(night), "labels": targets(hypnogram)} for night, hypnogram in nights]
train_data, valid_data, test_data = data[:180], data[180:215], data[215:]


def pad_nights(rows):
    longest = max(len(row["labels"]) for row in rows)
    x = torch.zeros(len(rows), len(CHANNELS), longest)
    labels = torch.full((len(rows), longest), -100)
    for i, row in enumerate(rows):
        n = len(row["labels"])
        x[i, :, :n] = row["x"]
        labels[i, :n] = row["labels"]
    return {"x": x, "labels": labels}


# wake is rare, and it is what the doctors ask for
counts = torch.bincount(torch.cat([row["labels"] for row in train_data]), minlength=4).float()
weights = counts.sum() / (4 * counts)
print(dict(zip(STAGES, weights.tolist())))

# %% [markdown]
# ### Net
# Dilated convolutions, so that a minute sees about an hour before and after it.


# %%
class Block(nn.Module):
    def __init__(self, width, dilation):
        super().__init__()
        self.conv = nn.Conv1d(width, width, 5, padding=2 * dilation, dilation=dilation)
        self.norm = nn.GroupNorm(4, width)
        self.drop = nn.Dropout(0.1)

    def forward(self, h):
        return h + self.drop(F.relu(self.norm(self.conv(h))))


class SleepNet(nn.Module):
    def __init__(self, weights, width=32, dilations=(1, 2, 4, 8, 16)):
        super().__init__()
        self.stem = nn.Conv1d(len(CHANNELS), width, 5, padding=2)
        self.blocks = nn.Sequential(*[Block(width, d) for d in dilations])
        self.head = nn.Linear(width, len(STAGES))
        self.register_buffer("weights", weights)

    def forward(self, x, labels=None):
        h = self.blocks(self.stem(x))
        logits = self.head(h.transpose(1, 2))  # (nights, minutes, stages)
        loss = None
        if labels is not None:
            loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), weight=self.weights)
        return {"loss": loss, "logits": logits}


# %%
def keep_stage_only(logits, labels):
    # four floats for each minute of each night are a lot to carry around
    return logits.argmax(dim=-1)


def compute_metrics(p):
    stage, gold = p.predictions, p.label_ids
    scored = gold != -100
    return {"kappa": cohen_kappa_score(gold[scored], stage[scored])}


args = TrainingArguments(
    output_dir="sleepnet",
    num_train_epochs=12,
    per_device_train_batch_size=8,
    per_device_eval_batch_size=16,
    learning_rate=6e-4,
    weight_decay=0.01,
    lr_scheduler_type="reduce_lr_on_plateau",
    lr_scheduler_kwargs={"mode": "max", "factor": 0.1, "patience": 1},
    metric_for_best_model="kappa",
    eval_strategy="epoch",
    save_strategy="no",
    logging_steps=23,
    report_to="none",
    seed=8,
)

trainer = Trainer(
    model=SleepNet(weights),
    args=args,
    train_dataset=train_data,
    eval_dataset=valid_data,
    data_collator=pad_nights,
    compute_metrics=compute_metrics,
    preprocess_logits_for_metrics=keep_stage_only,
)
trainer.train()

# %% [markdown]
# ### Nights that nobody looked at

# %%
last = trainer.predict(test_data)
print({"kappa": round(last.metrics["test_kappa"], 4)})
