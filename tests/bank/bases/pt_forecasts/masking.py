import collections

import numpy as np
import torch


class WholeWordMasker:
    """Hides whole words of a chunk, and asks for them."""

    def __init__(self, tokenizer, wwm_probability=0.15, seed=None):
        self.tokenizer = tokenizer
        self.wwm_probability = wwm_probability
        self.rng = np.random.default_rng(seed)

    def __call__(self, features):
        batch = collections.defaultdict(list)
        for feature in features:
            # which tokens make up which word
            mapping = collections.defaultdict(list)
            current_word_index, current_word = -1, None
            for idx, word_id in enumerate(feature["word_ids"]):
                if word_id is None:
                    continue
                if word_id != current_word:
                    current_word = word_id
                    current_word_index += 1
                mapping[current_word_index].append(idx)

            chosen = self.rng.binomial(1, self.wwm_probability, (len(mapping),))
            input_ids = list(feature["input_ids"])
            labels = feature["labels"]
            new_labels = [-100] * len(labels)
            for word in np.where(chosen)[0]:
                for idx in mapping[word]:
                    input_ids[idx] = self.tokenizer.mask_token_id
                    new_labels[idx] = labels[idx]
            batch["input_ids"].append(input_ids)
            batch["attention_mask"].append(feature["attention_mask"])
            batch["labels"].append(new_labels)
        return {name: torch.tensor(rows) for name, rows in batch.items()}
