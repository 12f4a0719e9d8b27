"""What a training begins with, in real Trainers: weights, tables, rows, callbacks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    BertForSequenceClassification,
    EarlyStoppingCallback,
    Trainer,
    TrainerCallback,
)

from debugger import diagnose
from debugger.diagnosis import perform
from debugger.frameworks.pytorch.loading import loading_watched
from debugger.frameworks.pytorch.tables import outside
from debugger.outcome import Event, Severity
from debugger.report import gather
from debugger.run import Run
from tests import tiny


def found(trainer: Trainer, stage: Any = "forward") -> dict[str, Severity]:
    return {one.code: one.severity for one in diagnose(trainer, stage=stage).findings}


def test_weights_that_all_begin_alike() -> None:
    def filled(number: float) -> Trainer:
        model = tiny.bert()
        with torch.no_grad():
            for name, weight in model.named_parameters():
                if weight.dim() > 1 and "embeddings" not in name:
                    weight.fill_(number)
        return tiny.classifier(model=model)

    head = tiny.bert()
    torch.nn.init.zeros_(head.classifier.weight)

    assert found(filled(0.0))["weights_all_alike"] == "fault"
    assert found(filled(0.3))["weights_all_alike"] == "fault"
    for healthy in (tiny.classifier(), tiny.classifier(model=head), tiny.translator()):
        assert "weights_all_alike" not in found(healthy)


def test_weights_that_are_drawn_far_too_wide() -> None:
    wide = tiny.classifier(model=tiny.bert(initializer_range=3.0))

    assert found(wide)["weights_drawn_wide"] == "fault"
    healthy = (
        tiny.classifier(),
        tiny.translator(),
        tiny.language_model(),
        tiny.picture_classifier(),
    )
    for trainer in healthy:
        assert "weights_drawn_wide" not in found(trainer)
    by_hand = tiny.bert()
    for weight in by_hand.parameters():
        torch.nn.init.normal_(weight, std=3.0)
    assert found(tiny.classifier(model=by_hand))["weights_drawn_wide"] == "fault"


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = str(tmp_path_factory.mktemp("checkpoint"))
    tiny.trained(tiny.bert()).save_pretrained(folder)
    return folder


def loaded(checkpoint: str) -> Any:
    with loading_watched():
        return BertForSequenceClassification.from_pretrained(checkpoint)


def overwritten(model: Any) -> bool:
    return "checkpoint_overwritten" in found(tiny.classifier(model=model))


def test_a_checkpoint_that_is_drawn_anew(checkpoint: str) -> None:
    by_its_own, by_hand, all_of_it = (loaded(checkpoint) for _ in range(3))
    by_its_own.apply(by_its_own._init_weights)
    kept = loaded(checkpoint).classifier.weight.equal(by_its_own.classifier.weight)
    for weight in by_hand.parameters():
        if weight.dim() > 1:
            torch.nn.init.xavier_uniform_(weight)
    for weight in all_of_it.parameters():
        torch.nn.init.normal_(weight, std=0.02)

    for model in (by_hand, all_of_it):
        assert found(tiny.classifier(model=model))["checkpoint_overwritten"] == "fault"
    assert overwritten(by_its_own) != kept  # transformers 5 draws nothing that was loaded


def test_weights_that_only_came_from_elsewhere_or_changed_a_little(checkpoint: str) -> None:
    other, head, merged, half = (loaded(checkpoint) for _ in range(4))
    torch.manual_seed(7)
    other.load_state_dict(tiny.trained(tiny.bert()).state_dict())
    head.classifier.reset_parameters()
    with torch.no_grad():
        for weight in merged.parameters():
            weight += 0.1 * weight.abs().max() * torch.randn_like(weight) * (weight.dim() > 1)

    for model in (loaded(checkpoint), other, head, merged, half.bfloat16().float()):
        assert not overwritten(model)


def test_a_checkpoint_whose_sizes_were_changed(checkpoint: str) -> None:
    def loaded_with(**sizes: int) -> Any:
        with loading_watched():
            load: Any = BertForSequenceClassification.from_pretrained
            return load(checkpoint, ignore_mismatched_sizes=True, **sizes)

    wider = tiny.classifier(model=loaded_with(hidden_size=32))
    assert found(wider)["checkpoint_does_not_fit"] == "fault"
    other_head = tiny.classifier(model=loaded_with(num_labels=5))
    assert "checkpoint_does_not_fit" not in found(other_head)


@pytest.mark.proof
def test_a_body_that_is_frozen_as_it_was_drawn(checkpoint: str) -> None:
    new, trained, in_part = tiny.bert(), tiny.trained(tiny.bert()), tiny.bert()
    for body in (new.bert, trained.bert, in_part.bert.embeddings, loaded(checkpoint).bert):
        body.requires_grad_(False)

    assert found(tiny.classifier(model=new), "step")["frozen_before_training"] == "fault"
    for model in (trained, in_part):
        assert "frozen_before_training" not in found(tiny.classifier(model=model), "step")


class Enough(TrainerCallback):
    """Ends the training where `far` says so of the loss."""

    def __init__(self, far: bool) -> None:
        self.far = far

    def on_evaluate(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        print(f"after epoch {state.epoch:.0f}")
        if (rest["metrics"]["eval_loss"] > 0.1) == self.far:
            control.should_training_stop = True


def test_a_callback_that_ends_the_training_at_a_bad_loss(
    capsys: pytest.CaptureFixture[str],
) -> None:
    upside_down, as_meant = (tiny.classifier(callbacks=[Enough(far)]) for far in (True, False))

    assert found(upside_down, "evaluate")["callback_stops_on_bad"] == "look"
    assert "callback_stops_on_bad" not in found(as_meant, "evaluate")
    assert "after epoch" not in capsys.readouterr().out


SPELLED = """
from tests import tiny
tokenizer = tiny.tokenizer()
texts = tiny.sentences(24)
rows = tiny.pairs(24)
clean = lambda text: " ".join(word for word in {words} if word != "the")
rows = rows.add_column("text_a", texts)
rows = rows.map(lambda row: tokenizer(clean(row["text_a"])), remove_columns=["text_a"])
tiny.classifier(train_dataset=rows, eval_dataset=rows).train()
"""


@pytest.mark.parametrize(("words", "line"), [("text", 6), ("text.split()", None)])
def test_a_text_that_is_gone_through_by_letters(words: str, line: int | None) -> None:
    events: list[Event] = []
    perform(Run(SPELLED.format(words=words), stage="data"), events.append)
    said = [one.line for one in gather(events).findings if one.code == "letters_for_words"]

    assert said == ([] if line is None else [line])


WHOLE = """
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import DataCollatorWithPadding, PreTrainedTokenizerFast
from tests import tiny
texts = [text for text in tiny.sentences(80) if len(text.split()) > 3]
inner = Tokenizer(models.WordLevel(unk_token="[UNK]"))
{splits}
inner.train_from_iterator(texts, trainers.WordLevelTrainer(special_tokens=["[UNK]", "[PAD]"]))
words = PreTrainedTokenizerFast(tokenizer_object=inner, unk_token="[UNK]", pad_token="[PAD]")
rows = Dataset.from_dict({{"text": texts, "label": [n % 3 for n in range(len(texts))]}})
rows = rows.map(lambda batch: words(batch["text"]), batched=True)
tiny.classifier(
    model=tiny.bert(vocab_size=200), train_dataset=rows, processing_class=words,
    data_collator=DataCollatorWithPadding(words),
).train()
"""


@pytest.mark.parametrize(
    ("splits", "line"), [("", 7), ("inner.pre_tokenizer = pre_tokenizers.Whitespace()", None)]
)
def test_a_tokenizer_that_nobody_told_where_words_end(splits: str, line: int | None) -> None:
    events: list[Event] = []
    perform(Run(WHOLE.format(splits=splits), stage="data"), events.append)
    said = [one.line for one in gather(events).findings if one.code == "words_not_split"]

    assert said == ([] if line is None else [line])


SET_LATER = """
from tests import tiny
args = tiny.arguments()
args.{name} = 1e-3
trainer = tiny.classifier(args=args)
{rest}
trainer.train()
"""


@pytest.mark.parametrize(
    ("name", "rest", "meant"),
    [
        ("wd", "", "weight_decay"),
        ("epochs", "", "num_train_epochs"),
        ("weigth_decay", "", "weight_decay"),
        ("wd", "print(args.wd)", None),
        ("note", "", None),
        ("learning_rate", "", None),
    ],
)
def test_a_setting_by_a_name_that_there_is_not(name: str, rest: str, meant: str | None) -> None:
    events: list[Event] = []
    perform(Run(SET_LATER.format(name=name, rest=rest), stage="setup"), events.append)
    found = [one for one in gather(events).findings if one.code == "setting_unknown"]

    assert [(one.line, one.numbers["meant"]) for one in found] == ([(4, meant)] if meant else [])


def test_a_table_that_is_asked_for_what_it_has_not() -> None:
    rows = tiny.pairs(24).map(
        lambda row: {"token_type_ids": [0] + [1] * (len(row["input_ids"]) - 1)}
    )
    codes = found(tiny.classifier(model=tiny.bert(type_vocab_size=1), train_dataset=rows))

    assert codes["number_outside_table"] == "fault"
    assert "forward_failed" not in codes
    assert "number_outside_table" not in found(tiny.classifier(train_dataset=rows))


def test_positions_are_not_taken_for_the_tokens_that_they_are_made_of() -> None:
    """Bart hands its table of positions the tokens, which asks for no more than their shape."""
    shape: dict[str, Any] = {"d_model": 8, "max_position_embeddings": 24}
    for part in ("encoder", "decoder"):
        shape |= {f"{part}_layers": 1, f"{part}_attention_heads": 1, f"{part}_ffn_dim": 8}
    config = BartConfig(vocab_size=40, **shape)
    trainer = tiny.translator()
    trainer.model = BartForConditionalGeneration(config)
    ids = torch.tensor([[4, 30, 6]])
    batch = {"input_ids": ids, "attention_mask": ids > 0, "labels": torch.tensor([[4, 41, 5]])}

    told = outside(trainer, batch)

    assert told is not None
    assert (told.size, told.number) == (40, 41)
    assert outside(trainer, {**batch, "labels": ids}) is None


def test_clipping_by_hand_that_leaves_nothing() -> None:
    class Careful(Trainer):
        most = 1e-9

        def training_step(self, *given: Any, **named: Any) -> Any:
            loss = super().training_step(*given, **named)
            model: Any = self.model
            torch.nn.utils.clip_grad_value_(model.parameters(), self.most)
            return loss

    class Usual(Careful):
        most = 0.5

    assert found(tiny.classifier(trainer_class=Careful), "step")["gradients_cut_away"] == "fault"
    assert "gradients_cut_away" not in found(tiny.classifier(trainer_class=Usual), "step")


def test_callbacks_that_cannot_be_called_as_the_training_calls_them() -> None:
    class Short(TrainerCallback):
        def on_epoch_end(self, args: Any, state: Any, control: Any) -> None:  # pyright: ignore
            pass

    class Rare(TrainerCallback):
        def on_predict(self, args: Any, state: Any, control: Any) -> None:  # pyright: ignore
            pass

    def held(one: Any) -> set[str]:
        trainer = tiny.classifier()
        trainer.add_callback(one)
        return {code for code in found(trainer, "step") if "callback" in code}

    assert held(Short) == held(Short()) == {"callback_takes_less"}
    assert held(None) == held(object()) == {"no_callback"}
    assert held(Rare()) == held(EarlyStoppingCallback) - {"callback_refuses"} == set()


@pytest.mark.proof
def test_early_stopping_with_nothing_to_go_by() -> None:
    class Chatty(TrainerCallback):
        def on_train_begin(self, *given: Any, **named: Any) -> None:
            raise AssertionError("nobody is to ask")

    def stopping(**more: Any) -> dict[str, Severity]:
        args = tiny.arguments(**more)
        trainer = tiny.classifier(args=args, callbacks=[Chatty(), EarlyStoppingCallback(2)])
        return found(trainer, "step")

    known = {"eval_strategy": "epoch", "metric_for_best_model": "accuracy"}
    assert stopping()["callback_refuses"] == "fault"
    assert stopping(metric_for_best_model="accuracy")["callback_refuses"] == "fault"
    assert "callback_refuses" not in stopping(**known)


def test_evaluation_rows_that_were_never_prepared() -> None:
    plain = tiny.pairs(24, start=300).remove_columns(["input_ids", "attention_mask"])
    codes = found(tiny.classifier(eval_dataset=plain), "evaluate")

    assert codes["eval_rows_lack_input"] == "fault"
    assert "eval_rows_lack_input" not in found(tiny.classifier(), "evaluate")


def test_a_handful_of_rows_to_learn_from() -> None:
    few = tiny.classifier(train_dataset=tiny.pairs(8))

    assert found(few, "data")["few_rows"] == "look"
    assert "few_rows" not in found(tiny.classifier(), "data")
    alone = tiny.classifier(train_dataset=tiny.pairs(8), eval_dataset=None)
    assert "few_rows" not in found(alone, "data")


def test_targets_in_words_that_nobody_knows() -> None:
    def translating(target: str) -> Trainer:
        trainer: Any = tiny.translator()
        ids = tiny.tokenizer()(target)["input_ids"]
        rows = trainer.train_dataset.remove_columns("labels").add_column("labels", [ids] * 24)
        trainer.train_dataset, trainer.processing_class = rows, tiny.tokenizer()
        return trainer

    assert found(translating("sol lun arbo"), "data")["unknown_targets"] == "fault"
    assert "unknown_targets" not in found(translating("red dog sings"), "data")


def test_a_training_without_a_batch_or_without_a_step() -> None:
    few = tiny.arguments(dataloader_drop_last=True, per_device_train_batch_size=32)
    none = tiny.classifier(args=few, train_dataset=tiny.pairs(24))

    codes = found(none, "batch")
    assert codes["no_batches"] == "fault"
    assert "batch_failed" not in codes
    assert "no_batches" not in found(tiny.classifier(args=few), "batch")
    never = tiny.classifier(args=tiny.arguments(num_train_epochs=0))
    assert found(never, "step")["never_steps"] == "fault"
    assert "never_steps" not in found(tiny.classifier(), "step")


def test_an_optimizer_that_climbs() -> None:
    def climbing(maximize: bool) -> dict[str, Severity]:
        model = tiny.bert()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, maximize=maximize)
        return found(tiny.classifier(model=model, optimizers=(optimizer, None)), "step")

    assert climbing(True)["optimizer_maximizes"] == "fault"
    assert "optimizer_maximizes" not in climbing(False)


def started(so: str) -> dict[str, int | None]:
    """The lines of what is found in a script whose fourth line starts the training."""
    text = f"import torch\nfrom tests import tiny\ntrainer = tiny.classifier()\n{so}\n"
    events: list[Event] = []
    perform(Run(text, stage="step"), events.append)
    return {one.code: one.line for one in gather(events).findings}


@pytest.mark.proof
def test_gradients_that_are_switched_off_where_the_script_trains() -> None:
    for block in ("no_grad", "inference_mode"):
        assert started(f"with torch.{block}():\n    trainer.train()")["no_gradient"] == 4
    assert "no_gradient" not in started("with torch.enable_grad():\n    trainer.train()")


@pytest.mark.proof
def test_a_checkpoint_to_go_on_from_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "checkpoint-4").mkdir()

    assert started("trainer.train(resume_from_checkpoint=True)")["resumes_from_nothing"] == 4
    assert started("trainer.train(resume_from_checkpoint='no')")["resumes_from_nothing"] == 4
    there = f"trainer.args.output_dir = {str(tmp_path)!r}"
    kept = started(f"{there}; trainer.train(resume_from_checkpoint=True)")
    assert "resumes_from_nothing" not in kept
    assert "resumes_from_nothing" not in started("trainer.train()")


def test_a_training_step_that_forgets_to_go_back() -> None:
    class Forgetful(Trainer):
        def training_step(self, model: Any, inputs: Any, num_items_in_batch: Any = None) -> Any:
            loss: Any = self.compute_loss(model, inputs)
            return loss.detach()

    assert found(tiny.classifier(trainer_class=Forgetful), "step")["no_gradient"] == "fault"


class Thawing(TrainerCallback):
    """Lets the body learn from the second epoch on."""

    def __init__(self, model: Any) -> None:
        self.body = model.bert

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        if round(state.epoch) == 1:
            for weight in self.body.parameters():
                weight.requires_grad = True


class Handing(Thawing):
    def on_epoch_begin(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        super().on_epoch_begin(args, state, control, **rest)
        rest["optimizer"].add_param_group({"params": list(self.body.parameters())})


class FreezingLater(Thawing):
    def on_train_begin(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        self.body.requires_grad_(False)


def test_a_callback_that_thaws_what_the_optimizer_does_not_hold() -> None:
    def said(callback: type[Thawing], before: bool = True, **more: Any) -> set[str]:
        model = tiny.bert()
        if before:
            model.bert.requires_grad_(False)
        made: Any = {name: (make(model), None) for name, make in more.items()}
        codes = set(
            found(tiny.classifier(model=model, callbacks=[callback(model)], **made), "step")
        )
        assert any(weight.requires_grad for weight in model.bert.parameters()) is not before
        return codes

    assert "thawed_without_optimizer" in said(Thawing)
    assert "thawed_without_optimizer" not in said(Handing)
    assert "thawed_without_optimizer" not in said(FreezingLater, before=False)
    assert "thawed_without_optimizer" not in said(
        Thawing, optimizers=lambda model: torch.optim.AdamW(model.parameters(), 1e-3)
    )
