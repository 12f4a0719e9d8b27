"""Does one batch go through? The logits, the loss of each example, and what the head expects."""

from __future__ import annotations

import ast
import math
import re
from typing import Any

from debugger.evidence.plain import plain
from debugger.evidence.tables import pairs, say
from debugger.outcome import Evidence
from debugger.pipelines.face import Pipeline
from debugger.pipelines.facts import Compiled, Facts
from debugger.pipelines.forward import Forward
from debugger.pipelines.targets import IGNORED
from debugger.stages import (
    company,
    endings,
    fitting,
    heads,
    inputs,
    language,
    losses,
    oversights,
    padding,
    shapes,
    targets,
    weights,
    within,
)
from debugger.stages.chance import guessing_costs, shares_of
from debugger.stages.judging import (
    NO_SCRIPT,
    NOT_FOR_THIS_TASK,
    CannotJudge,
    Rule,
    Stage,
    Verdict,
    View,
    fault,
    look,
    snippet,
    traceback_shown,
)
from debugger.stages.refusals import too_long_at

LOSS_FACTOR = 1.5
_WHOLE_WANTED = ("expected scalar type Long", "expected target dtype to be Long")
_SIZE = r"\(torch\.Size\(\[(\d+), (\d+)\]\)\)"
_SIZES = rf"Target size {_SIZE} must be the same as input size {_SIZE}"


def observe(pipeline: Pipeline, *_: Any) -> Forward:
    return pipeline.forward()


def measured(seen: Forward) -> dict[str, Any]:
    return {"first_loss": seen.loss, "logits": list(seen.logits_shape)}


def show(seen: Forward, facts: Facts) -> list[Evidence]:
    shown = traceback_shown("forward", seen.failure, snippet(facts, "forward"))
    names = None if facts.label_names is None else list(facts.label_names)
    head = [
        ("model", facts.model_class),
        ("num_labels", facts.num_labels),
        ("label_names", ", ".join(names) if names else ""),
        ("labels_in_batch", ", ".join(map(plain, seen.labels))),
        ("model_on", facts.device),
        ("batch_on", seen.batch_device),
        *_of_the_loss(seen, facts),
    ]
    shown.append(pairs("head", "forward", head, snippet(facts, "head")))
    if seen.logits_shape:
        logits = {
            "shape": list(seen.logits_shape),
            "dtype": "float32",
            "low": seen.logits_low,
            "high": seen.logits_high,
            "values": [],
        }
        shown.append(Evidence("tensor", "logits", "forward", logits, snippet(facts, "logits")))
    if seen.losses:
        shown.append(_loss_chart(seen, facts))
    if seen.first_logits:
        shown.append(_example(seen, facts))
    return shown


def label_outside_head(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    classes = view.facts.num_labels
    if (refused := _refused(seen)) is not None and classes is None:
        classes = refused
    elif view.facts.task not in ("classification", "tokens") or classes is None or classes < 2:
        return NOT_FOR_THIS_TASK
    if seen.label_range is None or "int" not in seen.label_type:
        return CannotJudge("no_labels")
    low, high = (int(value) for value in seen.label_range)
    if (low >= 0 and high < classes) or _one_output(seen) or fitting.axis_too_many(seen):
        return None
    if view.facts.compiled is None and seen.failure is None and _took_below(seen):
        return None  # a cross-entropy would have failed: this loss has a sign of its own for none
    from_one = low == 1 and high == classes  # nobody has class 0: the labels are to be moved
    places = view.places
    moved = places.written.numbered_from_one() or places.written.labels() or places.fits.labelled()
    line = moved if from_one else None
    label = high if high >= classes else low
    if label < 0:  # a sign that somebody wrote, and no class
        line = view.places.written.labels_from(lambda one: ast.unparse(one) == str(label)) or line
    line = line or _model_line(view)
    return fault(line, label=label, num_labels=classes, last=classes - 1)


def _took_below(seen: Forward) -> bool:
    """Whether the batch that went through had a label below 0 that is not the library's own."""
    return seen.loss is not None and any(label < 0 and label != IGNORED for label in seen.labels)


def label_not_binary(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """One output that says yes or no, and labels that are neither."""
    if view.facts.compiled is None or view.facts.num_labels != 2 or not _one_output(seen):
        return NOT_FOR_THIS_TASK
    if seen.label_range is None:
        return CannotJudge("no_labels")
    low, high = seen.label_range
    if low >= 0 and high <= 1:
        return None
    name = view.facts.compiled.loss
    line = view.places.written.labels() or view.places.fits.labelled() if low < 0 else None
    line = line or view.places.fits.compiled("loss")
    return fault(line, label=high if high > 1 else low, name=name)


def one_label(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """One output on class numbers: no error, a regression on what are only names."""
    if view.facts.num_labels != 1 or view.facts.task not in ("classification", "regression"):
        return None
    names = view.facts.label_names
    if names is None:
        return CannotJudge("no_class_names")
    return fault(_model_line(view), classes=len(names)) if len(names) > 1 else None


def head_and_names_disagree(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    names, outputs = view.facts.label_names, view.facts.num_labels
    if view.facts.task != "classification":
        return NOT_FOR_THIS_TASK
    if names is None or outputs is None:
        return CannotJudge("no_class_names")
    if outputs <= len(names):
        return None
    return fault(_model_line(view), outputs=outputs, classes=len(names))


def shares_as_whole_numbers(seen: Forward, view: View) -> Verdict | None:
    """Yes or no to each of several labels is a share to its loss, and whole numbers are none."""
    failure = seen.failure
    if failure is None or not failure.says("Float can't be cast") or "int" not in seen.label_type:
        return None
    return fault(view.places.written.labels() or failure.line, label_type=seen.label_type)


def wrong_problem_type(seen: Forward, view: View) -> Verdict | None:
    said_better = outputs_for_one_label(seen, view), shares_as_whole_numbers(seen, view)
    if any(isinstance(one, Verdict) for one in said_better):
        return None
    if (wanted := _labels_wanted(seen)) is not None:
        name = view.facts.compiled.loss if view.facts.compiled else ""
        places = view.places
        vectors = None
        if seen.counts == "numbers" and not places.fits.counts_vectors():
            vectors = places.rows.vectors(places.fits.labelled())
        return fault(
            vectors or places.fits.compiled("loss"),
            problem_type=name,
            label_type=seen.label_type,
            labels=str(list(seen.labels_shape)),
            outputs=str(list(seen.logits_shape)),
            wanted=str(wanted),
        )
    if seen.failure is None or not seen.label_type:
        return None
    float_wanted = seen.failure.says("Target size", "must be the same as input size")
    int_wanted = any(map(seen.failure.says, _WHOLE_WANTED)) or seen.failure.says(
        "Expected floating point type for target with class probabilities"
    )
    one_wanted = (
        seen.problem_type == "single_label_classification"
        and not seen.labels
        and seen.failure.says("Expected input batch_size", "to match target batch_size")
    )
    wanted = float_wanted or int_wanted or one_wanted
    if not wanted or label_vector_width(seen, view) is not None:
        return None
    if isinstance(fitting.labels_of_truth(seen, view), Verdict):
        return None  # which says more
    line = view.places.argument("problem_type") or _model_line(view)
    if (float_wanted and "int" in seen.label_type) or _are_whole(seen):
        # They are of the wrong type, not the model.
        made = view.places.written.labels_from(_makes_fractions) if int_wanted else None
        line = made or view.places.written.labels() or line
    return fault(line, problem_type=seen.problem_type or "none", label_type=seen.label_type)


def outputs_for_one_label(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """One yes or no for each row, a loss that wants an answer to it, and two outputs."""
    span = seen.label_range
    if seen.counts != "each" or _labels_wanted(seen) is None or span is None:
        return NOT_FOR_THIS_TASK
    outputs = seen.logits_shape[-1]
    if outputs != 2 or span[0] < 0 or span[1] > 1:
        return None
    name = view.facts.compiled.loss if view.facts.compiled else ""
    return fault(view.output_layer(outputs), name=name)


def label_vector_width(seen: Forward, view: View) -> Verdict | None:
    """Labels of yes and no, one for each output: there are more or fewer of them."""
    found = re.search(_SIZES, seen.failure.message) if seen.failure is not None else None
    if found is None or found[1] != found[3]:
        return None
    return fault(_model_line(view), labels=int(found[2]), outputs=int(found[4]))


def no_head(seen: Forward, view: View) -> Verdict | None:
    """A bare `AutoModel` knows neither labels nor a loss."""
    refuses = seen.failure is not None and seen.failure.says("unexpected keyword argument 'labels'")
    bare = "last_hidden_state" in seen.output_keys and seen.loss is None
    if not (refuses or bare):
        return None
    return fault(view.places.making.model(view.facts.model_class), model=view.facts.model_class)


def picture_size(seen: Forward, view: View) -> Verdict | None:
    """A model knows pictures of one size, and its first layer refuses others."""
    said = seen.failure.message if seen.failure is not None else ""
    found = re.search(r"image size \((\S+)\) doesn't match model \((\S+)\)", said)
    if found is None:
        return None
    line = view.places.argument("image_size") or (seen.failure and seen.failure.line)
    return fault(line or view.places.written.under("pixel_values"), given=found[1], wanted=found[2])


def channels_last(seen: Forward, view: View) -> Verdict | None:
    """Pictures as they lie in a file: height, width, colours. The models read the colours first."""
    shape, channels = seen.inputs_shape, seen.channels
    if seen.failure is None:
        return None
    shape, channels = fitting.refused_channels(seen.failure) or (shape, channels)
    if len(shape) != 4 or channels is None or shape[1] == channels or shape[-1] != channels:
        return None
    places, name = view.places, view.facts.main_input
    line = places.preparing.prepared(name) or places.written.turned_under(name)
    line = line or seen.failure.line
    return fault(line, given=str(list(shape)), channels=channels)


def label_for_each_token(seen: Forward, view: View) -> Verdict | None:
    if seen.failure is None or "int" not in seen.label_type or view.facts.task != "classification":
        return None
    if len(seen.labels_shape) != 2 or seen.labels_shape != seen.inputs_shape:
        return None
    name = view.facts.model_class
    line = view.places.call(f".{name}", "Classification.from_pretrained", "from_config")
    return fault(line or _model_line(view), labels=seen.labels_shape[1], model=name)


def no_loss(seen: Forward, view: View) -> Verdict | None:
    if seen.failure is None or not seen.failure.says("did not return a loss"):
        return None
    if "last_hidden_state" in seen.output_keys:
        return None
    return fault(view.places.argument("train_dataset"), keys=", ".join(seen.output_keys))


def ids_outside_vocabulary(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    if seen.highest_id is None or seen.vocabulary is None:
        return NOT_FOR_THIS_TASK
    if seen.highest_id < seen.vocabulary:
        return None
    places = view.places
    line = None if view.facts.pretrained else places.argument_in("Config", "vocab_size")
    if view.facts.compiled is not None:
        line = line or places.origins.table(seen.vocabulary, follow=True)
        line = line or places.argument_in("Embedding", "input_dim") or places.call("Embedding")
    line = line or places.call("add_tokens") or places.call("AutoTokenizer.from_pretrained")
    return fault(line, highest=seen.highest_id, vocabulary=seen.vocabulary)


def too_long(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    positions = view.facts.positions
    if seen.length is None or positions is None:
        return NOT_FOR_THIS_TASK
    if seen.failure is None or seen.length <= positions:
        return None
    line = too_long_at(view, seen.length, positions)
    return fault(line, length=seen.length, positions=positions)


def number_outside_table(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Kinds of segments, positions, categories: each table of a model has only so many entries."""
    table = seen.outside
    if table is None or seen.failure is None:
        return None
    if isinstance(ids_outside_vocabulary(seen, view), Verdict) or isinstance(
        too_long(seen, view), Verdict
    ):
        return None  # which say more
    places = view.places
    drawn = None if view.facts.pretrained else places.configured(table.size, *table.settings)
    line = drawn or places.origins.table(table.size)
    if line is None and view.facts.pretrained:
        line = places.call("Tokenizer.from_pretrained", "TokenizerFast.from_pretrained")
    if line is None and not view.facts.pretrained:
        told = (places.argument_in("Config", name) for name in table.settings)
        line = next(filter(None, told), None)
    field = table.field or "inputs"
    numbers = {"field": field, "where": table.where, "number": table.number, "size": table.size}
    return fault(line or seen.failure.line, **numbers)


def nan_at_labels(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """A compiled loss does not refuse a label outside the head: it makes nan of it, and no more."""
    if not seen.nan_rows:
        return None
    if not _explained(seen, view):
        return CannotJudge("nan_elsewhere")
    label = int(seen.labels[seen.nan_rows[0]])
    rows = ", ".join(map(str, seen.nan_rows))
    classes = view.facts.num_labels or 0
    return fault(_model_line(view), label=label, rows=rows, num_labels=classes, last=classes - 1)


def loss_expects_probabilities(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """The default of Keras is from_logits=False. Logits are then clipped as if they were shares."""
    if seen.expects != "probabilities" or seen.failure is not None:
        return None
    if seen.gives is None:
        return CannotJudge("no_loss_here")
    if seen.gives == "probabilities":
        return None
    low, high = seen.logits_low, seen.logits_high
    compiled = view.facts.compiled or Compiled()
    given = compiled.strings.get("loss", "")
    line = _unended(given, view) or view.places.fits.compiled("loss")
    return fault(line, loss=seen.loss, low=low, high=high, given=given, name=compiled.loss)


def _unended(given: str, view: View) -> int | None:
    """Where the last layer is made, if it is that which was to end in probabilities: a loss by
    name, which cannot be told of logits, or a threshold for shares behind the training say so."""
    places, made = view.places, view.facts.layers_at.get(view.facts.last_layer)
    if made is None or places.layers.made_at(*made) is None:
        return None
    cut = any(0 < one.at < 1 for one in places.cuts)
    squashed = places.call("nn.softmax", "nn.sigmoid", "activations.softmax", "activations.sigmoid")
    meant = cut or (given and squashed is None)
    return view.layer(view.facts.last_layer, "activation") if meant else None


def softmax_twice(seen: Forward, view: View) -> Verdict | None:
    """Probabilities into a loss that was told to expect logits: it flattens them once more."""
    if seen.expects != "logits" or seen.gives != "probabilities" or seen.recovers:
        return None
    name = view.facts.compiled.loss if view.facts.compiled else ""
    return fault(
        view.places.argument("from_logits") or view.places.fits.compiled("loss"), name=name
    )


def logits_behind_probabilities(seen: Forward, view: View) -> Verdict | None:
    """Keras remembers what its own softmax was given, and takes that: nothing is lost here."""
    if seen.expects != "logits" or not seen.recovers:
        return None
    name = view.facts.compiled.loss if view.facts.compiled else ""
    return look(view.places.argument("from_logits") or view.places.fits.compiled("loss"), name=name)


def nan_forward(seen: Forward, view: View) -> Verdict | None:
    if not seen.nan_weights:
        return None
    return fault(None, where=seen.nan_weights[0], weights=len(seen.nan_weights))


def nan_from_inputs(seen: Forward, view: View) -> Verdict | None:
    """No weight is to blame for what stands in the rows."""
    if seen.nan_inputs is None or _nan_at(seen) is None:
        return None
    name, rows, of = seen.nan_inputs
    line = view.places.emptied() or view.places.call(".to_numpy", ".from_numpy")
    return fault(line, name=name, rows=rows, of=of)


def nan_made(seen: Forward, view: View) -> Verdict | None:
    """Of finite rows and finite weights."""
    where = _nan_at(seen)
    if where is None or seen.nan_weights or seen.nan_inputs is not None:
        return None
    explained = seen.nan_rows and _explained(seen, view)
    explained = explained or isinstance(losses.logarithm_of_answers(seen, view), Verdict)
    return None if explained else fault(None, where=where)


def _nan_at(seen: Forward) -> str | None:
    lost = seen.loss is not None and not math.isfinite(seen.loss)
    return seen.nan_starts_at or ("loss" if lost else None)


def trained_already(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Another Trainer trained this very model. Stages of a recipe differ in rows or in weights."""
    if not view.has_script:
        return NO_SCRIPT
    earlier = seen.earlier
    if earlier is None or 2 * earlier.moved < earlier.tensors:
        return None
    return (fault if earlier.same_task else look)(
        earlier.built_line,
        before=earlier.line,
        steps=earlier.steps,
        planned=earlier.planned,
        moved=earlier.moved,
        tensors=earlier.tensors,
    )


def weights_left_behind(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """A config knows the shape of a checkpoint, and none of its weights. That may be meant."""
    source = seen.configured_like
    if view.facts.pretrained or not source:
        return None
    places = view.places
    line = places.argument_in("load_state_dict", "strict") or places.call(".from_config")
    line = line or places.call("Config.from_pretrained")
    return look(line, name=source.rpartition("/")[2])


def first_loss_off(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """A fresh head guesses: its loss lies near ln(classes). Far above, something counts wrongly."""
    classes = view.facts.num_labels
    if view.facts.task != "classification" or classes is None or classes < 2:
        return NOT_FOR_THIS_TASK
    if seen.counts_otherwise or seen.label_smoothing:
        return CannotJudge("own_loss")
    if seen.loss is None or not math.isfinite(seen.loss):
        return CannotJudge("no_loss_here")
    chance = math.log(classes)
    # Where most rows are of one class, scores that happen to lean towards it cost less.
    least = min(chance, max(chance / 2, guessing_costs(shares_of(map(str, seen.labels)))))
    if least / LOSS_FACTOR <= seen.loss <= chance * LOSS_FACTOR:
        return None
    if isinstance(weights.sure_before_training(seen, view), Verdict):
        return None  # which says why
    return look(_model_line(view), loss=seen.loss, chance=chance, classes=classes)


RULES: tuple[Rule, ...] = (
    label_outside_head,
    label_not_binary,
    one_label,
    head_and_names_disagree,
    outputs_for_one_label,
    shares_as_whole_numbers,
    wrong_problem_type,
    label_vector_width,
    no_head,
    no_loss,
    picture_size,
    channels_last,
    label_for_each_token,
    ids_outside_vocabulary,
    too_long,
    number_outside_table,
    *fitting.OF_A_MODEL,
    nan_at_labels,
    loss_expects_probabilities,
    softmax_twice,
    logits_behind_probabilities,
    nan_forward,
    nan_from_inputs,
    nan_made,
    trained_already,
    weights_left_behind,
    *weights.RULES,
    *endings.RULES,
    *heads.RULES,
    *shapes.RULES,
    *losses.RULES,
    *company.RULES,
    first_loss_off,
    inputs.column_dropped,
    *oversights.OF_A_MODEL,
    *padding.OF_A_MODEL,
    *inputs.OF_A_MODEL,
    *language.OF_A_LOSS,
    *targets.OF_A_LOSS,
    *within.RULES,
)
FORWARD = Stage(
    "forward", observe, show, measured, RULES, blocks=("step", "evaluate", "overfit", "train")
)


def _are_whole(seen: Forward) -> bool:
    """Class numbers that are written as fractions."""
    return bool(seen.labels) and all(isinstance(y, float) and y.is_integer() for y in seen.labels)


def _refused(seen: Forward) -> int | None:
    """How many classes a model of one's own answers with, whose loss refuses a label."""
    known = seen.failure is not None and re.search(
        r"Target -?\d+ is out of bounds", seen.failure.message
    )
    places = seen.logits_shape[:-1]
    if not known or not places or places != seen.labels_shape[: len(places)]:
        return None
    return seen.logits_shape[-1]


def _makes_fractions(value: ast.expr) -> bool:
    said = ast.unparse(value)
    return (
        said.startswith("float(") or re.search(r"float(32|64)?\)$|\.float\(\)$", said) is not None
    )


def _one_output(seen: Forward) -> bool:
    return len(seen.logits_shape) == 2 and seen.logits_shape[1] == 1


def _labels_wanted(seen: Forward) -> list[int] | None:
    """The shape that a loss of Keras takes labels in, where they, or the outputs, have another."""
    outputs, labels = list(seen.logits_shape), list(seen.labels_shape)
    if seen.counts is None or len(outputs) < 2 or not labels:
        return None
    several = outputs[-1] > 1
    numbers = labels in (outputs[:-1], [*outputs[:-1], 1])
    if seen.counts == "numbers":
        return outputs[:-1] if not several or labels == outputs else None
    if seen.counts == "vectors" and not several:
        return [*outputs[:-1], 2]
    return outputs if several and numbers else None


def _explained(seen: Forward, view: View) -> bool:
    """Whether the loss is nan exactly where the label is outside the head."""
    classes = view.facts.num_labels or 0
    outside = [row for row, y in enumerate(seen.labels) if not 0 <= y < classes]
    return bool(seen.nan_rows) and list(seen.nan_rows) == outside


def _of_the_loss(seen: Forward, facts: Facts) -> list[tuple[str, Any]]:
    compiled = facts.compiled
    if compiled is None:
        return []
    expects = [("loss_expects", seen.expects)] if seen.expects else []
    gives = [("model_gives", seen.gives)] if seen.gives else []
    string = compiled.strings.get("loss") and compiled.defaults.get("loss")
    left = [("given_as_string", string)] if string else []
    return [("loss", compiled.loss or say("models_own")), *left, *expects, *gives]


def _model_line(view: View) -> int | None:
    """Where the model is made; where several are, the last of them is the one that trains.

    Names that a config is given before that come first: however many they are, so many outputs.
    """
    made = view.places.calls(
        "ForSequenceClassification.from_pretrained",
        "ForTokenClassification.from_pretrained",
        "ForImageClassification.from_pretrained",
        "Classification.from_config",
    )
    named = view.places.assignment("id2label")
    if named is not None and made and named < made[-1]:
        return named
    if len(made) > 1:
        return view.places.argument_at("num_labels", made[-1])
    line = view.places.argument("num_labels")
    config = view.places.call("Config.from_pretrained") if line is None else None
    handed = config is not None and config == view.places.origin("config")
    line = line or (config if handed else next(iter(made), None))
    if line is None and view.facts.compiled is not None and view.facts.num_labels:
        line = view.output_layer(view.facts.num_labels)
    making, kind = view.places.making, view.facts.model_class
    return line or making.config(kind) or making.model(kind)


def _example(seen: Forward, facts: Facts) -> Evidence:
    """What the model says of the batch's first example."""
    rows: list[list[Any]] = [[say("logits"), [round(value, 3) for value in seen.first_logits]]]
    if seen.labels:
        rows.append([say("label"), seen.labels[0]])
    if seen.losses:
        rows.append([say("loss"), seen.losses[0]])
    typed = snippet(facts, "logits")
    return Evidence("example", "example_forward", "forward", {"rows": rows}, typed)


def _loss_chart(seen: Forward, facts: Facts) -> Evidence:
    points = [[row, loss] for row, loss in enumerate(seen.losses)]
    classes = facts.num_labels or 0
    marks = {"chance": math.log(classes)} if classes > 1 else {}
    data = {"series": {"loss": points}, "marks": marks, "labels": [str(y) for y in seen.labels]}
    return Evidence("chart", "loss_of_each", "forward", data, snippet(facts, "loss_of_each"))
