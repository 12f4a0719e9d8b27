from dataclasses import dataclass

import torch
from torch import nn
from transformers import BertModel, BertPreTrainedModel
from transformers.utils import ModelOutput


@dataclass
class JointOutput(ModelOutput):
    loss: torch.FloatTensor | None = None
    intent_logits: torch.FloatTensor | None = None
    slot_logits: torch.FloatTensor | None = None


class JointBert(BertPreTrainedModel):
    """What is wanted (of the whole command) and the details (of each word)."""

    def __init__(self, config, num_intents, num_slots):
        super().__init__(config)
        self.num_intents = num_intents
        self.num_slots = num_slots
        self.bert = BertModel(config)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.heads = nn.ModuleDict({
            "intent": nn.Linear(config.hidden_size, num_intents),
            "slot": nn.Linear(config.hidden_size, num_slots),
        })
        self.post_init()

    def forward(self, input_ids, attention_mask=None, intent_labels=None, slot_labels=None):
        outputs = self.bert(input_ids, attention_mask=attention_mask)
        intent_logits = self.heads["intent"](self.dropout(outputs.pooler_output))
        slot_logits = self.heads["slot"](self.dropout(outputs.last_hidden_state))
        loss = None
        if intent_labels is not None and slot_labels is not None:
            loss_fct = nn.CrossEntropyLoss(ignore_index=-100)
            loss = loss_fct(intent_logits, intent_labels)
            loss = loss + loss_fct(slot_logits.view(-1, self.num_slots), slot_labels.view(-1))
        return JointOutput(loss=loss, intent_logits=intent_logits, slot_logits=slot_logits)
