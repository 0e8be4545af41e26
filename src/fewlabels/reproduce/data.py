"""The pools reproductions need, by name from a folder, each with what it is and where it came from."""

import os
from dataclasses import dataclass
from pathlib import Path

from fewlabels.errors import PoolError, listed
from fewlabels.opening import open_pool
from fewlabels.pool import Pool


@dataclass(frozen=True)
class Source:
    """A file of predictions with labels."""

    file: str
    about: str


SOURCES = {
    "cifar100-paper": Source(
        "cifar100_resnet110_paper.npz",
        "CIFAR-100 test set, ResNet-110: the papers' own predictions (top class and score; no licence, not shipped)",
    ),
    "cifar100-wrn": Source(
        "cifar100_wrn16_4.npz",
        "CIFAR-100 test set, WideResNet-16-4, full probabilities (netcal's examples, Apache-2.0)",
    ),
    "20news": Source("20news.npz", "20 Newsgroups test set, cross-validated probabilities (cleanlab, Apache-2.0)"),
    "imagenet": Source(
        "imagenet_val_top1_5models.npz", "ImageNet validation set, five networks, top class and score (MIT)"
    ),
}


def data_folder(given: str | Path | None) -> Path:
    """The folder of pools: as given, else $FEWLABELS_DATA, else ../shared/data."""
    return Path(given or os.environ.get("FEWLABELS_DATA", "../shared/data"))


def load_pool(name: str, folder: str | Path | None) -> Pool:
    """The pool of this name."""
    if name not in SOURCES:
        raise PoolError(f"no pool called {name!r}; known are {listed(SOURCES)}.")
    file = data_folder(folder) / SOURCES[name].file
    if not file.exists():
        raise PoolError(
            f"{SOURCES[name].about}: no file {str(file)!r}; say where the pools are with --data or FEWLABELS_DATA."
        )
    return open_pool(file)
