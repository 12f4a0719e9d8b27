"""Cases of the rules in stages/mistaken.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.failure import Frame
from debugger.stages import mistaken
from tests.stages.cases.seen import Case, Crashed, failed, of_crash

NO_NUMBER = failed("ValueError", "invalid literal for int() with base 10: 'No'")

NO_PLACE = failed("IndexError", "list index out of range")

OF_CONFIG = Frame("transformers/configuration_utils.py", 300, "__init__", "int(key)", False)

NO_ROW = failed("KeyError", "17")

OF_SERIES = Frame("pandas/core/series.py", 1130, "__getitem__", "self._get_value(key)", False)

OF_SCRIPT = Frame("script.py", 7, "<module>", "labels[word_id]", True)

CASES = [
    Case(
        mistaken.names_for_numbers,
        Crashed(replace(NO_NUMBER, frames=(OF_CONFIG,))),
        {"failure": replace(NO_NUMBER, frames=(OF_SCRIPT,))},
        script="config = BertConfig(id2label=label2id)\n",
        says={"name": "No"},
    ),
    Case(
        mistaken.first_row_for_all,
        Crashed(replace(NO_PLACE, frames=(OF_SCRIPT,))),
        {"failure": replace(NO_PLACE, frames=(OF_CONFIG,))},
        script="for i, row in enumerate(labels):\n    words = encoded.word_ids()\n",
        says={"said": "list index out of range"},
    ),
    Case(
        mistaken.index_kept,
        Crashed(replace(NO_ROW, frames=(OF_SERIES,))),
        {"failure": replace(NO_ROW, frames=(OF_SCRIPT,))},
        script="self.texts = texts\n\n\n\n\n\nself.texts[item]\n",
        says={"said": "17"},
    ),
    of_crash(
        mistaken.smoothing_takes_labels,
        "ValueError",
        "You have to specify either decoder_input_ids or decoder_inputs_embeds",
        "TrainingArguments(label_smoothing_factor=0.1)",
    ),
]
