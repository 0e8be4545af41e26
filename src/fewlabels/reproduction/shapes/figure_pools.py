"""The five data sets of the papers' tables and figures, each the papers' own or the nearest that can be had; or, in
their place, a pool of somebody's own."""

from dataclasses import dataclass, replace

from fewlabels.pool import Pool
from fewlabels.reproduction.base import OWN, Setup, about

# On ImageNet, with its thousand classes: of tables, of curves, and of curves of calibration, with ten bins a class
MOST_RUNS = {"table": 100, "accuracy": 20, "calibration": 3}
MANY = 100  # classes from which on ten of them are looked for, else three


@dataclass(frozen=True)
class FigurePool:
    """A data set: the papers' name for it, what stands for it, and how many classes are looked for."""

    name: str
    called: str
    top: int
    instead: str = ""  # what it is, where it is not the papers' own
    accuracy_reach: tuple[float, float] = (0.3, 0.65)  # shares of the pool shown, for top 1 and top m
    calibration_reach: tuple[float, float] = (0.5, 0.7)

    @property
    def title(self) -> str:
        return f"{self.called} ({self.instead})" if self.instead else self.called

    @property
    def other(self) -> bool:
        """Whether this is another pool than the papers', so that their numbers need not come out."""
        return self.instead != "" or self.name == OWN

    def runs(self, wanted: int, shown: str = "table") -> int:
        """How many runs are done of so many wanted."""
        return min(wanted, MOST_RUNS[shown]) if self.name == "imagenet" else wanted

    def reach(self, pool: Pool, metric: str, top: int) -> int:
        """How many labels to look at."""
        shares = self.accuracy_reach if metric == "accuracy" else self.calibration_reach
        return max(int(len(pool) * shares[0 if top == 1 else 1]), 1)


# Shares shown of accuracy are those of the published Figure 18 (a); of calibration somewhat beyond Table 9.
FIGURE_POOLS = (
    FigurePool("cifar100-paper", "CIFAR-100", 10, "", (0.27, 0.62), (0.5, 0.7)),
    FigurePool("imagenet", "ImageNet", 10, "ResNet-101", (0.144, 0.296), (0.4, 0.5)),
    FigurePool("svhn", "SVHN", 3, "", (0.69, 0.95), (0.5, 0.85)),
    FigurePool("20news", "20 Newsgroups", 3, "another model", (0.173, 0.358), (0.4, 0.6)),
    FigurePool("banking77", "DBpedia", 3, "BANKING77 instead", (0.107, 0.55), (0.15, 0.65)),
)
CIFAR100, IMAGENET, SVHN, NEWS, DBPEDIA = FIGURE_POOLS
DIALOGUES = replace(NEWS, called="Dialogues", instead="20 Newsgroups instead")
ALL_FIVE = about(*(pool.name for pool in FIGURE_POOLS))

INSTEAD = (
    "CIFAR-100 and SVHN are the papers' own. Not to be had are: the ResNet-152 of ImageNet (ResNet-101 instead), BERT "
    "on 20 Newsgroups (another model, which is under- rather than over-confident), DBpedia and the medical dialogues "
    "(BANKING77 and 20 Newsgroups, the nearest texts; accuracies near 0.99 and rare classes are not reproduced by "
    "them)."
)


def data_sets(setup: Setup, usual: tuple[FigurePool, ...] = FIGURE_POOLS) -> tuple[FigurePool, ...]:
    """Those of the paper, or the one pool that was brought in their place, seen to its end."""
    if setup.own is None:
        return usual
    classes = len(setup.own.classes)
    top = min(10 if classes >= MANY else 3, max(classes - 1, 1))
    return (FigurePool(OWN, "your pool", top, "", (1.0, 1.0), (1.0, 1.0)),)


def fewer_runs(setup: Setup, chosen: tuple[FigurePool, ...], shown: str = "table") -> list[str]:
    """Where fewer runs were done than elsewhere, in words."""
    few = [pool for pool in chosen if pool.runs(setup.runs, shown) < setup.runs]
    return [f"{pool.title}: {pool.runs(setup.runs, shown)} runs." for pool in few]
