"""Dagster's web server as `benchledger ui` starts it: it opens on the lineage, serves the site beside
the UI, and lets no page show either in a frame.
"""

from __future__ import annotations

import html
import os
from pathlib import Path
from typing import Any

import uvicorn
from dagster_webserver.cli import main
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from pipelines.settings import START_PAGE, warehouse_folder
from pipelines.site_links import site_note

# In a frame a click could be led to a button of the UI.
_HEADERS = [("Content-Security-Policy", "frame-ancestors 'none'")]
# Where the content of a page of the site begins.
_CONTENT = '<main id="content">'
_run = uvicorn.run


class Site(StaticFiles):
    """The site of a warehouse: as it is at each request, with a note where it is not of this
    warehouse.
    """

    def __init__(self, warehouse: Path) -> None:
        super().__init__(directory=warehouse / START_PAGE.parent, check_dir=False)
        self._warehouse = warehouse

    async def check_config(self) -> None:
        """The site may be written later."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file of the site, or what to do where there is none."""
        note = site_note(self._warehouse)
        # A page without its note may be in the browser's memory.
        asked = {**scope, "headers": []} if note else scope
        try:
            answer = await super().get_response(path, asked)
        except HTTPException as error:
            if error.status_code != 404:
                raise
            words = note or "the site has no such page: `benchledger report` writes what is new"
            return HTMLResponse(f"<p>{html.escape(words)}</p>", 404)
        if note and isinstance(answer, FileResponse) and answer.media_type == "text/html":
            page = Path(answer.path).read_text("utf-8")
            noted = f"{_CONTENT}<p><strong>{html.escape(note)}</strong></p>"
            return HTMLResponse(page.replace(_CONTENT, noted, 1))
        return answer


def add_pages(app: Starlette, prefix: str, warehouse: Path) -> None:
    """Have an application of Dagster redirect its start page, and serve the site under `site/`."""

    def lineage(request: Request) -> Response:
        return RedirectResponse(f"{prefix}/asset-groups")

    starts = [Route(path, lineage) for path in ("/", prefix, f"{prefix}/")]
    app.routes[:0] = [*starts, Mount(f"{prefix}/site", Site(warehouse))]


def _serve(app: Starlette, **settings: Any) -> None:
    add_pages(app, os.environ["DAGSTER_WEBSERVER_PATH_PREFIX"], warehouse_folder())
    _run(app, headers=_HEADERS, **settings)


if __name__ == "__main__":
    # Dagster's command has no option for any of it.
    uvicorn.run = _serve  # type: ignore[assignment]
    main()  # type: ignore[no-untyped-call]
