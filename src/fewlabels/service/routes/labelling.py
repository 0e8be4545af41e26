"""What labellers do: ask, tell, skip, correct, withdraw, release; and what they see of the study."""

import base64
import json
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Depends, HTTPException, Request

from fewlabels.core.events import Item
from fewlabels.service import bodies as b
from fewlabels.service.access import IsHere, Who
from fewlabels.service.standing import Seen
from fewlabels.service.studies import Served, Studies
from fewlabels.service.tally import WITHDRAWN
from fewlabels.study import clock

router = APIRouter(prefix="/api/studies/{name}", tags=["labelling"])


async def served(name: str, request: Request, _: IsHere) -> Served:
    """The study of the address; only somebody with access learns whether it is there."""
    studies: Studies = request.app.state.studies
    opened = studies.opened(name)
    return await to_thread.run_sync(studies.served, name) if opened is None else opened


TheStudy = Annotated[Served, Depends(served)]


@router.post("/ask")
async def ask(body: b.Ask, study: TheStudy, who: IsHere, request: Request) -> b.Queries:
    """The next items to label, which are the labeller's for a time. Nothing where the goal is reached."""
    settings = request.app.state.settings
    seen, queries = await study.seen(), []
    if seen.progress.done:
        seen = await study.seen(now=True)  # it may have been changed
    until = clock.later(settings.lease)
    if not seen.progress.done:
        queries = await study.ask(body.n, _by(who, body.by), settings.lease)
        if not queries:
            seen = await study.seen(now=True)
    asked = [
        b.Asked(
            item=query.item,
            query=_opaque(query.item),
            payload=dict(query.payload),
            lease_until=until,
            **({"group": query.group, "guess": query.predicted} if settings.show_guess else {}),
        )
        for query in queries
    ]
    return b.Queries(queries=asked, done=seen.progress.done, reason=seen.progress.reason)


@router.post("/tell")
async def tell(body: b.Tell, study: TheStudy, who: IsHere) -> b.Recorded:
    """Record the true class of an item."""
    item, by, label = await _given(study, body, who), _by(who, body.by), study.label(body.label)
    await study.write(by, body.key, item, ("tell", label), lambda: study.study.tell(item, label, by=by))
    return await _recorded(study, by)


@router.post("/skip")
async def skip(body: b.Skip, study: TheStudy, who: IsHere) -> b.Recorded:
    """Close a query that cannot be answered."""
    item, by, reason = await _given(study, body, who), _by(who, body.by), body.reason
    await study.write(by, body.key, item, ("skip", reason), lambda: study.study.skip(item, reason, by=by))
    return await _recorded(study, by)


@router.post("/correct")
async def correct(body: b.Tell, study: TheStudy, who: IsHere) -> b.Recorded:
    """Replace a label: a labeller their own, the owner any. Where an item wants several labels, the owner decides
    between them."""
    item, by, label = await to_thread.run_sync(_own, study, body, who), _by(who, body.by), study.label(body.label)
    if who.owns or not study.tally.wants_several(item):
        await study.write(by, body.key, item, ("correct", label), lambda: study.study.correct(item, label, by=by))
    else:
        await study.write(by, body.key, item, ("tell", label), lambda: _say_otherwise(study, item, label, by))
    return await _recorded(study, by)


def _say_otherwise(study: Served, item: Item, label: str, by: str) -> None:
    """One's own label among several, replaced; both or neither."""
    with study.study.together():
        study.study.withdraw(item, by=by)
        study.study.tell(item, label, by=by)


@router.post("/withdraw")
async def withdraw(body: b.OfItem, study: TheStudy, who: IsHere) -> b.Recorded:
    """Take back a label or a skip; a labeller their own, the owner any."""
    item, by = await to_thread.run_sync(_own, study, body, who), _by(who, body.by)
    await study.write(by, body.key, item, WITHDRAWN, lambda: study.study.withdraw(item, by=by))
    return await _recorded(study, by)


@router.post("/release")
async def release(body: b.Release, study: TheStudy, who: IsHere) -> dict[str, int]:
    """Give items back, so that others may have them."""
    items = [study.item(item) for item in body.items]
    return {"released": await study.release(items, _by(who, body.by))}


@router.get("/progress")
def progress(study: TheStudy, who: IsHere) -> b.ProgressData:
    """How far the study is, after every label that is recorded."""
    return progress_data(study.standing.now(), study, who.by)


@router.get("/classes")
def classes(study: TheStudy) -> b.Classes:
    """The labels that can be told."""
    return b.Classes(classes=list(study.study.classes), positive=study.study.positive)


# -- inside ------------------------------------------------------------------------------------------------------------


def _by(who: Who, named: str | None) -> str:
    """In whose name; the owner may speak for others, labellers for themselves."""
    if named is None or named == who.by:
        return who.by
    if not who.owns:
        raise HTTPException(403, f"This link is {who.by}'s, not {named}'s; leave `by` out.")
    return named


def _opaque(item: Item) -> str:
    return base64.urlsafe_b64encode(json.dumps(item).encode()).decode()


def _item(study: Served, body: b.OfItem) -> Item:
    said: Any = body.item
    if said is None:
        if body.query is None:
            raise HTTPException(422, "Say which item: its `item`, or the `query` that ask gave.")
        try:
            said = json.loads(base64.urlsafe_b64decode(body.query))
        except ValueError:
            raise HTTPException(422, "`query` is not one that ask gave.") from None
    if isinstance(said, bool) or not isinstance(said, str | int):
        raise HTTPException(422, "`query` is not one that ask gave.")
    return study.item(said)


async def _given(study: Served, body: b.OfItem, who: Who) -> Item:
    item, tally = _item(study, body), study.tally
    if not who.owns and not tally.had(item, who.by):
        await to_thread.run_sync(tally.catch_up)  # it may have been given before this service was started
        if not tally.had(item, who.by):
            raise HTTPException(409, f"Item {item!r} was not given to you; ask for items first.")
    return item


def _own(study: Served, body: b.OfItem, who: Who) -> Item:
    item = _item(study, body)
    if not who.owns and not (study.tally.said(item, who.by) or study.tally.did(item, who.by, WITHDRAWN)):
        raise HTTPException(409, f"The label of item {item!r} is not yours; ask the study's owner to change it.")
    return item


def progress_data(seen: Seen, study: Served, by: str) -> b.ProgressData:
    """The progress of a study as somebody sees it."""
    left = seen.progress.labels_left
    return b.ProgressData(
        labels=seen.labels,
        done=seen.progress.done,
        reason=seen.progress.reason,
        left=None if left is None else str(left),
        labels_left=None if left is None else b.Left(low=left.low, likely=left.likely, high=left.high),
        budget=seen.budget,
        mine=study.tally.labels_of(by),
    )


async def _recorded(study: Served, by: str) -> b.Recorded:
    seen = await study.seen()
    return b.Recorded(labels=seen.labels, progress=progress_data(seen, study, by))
