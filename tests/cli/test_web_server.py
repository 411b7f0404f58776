"""What the web server of `benchledger ui` adds to Dagster's: its start page, and the site."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from pipelines.cli.ui import place_of_site
from pipelines.cli.web_server import add_pages
from pipelines.settings import FILE_NAME, SITE_LIST, START_PAGE

PREFIX = "/0123456789abcdef"
PAGE = '<body>\n<main id="content">\n<h1>Answers</h1>\n</main>'
OLDER = "the site is older than the warehouse: `benchledger report` renews it"


def of_dagster(request: object) -> PlainTextResponse:
    return PlainTextResponse("Dagster's")


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    """A client of an application that stands where Dagster's does."""
    app = Starlette(routes=[Mount(PREFIX, routes=[Route("/{path:path}", of_dagster)])])
    add_pages(app, PREFIX, tmp_path)
    return TestClient(app)


def write(warehouse: Path) -> None:
    """A site that was written after the warehouse was built."""
    (warehouse / FILE_NAME).write_text("results")
    os.utime(warehouse / FILE_NAME, (1, 1))
    (warehouse / START_PAGE.parent).mkdir()
    (warehouse / START_PAGE).write_text(PAGE)
    (warehouse / SITE_LIST).touch()


def test_the_ui_opens_on_the_lineage(client: TestClient) -> None:
    for path in ("/", PREFIX, f"{PREFIX}/"):
        answer = client.get(path, follow_redirects=False)
        assert answer.headers["location"] == f"{PREFIX}/asset-groups"
    assert client.get(PREFIX).text == "Dagster's"
    assert client.get(f"{PREFIX}/graphql").text == "Dagster's"


def test_the_site_is_served_beside_the_ui_as_it_is_now(client: TestClient, tmp_path: Path) -> None:
    start = f"{PREFIX}/site/index.html"
    assert place_of_site(tmp_path, PREFIX) == f"`benchledger report` writes {tmp_path / START_PAGE}"
    answer = client.get(start)
    assert (answer.status_code, "`benchledger report` writes it" in answer.text) == (404, True)

    write(tmp_path)
    assert place_of_site(tmp_path, PREFIX) == f"{PREFIX}/site/index.html"
    answer = client.get(start)
    assert (answer.text, answer.status_code) == (PAGE, 200)
    missing = client.get(f"{PREFIX}/site/source/new.html")
    assert (missing.status_code, "`benchledger report` writes" in missing.text) == (404, True)
    for outside in (f"../{FILE_NAME}", f"%2e%2e/{FILE_NAME}"):
        assert "results" not in client.get(f"{PREFIX}/site/{outside}").text


def test_a_site_that_is_older_than_the_warehouse_says_so(
    client: TestClient, tmp_path: Path
) -> None:
    write(tmp_path)
    start = f"{PREFIX}/site/index.html"
    tag = client.get(start).headers["etag"]
    os.utime(tmp_path / FILE_NAME)
    os.utime(tmp_path / SITE_LIST, (2, 2))
    assert place_of_site(tmp_path, PREFIX) == f"{PREFIX}/site/index.html ({OLDER})"
    # A browser that has the page asks whether it is unchanged.
    answer = client.get(start, headers={"If-None-Match": tag})
    assert answer.text == PAGE.replace(
        '<main id="content">', f'<main id="content"><p><strong>{OLDER}</strong></p>'
    )
    assert (tmp_path / START_PAGE).read_text() == PAGE
