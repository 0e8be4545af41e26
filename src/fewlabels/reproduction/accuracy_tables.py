"""Tables 3 and 8 of [Ji21]: root mean squared error of accuracy by predicted class, and by score bin."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fewlabels.core.groups import ScoreBins
from fewlabels.questions import Estimate
from fewlabels.reproduction.base import Reproduction, Row, Variant
from fewlabels.reproduction.data import SOURCES
from fewlabels.reproduction.setup import METHODS, METHODS_AS_STATED, Setup, best_note, mean_row

LATE = 10  # the published code reads its log one slot late: "N" is really N + 10 labels

TABLE_3 = {"UPrior": (30.7, 20.5, 13.3), "IPrior": (15.0, 13.6, 10.9), "IPrior+TS": (15.3, 13.8, 11.4)}
TABLE_3_IMAGENET = {"UPrior": (29.4, 18.8, 11.8), "IPrior": (13.2, 12.1, 9.5), "IPrior+TS": (13.2, 11.6, 9.4)}
TABLE_8 = {"UPrior": (23.2, 15.7, 11.0), "IPrior": (12.8, 11.3, 9.3), "IPrior+TS": (11.9, 10.0, 8.1)}

NOTES = (
    "As printed: N + 10 labels, because the published code reads its log one slot late, and for UPrior a prior of "
    "strength 1e-6, which is what that code uses. As stated: N labels, and for UPrior Beta(1, 1).",
)
OTHER_NETWORK = "ResNet-101 in place of the paper's ResNet-152: the numbers need not agree."


@dataclass(frozen=True)
class AccuracyTable:
    """A row of such a table: a pool, groups and numbers of labels."""

    name: str
    title: str
    question: Estimate
    printed: Mapping[str, tuple[float, ...]]
    labels: tuple[int, ...]
    source: str = "cifar100-paper"
    notes: tuple[str, ...] = NOTES

    def __call__(self, data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
        setup = Setup(data, runs, workers)
        budgets = sorted({*self.labels, *(n + LATE for n in self.labels)})
        presets = [*METHODS.values(), METHODS_AS_STATED["UPrior"]]
        result = setup.simulate(setup.pool(self.source), self.question, presets, budgets, ["rmse"])
        variants: dict[Variant, tuple[dict[str, str], int]] = {
            "as printed": (METHODS, LATE),
            "as stated": (METHODS_AS_STATED, 0),
        }
        rows = list[Row]()
        for variant, (methods, late) in variants.items():
            for method, preset in methods.items():
                values = 100 * result.of(preset, "rmse")
                for n, paper in zip(self.labels, self.printed[method], strict=True):
                    found = values[:, result.budgets.index(n + late)]
                    other = self.source != "cifar100-paper"
                    rows.append(mean_row(f"{method}, N = {n:,}", paper, found, variant, other_pool=other))
        about = SOURCES[self.source].about
        best = best_note("this pool", result, "rmse", METHODS, (n + LATE for n in self.labels))
        return Reproduction(self.name, f"[Ji21] {self.title}", about, runs, tuple(rows), (*self.notes, best))


_BY_CLASS = Estimate("accuracy", by="predicted_class")
table_3 = AccuracyTable(
    "aaai-table-3",
    "Table 3: RMSE of accuracy by predicted class (× 100), CIFAR-100",
    _BY_CLASS,
    TABLE_3,
    (200, 500, 1000),
)
table_3_imagenet = AccuracyTable(
    "aaai-table-3-imagenet",
    "Table 3: RMSE of accuracy by predicted class (× 100), ImageNet",
    _BY_CLASS,
    TABLE_3_IMAGENET,
    (2000, 5000, 10_000),
    "imagenet",
    (*NOTES, OTHER_NETWORK),
)
table_8 = AccuracyTable(
    "aaai-table-8",
    "Table 8: RMSE of accuracy by score bin (× 100), CIFAR-100",
    Estimate("accuracy", by=ScoreBins(10, "mass")),
    TABLE_8,
    (20, 50, 100),
)
