"""What is assumed of the items below those searched, in words."""

import math
from collections.abc import Sequence
from dataclasses import replace

from fewlabels.answers import Finding, count_of
from fewlabels.answers.finding import Beside, Unsearched
from fewlabels.estimators import Apart, OfAll


def beside(found: Finding, whole: OfAll, assumed: float) -> Finding:
    """The finding of all items, with the same figure of the items searched and by the labels alone."""
    pool, below = found.target == "pool", whole.below
    inner = whole.as_labelled if whole.complete else whole.searched
    alone = Beside(whole.alone, *whole.interval_alone(found.level, pool=pool))
    counted = whole.searched.counted
    weight = (1 - whole.alpha) / counted if counted > 0 else 0.0
    return replace(
        found,
        value=whole.value(assumed),
        searched=Beside(inner.value, *inner.interval(found.level, pool=pool)),
        labels_alone=alone,
        hidden=Unsearched(assumed, whole.items, below.items, below.labelled, below.positive, weight),
    )


def beside_apart(found: Finding, apart: Apart) -> Finding:
    """The finding of how far two models are apart, with the same of the items searched and by the labels alone."""
    of = apart.of_all
    if of is None:
        return found
    return replace(
        found,
        searched=Beside(of.inside.value, *of.inside.interval(found.level)),
        labels_alone=Beside(of.alone, *of.interval_alone(found.level)),
        hidden=Unsearched(of.assumed, of.items, of.below.items, of.below.labelled, of.below.positive, of.weight),
    )


def assumption(named: str, findings: Sequence[Finding], *, figures: bool = True) -> str | None:
    """What the figures assume of a class, what was checked, and the same figures without; None where nothing lies
    below those searched. Curves have too many points to say those."""
    found = [f for f in findings if f.hidden is not None and f.hidden.below > 0]
    if not found or found[0].hidden is None or found[0].fully_labelled:
        return None
    about, few = found[0].hidden, figures and len(found) <= _FEW
    where = f"the {about.below:,} that the model scores lowest"
    if about.assumed <= 0:
        words = [f"Assumes that no {named} item is among {where}."]
    elif about.assumed >= 1:
        words = [f"Assumes nothing about {named} items among {where}."]
    else:
        words = [f"Assumes that at most {_share(about.assumed)} of all {named} items are among {where}."]
    words.append(_checked(named, about.checked, about.positive))
    if few and not math.isnan(found[0].value):
        each = [("" if len(found) == 1 else f"{f.group} ", f) for f in found]
        inside = ", ".join(f"{name}{_likely(f.searched, f)}" for name, f in each if f.searched)
        alone = ", ".join(f"{name}{_ends(f.labels_alone, f)}" for name, f in each if f.labels_alone)
        words.append(f"Among the {count_of(about.searched, 'item')} searched: {inside}.")
        words.append(f"By the labels alone: {alone}.")
    return " ".join(words)


_FEW = 3  # figures of which each is said


def _checked(named: str, checked: int, positive: int) -> str:
    if checked == 0:
        return "None of those was checked."
    if positive == 0:
        were = f"{checked:,} of those were" if checked > 1 else "1 of those was"
        return f"{were} checked; none was one."
    hide = f"{positive:,} of the {checked:,} checked {'were' if positive > 1 else 'was'} {named}"
    return f"{hide}: some do hide."


def _share(share: float) -> str:
    return f"{100 * share:.3g}%"


def _likely(beside: Beside, finding: Finding) -> str:
    """An interval in words, or the value where it is exact."""
    if math.isnan(beside.value):
        return "not known yet"
    if beside.high - beside.low <= 1e-12:
        return f"{finding.show(beside.value)} (all labelled)"
    return f"likely {_ends(beside, finding)}"


def _ends(beside: Beside, finding: Finding) -> str:
    """Both ends, rounded outward: to whole points, or to tenths of them where they are near one another."""
    low, high = 100 * beside.low, 100 * beside.high
    digits = 0 if high - low > _WIDE else 1
    unit = 10.0**digits
    first, last = math.floor(low * unit + _ROUNDING) / unit, math.ceil(high * unit - _ROUNDING) / unit
    if finding.unit == "points":
        return f"{first:+.{digits}f} to {last:+.{digits}f} points"
    return f"{first:.{digits}f} to {last:.{digits}f}%"


_WIDE, _ROUNDING = 5.0, 1e-9
