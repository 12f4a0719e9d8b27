# Find people and cities in short notices (token classification)
from scenarios.assets import CHECKPOINT
import numpy as np
from datasets import ClassLabel, Dataset, Features, Sequence, Value
from transformers import AutoTokenizer, DataCollatorForTokenClassification, Trainer, TrainingArguments
from transformers import BertConfig, BertForTokenClassification

label_names = ["O", "B-PER", "I-PER", "B-LOC"]
people = [["Anna", "Schmidt"], ["Bob"], ["Carla", "Rossi"], ["Dimitri", "Volkov"], ["Elif"], ["Farid", "Haddad"],
          ["Greta"], ["Hugo", "Marin"], ["Ines", "Costa"], ["Jun"]]
cities = ["Paris", "Nairobi", "Lima", "Oslo", "Hanoi", "Quito", "Turin", "Accra", "Osaka", "Bergen"]
frames = ["{p} moved to {c} last year", "in {c} everybody knows {p}", "the mayor of {c} met {p} again",
          "yesterday {p} sang", "nothing happened in {c}", "{p} and {p} left {c} early"]

rng = np.random.RandomState(5)


def sentence():
    words, tags = [], []
    for piece in frames[rng.randint(len(frames))].split():
        if piece == "{p}":
            name = people[rng.randint(len(people))]
            words += name
            tags += [1] + [2] * (len(name) - 1)
        elif piece == "{c}":
            words.append(cities[rng.randint(len(cities))])
            tags.append(3)
        else:
            words.append(piece)
            tags.append(0)
    return {"tokens": words, "ner_tags": tags}


features = Features(tokens=Sequence(Value("string")), ner_tags=Sequence(ClassLabel(names=label_names)))
different = {}
while len(different) < 520:
    made = sentence()
    different[" ".join(made["tokens"])] = made
all_rows = list(different.values())
raw_train = Dataset.from_list(all_rows[:400], features=features)
raw_valid = Dataset.from_list(all_rows[400:], features=features)

tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)


def align_labels_with_tokens(labels, word_ids):
    new_labels = []
    current_word = None
    for word_id in word_ids:
        if word_id != current_word:
            current_word = word_id
            label = -100 if word_id is None else labels[word_id]
            new_labels.append(label)
        elif word_id is None:
            new_labels.append(-100)
        else:
            label = labels[word_id]
            if label == 1:
                label = 2
            new_labels.append(label)
    return new_labels


def tokenize_and_align_labels(examples):
    tokenized_inputs = tokenizer(examples["tokens"], truncation=True, is_split_into_words=True)
    all_labels = examples["ner_tags"]
    new_labels = []
    for i, labels in enumerate(all_labels):
        word_ids = tokenized_inputs.word_ids(i)
        new_labels.append(align_labels_with_tokens(labels, word_ids))
    tokenized_inputs["labels"] = new_labels
    return tokenized_inputs


train_dataset = raw_train.map(tokenize_and_align_labels, batched=True, remove_columns=raw_train.column_names)
valid_dataset = raw_valid.map(tokenize_and_align_labels, batched=True, remove_columns=raw_valid.column_names)
data_collator = DataCollatorForTokenClassification(tokenizer=tokenizer)

id2label = {i: label for i, label in enumerate(label_names)}
label2id = {v: k for k, v in id2label.items()}
config = BertConfig(
    vocab_size=len(tokenizer), hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
    intermediate_size=96, max_position_embeddings=64, id2label=id2label, label2id=label2id,
)
model = BertForTokenClassification(config)


def compute_metrics(eval_preds):
    logits, labels = eval_preds
    predictions = np.argmax(logits, axis=-1)
    kept = labels != -100
    named = kept & (labels > 0)
    found = kept & (predictions > 0)
    right = named & (predictions == labels)
    precision = right.sum() / max(found.sum(), 1)
    recall = right.sum() / max(named.sum(), 1)
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / max(precision + recall, 1e-9),
        "accuracy": (predictions == labels)[kept].mean(),
    }


args = TrainingArguments(
    "notices-ner",
    eval_strategy="epoch",
    save_strategy="no",
    learning_rate=1e-3,
    num_train_epochs=5,
    per_device_train_batch_size=16,
    weight_decay=0.01,
    report_to="none",
)
trainer = Trainer(
    model=model,
    args=args,
    train_dataset=train_dataset,
    eval_dataset=valid_dataset,
    data_collator=data_collator,
    compute_metrics=compute_metrics,
    processing_class=tokenizer,
)
trainer.train()
print(trainer.evaluate())
