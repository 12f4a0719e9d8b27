"""Cases of the rules in stages/refusals.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.stages import refusals
from tests.stages.cases.seen import of_crash
from tests.stages.test_step import FACTS

CASES = [
    of_crash(
        refusals.saves_between_evaluations,
        "ValueError",
        "--load_best_model_at_end requires the saving steps to be a round multiple of the "
        "evaluation steps, but found 50, which is not a round multiple of 30.",
        saves=50.0,
        evaluates=30.0,
    ),
    of_crash(
        refusals.saves_unlike_evaluations,
        "ValueError",
        "requires the save and eval strategy to match, but found\n- Evaluation strategy: "
        "IntervalStrategy.NO\n- Save strategy: SaveStrategy.EPOCH",
        evaluates="no",
        saves="epoch",
    ),
    of_crash(
        refusals.plateau_never_evaluated,
        "ValueError",
        "lr_scheduler_type reduce_lr_on_plateau requires an eval strategy",
    ),
    of_crash(
        refusals.nothing_to_evaluate,
        "ValueError",
        "You have set `args.eval_strategy` to IntervalStrategy.EPOCH but you didn't pass an "
        "`eval_dataset` to `Trainer`.",
        strategy="epoch",
    ),
    of_crash(
        refusals.stream_without_steps,
        "ValueError",
        "The train_dataset does not implement __len__, max_steps has to be specified.",
    ),
    of_crash(
        refusals.metric_takes_no_batches,
        "ValueError",
        "When using `batch_eval_metrics`, your `compute_metrics` function must take more",
    ),
    of_crash(
        refusals.tokenizer_not_fast,
        "ValueError",
        "word_ids() is not available when using non-fast tokenizers",
    ),
    of_crash(
        refusals.decoder_without_start,
        "ValueError",
        "self.model.config.decoder_start_token_id has to be defined.",
    ),
    of_crash(
        refusals.model_without_pad_id,
        "ValueError",
        "Cannot handle batch sizes > 1 if no padding token is defined.",
    ),
    of_crash(
        refusals.schedule_ended,
        "ValueError",
        "Tried to step 16 times. The specified number of total steps is 15",
        steps=15,
    ),
    of_crash(
        refusals.mask_longer_than_input,
        "ValueError",
        "`mask_length` has to be smaller than `sequence_length`, but got `mask_length`: 10 and "
        "`sequence_length`: 9`",
        length=10,
        frames=9,
    ),
    of_crash(
        refusals.average_of_two_classes,
        "ValueError",
        "Target is multiclass but average='binary'. Please choose another average setting.",
        target="multiclass",
    ),
    of_crash(
        refusals.weights_in_two_groups,
        "ValueError",
        "some parameters appear in more than one parameter group",
        "groups = [{'params': body}, {'params': body}]",
    ),
    of_crash(
        refusals.rows_of_unequal_length,
        "InvalidArgumentError",
        "Cannot add tensor to the batch: number of elements does not match. Shapes are: "
        "[tensor]: [19], [batch]: [25]",
        one=19,
        other=25,
    ),
    of_crash(
        refusals.entry_not_in_table,
        "InvalidArgumentError",
        "Graph execution error: indices[26,21] = 1189 is not in [0, 1188)",
        number=1189,
        size=1188,
    ),
    replace(
        of_crash(
            refusals.later_row_too_long,
            "RuntimeError",
            "The size of tensor a (34) must match the size of tensor b (32) at non-singleton "
            "dimension 1",
            length=34,
            positions=32,
        ),
        facts=replace(FACTS, positions=32),
    ),
]
