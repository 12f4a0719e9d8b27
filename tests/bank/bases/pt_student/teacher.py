import torch
from torch.utils.data import DataLoader
from transformers import BertConfig, BertForSequenceClassification


def build_teacher(vocab_size, num_labels):
    config = BertConfig(
        vocab_size=vocab_size,
        hidden_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=192,
        max_position_embeddings=48,
        num_labels=num_labels,
    )
    return BertForSequenceClassification(config)


def train_teacher(model, rows, collate, epochs=4, lr=1e-3, batch_size=32):
    """An ordinary loop; the teacher comes back ready to be asked."""
    loader = DataLoader(rows, batch_size=batch_size, shuffle=True, collate_fn=collate)
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    model.train()
    for epoch in range(epochs):
        total = 0.0
        for batch in loader:
            optimizer.zero_grad()
            loss = model(**batch).loss
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"teacher, epoch {epoch}: {total / len(loader):.3f}")
    model.eval()
    return model
