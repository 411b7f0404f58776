"""Manners towards one host: a request at a time, a pause between two, and the rules of its robots.txt once read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from protego import Protego


class Host:
    """The turns of one host, and the rules it has stated.

    Attributes:
        robots: Rules by origin (`https://example.org:443`); None where everything is allowed.
        delay_s: Pause that its robots.txt asks for.
    """

    def __init__(self) -> None:
        self.robots: dict[str, Protego | None] = {}
        self.delay_s = 0.0
        self.reading = asyncio.Lock()
        self._turn = asyncio.Lock()
        self._ended_at = -float("inf")

    @asynccontextmanager
    async def turn(self, pause_s: float) -> AsyncIterator[None]:
        """The next turn: it comes when the one before has ended and the pause is over."""
        async with self._turn:
            clock = asyncio.get_running_loop().time
            await asyncio.sleep(max(0.0, self._ended_at + max(pause_s, self.delay_s) - clock()))
            try:
                yield
            finally:
                self._ended_at = clock()


class Hosts:
    """All hosts of one round of fetching, by name."""

    def __init__(self) -> None:
        self._hosts: dict[str, Host] = {}

    def __getitem__(self, name: str) -> Host:
        return self._hosts.setdefault(name.casefold(), Host())
