import torch
import torch.nn.functional as F
from torch import nn
from transformers import GPT2Config, GPT2Model


class RewardModel(nn.Module):
    """Reads a question with its answer and says how good the answer is."""

    def __init__(self, vocab_size, width=64):
        super().__init__()
        config = GPT2Config(
            vocab_size=vocab_size,
            n_positions=48,
            n_embd=width,
            n_layer=2,
            n_head=4,
            resid_pdrop=0.0,
            embd_pdrop=0.0,
            attn_pdrop=0.0,
        )
        self.body = GPT2Model(config)
        self.value = nn.Linear(width, 1)

    def forward(self, input_ids, attention_mask, labels=None):
        states = self.body(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        last = attention_mask.sum(dim=1) - 1
        rewards = self.value(states[torch.arange(len(states)), last]).squeeze(-1)
        chosen, rejected = rewards.chunk(2)
        loss = -F.logsigmoid(chosen - rejected).mean()
        return {"loss": loss, "logits": torch.stack([chosen, rejected], dim=1)}
