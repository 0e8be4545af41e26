"""Stop when the answer is sure enough."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewlabels.answers import (
    LEAST_FOR_A_VERDICT,
    LEAST_LABELS,
    NONE_LEFT,
    Answer,
    BestOfModels,
    Certified,
    Comparison,
    Identification,
    LabelsLeft,
    ModelComparison,
    Progress,
    Verdicts,
    below_goal,
    count_of,
    few_of,
    level_words,
    percent,
    percent_of_draws,
    proven_words,
)
from fewlabels.core.certificate import bar_of_models, bars, floor_of_each, sure_enough
from fewlabels.core.evidence import NO_EVIDENCE, Evidence
from fewlabels.core.needed import (
    Needed,
    for_difference,
    for_groups,
    for_models,
    for_proof,
    for_threshold,
    in_all,
)
from fewlabels.core.verdicts import LEAST_LABELS as FEWEST
from fewlabels.errors import QuestionError
from fewlabels.stopping.base import Reads, Stopping, reached
from fewlabels.stopping.measured import BEST_MODEL, WORST_GROUPS

FEWEST_OF_MODELS = 20  # labels, where the best of several models is claimed by a posterior
_OF_VERDICTS = 1.5  # how far a forecast for verdicts may be off
_OF_GROUPS = 1.8  # how far a forecast for groups to be found may be off: near-ties show late


@dataclass(frozen=True)
class Probability(Stopping):
    """Enough when the groups identified, or the direction of a difference, are right with at least this probability.

    Comparisons and verdicts are settled by what holds at every look: of all studies that stop so, however often
    somebody looked, no more than the goal allows are wrong; so are groups that are found with proven=True. Other groups
    that are found (estimator "stratified") are so much surer than the goal, and each has labels of its own, that most
    such stops were right in tests though one looks after every label: that is measured, not proven.
    Otherwise it is the answer's own probability, for which looking again and again makes no promise.
    """

    goal: float = 0.95

    name: ClassVar[str] = "probability"

    def __post_init__(self) -> None:
        if not 0.5 <= self.goal < 1:
            raise QuestionError(f"Probability needs a goal from 0.5 to below 1, such as 0.95; got {self.goal!r}.")

    def describe(self) -> str:
        return f"sure of the answer with probability {level_words(self.goal)}"

    def fits(self, kind: str, *, draws: bool) -> None:  # noqa: ARG002 - however labels are read
        if kind == "estimate":
            raise QuestionError(
                "until=fl.Probability is for Identify, Compare, Below and Above; an Estimate stops at fl.HalfWidth."
            )

    @property
    def reads(self) -> Reads:
        return "probability"

    @property
    def sure(self) -> float | None:
        return self.goal

    def progress(self, answer: Answer, remaining: int, evidence: Evidence = NO_EVIDENCE) -> Progress:  # noqa: ARG002
        if isinstance(answer, Verdicts):
            return self._decided(answer, remaining)
        if isinstance(answer, BestOfModels):
            return self._found(answer)
        assert isinstance(answer, Identification | Comparison)  # the settings refuse this goal for other questions
        if isinstance(answer, Comparison) and answer.proof is not None:
            return self._shown(answer, remaining)
        if isinstance(answer, Identification) and answer.proven:
            return self._proven(answer, remaining)
        if isinstance(answer, Identification) and answer.certified is not None:
            return self._settled(answer, answer.certified, remaining)
        if isinstance(answer, ModelComparison) and answer.at_one_look is not None:
            return self._likely(answer, remaining)
        if isinstance(answer, Comparison) and (few := _too_few(answer, remaining)) is not None:
            return few
        what = _claim(answer) if isinstance(answer, Identification) else _region(answer)
        goal = f"(goal {level_words(self.goal)})"
        if answer.probability >= self.goal:
            sure = f"{what} with probability {percent_of_draws(answer.probability)} {goal}"
            if isinstance(answer, Identification):
                sure += ", by a posterior that promises nothing where one looks after every label"
            return reached(answer.findings, sure, remaining)
        return Progress(False, f"Not yet: {what} with probability {below_goal(answer.probability, self.goal)} {goal}.")

    def promise(self, answer: Answer) -> str:
        wrong = f"{100 * (1 - self.goal):.6g}%"
        if isinstance(answer, Verdicts):
            how = {
                "family": f"any verdict is wrong in at most {wrong} of such studies",
                "discoveries": f"at most {wrong} of the verdicts are expected to be wrong",
            }[answer.control]
            return f"However often one looked before, {how}."
        shown = isinstance(answer, BestOfModels) and answer.shown
        if shown or (isinstance(answer, Comparison) and answer.proof is not None):
            return f"However often one looked before, at most {wrong} of such stops are wrong."
        if isinstance(answer, Identification) and answer.proven:
            return (
                f"This is {proven_words(self.goal)}: at most {wrong[:-1]} in 100 studies that stop like this are wrong."
            )
        if isinstance(answer, Identification) and answer.certified is not None:
            return WORST_GROUPS.words(self.goal)
        if isinstance(answer, BestOfModels):
            return BEST_MODEL.words(self.goal)
        if isinstance(answer, ModelComparison) and answer.at_one_look is not None:
            return "More is asked for than the goal says, as one may look after every label. This is not proven."
        return super().promise(answer)

    def needs(self, answer: Answer) -> Needed | None:
        seen, error = answer.outlook, 1 - self.goal
        if isinstance(answer, ModelComparison) and answer.per_item is not None and len(answer.claims) == 1:
            return for_models(answer.per_item, answer.differ, answer.items, answer.rope, error, LEAST_LABELS)
        if seen is None:
            return None
        if isinstance(answer, Comparison):
            return for_difference(seen.rates, seen.size, answer.rope, error, LEAST_LABELS)
        if isinstance(answer, Verdicts):
            at = np.full(len(seen.size), answer.threshold)
            of_one = error / len(at) if answer.control == "family" else error
            each = for_threshold(seen.towards(answer.threshold), seen.size, at, answer.within, of_one)
            return in_all(each, seen.labels, seen.size, FEWEST)._replace(wider=_OF_VERDICTS)
        if isinstance(answer, Identification) and answer.proven:
            each = for_proof(seen.nearer, seen.size, answer.top, answer.within, error)
            return in_all(each, seen.labels, seen.size, 1)._replace(wider=_OF_GROUPS)
        if isinstance(answer, Identification) and answer.certified is not None:
            each = for_groups(seen.nearer, seen.size, answer.top, answer.within, error)
            return in_all(each, seen.labels, seen.size, floor_of_each(len(seen.size)))._replace(wider=_OF_GROUPS)
        return None

    def _left(self, answer: Answer, remaining: int) -> LabelsLeft | None:
        needed, seen = self.needs(answer), answer.outlook
        if needed is None:
            return None
        told = sum(f.labels for f in answer.findings) if seen is None else seen.labels.sum()
        return LabelsLeft.of(np.maximum(needed.chosen - told, 1.0), remaining, needed.wider)

    def _decided(self, answer: Verdicts, remaining: int) -> Progress:
        """By the verdicts, once there is one on every group."""
        found, level = answer.at(self.goal), level_words(self.goal)
        said = f"{len(found.below):,} below and {len(found.above):,} above {answer.findings[0].show(answer.threshold)}"
        if not found.undecided:
            return Progress(
                True, f"Goal reached: every group has its verdict, {said}, at every look ({level}).", NONE_LEFT
            )
        few, all_ = len(found.undecided), len(answer.findings)
        left = self._left(answer, remaining)
        why = f"Not yet: {few:,} of {all_:,} groups are undecided at every look ({level}); {said}."
        if ready := found.waiting:
            why += f" {few_of(ready)} {'wait' if len(ready) > 1 else 'waits'} only for the others."
        return Progress(False, f"{why}{left.sentence if left else ''}", left)

    def _shown(self, answer: Comparison, remaining: int) -> Progress:
        """By what holds at every look; of several parts of the pool, at once."""
        level, claims = level_words(self.goal), answer.claims
        each = 1 - (1 - self.goal) / len(claims)
        open_ = [(part, proof) for part, proof in claims if proof is None or not proof.of(each, answer.rope)]
        part, proof = (open_ or claims)[0]
        assert proof is not None
        ends, shown = _between(answer, proof.interval(each)), proof.of(each, answer.rope)
        short = [f for f in answer.findings if f.labels < LEAST_LABELS and f.left != 0]
        if open_:
            left = self._left(answer, remaining)
            where = f" in {len(open_):,} of {len(claims):,} groups, such as {part}," if part else ""
            return Progress(
                False,
                f"Not yet: at every look ({level}) the difference{where} may be {ends}.{left.sentence if left else ''}",
                left,
            )
        if short:
            few = " and ".join(f"{f.group} has {count_of(f.labels, 'label')}" for f in short)
            return Progress(
                False, f"Not yet: a claim takes {LEAST_LABELS} labels in each group, or all there are; {few}."
            )
        if part:
            return Progress(True, f"Goal reached: every group has its verdict, at every look ({level}).", NONE_LEFT)
        a, b = answer.sides
        words = {"less": f"{a} is lower than {b}", "more": f"{a} is higher than {b}"}
        within = f"{a} and {b} are the same within {answer.margin}"
        what = words.get(shown[0], within)
        return Progress(True, f"Goal reached: {what}, at every look ({level}); the difference is {ends}.", NONE_LEFT)

    def _likely(self, answer: ModelComparison, remaining: int) -> Progress:
        """By a probability that is so much surer that it allows for looks, of models whose F-scores are compared."""
        goal, bar = f"(goal {level_words(self.goal)}, under a look after every label)", bar_of_models(self.goal)
        if len(answer.findings) > 1:
            return self._likely_in_each(answer, bar, goal)
        what = _region(answer)
        if answer.difference is None or math.isnan(answer.difference.value):
            return Progress(
                False, f"Not yet: nothing is known of the difference; a stop takes {level_words(bar)} {goal}."
            )
        if answer.probability < bar:
            found = f"{what} with probability {below_goal(answer.probability, bar)}; a stop takes {level_words(bar)}"
            return Progress(False, f"Not yet: {found} {goal}.")
        labels, fewest = answer.counted, max(FEWEST_OF_MODELS, answer.fewest)
        if labels < fewest and remaining > 0:
            return Progress(False, f"Not yet: a claim takes {fewest} labels; there are {count_of(labels, 'label')}.")
        return Progress(
            True, f"Goal reached: {what} with probability {percent_of_draws(answer.probability)} {goal}.", NONE_LEFT
        )

    def _likely_in_each(self, answer: ModelComparison, bar: float, goal: str) -> Progress:
        """The same of each of several groups, all of them at once."""
        each = 1 - (1 - bar) / len(answer.findings)
        regions = [(more["p_less"], more["p_equal"], more["p_more"]) for more in answer.extra]
        open_ = [
            f.group
            for f, chances in zip(answer.findings, regions, strict=True)
            if (f.left != 0 and f.labels < LEAST_LABELS)
            or (max(chances) < each and not (f.left == 0 and math.isnan(f.value)))  # none of the class is there
        ]
        if not open_:
            sure = f"each with a probability of {level_words(each)} or more {goal}"
            return Progress(True, f"Goal reached: every group has its verdict, {sure}.", NONE_LEFT)
        return Progress(
            False,
            f"Not yet: {len(open_):,} of {len(regions):,} groups are open, such as {open_[0]}; a stop takes "
            f"{level_words(each)} and {LEAST_LABELS} labels in each {goal}.",
        )

    def _found(self, answer: BestOfModels) -> Progress:
        """By what holds at every look, or by a posterior that is so much surer that it allows for looks."""
        name, sure = answer.best, level_words(self.goal)
        what, bar = f"{name} is within {answer.within:g} of the best", bar_of_models(self.goal)
        if answer.shown:
            return Progress(True, f"Goal reached: {what}, at every look ({sure}).", NONE_LEFT)
        many = f"{len(answer.left)} of {len(answer.p_best)} models may be the best: {few_of(answer.left)}."
        if answer.p_near < bar:
            found = f"{what} with probability {below_goal(answer.p_near, bar)}; a stop takes {level_words(bar)}"
            return Progress(False, f"Not yet: {found} (goal {sure}, under a look after every label). {many}")
        if answer.labels < FEWEST_OF_MODELS:
            few = count_of(answer.labels, "label")
            return Progress(False, f"Not yet: a claim takes {FEWEST_OF_MODELS} labels; there are {few}. {many}")
        found = f"{what} with probability {percent_of_draws(min(answer.p_near, 1 - 1e-4))}"
        return Progress(True, f"Goal reached: {found} (goal {sure}, under a look after every label).", NONE_LEFT)

    def _proven(self, answer: Identification, remaining: int) -> Progress:
        """By bets that hold however often somebody looks."""
        what, how = _claim(answer), proven_words(self.goal)
        if answer.proof is None:
            return Progress(
                False, f"Not yet: nothing is proven of labels that were drawn with unknown chances; the goal is {how}."
            )
        if answer.proof.shown(self.goal):
            return Progress(True, f"Goal reached: {what}, {how}.", NONE_LEFT)
        more = self._left(answer, remaining)
        why = f"Not yet: that {what} is not {how}. Not ruled out: {few_of(answer.proof.open(self.goal))}."
        return Progress(False, f"{why}{more.sentence if more else ''}", more)

    def _settled(self, answer: Identification, certified: Certified, remaining: int) -> Progress:
        """By a certificate, which allows for looks after every label: it asks for more than the goal, and for labels of
        every group."""
        what, goal = _claim(answer), f"(goal {level_words(self.goal)}, under a look after every label)"
        many, few = bars(self.goal)
        sure = answer.probability if certified.many is None else certified.many
        if sure_enough(self.goal, sure, certified.few):
            if not certified.short:
                reason = f"Goal reached: {what} with probability {percent(sure)} {goal}."
                return Progress(True, reason, NONE_LEFT)
            groups, left = few_of(certified.short), min(certified.missing, remaining)
            return Progress(
                False,
                f"Not yet: {what} with probability {percent(sure)} {goal}, but {groups} "
                f"{'have' if len(certified.short) > 1 else 'has'} too few labels: each group needs {certified.floor}, "
                f"spread over its scores. {count_of(left, 'more label').capitalize()}.",
                LabelsLeft(left, left, left),
            )
        if sure < many:
            found, bar = below_goal(sure, many), level_words(many)
        else:
            found, bar = f"{below_goal(certified.few, few)} as far as near-ties go", level_words(few)
        open_ = f" Still open: {few_of(certified.open)}." if certified.open else ""
        more = self._left(answer, remaining)
        why = f"Not yet: {what} with probability {found}; a stop takes {bar} {goal}.{open_}"
        return Progress(False, f"{why}{more.sentence if more else ''}", more)


def _between(answer: Comparison, ends: tuple[float, float]) -> str:
    """Between what a difference lies, in words."""
    if answer.difference is not None and answer.difference.unit == "number":
        return f"{ends[0]:+.3g} to {ends[1]:+.3g}"
    return f"{100 * ends[0]:+.1f} to {100 * ends[1]:+.1f} points"


def _region(answer: Comparison) -> str:
    """The likeliest of the three things that may be true of two."""
    (a, b), far = answer.sides, f"by more than {answer.margin}"
    same = f"{a} and {b} are the same within {answer.margin}"
    return {"less": f"{a} is lower than {b} {far}", "more": f"{a} is higher than {b} {far}"}.get(answer.region, same)


def _too_few(answer: Comparison, remaining: int) -> Progress | None:
    """Where nothing is proven, that a group has too few labels for a verdict; None where each has enough."""
    few = [f for f in answer.findings if f.labels < LEAST_FOR_A_VERDICT and f.left != 0]
    if not few and not math.isnan(answer.probability):
        return None
    each = " and ".join(f"{f.group} has {f.labels or 'none'}" for f in few) or "nothing is known of one of them"
    takes = f"a verdict takes {LEAST_FOR_A_VERDICT} labels that count on each side, or all there are"
    more = min(sum(LEAST_FOR_A_VERDICT - f.labels for f in few), remaining)
    known = bool(few) and all(f.left is not None for f in few)  # else only some labels count
    return Progress(False, f"Not yet: {takes}; {each}.", LabelsLeft(more, more, more) if known else None)


def _claim(answer: Identification) -> str:
    if not answer.within:
        return "these are exactly the groups asked for"
    return f"each group named is within {answer.margin} of the true ones"
