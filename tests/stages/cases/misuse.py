"""Cases of the rules in stages/misuse.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.failure import Failure, Frame
from debugger.failure import Held as Name
from debugger.stages import misuse
from tests.stages.cases.seen import Case, Crashed, failed, of_crash

MEASURES_BARE = Failure(
    "AttributeError",
    "'float' object has no attribute 'items'",
    (Frame("trainer.py", 90, "evaluation_loop", "", False),),
    None,
)

TUPLED = replace(
    failed("AttributeError", "'tuple' object has no attribute 'seed'"),
    held=(Name("args", "tuple"),),
)

SHUFFLED = """
import random
rows = list(range(8))
rows = random.shuffle(rows)


print(rows[0])
"""

CASES = [
    Case(
        misuse.comma_makes_tuple,
        Crashed(TUPLED),
        {"failure": replace(TUPLED, held=())},
        script="args = Arguments(\n    1,\n),\n\n\n\nTrainer(args=args)",
        says={"name": "args"},
    ),
    Case(
        misuse.comma_makes_tuple,
        Crashed(replace(TUPLED, message="slice indices must be integers or None")),
        {"failure": replace(TUPLED, held=())},
        script="args = Arguments(\n    1,\n),\n\n\n\nTrainer(args=args)",
        says={"name": "args"},
    ),
    of_crash(
        misuse.eager_switched_off,
        "AttributeError",
        "'SGD' object has no attribute 'get_updates'",
        "tf.compat.v1.disable_eager_execution()",
    ),
    of_crash(
        misuse.nothing_returned,
        "TypeError",
        "'NoneType' object is not subscriptable",
        "def made():\n    list()\n\n\n\nrows = made()\nprint(rows[0])",
        call="made",
    ),
    of_crash(
        misuse.rows_without_names,
        "TypeError",
        "vars() argument must have __dict__ attribute",
        "def __getitem__(self, place):\n    return 1, 2",
    ),
    Case(
        misuse.metric_gives_no_names,
        Crashed(MEASURES_BARE),
        {"failure": replace(MEASURES_BARE, frames=())},
        script="def measure(p):\n    return 0.5\nTrainer(compute_metrics=measure)",
        says={"kind": "float"},
    ),
    of_crash(
        misuse.parent_not_begun,
        "AttributeError",
        "'Mine' object has no attribute 'args'",
        "class Mine(Trainer):\n    def __init__(self, model):\n        self.model = model",
        name="__init__",
    ),
    of_crash(
        misuse.class_without_method,
        "TypeError",
        "object of type 'Rows' has no len()",
        "class Rows(Dataset):\n    def __getitem__(self, place):\n        return {}",
        name="Rows",
        method="__len__",
    ),
    of_crash(
        misuse.not_in_a_list,
        "TypeError",
        "'Mine' object is not iterable",
        "\n\n\n\n\n\nTrainer(callbacks=Mine())",
        name="callbacks",
        kind="Mine",
    ),
    of_crash(
        misuse.text_for_number,
        "TypeError",
        "'<=' not supported between instances of 'float' and 'str'",
        "\n\n\n\n\nparser.add_argument('--lr', default='1e-3')\nargs = Arguments(rate=options.lr)",
        name="--lr",
    ),
    of_crash(
        misuse.gone_through_once,
        "ValueError",
        "optimizer got an empty parameter list",
        script="own = filter(trained, model.parameters())\nprint(sum(own))\nAdamW(own)",
        name="own",
    ),
    of_crash(
        misuse.loss_made_not_called,
        "RuntimeError",
        "Boolean value of Tensor with more than one value is ambiguous",
        script="\n" * 6 + "loss = nn.CrossEntropyLoss(scores, labels)",
        name="CrossEntropyLoss",
    ),
    of_crash(
        misuse.rows_never_filled,
        "ValueError",
        "Failed to convert a NumPy array to a Tensor (Unsupported object type numpy.ndarray).",
        script="enc = tokenizer(notes, return_tensors='np')",
        at=7,
    ),
    of_crash(
        misuse.parts_of_other_lengths,
        "ValueError",
        "setting an array element with a sequence. The requested array has an inhomogeneous shape"
        " after 2 dimensions. The detected shape was (420, 2) + inhomogeneous part.",
        script="w = nltk.word_tokenize(pattern)\ntraining = np.array(training)",
        rows=420,
        parts=2,
    ),
    of_crash(
        misuse.layer_of_other_keras,
        "TypeError",
        "The added layer must be an instance of class Layer. Received: layer=<Conv2D name=conv2d,"
        " built=False> of type <class 'keras.src.layers.convolutional.conv2d.Conv2D'>.",
        script="from tensorflow.keras import models\nfrom keras import layers",
        at=7,
        other="keras",
        known="tensorflow.keras",
    ),
    of_crash(
        misuse.layer_of_other_keras,
        "ValueError",
        "Only instances of `keras.Layer` can be added to a Sequential model. Received:"
        " <tf_keras.src.layers.core.dense.Dense object> (of type <class 'tf_keras.src'>)",
        script="from keras import Sequential\nfrom tensorflow.keras import layers",
        at=7,
        other="tensorflow.keras",
        known="keras",
    ),
    of_crash(
        misuse.metric_of_other_keras,
        "AttributeError",
        "'Variable' object has no attribute '_distribute_strategy'",
        script="from keras.metrics import Precision",
        at=7,
    ),
    of_crash(
        misuse.file_of_other_sizes,
        "RuntimeError",
        "Error(s) in loading state_dict for Linear:\n\tsize mismatch for bias: copying a param with"
        " shape torch.Size([2]) from checkpoint, the shape in current model is torch.Size([3]).",
        name="bias",
        there="[2]",
        here="[3]",
    ),
    of_crash(
        misuse.optimizer_of_nothing,
        "ValueError",
        "optimizer got an empty parameter list",
        script="for weight in model.parameters():\n    weight.requires_grad = False",
    ),
    of_crash(
        misuse.no_rows_left,
        "ValueError",
        "num_samples should be a positive integer value, but got num_samples=0",
    ),
    of_crash(
        misuse.nothing_held,
        "TypeError",
        "'NoneType' object is not subscriptable",
        SHUFFLED,
        name="rows",
        call="shuffle",
        at=7,
    ),
]
