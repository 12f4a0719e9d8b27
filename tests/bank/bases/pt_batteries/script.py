"""Estimate how much capacity (mAh) a battery cell has left from one logged discharge."""

from dataclasses import dataclass

import numpy as np
import torch
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments, set_seed
from transformers.utils import ModelOutput

CHANNELS = ("voltage_mv", "current_ma", "temperature_c")


@dataclass
class CapacityOutput(ModelOutput):
    loss: torch.Tensor | None = None
    capacity: torch.Tensor | None = None


def simulate_discharge(rng):
    capacity = rng.uniform(1400.0, 3000.0)
    load = rng.uniform(800.0, 1600.0)
    ambient = rng.normal(24.0, 4.0)
    steps = int(rng.integers(12, 41))
    drawn = np.cumsum(load / 40 * (1 + 0.05 * rng.standard_normal(steps)))
    depth = drawn / capacity
    resistance = 0.04 + 0.12 * (3000.0 - capacity) / 1600.0
    voltage = 4150.0 - 700.0 * depth - resistance * load + rng.normal(0, 4.0, steps)
    current = -load + rng.normal(0, 10.0, steps)
    temperature = ambient + 8.0 * depth + rng.normal(0, 0.3, steps)
    return np.stack([voltage, current, temperature], axis=1).astype(np.float32), capacity


def load_cells(n, seed):
    rng = np.random.default_rng(seed)
    logs, capacities = zip(*(simulate_discharge(rng) for _ in range(n)), strict=True)
    return list(logs), np.array(capacities, dtype=np.float32)


class DischargeDataset(Dataset):
    def __init__(self, logs, targets):
        self.logs = logs
        self.targets = targets

    def __len__(self):
        return len(self.logs)

    def __getitem__(self, i):
        return {"log": self.logs[i], "target": self.targets[i]}


def collate(rows):
    logs = [torch.as_tensor(row["log"], dtype=torch.float32) for row in rows]
    return {
        "logs": pad_sequence(logs, batch_first=True),
        "lengths": torch.tensor([len(log) for log in logs]),
        "labels": torch.tensor([row["target"] for row in rows], dtype=torch.float32),
    }


class CapacityGRU(nn.Module):
    def __init__(self, channels, hidden=32):
        super().__init__()
        self.gru = nn.GRU(channels, hidden, batch_first=True)
        self.head = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, logs, lengths, labels=None):
        states, _ = self.gru(logs)
        last = states[torch.arange(len(states)), lengths - 1]
        return CapacityOutput(capacity=self.head(last).squeeze(-1))


class CapacityTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**inputs)
        loss = nn.functional.mse_loss(outputs.capacity, inputs["labels"])
        outputs.loss = loss
        return (loss, outputs) if return_outputs else loss


def main():
    set_seed(11)
    train_logs, train_mah = load_cells(900, seed=11)
    test_logs, test_mah = load_cells(250, seed=12)

    channel_scaler = StandardScaler().fit(np.concatenate(train_logs))
    train_logs = [channel_scaler.transform(log) for log in train_logs]
    test_logs = [channel_scaler.transform(log) for log in test_logs]

    target_scaler = StandardScaler().fit(train_mah[:, None])
    train_y = target_scaler.transform(train_mah[:, None])[:, 0]
    test_y = target_scaler.transform(test_mah[:, None])[:, 0]

    def to_mah(scaled):
        return target_scaler.inverse_transform(np.asarray(scaled).reshape(-1, 1))[:, 0]

    def compute_metrics(prediction):
        estimated = to_mah(prediction.predictions)
        measured = to_mah(prediction.label_ids)
        return {"mae": float(np.abs(estimated - measured).mean())}

    training_args = TrainingArguments(
        output_dir="battery_runs",
        learning_rate=5e-3,
        num_train_epochs=12,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=64,
        warmup_steps=20,
        lr_scheduler_type="cosine",
        max_grad_norm=1.0,
        remove_unused_columns=False,
        label_names=["labels"],
        eval_strategy="epoch",
        logging_strategy="epoch",
        save_strategy="no",
        report_to=[],
        seed=11,
    )
    trainer = CapacityTrainer(
        model=CapacityGRU(len(CHANNELS)),
        args=training_args,
        train_dataset=DischargeDataset(train_logs, train_y),
        eval_dataset=DischargeDataset(test_logs, test_y),
        data_collator=collate,
        compute_metrics=compute_metrics,
    )
    trainer.train()
    metrics = trainer.evaluate()
    print({"mae": round(metrics["eval_mae"], 2)})


if __name__ == "__main__":
    main()
