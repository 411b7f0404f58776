"""Manners towards one host: a request at a time, a pause between two, and the rules of its robots.txt once read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from protego import Protego

if TYPE_CHECKING:
    from pipelines.ingest.http import FetchError


class Host:
    """The turns of one host, and the rules it has stated.

    Attributes:
        robots: Rules by origin (`https://example.org:443`); None where everything is allowed,
            and an error where they cannot be read.
        delay_s: Pause that its robots.txt asks for.
    """

    def __init__(self) -> None:
        self.robots: dict[str, Protego | FetchError | None] = {}
        self.delay_s = 0.0
        self.reading = asyncio.Lock()
        self._turn = asyncio.Lock()
        self._ended_at = self._held_until = -float("inf")

    def hold(self, seconds: float) -> None:
        """Let no turn begin for so long: the server asked to wait, whoever of us it said it to."""
        self._held_until = max(self._held_until, asyncio.get_running_loop().time() + seconds)

    @asynccontextmanager
    async def turn(self, pause_s: float) -> AsyncIterator[None]:
        """The next turn: it comes when the one before has ended and the pause is over."""
        async with self._turn:
            clock = asyncio.get_running_loop().time
            begins_at = max(self._held_until, self._ended_at + max(pause_s, self.delay_s))
            await asyncio.sleep(max(0.0, begins_at - clock()))
            try:
                yield
            finally:
                self._ended_at = clock()


class Hosts:
    """All hosts of one round of fetching, by name."""

    def __init__(self) -> None:
        self._hosts: dict[str, Host] = {}

    def __getitem__(self, name: str) -> Host:
        return self._hosts.setdefault(name.rstrip(".").casefold(), Host())
