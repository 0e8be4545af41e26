"""Reports of all sizes: what the gallery hangs."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import fewlabels as fl
from fewlabels.demo import demo_pool
from fewlabels.demo.run import true_labels

GROUPS, LABELS = (2, 20, 100, 1000), (0, 5, 500, None)  # None: every item
HOSTILE = (
    "<script>window.pwned=1</script>",
    '"><img src=x onerror="window.pwned=2">',
    "</title></svg><svg onload=window.pwned=3>",
    "javascript:window.pwned=4",
    "a" * 300,
    "\u202eright to left\u202c \u05d0\u05d1\u05d2",
    "名前が日本語で書かれたとても長いクラス",
    "{{ 7 * 7 }} & ${8*8}",
)


@dataclass(frozen=True)
class Made:
    """A pool with what is true of it."""

    pool: fl.Pool
    truth: dict[object, str]


def pool_of(groups: int, *, good: float = 0.85) -> Made:
    """A pool of so many classes, sizes uneven, scores a little too high."""
    rng = np.random.default_rng(groups)
    items = max(700, 8 * groups)
    names = np.array([f"{'intent' if i % 7 else 'a_longer_name_of_an_intent'}_{i:04d}" for i in range(groups)])
    predicted = np.concatenate([np.arange(groups), rng.integers(0, groups, items - groups) ** 2 // groups])
    score = np.clip(rng.beta(9, 2, items), 0.02, 0.999)
    rate = rng.beta(20 * good, 20 * (1 - good), groups)[predicted]
    right = rng.random(items) < (0.4 * score + 0.6 * rate)
    true = np.where(right, predicted, (predicted + 1 + rng.integers(0, 3, items)) % groups)
    pool = fl.Pool.from_arrays(predicted=names[predicted], score=score, classes=names.tolist())
    return Made(pool, dict(enumerate(names[true].tolist())))


def study_of(groups: int, labels: int | None, name: str = "study") -> fl.Study:
    """Some of the labels asked for, all of them brought along."""
    made, asked = pool_of(groups), fl.Estimate("accuracy", by="predicted_class")
    study = fl.create_study(made.pool, asked, seed=1, until=fl.HalfWidth(0.05), name=name)
    if labels is None:
        study.tell(made.truth, by="ann", drawn="uniform")
        return study
    for n in [min(labels, 50)] * (labels // 50 or bool(labels)):
        study.tell({query.item: made.truth[query.item] for query in study.ask(n)}, by="ann")
    return study


def of_demo(question: object, labels: int, **settings: object) -> fl.Study:
    """A study of the bundled pool."""
    pool = demo_pool()
    known, study = true_labels(pool), fl.create_study(pool, question, seed=1, **settings)  # type: ignore[arg-type]
    told = 0
    while told < labels and (queries := study.ask(min(25, labels - told))):
        study.tell({query.item: known[query.item] for query in queries}, by="ann")
        told += len(queries)
    return study


def questions() -> dict[str, fl.Study]:
    """One study of each kind of question."""
    a, b = "card_arrival", "pin_blocked"
    both = fl.Pool.join({"five_shot": demo_pool(), "tfidf": demo_pool("tfidf_lr")})
    models = fl.create_study(both, fl.CompareModels("accuracy", a="five_shot", b="tfidf", rope=0.02))
    known = true_labels(both)
    models.tell({query.item: known[query.item] for query in models.ask(60)}, by="ann")
    best = fl.create_study(both, fl.BestModel("accuracy"))
    best.tell({query.item: known[query.item] for query in best.ask(60)}, by="ann")
    return {
        "best": best,
        "f_scores": of_demo(fl.Estimate(["f1", "precision", "recall"], positive=a), 120),
        "identify": of_demo(fl.Identify("accuracy", by="predicted_class", top=5), 150, until=fl.Probability(0.95)),
        "compare": of_demo(fl.Compare("accuracy", by="predicted_class", a=a, b=b), 30),
        "confusion": of_demo(fl.Estimate("confusion"), 300),
        "f1": of_demo(fl.Estimate("f1", positive=a), 150),
        "overall": of_demo(fl.Estimate("accuracy"), 200, until=fl.HalfWidth(0.1)),
        "below": of_demo(fl.Below("accuracy", 0.8, by="predicted_class"), 200),
        "models": models,
    }


def hostile_study() -> fl.Study:
    """Names, texts, addresses and people that would do harm if they could."""
    names = list(HOSTILE)
    n = 25 * len(names)
    pool = fl.Pool.from_arrays(
        predicted=names * 25,
        score=np.linspace(0.3, 0.99, n),
        payload={"text": names * 25, "image_url": ["javascript:window.pwned=5"] * n},
    )
    study = fl.create_study(pool, fl.Identify("accuracy", by="predicted_class", top=2), name=HOSTILE[0])
    for i, query in enumerate(study.ask(60)):
        study.tell(query, query.predicted if i % 3 else names[i % len(names)], by=HOSTILE[1])
    return study


def write(study: fl.Study, folder: Path, name: str, *, include_text: bool = False) -> Path:
    """Its report."""
    return fl.report(study, folder / f"{name}.html", include_text=include_text)
