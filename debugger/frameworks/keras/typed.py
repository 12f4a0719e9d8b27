"""The code that a learner can type: the lines beside evidence, the cells of a notebook."""

from __future__ import annotations

from debugger.frameworks.framework import Cells
from debugger.frameworks.opening import COMMON, opening
from debugger.outcome import StageName

_BATCH = "batch = next(iter(train_dataset))"
_LOGITS = f"{_BATCH}\nx, y, _ = tf.keras.utils.unpack_x_y_sample_weight(batch)\noutputs = model(x)"
_PAIRED = "collections.Counter(zip(labels.tolist(), predictions.argmax(axis=1).tolist()))"
SNIPPETS = {
    "setup": "python script.py",
    "data": _BATCH,
    "entry": "for batch in train_dataset:\n    break\ntype(batch), train_dataset.element_spec",
    "first_rows": f"{_BATCH}\nbatch",
    "columns": "tokenized_datasets['train'].column_names\ntrain_dataset.element_spec",
    "decoded": "tokenizer.decode(x['input_ids'][0])",
    "label_counts": "collections.Counter(tokenized_datasets['train']['label'])",
    "batch": _BATCH,
    "collator": "data_collator",
    "row_lengths": "collections.Counter(map(len, tokenized_datasets['train']['input_ids']))",
    "collision": "[len(ids) for ids in tokenized_datasets['train'][:8]['input_ids']]",
    "example": "tokenizer.convert_ids_to_tokens(x['input_ids'][0])",
    "fields": "{name: (t.shape, t.dtype) for name, t in x.items()}",
    "padding": "x['attention_mask']",
    "forward": _LOGITS,
    "head": "model.config.num_labels\ntokenized_datasets['train'].features['label'].names",
    "logits": "outputs.logits.shape",
    "loss_of_each": (
        "rows = map(tf.data.Dataset.from_tensors, train_dataset.take(1).unbatch().batch(1))\n"
        "[model.evaluate(row, verbose=0, return_dict=True)['loss'] for row in rows]"
    ),
    "step": "model.fit(train_dataset.take(2))",
    "blocks": (
        "with tf.GradientTape() as tape:\n"
        "    loss = model.compute_loss(x, y, model(x, training=True).logits)\n"
        "gradients = tape.gradient(loss, model.trainable_variables)\n"
        "[(w.name, tf.norm(g)) for w, g in zip(model.trainable_variables, gradients)]"
    ),
    "optimizer": "model.optimizer.get_config()",
    "plan": "len(train_dataset)\n[one.rate for one in model.submodules if hasattr(one, 'rate')]",
    "evaluate": "model.evaluate(validation_dataset.take(2))",
    "evaluations": "len(train_dataset), model.metrics_names",
    "label_names": ("tokenized_datasets['train'].features['label'].names\nmodel.config.id2label"),
    "into_metric": "predictions = model.predict(validation_dataset.take(2)).logits\n"
    "predictions.shape",
    "metric_answers": "model.evaluate(validation_dataset.take(2), return_dict=True)",
    "overfit": "model.fit(tf.data.Dataset.from_tensors(batch).repeat(20))",
    "memory": "model.fit(tf.data.Dataset.from_tensors(batch).repeat(20))",
    "train": "model.fit(train_dataset, validation_data=validation_dataset)",
    "predicted": _PAIRED,
    "guesses": _PAIRED,
}
SNIPPETS["learning"] = SNIPPETS["train"]

_DOWNLOAD = """
    # Only the weights for TensorFlow: transformers 4.57 cannot read the newer file beside them.
    from huggingface_hub import snapshot_download
    CHECKPOINT = snapshot_download(CHECKPOINT, allow_patterns=["*.json", "*.txt", "tf_model.h5"])
    # PyTorch's triton crashes if it is loaded after TensorFlow.
    from contextlib import suppress
    with suppress(ImportError):
        import triton"""
_LOOKS: dict[StageName, str] = {
    "setup": "type(model), type(model.optimizer), model.loss",
    "data": """\
batch = next(iter(train_dataset))
x, y, _ = tf.keras.utils.unpack_x_y_sample_weight(batch)
print("in x:", list(x), "y:", None if y is None else y.shape)
print(Counter(tokenized_datasets["train"]["label"]))
print(tokenizer.decode(x["input_ids"][0]))
print(tokenized_datasets["train"].features["label"].names)""",
    "batch": """\
print([len(ids) for ids in tokenized_datasets["train"][:8]["input_ids"]])
{name: (tensor.shape, tensor.dtype.name) for name, tensor in x.items()}""",
    "forward": """\
print(model.config.num_labels, model.loss)
inputs = {name: tensor for name, tensor in x.items() if name != "labels"}
labels = x["labels"] if y is None else y
logits = model(inputs).logits
print(logits.shape, float(tf.reduce_min(logits)), float(tf.reduce_max(logits)))
model({**inputs, "labels": labels}).loss, model.test_step(batch)""",
    "step": """\
weights = model.trainable_variables
print(len(weights), "of", len(model.weights), "may change")
with tf.GradientTape() as tape:
    loss = model({**inputs, "labels": labels}, training=True).loss
gradients = tape.gradient(loss, weights)
print(sum(gradient is not None for gradient in gradients), "have a gradient")
model.optimizer.get_config()""",
    "evaluate": """\
predictions = model.predict(validation_dataset.take(2), verbose=0).logits
print(predictions.shape)
model.evaluate(validation_dataset.take(2), verbose=0, return_dict=True)""",
    "overfit": """\
kept, optimizer = model.get_weights(), model.optimizer
model.optimizer = type(optimizer).from_config(optimizer.get_config())
repeated = tf.data.Dataset.from_tensors(batch).repeat(20)
model.fit(repeated, verbose=0)
print(model.evaluate(repeated.take(1), verbose=0, return_dict=True))
model.optimizer, model.train_function = optimizer, None
model.set_weights(kept)""",
}
_FIT = """\
model.fit(train_dataset.take({steps}), validation_data=validation_dataset.take(16))
predictions = model.predict(validation_dataset.take(16), verbose=0).logits
Counter(predictions.argmax(axis=1).tolist())"""

CELLS = Cells(
    opening(
        'os.environ["TF_USE_LEGACY_KERAS"] = "1"  # before TensorFlow is imported',
        "scenarios.assets.keras",
        "tensorflow as tf",
        _DOWNLOAD,
    ),
    _LOOKS,
    _FIT,
    (*COMMON, "tensorflow", "tf-keras"),
)
