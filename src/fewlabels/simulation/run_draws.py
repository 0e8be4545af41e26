"""One run of one method for an F-score: the events of a live study, its labels from an oracle."""

import numpy as np

from fewlabels.asking import next_event
from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Ints
from fewlabels.core.events import Query, Told
from fewlabels.core.evidence import Evidence, History
from fewlabels.engines import Row
from fewlabels.simulation.oracle import Deck


def run_draws(assessment: Assessment, deck: Deck, budgets: Ints, seed: int) -> list[Evidence]:
    """What was known once so many labels were paid for. An item drawn again costs nothing."""
    names = assessment.true_classes
    history = History({name: i for i, name in enumerate(names)}, assessment.cells.count)

    def item_at(cell: int, position: int) -> Row:
        place = int(deck.starts[cell]) + position
        return Row(place, cell, names[deck.predicted[place]], np.nan, {})

    noted, last = [], int(budgets[-1])
    for budget in budgets.tolist():
        while history.spent < budget and (event := next_event(assessment, history, item_at, seed=seed, budget=last)):
            history.apply(event)
            if isinstance(event, Query) and event.item in history.open:
                history.apply(Told(event.item, names[deck.label[int(event.item)]]))
        noted.append(history.evidence())
    return noted
