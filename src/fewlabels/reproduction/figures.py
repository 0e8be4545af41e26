"""The papers' figures by name. Figures 2, 10, 12 and 13 of [Ji21] and Figure 4 of [Ji19] show no experiment."""

from fewlabels.reproduction.acis_comparison import ACIS_COMPARISONS
from fewlabels.reproduction.acis_sharing import models_figure, thresholds_figure
from fewlabels.reproduction.acis_variance import coverage_table, finite_data_figure, variance_figure
from fewlabels.reproduction.base import Experiment
from fewlabels.reproduction.class_figures import CLASS_FIGURES
from fewlabels.reproduction.curve_figures import CURVES
from fewlabels.reproduction.other_figures import figure_3, figure_8, figure_14, v1_figure_6
from fewlabels.reproduction.reliability_figures import RELIABILITY_FIGURES

FIGURES: dict[str, Experiment] = {
    "aaai-figure-1": Experiment(
        CLASS_FIGURES["aaai-figure-1"], "accuracy and ECE by class, CIFAR-100", 1, ("v1-figure-1",)
    ),
    "aaai-figure-3": Experiment(figure_3, "finding the classes of highest cost", 100),
    "aaai-figure-4": Experiment(
        RELIABILITY_FIGURES["aaai-figure-4"], "reliability diagrams", 1, ("supplement-figure-1",)
    ),
    "aaai-figure-5": Experiment(
        RELIABILITY_FIGURES["aaai-figure-5"], "posterior of ECE, CIFAR-100", 1, ("supplement-figure-2",)
    ),
    "aaai-figure-6": Experiment(
        RELIABILITY_FIGURES["aaai-figure-6"], "percentage error of ECE", 100, ("supplement-figure-3", "v1-figure-3")
    ),
    "aaai-figure-7": Experiment(
        CLASS_FIGURES["aaai-figure-7"], "accuracy and ECE by class", 1, ("supplement-figure-4", "v1-figure-8")
    ),
    "aaai-figure-8": Experiment(figure_8, "differences of accuracy", 1, ("supplement-figure-5",)),
    "aaai-figure-9": Experiment(
        CLASS_FIGURES["aaai-figure-9"], "ranks and extreme classes", 1, ("supplement-figure-6", "v1-figure-10")
    ),
    "aaai-figure-11": Experiment(
        CURVES["aaai-figure-11"], "Thompson and top-two sampling", 1000, ("supplement-figure-8",)
    ),
    "aaai-figure-14": Experiment(figure_14, "cost matrices", 1, ("supplement-figure-11",)),
    "aaai-figure-15": Experiment(
        CURVES["aaai-figure-15"], "Thompson sampling, epsilon-greedy, upper bound", 1000, ("supplement-figure-12",)
    ),
    "aaai-figure-16": Experiment(
        CURVES["aaai-figure-16"], "informative and flat priors", 1000, ("supplement-figure-13",)
    ),
    "aaai-figure-17": Experiment(
        RELIABILITY_FIGURES["aaai-figure-17"],
        "reliability, stronger priors",
        1,
        ("supplement-figure-14", "v1-figure-11"),
    ),
    "aaai-figure-18": Experiment(
        CURVES["aaai-figure-18"], "least accurate classes, stronger priors", 1000, ("supplement-figure-15",)
    ),
    "aaai-figure-19": Experiment(
        CURVES["aaai-figure-19"], "least calibrated classes, stronger priors", 1000, ("supplement-figure-16",)
    ),
    "v1-figure-2": Experiment(RELIABILITY_FIGURES["v1-figure-2"], "posterior of ECE, prior on the diagonal", 1),
    "v1-figure-4": Experiment(CURVES["v1-figure-4"], "least accurate classes, active and not", 100),
    "v1-figure-5": Experiment(CURVES["v1-figure-5"], "informative and flat priors", 100),
    "v1-figure-6": Experiment(v1_figure_6, "costs: matrices, success, estimated confusion", 100),
    "v1-figure-7": Experiment(CURVES["v1-figure-7"], "least calibrated classes, active and not", 100),
    "v1-figure-9": Experiment(RELIABILITY_FIGURES["v1-figure-9"], "reliability diagrams, prior at the bins' edges", 1),
    "v1-figure-12": Experiment(CURVES["v1-figure-12"], "least accurate classes, stronger priors", 100),
    "v1-figure-13": Experiment(CURVES["v1-figure-13"], "least calibrated classes, stronger priors", 100),
    "workshop-figure-1": Experiment(CLASS_FIGURES["workshop-figure-1"], "accuracy and bias of the extreme classes", 1),
    "workshop-figure-2": Experiment(CLASS_FIGURES["workshop-figure-2"], "probabilities of the extreme classes", 1),
    "workshop-figure-3": Experiment(CURVES["workshop-figure-3"], "success in finding the extreme classes", 100),
    "workshop-figure-5": Experiment(CLASS_FIGURES["workshop-figure-5"], "accuracy and bias, SVHN", 1),
    "workshop-figure-6": Experiment(CLASS_FIGURES["workshop-figure-6"], "extreme classes, SVHN", 1),
    "workshop-figure-7": Experiment(CURVES["workshop-figure-7"], "success, SVHN", 100),
    "workshop-figure-8": Experiment(CLASS_FIGURES["workshop-figure-8"], "accuracy and bias, dialogues", 1),
    "workshop-figure-9": Experiment(CLASS_FIGURES["workshop-figure-9"], "extreme classes, dialogues", 1),
    "workshop-figure-10": Experiment(CURVES["workshop-figure-10"], "success, dialogues", 100),
    "acis-figure-3": Experiment(ACIS_COMPARISONS["acis-figure-3"], "MSE of F1: ACIS and rivals, CIFAR-100", 5),
    "acis-figure-4": Experiment(ACIS_COMPARISONS["acis-figure-4"], "MSE of F1: ACIS and rivals, BANKING77", 5),
    "acis-figure-5": Experiment(ACIS_COMPARISONS["acis-figure-5"], "MSE of F1: ACIS and rivals, CLINC150", 5),
    "acis-figure-6": Experiment(ACIS_COMPARISONS["acis-figure-6"], "MSE of F1: ACIS and its parts", 5),
    "acis-figure-7": Experiment(variance_figure, "variance of F1, predicted and empirical", 10, ("acis-figure-12",)),
    "acis-figure-8": Experiment(finite_data_figure, "variance of F1 on fully labelled data", 100),
    "acis-figure-9": Experiment(models_figure, "labels shared between models", 5),
    "acis-figure-10": Experiment(thresholds_figure, "labels shared between thresholds", 5),
    "acis-figure-11": Experiment(ACIS_COMPARISONS["acis-figure-11"], "isotonic regression and Platt scaling", 5),
    "acis-coverage": Experiment(coverage_table, "coverage and width of 95 % intervals for F1", 5),
    "acis-switches": Experiment(ACIS_COMPARISONS["acis-switches"], "parts of ACIS switched off", 5),
    "acis-other-pools": Experiment(ACIS_COMPARISONS["acis-other-pools"], "pools of less rare classes", 5),
}
