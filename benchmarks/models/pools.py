"""Sets of models over the same items: real ones from the data folder, twins made of one model, and made-up ones."""

import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.leaderboard.pools import HALF, REPOSITORY, SMALL, Role, data_folder, text_pool
from benchmarks.models.made import MADE

import fewlabels as fl
from fewlabels.engines import MemoryEngine, ModelOutputs, in_memory

LISTED = REPOSITORY / "benchmarks" / "model_pools.toml"
TWIN = "twin"
_ALL_PAIRS = 5  # models up to which each is compared with each
_SEED = 13
_TEXT = "text/"


@dataclass(frozen=True)
class ModelSet:
    """Models on the list, over the same items."""

    name: str
    role: Role
    members: tuple[str, ...]  # files; none of those made up

    @property
    def share(self) -> float:
        """Of the items that a sub-pool holds."""
        small = bool(self.members) and self.members[0].startswith(_TEXT) and "_large" not in self.members[0]
        return 1.0 if not self.members else SMALL if small else HALF

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The models that are compared; pairs of a design set only there."""
        models = load(self).models
        found = tuple(combinations(models, 2)) if len(models) <= _ALL_PAIRS else tuple(pairwise(models))
        designed = {pair for one in sets() if one.role == "design" != self.role for pair in _listed_pairs(one)}
        files = dict(zip(models, self.members, strict=False))
        return tuple((a, b) for a, b in found if (files.get(a), files.get(b)) not in designed)

    def pool(self, run: int) -> fl.Pool:
        """The sub-pool of a run, the same for every method."""
        if not self.members:
            return MADE[self.name](np.random.default_rng([_SEED, run]))
        return _sub_pool(self, run)


def _listed_pairs(one: ModelSet) -> tuple[tuple[str, str], ...]:
    return tuple(combinations(one.members, 2))


@cache
def sets(listed: Path = LISTED) -> tuple[ModelSet, ...]:
    """Every set on the list that can be opened here: first those that methods were designed on."""
    told = tomllib.loads(listed.read_text())
    found: list[ModelSet] = []
    roles: tuple[Role, ...] = ("design", "test")
    for role in roles:
        found += [ModelSet(name, role, tuple(files)) for name, files in told[role]["sets"].items()]
        found += [ModelSet(name, role, (file,)) for name, file in told[role]["twins"].items()]
        found += [ModelSet(name, role, ()) for name in told[role]["made"]["names"]]
    return tuple(one for one in found if all(path_of(file).exists() for file in one.members))


def path_of(member: str) -> Path:
    return data_folder() / member.partition("#")[0]


@lru_cache(maxsize=2)
def load(one: ModelSet) -> fl.Pool:
    """The whole pool, with its labels."""
    if not one.members:
        return one.pool(0)
    if len(one.members) == 1:
        return _with_twin(one.name, open_member(one.members[0]))
    return fl.Pool.join({name_of(member): open_member(member) for member in one.members})


@lru_cache(maxsize=8)
def _sub_pool(one: ModelSet, run: int) -> fl.Pool:
    whole = load(one)
    engine = in_memory(whole.engine)
    items = round(one.share * engine.count)
    at = np.sort(np.random.default_rng([_SEED, run]).permutation(engine.count)[:items])
    models = {name: ModelOutputs(said.predicted[at], said.score[at], None) for name, said in engine.models.items()}
    columns = {name: values[at] for name, values in engine.columns.items()}
    assert engine.labels is not None
    made = MemoryEngine(
        engine.ids[at], engine.classes, engine.other_labels, models, columns, {}, engine.labels[at]
    )  # fmt: skip
    return fl.Pool(made, whole.positive)


def name_of(member: str) -> str:
    file, _, which = member.removeprefix(_TEXT).partition("#")
    return f"{file.partition('.')[0]}{'-' if which else ''}{which.removeprefix('score_')}"


def open_member(member: str) -> fl.Pool:
    path, (_, _, which) = path_of(member), member.partition("#")
    if path.suffix == ".npz":
        pool = fl.open_pool(path, classes=_cifar_classes() if path.name.startswith("cifar100") else None)
        return _only(pool, pool.models[int(which)]) if which else pool
    if path.suffix == ".parquet":
        return text_pool(path)
    return fl.open_pool(path, id="row", label="income-per-year", positive_score=which, positive="rich")


@cache
def _cifar_classes() -> list[Any]:
    with np.load(data_folder() / "cifar100_wrn16_4.npz") as file:
        return list(file["class_names"].tolist())


def _only(pool: fl.Pool, model: str) -> fl.Pool:
    engine = in_memory(pool.engine)
    one = {"model": engine.models[model]}
    return fl.Pool(
        MemoryEngine(engine.ids, engine.classes, engine.other_labels, one, engine.columns, {}, engine.labels)
    )


def _with_twin(name: str, pool: fl.Pool) -> fl.Pool:
    engine = in_memory(pool.engine)
    (own,) = engine.models.values()
    assert own.probabilities is not None
    noise = np.random.default_rng(_SEED).normal(size=own.probabilities.shape)
    moved = np.log(np.maximum(own.probabilities.astype(np.float64), 1e-12)) + noise
    predicted = moved.argmax(axis=1)
    score = own.probabilities[np.arange(len(predicted)), predicted].astype(np.float64)
    models = {name: own, TWIN: ModelOutputs(predicted.astype(np.int64), score, None)}
    return fl.Pool(
        MemoryEngine(engine.ids, engine.classes, engine.other_labels, models, engine.columns, {}, engine.labels),
        pool.positive,
    )
