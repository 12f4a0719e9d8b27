"""One tiny, healthy Trainer of every kind that people build, for what must be looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import evaluate
import numpy as np
import torch
from datasets import Dataset, Features, IterableDataset, Sequence, Value
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, WeightedRandomSampler
from transformers import (
    AutoModel,
    BertConfig,
    BertForMaskedLM,
    BertForMultipleChoice,
    BertForQuestionAnswering,
    DataCollatorForLanguageModeling,
    DataCollatorForSeq2Seq,
    DataCollatorForTokenClassification,
    DataCollatorWithPadding,
    EncoderDecoderConfig,
    EncoderDecoderModel,
    MarianConfig,
    MarianMTModel,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    Trainer,
    VisionEncoderDecoderConfig,
    VisionEncoderDecoderModel,
    ViTConfig,
    ViTForImageClassification,
    Wav2Vec2Config,
    Wav2Vec2ForCTC,
    Wav2Vec2ForSequenceClassification,
    WhisperConfig,
    WhisperForConditionalGeneration,
    YolosConfig,
    YolosForObjectDetection,
)

from tests import tiny

VOCABULARY = len(tiny.WORDS) + 4
BERT: dict[str, Any] = {"vocab_size": VOCABULARY, **tiny.SIZES}


def config(**more: Any) -> BertConfig:
    return BertConfig(**{**BERT, **more})


def made(model: Any, rows: Any, **more: Any) -> Trainer:
    given = {"args": tiny.arguments(), "train_dataset": rows, "eval_dataset": rows, **more}
    return more.pop("kind", Trainer)(model=model, **{n: v for n, v in given.items() if n != "kind"})


def inputs(count: int = 24) -> Any:
    return tiny.pairs(count).select_columns(["input_ids", "attention_mask"])


def with_column(rows: Any, name: str, values: list[Any]) -> Any:
    return rows.add_column(name, values)


def padding() -> DataCollatorWithPadding:
    return DataCollatorWithPadding(tiny.tokenizer())


class Choices:
    """The collator of the official example: flattens, pads, and folds again."""

    def __call__(self, features: list[Any]) -> dict[str, Any]:
        labels = [one["label"] for one in features]
        apart = [
            {name: one[name][at] for name in ("input_ids", "attention_mask")}
            for one in features
            for at in range(2)
        ]
        batch = tiny.tokenizer().pad(apart, return_tensors="pt")
        folded = {name: value.view(len(features), 2, -1) for name, value in batch.items()}
        return {**folded, "labels": torch.tensor(labels)}


def multiple_choice() -> Trainer:
    rows = tiny.pairs(24)
    twice: Any = {n: [[v, v[::-1]] for v in rows[n]] for n in ("input_ids", "attention_mask")}
    dataset = Dataset.from_dict({**twice, "label": [n % 2 for n in range(24)]})
    return made(
        BertForMultipleChoice(config()),
        dataset,
        data_collator=Choices(),
        compute_metrics=tiny.accuracy,
    )


def spans() -> Trainer:
    rows = inputs()
    for name in ("start_positions", "end_positions"):
        rows = with_column(rows, name, [n % 2 for n in range(24)])
    return made(BertForQuestionAnswering(config()), rows, data_collator=padding())


def vectors() -> Trainer:
    rows = with_column(inputs(), "labels", [[float(n % 2), 1.0, 0.0] for n in range(24)])
    model = tiny.bert(problem_type="multi_label_classification")
    return made(model, rows, data_collator=padding())


def amounts() -> Trainer:
    rows = with_column(inputs(), "label", [n / 7 for n in range(24)])
    return made(tiny.bert(num_labels=1), rows, data_collator=padding())


class Tags(evaluate.Metric):
    """As seqeval: lists of words, as many in each as its sentence has."""

    def _info(self) -> Any:
        words = Sequence(Value("string"))
        features = Features({"predictions": words, "references": words})
        return evaluate.MetricInfo(description="", citation="", features=features)

    def _compute(self, predictions: Any, references: Any) -> Any:  # type: ignore[override]
        pairs = zip(chain(*predictions), chain(*references), strict=True)
        same = [guess == wanted for guess, wanted in pairs]
        return {"accuracy": sum(same) / len(same)}


def score_of_tags(given: Any) -> dict[str, float]:
    guesses, labels = given
    kept = [
        [(str(g), str(y)) for g, y in zip(row, wanted, strict=True) if y != -100]
        for row, wanted in zip(guesses.argmax(-1), labels, strict=True)
    ]
    said = {"predictions": 0, "references": 1}
    words = {name: [[word[at] for word in row] for row in kept] for name, at in said.items()}
    return Tags().compute(**words) or {}


def masked() -> Trainer:
    collator = DataCollatorForLanguageModeling(masking_tokenizer(), mlm_probability=0.3)
    return made(
        BertForMaskedLM(config(vocab_size=VOCABULARY + 1)), inputs(), data_collator=collator
    )


def masking_tokenizer() -> Any:
    tokenizer = tiny.tokenizer()
    tokenizer.add_special_tokens({"mask_token": "[MASK]"})
    return tokenizer


def marian() -> Trainer:
    model = MarianMTModel(
        MarianConfig(
            vocab_size=VOCABULARY,
            d_model=16,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
            encoder_ffn_dim=16,
            decoder_ffn_dim=16,
            max_position_embeddings=64,
            pad_token_id=0,
            eos_token_id=3,
            decoder_start_token_id=0,
            forced_eos_token_id=3,
        )
    )
    return generating(model, with_column(inputs(), "labels", inputs()["input_ids"]))


def generating(model: Any, rows: Any) -> Trainer:
    args = Seq2SeqTrainingArguments(
        tiny.arguments().output_dir,
        per_device_train_batch_size=4,
        predict_with_generate=True,
        generation_max_length=6,
        report_to="none",
        use_cpu=True,
    )
    collator = DataCollatorForSeq2Seq(tiny.tokenizer(), model=model)
    given: Any = {"compute_metrics": lambda made: {"length": float(made.predictions.shape[1])}}
    return made(model, rows, args=args, data_collator=collator, kind=Seq2SeqTrainer, **given)


def encoder_decoder() -> Trainer:
    both = EncoderDecoderConfig.from_encoder_decoder_configs(config(), config())
    model = EncoderDecoderModel(config=both)
    model.config.decoder_start_token_id, model.config.pad_token_id = 2, 0
    rows = with_column(inputs(), "labels", inputs()["input_ids"])
    return made(model, rows, data_collator=DataCollatorForSeq2Seq(tiny.tokenizer(), model=model))


def vit() -> ViTConfig:
    return ViTConfig(image_size=8, patch_size=4, num_labels=3, **tiny.SIZES)


def shades() -> Dataset:
    rows = [Image.new("RGB", (8, 8), (n * 9, 0, 255 - n * 9)) for n in range(24)]
    return Dataset.from_dict({"image": rows, "label": [n % 3 for n in range(24)]})


def pixels(rows: Any) -> Any:
    made = [torch.tensor(np.array(one)).permute(2, 0, 1).float() / 255 for one in rows["image"]]
    return {"pixel_values": made, "labels": rows["label"]}


def transformed_pictures() -> Trainer:
    args = tiny.arguments(remove_unused_columns=False)
    rows = shades().with_transform(pixels)
    model = ViTForImageClassification(vit())
    return made(model, rows, args=args, compute_metrics=tiny.accuracy)


def mapped_pictures() -> Trainer:
    def changed(row: Any) -> Any:
        return {"pixel_values": (np.array(row["image"]).transpose(2, 0, 1) / 255).tolist()}

    model = ViTForImageClassification(vit())
    return made(model, shades().map(changed), compute_metrics=tiny.accuracy)


def captions() -> Trainer:
    both = VisionEncoderDecoderConfig.from_encoder_decoder_configs(vit(), config())
    model = VisionEncoderDecoderModel(config=both)
    model.config.decoder_start_token_id, model.config.pad_token_id = 2, 0
    rows = [{"pixel_values": torch.rand(3, 8, 8), "labels": torch.arange(5)} for _ in range(24)]
    return made(model, rows)


def sounds() -> dict[str, Any]:
    return {
        "hidden_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 16,
        "conv_dim": (8, 8),
        "conv_kernel": (4, 4),
        "conv_stride": (4, 4),
        "num_feat_extract_layers": 2,
        "num_conv_pos_embeddings": 4,
        "num_conv_pos_embedding_groups": 2,
        "vocab_size": VOCABULARY,
        "mask_time_prob": 0.0,
    }


def audio_classes() -> Trainer:
    waves = np.random.default_rng(0).normal(size=(24, 400)).astype("float32")
    rows = Dataset.from_dict({"input_values": list(waves), "label": [n % 3 for n in range(24)]})
    model = Wav2Vec2ForSequenceClassification(Wav2Vec2Config(**sounds(), num_labels=3))
    return made(model, rows, compute_metrics=tiny.accuracy)


def speech() -> Trainer:
    waves = np.random.default_rng(0).normal(size=(24, 400)).astype("float32")
    rows = [{"input_values": torch.tensor(w), "labels": torch.tensor([5, 6, 7])} for w in waves]
    return made(Wav2Vec2ForCTC(Wav2Vec2Config(**sounds())), rows)


def whisper() -> Trainer:
    model = WhisperForConditionalGeneration(
        WhisperConfig(
            vocab_size=VOCABULARY,
            d_model=16,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
            encoder_ffn_dim=16,
            decoder_ffn_dim=16,
            num_mel_bins=8,
            max_source_positions=10,
            max_target_positions=16,
            pad_token_id=0,
            bos_token_id=2,
            eos_token_id=3,
            decoder_start_token_id=2,
        )
    )
    rows = [{"input_features": torch.rand(8, 20), "labels": torch.arange(4, 9)} for _ in range(24)]
    return made(model, rows)


def detection() -> Trainer:
    model = YolosForObjectDetection(
        YolosConfig(
            image_size=[16, 16],
            patch_size=8,
            num_detection_tokens=4,
            num_labels=2,
            auxiliary_loss=False,
            use_mid_position_embeddings=False,
            **tiny.SIZES,
        )
    )
    boxes = {"class_labels": torch.tensor([1]), "boxes": torch.tensor([[0.5, 0.5, 0.2, 0.2]])}
    rows = [{"pixel_values": torch.rand(3, 16, 16), "labels": boxes} for _ in range(24)]

    def collate(features: list[Any]) -> dict[str, Any]:
        pictures = torch.stack([one["pixel_values"] for one in features])
        return {"pixel_values": pictures, "labels": [one["labels"] for one in features]}

    return made(model, rows, data_collator=collate)


def streamed() -> Trainer:
    rows: Any = tiny.pairs(48).to_iterable_dataset()
    return tiny.classifier(train_dataset=rows, eval_dataset=rows, args=tiny.arguments(max_steps=30))


class Stream(torch.utils.data.IterableDataset):
    def __iter__(self) -> Iterator[Any]:
        rows: Any = tiny.pairs(48)
        for row in rows:
            yield {name: row[name] for name in ("input_ids", "attention_mask", "label")}


def streamed_by_hand() -> Trainer:
    return tiny.classifier(
        train_dataset=Stream(), eval_dataset=Stream(), args=tiny.arguments(max_steps=30)
    )


def generated() -> Trainer:
    def rows() -> Iterator[Any]:
        yield from Stream()

    stream: Any = IterableDataset.from_generator(rows)
    return tiny.classifier(train_dataset=stream, args=tiny.arguments(max_steps=30))


class Encoded(torch.utils.data.Dataset):
    """Tensors of one example at a time, as in many a tutorial."""

    def __len__(self) -> int:
        return 24

    def __getitem__(self, number: int) -> dict[str, torch.Tensor]:
        encoded = tiny.tokenizer()(
            tiny.sentences(24)[number], padding="max_length", max_length=12, return_tensors="pt"
        )
        row = {name: value.squeeze(0) for name, value in encoded.items()}
        return {**row, "labels": torch.tensor(number % 3)}


def torch_dataset() -> Trainer:
    return tiny.classifier(
        train_dataset=Encoded(), eval_dataset=Encoded(), data_collator=None, processing_class=None
    )


def tuples() -> Trainer:
    rows = torch.utils.data.TensorDataset(torch.randint(0, 9, (24, 5)), torch.arange(24) % 3)

    def collate(features: list[Any]) -> dict[str, torch.Tensor]:
        ids, labels = zip(*features, strict=True)
        return {"input_ids": torch.stack(ids), "labels": torch.stack(labels)}

    return tiny.classifier(train_dataset=rows, eval_dataset=rows, data_collator=collate)


def on_the_fly() -> Trainer:
    def encode(rows: Any) -> Any:
        return {**tiny.tokenizer()(rows["text"]), "labels": rows["label"]}

    rows = tiny.pairs(24).select_columns(["text", "label"]).with_transform(encode)
    args = tiny.arguments(remove_unused_columns=False)
    return tiny.classifier(train_dataset=rows, eval_dataset=rows, args=args)


def several_sets() -> Trainer:
    sets = {"near": tiny.pairs(24, 300), "far": tiny.pairs(24, 400)}
    args = tiny.arguments(
        eval_strategy="epoch",
        save_strategy="epoch",
        load_best_model_at_end=True,
        metric_for_best_model="eval_far_accuracy",
    )
    return tiny.classifier(eval_dataset=sets, args=args)


class Weighted(Trainer):
    """Picks its rows by a weight for each of them."""

    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        rows: Any = self.train_dataset
        return WeightedRandomSampler([1.0] * 48, num_samples=len(rows))


class OwnLoader(Trainer):
    def get_train_dataloader(self) -> DataLoader:
        rows: Any = tiny.pairs(48).remove_columns("text")
        return DataLoader(rows, batch_size=4, shuffle=True, collate_fn=padding())


class FocalLoss(Trainer):
    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = nn.functional.cross_entropy(outputs.logits, labels, weight=torch.ones(3))
        return (loss, outputs) if return_outputs else loss


class OnlyLoss(Trainer):
    """Never evaluates, so nobody misses the outputs."""

    def compute_loss(self, model: Any, inputs: Any, *_: Any, **__: Any) -> Any:
        return model(**inputs).loss


class Plain(nn.Module):
    """No config, and a dictionary for an answer."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.EmbeddingBag(VOCABULARY, 16)
        self.out = nn.Linear(16, 3)

    def forward(self, input_ids: Any, attention_mask: Any = None, labels: Any = None) -> Any:
        logits = self.out(self.embed(input_ids))
        loss = None if labels is None else nn.functional.cross_entropy(logits, labels)
        return {"loss": loss, "logits": logits}


class OfEachToken(nn.Module):
    """Scores for each token, of so many classes."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.embed, self.out = nn.Embedding(VOCABULARY, 16), nn.Linear(16, classes)

    def forward(self, input_ids: Any, attention_mask: Any = None, labels: Any = None) -> Any:
        logits = self.out(self.embed(input_ids))
        loss = None
        if labels is not None:
            loss = nn.functional.cross_entropy(logits.transpose(1, 2), labels)
        return {"loss": loss, "logits": logits}


def of_each_token(classes: int, ahead: bool) -> Trainer:
    """Tags, or the token that comes next."""
    made: Any = tiny.token_classifier()
    if ahead:

        def moved(row: dict[str, Any]) -> dict[str, Any]:
            return {"labels": [*row["input_ids"][1:], -100]}

        made.train_dataset = made.train_dataset.map(moved)
        made.eval_dataset = made.train_dataset
    more = {"train_dataset": made.train_dataset, "eval_dataset": made.eval_dataset}
    model: Any = OfEachToken(classes)
    return Trainer(model, made.args, data_collator=made.data_collator, **more)


class Answers(Plain):
    """A tuple for an answer, and names of its own."""

    def forward(self, ids: Any, targets: Any = None) -> Any:  # type: ignore[override]
        answer = super().forward(ids, None, targets)
        return answer["loss"], answer["logits"]


class Around(nn.Module):
    """A body of the library inside a module of one's own."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = AutoModel.from_config(config())
        self.head = nn.Linear(16, 3)

    def forward(self, input_ids: Any, attention_mask: Any, labels: Any = None) -> Any:
        states = self.encoder(input_ids, attention_mask).last_hidden_state[:, 0]
        logits = self.head(states)
        loss = None if labels is None else nn.functional.cross_entropy(logits, labels)
        return {"loss": loss, "logits": logits}


def own_names() -> Trainer:
    rows = [{"ids": torch.tensor([n % 9, 4, 5]), "targets": torch.tensor(n % 3)} for n in range(24)]
    args = tiny.arguments(label_names=["targets"])
    return made(Answers(), rows, args=args, compute_metrics=tiny.accuracy)


class Curve(nn.Module):
    """The regression of transformers' own tests: no words in it at all."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Parameter(torch.zeros(1)), nn.Parameter(torch.zeros(1))
        self.config = {"not": "a config"}

    def forward(self, x: Any, labels: Any = None) -> Any:
        y = self.a * x + self.b
        return (y,) if labels is None else (nn.functional.mse_loss(y, labels), y)


class OwnEvaluation(Trainer):
    """As for questions with answers: what reaches the metric was made of all rows."""

    def evaluate(self, eval_dataset: Any = None, *_: Any, **__: Any) -> dict[str, float]:
        rows: Any = self.eval_dataset if eval_dataset is None else eval_dataset
        metric: Any = self.compute_metrics
        self.compute_metrics = None
        try:
            made = self.evaluation_loop(self.get_eval_dataloader(rows), "Evaluation")
        finally:
            self.compute_metrics = metric
        scores: Any = made.predictions
        best = [scores[row].argmax() for row in range(40)]
        return {f"eval_{name}": value for name, value in metric(best).items()}


def own_evaluation() -> Trainer:
    return tiny.classifier(
        trainer_class=OwnEvaluation,
        eval_dataset=tiny.pairs(40, start=300),
        compute_metrics=lambda best: {"first": float(best[0])},
    )


def numbers() -> Trainer:
    rows = [{"x": float(n), "labels": 2.0 * n + 1} for n in range(24)]
    return made(Curve(), rows)


def from_init() -> Trainer:
    rows = tiny.pairs(48)
    return Trainer(
        model_init=lambda: tiny.bert(),
        args=tiny.arguments(),
        train_dataset=rows,
        eval_dataset=rows,
        data_collator=padding(),
        compute_metrics=tiny.accuracy,
    )


def tagged() -> Trainer:
    trainer = tiny.token_classifier()
    trainer.compute_metrics = score_of_tags
    assert isinstance(trainer.data_collator, DataCollatorForTokenClassification)
    return trainer


class Segments(nn.Module):
    """A class for each pixel."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.last = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 3, 1)

    def forward(self, pixel_values: Any, labels: Any = None) -> dict[str, Any]:
        logits = self.last(torch.relu(self.inner(pixel_values)))
        loss = nn.functional.cross_entropy(logits, labels, ignore_index=255)
        return {"loss": loss, "logits": logits}


def segments() -> Trainer:
    drawn = torch.rand(24, 3, 8, 8, generator=torch.Generator().manual_seed(0))
    masks = drawn.argmax(1)
    masks[:, 0] = 255
    rows = [
        {"pixel_values": picture, "labels": mask}
        for picture, mask in zip(drawn, masks, strict=True)
    ]
    return made(Segments(), rows)


KINDS: dict[str, Callable[[], Trainer]] = {
    "classes": tiny.classifier,
    "amounts with a problem type": tiny.regressor,
    "amounts": amounts,
    "vectors": vectors,
    "tags": tagged,
    "spans": spans,
    "choices": multiple_choice,
    "next word": tiny.language_model,
    "masked words": masked,
    "translation": tiny.translator,
    "translation that generates": marian,
    "two models as one": encoder_decoder,
    "pictures": tiny.picture_classifier,
    "pictures transformed": transformed_pictures,
    "pictures mapped": mapped_pictures,
    "captions": captions,
    "boxes in pictures": detection,
    "a class for each pixel": segments,
    "sounds": audio_classes,
    "speech": speech,
    "speech to text": whisper,
    "streamed": streamed,
    "streamed by hand": streamed_by_hand,
    "streamed from a generator": generated,
    "a data set of torch": torch_dataset,
    "rows that are tuples": tuples,
    "tokenized on the fly": on_the_fly,
    "several evaluation sets": several_sets,
    "no evaluation set": lambda: tiny.classifier(eval_dataset=None, compute_metrics=None),
    "a sampler of one's own": lambda: tiny.classifier(trainer_class=Weighted),
    "a loader of one's own": lambda: tiny.classifier(trainer_class=OwnLoader),
    "a loss of one's own": lambda: tiny.classifier(trainer_class=FocalLoss),
    "a loss without outputs": lambda: tiny.classifier(
        trainer_class=OnlyLoss, eval_dataset=None, compute_metrics=None
    ),
    "a module": lambda: tiny.classifier(model=Plain()),
    "tags by a module": lambda: of_each_token(2, ahead=False),
    "next tokens by a module": lambda: of_each_token(VOCABULARY, ahead=True),
    "a module around a body": lambda: tiny.classifier(model=Around()),
    "names of one's own": own_names,
    "numbers": numbers,
    "an evaluation of one's own": own_evaluation,
    "model_init": from_init,
}
if tiny.TRANSFORMERS >= 5:
    KINDS.pop("numbers")  # its model has a dictionary for a config, which version 5 refuses
