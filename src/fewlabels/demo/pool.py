"""The bundled pool: BANKING77 messages, their true intents, and what two classifiers said of them."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.resources import as_file, files
from pathlib import Path

from fewlabels.errors import PoolError
from fewlabels.pool import Pool
from fewlabels.pool.open_pool import open_pool

MODELS = {
    "minilm_mlp_5shot": "sentence embeddings and a small network, trained on 5 messages an intent",
    "tfidf_lr": "words and logistic regression, trained on the whole training split",
}
_SAVED_AS = ("predictions.parquet", "items.parquet", "classes.json", "ATTRIBUTION.md")


def demo_pool(model: str = "minilm_mlp_5shot") -> Pool:
    """3,080 bank customers' messages, sorted by one of two classifiers into 77 intents; true ones in `known_labels`.

    >>> demo_pool()
    <Pool: 3,080 items, 77 classes>
    """
    with _files(model) as (predictions, items, classes, _):
        return open_pool(predictions, items=items, classes=classes)


def save_pool(folder: Path, model: str = "minilm_mlp_5shot") -> tuple[Path, ...]:
    """The pool's files, copied into a folder: predictions, items, class names, attribution."""
    folder.mkdir(parents=True, exist_ok=True)
    with _files(model) as found:
        return tuple(Path(shutil.copyfile(file, folder / name)) for file, name in zip(found, _SAVED_AS, strict=True))


@contextmanager
def _files(model: str) -> Iterator[tuple[Path, ...]]:
    if model not in MODELS:
        raise PoolError(f"the bundled pool has no model {model!r}; it has {', '.join(MODELS)}.")
    inside = (f"data/banking77__{model}.parquet", "data/banking77.parquet", "data/classes.json", "ATTRIBUTION.md")
    with ExitStack() as stack:
        yield tuple(stack.enter_context(as_file(files("fewlabels.demo") / name)) for name in inside)
