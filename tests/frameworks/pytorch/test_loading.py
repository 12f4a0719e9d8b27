"""Where weights come from: a checkpoint, or chance; and what an adapter leaves as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from transformers import (
    AutoConfig,
    BertForSequenceClassification,
    BertModel,
    PretrainedConfig,
    PreTrainedModel,
    Trainer,
)

from debugger import diagnose
from debugger.frameworks.pytorch.loading import is_new, is_pretrained, loading_watched
from debugger.frameworks.pytorch.parts import bodies_of, head_of
from debugger.outcome import NotRun
from tests import tiny, tiny_kinds


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    BertModel(tiny_kinds.config()).save_pretrained(tmp_path)
    return tmp_path


def test_a_model_made_from_the_config_of_a_checkpoint_is_a_fresh_one(checkpoint: Path) -> None:
    with loading_watched():
        config = AutoConfig.from_pretrained(checkpoint, num_labels=3)
        fresh = BertForSequenceClassification(config)
        loaded = BertForSequenceClassification.from_pretrained(checkpoint, num_labels=3)
    assert config._name_or_path
    assert not is_pretrained(fresh)
    assert is_pretrained(loaded)
    assert is_pretrained(nn.ModuleDict({"inside": loaded}))


def test_a_model_that_nobody_saw_being_loaded_is_known_by_its_weights() -> None:
    assert not is_pretrained(tiny.bert())
    assert is_pretrained(tiny.trained(tiny.bert()))
    assert not is_pretrained(nn.Linear(4, 4))


class OfOnesOwn(PreTrainedModel):
    """As people write them: torch fills it."""

    config_class = PretrainedConfig

    def __init__(self, config: Any, body: Any = None) -> None:
        super().__init__(config)
        self.body, self.out = body or nn.Linear(8, 8), nn.Linear(8, 2)


def test_biases_that_torch_drew_are_no_trained_ones() -> None:
    assert not is_pretrained(OfOnesOwn(PretrainedConfig()))
    assert not is_pretrained(OfOnesOwn(PretrainedConfig(), tiny.bert()))
    assert is_pretrained(OfOnesOwn(PretrainedConfig(), tiny.trained(tiny.bert())))


def test_a_rate_for_a_fresh_model_is_not_held_against_a_pretrained_ones(checkpoint: Path) -> None:
    config = AutoConfig.from_pretrained(checkpoint, num_labels=3)
    report = diagnose(tiny.classifier(model=BertForSequenceClassification(config)), stage="step")
    not_run = report.stage("step").not_run
    assert NotRun("learning_rate_too_high", "not_pretrained") in not_run


def test_what_a_caller_asked_from_pretrained_for_is_still_what_it_gets(checkpoint: Path) -> None:
    before = BertModel.from_pretrained
    with loading_watched():
        both: Any = BertModel.from_pretrained(checkpoint, output_loading_info=True)
        model, told = both
        with pytest.raises(Exception, match="nowhere"):
            BertModel.from_pretrained(checkpoint / "nowhere")
    assert isinstance(model, BertModel)
    assert not told["missing_keys"]
    assert BertModel.from_pretrained == before


def test_a_head_that_came_out_of_the_checkpoint_is_not_new(tmp_path: Path) -> None:
    tiny.bert().save_pretrained(tmp_path)
    with loading_watched():
        same = BertForSequenceClassification.from_pretrained(tmp_path)
        other = BertForSequenceClassification.from_pretrained(
            tmp_path, num_labels=5, ignore_mismatched_sizes=True
        )
    assert is_new(same, head_of(same)) is False
    assert is_new(other, head_of(other)) is True
    assert is_new(tiny.bert(), ("classifier.weight",)) is None


class Low(nn.Module):
    """Beside a frozen layer two small ones that learn, as LoRA has it."""

    def __init__(self, base_layer: nn.Linear) -> None:
        super().__init__()
        self.base_layer = base_layer
        self.lora_A = nn.ModuleDict({"default": nn.Linear(base_layer.in_features, 2, bias=False)})
        self.lora_B = nn.ModuleDict({"default": nn.Linear(2, base_layer.out_features, bias=False)})

    def forward(self, x: Any) -> Any:
        return self.base_layer(x) + self.lora_B["default"](self.lora_A["default"](x))


class Saved(nn.Module):
    """A layer kept as it was, and a copy of it that learns."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        copied = nn.Linear(layer.in_features, layer.out_features)
        copied.load_state_dict(layer.state_dict())
        self.original_module = layer
        self.modules_to_save = nn.ModuleDict({"default": copied})

    def forward(self, x: Any) -> Any:
        return self.modules_to_save["default"](x)


class Tuner(nn.Module):
    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model


class Peft(nn.Module):
    """Named as a model of peft is: what it does not know it asks the model inside for."""

    def __init__(self, model: Any, saves: bool) -> None:
        super().__init__()
        for weight in model.parameters():
            weight.requires_grad_(False)
        for layer in model.bert.encoder.layer:
            layer.attention.self.query = Low(layer.attention.self.query)
        if saves:
            model.classifier = Saved(model.classifier)
            model.classifier.modules_to_save.requires_grad_(True)
        self.peft_config: dict[str, Any] = {"default": None}
        self.base_model = Tuner(model)

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.base_model.model, name)

    def forward(self, input_ids: Any = None, attention_mask: Any = None, labels: Any = None) -> Any:
        return self.base_model.model(input_ids, attention_mask=attention_mask, labels=labels)


def adapted(saves: bool) -> Trainer:
    torch.manual_seed(0)
    model: Any = Peft(tiny.trained(tiny.bert()), saves)
    args = tiny.arguments(learning_rate=2e-3, label_names=["labels"])
    return tiny.classifier(model=model, args=args)


def test_body_and_head_of_an_adapted_model_are_those_inside() -> None:
    model: Any = adapted(saves=True).model
    assert bodies_of(model) == ("base_model.model.bert.",)
    copied = "base_model.model.classifier.modules_to_save.default"
    assert head_of(model) == (f"{copied}.weight", f"{copied}.bias")


@pytest.mark.proof
def test_the_rate_of_an_adapter_is_not_held_against_a_whole_models() -> None:
    report = diagnose(adapted(saves=True), stage="all", steps=3)
    codes = {finding.code for finding in report.findings}
    assert not {"learning_rate_too_high", "head_frozen", "stage_unreadable"} & codes
    reason = NotRun("learning_rate_too_high", "adapter_is_trained")
    assert reason in report.stage("step").not_run


def test_a_new_head_that_an_adapter_leaves_frozen_is_found() -> None:
    report = diagnose(adapted(saves=False), stage="step")
    found = {finding.code: finding for finding in report.findings}
    assert found["head_frozen"].numbers == {"head": "classifier"}


def test_training_nothing_but_a_new_head_is_no_matter_of_the_usual_rate() -> None:
    model = tiny.trained(tiny.bert())
    model.bert.requires_grad_(False)
    report = diagnose(tiny.classifier(model=model), stage="step")
    reason = NotRun("learning_rate_too_high", "only_new_is_trained")
    assert reason in report.stage("step").not_run
