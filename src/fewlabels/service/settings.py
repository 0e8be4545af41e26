"""What a service is told when it starts."""

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path

from fewlabels.errors import QuestionError
from fewlabels.storages import Storage

SHORTEST_TOKEN = 16  # characters: links are signed with it, and whoever has one could guess a short token at leisure
LEASE = 15 * 60.0  # seconds an item is a labeller's: somebody who closed the page does not hold it for long


@dataclass(frozen=True)
class ServiceSettings:
    """Which studies are served, where, and to whom."""

    storage: str | Storage
    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = field(default=None, repr=False)  # the owner's; without one whoever is at this machine is owner
    pools: Path | None = None  # new studies are made from files in this folder, and from no others
    show_guess: bool = False  # whether labellers see what the model says
    lease: float = LEASE

    def __post_init__(self) -> None:
        if self.token is not None and len(self.token) < SHORTEST_TOKEN:
            raise QuestionError(
                f"a token has at least {SHORTEST_TOKEN} characters, so that nobody guesses it; this one has "
                f"{len(self.token)}. Make one with: python -c 'import secrets; print(secrets.token_urlsafe())'"
            )
        if self.token is None and not is_loopback(self.host):
            raise QuestionError(
                f"address {self.host} can be reached from other machines, and without a token whoever reaches it owns "
                "all studies: add --token (or FEWLABELS_TOKEN), or leave --host out."
            )


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"
