"""Bike rentals per hour: a small tabular network with the Trainer."""
import numpy as np
import pandas as pd
import torch
from modeling_rentals import RentalsConfig, RentalsModel
from sklearn.metrics import mean_absolute_error, mean_squared_log_error
from sklearn.preprocessing import StandardScaler
from torch.optim import AdamW
from torch.optim.lr_scheduler import StepLR
from transformers import Trainer, TrainingArguments, set_seed

CFG = {"seed": 77, "days": 220, "test_days": 40, "epochs": 20, "batch": 64, "lr": 4e-3, "weight_decay": 1e-3}


def make_table(days, seed):
    """Hourly counts in the manner of the well-known bike sharing table."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"when": pd.date_range("2023-01-02", periods=24 * days, freq="h")})
    hour, weekday = table["when"].dt.hour.to_numpy(), table["when"].dt.dayofweek.to_numpy()
    year = np.sin(2 * np.pi * (table["when"].dt.dayofyear.to_numpy() - 100) / 365)
    weather = np.repeat(rng.normal(0, 1, days), 24)
    table["temp"] = 12 + 10 * year + 3 * np.sin(2 * np.pi * (hour - 9) / 24) + 2 * weather
    table["humidity"] = np.clip(65 - 6 * weather + rng.normal(0, 8, len(table)), 15, 100)
    table["windspeed"] = rng.gamma(3, 4, len(table))
    table["pressure"] = 1013 + 6 * weather + rng.normal(0, 2, len(table))
    weekend = weekday >= 5
    commute = 1.6 * np.exp(-((hour - 8) ** 2) / 3) + 1.8 * np.exp(-((hour - 17.5) ** 2) / 5)
    leisure = 1.7 * np.exp(-((hour - 14) ** 2) / 18)
    base = 2.2 + 1.2 * np.exp(-((hour - 14) ** 2) / 40) + 0.06 * table["temp"] - 0.012 * (table["humidity"] - 60)
    base = base - 0.02 * table["windspeed"]
    table["registered"] = rng.poisson(np.exp(base + np.where(weekend, 0.2, 1.0) * commute))
    table["casual"] = rng.poisson(np.exp(base - 1.2 + np.where(weekend, 1.3, 0.5) * leisure))
    table["count"] = table["registered"] + table["casual"]
    table["hour"], table["weekday"] = hour, weekday
    return table


def split_by_day(table, test_days, seed):
    days = table["when"].dt.date.unique()
    held_out = np.random.default_rng(seed).choice(days, size=test_days, replace=False)
    is_test = table["when"].dt.date.isin(held_out)
    return table[~is_test].copy(), table[is_test].copy()


class HourlyRentals(torch.utils.data.Dataset):
    def __init__(self, numeric, table):
        self.numeric = np.asarray(numeric, dtype=np.float32)
        self.hour = table["hour"].to_numpy(dtype=np.int64)
        self.weekday = table["weekday"].to_numpy(dtype=np.int64)
        self.log_count = np.log1p(table["count"].to_numpy(dtype=np.float32))

    def __len__(self):
        return len(self.log_count)

    def __getitem__(self, row):
        return {
            "numeric": torch.from_numpy(self.numeric[row]),
            "hour": torch.tensor(self.hour[row]),
            "weekday": torch.tensor(self.weekday[row]),
            "log_count": torch.tensor(self.log_count[row]),
        }


class RentalsTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**inputs)
        loss = torch.nn.functional.smooth_l1_loss(outputs.log_rentals, inputs["log_count"], beta=0.5)
        return (loss, outputs) if return_outputs else loss


def compute_metrics(eval_pred):
    rented = np.expm1(eval_pred.label_ids)
    predicted = np.expm1(eval_pred.predictions).clip(min=0)
    return {
        "mae": float(mean_absolute_error(rented, predicted)),
        "rmsle": float(np.sqrt(mean_squared_log_error(rented, predicted))),
    }


def main(cfg):
    set_seed(cfg["seed"])
    train_table, test_table = split_by_day(make_table(cfg["days"], cfg["seed"]), cfg["test_days"], cfg["seed"])
    print(train_table.describe().T[["mean", "std", "min", "max"]])

    numeric = ["temp", "humidity", "windspeed", "pressure"]
    scaler = StandardScaler().fit(train_table[numeric].to_numpy())
    train_set = HourlyRentals(scaler.transform(train_table[numeric].to_numpy()), train_table)
    test_set = HourlyRentals(scaler.transform(test_table[numeric].to_numpy()), test_table)

    model = RentalsModel(RentalsConfig(n_numeric=len(numeric)))
    with torch.no_grad():
        model.exit.bias.fill_(float(train_set.log_count.mean()))

    optimizer = AdamW(model.parameters(), lr=cfg["lr"], weight_decay=cfg["weight_decay"])
    steps_per_epoch = int(np.ceil(len(train_set) / cfg["batch"]))
    scheduler = StepLR(optimizer, step_size=8 * steps_per_epoch, gamma=0.3)

    trainer = RentalsTrainer(
        model=model,
        args=TrainingArguments(
            output_dir="rentals",
            num_train_epochs=cfg["epochs"],
            per_device_train_batch_size=cfg["batch"],
            per_device_eval_batch_size=256,
            label_names=["log_count"],
            eval_strategy="epoch",
            save_strategy="no",
            logging_strategy="epoch",
            seed=cfg["seed"],
            report_to="none",
        ),
        train_dataset=train_set,
        eval_dataset=test_set,
        compute_metrics=compute_metrics,
        optimizers=(optimizer, scheduler),
    )
    trainer.train()
    print(trainer.evaluate())


if __name__ == "__main__":
    main(CFG)
