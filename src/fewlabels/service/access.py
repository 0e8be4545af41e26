"""Who is there, and what they may do: the owner's token, signed links that end, and what guards a browser."""

import base64
import hashlib
import hmac
import json
import secrets
import time
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from fastapi import Depends, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fewlabels.service.settings import ServiceSettings, is_loopback

Role = Literal["labeller", "owner"]
OWNER = "owner"  # how the owner's labels are signed, unless another name is given
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_SAFE = ("GET", "HEAD", "OPTIONS")
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_NOBODY = "This needs access: open the link you were given, or send your token as 'Authorization: Bearer …'."


@dataclass(frozen=True)
class Who:
    """Somebody with access."""

    by: str
    role: Role
    study: str | None  # the one their link is for; None is all of them
    csrf: str  # what a page of theirs sends along when it writes

    @property
    def owns(self) -> bool:
        return self.role == "owner"


class Gate:
    """Signs links, and reads what requests carry.

    Links are signed with the owner's token, so that they outlive a restart, and end all at once when it is changed.
    """

    def __init__(self, settings: ServiceSettings) -> None:
        self._token = settings.token
        self._secret = (settings.token or secrets.token_urlsafe()).encode()

    def link_token(self, study: str, by: str, role: Role, expires: int) -> str:
        """What a link carries; it is good until `expires`, in seconds since 1970."""
        said = json.dumps([study, by, role, expires]).encode()
        return f"{_text(said)}.{self._sign('link', said)}"

    def everybody(self, request: Request) -> list[Who]:
        """Whom this request may come from, the likeliest first: one browser may have a labeller's link and the owner's.

        What a browser writes must carry what only our pages know, for it sends cookies along whosever page it shows.
        """
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        if given:
            if kind.lower() != "bearer":
                raise HTTPException(401, _NOBODY)
            return [self._read(given.strip())]
        found, trouble = [], HTTPException(401, _NOBODY)
        for name in (cookie_of(_study_of(request)), cookie_of(None)):
            if name in request.cookies:
                try:
                    found.append(self._read(request.cookies[name]))
                except HTTPException as error:
                    trouble = error
        if self._token is None:
            found.append(self._local(request))
        if not found:
            raise trouble
        if request.method in _SAFE:
            return found
        sent = request.headers.get("x-csrf-token", "").encode()
        found = [one for one in found if hmac.compare_digest(sent, one.csrf.encode())]
        if not found:
            raise HTTPException(403, "This was not sent by a page of this service (X-CSRF-Token); load the page again.")
        return found

    def enter(self, request: Request) -> Response | None:
        """The answer to a link that carries a token: a cookie, and the same address without it."""
        given = request.query_params.get("token")
        if given is None or request.method != "GET" or request.url.path.startswith("/api/"):
            return None
        found = self._read(given)
        address = str(request.url.remove_query_params("token").replace(scheme="", netloc=""))
        address = "/" + address.lstrip("/\\")  # never to another host
        out: Response = RedirectResponse(address, 303)
        if request.headers.get("sec-fetch-site") == "cross-site":
            # a browser keeps a strict cookie back for as long as one comes from elsewhere, such as from a mail:
            # it is this page of ours that leads on
            shown = address.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
            out = HTMLResponse(f'<!doctype html><meta http-equiv="refresh" content="0; url={shown}"><title>…</title>')
        secure = request.url.scheme == "https"
        out.set_cookie(cookie_of(found.study), given, httponly=True, samesite="strict", secure=secure, path="/")
        return out

    def _read(self, given: str) -> Who:
        token = self._token
        if token is not None and hmac.compare_digest(given.encode(), token.encode()):
            return Who(OWNER, "owner", None, self._sign("csrf", given.encode()))
        said, _, signature = given.partition(".")
        try:
            content = base64.urlsafe_b64decode(said + "=" * (-len(said) % 4))
        except ValueError:
            raise HTTPException(401, "This link or token is not known here; ask the study's owner for one.") from None
        if not hmac.compare_digest(self._sign("link", content).encode(), signature.encode()):
            raise HTTPException(401, "This link or token is not known here; ask the study's owner for one.")
        study, by, role, expires = json.loads(content)
        if expires <= time.time():
            raise HTTPException(401, "This link has ended; ask the study's owner for a new one.")
        return Who(by, role, study, self._sign("csrf", given.encode()))

    def _local(self, request: Request) -> Who:
        """Whoever is at this machine, where no token is set; not a page of others that a browser here has open."""
        host = request.url.hostname or ""
        if not is_loopback(host):
            raise HTTPException(
                403, f"This service answers to this machine's own names, such as localhost, not {host}."
            )
        return Who(OWNER, "owner", None, self._sign("csrf", b"local"))

    def _sign(self, use: str, said: bytes) -> str:
        return _text(hmac.new(self._secret, use.encode() + b"\0" + said, hashlib.sha256).digest())


def _text(said: bytes) -> str:
    return base64.urlsafe_b64encode(said).rstrip(b"=").decode()


def cookie_of(study: str | None) -> str:
    """The cookie of somebody with access to one study, or to all; a browser may have links to several."""
    return "fewlabels" if study is None else f"fewlabels_{hashlib.sha256(study.encode()).hexdigest()[:16]}"


def _study_of(request: Request) -> str | None:
    found: str | None = request.path_params.get("name", request.path_params.get("study"))
    return found


async def everybody(request: Request) -> list[Who]:
    """Whom the request may come from: those with access to the study that is meant."""
    gate: Gate = request.app.state.gate
    study = _study_of(request)
    found = [one for one in gate.everybody(request) if study is None or one.study in (None, study)]
    if not found:
        raise HTTPException(403, "This link is for another study; ask this one's owner for access.")
    return found


async def who(found: Annotated[list[Who], Depends(everybody)]) -> Who:
    """Whoever asks for the study that is meant."""
    return found[0]


async def owner(found: Annotated[list[Who], Depends(everybody)]) -> Who:
    """The owner of the study that is meant."""
    owners = [one for one in found if one.owns]
    if not owners:
        raise HTTPException(403, "Only the study's owner may do this.")
    return owners[0]


async def owner_of_all(found: Annotated[list[Who], Depends(everybody)]) -> Who:
    """The owner of the service."""
    owners = [one for one in found if one.owns and one.study is None]
    if not owners:
        raise HTTPException(403, "Only the owner of this service may do this.")
    return owners[0]


IsHere: TypeAlias = Annotated[Who, Depends(who)]
IsOwner: TypeAlias = Annotated[Who, Depends(owner)]
IsOwnerOfAll: TypeAlias = Annotated[Who, Depends(owner_of_all)]


class GuardedHeaders:
    """Adds to each answer what keeps a browser from being used against us, unless the answer says otherwise."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._headers = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                there: list[Any] = list(message["headers"])
                names = {name.lower() for name, _ in there}
                message["headers"] = there + [pair for pair in self._headers if pair[0] not in names]
            await send(message)

        await self._app(scope, receive, sending if scope["type"] == "http" else send)
