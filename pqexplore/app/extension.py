"""The extension of jupyter_server: which documents may be opened, and within which limits."""

from __future__ import annotations

import os
from typing import ClassVar

from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.extension.application import ExtensionApp
from traitlets import Int, Unicode

from pqexplore.app import root
from pqexplore.app.handlers import About, DocumentSocket, Page, Script
from pqexplore.app.process import MEMORY, SECONDS, Asked, Process

LONGEST_NAME = 1_000


class ParquetApp(ExtensionApp):
    """Opens the Parquet files, and the folders of them, below the root of a Jupyter server. It reads, and writes nothing."""

    name = "pqexplore"
    extension_url = "/pqexplore"
    title = ""
    """What the page of no path shows; "" where there is none."""

    max_documents = Int(16, help="How many documents may be open at once.").tag(config=True)
    memory = Int(MEMORY, help="Bytes of memory that the process of a document may take.").tag(config=True)
    seconds = Int(SECONDS, help="Seconds of CPU that the process of a document may take.").tag(config=True)
    default_url = Unicode("/pqexplore/view/").tag(config=True)

    @classmethod
    def get_extension_package(cls) -> str:
        """The package that has this extension: jupyter_server takes the first part of its name otherwise."""
        return "pqexplore.app"

    def initialize_handlers(self) -> None:
        """Add what is answered below /pqexplore/."""
        self.documents: set[DocumentSocket] = set()
        own = {"app": self}
        self.handlers += [
            (r"/pqexplore/api/socket", DocumentSocket, own),
            (r"/pqexplore/api/about", About),
            (r"/pqexplore/view/?", Page, own),
            (r"/pqexplore/view/(.+)", Page, own),
            (r"/pqexplore/static/([a-z.]+)", Script),
        ]

    def started(self, socket: JupyterHandler) -> Process:
        """The process of the document that a socket asks for by `path`. OutsideError where that may not be opened."""
        manager = socket.contents_manager
        folder = getattr(manager, "root_dir", "")
        path = socket.get_argument("path", "", strip=False)
        if not folder or not path.strip("/"):  # the files are not of this machine; all of them are no document
            raise root.OutsideError(path)
        return self.process_below(folder, path, hidden=bool(manager.allow_hidden))

    def process_below(self, folder: str, path: str, *, hidden: bool = False) -> Process:
        """The process of what `path` names below a folder."""
        found = root.opened(folder, path, hidden=hidden)
        return self.process(
            {"kind": "folder" if found.descriptor is None else "file", "path": found.path}, found.descriptor
        )

    def process(self, asked: Asked, descriptor: int | None = None) -> Process:
        """A process within the limits."""
        return Process(asked, descriptor, memory=self.memory, seconds=self.seconds)

    def current_activity(self) -> dict[str, int] | None:
        """The open documents: as long as there are some, the server does not end by itself."""
        return {"documents": len(self.documents)} if getattr(self, "documents", None) else None

    async def stop_extension(self) -> None:
        """End all processes."""
        for one in list(getattr(self, "documents", ())):
            one.on_close()


class ViewApp(ParquetApp):
    """What `pqexplore view` serves: one file, one folder or one URL, and files that are dropped into its page."""

    source: ClassVar[Asked]
    """What to open: a file, a folder or a URL. It is set before the server starts."""

    begun: Process | None = None
    """The process of the source, started while the server was being loaded; the first page takes it."""

    def started(self, socket: JupyterHandler) -> Process:
        """The process of the source, of a file below it if it is a folder, or of a file that was dropped."""
        name, size = socket.get_argument("dropped", ""), socket.get_argument("size", "")
        if name:
            if not size.isdecimal() or len(size) > 16:
                raise root.OutsideError(name)
            name = os.path.basename(name.replace("\\", "/"))[:LONGEST_NAME]
            return self.process({"kind": "dropped", "path": name, "size": int(size)})
        path = socket.get_argument("path", "", strip=False).strip("/")
        kind, where = self.source["kind"], self.source["path"]
        if not path and self.begun is not None:
            begun, self.begun = self.begun, None
            return begun
        if kind == "folder":
            return self.process_below(where, path)
        if path:
            raise root.OutsideError(path)
        if kind == "url":
            return self.process(self.source)
        return self.process_below(os.path.dirname(where), os.path.basename(where), hidden=True)

    async def stop_extension(self) -> None:
        """End all processes, also one that no page has taken."""
        await super().stop_extension()
        if self.begun is not None:
            self.begun.end()
