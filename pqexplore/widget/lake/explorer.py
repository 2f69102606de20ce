"""The lake explorer: all files of a lake first, then one of them, in the file explorer, at the right address.

Like the file explorer it is thin: the browser asks, and gets aggregates and a few thousand rows at most. What is shared
with it is where one is: the panel, the filters, the open file and the selection in it.
"""

from __future__ import annotations

import os
import pathlib
import threading
from collections.abc import Callable
from typing import Any

import anywidget
import traitlets

from pqexplore.engine.encryption.keys import Decryption
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file import ParquetFile
from pqexplore.engine.file import open as open_file
from pqexplore.lake.answers.filters import Filters, ask, literal
from pqexplore.widget import rpc, sheet
from pqexplore.widget.explorer import STATIC
from pqexplore.widget.lake.panels import LAKE, STORE, Desk
from pqexplore.widget.operations import OPERATIONS


def explore_lake(
    source: Any,
    *,
    spark: Any = None,
    decryption: Decryption | None = None,
    progress: Callable[[Any], None] | bool | None = None,
) -> LakeExplorer:
    """Show what is known of many files, or a Metadatastore of their indexes.

    `source` is a `Lake`, a folder that one was stored in, a `metadatastore.Store` or its folder; or what
    `pqexplore.lake.scan` takes, which is scanned first (with `progress=True` for a line that tells how far it is).
    `decryption` has the keys of files that are opened from here, and of an encrypted Metadatastore.

    Raises UsageError where `source` is none of these.
    """
    from pqexplore.lake.lake import Lake, scan
    from pqexplore.lake.metadatastore import Store

    if isinstance(source, (Lake, Store)):
        return LakeExplorer(source, decryption=decryption)
    if isinstance(source, (str, os.PathLike)) and os.path.isdir(source):
        known = _stored(os.fspath(source), spark, decryption)
        if known is not None:
            return LakeExplorer(known, decryption=decryption)
    return LakeExplorer(scan(spark, source, progress=progress), decryption=decryption)


def _stored(folder: str, spark: Any, decryption: Decryption | None) -> Any:
    """The lake or the Metadatastore that a folder holds; None where it holds neither."""
    from pqexplore.lake import lake, metadatastore

    try:
        return lake.open(folder, spark)
    except UsageError:
        pass
    if metadatastore.is_store(folder, decryption=decryption):
        return metadatastore.open(folder, decryption=decryption)
    return None


class LakeExplorer(anywidget.AnyWidget):
    """A view of a lake or of a Metadatastore (`subject`). Show it by making it the last expression of a cell.

    `file` is the path of the file that is open ("" for the lake itself), `selection` the address in it; setting them
    moves every view. `panel` is the question that is shown, `filters` the conditions as JSON.
    """

    _esm = STATIC / "index.js"
    _css = STATIC / "index.css"

    kind = traitlets.Unicode("lake").tag(sync=True)
    file = traitlets.Unicode("").tag(sync=True)
    selection = traitlets.Unicode("").tag(sync=True)
    view = traitlets.Unicode("").tag(sync=True)
    panel = traitlets.Unicode("").tag(sync=True)
    filters = traitlets.Unicode("").tag(sync=True)

    _ipython_display_ = None

    def __init__(self, subject: Any, *, decryption: Decryption | None = None) -> None:
        from pqexplore.lake.lake import Lake

        self.subject = subject
        self._is_lake = isinstance(subject, Lake)
        panels = LAKE if self._is_lake else STORE
        self._desk = Desk(subject, panels)
        self._operations = {**self._desk.operations, "about": self._about}
        self._decryption = decryption
        self._opened: tuple[str, ParquetFile] | None = None
        self._lock = threading.RLock()
        self._works = rpc.Works()
        super().__init__(panel=next(iter(panels)))
        self.on_msg(self._on_message)

    @traitlets.validate("panel")
    def _known(self, proposal: Any) -> str:
        panel: str = proposal["value"]
        if panel not in self._desk.panels:
            raise UsageError(
                f"there is no panel {panel!r}; there are {', '.join(self._desk.panels)}"
            )
        return panel

    @traitlets.validate("filters")
    def _valid(self, proposal: Any) -> str:
        Filters.parse(proposal["value"])
        text: str = proposal["value"]
        return text

    def to_frame(self, panel: str | None = None) -> Any:
        """What a panel shows, as a pandas DataFrame; the present panel where none is named."""
        made = self._desk.answer(panel or self.panel, self.filters)
        if made.table is None:
            raise UsageError(
                f"the panel {panel or self.panel}: {made.empty or 'there is no table'}"
            )
        return sheet.to_frame(made.table)

    def opened(self, path: str) -> ParquetFile:
        """A file of the lake, open. UsageError where the lake has no such file; what `pqexplore.open` raises."""
        with self._lock:
            if self._opened is not None and self._opened[0] == path:
                return self._opened[1]
            if not self._has(path):
                raise UsageError(f"the lake has no file {path!r}")
            opened = open_file(path, decryption=self._decryption)
            if self._opened is not None:
                self._opened[1].close()
            self._opened = path, opened
            return opened

    def _has(self, path: str) -> bool:
        if not self._is_lake:
            return any(one.path == path for one in self.subject.objects)
        name = literal(path, self.subject.spark is not None)
        found = ask(
            self.subject, f"SELECT count(*) AS files FROM files WHERE path = {name}", Filters()
        )
        return bool(found[0]["files"])

    def _about(self, subject: Any) -> dict[str, Any]:
        """What is shown: name, panels, and the run or the store that it rests on."""
        panels = [{"name": name, "title": panel.title} for name, panel in self._desk.panels.items()]
        if not self._is_lake:
            return {
                "name": self.subject.table_identifier or pathlib.PurePath(self.subject.path).name,
                "facts": [f"Metadatastore, version {self.subject.version} ({self.subject.status})"],
                "panels": panels,
                "lake": False,
            }
        run = self.subject.manifest.run
        facts = [
            f"{run['num_files']:,} files",
            f"{run['errors']:,} cannot be read" if run["errors"] else "",
        ]
        facts += [
            f"level {run['level']}",
            f"as of {str(run['finished'])[:19].replace('T', ' ')} UTC",
        ]
        return {
            "name": run["source"],
            "facts": [f for f in facts if f],
            "panels": panels,
            "lake": True,
        }

    def _on_message(self, _widget: Any, content: Any, _buffers: Any) -> None:
        path = content.get("file") if isinstance(content, dict) else None
        operations: Any = self._operations
        subject: Any = self.subject
        if path:
            operations = OPERATIONS
            try:
                subject = self.opened(path)
            except (ParquetError, UsageError, OSError) as error:
                operations = dict.fromkeys(OPERATIONS, _raising(error))
        for message, buffers in rpc.answer(operations, subject, content, self._works):
            self.send(message, buffers)

    def __repr__(self) -> str:
        return f"<LakeExplorer of {self.subject!r}>"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        return {**data, "text/plain": repr(self)}, metadata


def _raising(error: Exception) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        raise error

    return fail
