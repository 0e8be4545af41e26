"""Parts written outside, one class each, registered by public calls: all works with them, with no edit elsewhere."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest
from typer.testing import CliRunner

import fewlabels as fl
from fewlabels.answers import Progress
from fewlabels.cli.app import app
from fewlabels.core.belief import OwnBelief
from fewlabels.core.evidence import Evidence
from fewlabels.core.keyed import Keyed
from fewlabels.estimators import ESTIMATORS
from fewlabels.estimators.bayes import Bayes
from fewlabels.metrics import METRICS
from fewlabels.simulation.simulate import prepare
from fewlabels.stopping import STOPPING
from fewlabels.strategies import STRATEGIES, Round, State
from fewlabels.strategies.thompson import Thompson
from fewlabels.testing import RATES, check_estimator, check_metric, check_stopping, check_strategy
from strangers import ErrorRate, Labels, Laplace, Prevalence, RootSize

CLASSES = ("ant", "bee", "cat")
N = 600


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


MY_PARTS = """
import fewlabels as fl
from fewlabels.metrics import Accuracy


class ErrorShare(Accuracy):
    name = "error_share"

    def values(self, theta, view):
        return 1 - super().values(theta, view)


ErrorShare.scale = None
fl.register_metric(ErrorShare)
"""


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


def test_the_command_line_imports_the_module_that_registers_them(tmp_path):
    """In a shell of its own: nobody else has registered them there."""
    (tmp_path / "p.csv").write_text("id,predicted,score\n" + "".join(f"i{i},a,0.{i + 10}\n" for i in range(30)))
    (tmp_path / "my_parts.py").write_text(MY_PARTS)

    def fewlabels(*words: str, parts: str = "") -> subprocess.CompletedProcess:
        given = {**os.environ, "FEWLABELS_PARTS": parts}
        command = [sys.executable, "-m", "fewlabels", *words]
        return subprocess.run(command, cwd=tmp_path, env=given, capture_output=True, text=True, check=False)

    made = fewlabels("--parts", "my_parts", "new", "p.csv", "--study", "s.db", "--estimate", "error_share")
    assert made.returncode == 0, made.stderr
    assert "Error share" in fewlabels("answer", "s.db", parts="my_parts").stdout
    unknown = fewlabels("answer", "s.db")
    assert unknown.returncode == 1
    assert "fewlabels --parts MODULE" in unknown.stderr
    wrong = fewlabels("--parts", "no_such_parts", "answer", "s.db")
    assert wrong.returncode == 2
    assert "--parts no_such_parts cannot be imported" in wrong.stderr


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


def test_a_part_nobody_registered_is_refused_before_anything_is_kept(world, tmp_path):
    class Unheard(Prevalence):
        name: ClassVar[str] = "unheard"

    kept = f"sqlite:///{tmp_path / 'study.db'}"
    with pytest.raises(fl.StudyError, match=r"'unheard' is not registered.*fl.register_metric"):
        fl.create_study(world[0], fl.Estimate(Unheard("bee")), storage=kept)
    assert not (tmp_path / "study.db").exists()


def test_one_that_chooses_or_reads_otherwise_than_its_base_is_simulated_as_it_is(world):
    """Twins and short cuts are for what they were made for; a subclass takes the live step."""

    class Backwards(Thompson):
        name: ClassVar[str] = "backwards"

        def choose(self, state: State, keyed: Keyed) -> Round:  # noqa: ARG002 - nothing is left to chance
            return Round((int(np.flatnonzero(state.remaining)[-1]),))

    class Shrunk(Bayes):
        name: ClassVar[str] = "shrunk"

        def fit(self, evidence: Evidence, *others: Any) -> OwnBelief:
            made = super().fit(evidence, *others)
            return replace(made, prior_alpha=made.prior_alpha * (1 + evidence.count))

    assert (Thompson.kernel, Backwards.kernel) == ("thompson", None)
    assert (Bayes.from_counts, Shrunk.from_counts) == (True, False)
    question, method = fl.Estimate("accuracy", by="predicted_class"), fl.Method(Backwards(), Shrunk(), name="ours")
    job = prepare(world[0], None, question, [method], np.array([40]), 0, None)
    (known,) = job.runners[0](job.known[0].deal(7), job.budgets, 7)
    assert set(known.predicted.tolist()) == {2}
    (assessment,) = job.assessments
    np.testing.assert_array_equal(assessment.to_choose(known).mean, assessment.belief(known).mean)
