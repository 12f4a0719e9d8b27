"""Where a finding that names its cause points: the same mistake, written in several ways."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

import pytest

from debugger.script.places import Places

Find = Callable[[Places], int | None]


def positions(at: Places) -> int | None:
    return at.configured(16, "n_positions", "max_position_embeddings")


def word(at: Places) -> int | None:
    return at.written.word("bad", "good")


def evaluated_apart(at: Places) -> int | None:
    return at.apart_from("eval_dataset", "train_dataset")


def switched(at: Places) -> int | None:
    found = at.meant.text_for_switch()
    return found and found[0]


def crossed(at: Places) -> int | None:
    found = at.meant.crossed()
    return found and found[0]


def lost(at: Places) -> int | None:
    found = at.place_lost()
    return found and found[0]


def optimizer_first(at: Places) -> int | None:
    return at.made_after("model", at.call(".AdamW"))


CASES: list[tuple[Find, str]] = [
    (
        lambda at: at.cut_in_two(),
        """
        cut = int(0.85 * len(rows))
        other = rows[:cut], names[cut:]
        train, val = rows.iloc[:cut], rows.iloc[cut:]  # HERE
        """,
    ),
    (
        lambda at: at.unfilled(),
        """
        tokenizer = AutoTokenizer.from_pretrained(name)
        enc = tokenizer(notes, truncation=True)  # HERE
        """,
    ),
    (
        lambda at: at.written.made_under("attention_mask"),
        """
        class Rows(Dataset):
            def __init__(self, texts):
                self.ids = torch.tensor([encode(text) for text in texts])
                self.mask = (self.ids == PAD).long()  # HERE
            def __getitem__(self, n):
                return {"input_ids": self.ids[n], "attention_mask": self.mask[n]}
        """,
    ),
    (
        lambda at: at.written.under("labels"),
        """
        class Rows(Dataset):
            def __init__(self, labels):
                self.labels = labels
            def __getitem__(self, n):
                return {"labels": self.labels[n]}  # HERE
        """,
    ),
    (
        lambda at: at.origins.table(48, follow=True),
        """
        LENGTH = 48
        vectorize = TextVectorization(output_sequence_length=LENGTH)
        words = Embedding(LENGTH, 24)  # HERE
        """,
    ),
    (
        lambda at: at.origins.table(48, follow=True),
        """
        KNOWN = 48  # HERE
        words = Embedding(KNOWN, 24)
        """,
    ),
    (
        lambda at: at.rows.shuffled("test_ds"),
        """
        def prepare(texts):
            ds = tf.data.Dataset.from_tensor_slices(texts)
            ds = ds.shuffle(len(texts))  # HERE
            return ds.batch(8)
        test_ds = prepare(test)
        """,
    ),
    (
        lambda at: at.putting_columns(),
        """
        df = load().drop(columns=["id"])
        x = df.drop(columns=["count", "time"])  # HERE
        """,
    ),
    (
        lambda at: at.fits.only_behind("predict"),
        """
        model = Sequential([Dense(1)])
        model.compile(loss="mse")
        x_train = (x_train - mean) / std
        x_test = x_test.astype("float32")  # HERE
        x_train = x_train.reshape(-1, 20, 20, 1)
        x_test = x_test.reshape(-1, 20, 20, 1)
        model.fit(x_train, y_train)
        model.predict(x_test)
        """,
    ),
    (
        lambda at: at.answered_for(3),
        """
        guess = model.predict(x) * std + mean  # HERE
        loud = True
        mae = np.mean(np.abs(guess - y))
        """,
    ),
    (
        lambda at: at.answered_for(5),
        """
        guess = back(model.predict(x))  # HERE
        truth = back(y)
        error = truth - guess
        loud = True
        print({"mae": np.mean(np.abs(error))})
        """,
    ),
    (
        lambda at: at.handed.taken_over(4, "label_ids"),
        """
        def measure(pred):
            ids = pred.predictions
            gold = pred.label_ids  # HERE
            return tokenizer.batch_decode(gold)
        """,
    ),
    (
        lambda at: at.scaling.left_as_it_was("compute_metrics"),
        """
        def back(scaled):
            return scaler.inverse_transform(scaled)[:, 0]
        def measure(given):
            guess = back(given.predictions)
            truth = given.label_ids  # HERE
            return {"mae": np.abs(guess - truth).mean()}
        Trainer(compute_metrics=measure)
        """,
    ),
    (
        lambda at: at.scaling.left_as_it_was("compute_metrics"),
        """
        def measure(given):
            guess = given.predictions * weight_std + weight_mean
            truth = given.label_ids  # HERE
            return {"mae": np.abs(guess - truth).mean()}
        Trainer(compute_metrics=measure)
        """,
    ),
    (
        lambda at: at.scaling.left_as_it_was("compute_metrics"),
        """
        def measure(given):
            guess = given.predictions.squeeze()  # HERE
            truth = given.label_ids * 10
            return {"mae": np.abs(guess - truth).mean()}
        Trainer(compute_metrics=measure)
        """,
    ),
    (
        lambda at: at.handed.gone_through_whole("compute_metrics"),
        """
        def measure(given):
            for said, meant in zip(given.predictions.argmax(-1), given.label_ids):
                guess = spans([NAMES[one] for one in said])  # HERE
                truth = spans([NAMES[one] for one in meant if one != -100])
        Trainer(compute_metrics=measure)
        """,
    ),
    (
        lambda at: at.handed.gone_through_whole("compute_metrics"),
        """
        def measure(given):
            for said, meant in zip(given.predictions.argmax(-1), given.label_ids):
                kept = meant != -100
                guess = spans([NAMES[one] for one in said])  # HERE
                truth = spans([NAMES[one] for one in meant[kept]])
        Trainer(compute_metrics=measure)
        """,
    ),
    (
        lambda at: at.fits.labelled(),
        """
        def windows(values):
            y = values[WINDOW - 1 : -AHEAD, 0]  # HERE
            return stacked(values).astype("float32"), y.astype("float32")
        x_train, y_train = windows(scaler.transform(train))
        model = Sequential([Dense(1)])
        model.compile(loss="mse")
        model.fit(x_train, y_train)
        """,
    ),
    (
        lambda at: at.fits.shuffled_within(4),
        """
        def to_rows(ids, labels):
            ds = Dataset.from_tensor_slices((ids, labels))
            return ds.shuffle(len(ids)).batch(8)  # HERE
        train = to_rows(ids, labels)
        """,
    ),
    (
        lambda at: at.written.turned_under("pixel_values"),
        """
        class Rows(Dataset):
            def __getitem__(self, place):
                picture = self.pictures[place] / 255
                pixels = torch.tensor(picture)  # HERE
                return {"pixel_values": pixels, "labels": self.labels[place]}
        """,
    ),
    (
        lambda at: at.written.labels_copied(),
        """
        cards = pd.DataFrame({"text": texts, "kind": kinds})
        cards["label"] = cards["kind"]  # HERE
        """,
    ),
    (
        lambda at: (at.handed.largest_looked_for("compute_metrics") or (None,))[0],
        """
        def measure(given):
            scores, labels = given
            said = scores.argmax()  # HERE
            return {"accuracy": (said == labels).mean()}
        Trainer(compute_metrics=measure)
        """,
    ),
    (
        lambda at: at.handed.called_answers(4),
        """
        def measure(given):
            predictions, labels = given  # HERE
            truth = labels
            return {"accuracy": accuracy_score(truth, predictions)}
        """,
    ),
    (
        lambda at: at.making.config("BertForSequenceClassification"),
        """
        def build():
            small = BertConfig(hidden_size=16)  # HERE
            return BertForSequenceClassification(small)
        """,
    ),
    (
        lambda at: at.making.answered() or at.making.turned(or_asked=False, at_the_end=True),
        """
        class Net(nn.Module):
            def forward(self, series, labels=None):
                x = series.transpose(1, 2)
                amount = self.head(self.conv(x))  # HERE
                return nn.functional.mse_loss(amount, labels)
        """,
    ),
    (
        lambda at: at.argument_chosen("total_steps"),
        """
        EPOCHS = 12
        plan = OneCycleLR(optimizer, max_lr=1e-3, total_steps=EPOCHS)  # HERE
        args = TrainingArguments(num_train_epochs=EPOCHS)
        """,
    ),
    (
        lambda at: at.fits.only_behind("predict"),
        """
        x_train = x_train / 255
        rows = make(x_test)  # HERE
        model.fit(x_train, y_train)
        one = x_test[0] / 255
        model.predict(np.expand_dims(one, 0))
        model.predict(rows)
        """,
    ),
    (
        lambda at: at.making.subtracted(),
        """
        class Net(nn.Module):
            def forward(self, x, labels=None):
                return Output(amount=self.head(x - mean))
        class Mine(Trainer):
            def compute_loss(self, model, inputs, return_outputs=False):
                out = model(**inputs).amount
                twice = 1 - 0.5 * weight
                return ((out - inputs["labels"]) ** 2).mean()  # HERE
        """,
    ),
    (
        lambda at: at.making.turned(or_asked=False) or at.returned_in("Net", "forward"),
        """
        class Net(nn.Module):
            def forward(self, x, labels=None):
                return Output(amount=self.head(x))  # HERE
        class Mine(Trainer):
            def compute_loss(self, model, inputs, return_outputs=False):
                out = model(**inputs)
                return nn.functional.mse_loss(out.amount, inputs["labels"])
        """,
    ),
    (
        lost,
        """
        for word in words:
            right = int(rng.integers(4))
            options.insert(right, word)
            rng.shuffle(options)  # HERE
            rows.append({"options": options, "label": right})
        """,
    ),
    (
        positions,
        """
        SHORT = 16  # HERE
        model = GPT2LMHeadModel(GPT2Config(vocab_size=90, n_positions=SHORT))
        """,
    ),
    (
        positions,
        """
        config = BertConfig(
            hidden_size=16,
            max_position_embeddings=16,  # HERE
        )
        """,
    ),
    (
        word,
        """
        names = {0: "bad", 1: "good"}
        rows.append({"text": text, "label": "good"})  # HERE
        rows.append({"text": text, "label": "bad"})
        """,
    ),
    (
        word,
        """
        row["verdict"] = "bad"  # HERE
        row["other"] = "unlike"
        """,
    ),
    (
        lambda at: at.column_given("text_target"),
        """
        def prepare(rows, target="en"):  # HERE
            return tokenizer(text_target=rows[target])
        """,
    ),
    (
        lambda at: at.column_given("text_target"),
        """
        def prepare(rows):
            return tokenizer(
                rows["en"],
                text_target=rows["en"],  # HERE
            )
        """,
    ),
    (
        lambda at: at.ignoring(),
        """
        ids = tokenizer(text)["input_ids"]
        labels = [-100] * len(ids)  # HERE
        """,
    ),
    (
        lambda at: at.ignoring(),
        """
        kept = -100 if word is None else tags[word]
        labels[ids == pad] = -100  # HERE
        """,
    ),
    (
        evaluated_apart,
        """
        train_set = build(names)
        val_set = build(names[::-1])  # HERE
        val_set = val_set.map(tokenize)
        Trainer(train_dataset=train_set, eval_dataset=val_set)
        """,
    ),
    (
        optimizer_first,
        """
        model = build()
        optimizer = torch.optim.AdamW(model.parameters())
        model = build()  # HERE
        Trainer(model=model, optimizers=(optimizer, None))
        """,
    ),
    (
        lambda at: at.loop_of(at.assignment("requires_grad")),
        """
        for weight in model.decoder.parameters():  # HERE
            weight.requires_grad = False
        """,
    ),
    (
        lambda at: at.loop_of(at.assignment("requires_grad")),
        """
        for name, weight in model.named_parameters():
            print(name)
            weight.requires_grad = False  # HERE
        """,
    ),
    (
        lambda at: at.origin("weight"),
        """
        weights = counts / counts.sum()  # HERE
        outputs = model(**inputs)
        loss = CrossEntropyLoss(weight=weights.to(outputs.logits.device))
        """,
    ),
    (
        lambda at: at.scaling.rounding(),
        """
        pixels = np.asarray(picture) / 255
        pixels = np.asarray(picture) // 255  # HERE
        """,
    ),
    (
        lambda at: at.scaling.rounding(),
        """
        pixels = (np.asarray(picture) / 255).astype(np.uint8)  # HERE
        """,
    ),
    (
        lambda at: at.preparing.same_twice(),
        """
        tokenizer(
            rows["question"],
            rows["question"],  # HERE
            truncation=True)
        """,
    ),
    (
        lambda at: at.handed.before(4),
        """
        def compute_metrics(given):
            logits, labels = given
            said = logits.argmax(0)  # HERE
            return {"accuracy": (said == labels).mean()}
        """,
    ),
    (
        lambda at: at.handed.without_answer("compute_loss"),
        """
        def compute_loss(self, model, inputs, return_outputs=False):
            outputs = model(**inputs)
            if return_outputs:  # HERE
                return outputs.loss, outputs
        """,
    ),
    (
        lambda at: at.handed.sharing("compute_metrics"),
        """
        def compute_metrics(given):
            raised = np.exp(given.predictions)
            shares = raised / raised.sum(-1, keepdims=True)  # HERE
            return {"f1": f1_score(given.label_ids, shares > 0.5)}
        Trainer(compute_metrics=compute_metrics)
        """,
    ),
    (
        lambda at: at.handed.sharing("compute_metrics"),
        """
        def compute_metrics(given):
            shares = torch.softmax(torch.tensor(given.predictions), -1)  # HERE
            return {"f1": f1_score(given.label_ids, shares > 0.5)}
        Trainer(compute_metrics=compute_metrics)
        """,
    ),
    (
        lambda at: at.making.model("BertModel"),
        """
        def build(config):
            return transformers.BertModel(config)  # HERE
        """,
    ),
    (
        lambda at: at.making.model("DistilBertModel"),
        """
        tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
        model = AutoModel.from_pretrained(CHECKPOINT)  # HERE
        """,
    ),
    (
        lambda at: at.making.layer("head.0", 768),
        """
        self.body = nn.Linear(768, 768)
        self.head = nn.Sequential(
            nn.Linear(768, 64),  # HERE
            nn.Linear(64, 3),
        )
        """,
    ),
    (
        lambda at: at.making.layer("head", 768),
        """
        self.head = nn.Linear(config.hidden_size * 2, 3)  # HERE
        """,
    ),
    (
        lambda at: at.making.loss(),
        """
        spare = nn.MSELoss()
        def compute_loss(self, model, inputs):
            criterion = nn.NLLLoss()  # HERE
            return criterion(model(**inputs).logits, inputs["labels"])
        """,
    ),
    (
        lambda at: at.making.loss(),
        """
        def compute_loss(self, model, inputs):
            outputs = model(**inputs)
            return F.nll_loss(outputs.logits, inputs["labels"])  # HERE
        """,
    ),
    (
        lambda at: at.making.turned(),
        """
        def __init__(self):
            self.loss = nn.CrossEntropyLoss()
        def forward(self, x, labels):
            logits = self.head(x)
            scores = logits.view(3, -1).t()  # HERE
            loss = self.loss(scores.view(-1, 3), labels.view(-1))
            return loss
        """,
    ),
    (
        lambda at: at.making.turned(),
        """
        def compute_loss(self, model, inputs):
            loss_fct = nn.CrossEntropyLoss()
            logits = model(**inputs).logits.view(-1, 3)
            loss = loss_fct(logits.permute(1, 0), labels)  # HERE
            return loss
        """,
    ),
    (
        lambda at: at.making.negated(),
        """
        def compute_loss(self, model, inputs):
            loss = F.cross_entropy(logits.view(-1, 3), labels)
            return -loss  # HERE
        """,
    ),
    (
        lambda at: at.making.ordered(),
        """
        NAMES = sorted(WORDS)
        rows = sorted(rows, key=len)
        rows = rows.sort("label")  # HERE
        """,
    ),
    (
        lambda at: at.making.ordered(),
        """
        NAMES = sorted(WORDS)
        rows = sorted(rows.items(), key=lambda row: row[1])  # HERE
        """,
    ),
    (
        lambda at: at.making.switched_on("output_hidden_states"),
        """
        config.output_attentions = True
        config.output_hidden_states = True  # HERE
        """,
    ),
    (
        lambda at: at.making.evaluated(),
        """
        def load():
            return DatasetDict({
                "train": make(480),
                "validation": make(160, names[::-1]),  # HERE
            })
        Trainer(train_dataset=data["train"], eval_dataset=data["validation"])
        """,
    ),
    (
        lambda at: at.column_given("text_target"),
        """
        def prepare(rows, target="en"):  # HERE
            return tokenizer(text_target=rows[target])
        valid = raw["validation"].map(prepare, fn_kwargs={"target": "xx"})
        train = raw["train"].map(prepare)
        """,
    ),
    (
        lambda at: at.written.under("start_positions"),
        """
        inputs["start_positions"] = starts
        inputs["start_positions"][n] -= first  # HERE
        """,
    ),
    (
        lambda at: at.rows.shuffled("test_ds"),
        """
        def prepare(texts, shuffle):
            ds = tf.data.Dataset.from_tensor_slices(texts)
            return ds.shuffle(len(texts)) if shuffle else ds
        train_ds = prepare(train, True)
        test_ds = prepare(test, True)  # HERE
        """,
    ),
    (
        lambda at: at.rows.shuffled("test_ds"),
        """
        def prepare(texts, shuffle):
            ds = tf.data.Dataset.from_tensor_slices(texts)
            return ds.shuffle(len(texts))  # HERE
        test_ds = prepare(test, False)
        """,
    ),
    (
        lambda at: at.fits.scaled_alone("predict", "evaluate"),
        """
        x_train = (x_train - mean) / std  # HERE
        x_val = (x_val - mean) / std
        model.fit(x_train, y_train, validation_data=(x_val, y_val))
        model.evaluate(x_test, y_test)
        """,
    ),
    (
        lambda at: at.frames.target_from_behind(),
        """
        log["before"] = log["speed"].shift(1)
        log["target"] = log.groupby("outing")["speed"].shift(AHEAD)  # HERE
        """,
    ),
    (
        lambda at: at.argument_chosen("num_training_steps"),
        """
        @dataclass
        class Config:
            epochs: int = 15
        args = TrainingArguments("out", num_train_epochs=cfg.epochs)
        schedule = get_linear_schedule_with_warmup(
            optimizer,
            num_warmup_steps=4,
            num_training_steps=cfg.epochs,  # HERE
        )
        """,
    ),
    (
        lambda at: at.fits.only_behind("evaluate"),
        """
        def judged(rows, wanted):
            return model.evaluate(rows, wanted)
        model.compile(loss="mse")
        x_train = (x_train - mean) / std
        x_test = x_test.astype("float32")  # HERE
        model.fit(x_train, y_train)
        print(judged(x_test, y_test))
        """,
    ),
    (
        lambda at: at.written.labels_of_words(),
        """
        labels = [0] * 9
        def encode(row):
            labels = []
            made = tokenizer(row["tokens"], is_split_into_words=True)
            words = made.word_ids()
            labels = [row["tags"][n] for n in words if n is not None]  # HERE
            return {**made, "labels": labels}
        """,
    ),
    (
        lambda at: at.written.numbered_from_one(),
        """
        first = {name: n for n, name in enumerate(NAMES)}
        ids = {name: n for n, name in enumerate(NAMES, 1)}  # HERE
        """,
    ),
    (
        lambda at: at.written.numbered_from_one(),
        """
        ids = {name: n for n, name in enumerate(sorted(set(names)), start=1)}  # HERE
        """,
    ),
    (
        lambda at: at.written.numbered_from_one(),
        """
        numbers = {name: n + 1 for n, name in enumerate(NAMES)}  # HERE
        """,
    ),
    (
        lambda at: at.written.numbered_from_one(),
        """
        id2label = {n + 1: name for n, name in enumerate(NAMES)}  # HERE
        """,
    ),
    (
        lambda at: at.chosen.schedule_length(),
        """
        args = cli.parse_args()
        length = args.epochs  # HERE
        schedule = get_linear_schedule_with_warmup(optimizer, 0, length)
        """,
    ),
    (
        lambda at: at.argument_chosen("num_training_steps"),
        """
        args = cli.parse_args()
        length = args.epochs  # HERE
        schedule = get_scheduler("linear", optimizer, num_training_steps=length)
        """,
    ),
    (
        lambda at: at.scaling.never_scaled_back(),
        """
        scaler = StandardScaler()
        x = scaler.fit_transform(x)
        y = scaler.fit_transform(y)  # HERE
        """,
    ),
    (
        lambda at: at.scaling.never_scaled_back(),
        """
        frame["y"] = StandardScaler().fit_transform(frame[["target"]])  # HERE
        """,
    ),
    (
        lambda at: at.scaling.never_scaled_back(),
        """
        mean, std = amounts.mean(), amounts.std()
        wanted = (amounts - mean) / std  # HERE
        """,
    ),
    (
        lambda at: at.scaling.never_scaled_back(),
        """
        y = (y - y.mean()) / y.std()
        def unscale(made):  # HERE
            return made * std + mean
        """,
    ),
]


@pytest.mark.parametrize(("find", "script"), CASES)
def test_a_cause_is_where_its_value_was_written(find: Find, script: str) -> None:
    text = dedent(script).strip("\n")
    found = find(Places(text))
    assert found is not None
    assert text.splitlines()[found - 1].endswith("# HERE")


SILENT: list[tuple[Find, str]] = [
    (lost, "rng.shuffle(words)\nright = words.index(word)\nsave(words, right)"),
    (lost, "right = words.index(word)\nshuffle(words)\nright = words.index(word)\nsave(right)"),
    (lost, "right = words.index(word)\nrng.shuffle(others)\nsave(words, right)"),
    (lost, "right = words.index(word)\nsave(words, right)\nrng.shuffle(words)"),
    (switched, 'add_argument("--on", default="False")\nif options.on == "True":\n    stop()'),
    (switched, 'add_argument("--on", type=truth, default="no")\nif options.on:\n    stop()'),
    (switched, 'add_argument("--on", action="store_true")\nif options.on:\n    stop()'),
    (switched, 'options.on = options.on == "yes"\nif options.on:\n    stop()'),
    (crossed, "def add(one, other): ...\nadd(other, one)"),
    (crossed, "class A:\n    def go(self, n): return run(self, n)\ndef run(a, b): ...\nA.go()"),
    (crossed, "A, B = 1, 2\ndef run(a, b): ...\nrun(A, B)"),
    (lambda at: at.meant.joined_letters(), '" ".join(words.split())\n"".join(text)'),
    (lambda at: at.making.one_score(), "def compute_loss(a):\n    return mse_loss(a[:, :-1], a)"),
    (lambda at: at.making.ordered(), "names = sorted(WORDS)\nnames.sort()"),
    (lambda at: at.making.negated(), "def compute_loss(a):\n    return a.view(-1, 2)"),
    (lambda at: at.making.switched_on("output_hidden_states"), "f(output_hidden_states=False)"),
    (positions, "model = build(BertConfig(max_position_embeddings=64))"),
    (word, 'names = {0: "bad", 1: "good"}'),
    (evaluated_apart, "rows = read()\nTrainer(train_dataset=rows[0], eval_dataset=rows[1])"),
    (optimizer_first, "model = build()\no = AdamW(model.parameters())\nTrainer(model=model)"),
    (lambda at: at.written.numbered_from_one(), "ids = {name: n for n, name in enumerate(NAMES)}"),
    (
        lambda at: at.written.numbered_from_one(),
        "ids = {name: n for n, name in enumerate(NAMES, 0)}",
    ),
    (
        lambda at: at.written.numbered_from_one(),
        "ids = {n: count + 2 for n, count in many.items()}",
    ),
    (lambda at: at.written.labels_of_words(), "def f(row):\n    labels = [0]\n    return tok(row)"),
    (
        lambda at: at.written.labels_of_words(),
        "def f(row):\n    labels = []\n    return tok(row, is_split_into_words=True)",
    ),
    (
        lambda at: at.scaling.never_scaled_back(),
        "y = scaler.fit_transform(y)\nmade = scaler.inverse_transform(made)",
    ),
    (
        lambda at: at.scaling.never_scaled_back(),
        "wanted = (amounts - mean) / std\nmae = abs(made - wanted).mean() * std",
    ),
    (lambda at: at.scaling.never_scaled_back(), "x = scaler.fit_transform(x)"),
    (lambda at: at.scaling.never_scaled_back(), "share = hits / count\nhalf = width / 2"),
    (lambda at: at.scaling.rounding(), "half = width // 2\nbyte = pixels / 255.0"),
    (
        lambda at: at.handed.without_answer("compute_loss"),
        "def compute_loss(self, model, inputs):\n    return model(**inputs).loss",
    ),
]


@pytest.mark.parametrize(("find", "script"), SILENT)
def test_what_is_written_otherwise_is_not_pointed_at(find: Find, script: str) -> None:
    assert find(Places(script)) is None


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("class_weights = {0: 1}\nmodel.fit(x, y)", (1, "class_weights")),
        ("class_weights = {0: 1}\nmodel.fit(x, y, class_weight=class_weights)", None),
        ("sample_weight = y * 3\nprint(sample_weight)", None),
        ("weights = y * 3\nself.class_weight = y", None),
    ],
)
def test_weights_that_nothing_reads(script: str, found: tuple[int, str] | None) -> None:
    assert Places(script).oversights.weights_unread() == found
