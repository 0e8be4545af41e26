"""The items searched, apart from those below: what rounds draw by its worth, and what labels below say."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fewlabels.core.arrays import Bools
from fewlabels.core.hiding import Below
from fewlabels.core.importance import FSample


class Searched(NamedTuple):
    """What labels say of an F-score, in two parts."""

    sample: FSample  # without the labels below
    items: int
    below: Below

    @property
    def alone(self) -> FSample:
        """The same; where all items searched are labelled, as if there were no others."""
        sample = self.sample
        reached = (sample.stratum >= sample.lowest) | sample.said.any(axis=0)
        if not (sample.labelled >= sample.size)[reached].all():
            return sample
        return replace(sample, size=np.where(reached, sample.size, 0), maps={})


def searched_of(sample: FSample) -> Searched:
    """The sample without the labels that were drawn below the reach, each as likely as any other there.

    A label that a round drew by its worth stays in the sample. If the round does not count yet as one that reached so
    far, the label stands for itself alone.
    """
    out = (sample.stratum < sample.lowest) & ~sample.said.any(axis=0)
    apart = out[sample.cell] & ~_by_worth(sample)
    kept = ~apart
    itself = int((out[sample.cell] & kept).sum())
    items = int(sample.size[out].sum()) - itself
    below = Below(items, int(apart.sum()), int(sample.positive[apart].sum()))
    return Searched(without(sample, apart) if apart.any() else sample, sample.items - items, below)


def _by_worth(sample: FSample) -> Bools:
    """Whether each labelled item was drawn as one of those searched then, or in a round that reaches further and does
    not count yet: of the items below, those it takes in could not come."""
    frames = np.array([sample.frames.get(int(number), 0) for number in sample.round], dtype=np.int64)
    mine = sample.row[(sample.stratum[sample.cell[sample.row]] >= frames) | (frames < sample.lowest)]
    return np.isin(np.arange(len(sample.cell)), mine)


def without(sample: FSample, rows: Bools) -> FSample:
    """The same as if these labels were not known."""
    kept = ~rows
    drawn, place = kept[sample.row], np.cumsum(kept) - 1
    return replace(
        sample,
        cell=sample.cell[kept],
        positive=sample.positive[kept],
        since=sample.since[kept],
        row=place[sample.row[drawn]],
        round=sample.round[drawn],
        probability=sample.probability[drawn],
        by_now=None if sample.by_now is None else sample.by_now[kept],
        reach=sample.lowest,
        maps={},
    )
