"""A real S3 server on loopback: moto's, in a process of its own, with a log of requests and
switches for faults.

It answers one request after the other: S3 looks at the condition of a put and puts at once, moto in
two steps.

    python s3_server.py    prints its port
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

# Requests of the tests to the server itself, not to S3.
_REQUESTS, _FAULT = "/_tests/requests", "/_tests/fault"


@dataclass(frozen=True)
class S3Server:
    """A running server; buckets are made by whoever uses it."""

    url: str

    def requests(self) -> list[str]:
        """The requests since the last call: `GET /bucket/key`, `LIST /bucket` for listings."""
        found: list[str] = httpx.get(self.url + _REQUESTS, trust_env=False).json()
        return found

    @contextmanager
    def fault(self, name: str) -> Iterator[None]:
        """While it lasts: `no conditions` ignores them, `denied` answers 403."""
        httpx.put(self.url + _FAULT, content=name, trust_env=False)
        try:
            yield
        finally:
            httpx.put(self.url + _FAULT, content="", trust_env=False)


@contextmanager
def running_server() -> Iterator[S3Server]:
    # moto takes credentials from the environment, and looks for none elsewhere.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    process = subprocess.Popen(
        [sys.executable, __file__],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    )
    assert process.stdout
    try:
        yield S3Server(f"http://127.0.0.1:{int(process.stdout.readline())}")
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def serve() -> None:
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug import Request, Response
    from werkzeug.serving import make_server

    s3 = DomainDispatcherApplication(create_backend_app)
    log: list[str] = []
    faults = [""]

    def application(environ, start_response):  # type: ignore[no-untyped-def]
        request = Request(environ)
        if request.path == _REQUESTS:
            answer = Response(json.dumps(log), mimetype="application/json")
            log.clear()
            return answer(environ, start_response)
        if request.path == _FAULT:
            faults[0] = request.get_data(as_text=True)
            return Response("")(environ, start_response)
        log.append(f"{'LIST' if 'list-type' in request.args else request.method} {request.path}")
        if faults[0] == "denied":
            error = "<Error><Code>AccessDenied</Code><Message>Access Denied: secret-of-the-server</Message></Error>"
            return Response(error, 403, mimetype="application/xml")(environ, start_response)
        if faults[0] == "no conditions":
            for header in ("HTTP_IF_MATCH", "HTTP_IF_NONE_MATCH"):
                environ.pop(header, None)
        return s3(environ, start_response)

    server = make_server("127.0.0.1", 0, application, threaded=False)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    sys.path = [path for path in sys.path if path != str(Path(__file__).parent)]
    serve()
