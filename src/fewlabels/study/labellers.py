"""Several labellers: who may have which item, where they differ, and what that says of labels."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fewlabels.core.agreement import Agreement, agreement
from fewlabels.core.consensus import dawid_skene, majority, unanimous
from fewlabels.core.events import Item, Query
from fewlabels.core.evidence import Evidence
from fewlabels.core.history import History
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.labeller_error import LabellerError
from fewlabels.core.labeller_rates import Seen
from fewlabels.core.skips import Skips
from fewlabels.errors import QuestionError
from fewlabels.settings import StudySettings

OVERTAKEN = 20  # later items with an answer, from which on an open one is said to be forgotten
FEW_OPEN = 0.02  # of the labels: so few forgotten items are not allowed for in intervals for one look
LEASE = 3600.0  # seconds an item is a labeller's, unless another time is named


def labels_wanted(settings: StudySettings, number: int, left: int | None) -> int:
    """How many labels a query of this number is to get, of those that a budget leaves."""
    several = settings.labels_per_item
    if several > 1 and settings.overlap < 1:
        several = several if Keyed(settings.seed, number).uniform(Use.OVERLAP) < settings.overlap else 1
    return several if left is None else max(1, min(several, left))


def free_for(history: History, by: str, at: str) -> Iterator[Query]:
    """Open queries that this labeller may have: leases of others ended, or labels of others are wanted too.

    What was asked for in nobody's name stays with whoever asked.
    """
    for item, query in history.open.items():
        leases, given = history.leases.get(item), history.opinions.get(item, {})
        if leases is None or by in given:
            continue
        live = {who for who, until in leases.items() if until > at and who not in given}
        if by not in live and len(given) + len(live) < query.labels:
            yield query


def leased_to(history: History, by: str, at: str) -> list[Query]:
    """Open queries that are this labeller's now."""
    held = ((query, history.leases.get(item, {}).get(by, "")) for item, query in history.open.items())
    return [query for query, until in held if until > at]


def is_leased(history: History, item: Item, at: str) -> bool:
    """Whether an open query is somebody's now."""
    return any(until > at for until in history.leases.get(item, {}).values())


class Waiting(NamedTuple):
    """An item without an answer, and how many later ones were answered meanwhile."""

    item: Item
    later: int


class Disagreement(NamedTuple):
    """An item on which labellers differ, and nobody has decided; `label` is what it counts as until then."""

    item: Item
    opinions: Mapping[str, str]
    label: str


@dataclass(frozen=True)
class Labelling:
    """What several labellers said of the same items, at one moment."""

    opinions: Mapping[Item, Mapping[str, str]]
    predicted: Mapping[Item, str]  # of items that have all the labels they want
    decided: frozenset[Item]
    counts_as: Mapping[Item, str]
    labels: int  # of all items

    @property
    def agreement(self) -> Agreement:
        return agreement(self.opinions.values())

    @property
    def disagreements(self) -> list[Disagreement]:
        return [
            Disagreement(item, given, self.counts_as[item])
            for item, given in self.opinions.items()
            if item in self.counts_as and item not in self.decided and not unanimous(given)
        ]

    def error(self, settings: StudySettings, classes: int) -> LabellerError | None:
        """How often labels err; None where nothing tells."""
        if settings.label_error is None and not self.predicted:
            return None
        seen = tuple(sorted(Counter(map(self._seen, self.predicted)).items(), key=repr))
        several = Counter(len(self.opinions[item]) for item in self.predicted)
        several[1] += self.labels - len(self.predicted)
        return LabellerError(
            tuple(one._replace(items=items) for one, items in seen),
            settings.label_error,
            classes,
            tuple((labels, items / max(self.labels, 1)) for labels, items in sorted(several.items())),
        )

    def _seen(self, item: Item) -> Seen:
        given, predicted = self.opinions[item], self.predicted[item]
        right = self.counts_as[item] == predicted if item in self.decided else None
        return Seen(sum(label == predicted for label in given.values()), len(given), right)


def labelling_of(history: History, settings: StudySettings, classes: tuple[str, ...]) -> Labelling:
    """What labellers said, as of now."""
    opinions = {item: dict(given) for item, given in history.opinions.items() if given}
    done = {item: given for item, given in opinions.items() if item in history.labels}
    counts_as = {item: history.labels[item] for item in done}
    if settings.consensus == "dawid_skene" and done:
        for item, shares in dawid_skene(done, classes).items():
            if item not in history.adjudicated:
                counts_as[item] = max(shares, key=lambda name: (shares[name], name == majority(done[item])))
    decided = frozenset(item for item in done if item in history.adjudicated)
    predicted = {item: history.predicted(item) for item in done}
    return Labelling(opinions, predicted, decided, counts_as, len(history.labels))


def with_consensus(evidence: Evidence, labelling: Labelling, classes: tuple[str, ...]) -> Evidence:
    """The evidence with the class that several labels of an item come to."""
    if not labelling.counts_as:
        return evidence
    index = {name: i for i, name in enumerate(classes)}
    label = evidence.label.copy()
    for row, item in enumerate(evidence.items):
        if item in labelling.counts_as:
            label[row] = index[labelling.counts_as[item]]
    return evidence if np.array_equal(label, evidence.label) else replace(evidence, label=label)


def check_asker(settings: StudySettings, by: str | None, lease: float) -> None:
    """Raise where it has to be known who asks, or for how long."""
    if by is None and settings.labels_per_item > 1:
        raise QuestionError(
            "this study wants several labels of an item, so it has to know who asks: ask(10, by='ann')."
        )
    if not lease > 0:
        raise QuestionError(f"lease is for how many seconds an item is a labeller's, such as 3600; got {lease!r}.")


def without_label(history: History) -> list[Item]:
    """The items that may be anything: those skipped; and those that later ones have overtaken, where they are many."""
    count, found = len(history.open), []
    for place, (item, query) in enumerate(history.open.items()):
        if history.draws - query.number - (count - 1 - place) >= OVERTAKEN:
            found.append(item)
    return [*history.skipped, *(found if len(found) > FEW_OPEN * len(history.labels) else ())]


def skips_of(history: History, labelling: Labelling, classes: tuple[str, ...]) -> Skips:
    """The items nobody could label, or has labelled though many later ones are."""
    items = without_label(history)
    supposed = history.supposing({item: history.predicted(item) for item in items})
    return Skips(with_consensus(supposed, labelling, classes), len(items), len(items) - len(history.skipped))


def oldest_open(history: History) -> Waiting | None:
    """The item that was handed out first among those without an answer."""
    first = next(iter(history.open.values()), None)
    return None if first is None else Waiting(first.item, history.draws - len(history.open) - first.number + 1)
