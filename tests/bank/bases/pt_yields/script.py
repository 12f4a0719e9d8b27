# Wheat yield of a field (t/ha) from its weekly weather, its variety and what was done on it.
# Seasons are of different length (sowing date), so the weeks are padded per batch.
import math

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.preprocessing import StandardScaler
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import Dataset
from transformers import EarlyStoppingCallback, Trainer, TrainingArguments, set_seed

SEED = 2024
N_FIELDS = 1300
BATCH_SIZE = 32
EPOCHS = 16
VARIETIES = ["Apache", "Bernstein", "Chevignon", "Dekan", "Elixer", "Foxx"]
WEATHER = ["rain_mm", "temp_c", "sun_h", "ndvi"]

set_seed(SEED)


# ---------------------------------------------------------------- data
def make_season(rng):
    weeks = int(rng.integers(18, 27))
    t = np.arange(weeks)
    rain = rng.gamma(2.0, rng.uniform(4, 14), weeks)
    temp = 7 + 13 * t / weeks + rng.normal(0, 1.5) + rng.normal(0, 1.5, weeks)
    sun = np.clip(20 + 25 * t / weeks + rng.normal(0, 7, weeks), 2, None)
    wet = np.clip(rain[6:15].mean() / 18, 0, 1.6)
    heat = np.clip(temp[-6:] - 18, 0, None).mean()
    ndvi = 0.25 + 0.5 * np.exp(-((t - 0.7 * weeks) ** 2) / 40) * (0.5 + 0.4 * wet)
    return np.stack([rain, temp, sun, ndvi + rng.normal(0, 0.03, weeks)], 1), wet, heat


def make_tables():
    rng = np.random.default_rng(SEED)
    seasons, fields, harvest = {}, [], []
    potential = dict(zip(VARIETIES, [6.1, 7.9, 6.9, 5.6, 7.4, 8.3]))
    for i in range(N_FIELDS):
        field_id = f"F{i:04d}"
        weather, wet, heat = make_season(rng)
        variety = VARIETIES[rng.integers(len(VARIETIES))]
        nitrogen, soil, area = rng.uniform(60, 240), rng.uniform(25, 90), rng.uniform(2, 9)
        grain = potential[variety] + 2.6 * (wet - 0.8) - 0.75 * heat
        grain += 1.6 * (math.sqrt(nitrogen / 240) - 0.8) + 0.02 * (soil - 55) + rng.normal(0, 0.35)
        grain = max(grain, 0.5)
        seasons[field_id] = weather.astype(np.float32)
        fields.append(
            {
                "field_id": field_id,
                "year": int(rng.integers(2012, 2022)),
                "variety": variety,
                "nitrogen_kg": nitrogen,
                "soil_points": soil,
                "area_ha": area,
                "revenue_eur_ha": grain * rng.normal(190, 6),
            }
        )
        harvest.append({"field_id": field_id, "day": rng.integers(190, 240), "yield_t_ha": grain})
    harvest = pd.DataFrame(harvest).sort_values("day").reset_index(drop=True)
    return seasons, pd.DataFrame(fields), harvest


seasons, fields, harvest = make_tables()
table = fields.merge(harvest[["field_id", "yield_t_ha"]], on="field_id", how="inner")
table["variety_code"] = table["variety"].map({v: i for i, v in enumerate(VARIETIES)})

not_inputs = ["field_id", "year", "variety", "variety_code", "yield_t_ha", "revenue_eur_ha"]
STATIC = [c for c in table.columns if c not in not_inputs]

train_df = table[table.year <= 2018]
valid_df = table[table.year == 2019]
test_df = table[table.year >= 2020]

weather_scaler = StandardScaler().fit(np.concatenate([seasons[f] for f in train_df.field_id]))
static_scaler = StandardScaler().fit(train_df[STATIC].to_numpy())
yield_scaler = StandardScaler().fit(train_df[["yield_t_ha"]].to_numpy())


class FieldSeasons(Dataset):
    def __init__(self, df):
        self.weeks = [torch.from_numpy(weather_scaler.transform(seasons[f])).float() for f in df.field_id]
        self.static = torch.from_numpy(static_scaler.transform(df[STATIC].to_numpy())).float()
        self.variety = torch.tensor(df.variety_code.to_numpy())
        scaled = yield_scaler.transform(df[["yield_t_ha"]].to_numpy())
        self.target = torch.from_numpy(scaled).float().squeeze(1)

    def __len__(self):
        return len(self.weeks)

    def __getitem__(self, idx):
        return {
            "weeks": self.weeks[idx],
            "static": self.static[idx],
            "variety": self.variety[idx],
            "target": self.target[idx],
        }


def pad_weeks(samples):
    weeks = [s["weeks"] for s in samples]
    return {
        "weeks": pad_sequence(weeks, batch_first=True),
        "lengths": torch.tensor([len(w) for w in weeks]),
        "static": torch.stack([s["static"] for s in samples]),
        "variety": torch.stack([s["variety"] for s in samples]),
        "target": torch.stack([s["target"] for s in samples]),
    }


# ---------------------------------------------------------------- model
class YieldNet(nn.Module):
    def __init__(self, n_weather, n_static, n_varieties, hidden=48):
        super().__init__()
        self.gru = nn.GRU(n_weather, hidden, batch_first=True)
        self.variety = nn.Embedding(n_varieties, 8)
        self.head = nn.Sequential(
            nn.Linear(hidden + 8 + n_static, 64),
            nn.ReLU(),
            nn.Dropout(0.1),
            nn.Linear(64, 1),
        )
        self.loss_fn = nn.MSELoss()

    def forward(self, weeks, lengths, static, variety, target=None):
        packed = pack_padded_sequence(weeks, lengths.cpu(), batch_first=True, enforce_sorted=False)
        _, h = self.gru(packed)
        x = torch.cat([h[-1], self.variety(variety), static], dim=-1)
        pred = self.head(x).squeeze(-1)
        if target is None:
            return {"prediction": pred}
        return {"loss": self.loss_fn(pred, target), "prediction": pred}


def compute_metrics(p):
    predicted = yield_scaler.inverse_transform(p.predictions.reshape(-1, 1)).ravel()
    measured = yield_scaler.inverse_transform(p.label_ids.reshape(-1, 1)).ravel()
    error = predicted - measured
    return {"mae": float(np.abs(error).mean()), "bias": float(error.mean())}


# ---------------------------------------------------------------- training
train_ds, valid_ds, test_ds = FieldSeasons(train_df), FieldSeasons(valid_df), FieldSeasons(test_df)
model = YieldNet(len(WEATHER), len(STATIC), len(VARIETIES))

steps_per_epoch = math.ceil(len(train_ds) / BATCH_SIZE)
optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=6 * steps_per_epoch, gamma=0.3)

training_args = TrainingArguments(
    output_dir="yield_runs",
    num_train_epochs=EPOCHS,
    per_device_train_batch_size=BATCH_SIZE,
    per_device_eval_batch_size=256,
    label_names=["target"],
    remove_unused_columns=False,
    eval_strategy="epoch",
    save_strategy="epoch",
    save_total_limit=1,
    load_best_model_at_end=True,
    metric_for_best_model="mae",
    greater_is_better=False,
    logging_strategy="epoch",
    report_to="none",
    seed=SEED,
)

trainer = Trainer(
    model=model,
    args=training_args,
    data_collator=pad_weeks,
    train_dataset=train_ds,
    eval_dataset=valid_ds,
    compute_metrics=compute_metrics,
    optimizers=(optimizer, scheduler),
    callbacks=[EarlyStoppingCallback(early_stopping_patience=5)],
)
trainer.train()

result = trainer.evaluate(test_ds, metric_key_prefix="test")
print({"mae": round(result["test_mae"], 4)})
