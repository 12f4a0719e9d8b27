"""Accuracy, as GLUE MNLI counts it, without a download: evaluate.load("<this folder>", "mnli")."""

import datasets
import evaluate


class Metric(evaluate.Metric):
    """Takes one class number for each row, as GLUE does; logits are refused by the library."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description="The share of predictions that equal their reference.",
            citation="",
            inputs_description="predictions: class numbers. references: class numbers.",
            features=datasets.Features(
                {"predictions": datasets.Value("int64"), "references": datasets.Value("int64")}
            ),
        )

    def _compute(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, predictions: list[int], references: list[int]
    ) -> dict[str, float]:
        pairs = zip(predictions, references, strict=True)
        return {"accuracy": sum(p == r for p, r in pairs) / len(references)}
