"""The server of `pqexplore view`: jupyter_server on loopback, which offers the explorer and nothing else."""

from __future__ import annotations

import os
import secrets
import threading
import webbrowser
from collections.abc import Callable
from typing import Any

from jupyter_server.auth.authorizer import Authorizer
from jupyter_server.serverapp import ServerApp
from traitlets.config import Config

from pqexplore.app.extension import ViewApp
from pqexplore.app.handlers import RESOURCE
from pqexplore.app.process import Asked, Process


class OnlyTheExplorer(Authorizer):
    """Allows to read what is the explorer's."""

    def is_authorized(self, handler: object, user: object, action: str, resource: str) -> bool:
        """Nothing is written, no code is run, no other file is read."""
        return action == "read" and resource == RESOURCE


ALLOWED = ("pqexplore.app.", "jupyter_server.auth.login", "jupyter_server.auth.logout")
"""Modules whose handlers answer; and those of style sheets."""


class ViewServer(ServerApp):
    """A server without kernels, terminals, contents and settings of the user; it leaves no file behind."""

    default_services = ("auth",)  # type: ignore[assignment]

    def only_the_explorer(self) -> None:
        """Take away what jupyter_server answers always: its figures, files, and redirects."""
        for router in (self.web_app.wildcard_router, *(rule.target for rule in self.web_app.default_router.rules)):
            rules = getattr(router, "rules", [])
            rules[:] = [rule for rule in rules if self._allowed(rule.target)]

    @staticmethod
    def _allowed(target: object) -> bool:
        if not isinstance(target, type):
            return True  # a router
        return target.__module__.startswith(ALLOWED) or target.__name__ in ("FileFindHandler", "Template404")

    def load_config_file(self, *_: Any, **__: Any) -> None:
        """The user's settings are for another server: they may open it to the network."""

    def write_server_info_file(self) -> None:
        """Nobody looks for this server, and the file would hold its token."""


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    return [{"module": "pqexplore.app.serve", "app": ViewApp}]


def serve(
    source: Asked, title: str, begun: Process | None, *, port: int, browser: bool, say: Callable[[str], None]
) -> None:
    """Serve the explorer of `source` (`ViewApp.source`) until it is interrupted. `say` gets the page's address.

    `port` is the one to use, 0 for a free one. OSError if that is taken.
    """
    token = secrets.token_hex(24)
    config = Config()
    config.ServerApp = Config(
        ip="127.0.0.1",
        port=port,
        port_retries=0,
        allow_root=True,  # it runs no code of a user
        open_browser=False,
        answer_yes=True,
        terminals_enabled=False,
        authorizer_class=OnlyTheExplorer,
        cookie_secret=secrets.token_bytes(32),
        jpserver_extensions={"pqexplore.app.serve": True},
        log_level="ERROR",
        root_dir=os.path.abspath(os.sep),
        default_url=ViewApp.extension_url + "/view/",
    )
    config.IdentityProvider = Config(token=token)
    ViewApp.source, ViewApp.begun, ViewApp.title = source, begun, title
    server = ViewServer.instance(config=config)
    server.no_browser_open_file = True
    server.initialize(argv=[], find_extensions=False)
    server.only_the_explorer()
    url = f"http://127.0.0.1:{server.port}/pqexplore/view/?token={token}"

    def listens() -> None:
        say(url)
        if browser:
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

    server.io_loop.add_callback(listens)  # its own callback, which was added before, binds the port
    server.start()
