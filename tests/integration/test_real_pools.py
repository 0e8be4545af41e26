"""Every real pool opens, and a short study with several questions runs on it."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import fewlabels as fl

TEXT = {
    "banking77__minilm_mlp": 0.922,
    "banking77__minilm_mlp_5shot": 0.781,
    "banking77__tfidf_lr": 0.915,
    "banking77__tfidf_nb": 0.862,
    "banking77_large__minilm_ovr_5shot": 0.773,
    "clinc150_large__minilm_mlp_5shot": 0.847,
}
ARRAYS = {
    "20news": {"model": 0.923},
    "svhn_paper": {"model": 0.968},
    "cifar10_vgg16": {"model": 0.936},
    "cifar100_resnet110_paper": {"model": 0.741},
    "cifar100_wrn16_4": {"model": 0.754},
    "cifar100_resnet110_densenet40_top1": {"resnet110": 0.715, "densenet40": 0.700},
    "imagenet_val_top1_5models": None,
}


def open_text(folder: Path, name: str) -> fl.Pool:
    return fl.open_pool(
        folder / "text" / f"{name}.parquet",
        items=folder / "text" / f"{name.partition('__')[0]}.parquet",
        classes=f"{folder / 'text' / 'classes.json'}:{name.partition('_')[0]}",
        other_labels=["oos"] if name.startswith("clinc") else [],
        probabilities_are="independent" if "ovr" in name else "exclusive",
    )


def right(pool: fl.Pool, model: str) -> np.ndarray:
    return np.array(pool.classes, dtype=object)[pool.engine.models[model].predicted] == pool.known_labels


QUESTIONS = [
    fl.Estimate("accuracy"),
    fl.Estimate("accuracy", by="predicted_class"),
    fl.Estimate("calibration_error"),
    fl.Estimate("accuracy", by=fl.ScoreBins(10, "mass")),
    fl.Identify("accuracy", by="predicted_class"),
]


def run_short_study(pool: fl.Pool, model: str, labels: int = 30) -> None:
    """A few labels, then every question: figures lie in their intervals, and the labels are all counted."""
    truth = dict(zip(pool.engine.ids.tolist(), pool.known_labels.tolist(), strict=True))
    study = fl.create_study(pool, fl.Estimate("accuracy", by="predicted_class"), model=model, seed=1)
    for _ in range(3):
        study.tell({query.item: truth[query.item] for query in study.ask(labels // 3)})
    assert len(study.labels) == labels
    for question in QUESTIONS:
        answer = study.answer(question)
        assert answer.overall.labels == labels
        for finding in (*answer.findings, answer.overall):
            few = math.isnan(finding.low)  # no interval of a class with few labels, and no figure without any
            assert few or finding.low <= finding.value <= finding.high
            assert not few or finding.labels < 3
        assert str(answer)
    everything = fl.create_study(pool, fl.Estimate("accuracy"), model=model)
    everything.tell(truth, drawn="uniform")
    assert everything.answer().overall.value == pytest.approx(right(pool, model).mean(), abs=1e-9)
    assert everything.done


@pytest.mark.parametrize("name", ARRAYS)
def test_every_array_file_opens_and_a_study_runs(data_folder, name):
    pool = fl.open_pool(data_folder / f"{name}.npz")
    known = ARRAYS[name] or dict.fromkeys(pool.models)
    assert set(pool.models) == set(known)
    for model, accuracy in known.items():
        share = right(pool, model).mean()
        assert share == pytest.approx(accuracy, abs=6e-4) if accuracy is not None else 0.75 < share < 0.785
    run_short_study(pool, pool.models[-1])


@pytest.mark.parametrize("name", TEXT)
def test_every_text_pool_opens_and_a_study_runs(data_folder, name):
    pool = open_text(data_folder, name)
    assert right(pool, "model").mean() == pytest.approx(TEXT[name], abs=6e-4)
    assert set(pool.columns) == {"split", "dup_in_train"}
    query = fl.create_study(pool, fl.Estimate("accuracy")).ask()[0]
    assert query.payload["text"]
    run_short_study(pool, "model")


@pytest.mark.parametrize("attribute", ["race", "sex"])
def test_every_fairness_file_opens_and_groups_are_compared(data_folder, attribute):
    path = data_folder / f"adult_{attribute}_scores.csv.gz"
    pools = {
        name: fl.open_pool(path, id="row", label="income-per-year", positive_score=f"score_{name}", positive="rich")
        for name in ("LR", "GaussianNB", "RandomForest")
    }
    assert right(pools["LR"], "model").mean() == pytest.approx(0.824, abs=6e-4)
    pool = fl.Pool.join(pools)
    truth = dict(zip(pool.engine.ids.tolist(), pools["LR"].known_labels.tolist(), strict=True))
    groups = ("White", "Black") if attribute == "race" else ("Male", "Female")
    question = fl.Compare("accuracy", by=attribute, a=groups[0], b=groups[1])
    study = fl.create_study(pool, question, model="LR")
    study.tell({query.item: truth[query.item] for query in study.ask(60)})
    answer = study.answer()
    assert answer.p_less + answer.p_equal + answer.p_more == pytest.approx(1)
    assert answer.difference.labels == 60
    rate = fl.Compare("true_positive_rate", by=attribute, a=groups[0], b=groups[1], positive="rich")
    for model in pools:
        other = study.answer(rate, model=model)
        assert other.p_less + other.p_equal + other.p_more == pytest.approx(1)
        assert study.answer(fl.Estimate("accuracy", by=("race", "sex")), model=model).overall.labels == 60


def test_superclasses_of_the_image_pool_are_groups(data_folder):
    with np.load(data_folder / "cifar100_resnet110_paper.npz") as file:
        names, of_class = file["superclass_names"].tolist(), file["superclass_of_class"].tolist()
        classes = file["class_names"].tolist()
    pool = fl.open_pool(data_folder / "cifar100_resnet110_paper.npz")
    by = fl.ClassMap({c: names[s] for c, s in zip(classes, of_class, strict=True)})
    study = fl.create_study(pool, fl.Estimate("accuracy", by=by))
    study.tell(dict(enumerate(pool.known_labels.tolist())), drawn="uniform")
    found = {f.group: (round(f.value * f.labels), f.labels) for f in study.answer().findings}
    assert len(found) == 20
    assert found["people"] == (279, 481)
    assert found["trees"] == (350, 511)


def test_out_of_scope_items_are_wrong_whatever_is_predicted(data_folder):
    pool = open_text(data_folder, "clinc150_large__minilm_mlp_5shot")
    outside = pool.known_labels == "oos"
    assert outside.sum() == 1200
    assert not right(pool, "model")[outside].any()
    assert right(pool, "model")[~outside].mean() == pytest.approx(0.893, abs=6e-4)


def test_sigmoids_are_refused_until_said_to_be_independent(data_folder):
    folder = data_folder / "text"
    with pytest.raises(fl.PoolError, match='probabilities_are="independent"'):
        fl.open_pool(folder / "banking77_large__minilm_ovr_5shot.parquet")


def test_texts_alone_are_no_pool_and_the_error_says_what_is_missing(data_folder):
    for name in ("banking77", "banking77_large", "clinc150_large"):
        with pytest.raises(fl.PoolError, match=r"no predictions found.*id, text, label"):
            fl.open_pool(data_folder / "text" / f"{name}.parquet")


def test_tables_of_facts_are_no_pools_and_the_error_says_so(data_folder):
    tables = [path for path in sorted(data_folder.glob("*.csv")) if "classwise" in path.name]
    assert len(tables) == 3
    for path in (*tables, *sorted(data_folder.glob("*.json"))):
        with pytest.raises(fl.PoolError):
            fl.open_pool(path)


def test_no_file_of_the_folder_is_left_out(data_folder):
    seen = {f"{name}.npz" for name in ARRAYS} | {f"{name}.parquet" for name in TEXT}
    seen |= {f"{name.partition('__')[0]}.parquet" for name in TEXT}
    seen |= {"adult_race_scores.csv.gz", "adult_sex_scores.csv.gz", "classes.json"}
    others = ("judges", "papers")  # which have tests of their own
    files = (path for path in data_folder.rglob("*") if path.parent.name not in others)
    there = {path.name for path in files if path.is_file() and path.suffix != ".md"}
    facts = {path.name for path in data_folder.glob("*") if path.suffix in (".csv", ".json")}
    assert there - facts == seen
    lists = json.loads((data_folder / "text" / "classes.json").read_text())
    assert {name: len(classes) for name, classes in lists.items()} == {"banking77": 77, "clinc150": 150}
