"""Siren, beep, hum or noise? A small wav2vec 2.0 on short clips."""
from dataclasses import dataclass

import numpy as np
import torch
from datasets import Dataset
from scipy.signal import resample_poly
from transformers import (
    Trainer,
    TrainingArguments,
    Wav2Vec2Config,
    Wav2Vec2FeatureExtractor,
    Wav2Vec2ForSequenceClassification,
    set_seed,
)

KINDS = ["siren", "beep", "hum", "noise"]
label2id = {kind: i for i, kind in enumerate(KINDS)}
id2label = {i: kind for kind, i in label2id.items()}
SAMPLING_RATE = 4000
MAX_DURATION = 0.2


def record(kind, rate, rng):
    time = np.arange(int(rng.uniform(0.12, MAX_DURATION) * rate)) / rate
    pitch = rng.uniform(0.9, 1.1)
    if kind == "siren":
        wave = np.sin(2 * np.pi * pitch * (600 * time + 10 * np.sin(2 * np.pi * 15 * time)))
    elif kind == "beep":
        wave = np.sin(2 * np.pi * pitch * 600 * time) * (np.sin(2 * np.pi * 30 * time) > 0)
    elif kind == "hum":
        wave = np.sin(2 * np.pi * pitch * 150 * time) + 0.5 * np.sin(2 * np.pi * pitch * 300 * time)
    else:
        wave = rng.normal(0, 0.7, len(time))
    return (wave * rng.uniform(0.3, 1.0) + rng.normal(0, 0.05, len(time))).astype(np.float32)


def build(count, rate, seed):
    """Clips as they come: the studio's at 4 kHz, those of phones at 8 kHz."""
    rng = np.random.default_rng(seed)
    kinds = [KINDS[i] for i in rng.integers(0, len(KINDS), count)]
    return Dataset.from_dict({
        "wave": [record(kind, rate, rng).tolist() for kind in kinds],
        "rate": [rate] * count,
        "kind": kinds,
    })


feature_extractor = Wav2Vec2FeatureExtractor(
    feature_size=1, sampling_rate=SAMPLING_RATE, padding_value=0.0, do_normalize=True, return_attention_mask=True
)


def prepare(batch):
    waves = [
        resample_poly(np.array(wave), SAMPLING_RATE, rate) for wave, rate in zip(batch["wave"], batch["rate"])
    ]
    inputs = feature_extractor(
        waves,
        sampling_rate=feature_extractor.sampling_rate,
        max_length=int(feature_extractor.sampling_rate * MAX_DURATION),
        truncation=True,
    )
    inputs["labels"] = [label2id[kind] for kind in batch["kind"]]
    return inputs


@dataclass
class AudioCollator:
    extractor: Wav2Vec2FeatureExtractor

    def __call__(self, features):
        batch = self.extractor.pad(
            [{"input_values": f["input_values"]} for f in features], padding=True, return_tensors="pt"
        )
        batch["labels"] = torch.tensor([f["labels"] for f in features])
        return batch


def compute_metrics(eval_pred):
    predictions = np.argmax(eval_pred.predictions, axis=1)
    return {"accuracy": float(np.mean(predictions == eval_pred.label_ids))}


set_seed(19)
train_set = build(320, SAMPLING_RATE, 0).map(prepare, batched=True, remove_columns=["wave", "rate", "kind"])
test_set = build(100, 8000, 1).map(prepare, batched=True, remove_columns=["wave", "rate", "kind"])

config = Wav2Vec2Config(
    hidden_size=48,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=96,
    conv_dim=(32, 32, 32),
    conv_kernel=(16, 8, 4),
    conv_stride=(5, 4, 4),
    conv_bias=True,
    feat_extract_norm="layer",
    num_conv_pos_embeddings=8,
    num_conv_pos_embedding_groups=4,
    classifier_proj_size=48,
    layerdrop=0.0,
    mask_time_prob=0.05,
    mask_time_length=2,
    num_labels=len(KINDS),
    label2id=label2id,
    id2label=id2label,
)
model = Wav2Vec2ForSequenceClassification(config)

training_args = TrainingArguments(
    output_dir="tones",
    learning_rate=1e-3,
    warmup_ratio=0.1,
    num_train_epochs=14,
    per_device_train_batch_size=16,
    per_device_eval_batch_size=50,
    eval_strategy="epoch",
    save_strategy="no",
    logging_steps=10,
    report_to="none",
)
trainer = Trainer(
    model=model,
    args=training_args,
    train_dataset=train_set,
    eval_dataset=test_set,
    data_collator=AudioCollator(feature_extractor),
    compute_metrics=compute_metrics,
    processing_class=feature_extractor,
)
trainer.train()
print(trainer.evaluate())
