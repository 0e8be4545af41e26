"""Thirty-two processes on one study: nobody gets another's item, and no label is lost."""

from pathlib import Path

import pytest

import fewlabels as fl
from fewlabels.core.events import Leased, Query
from services.many import label_together

PROCESSES = 32


@pytest.mark.parametrize("where", ["sqlite", "postgresql"])
@pytest.mark.parametrize(("labels", "seconds"), [(3, 3600.0), pytest.param(10**6, 60.0, marks=pytest.mark.slow)])
def test_nobody_gets_anothers_item_and_no_label_is_lost(request, tmp_path: Path, where, labels, seconds):
    address = f"sqlite:///{tmp_path}/s.db" if where == "sqlite" else request.getfixturevalue("database")
    told = [[item for item, _, _ in one] for one in label_together(address, PROCESSES, labels, seconds)]
    items = [item for one in told for item in one]
    assert all(told), "somebody got nothing"
    assert len(set(items)) == len(items), "two got one item"
    study = fl.load_study(storage=address)
    assert study.labels == {item: str(item % 3) for item in items}
    events = study.events
    leased = {event.item: event.by for event in events if isinstance(event, Leased)}
    assert len([event for event in events if isinstance(event, Leased)]) == len(items)
    assert leased == {item: f"labeller-{n}" for n, one in enumerate(told) for item in one}
    assert [event.number for event in events if isinstance(event, Query)] == list(range(1, len(items) + 1))
