import torch
import torch.nn.functional as F
from torch import nn


def conv(inside, outside):
    return nn.Sequential(
        nn.Conv2d(inside, outside, 3, padding=1),
        nn.BatchNorm2d(outside),
        nn.ReLU(inplace=True),
    )


def double_conv(inside, outside):
    return nn.Sequential(conv(inside, outside), conv(outside, outside))


class UNet(nn.Module):
    """Two steps down, two steps up, and the way across."""

    def __init__(self, n_classes, width=12, ignore_index=255):
        super().__init__()
        self.ignore_index = ignore_index
        self.first = double_conv(3, width)
        self.second = double_conv(width, 2 * width)
        self.bottom = double_conv(2 * width, 4 * width)
        self.pool = nn.MaxPool2d(2)
        self.up_second = nn.ConvTranspose2d(4 * width, 2 * width, 2, stride=2)
        self.up_first = nn.ConvTranspose2d(2 * width, width, 2, stride=2)
        self.join_second = double_conv(4 * width, 2 * width)
        self.join_first = double_conv(2 * width, width)
        self.head = nn.Conv2d(width, n_classes, 1)

    def forward(self, pixel_values, labels=None):
        first = self.first(pixel_values)
        second = self.second(self.pool(first))
        x = self.bottom(self.pool(second))
        x = self.join_second(torch.cat([second, self.up_second(x)], dim=1))
        x = self.join_first(torch.cat([first, self.up_first(x)], dim=1))
        logits = self.head(x)
        if labels is None:
            return {"logits": logits}
        loss = F.cross_entropy(logits, labels, ignore_index=self.ignore_index)
        return {"loss": loss, "logits": logits}
