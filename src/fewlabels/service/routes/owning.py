"""What a study's owner sees and does: the answer, who labelled, what is in doubt, links, changes."""

import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import combinations
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from fewlabels.answers import answer_data
from fewlabels.core.events import Item, event_to_json
from fewlabels.reporting.render import report_page
from fewlabels.service import bodies as b
from fewlabels.service.access import IsOwner
from fewlabels.service.plain_json import PlainJSON
from fewlabels.service.questions import goal_of
from fewlabels.service.routes.labelling import TheStudy, progress_data

router = APIRouter(prefix="/api/studies/{name}", tags=["owning"])
_MOST_EVENTS = 1000  # at once
_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')


@router.post("/change")
async def change(body: b.Change, study: TheStudy, who: IsOwner) -> b.ProgressData:
    """Set another budget or goal from here on, null takes it away; or take skipped items in another way."""
    new: dict[str, Any] = {name: getattr(body, name) for name in body.model_fields_set}
    if "until" in new:
        new["until"] = goal_of(body.until)
    await study.change(who.by, **new)
    return progress_data(await study.seen(now=True), study, who.by)


@router.get("/answer", response_model=dict[str, Any])
def answer(study: TheStudy, _: IsOwner) -> PlainJSON:
    """The answer from the labels so far."""
    return PlainJSON(answer_data(study.answer()))


@router.get("/events", response_model=dict[str, Any])
def events(study: TheStudy, _: IsOwner, after: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0) -> PlainJSON:
    """What happened past the first so many events, a thousand at most; `next` is the number to go on from."""
    found = study.study.events_after(after)[:_MOST_EVENTS]
    rows = []
    for number, event in enumerate(found, start=after + 1):
        kind, content = event_to_json(event)
        rows.append({"number": number, "kind": kind, **content})
    return PlainJSON({"events": rows, "next": after + len(rows)})


@router.get("/labellers", response_model=dict[str, Any])
def labellers(study: TheStudy, _: IsOwner) -> PlainJSON:
    """Who labelled how many, how fast, and how often others who had the same items agree."""
    pairs = _pairs(study.study.opinions)
    rows = [
        {
            "by": by or None,
            "labels": did.labels,
            "skips": did.skips,
            "seconds_a_label": did.seconds_a_label,
            "last": did.times[-1] if did.times else None,
            "pairs": pairs.get(by, (0, 0))[0],
            "agreeing": pairs.get(by, (0, 0))[1],
        }
        for by, did in sorted(study.tally.work().items())
    ]
    found = study.study.agreement
    together = {"items": found.items, "raw": found.raw, "fleiss": found.fleiss, "krippendorff": found.krippendorff}
    return PlainJSON({"labellers": rows, "agreement": together})


def _pairs(opinions: Mapping[Item, Mapping[str, str]]) -> dict[str, tuple[int, int]]:
    """Of each labeller, how many labels of others there are for the same items, and how many are the same."""
    found: dict[str, tuple[int, int]] = {}
    for given in opinions.values():
        for one, other in combinations(given, 2):
            for by in (one, other):
                count, same = found.get(by, (0, 0))
                found[by] = count + 1, same + (given[one] == given[other])
    return found


@router.get("/disagreements", response_model=dict[str, Any])
def disagreements(study: TheStudy, _: IsOwner) -> PlainJSON:
    """Items on which labellers differ and nobody has decided; `correct` does."""
    study.tally.catch_up()
    return PlainJSON(
        {
            "disagreements": [
                {"item": one.item, "opinions": one.opinions, "label": one.label, "payload": study.tally.shown(one.item)}
                for one in study.study.disagreements
            ]
        }
    )


@router.get("/report", response_class=HTMLResponse)
def report(study: TheStudy, _: IsOwner) -> HTMLResponse:
    """The report as one HTML file; what labellers were shown of items is not in it."""
    page = report_page(study.study)
    found = _POLICY.search(page)
    assert found is not None  # its own styles and script, by their hashes
    policy = f"{found[1].replace('&#39;', chr(39))}; frame-ancestors 'none'"
    return HTMLResponse(page.encode("utf-8", "backslashreplace"), headers={"content-security-policy": policy})


@router.post("/links")
def links(body: b.Link, study: TheStudy, _: IsOwner, request: Request) -> b.Linked:
    """A link that lets somebody in for a time."""
    name = study.study.name
    expires = int(time.time() + body.hours * 3600)
    token = request.app.state.gate.link_token(name, body.by, body.role, expires)
    page = "owner" if body.role == "owner" else ""
    return b.Linked(
        url=f"{str(request.base_url).rstrip('/')}/s/{quote(name, safe='')}/{page}?token={token}",
        token=token,
        expires=datetime.fromtimestamp(expires, UTC).isoformat(),
    )
