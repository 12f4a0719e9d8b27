"""The code that a learner can type: the lines beside evidence, the cells of a notebook."""

from __future__ import annotations

from debugger.frameworks.framework import Cells
from debugger.frameworks.opening import COMMON, opening
from debugger.outcome import StageName

_LOADER = "for batch in trainer.get_train_dataloader():\n    break"
_OUTPUTS = "batch = next(iter(trainer.get_train_dataloader()))\noutputs = trainer.model(**batch)"
_PAIRED = "collections.Counter(zip(labels.tolist(), predictions.argmax(axis=1).tolist()))"
SNIPPETS = {
    "setup": "python script.py",
    "data": "trainer.train_dataset[0]",
    "first_rows": "trainer.train_dataset[0]\ntrainer.train_dataset.features",
    "columns": "trainer._remove_unused_columns(trainer.train_dataset)",
    "decoded": "tokenizer.decode(trainer.train_dataset[0]['input_ids'])",
    "label_counts": "collections.Counter(trainer.train_dataset['label'])",
    "batch": _LOADER,
    "collator": "trainer.data_collator",
    "row_lengths": "collections.Counter(len(row['input_ids']) for row in trainer.train_dataset)",
    "collision": "[len(ids) for ids in trainer.train_dataset[:8]['input_ids']]",
    "example": "tokenizer.convert_ids_to_tokens(batch['input_ids'][0])",
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
    "plan": (
        "trainer.create_optimizer_and_scheduler(num_training_steps=100)\n"
        "[trainer.lr_scheduler.lr_lambdas[0](step) for step in range(100)]"
    ),
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
    "predicted": _PAIRED,
    "guesses": _PAIRED,
}
SNIPPETS["learning"] = SNIPPETS["train"]

# The course's own lines for each stage. Copies leave what the script built as it was.
_LOOKS: dict[StageName, str] = {
    "setup": "type(trainer.model), trainer.args.device",
    "data": """\
example = trainer.train_dataset[0]
print(example)
print(Counter(trainer.train_dataset["label"]))
print(tokenizer.decode(example["input_ids"]))
print(len(example["input_ids"]), example["attention_mask"])
print(trainer.train_dataset.features["label"].names[example["label"]])""",
    "batch": """\
print([len(ids) for ids in trainer.train_dataset[:8]["input_ids"]])
collate = trainer.get_train_dataloader().collate_fn
print(getattr(collate, "__name__", type(collate).__name__))
batch = next(iter(trainer.get_train_dataloader()))
{name: tensor.shape for name, tensor in batch.items()}""",
    "forward": """\
print(trainer.model.config.num_labels)
print(trainer.train_dataset.features["label"].names)
batch = {name: tensor.cpu() for name, tensor in batch.items()}
outputs = copy.deepcopy(trainer.model).cpu()(**batch)
outputs.loss, outputs.logits.shape""",
    "step": """\
model = copy.deepcopy(trainer.model).cpu()
weights = list(model.parameters())
print(sum(p.requires_grad for p in weights), "of", len(weights), "may change")
model(**batch).loss.backward()
print(sum(p.grad is not None for p in weights), "have a gradient")
trainer.create_optimizer()
groups = trainer.optimizer.param_groups
held = {id(weight) for group in groups for weight in group["params"]}
names = [n for n, p in trainer.model.named_parameters() if id(p) not in held]
print("not in the optimizer:", names)
[group["lr"] for group in groups]""",
    "evaluate": """\
eval_batch = next(iter(trainer.get_eval_dataloader()))
with torch.no_grad():
    outputs = trainer.model(**eval_batch)
predictions = outputs.logits.cpu().numpy()
labels = eval_batch["labels"].cpu().numpy()
print(predictions.shape, labels.shape)
trainer.compute_metrics((predictions, labels))""",
    "overfit": """\
model = copy.deepcopy(trainer.model).cpu().train()
optimizer = torch.optim.AdamW(
    model.parameters(), lr=trainer.args.learning_rate
)
for _ in range(20):
    outputs = model(**batch)
    outputs.loss.backward()
    optimizer.step()
    optimizer.zero_grad()
right = outputs.logits.argmax(dim=-1) == batch["labels"]
outputs.loss.item(), right.float().mean().item()""",
}
_TRAIN = """\
trainer.args.max_steps = {steps}
trainer.args.logging_steps = 10
trainer.eval_dataset = trainer.eval_dataset.select(range(256))
trainer.train()
predictions = trainer.predict(trainer.eval_dataset).predictions
Counter(predictions.argmax(axis=1).tolist())"""
CELLS = Cells(
    opening('os.environ.setdefault("USE_TF", "0")', "scenarios.assets", "torch"),
    _LOOKS,
    _TRAIN,
    (*COMMON, "accelerate"),
)
