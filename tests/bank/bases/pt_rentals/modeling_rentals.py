from dataclasses import dataclass
from typing import Optional

import torch
from torch import nn
from transformers import PretrainedConfig, PreTrainedModel
from transformers.utils import ModelOutput


class RentalsConfig(PretrainedConfig):
    model_type = "rentals"

    def __init__(self, n_numeric=4, width=64, depth=4, hour_dim=8, weekday_dim=4, dropout=0.05, **kwargs):
        super().__init__(**kwargs)
        self.n_numeric = n_numeric
        self.width = width
        self.depth = depth
        self.hour_dim = hour_dim
        self.weekday_dim = weekday_dim
        self.dropout = dropout


@dataclass
class RentalsOutput(ModelOutput):
    log_rentals: Optional[torch.FloatTensor] = None


class Block(nn.Module):
    def __init__(self, width, dropout):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.linear = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.dropout(torch.relu(self.linear(self.norm(x))))


class RentalsModel(PreTrainedModel):
    """Numbers and two embeddings in, the logarithm of the number of rented bikes out."""

    config_class = RentalsConfig

    def __init__(self, config):
        super().__init__(config)
        self.hour = nn.Embedding(24, config.hour_dim)
        self.weekday = nn.Embedding(7, config.weekday_dim)
        self.entry = nn.Linear(config.n_numeric + config.hour_dim + config.weekday_dim, config.width)
        self.blocks = nn.ModuleList([Block(config.width, config.dropout) for _ in range(config.depth)])
        self.exit = nn.Linear(config.width, 1)
        self.post_init()

    def _init_weights(self, module):
        if isinstance(module, nn.Linear):
            nn.init.kaiming_uniform_(module.weight, nonlinearity="relu")
            nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, std=0.3)

    def forward(self, numeric, hour, weekday, log_count=None):
        x = torch.cat([numeric, self.hour(hour), self.weekday(weekday)], dim=-1)
        x = torch.relu(self.entry(x))
        for block in self.blocks:
            x = block(x)
        return RentalsOutput(log_rentals=self.exit(x).squeeze(-1))
