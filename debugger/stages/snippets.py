"""The few lines that show a learner the same evidence in a notebook, in either framework."""

from __future__ import annotations

from debugger.pipelines.face import Facts

_LOADER = "for batch in trainer.get_train_dataloader():\n    break"
_OUTPUTS = "batch = next(iter(trainer.get_train_dataloader()))\noutputs = trainer.model(**batch)"
_PYTORCH = {
    "setup": "python script.py",
    "data": "trainer.train_dataset[0]",
    "first_rows": "trainer.train_dataset[0]\ntrainer.train_dataset.features",
    "columns": "trainer._remove_unused_columns(trainer.train_dataset)",
    "decoded": "tokenizer.decode(trainer.train_dataset[0]['input_ids'])",
    "label_counts": "collections.Counter(trainer.train_dataset['label'])",
    "batch": _LOADER,
    "collator": "trainer.data_collator",
    "row_lengths": "collections.Counter(len(row['input_ids']) for row in trainer.train_dataset)",
    "fields": f"{_LOADER}\n{{k: v.shape for k, v in batch.items()}}",
    "padding": "batch['attention_mask']",
    "forward": _OUTPUTS,
    "head": "trainer.model.config.num_labels\ntrainer.train_dataset.features['label'].names",
    "logits": "outputs.logits.shape",
    "loss_of_each": (
        f"{_OUTPUTS}\n"
        "torch.nn.functional.cross_entropy(outputs.logits, batch['labels'], reduction='none')"
    ),
    "step": "trainer.train()",
    "blocks": (
        "loss = trainer.model(**batch).loss\nloss.backward()\n"
        "[(n, p.grad.norm()) for n, p in trainer.model.named_parameters()]\n"
        "trainer.create_optimizer()\ntrainer.optimizer.step()"
    ),
    "optimizer": "trainer.args.learning_rate",
    "evaluate": "trainer.evaluate()",
    "evaluations": "trainer.args.eval_strategy, trainer.args.eval_steps, trainer.compute_metrics",
    "label_names": (
        "trainer.train_dataset.features['label'].names\n"
        "trainer.eval_dataset.features['label'].names\n"
        "trainer.model.config.id2label"
    ),
    "into_metric": (
        "predictions, labels, _ = trainer.predict(trainer.eval_dataset.select(range(32)))\n"
        "predictions.shape, labels.shape"
    ),
    "metric_answers": "compute_metrics((predictions, labels))",
    "overfit": "trainer.train()",
    "memory": (
        "for _ in range(20):\n"
        "    trainer.model(**batch).loss.backward()\n"
        "    trainer.optimizer.step()\n"
        "    trainer.optimizer.zero_grad()"
    ),
    "train": "trainer.train()",
    "predicted": "collections.Counter(predictions.argmax(axis=1))",
}
_BATCH = "batch = next(iter(train_dataset))"
_LOGITS = f"{_BATCH}\nx, y, _ = tf.keras.utils.unpack_x_y_sample_weight(batch)\noutputs = model(x)"
_KERAS = {
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
    "fields": "{name: (t.shape, t.dtype) for name, t in x.items()}",
    "padding": "x['attention_mask']",
    "forward": _LOGITS,
    "head": "model.config.num_labels\ntokenized_datasets['train'].features['label'].names",
    "logits": "outputs.logits.shape",
    "loss_of_each": (
        f"{_LOGITS}\n"
        "tf.keras.losses.sparse_categorical_crossentropy(y, outputs.logits, from_logits=True)"
    ),
    "step": "model.fit(train_dataset.take(2))",
    "blocks": (
        "with tf.GradientTape() as tape:\n"
        "    loss = model.compute_loss(x, y, model(x, training=True).logits)\n"
        "gradients = tape.gradient(loss, model.trainable_variables)\n"
        "[(w.name, tf.norm(g)) for w, g in zip(model.trainable_variables, gradients)]"
    ),
    "optimizer": "model.optimizer.get_config()",
    "evaluate": "model.evaluate(validation_dataset.take(2))",
    "evaluations": "len(train_dataset), model.metrics_names",
    "label_names": ("tokenized_datasets['train'].features['label'].names\nmodel.config.id2label"),
    "into_metric": "predictions = model.predict(validation_dataset.take(2)).logits\n"
    "predictions.shape",
    "metric_answers": "model.evaluate(validation_dataset.take(2), return_dict=True)",
    "overfit": "model.fit(tf.data.Dataset.from_tensors(batch).repeat(20))",
    "memory": "model.fit(tf.data.Dataset.from_tensors(batch).repeat(20))",
    "train": "model.fit(train_dataset, validation_data=validation_dataset)",
    "predicted": "collections.Counter(predictions.argmax(axis=1))",
}
_KERAS["learning"] = _KERAS["train"]
_PYTORCH["learning"] = _PYTORCH["train"]


def snippet(facts: Facts, code: str) -> str:
    """For a stage (its traceback) or an evidence code; empty where there is nothing to type."""
    return (_KERAS if facts.framework == "keras" else _PYTORCH).get(code, "")
