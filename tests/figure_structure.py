"""How the papers lay out their figures: panels, axes and curves, by the figures' names."""

from typing import Any

from fewlabels.reproduction import Reproduction

RELIABILITY = ("scores", "calibration error", "accuracy, 95 % interval")
FIVE, POOL = ("IPrior+TS", "UPrior+TS", "IPrior", "UPrior", "Frequentist"), "% of the pool labelled"
RIVALS = ("ACIS, as printed", "ACIS, ours", "SAWADE", "TOP-K", "GMM", "HERDING")
PARTS = (*RIVALS[:2], "ACIS-LAST, as printed", "ACIS-LAST, ours", "SAWADE", "ISO", "PLATT", "RAND")
BOUNDS = ("TS", "Epsilon greedy", "Bayesian UCB", "Mean + variance (as printed)")
ROUNDS = (*(f"round {i}" for i in range(1, 6)), "all labels")
ERRORS = ("Bayesian", "Frequentist", "Frequencies, weights of the pool")
MODELS = ("lr", "nb", "mlp", "5shot")
SHARED = (
    *(name for t in ("0.02", "0.05") for name in (f"threshold {t}, its own labels", f"threshold {t}")),
    "threshold 0.1, its own labels",
    *(name for t in ("0.2", "0.3", "0.5") for name in (f"threshold {t}", f"threshold {t}, its own labels")),
)

# figure: panels, of them beside one another, and the x axis, y axis and curves of the first panel
STRUCTURE = {
    "aaai-figure-1": (1, None, "accuracy", "ECE", ("10 least accurate", "10 most accurate", "others")),
    "aaai-figure-3": (4, 2, "labels", "MRR", ("IPrior+TS", "IPrior", "UPrior")),
    "aaai-figure-4": (15, 5, "score", "accuracy", RELIABILITY),
    "aaai-figure-5": (6, 3, "score", "accuracy", RELIABILITY),
    "aaai-figure-6": (5, 5, "labels", "% error of ECE", ERRORS),
    "aaai-figure-7": (5, 5, "accuracy", "ECE", ("10 least accurate", "10 most accurate", "others")),
    "aaai-figure-8": (2, None, "difference of accuracy", "density", ("posterior",)),
    "aaai-figure-9": (3, None, "", "rank, 1 being the most accurate", ("rank",)),
    "aaai-figure-11": (5, 5, POOL, "MRR", ("TS", "TTTS")),
    "aaai-figure-15": (10, 5, POOL, "MRR", BOUNDS),
    "aaai-figure-16": (10, 5, POOL, "MRR", ("IPrior+TS", "UPrior+TS")),
    "aaai-figure-17": (30, 5, "score", "accuracy", RELIABILITY),
    "aaai-figure-18": (30, 5, POOL, "MRR", FIVE),
    "aaai-figure-19": (30, 5, POOL, "MRR", ("IPrior+TS", "Frequentist")),
    "v1-figure-2": (6, 3, "score", "accuracy", RELIABILITY),
    "v1-figure-4": (10, 5, POOL, "MRR", ("Active (TS)", "Non-active")),
    "v1-figure-5": (2, 2, POOL, "MRR", ("Informative", "Uninformative")),
    "v1-figure-7": (10, 5, POOL, "MRR", ("Active (TS)", "Non-active")),
    "v1-figure-9": (15, 5, "score", "accuracy", RELIABILITY),
    "v1-figure-12": (30, 5, POOL, "MRR", ("Active (TS)", "Non-active")),
    "v1-figure-13": (30, 5, POOL, "MRR", ("Active (TS)", "Non-active")),
    "workshop-figure-3": (2, None, POOL, "share of runs", ("Active", "Random")),
    "workshop-figure-5": (2, None, "", "accuracy", ("accuracy",)),
    "workshop-figure-7": (2, None, POOL, "share of runs", ("Active", "Random")),
    "workshop-figure-10": (2, None, POOL, "share of runs", ("Active", "Random")),
    "acis-figure-2": (4, None, "score", "calibrated score", ROUNDS),
    "acis-figure-3": (4, 2, "labels", "MSE", RIVALS),
    "acis-figure-4": (2, 1, "labels", "MSE", RIVALS),
    "acis-figure-5": (2, 1, "labels", "MSE", RIVALS),
    "acis-figure-6": (8, 4, "labels", "MSE", PARTS),
    "acis-figure-7": (3, None, "labels", "variance", ("empirical", "Eq. 6", "worst case")),
    "acis-figure-8": (1, None, "items labelled", "variance", ("empirical", "Eq. 6")),
    "acis-figure-9": (4, None, "labels", "MSE", (*(f"drawn for {name}" for name in MODELS), "best baseline")),
    "acis-figure-10": (1, None, "labels", "MSE", SHARED),
}  # fmt: skip


def structure_of(found: Reproduction) -> tuple[Any, ...]:
    """The same of a figure that was made."""
    first = found.panels[0]
    return len(found.panels), found.across, first.x_label, first.y_label, first.names_of_curves
