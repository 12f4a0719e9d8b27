import torch
import torch.nn.functional as F
from torch import nn
from transformers import BertConfig, BertModel


class BiEncoder(nn.Module):
    """One tower for questions and answers; the other answers of a batch are the wrong ones."""

    def __init__(self, vocab_size, hidden_size=64, dim=48, scale=20.0):
        super().__init__()
        self.tower = BertModel(
            BertConfig(
                vocab_size=vocab_size,
                hidden_size=hidden_size,
                num_hidden_layers=2,
                num_attention_heads=4,
                intermediate_size=2 * hidden_size,
                max_position_embeddings=40,
            ),
            add_pooling_layer=False,
        )
        self.project = nn.Linear(hidden_size, dim)
        self.scale = scale

    def embed(self, input_ids, attention_mask):
        states = self.tower(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        mask = attention_mask.unsqueeze(-1).to(states.dtype)
        pooled = self.project((states * mask).sum(1) / mask.sum(1))
        return F.normalize(pooled, dim=-1)

    def forward(self, query_ids, query_mask, answer_ids, answer_mask, labels=None):
        queries = self.embed(query_ids, query_mask)
        answers = self.embed(answer_ids, answer_mask)
        scores = self.scale * queries @ answers.T
        targets = torch.arange(len(scores), device=scores.device)
        loss = F.cross_entropy(scores, targets)
        return {"loss": loss, "queries": queries, "answers": answers}
