"""Tomorrow's sales for a chain of bakeries.

For every shop and every kind of bread: how many pieces will be sold tomorrow, so that the ovens
are neither empty at four nor full at seven? A small GRU reads the last two weeks of one series and
joins them with what is known the evening before: weekday, school holidays, weather forecast.
"""

import argparse

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments, set_seed

SHOPS = ["station", "market", "hospital", "school lane", "old mill", "harbour", "university"]
GOODS = ["rolls", "croissants", "rye loaf", "pretzels", "cheesecake"]
SHOP_SIZE = np.array([1.9, 1.4, 1.0, 0.8, 0.6, 0.7, 1.2])
PIECES_A_DAY = np.array([150.0, 60.0, 40.0, 70.0, 25.0])

# rows: goods, columns: Monday to Sunday
WEEK = np.array(
    [
        [0.80, 0.80, 0.85, 0.90, 1.00, 1.45, 1.20],
        [0.75, 0.75, 0.80, 0.80, 0.95, 1.35, 1.60],
        [1.05, 1.00, 1.00, 1.00, 1.25, 1.30, 0.40],
        [1.15, 1.10, 1.10, 1.10, 1.15, 0.80, 0.60],
        [0.60, 0.60, 0.70, 0.75, 0.95, 1.45, 1.95],
    ]
)
PER_DEGREE = np.array([0.0, -0.010, -0.012, 0.008, -0.020])
PER_MM_RAIN = np.array([-0.010, -0.020, -0.005, -0.030, -0.020])
IN_HOLIDAYS = np.array([0.95, 1.10, 0.95, 0.65, 1.20])


def simulate(n_days: int, rng: np.random.Generator):
    """Sales (days x series, with gaps), weather (days x 2), weekday and holiday of every day."""
    weekday = np.arange(n_days) % 7
    holiday = (np.arange(n_days) // 14 % 4 == 2).astype(np.float32)
    season = 12 + 8 * np.sin(2 * np.pi * np.arange(n_days) / 180)
    temperature = season + rng.normal(0, 3.5, n_days)
    rain = np.where(rng.random(n_days) < 0.4, rng.exponential(6.0, n_days), 0.0).clip(max=20)

    series = []
    for shop in range(len(SHOPS)):
        mood = np.zeros(n_days)  # road works, a fair, a rival around the corner
        for day in range(1, n_days):
            mood[day] = 0.9 * mood[day - 1] + rng.normal(0, 0.04)
        for good in range(len(GOODS)):
            factor = 1 + PER_DEGREE[good] * (temperature - 12) + PER_MM_RAIN[good] * rain
            factor = factor * np.where(holiday == 1, IN_HOLIDAYS[good], 1.0)
            mean = SHOP_SIZE[shop] * PIECES_A_DAY[good] * WEEK[good, weekday] * factor
            series.append(rng.poisson(mean * np.exp(mood)))
    sales = np.stack(series, axis=1).astype(np.float32)
    sales[rng.random(sales.shape) < 0.02] = np.nan  # the till did not send anything
    return sales, np.stack([temperature, rain], axis=1), weekday, holiday


def fill_gaps(sales: np.ndarray, season: int = 7) -> np.ndarray:
    """Replace a missing day by the same weekday of the week before (or after, at the start)."""
    filled = sales.copy()
    for day, s in np.argwhere(np.isnan(filled)):
        same = [filled[d, s] for d in (day - season, day + season) if 0 <= d < len(filled)]
        same = [value for value in same if not np.isnan(value)]
        filled[day, s] = same[0] if same else np.nanmean(filled[:, s])
    return filled


class SalesDays(Dataset):
    """One row for every series and day between `first` and `last`."""

    def __init__(self, sales, filled, level, weather, weekday, holiday, first, last, look_back):
        self.rows = []
        self.level = []
        for day in range(first, last):
            known = np.concatenate([np.eye(7)[weekday[day]], [holiday[day]], weather[day - first]])
            for s in range(sales.shape[1]):
                if np.isnan(sales[day, s]):
                    continue
                history = filled[day - look_back : day, s] / level[s]
                self.rows.append(
                    {
                        "history": torch.tensor(history, dtype=torch.float32),
                        "known": torch.tensor(known, dtype=torch.float32),
                        "shop": torch.tensor(s // len(GOODS)),
                        "good": torch.tensor(s % len(GOODS)),
                        "labels": torch.tensor(sales[day, s] / level[s], dtype=torch.float32),
                    }
                )
                self.level.append(level[s])
        self.level = np.array(self.level)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


class SalesNet(nn.Module):
    def __init__(self, n_known: int, hidden: int = 32, emb: int = 6):
        super().__init__()
        self.shop = nn.Embedding(len(SHOPS), emb)
        self.good = nn.Embedding(len(GOODS), emb)
        self.gru = nn.GRU(1, hidden, batch_first=True)
        self.head = nn.Sequential(
            nn.Linear(hidden + 2 * emb + n_known, 64), nn.ReLU(), nn.Linear(64, 1)
        )

    def forward(self, history, known, shop, good):
        _, last = self.gru(history.unsqueeze(-1))
        joined = torch.cat([last[-1], self.shop(shop), self.good(good), known], dim=-1)
        return {"sales": self.head(joined)}


class SalesTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = F.smooth_l1_loss(outputs["sales"].squeeze(-1), labels, beta=0.1)
        return (loss, {"loss": loss, **outputs}) if return_outputs else loss


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=260)
    parser.add_argument("--test-days", type=int, default=49)
    parser.add_argument("--look-back", type=int, default=14)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=11)
    return parser.parse_args()


def main() -> None:
    opt = parse_args()
    set_seed(opt.seed)
    sales, weather, weekday, holiday = simulate(opt.days, np.random.default_rng(opt.seed))
    split = opt.days - opt.test_days

    # everything that is fitted is fitted on the days before the split
    level = np.nanmean(sales[:split], axis=0)
    centre = weather[opt.look_back : split].mean(axis=0)
    spread = weather[opt.look_back : split].std(axis=0)
    train_weather = (weather[opt.look_back : split] - centre) / spread
    test_weather = (weather[split:] - centre) / spread

    filled = fill_gaps(sales)
    train_ds = SalesDays(
        sales, filled, level, train_weather, weekday, holiday, opt.look_back, split, opt.look_back
    )
    test_ds = SalesDays(
        sales, filled, level, test_weather, weekday, holiday, split, opt.days, opt.look_back
    )
    print(f"{len(train_ds)} rows to learn from, {len(test_ds)} of the last weeks to be judged by")

    def compute_metrics(pred):
        error = np.abs(pred.predictions[:, 0] - pred.label_ids)
        return {"mae": float((error * test_ds.level).mean())}

    model = SalesNet(n_known=7 + 1 + 2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=opt.lr)
    steps_per_epoch = -(-len(train_ds) // opt.batch_size)
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: 0.75 ** (step // steps_per_epoch)
    )

    args = TrainingArguments(
        output_dir="bakeries_out",
        num_train_epochs=opt.epochs,
        per_device_train_batch_size=opt.batch_size,
        per_device_eval_batch_size=512,
        label_names=["labels"],
        eval_strategy="epoch",
        save_strategy="no",
        logging_strategy="epoch",
        report_to="none",
        seed=opt.seed,
    )
    trainer = SalesTrainer(
        model=model,
        args=args,
        train_dataset=train_ds,
        eval_dataset=test_ds,
        compute_metrics=compute_metrics,
        optimizers=(optimizer, scheduler),
    )
    trainer.train()
    result = trainer.evaluate()
    print({"mae_pieces": round(result["eval_mae"], 3)})


if __name__ == "__main__":
    main()
