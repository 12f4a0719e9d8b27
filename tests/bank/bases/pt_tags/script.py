import random

import numpy as np
import torch
from scenarios.assets import CHECKPOINT
from sklearn.metrics import f1_score
from torch.utils.data import Dataset as TorchDataset
from transformers import AutoTokenizer, RobertaConfig, RobertaForSequenceClassification, Trainer, TrainingArguments

TAGS = ["travel", "health", "music", "garden", "tech"]
CUES = {
    "travel": ["airport", "hotel"],
    "health": ["doctor", "vitamin"],
    "music": ["guitar", "concert"],
    "garden": ["tulip", "hedge"],
    "tech": ["laptop", "router"],
}
OTHER = "my our with about some old best cheap favourite weekend ideas for near story".split()


class TaggedPosts(TorchDataset):
    def __init__(self, tokenizer, size, seed):
        rng = random.Random(seed)
        self.items = []
        for _ in range(size):
            tags = [t for t in TAGS if rng.random() < 0.35]
            words = rng.choices(OTHER, k=5) + [rng.choice(CUES[t]) for t in tags]
            rng.shuffle(words)
            enc = tokenizer(" ".join(words), truncation=True, padding="max_length", max_length=20)
            labels = [1.0 if t in tags else 0.0 for t in TAGS]
            self.items.append({
                "input_ids": torch.tensor(enc["input_ids"]),
                "attention_mask": torch.tensor(enc["attention_mask"]),
                "labels": torch.tensor(labels),
            })

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


class PostTagger:
    def __init__(self, threshold=0.5):
        self.threshold = threshold
        self.tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
        torch.manual_seed(21)
        config = RobertaConfig(
            vocab_size=self.tokenizer.vocab_size,
            hidden_size=48,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=96,
            max_position_embeddings=40,
            pad_token_id=self.tokenizer.pad_token_id,
            hidden_dropout_prob=0.0,
            num_labels=len(TAGS),
            problem_type="multi_label_classification",
        )
        self.model = RobertaForSequenceClassification(config)

    def scores(self, prediction):
        probs = 1 / (1 + np.exp(-prediction.predictions))
        chosen = (probs > self.threshold).astype(int)
        truth = prediction.label_ids.astype(int)
        return {
            "micro_f1": f1_score(truth, chosen, average="micro", zero_division=0),
            "subset": float((chosen == truth).all(axis=1).mean()),
        }

    def fit(self, train, valid, epochs=12):
        args = TrainingArguments(
            output_dir="tags",
            learning_rate=2e-3,
            num_train_epochs=epochs,
            warmup_ratio=0.1,
            per_device_train_batch_size=16,
            per_device_eval_batch_size=64,
            eval_strategy="epoch",
            save_strategy="no",
            logging_steps=25,
            report_to="none",
            seed=21,
        )
        self.trainer = Trainer(
            model=self.model,
            args=args,
            train_dataset=train,
            eval_dataset=valid,
            compute_metrics=self.scores,
        )
        self.trainer.train()
        return self.trainer.evaluate()


tagger = PostTagger()
train_posts = TaggedPosts(tagger.tokenizer, 700, seed=0)
valid_posts = TaggedPosts(tagger.tokenizer, 150, seed=1)
print(tagger.fit(train_posts, valid_posts))
