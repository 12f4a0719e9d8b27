# Joint intent detection and slot filling for a restaurant's telephone
from scenarios.assets import CHECKPOINT
from transformers import AutoTokenizer, BertConfig, Trainer, TrainingArguments, set_seed

from data import INTENTS, SLOTS, CommandDataset, commands
from modeling import JointBert

SEED = 15


def compute_metrics(p):
    intent_logits, slot_logits = p.predictions
    intents, slots = p.label_ids
    intent_preds = intent_logits.argmax(-1)
    slot_preds = slot_logits.argmax(-1)
    intent_right = intent_preds == intents
    slots_right = ((slot_preds == slots) | (slots == -100)).all(axis=1)
    return {
        "intent_accuracy": float(intent_right.mean()),
        "slots_accuracy": float(slots_right.mean()),
        "frame_accuracy": float((intent_right & slots_right).mean()),
    }


if __name__ == "__main__":
    set_seed(SEED)
    tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
    rows = commands(600, SEED)
    train_dataset = CommandDataset(rows[:480], tokenizer)
    eval_dataset = CommandDataset(rows[480:], tokenizer)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=48,
        pad_token_id=tokenizer.pad_token_id,
    )
    model = JointBert(config, num_intents=len(INTENTS), num_slots=len(SLOTS))
    training_args = TrainingArguments(
        output_dir="telephone",
        learning_rate=2e-3,
        num_train_epochs=5,
        warmup_steps=15,
        weight_decay=0.01,
        per_device_train_batch_size=16,
        per_device_eval_batch_size=60,
        eval_strategy="epoch",
        save_strategy="epoch",
        save_total_limit=1,
        load_best_model_at_end=True,
        metric_for_best_model="frame_accuracy",
        label_names=["intent_labels", "slot_labels"],
        logging_steps=10,
        report_to="none",
        seed=SEED,
    )
    trainer = Trainer(
        model=model,
        args=training_args,
        train_dataset=train_dataset,
        eval_dataset=eval_dataset,
        compute_metrics=compute_metrics,
        processing_class=tokenizer,
    )
    trainer.train()
    print(trainer.evaluate())
