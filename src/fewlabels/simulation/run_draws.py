"""One run of one method for an F-score: the events of a live study, its labels from an oracle."""

from collections.abc import Sequence
from itertools import cycle

import numpy as np

from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Ints
from fewlabels.core.events import Item, Query, Told
from fewlabels.core.evidence import Evidence, History
from fewlabels.engines import Row
from fewlabels.simulation.oracle import Deck
from fewlabels.step import next_event


def run_draws(
    assessment: Assessment, deck: Deck, budgets: Ints, seed: int, batches: Sequence[int] = (1,)
) -> list[Evidence]:
    """What was known once so many labels were paid for. An item drawn again costs nothing.

    Labels come back in batches of these sizes, over and over; a batch ends early where a budget does.
    """
    names = assessment.true_classes
    history = History({name: i for i, name in enumerate(names)}, assessment.cells.count)

    def item_at(cell: int, position: int) -> Row:
        place = int(deck.starts[cell]) + position
        return Row(place, cell, names[deck.predicted[place]], np.nan, {})

    def ask(n: int) -> list[Item]:
        asked: list[Item] = []
        while len(asked) < n:
            event = next_event(assessment, history, item_at, seed=seed, budget=last, wanted=n - len(asked))
            if event is None:
                break
            waiting = len(history.open)
            history.apply(event)
            if isinstance(event, Query) and len(history.open) > waiting:  # else it was drawn before
                asked.append(event.item)
        return asked

    noted, last, sizes = [], int(budgets[-1]), cycle(batches)
    for budget in budgets.tolist():
        while history.spent < budget and (asked := ask(min(next(sizes), budget - history.spent))):
            for item in asked:
                history.apply(Told(item, names[deck.label[int(item)]]))
        noted.append(history.evidence())
    return noted
