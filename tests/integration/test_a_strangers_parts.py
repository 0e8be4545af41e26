"""Parts written outside, one class each, registered by public calls: all works with them, with no edit elsewhere."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from typer.testing import CliRunner

import fewlabels as fl
from fewlabels.answers import Answer, Progress
from fewlabels.cli.app import app
from fewlabels.core.arrays import Array
from fewlabels.core.belief import Belief, OwnBelief
from fewlabels.core.beta import BetaBelief
from fewlabels.core.cells import View
from fewlabels.core.evidence import NO_EVIDENCE, Evidence
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.outcomes import Outcome, Positive
from fewlabels.core.step import Choice
from fewlabels.estimators import ESTIMATORS, OwnCells
from fewlabels.metrics import METRICS, Metric
from fewlabels.stopping import STOPPING, Stopping
from fewlabels.strategies import STRATEGIES, State, Strategy
from fewlabels.testing import RATES, check_estimator, check_metric, check_stopping, check_strategy

CLASSES = ("ant", "bee", "cat")
N = 600


@dataclass(frozen=True)
class Prevalence(Metric):
    """The share of items that are of one class, whatever is predicted."""

    positive: str

    name: ClassVar[str] = "prevalence"
    linear: ClassVar[bool] = True
    scale: ClassVar[float | None] = 1.0

    @property
    def of_class(self) -> str | None:
        return self.positive

    def outcome(self, classes: tuple[str, ...]) -> Outcome:
        return Positive(classes.index(self.positive))

    def values(self, theta: Array, view: View) -> Array:
        return view.to_groups(view.to_units(theta))


@dataclass(frozen=True)
class ErrorRate(Metric):
    """How often predictions are wrong."""

    name: ClassVar[str] = "error_rate"
    linear: ClassVar[bool] = True
    scale: ClassVar[float | None] = -1.0

    def shift(self, view: View) -> Array:
        return np.ones(view.groups.count)

    def values(self, theta: Array, view: View) -> Array:
        return 1 - view.to_groups(view.to_units(theta))


class Laplace(OwnCells):
    """One imagined hit and one imagined miss a unit."""

    name: ClassVar[str] = "laplace"

    def fit(self, evidence: Evidence, view: View, outcome: Outcome, prior: Any, strength: float | None) -> OwnBelief:  # noqa: ARG002
        hits, misses = np.ascontiguousarray(evidence.counts(outcome, view.cells.count).T)
        return BetaBelief(view.cell_share, view.cell_share, hits, misses, view.cells.size)

    def method(self, belief: Belief, prior: Any) -> str:  # noqa: ARG002
        return "rule of succession"


@dataclass(frozen=True)
class RootSize(Strategy):
    """Cells with probabilities in proportion to a power of how many items they have left."""

    power: float = 0.5

    name: ClassVar[str] = "root_size"
    reason: ClassVar[str] = "cells in proportion to the root of their size"
    of_cells: ClassVar[bool] = True

    def choose(self, state: State, keyed: Keyed) -> Sequence[Choice]:
        q = np.where(state.remaining > 0, state.remaining**self.power, 0.0)
        upto = np.cumsum(q / q.sum())
        cell = int(np.searchsorted(upto, keyed.uniform(Use.ARM_PICK) * upto[-1], side="right"))
        return [Choice(cell, "adaptive", float(q[cell] / q.sum()))]


@dataclass(frozen=True)
class Labels(Stopping):
    """Enough when there are so many labels, and some in each group."""

    goal: int

    name: ClassVar[str] = "labels"

    @property
    def reads(self) -> Any:
        return "groups"

    def progress(self, answer: Answer, remaining: int, evidence: Evidence = NO_EVIDENCE) -> Progress:
        left = max(self.goal - evidence.count, 0)
        done = left == 0 and all(finding.labels for finding in answer.findings)
        return Progress(done, f"{evidence.count} of {self.goal} labels.", min(left, remaining))

    def describe(self) -> str:
        return f"{self.goal} labels"


@pytest.fixture(autouse=True)
def _registered():
    for register, made in (
        (fl.register_metric, Prevalence),
        (fl.register_metric, ErrorRate),
        (fl.register_estimator, Laplace),
        (fl.register_strategy, RootSize),
        (fl.register_stopping, Labels),
    ):
        register(made)
    yield
    for known, made in (
        (METRICS, Prevalence),
        (METRICS, ErrorRate),
        (ESTIMATORS, Laplace),
        (STRATEGIES, RootSize),
        (STOPPING, Labels),
    ):
        del known[made.name]


@pytest.fixture(scope="module")
def world() -> tuple[fl.Pool, np.ndarray]:
    rng = np.random.default_rng(4)
    probabilities = rng.dirichlet([0.7, 0.5, 0.3], size=N)
    true = np.array([rng.choice(3, p=p) for p in probabilities])
    side = np.where(rng.uniform(size=N) < 0.4, "left", "right")
    pool = fl.Pool.from_arrays(
        probabilities=probabilities, classes=CLASSES, columns={"side": side}, labels=[CLASSES[k] for k in true]
    )
    return pool, true


def tell_some(study: fl.Study, true: np.ndarray, labels: int) -> None:
    while len(study.labels) < labels and (queries := study.ask(min(7, labels - len(study.labels)))):
        study.tell({q.item: CLASSES[true[int(q.item)]] for q in queries})


@pytest.mark.parametrize("estimator", ["auto", "beta", "frequency", "hierarchical", "laplace"])
@pytest.mark.parametrize("strategy", ["auto", "uniform", "upper_bound", "root_size"])
def test_the_prevalence_of_a_fully_labelled_pool_is_the_plain_share(world, estimator, strategy):
    pool, true = world
    study = fl.create_study(pool, fl.Estimate("prevalence", positive="bee"), estimator=estimator, strategy=strategy)
    tell_some(study, true, N)
    overall = study.answer().overall
    assert (overall.value, overall.low, overall.high) == pytest.approx((np.mean(true == 1),) * 3, abs=1e-12)


def test_half_the_labels_hold_the_share_and_say_by_what_method(world):
    pool, true = world
    study = fl.create_study(pool, fl.Estimate("prevalence", by="side", positive="bee"), estimator=Laplace(), seed=3)
    tell_some(study, true, 300)
    answer = study.answer()
    assert answer.overall.low <= np.mean(true == 1) <= answer.overall.high
    assert {f.method for f in answer.findings} == {"rule of succession"}


@pytest.mark.parametrize(
    "question",
    [
        fl.Estimate("accuracy", by="predicted_class"),
        fl.Identify("accuracy", by=("side", "predicted_class"), top=2),
        fl.Identify("calibration_error", by="predicted_class"),
        fl.Compare("accuracy", "side", "left", "right"),
        fl.Estimate("confusion"),
    ],
    ids=lambda q: q.describe(),
)
def test_cells_drawn_with_probabilities_stay_in_reach_and_are_kept_with_their_chances(world, question):
    """Each item asked is of the cell chosen, and the probability of each is kept with its label."""
    pool, true = world
    study = fl.create_study(pool, question, strategy=RootSize(0.7), seed=2)
    queries = study.ask(40)
    assert len({q.item for q in queries}) == 40
    assert all(q.arm == q.cell and 0 < q.probability <= 1 for q in queries)
    study.tell({q.item: CLASSES[true[int(q.item)]] for q in queries})
    evidence = study._history.evidence()
    kept = dict(zip(evidence.items, evidence.probability, strict=True))
    assert kept == {q.item: q.probability for q in queries}
    assert study.answer(fl.Estimate("accuracy")).overall.labels == 40


def test_a_label_of_unknown_chance_is_kept_as_such(world):
    pool, true = world
    study = fl.create_study(pool, fl.Estimate("accuracy", by="predicted_class"), strategy="thompson")
    tell_some(study, true, 5)
    study.tell({"599": CLASSES[true[599]]} if "599" in pool.ids else {599: CLASSES[true[599]]}, drawn="uniform")
    assert np.isnan(study._history.evidence().probability).all()


def test_an_error_rate_is_compared_as_an_accuracy_is(world):
    """The same reward, and so the same items; the probabilities change places."""
    pool, true = world
    asked, found = [], []
    for metric in ("accuracy", "error_rate"):
        study = fl.create_study(
            pool, fl.Compare(metric, "side", "left", "right", rope=0.02), seed=5, target="population"
        )
        tell_some(study, true, 60)
        asked.append([e.item for e in study.events if hasattr(e, "number")])
        answer = study.answer()
        found.append((answer.p_less, answer.p_more))
    assert asked[0] == asked[1]
    assert found[0] == pytest.approx(found[1][::-1], abs=0.03)


def test_studies_with_such_parts_are_kept_and_opened_again(world, tmp_path):
    pool, true = world
    kept = f"sqlite:///{tmp_path / 'study.db'}"
    question = fl.Identify(Prevalence("bee"), by="predicted_class")
    made = fl.create_study(
        pool, question, strategy=RootSize(0.25), estimator="laplace", until=Labels(20), storage=kept, seed=1
    )
    tell_some(made, true, 12)
    again = fl.load_study(storage=kept, pool=pool)
    assert again.settings == made.settings
    assert again.settings.strategy_used == RootSize(0.25)
    assert again.answer() == made.answer()
    assert again.progress == Progress(False, "12 of 20 labels.", 8)
    tell_some(again, true, 20)
    assert again.done


def test_simulation_report_and_another_question_work_with_them(world, tmp_path):
    pool, true = world
    question = fl.Estimate("prevalence", by="predicted_class", positive="bee")
    methods = [fl.Method("root_size", "laplace", name="ours"), fl.Method("uniform", "hierarchical", name="shared")]
    result = fl.simulate(pool, None, question, methods, budgets=[50, N], runs=3, workers=1)
    assert np.isfinite(result.values).all()
    assert result.values[:, :, 1, 0] == pytest.approx(0, abs=1e-12)  # nothing is wrong once all is known
    study = fl.create_study(pool, question, strategy="root_size", estimator="laplace", until=Labels(50))
    tell_some(study, true, 50)
    text = fl.report(study, tmp_path / "r.html").read_text()
    assert "rule of succession" in text
    assert "50 labels" in text
    other = study.answer(fl.Estimate("accuracy", by="predicted_class"))
    assert other.overall.low < np.mean(true == np.argmax(pool.engine.models["model"].probabilities, axis=1))


def test_the_command_line_takes_them_by_name(world, tmp_path):
    pool, true = world
    table = pool.engine.models["model"].probabilities
    rows = [",".join(("id", *(f"p_{c}" for c in CLASSES), "truth"))]
    rows += [",".join((f"i{i}", *(f"{p:.6f}" for p in table[i] / table[i].sum()), CLASSES[true[i]])) for i in range(N)]
    (tmp_path / "p.csv").write_text("\n".join(rows) + "\n")
    run = CliRunner()
    given = ["new", str(tmp_path / "p.csv"), "--study", str(tmp_path / "s.db"), "--estimate", "prevalence"]
    given += ["--positive-class", "bee", "--strategy", "root_size", "--estimator", "laplace", "--label", "truth"]
    made = run.invoke(app, given)
    assert made.exit_code == 0, made.output
    told = run.invoke(app, ["answer", str(tmp_path / "s.db"), "--json"])
    assert json.loads(told.stdout)["findings"][0]["method"] == "rule of succession"


def test_they_keep_the_promises_that_are_checked_for_anyone():
    """A metric, an estimator of rates, a strategy and a goal; each alone, as its author would."""
    check_metric(Prevalence("bee"), lambda world, items: np.mean(world.true[items] == CLASSES.index("bee")))
    check_estimator(Laplace(), [RATES["accuracy by class"]])
    check_strategy(RootSize(0.7), [fl.Estimate("accuracy", by="predicted_class")])
    check_stopping(Labels(20), [fl.Estimate("accuracy", by="predicted_class")])


def test_a_name_that_is_taken_is_not_replaced_in_silence():
    class Accuracy(Prevalence):
        name: ClassVar[str] = "accuracy"

    with pytest.raises(fl.QuestionError, match="'accuracy' already"):
        fl.register_metric(Accuracy)
