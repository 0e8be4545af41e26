"""The pools reproductions need, by name from a folder, each with what it is and where it came from."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from fewlabels.engines import gathered
from fewlabels.errors import PoolError, listed
from fewlabels.pool import Pool
from fewlabels.pool.open_pool import open_pool


@dataclass(frozen=True)
class Source:
    """A file of predictions with labels."""

    file: str
    about: str
    items: str | None = None  # a second file, with the labels
    classes: str | None = None  # a file of class names
    model: str | None = None  # which of several
    independent: bool = False  # scores of one class against the rest, each by itself
    other_labels: tuple[str, ...] = ()  # true classes no model predicts
    thinned: int | None = None  # of every third class, so many items are left, drawn with seed 0


SOURCES = {
    "cifar100-paper": Source(
        "cifar100_resnet110_paper.npz",
        "CIFAR-100 test set, ResNet-110: the papers' own predictions (top class and score; no licence, not shipped)",
    ),
    "cifar100-wrn": Source(
        "cifar100_wrn16_4.npz",
        "CIFAR-100 test set, WideResNet-16-4, full probabilities (netcal's examples, Apache-2.0)",
    ),
    "svhn": Source(
        "svhn_paper.npz",
        "SVHN test set, ResNet-152: the papers' own predictions (full probabilities; no licence, not shipped)",
    ),
    "20news": Source("20news.npz", "20 Newsgroups test set, cross-validated probabilities (cleanlab, Apache-2.0)"),
    "cifar10": Source("cifar10_vgg16.npz", "CIFAR-10 test set, VGG-16, full probabilities (verified_calibration, MIT)"),
    "imagenet": Source(
        "imagenet_val_top1_5models.npz",
        "ImageNet validation set, ResNet-101, top class and score (reliability-diagrams, MIT)",
        model="tv_resnet101",
    ),
    "banking77": Source(
        "text/banking77__minilm_mlp.parquet",
        "BANKING77 test set, sentence embeddings and an MLP (data by PolyAI, CC BY 4.0)",
        items="text/banking77.parquet",
        classes="text/classes.json:banking77",
    ),
    **{
        f"banking77-{name}": Source(
            f"text/banking77__{file}.parquet",
            f"BANKING77 test set, {words} (data by PolyAI, CC BY 4.0)",
            items="text/banking77.parquet",
            classes="text/classes.json:banking77",
        )
        for name, file, words in (
            ("lr", "tfidf_lr", "TF-IDF and logistic regression"),
            ("nb", "tfidf_nb", "TF-IDF and naive Bayes"),
            ("mlp", "minilm_mlp", "sentence embeddings and an MLP"),
            ("5shot", "minilm_mlp_5shot", "sentence embeddings and an MLP, five labels a class"),
        )
    },
    "banking77-large": Source(
        "text/banking77_large__minilm_ovr_5shot.parquet",
        "BANKING77, all but the training items, one-vs-rest models of five labels a class (data by PolyAI, CC BY 4.0)",
        items="text/banking77_large.parquet",
        classes="text/classes.json:banking77",
        independent=True,
    ),
    "clinc150-large": Source(
        "text/clinc150_large__minilm_mlp_5shot.parquet",
        "CLINC150 with out-of-scope items, an MLP of five labels a class (data by Clinc, CC BY 3.0)",
        items="text/clinc150_large.parquet",
        classes="text/classes.json:clinc150",
        other_labels=("oos",),
    ),
}
SOURCES["clinc150-rare"] = replace(
    SOURCES["clinc150-large"],
    about="CLINC150 as above, but 15 items left of every third class, which are then less than 0.1 % of the pool",
    thinned=15,
)


def about(*names: str) -> str:
    """What the pools of these names are."""
    return "; ".join(SOURCES[name].about for name in names)


def data_folder(given: str | Path | None) -> Path:
    """The folder of pools: as given, else $FEWLABELS_DATA."""
    folder = given or os.environ.get("FEWLABELS_DATA")
    if not folder:
        raise PoolError("the papers' pools are not part of fewlabels; name their folder with --data or FEWLABELS_DATA.")
    return Path(folder)


def load_pool(name: str, folder: str | Path | None) -> Pool:
    """The pool of this name."""
    file = _file(name, folder)
    source, place = SOURCES[name], data_folder(folder)
    pool = open_pool(
        file,
        items=None if source.items is None else place / source.items,
        classes=None if source.classes is None else str(place / source.classes),
        other_labels=source.other_labels,
        probabilities_are="independent" if source.independent else "exclusive",
    )
    return pool if source.thinned is None else _thinned(pool, source.thinned)


def _thinned(pool: Pool, left: int) -> Pool:
    """The pool with so many items left of every third class, the classes being rare then."""
    rows, rng = gathered(pool.engine.scan(pool.models[0], whole=True)), np.random.default_rng(0)
    labels = np.asarray(rows.labels, dtype=str)
    keep = np.ones(len(labels), dtype=np.bool_)
    for name in pool.classes[::3]:
        of_class = np.flatnonzero(labels == name)
        keep[rng.permutation(of_class)[left:]] = False
    return Pool.from_arrays(
        probabilities=np.asarray(rows.probabilities)[keep],
        classes=pool.classes,
        labels=labels[keep],
        other_labels=pool.other_labels,
    )


def load_superclasses(name: str, folder: str | Path | None) -> dict[str, str]:
    """{class: superclass} of the pool of this name, as its file has them."""
    with np.load(_file(name, folder), allow_pickle=False) as arrays:
        of_class = arrays["superclass_names"][arrays["superclass_of_class"].astype(np.int64)]
        return {str(c): str(s) for c, s in zip(arrays["class_names"], of_class, strict=True)}


def _file(name: str, folder: str | Path | None) -> Path:
    if name not in SOURCES:
        raise PoolError(f"no pool called {name!r}; known are {listed(SOURCES)}.")
    file = data_folder(folder) / SOURCES[name].file
    if not file.exists():
        raise PoolError(
            f"{SOURCES[name].about}: no file {str(file)!r}; say where the pools are with --data or FEWLABELS_DATA."
        )
    return file
