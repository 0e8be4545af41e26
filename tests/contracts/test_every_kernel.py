"""What every compiled run promises: the counts of the plain step at every budget, to the last label."""

import numpy as np
import pytest
from scipy.special import betainc, betaincinv

import fewlabels as fl
from fewlabels.assessment import Assessment
from fewlabels.core.comparison import probability_below
from fewlabels.simulation import synthetic_pool
from fewlabels.simulation.oracle import Known
from fewlabels.simulation.run import run_plain

pytest.importorskip("numba", reason="the extra 'fast' is not installed")

from fewlabels.simulation.kernels.adaptive import run_adaptive
from fewlabels.simulation.kernels.chosen import LazyRun, ToldRun, UniformRun, kernel_for
from fewlabels.simulation.kernels.comparison import integrals
from fewlabels.simulation.kernels.points import INNER, SLACK
from fewlabels.simulation.kernels.upper import UpperRun
from kernel_cases import BY, assess

QUESTIONS = {
    "accuracy": fl.Estimate("accuracy", by=BY),
    "accuracy by score": fl.Estimate("accuracy", by="score_bin"),
    "calibration error": fl.Estimate("calibration_error", by=BY),  # beliefs about class x bin
    "least accurate": fl.Identify("accuracy", by=BY),
    "most accurate": fl.Identify("accuracy", by=BY, which="best"),
    "three least accurate": fl.Identify("accuracy", by=BY, top=3),
    "most biased": fl.Identify("calibration_bias", by=BY),
    "least calibrated": fl.Identify("calibration_error", by=BY),
    "two best calibrated": fl.Identify("calibration_error", by=BY, which="best", top=2),
}
OTHER_QUESTIONS = [
    fl.Identify("calibration_error", by=BY),
    fl.Estimate("confusion"),
    fl.Compare("accuracy", BY, "0", "1"),
]
PRIORS = [("scores", None), ("flat", None), ("flat", 1e-6), ("scores", 0.1), ("scores", 20.0)]


def make(question, strategy: str, prior: str, strength: float | None, seed: int, groups: int):
    """A small pool at random: some scores near one, sizes uneven, so that groups run out, or all alike for ties."""
    rng = np.random.default_rng([seed, groups])
    items = int(groups * rng.integers(2, 6))
    share = rng.dirichlet(np.full(groups, 2.0)) if seed % 2 else np.full(groups, 1 / groups)
    predicted = np.concatenate([np.arange(groups), rng.choice(groups, items, p=share)])
    if seed % 4 == 0:
        predicted = np.tile(np.arange(groups), 4)  # equal groups: exact ties under a flat prior
    score = np.clip(rng.beta(4, 0.5, len(predicted)), 1 / groups, 1)
    labels = np.where(rng.random(len(predicted)) < score, predicted, rng.integers(0, groups, len(predicted)))
    pool = fl.Pool.from_arrays(predicted=predicted, score=score, classes=[str(g) for g in range(groups)])
    return assess(pool, labels, question, strategy, prior, strength)


def same_counts(assessment: Assessment, known: Known, seed: int, budgets: int = 12) -> bool:
    kernel = kernel_for(assessment)
    assert kernel is not None
    total = int(known.cells.size.sum())
    places = np.unique(np.linspace(0, total + 5, budgets).astype(np.int64))  # the last asks for more than there is
    deck = known.deal(seed)
    return np.array_equal(run_plain(assessment, deck, places, seed).counts, kernel(deck, places, seed).counts)


@pytest.mark.parametrize("groups", [4, 23])
@pytest.mark.parametrize(("prior", "strength"), PRIORS)
@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize(
    "strategy", ["uniform", "uniform_groups", "thompson", "top_two", "epsilon_greedy", "upper_bound"]
)
def test_a_compiled_run_takes_the_labels_of_the_plain_run(strategy, name, prior, strength, groups):
    """Ties, groups that run out, several plays, priors below one and next to nothing."""
    question = QUESTIONS[name]
    if strategy == "top_two" and not (isinstance(question, fl.Identify) and question.top == 1):
        return
    if "calibrated" in name and strategy in ("top_two", "epsilon_greedy", "upper_bound"):
        return  # no kernel
    for seed in range(2):
        assert same_counts(*make(question, strategy, prior, strength, seed, groups), seed=seed + 1)


@pytest.mark.parametrize("groups", [2, 100, 300])
@pytest.mark.parametrize("name", ["accuracy", "least accurate", "most biased"])
@pytest.mark.parametrize("strategy", ["thompson", "upper_bound"])
def test_few_and_many_groups_are_alike(strategy, name, groups):
    assert same_counts(*make(QUESTIONS[name], strategy, "scores", None, 1, groups), seed=1)


@pytest.mark.parametrize("name", ["accuracy", "least accurate"])
def test_long_runs_on_large_groups_are_alike(name):
    """Many labels an arm: the points are carried over hundreds of times, dropped and made anew."""
    rng = np.random.default_rng(5)
    predicted = rng.integers(0, 3, 4000)
    labels = np.where(rng.random(4000) < np.array([0.5, 0.52, 0.9])[predicted], predicted, (predicted + 1) % 3)
    pool = fl.Pool.from_arrays(predicted=predicted, score=rng.beta(5, 2, 4000), classes=["0", "1", "2"])
    assert same_counts(*assess(pool, labels, QUESTIONS[name]), seed=3, budgets=80)


@pytest.mark.parametrize("strategy", ["uniform", "uniform_groups"])
@pytest.mark.parametrize("question", OTHER_QUESTIONS)
def test_uniform_sampling_is_alike_whatever_the_question(strategy, question):
    for seed in range(3):
        assert same_counts(*make(question, strategy, "flat", None, seed, 6), seed=seed)


@pytest.mark.parametrize("groups", [4, 23])
@pytest.mark.parametrize(
    ("question", "strategy"),
    [
        (fl.Estimate("accuracy", by=BY), "widest"),
        (fl.Estimate("calibration_bias", by=BY), "widest"),
        (fl.Below("accuracy", 0.8, by=BY), "nearest"),
        (fl.Below("accuracy", 0.02, by=BY), "nearest"),
        (fl.Above("accuracy", 0.9, by=BY, within=0.0, control="family"), "nearest"),
        (fl.Above("calibration_bias", -0.1, by=BY), "nearest"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.describe(),
)
def test_groups_by_their_own_labels_are_alike(question, strategy, groups):
    """Ties among groups, groups that run out, thresholds that no group can reach."""
    for seed in range(4):
        made = make(question, strategy, "flat", None, seed, groups)
        assert isinstance(kernel_for(made[0]), ToldRun)
        assert same_counts(*made, seed=seed + 1, budgets=40)


def two_groups(metric: str, rope: float, prior: str, strength: float | None, seed: int):
    """Two groups of four to compare, some 40 items each."""
    rng = np.random.default_rng(seed)
    predicted = np.concatenate([np.arange(4), rng.integers(0, 4, 156)])
    score = np.clip(rng.beta(4, 0.7, 160), 0.25, 1)
    right = rng.random(160) < score * np.array([1, 0.9, 0.8, 0.5])[predicted]
    pool = fl.Pool.from_arrays(predicted=predicted, score=score, classes=list("0123"))
    question = fl.Compare(metric, BY, "2", "0", rope=rope)
    return assess(pool, np.where(right, predicted, (predicted + 1) % 4), question, "thompson", prior, strength)


@pytest.mark.parametrize("metric", ["accuracy", "calibration_bias"])
@pytest.mark.parametrize("rope", [0.0, 0.05, 0.3])
@pytest.mark.parametrize(("prior", "strength"), [("scores", None), ("flat", None), ("scores", 0.3), ("scores", 20.0)])
def test_a_compiled_comparison_takes_the_labels_of_the_plain_run(metric, rope, prior, strength):
    """Up to the end of both groups."""
    assessment, known = two_groups(metric, rope, prior, strength, seed=1)
    assert same_counts(assessment, known, seed=2, budgets=40)


def test_a_label_changes_the_probability_of_a_difference_as_quadrature_has_it():
    """Priors from 0.05 up, with and without labels; where powers are that small quadrature errs by some 1e-9 itself."""
    rng = np.random.default_rng(0)
    for case in range(60):
        labels = rng.integers(0, 10 ** rng.integers(0, 4), 4) if case % 2 else np.zeros(4)
        a0, b0, a1, b1 = 10 ** rng.uniform(-1.3, 0.5, 4) + labels
        x = [-0.05, 0.05, 0.1, -0.3, 0.4][case % 5]
        alpha, beta = np.array([a0, a1]), np.array([b0, b1])
        before = probability_below(alpha, beta, x)
        first, second = integrals(a0, b0, a1, b1, x)
        for change, more_alpha, more_beta in (
            (-first / a0, [1, 0], [0, 0]),
            (first / b0, [0, 0], [1, 0]),
            (second / a1, [0, 1], [0, 0]),
            (-second / b1, [0, 0], [0, 1]),
        ):
            after = probability_below(alpha + more_alpha, beta + more_beta, x)
            assert after - before == pytest.approx(change, abs=5e-8)


def test_kept_runs_drawn_in_another_way_are_refused(tmp_path, monkeypatch):
    """Accuracy takes the same labels with Numba and without, class shares do not."""
    pool = synthetic_pool(200, 4, accuracy=0.7, seed=1)
    for question in (fl.Estimate("accuracy", by=BY), fl.Estimate("confusion")):
        how = {"methods": ["uprior+ts"], "budgets": [20], "runs": 3, "workers": 1}
        how["resume"] = tmp_path / question.measured.name
        with monkeypatch.context() as patch:
            patch.setattr("fewlabels.simulation.compiled.FAST", False)
            plain = fl.simulate(pool, None, question, **how)
        if question.measured.name == "accuracy":
            assert np.array_equal(fl.simulate(pool, None, question, **(how | {"resume": None})).values, plain.values)
            fl.simulate(pool, None, question, **how)
        else:
            with pytest.raises(fl.StudyError, match="another simulation"):
                fl.simulate(pool, None, question, **how)


def test_a_run_by_another_seed_is_noticed():
    """The negative control: what the tests above compare does differ when the draws do."""
    assessment, known = make(QUESTIONS["accuracy"], "thompson", "scores", None, 1, 23)
    kernel, budgets = kernel_for(assessment), np.array([20, 60])
    assert isinstance(kernel, LazyRun)
    deck = known.deal(0)
    assert not np.array_equal(run_plain(assessment, deck, budgets, 1).counts, kernel(deck, budgets, 2).counts)


def test_what_has_no_kernel_says_so():
    for strategy, question in (
        ("upper_bound", fl.Identify("calibration_error", by=BY)),
        ("upper_bound", fl.Compare("accuracy", BY, "0", "1")),
        ("top_two", fl.Identify(fl.Cost(), by=BY)),
        ("top_two", fl.Identify("calibration_error", by=BY)),
        ("thompson", fl.Estimate(fl.TruePositiveRate("1"), by="score_bin")),
    ):
        assert kernel_for(make(question, strategy, "flat", None, 1, 4)[0]) is None
    assert isinstance(kernel_for(make(QUESTIONS["accuracy"], "upper_bound", "flat", None, 1, 4)[0]), UpperRun)
    assert isinstance(kernel_for(make(QUESTIONS["accuracy"], "uniform", "flat", None, 1, 4)[0]), UniformRun)


def beta_cases(n: int) -> tuple[np.ndarray, ...]:
    """Parameters and uniforms of all sizes."""
    rng = np.random.default_rng(0)
    tiny = rng.random(n) < 0.5
    labels = [np.where(tiny, rng.integers(0, 99, n), 0) for _ in range(2)]
    a, b = (10 ** np.where(tiny, rng.uniform(-7, 0, n), rng.uniform(-2, 4, n)) + some for some in labels)
    u = np.where(rng.random(n) < 0.3, 10 ** rng.uniform(-15, 0, n), rng.random(n))
    u = np.clip(np.where(rng.random(n) < 0.5, u, 1 - u), 2.0**-53, 1 - 2.0**-53)
    return a, b, u


def test_the_inverse_errs_by_less_than_brackets_are_widened():
    """Laziness is exact as long as SciPy's inverse errs by less than SLACK, in u or in theta."""
    a, b, u = beta_cases(100_000)
    theta = betaincinv(a, b, u)
    assert (betainc(a, b, np.clip(theta - SLACK, 0, 1)) <= u + SLACK).all()
    assert (betainc(a, b, np.clip(theta + SLACK, 0, 1)) >= u - SLACK).all()
    inner = (theta > INNER) & (theta < 1 - INNER)
    assert np.abs(betainc(a, b, theta) - u)[inner].max() < SLACK / 10


@pytest.mark.parametrize("name", ["accuracy", "least accurate", "most accurate"])
def test_points_stay_on_their_distribution_functions(name, monkeypatch):
    """However often they are carried over and made from one another: to within a tenth of what is allowed for."""
    rng = np.random.default_rng(1)
    predicted = rng.integers(0, 10, 15_000)
    score = rng.beta(6, 0.5, 15_000)
    labels = np.where(rng.random(15_000) < score, predicted, (predicted + 1) % 10)
    pool = fl.Pool.from_arrays(predicted=predicted, score=score, classes=[str(g) for g in range(10)])
    assessment, known = assess(pool, labels, QUESTIONS[name])
    ended = []

    def watched(how, arms, *rest):
        ended[:] = [arms.arms]
        return run_adaptive(how, arms, *rest)

    monkeypatch.setattr("fewlabels.simulation.kernels.chosen.adaptive.run_adaptive", watched)
    kernel_for(assessment)(known.deal(0), np.array([3000]), 0)
    (arms,) = ended
    kept = np.arange(arms["u"].shape[1]) < arms["kept"][:, None]
    exact = betainc(arms["a"][:, None], arms["b"][:, None], np.where(kept, arms["t"], 0.5))
    assert kept.sum() > 50
    assert np.abs(exact - arms["u"])[kept].max() < SLACK / 10
