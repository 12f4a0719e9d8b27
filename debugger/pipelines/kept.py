"""What a stage may change, kept before it and put back afterwards."""

from __future__ import annotations

import copy
from typing import Any


class Attributes:
    """The attributes of one object, lists and dicts among them copied one level deep."""

    def __init__(self, thing: Any) -> None:
        self.thing = thing
        self.saved = dict(vars(thing))
        self.contents = {
            name: copy.copy(value)
            for name, value in self.saved.items()
            if type(value) in (list, dict, set)
        }

    def restore(self) -> None:
        attributes = vars(self.thing)
        attributes.clear()
        attributes.update(self.saved)
        for name, content in self.contents.items():
            kept = attributes[name]
            kept.clear()
            kept.extend(content) if isinstance(kept, list) else kept.update(content)
