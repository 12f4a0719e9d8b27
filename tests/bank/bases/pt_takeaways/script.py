"""Which of the dishes on the start page will this household order tonight?

A delivery app shows four to nine dishes. From the dishes ordered before, the weather and the day of
the week we give every dish on the page a score; the dish that was really ordered should come first.
"""

import argparse
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments, set_seed

PAD = 0
N_DISHES = 48
CUISINES = ["pizza", "thai", "indian", "burger", "sushi", "salad", "soup", "kebab"]
TASTES = 2


class City:
    """Dishes, the households that eat them, and what they ordered, all made up."""

    def __init__(self, rng: np.random.Generator):
        self.rng = rng
        self.cuisine = np.arange(N_DISHES) % len(CUISINES)
        self.vegetarian = rng.random(N_DISHES) < 0.4
        self.price = rng.normal(0, 1, N_DISHES)
        self.popularity = rng.normal(0, 1.5, N_DISHES)
        self.taste = rng.normal(0, 1, (N_DISHES, TASTES))
        self.warms = np.isin(self.cuisine, [2, 6]) * 1.0 - np.isin(self.cuisine, [4, 5]) * 1.0

    def tags(self) -> np.ndarray:
        """What the menu says about a dish. Row 0 is for the padding."""
        known = np.zeros((N_DISHES + 1, len(CUISINES) + 2), dtype=np.float32)
        known[1:, : len(CUISINES)] = np.eye(len(CUISINES))[self.cuisine]
        known[1:, -2] = self.vegetarian
        known[1:, -1] = self.price
        return known

    def household(self):
        likes = self.rng.normal(0, 0.9, TASTES)
        cuisines = self.rng.normal(0, 2.0, len(CUISINES))
        return self.popularity + self.taste @ likes + cuisines[self.cuisine]

    def evening(self):
        """One page that was shown, and what is known at that moment."""
        rng = self.rng
        liking = self.household()
        weekday, degrees = int(rng.integers(7)), rng.normal(0, 1)
        past = rng.integers(6, 25)
        noise = rng.gumbel(0, 1.2, (past, N_DISHES))
        history = (liking + noise).argmax(axis=1)

        shown = rng.choice(N_DISHES, size=rng.integers(4, 10), replace=False)
        worth = liking[shown] - 1.5 * degrees * self.warms[shown]
        worth = worth + (weekday >= 5) * 0.8 * self.price[shown]
        worth = worth - 3.0 * (shown == history[-1])  # not the same as last time
        ordered = int((worth + rng.gumbel(0, 0.25, len(shown))).argmax())

        # the log puts the ordered dish first, which must not give it away
        first = [ordered] + [i for i in range(len(shown)) if i != ordered]
        shown, ordered = shown[first], 0
        order = rng.permutation(len(shown))
        shown = shown[order]
        ordered = int(np.flatnonzero(order == ordered)[0])
        return {
            "history": torch.tensor(history + 1),
            "weekday": weekday,
            "degrees": float(degrees),
            "candidates": torch.tensor(shown + 1),
            "ordered": ordered,
        }


class Evenings(Dataset):
    def __init__(self, rows: list[dict]):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


@dataclass
class PageCollator:
    pad: int = PAD

    def __call__(self, rows: list[dict]) -> dict[str, torch.Tensor]:
        history = [row["history"] for row in rows]
        candidates = [row["candidates"] for row in rows]
        degrees = torch.tensor([row["degrees"] for row in rows])
        weekday = F.one_hot(torch.tensor([row["weekday"] for row in rows]), 7)
        return {
            "history": pad_sequence(history, batch_first=True, padding_value=self.pad),
            "lengths": torch.tensor([len(past) for past in history]),
            "context": torch.cat([weekday.float(), degrees.unsqueeze(1)], dim=1),
            "candidates": pad_sequence(candidates, batch_first=True, padding_value=self.pad),
            "ordered": torch.tensor([row["ordered"] for row in rows]),
        }


class PageRanker(nn.Module):
    def __init__(self, tags: np.ndarray, hidden: int = 48, emb: int = 24):
        super().__init__()
        start = torch.from_numpy(tags)
        start = torch.cat([start, torch.zeros(len(start), emb - start.shape[1])], dim=1)
        self.dish = nn.Embedding.from_pretrained(start, freeze=False, padding_idx=PAD)
        self.past = nn.GRU(emb, hidden, batch_first=True)
        self.context = nn.Linear(8, hidden)
        self.scorer = nn.Sequential(
            nn.Linear(2 * hidden + emb, 64),
            nn.ReLU(),
            nn.Linear(64, 32),
            nn.ReLU(),
            nn.Linear(32, 1),
        )
        self.taste = nn.Linear(hidden, emb, bias=False)

    def forward(self, history, lengths, context, candidates):
        packed = pack_padded_sequence(
            self.dish(history), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        _, last = self.past(packed)
        who = last[-1]
        now = torch.cat([who, F.relu(self.context(context))], dim=-1)
        dishes = self.dish(candidates)
        now = now.unsqueeze(1).expand(-1, dishes.shape[1], -1)
        scores = self.scorer(torch.cat([now, dishes], dim=-1)).squeeze(-1)
        scores = scores + torch.einsum("bd,bcd->bc", self.taste(who), dishes)
        return scores.masked_fill(candidates == PAD, -1e4)


class RankingTrainer(Trainer):
    """The ordered dish must beat every other dish on the page by a margin."""

    margin = 1.0

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        ordered = inputs.pop("ordered")
        scores = model(**inputs)
        best = scores.gather(1, ordered.unsqueeze(1)).expand_as(scores)
        others = inputs["candidates"] != PAD
        others = others.scatter(1, ordered.unsqueeze(1), False)
        ahead = torch.ones_like(best[others])
        loss = F.margin_ranking_loss(best[others], scores[others], ahead, margin=self.margin)
        return (loss, {"scores": scores}) if return_outputs else loss


def mean_reciprocal_rank(prediction):
    scores, ordered = prediction.predictions, prediction.label_ids
    order = np.argsort(-scores, axis=1)
    rank = np.argmax(order == ordered[:, None], axis=1) + 1
    return {"mrr": float((1 / rank).mean()), "hit": float((rank == 1).mean())}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--evenings", type=int, default=8000)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=4e-3)
    parser.add_argument("--seed", type=int, default=23)
    args = parser.parse_args()

    set_seed(args.seed)
    city = City(np.random.default_rng(args.seed))
    rows = [city.evening() for _ in range(args.evenings)]
    cut = int(0.85 * len(rows))

    trainer = RankingTrainer(
        model=PageRanker(city.tags()),
        args=TrainingArguments(
            output_dir="takeaways",
            num_train_epochs=args.epochs,
            per_device_train_batch_size=args.batch_size,
            per_device_eval_batch_size=128,
            learning_rate=args.lr,
            lr_scheduler_type="cosine",
            warmup_steps=50,
            label_names=["ordered"],
            remove_unused_columns=False,
            eval_strategy="epoch",
            logging_strategy="epoch",
            save_strategy="no",
            report_to="none",
            seed=args.seed,
        ),
        train_dataset=Evenings(rows[:cut]),
        eval_dataset=Evenings(rows[cut:]),
        data_collator=PageCollator(),
        compute_metrics=mean_reciprocal_rank,
    )
    trainer.train()
    print({"mrr": round(trainer.evaluate()["eval_mrr"], 4)})


if __name__ == "__main__":
    main()
