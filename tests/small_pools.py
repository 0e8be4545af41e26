"""Small pools under the names of the real ones, so that every reproduction can be run in seconds."""

import json
from pathlib import Path

import duckdb
import numpy as np

SUPERCLASSES = {
    "people": ["baby", "boy", "girl", "man", "woman"],
    "trees": ["maple", "oak", "palm", "pine", "willow"],
    "fish": ["aquarium_fish", "flatfish", "ray", "shark", "trout"],
    "insects": ["bee", "beetle", "butterfly", "caterpillar", "cockroach"],
}
CLASSES = sorted(name for members in SUPERCLASSES.values() for name in members)


def predictions(items: int, classes: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities and labels: some classes hard, scores overconfident; every class is predicted."""
    rng = np.random.default_rng(seed)
    label = rng.permutation(np.arange(items) % classes)
    logits = rng.normal(0, 1.0, (items, classes))
    logits[np.arange(items), label] += np.linspace(1.0, 5.0, classes)[label]
    table = np.exp(1.3 * logits)
    return (table / table.sum(axis=1, keepdims=True)).astype(np.float32), label


def write_small_pools(folder: Path, items: int = 240, classes: int = 20) -> Path:
    """All files that reproductions read, with so many classes (6 and 10 in two of them) and few items."""
    names, known = sorted(SUPERCLASSES), CLASSES[:classes]
    about = {
        "class_names": np.array(known),
        "superclass_of_class": np.array([next(i for i, s in enumerate(names) if c in SUPERCLASSES[s]) for c in known]),
        "superclass_names": np.array(names),
    }
    table, label = predictions(items, classes, 0)
    top = {"predicted": table.argmax(axis=1), "score": table.max(axis=1), "label": label}
    np.savez(folder / "cifar100_resnet110_paper.npz", **top, **about)
    table, label = predictions(items, classes, 1)
    np.savez(folder / "cifar100_wrn16_4.npz", probabilities=table, label=label, **about)
    for file, its_classes, seed in (("20news", 6, 2), ("cifar10_vgg16", 10, 3), ("svhn_paper", 10, 6)):
        table, label = predictions(items, its_classes, seed)
        np.savez(folder / f"{file}.npz", probabilities=table, label=label)
    table, label = predictions(items, classes, 4)
    np.savez(
        folder / "imagenet_val_top1_5models.npz",
        predicted=np.stack([table.argmax(axis=1)] * 2),
        score=np.stack([table.max(axis=1)] * 2),
        label=label,
        models=np.array(["other", "tv_resnet101"]),
    )
    _write_texts(folder / "text", items, [f"intent_{i:02d}" for i in range(classes)])
    return folder


def _write_texts(folder: Path, items: int, classes: list[str]) -> None:
    folder.mkdir()
    (folder / "classes.json").write_text(json.dumps({"banking77": classes, "clinc150": classes}))
    models = {
        "banking77": ("tfidf_lr", "tfidf_nb", "minilm_mlp", "minilm_mlp_5shot"),
        "banking77_large": ("minilm_ovr_5shot",),
        "clinc150_large": ("minilm_mlp_5shot",),
    }
    ids = [f"m{i}" for i in range(items)]
    for pool, names in models.items():
        table, label = predictions(items, len(classes), 5)
        names_of = [classes[i] for i in label]
        if pool == "clinc150_large":
            names_of[:3] = ["oos"] * 3
        _write_parquet(folder / f"{pool}.parquet", {"id": ids, "label": names_of})
        for seed, name in enumerate(names):
            noise = np.random.default_rng(seed).normal(0, 0.3, table.shape)
            scores = table * np.exp(noise)
            scores = scores / scores.sum(axis=1, keepdims=True)
            columns = {"id": ids, **{f"p_{k:03d}": scores[:, k].tolist() for k in range(len(classes))}}
            _write_parquet(folder / f"{pool}__{name}.parquet", columns)


def _write_parquet(file: Path, columns: dict[str, list]) -> None:
    with duckdb.connect() as connection:
        table = ", ".join(f"unnest(?::{_type(values)}[]) as {name}" for name, values in columns.items())
        connection.execute(f"copy (select {table}) to '{file}' (format parquet)", list(columns.values()))


def _type(values: list) -> str:
    return "varchar" if isinstance(values[0], str) else "double"
