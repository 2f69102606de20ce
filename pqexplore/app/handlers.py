"""What the server answers: the socket of a document, the page around it, and the scripts of both."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import hashlib
import html
import json
import os
import pathlib
import urllib.parse
from typing import Any, Protocol

from jupyter_server.auth.decorator import authorized, ws_authenticated
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.base.websocket import WebSocketMixin
from jupyter_server.utils import ensure_async, url_path_join
from tornado import web
from tornado.websocket import WebSocketClosedError, WebSocketHandler

import pqexplore.widget
from pqexplore.app import frames, root
from pqexplore.app.process import Process

STATIC = pathlib.Path(pqexplore.widget.__file__).parent / "static"

RESOURCE = "pqexplore"
"""The name under which an authorizer is asked for what is here."""

TEXT_BYTES = 1 << 20
"""No message of a browser in text is longer."""

ENDED, TOO_MANY, NOT_FOUND = 4001, 4002, 4004
"""Codes with which a socket is closed: its process ended, too many documents are open, there is nothing to open."""

NOWHERE = "There is no such file or folder below the folder of this server, or a link leads out of it."

SCRIPTS = {
    "index.js": "text/javascript",
    "index.css": "text/css",
    "window.css": "text/css",
    "app.css": "text/css",
    "app.js": "text/javascript",
    "view.js": "text/javascript",
}
"""What a page may load."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'"
)
"""Of the page: its own scripts, styles and socket, and nothing else."""


class Documents(Protocol):
    """What the server has and allows (`extension.ParquetApp`)."""

    title: str
    documents: set[DocumentSocket]
    max_documents: int

    def started(self, socket: JupyterHandler) -> Process:
        """The process of the document that a socket asks for. OutsideError where that may not be opened."""


def version() -> str:
    """A name that changes with the scripts."""
    made = hashlib.sha256()
    for name in SCRIPTS:
        made.update((STATIC / name).read_bytes())
    return made.hexdigest()[:16]


class DocumentSocket(WebSocketMixin, WebSocketHandler, JupyterHandler):
    """A document: the messages of its process and of the page, in both directions."""

    auth_resource = RESOURCE
    process: Process | None = None

    def initialize(self, app: Documents) -> None:
        """The application has what the user allows."""
        self.app = app

    def set_default_headers(self) -> None:
        """None: this is no page."""

    def get_compression_options(self) -> Any:
        """Those of the server."""
        return self.settings.get("websocket_compression_options")

    def check_origin(self, origin: str | None = None) -> bool:
        """Whether the page is of this server. jupyter_server does not ask that of a request with a token; this does."""
        origin = origin or self.get_origin()
        return super().check_origin(origin) and (origin is None or self._own(origin))

    def _own(self, origin: str) -> bool:
        allowed = bool(self.allow_origin or self.allow_origin_pat)  # the user's settings name others: they were checked
        return allowed or urllib.parse.urlparse(origin.lower()).netloc == self.request.headers.get("Host", "").lower()

    @ws_authenticated
    async def get(self) -> None:
        """Connect, if the user may read here, and the page is of this server."""
        if not await ensure_async(self.authorizer.is_authorized(self, self.current_user, "read", RESOURCE)):
            raise web.HTTPError(403)
        if not self.check_origin():
            raise web.HTTPError(403)
        await super().get()

    async def open(self) -> None:
        """Start the process of what is asked for."""
        super().open()
        if len(self.app.documents) >= self.app.max_documents:
            self.close(TOO_MANY, f"{self.app.max_documents} documents are open; close one")
            return
        try:
            self.process = self.app.started(self)
        except (root.OutsideError, OSError):
            self.close(NOT_FOUND, NOWHERE)
            return
        self.app.documents.add(self)
        loop = asyncio.get_running_loop()

        def heard(message: bytes | None) -> None:
            with contextlib.suppress(RuntimeError, concurrent.futures.CancelledError):  # the server ends
                asyncio.run_coroutine_threadsafe(self._heard(message), loop).result()

        self.process.listen(heard)

    async def _heard(self, message: bytes | None) -> None:
        """Pass on what the process says; a slow page holds it back."""
        try:
            if message is None:
                self.close(ENDED, "the process that read the file has ended")
            else:
                await self.write_message(message, binary=True)
        except WebSocketClosedError:
            self.on_close()

    def on_message(self, message: str | bytes) -> None:
        """Pass on what the page says."""
        if self.process is None:
            return
        try:
            if isinstance(message, bytes):
                self.process.put(frames.BINARY, message)
            elif len(message) <= TEXT_BYTES:
                self.process.tell(json.loads(message))
            else:
                self.close(1009, "the message is too long")
        except (OverflowError, RecursionError, ValueError):
            self.close(1008, "these messages are not those of the explorer")

    def on_close(self) -> None:
        """The page has gone: so does the process."""
        self.app.documents.discard(self)
        if self.process is not None:
            self.process.end()


class Page(JupyterHandler):
    """The page of one document, for a browser without Jupyter around it."""

    auth_resource = RESOURCE

    def initialize(self, app: Documents) -> None:
        """The application has what the user allows."""
        self.app = app

    def set_default_headers(self) -> None:
        """No script, style or request but to this server."""
        super().set_default_headers()
        self.set_header("Content-Security-Policy", POLICY)
        self.set_header("Referrer-Policy", "no-referrer")
        self.set_header("Cache-Control", "no-store")

    @web.authenticated
    @authorized
    async def get(self, path: str = "") -> None:
        """The page. What the document is, the socket says."""
        name = os.path.basename(path.rstrip("/")) or self.app.title or "Parquet"
        own = url_path_join(self.base_url, "pqexplore")
        files = f"{own}/static"
        at = version()
        self.finish(
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(name)} – pqexplore</title>'
            '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
            f'<link rel="stylesheet" href="{files}/window.css?v={at}">'
            f'<script type="module" src="{files}/view.js?v={at}"></script></head>'
            f'<body><main id="pqx-app" data-own="{html.escape(own)}" data-path="{html.escape(path)}" data-version="{at}"'
            f' data-begun="{html.escape(self.app.title)}"></main></body></html>'
        )


class Script(JupyterHandler):
    """A script or style sheet of the package."""

    auth_resource = RESOURCE

    @web.authenticated
    @authorized
    async def get(self, name: str) -> None:
        """One of `SCRIPTS`, which a browser keeps as long as its address is the same."""
        if name not in SCRIPTS:
            raise web.HTTPError(404)
        self.set_header("Content-Type", f"{SCRIPTS[name]}; charset=utf-8")
        self.set_header(
            "Cache-Control", "private, max-age=31536000, immutable" if self.get_argument("v", "") else "no-cache"
        )
        self.finish((STATIC / name).read_bytes())


class About(JupyterHandler):
    """Where JupyterLab's part finds the scripts."""

    auth_resource = RESOURCE

    @web.authenticated
    @authorized
    async def get(self) -> None:
        """The name of the present scripts."""
        self.finish({"version": version()})
