"""Two groups: the label at which one is shown to be lower, or both to be the same within the rope."""

import numpy as np
from benchmarks.stops.labels import MOST, Labelling, begin
from benchmarks.stops.pools import Case

import fewlabels as fl
from fewlabels.answers import LEAST_LABELS, Proof
from fewlabels.core.beta import BetaBelief
from fewlabels.core.comparison import region_probabilities
from fewlabels.reading.every_look import EveryLook

ROPE, GOAL = 0.05, 0.95
METHODS = {
    "auto": fl.Method(),
    "uniform": fl.Method("uniform", "hierarchical"),
    "papers": fl.Method("thompson", "beta"),
}
_SLACK = 1e-9


def question_of(case: Case, pool: fl.Pool) -> fl.Compare:
    """The two largest groups; of equals the first."""
    cells = pool.engine.summarise(pool.models[0], fl.Estimate("accuracy", by=case.by).axes, probabilities=False)
    one, two = np.argsort(-cells.size, kind="stable")[:2]
    a, b = (cells.names[0][cells.coordinates[cell, 0]] for cell in (one, two))
    return fl.Compare("accuracy", case.by, a, b, rope=ROPE)


def study(case: Case, method: str, number: int, batch: int) -> Labelling:
    """Before its first label."""
    pool = case.pool(number)
    return begin(pool, question_of(case, pool), METHODS[method], number, batch, fl.Probability(GOAL))


def run(case: Case, method: str, number: int, batch: int, most: int = MOST) -> dict[str, object]:
    """One study from its first label to its stop."""
    at = study(case, method, number, batch)
    a, b = at.assessment.compared()
    apart = float(at.truth.values[a] - at.truth.values[b])
    if method == "papers":
        labels, said = _of_papers(at, min(most, at.items))
        right = {"less": apart <= -ROPE + _SLACK, "equal": abs(apart) <= ROPE + _SLACK, "more": apart >= ROPE - _SLACK}
    else:
        labels, said = _shown(at, most)
        right = {"less": apart < 0, "equal": abs(apart) <= ROPE + _SLACK, "more": apart > 0}
    return {"labels": labels, "stopped": bool(said), "right": bool(said) and all(right[one] for one in said)}


def _shown(at: Labelling, most: int) -> tuple[int, tuple[str, ...]]:
    """Bets draw by draw, in the order of asking, as the product makes them."""
    made, groups = at.assessment, at.assessment.view.groups
    a, b = made.compared()
    per_hit = np.select([groups.index == a, groups.index == b], [1.0, -1.0], 0.0) / groups.size[groups.index]
    floor = np.minimum(LEAST_LABELS, groups.size)
    bets, labels, done = None, np.zeros(groups.count), 0
    for evidence, looks in at.stages(most):
        path, looked = EveryLook(made, evidence).path, set(looks)
        bets = bets or path.bets(per_hit)
        for t, worth, told in path.terms(per_hit, groups.index):
            if t < done:  # as before: a draw is worth what was known then
                continue
            bets.add(worth, told)
            labels[groups.index[path.cell[t]]] += 1
            if t + 1 not in looked or min(labels[a] - floor[a], labels[b] - floor[b]) < 0:
                continue
            if shown := Proof(bets.capital.now).of(GOAL, ROPE):
                return t + 1, shown
        done = len(path)
    return min(most, at.items), ()


def _of_papers(at: Labelling, most: int) -> tuple[int, tuple[str, ...]]:
    """Until the posterior gives one of the three regions the goal."""
    belief, pair = at.assessment.prior_belief, list(at.assessment.compared())
    assert isinstance(belief, BetaBelief)
    for number, counts in enumerate(at.counted(most), start=1):
        if number % at.batch:
            continue
        ends = belief.prior_alpha[pair] + counts[pair, 0], belief.prior_beta[pair] + counts[pair, 1]
        chances = region_probabilities(*ends, ROPE)
        if chances.max() >= GOAL:
            return number, (("less", "equal", "more")[int(chances.argmax())],)
    return most, ()
