import torch
from torch import nn
from transformers import AutoModel
from transformers.modeling_outputs import SequenceClassifierOutput


class TicketClassifier(nn.Module):
    """A pretrained encoder with a head of our own."""

    def __init__(self, name, num_labels, dropout=0.1):
        super().__init__()
        self.num_labels = num_labels
        self.encoder = AutoModel.from_pretrained(name)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(self.encoder.config.hidden_size, num_labels)
        self.loss_fn = nn.CrossEntropyLoss()

    def forward(self, input_ids=None, attention_mask=None, labels=None):
        states = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        mask = attention_mask.unsqueeze(-1).float()
        pooled = (states * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1e-6)
        logits = self.head(self.dropout(pooled))
        loss = None
        if labels is not None:
            loss = self.loss_fn(logits.view(-1, self.num_labels), labels.view(-1))
        return SequenceClassifierOutput(loss=loss, logits=logits)


def param_groups(model, lr, head_lr, weight_decay):
    no_decay = ("bias", "LayerNorm.weight")
    body = list(model.encoder.named_parameters())
    return [
        {"params": [p for n, p in body if not n.endswith(no_decay)], "lr": lr, "weight_decay": weight_decay},
        {"params": [p for n, p in body if n.endswith(no_decay)], "lr": lr, "weight_decay": 0.0},
        {"params": list(model.head.parameters()), "lr": head_lr, "weight_decay": 0.0},
    ]


def count_trainable(model):
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


__all__ = ["TicketClassifier", "count_trainable", "param_groups", "torch"]
