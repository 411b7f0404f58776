"""A real HTTP server on loopback that behaves as a test tells it to, and remembers what it was
asked.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Reply = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.asked.append(
            (
                time.monotonic(),
                self.path,
                {name.lower(): value for name, value in self.headers.items()},
            )
        )
        self.server.replies.get(self.path.partition("?")[0], not_found)(self)

    def do_POST(self) -> None:
        self.server.posted.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.do_GET()

    def send(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if "Content_Length" not in headers and "Transfer_Encoding" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies: dict[str, Reply] = {}
        self.asked: list[tuple[float, str, dict[str, str]]] = []
        self.posted: list[bytes] = []

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is what these tests are about."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def paths(self) -> list[str]:
        return [path for _, path, _ in self.asked if path != "/robots.txt"]


def not_found(handler: Handler) -> None:
    handler.send(404, b"no such page", Content_Type="text/plain")


def text(body: str, **headers: str) -> Reply:
    """Answers with a page of text."""
    return lambda handler: handler.send(
        200, body.encode(), **({"Content_Type": "text/plain"} | headers)
    )


@contextmanager
def serve() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    )
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
