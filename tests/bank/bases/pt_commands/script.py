import os
from dataclasses import dataclass, field

import numpy as np
import torch
from smart_home import clean, load
from transformers import (
    BertConfig,
    BertTokenizer,
    EncoderDecoderConfig,
    EncoderDecoderModel,
    HfArgumentParser,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    set_seed,
)


@dataclass
class HouseArguments:
    train_size: int = field(default=900)
    test_size: int = field(default=120)
    max_source: int = field(default=18)
    max_target: int = field(default=10)
    hidden: int = field(default=64)


def vocabulary(texts, path):
    """One line for each word, as BertTokenizer wants it."""
    words = sorted({word for text in texts for word in text.split()})
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "vocab.txt"), "w") as file:
        file.write("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]))
    return BertTokenizer(os.path.join(path, "vocab.txt"), do_lower_case=False)


class Commands(torch.utils.data.Dataset):
    def __init__(self, said, actions, source_tokenizer, target_tokenizer, options):
        self.source = source_tokenizer(
            said, padding="max_length", truncation=True, max_length=options.max_source, return_tensors="pt"
        )
        self.target = target_tokenizer(
            actions, padding="max_length", truncation=True, max_length=options.max_target, return_tensors="pt"
        )

    def __len__(self):
        return len(self.source["input_ids"])

    def __getitem__(self, i):
        labels = self.target["input_ids"][i].clone()
        labels[self.target["attention_mask"][i] == 0] = -100
        return {
            "input_ids": self.source["input_ids"][i],
            "attention_mask": self.source["attention_mask"][i],
            "labels": labels,
        }


def build_model(source_tokenizer, target_tokenizer, options):
    shape = dict(
        hidden_size=options.hidden, num_hidden_layers=2, num_attention_heads=4, intermediate_size=2 * options.hidden,
        max_position_embeddings=32, hidden_dropout_prob=0.05, attention_probs_dropout_prob=0.05,
    )
    encoder = BertConfig(vocab_size=len(source_tokenizer), **shape)
    decoder = BertConfig(vocab_size=len(target_tokenizer), **shape)
    model = EncoderDecoderModel(EncoderDecoderConfig.from_encoder_decoder_configs(encoder, decoder))
    for config in (model.config, model.generation_config):
        config.decoder_start_token_id = target_tokenizer.cls_token_id
        config.eos_token_id = target_tokenizer.sep_token_id
        config.pad_token_id = target_tokenizer.pad_token_id
    model.generation_config.max_length = options.max_target
    model.generation_config.num_beams = 1
    return model


def scorer(tokenizer):
    def readable(rows):
        rows = np.where(rows == -100, tokenizer.pad_token_id, rows)
        return [text.strip() for text in tokenizer.batch_decode(rows, skip_special_tokens=True)]

    def compute_metrics(pred):
        predicted = readable(pred.predictions)
        wanted = readable(pred.label_ids)
        hits = sum(one == other for one, other in zip(predicted, wanted))
        return {"exact_match": hits / len(wanted)}

    return compute_metrics


def main():
    parser = HfArgumentParser((HouseArguments, Seq2SeqTrainingArguments))
    parser.set_defaults(
        output_dir="house",
        num_train_epochs=9,
        per_device_train_batch_size=20,
        per_device_eval_batch_size=60,
        learning_rate=2e-3,
        warmup_steps=30,
        lr_scheduler_type="cosine",
        predict_with_generate=True,
        eval_strategy="epoch",
        save_strategy="epoch",
        save_total_limit=2,
        load_best_model_at_end=True,
        metric_for_best_model="exact_match",
        greater_is_better=True,
        logging_steps=45,
        seed=12,
        report_to="none",
    )
    options, args = parser.parse_args_into_dataclasses()
    set_seed(args.seed)

    train_rows, test_rows = load(options.train_size, options.test_size, args.seed)
    train_said, train_actions = [clean(said) for said, _ in train_rows], [action for _, action in train_rows]
    test_said, test_actions = [clean(said) for said, _ in test_rows], [action for _, action in test_rows]

    source_tokenizer = vocabulary(train_said, "words")
    target_tokenizer = vocabulary(train_actions, "actions")
    train_dataset = Commands(train_said, train_actions, source_tokenizer, target_tokenizer, options)
    test_dataset = Commands(test_said, test_actions, source_tokenizer, target_tokenizer, options)

    trainer = Seq2SeqTrainer(
        model=build_model(source_tokenizer, target_tokenizer, options),
        args=args,
        train_dataset=train_dataset,
        eval_dataset=test_dataset,
        compute_metrics=scorer(target_tokenizer),
    )
    trainer.train()
    print(trainer.evaluate())


if __name__ == "__main__":
    main()
