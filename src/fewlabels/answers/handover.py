"""Giving the worst classes to people: which, and what that would yield ([Ji20] Sec. 4.2)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from fewlabels.answers.finding import Finding
from fewlabels.answers.words import few_of
from fewlabels.core.arrays import Array, Bools
from fewlabels.core.keyed import Keyed, Use
from fewlabels.errors import QuestionError

KEPT = 1000  # joint draws that an answer keeps


@dataclass(frozen=True)
class Joint:
    """Joint draws of how often each group is right, from the belief that is right for sums over groups."""

    rates: Array  # (n_draws, n_groups), in the order of the findings
    weight: Array  # (n_groups,) share of the pool


@dataclass(frozen=True)
class Handover:
    """What comes of giving some groups to people whenever the model predicts them."""

    groups: tuple[str, ...]  # the worst first
    share: float  # of the items that people would get
    before: Finding  # how often the model is right now
    after: Finding  # how often model and people together would be
    human: str  # how good people are taken to be, in words

    def __str__(self) -> str:
        if not self.groups:
            return f"No group fits, or people would do no better ({self.human}); accuracy stays {self.after}."
        return (
            f"Giving {few_of(self.groups, 5)} to people, {self.share:.1%} of the items, would make {self.after} "
            f"right instead of {self.before}; {self.human}."
        )


def handover(
    findings: Sequence[Finding], overall: Finding, joint: Joint, share: float, human: float | Finding = 1.0
) -> Handover:
    """The lowest groups, in order, as far as they fit into the share and people do better; and the accuracy that would
    result: sum of p_g theta_g over the groups kept, and of p_g h over those handed over.

    Which groups are handed over is settled by the estimates; the interval is for these very groups.
    """
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1:
        raise QuestionError(f"share is how much of the items people can take, above 0 and at most 1; got {share!r}.")
    h, drawn, words = _people(human, len(joint.rates))
    chosen, left = [], share + 1e-12
    for i, finding in enumerate(findings):
        if finding.ranked and finding.value < h and joint.weight[i] <= left:
            chosen.append(i)
            left -= joint.weight[i]
    given = np.isin(np.arange(len(findings)), chosen)
    taken = float(joint.weight[given].sum())
    draws = joint.rates[:, ~given] @ joint.weight[~given] + taken * drawn
    told = sum(finding.labels for finding in findings)
    after = _after(overall, joint, draws, given, told)
    return Handover(tuple(findings[i].group for i in chosen), taken, overall, after, words)


def _people(human: float | Finding, count: int) -> tuple[float, Array, str]:
    """How often people are right: a number, draws of it, and words."""
    if isinstance(human, Finding):
        z = float(ndtri((1 + human.level) / 2))
        u = Keyed(0, 0).uniforms(Use.ANSWER, np.arange(count))
        drawn = np.clip(human.value + human.half_width / z * ndtri(u), 0.0, 1.0)
        return human.value, np.asarray(drawn), f"people are right as often as estimated, {human}"
    if isinstance(human, bool) or not isinstance(human, int | float) or not 0 <= human <= 1:
        raise QuestionError(f"human is how often people are right, from 0 to 1, or a Finding; got {human!r}.")
    words = (
        "people are taken to be always right" if human == 1 else f"people are taken to be right {human:.1%} of the time"
    )
    return float(human), np.full(count, float(human)), words


def _after(whole: Finding, joint: Joint, draws: Array, given: Bools, told: int) -> Finding:
    """The accuracy of model and people together; its interval is wider than that of the draws by as much as that of the
    whole pool is, which is not trusted to the model alone."""
    level, kept = whole.level, float(joint.weight[~given].sum())
    tails = [(1 - level) / 2, (1 + level) / 2]
    value, wider = float(np.median(draws)), 1.0
    low, high = (float(q) for q in np.quantile(draws, tails))
    if kept > 0:
        plain = np.quantile(joint.rates @ joint.weight, tails)
        half = float(plain[1] - plain[0]) / 2
        wider = max(whole.half_width / half, 1.0) if half > 1e-12 else 1.0
    low, high = max(value - wider * (value - low), 0.0), min(value + wider * (high - value), 1.0)
    return replace(whole, value=value, low=low, high=high, labels=told, group="after handing over", by_design=None,
                   by_design_low=None, by_design_high=None, contradicted=False)  # fmt: skip
