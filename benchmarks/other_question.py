"""What another question costs, answered from labels drawn for the accuracy of each class.

    python benchmarks/other_question.py

20 classes, 50,000 items. Processor time of the first answer, beside that of NumPy's drawing as many Beta and binomial
variates with the same generator: no answer with these draws can be faster than that.
"""

import time
from collections.abc import Callable

import numpy as np

import fewlabels as fl
from fewlabels.core.keyed import Keyed, Use
from fewlabels.reading.cells import CellReading

CLASSES, ITEMS, LABELS = 20, 50_000, (1_000, 20_000)
QUESTIONS = {
    "calibration error": fl.Estimate("calibration_error"),
    "calibration error by class": fl.Estimate("calibration_error", by="predicted_class"),
    "accuracy": fl.Estimate("accuracy"),
}


def make_study(labels: int) -> fl.Study:
    rng = np.random.default_rng(0)
    predicted, score = rng.integers(0, CLASSES, ITEMS), rng.beta(6, 2, ITEMS)
    true = np.where(rng.random(ITEMS) < score, predicted, (predicted + 1) % CLASSES)
    study = fl.create_study(
        fl.Pool.from_arrays(predicted=predicted, score=score), fl.Estimate("accuracy", by="predicted_class"), seed=1
    )
    while len(study.labels) < labels:
        study.tell({query.item: int(true[query.item]) for query in study.ask(500)})
    return study


def clock(work: Callable[..., object], *arguments: object) -> float:
    """Milliseconds of processor time."""
    start = time.process_time()
    work(*arguments)
    return 1e3 * (time.process_time() - start)


def variates(study: fl.Study, question: fl.Estimate) -> Callable[[], object]:
    """The draws behind an answer, and nothing else."""
    assessment, evidence = study._other(question, "model", study._history.evidence())
    belief = CellReading(assessment, evidence, 0.95, "equal-tailed", borrowed=True).belief
    count = min(10_000, 5_000_000 // len(belief.size))
    theta = belief.draws(count, Keyed(1, 0).generator(Use.ANSWER), pool=False)
    strength = belief.prior_strength + belief.labels
    rest, rng = belief.unlabelled.astype(np.int64), Keyed(1, 0).generator(Use.ANSWER)
    a, b = theta * strength, (1 - theta) * strength
    return lambda: rng.binomial(rest, rng.beta(a, b))


def main() -> None:
    print(f"{'question':30}{'labels':>8}{'first ms':>10}{'again ms':>10}{'variates ms':>13}")
    for labels in LABELS:
        study = make_study(labels)
        for name, question in QUESTIONS.items():
            first, again = clock(study.answer, question), clock(study.answer, question)
            print(f"{name:30}{labels:8,}{first:10.0f}{again:10.0f}{clock(variates(study, question)):13.0f}", flush=True)


if __name__ == "__main__":
    main()
