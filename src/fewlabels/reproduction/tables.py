"""The papers' tables by name."""

from fewlabels.reproduction.accuracy_tables import table_3, table_3_imagenet, table_8
from fewlabels.reproduction.base import Experiment
from fewlabels.reproduction.calibration_identification import table_9
from fewlabels.reproduction.calibration_tables import table_5
from fewlabels.reproduction.comparison_tables import table_7
from fewlabels.reproduction.confusion_tables import table_4
from fewlabels.reproduction.cost_tables import table_10, table_11, v1_table_2
from fewlabels.reproduction.identification_tables import table_6, table_6_imagenet

TABLES: dict[str, Experiment] = {
    "aaai-table-3": Experiment(table_3, "RMSE of accuracy by predicted class"),
    "aaai-table-3-imagenet": Experiment(table_3_imagenet, "the same on ImageNet", 100),
    "aaai-table-4": Experiment(table_4, "error of confusion matrices"),
    "aaai-table-5": Experiment(table_5, "percentage error of the expected calibration error"),
    "aaai-table-6": Experiment(table_6, "labels needed to identify the least accurate classes"),
    "aaai-table-6-imagenet": Experiment(table_6_imagenet, "the same on ImageNet", 100),
    "aaai-table-7": Experiment(table_7, "labels needed to compare two groups, all pairs", runs=1),
    "aaai-table-8": Experiment(table_8, "RMSE of accuracy by score bin", aliases=("supplement-table-1",)),
    "aaai-table-9": Experiment(
        table_9, "labels needed to identify the least calibrated classes", 100, ("supplement-table-2",)
    ),
    "aaai-table-10": Experiment(table_10, "labels to find the highest cost: people", 100, ("supplement-table-3",)),
    "aaai-table-11": Experiment(
        table_11, "labels to find the highest cost: superclasses", 100, ("supplement-table-4",)
    ),
    "v1-table-2": Experiment(v1_table_2, "labels to find the highest cost, first version", 100),
}
