"""Lost property office of the city buses: which of the things on our shelves is it that a passenger asks for?

Claims come in through the web form in the passenger's own words, records are typed in capitals at the
depot. Both go through one small encoder; the record nearest to a claim is the one that the clerk fetches.
"""

import argparse
import random

import pandas as pd
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from torch import nn
from torch.utils.data import Dataset
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast, get_linear_schedule_with_warmup
from transformers import Trainer, TrainerCallback, TrainingArguments, set_seed

# how the depot calls it -> how passengers call it
THINGS = {
    "umbrella": ["umbrella", "brolly"],
    "rucksack": ["rucksack", "backpack", "school bag"],
    "wallet": ["wallet", "purse"],
    "phone": ["phone", "mobile", "smartphone"],
    "spectacles": ["glasses", "spectacles", "reading glasses"],
    "headphones": ["headphones", "headset"],
    "gloves": ["gloves", "mittens"],
    "keys": ["keys", "bunch of keys"],
    "scarf": ["scarf", "shawl"],
    "suitcase": ["suitcase", "trolley"],
}
COLOURS = {
    "navy": ["navy", "dark blue"],
    "black": ["black"],
    "crimson": ["red", "dark red"],
    "beige": ["beige", "sand coloured", "cream"],
    "olive": ["green", "olive"],
    "grey": ["grey", "silver"],
    "violet": ["purple", "violet"],
}
MARKS = {
    "scratched": ["scratches", "scratched"],
    "torn": ["torn", "a rip"],
    "initials": ["my initials", "initials"],
    "sticker": ["a sticker", "stickers"],
    "dotted": ["dots", "polka dots"],
    "striped": ["stripes", "stripy"],
    "tag": ["a name tag", "an address tag"],
    "stained": ["a stain", "a coffee stain"],
    "ribbon": ["a ribbon", "a bow"],
}
LINES = [str(n) for n in (2, 4, 7, 9, 11, 14, 18, 23, 26, 31, 38, 40, 45, 52, 57, 63)]
OPENINGS = ["Hello , I lost my", "I left my", "Looking for my", "Has anybody handed in my", "My son forgot his"]
RIDES = ["on the {}", "on bus {}", "on the number {} bus", "in line {} yesterday"]
ENDINGS = ["", ". Please call me", ". Thank you", ". It means a lot to us"]


def office(n_items, rng):
    """The shelves, and the claims that came in for what is on them (one or two for each thing)."""
    items, claims = [], []
    for item_id in range(n_items):
        thing, colour, mark, line = (rng.choice(list(of)) for of in (THINGS, COLOURS, MARKS, LINES))
        items.append({"item_id": 1000 + item_id, "record": f"{thing} , {colour} , {mark} . line {line}".upper()})
        for _ in range(rng.choice([1, 1, 2])):
            words = [rng.choice(OPENINGS), rng.choice(COLOURS[colour]), rng.choice(THINGS[thing])]
            if rng.random() < 0.9:
                words += ["with", rng.choice(MARKS[mark])]
            words.append(rng.choice(RIDES).format(line))
            claims.append({"item_id": 1000 + item_id, "claim": " ".join(words) + rng.choice(ENDINGS)})
    items, claims = pd.DataFrame(items).set_index("item_id"), pd.DataFrame(claims)
    claims = claims.sample(frac=1, random_state=rng.randrange(1000))  # they do not come in by shelf
    claims["record"] = items.loc[claims["item_id"], "record"].to_numpy()
    return claims


def clean(text):
    return text.lower().replace(".", " .")


def build_tokenizer(texts):
    words = sorted({w for text in texts for w in clean(text).split()})
    vocab = {w: i for i, w in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *words])}
    tok = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
    tok.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tok.post_processor = processors.BertProcessing(("[SEP]", vocab["[SEP]"]), ("[CLS]", vocab["[CLS]"]))
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    return PreTrainedTokenizerFast(tokenizer_object=tok, **special)


class Claims(Dataset):
    def __init__(self, table, tokenizer, max_length):
        claims = tokenizer([clean(t) for t in table["claim"]], truncation=True, max_length=max_length)
        records = tokenizer([clean(t) for t in table["record"]], truncation=True, max_length=max_length)
        self.claims, self.records = claims["input_ids"], records["input_ids"]
        self.item_ids = table["item_id"].tolist()

    def __len__(self):
        return len(self.item_ids)

    def __getitem__(self, i):
        return {"claim": self.claims[i], "record": self.records[i], "item_id": self.item_ids[i]}


def make_collate(tokenizer):
    def collate(rows):
        batch = {"item_id": torch.tensor([row["item_id"] for row in rows])}
        for side in ("claim", "record"):
            padded = tokenizer.pad({"input_ids": [row[side] for row in rows]}, return_tensors="pt")
            batch[side], batch[f"{side}_mask"] = padded["input_ids"], padded["attention_mask"]
        return batch

    return collate


class Matcher(nn.Module):
    def __init__(self, config, temperature=0.05):
        super().__init__()
        self.encoder = BertModel(config, add_pooling_layer=False)
        self.project = nn.Linear(config.hidden_size, 64)
        self.temperature = temperature

    def embed(self, input_ids, mask):
        hidden = self.encoder(input_ids, attention_mask=mask).last_hidden_state
        weight = mask.unsqueeze(-1).float()
        mean = (hidden * weight).sum(1) / weight.sum(1)
        return F.normalize(self.project(mean), dim=-1)

    def forward(self, claim, claim_mask, record, record_mask, item_id=None):
        asked, held = self.embed(claim, claim_mask), self.embed(record, record_mask)
        loss = None
        if item_id is not None:
            scores = asked @ held.T / self.temperature
            # two claims for one thing in a batch are no negatives of each other
            same = (item_id[:, None] == item_id[None, :]) & ~torch.eye(len(item_id), dtype=torch.bool)
            scores = scores.masked_fill(same, -1e4)
            target = torch.arange(len(scores), device=scores.device)
            loss = (F.cross_entropy(scores, target) + F.cross_entropy(scores.T, target)) / 2
        return {"loss": loss, "asked": asked, "held": held}


class ShowOne(TrainerCallback):
    """After each epoch: what would the clerk fetch for the first claim?"""

    def __init__(self, dataset, collate, table):
        self.batch, self.table = collate([dataset[i] for i in range(50)]), table

    def on_epoch_end(self, args, state, control, model=None, **kwargs):
        batch = {k: v.to(model.encoder.device) for k, v in self.batch.items() if k != "item_id"}
        model.eval()
        with torch.no_grad():
            out = model(**batch)
        best = int((out["asked"][0] @ out["held"].T).argmax())
        print(f"{self.table['claim'].iloc[0]!r} -> {self.table['record'].iloc[best]!r}")


def compute_metrics(p):
    asked, held = p.predictions
    nearest = (asked @ held.T).argmax(axis=1)
    return {"found": float((p.label_ids[nearest] == p.label_ids).mean())}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--batch_size", type=int, default=48)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--max_length", type=int, default=32)
    parser.add_argument("--seed", type=int, default=17)
    opt = parser.parse_args()
    set_seed(opt.seed)
    rng = random.Random(opt.seed)

    train_table, test_table = office(1200, rng), office(250, rng)
    tokenizer = build_tokenizer([*train_table["claim"], *train_table["record"]])
    train_set = Claims(train_table, tokenizer, opt.max_length)
    test_set = Claims(test_table, tokenizer, opt.max_length)
    collate = make_collate(tokenizer)

    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=opt.hidden,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=2 * opt.hidden,
        max_position_embeddings=opt.max_length,
        pad_token_id=tokenizer.pad_token_id,
    )
    model = Matcher(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=opt.lr, weight_decay=0.01)
    total_steps = opt.epochs * -(-len(train_set) // opt.batch_size)
    scheduler = get_linear_schedule_with_warmup(optimizer, total_steps // 20, total_steps)

    trainer = Trainer(
        model=model,
        args=TrainingArguments(
            output_dir="lost-property",
            num_train_epochs=opt.epochs,
            per_device_train_batch_size=opt.batch_size,
            per_device_eval_batch_size=opt.batch_size,
            label_names=["item_id"],
            save_strategy="no",
            logging_steps=20,
            report_to="none",
            seed=opt.seed,
        ),
        train_dataset=train_set,
        eval_dataset=test_set,
        data_collator=collate,
        compute_metrics=compute_metrics,
        optimizers=(optimizer, scheduler),
        callbacks=[ShowOne(test_set, collate, test_table)],
    )
    trainer.train()
    scores = trainer.evaluate()
    print({"found": round(scores["eval_found"], 4)})


if __name__ == "__main__":
    main()
