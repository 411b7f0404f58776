"""Cost of fetching result pages: `python benchmarks/fetching.py [--sources N]`.

A server on loopback has a page for each source. CPU time of four rounds over all sources, the server's own taken off:
the first one, which stores every page; one in which the server says that nothing has changed; one in which it sends
the same pages again; one in which all of them have a new number. Each is a ratio to asking for the same pages with
httpx alone and throwing them away.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from pipelines.ingest.fetching import fetch_sources
from pipelines.ingest.http import Limits
from pipelines.ingest.registry import read_source, register
from pipelines.settings import PROJECT

sys.path.insert(0, str(PROJECT / "tests"))

from loopback import Handler, Server, serve

SOURCES, ROWS = 100, 200
QUICK = Limits(pause_s=0.0, tries=1)


def page(source: int, round_number: int) -> bytes:
    """A page of results of ROWS rows, 12 kB."""
    rows = "\n".join(
        f"| ViT-{row} | Bow Pod16 | BF16 | {row + 1} | {1000 * source + row}.{round_number} |" for row in range(ROWS)
    )
    head = "| Model | Platform | Precision | Batch size | Throughput (items/sec) |\n| --- | --- | --- | --- | --- |"
    return f"# Results of {source}\n\n{head}\n{rows}\n".encode()


class Site:
    """The pages of one round, and what the server spends on sending them."""

    def __init__(self, server: Server, sources: int) -> None:
        self._server, self._sources = server, sources
        self.served_s = 0.0
        self._lock = threading.Lock()

    def show(self, round_number: int, *, validates: bool) -> None:
        """Put the pages of a round in place; `validates` answers 304 to whoever has them."""
        for source in range(self._sources):
            body, tag = page(source, round_number), f'"{source}-{round_number}"'
            self._server.replies[f"/{source}"] = self._reply(body, tag if validates else None)

    def _reply(self, body: bytes, tag: str | None) -> Callable[[Handler], None]:
        def reply(handler: Handler) -> None:
            started = time.thread_time()
            if tag is not None and handler.headers.get("If-None-Match") == tag:
                handler.send(304, ETag=tag)
            else:
                handler.send(200, body, Content_Type="text/markdown", **({"ETag": tag} if tag else {}))
            with self._lock:
                self.served_s += time.thread_time() - started

        return reply


@contextmanager
def measured(site: Site, figures: dict[str, float], name: str) -> Iterator[None]:
    site.served_s, started = 0.0, time.process_time()
    yield
    figures[name] = time.process_time() - started - site.served_s


async def ask(url: str, sources: int) -> None:
    """Every page once, by httpx alone."""
    async with httpx.AsyncClient() as client:
        for source in range(sources):
            (await client.get(f"{url}/{source}")).raise_for_status()


def main() -> None:
    """Print CPU time a page and the ratio to httpx alone."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=int, default=SOURCES)
    sources = parser.parse_args().sources
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder, serve() as server:
        raw, site = Path(folder) / "raw", Site(server, sources)
        site.show(1, validates=True)
        names = [f"acme/{source}" for source in range(sources)]
        for source, name in enumerate(names):
            register(raw, name, f"{server.url}/{source}", allow_hosts=["127.0.0.1"])

        def fetch(name: str, expected: str) -> None:
            with measured(site, figures, name):
                attempts = fetch_sources([read_source(raw, one) for one in names], raw, QUICK)
            if wrong := [attempt for attempt in attempts if attempt.outcome != expected]:
                raise SystemExit(f"{len(wrong)} of {sources} pages were not {expected}: {wrong[0].reason}")

        with measured(site, figures, "httpx alone"):
            asyncio.run(ask(server.url, sources))
        fetch("first, all stored", "changed")
        fetch("nothing new, says the server", "unchanged")
        site.show(1, validates=False)
        fetch("nothing new, sent again", "unchanged")
        site.show(2, validates=False)
        fetch("a new number in each", "changed")
    alone = figures["httpx alone"]
    print(f"{sources} sources, a page of {ROWS} rows each")
    for name, seconds in figures.items():
        print(f"{name:30} {1000 * seconds / sources:7.1f} ms a page  {seconds / alone:6.2f}")


if __name__ == "__main__":
    main()
