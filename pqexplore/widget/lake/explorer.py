"""The lake explorer: all files of a lake first, then one of them, in the file explorer, at the right address.

Like the file explorer it is thin: the browser asks, and gets aggregates and a few thousand rows at most. What is shared
with it is where one is: the panel, the filters, the open file and the selection in it.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import traitlets

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.file import open as open_file
from pqexplore.engine.format.encryption.keys import Decryption
from pqexplore.engine.rule import Severity
from pqexplore.engine.text import markup, plural
from pqexplore.insight.answer import Answer
from pqexplore.insight.ask.question import ANY
from pqexplore.insight.doctor.one_line import one_line
from pqexplore.insight.html_table import html_table
from pqexplore.lake.doctor.diagnose import scanned_lake
from pqexplore.lake.doctor.lake_report import LINE
from pqexplore.lake.lake import Lake
from pqexplore.lake.panels import answer_of, panels_of, require
from pqexplore.lake.panels.doctor import diagnosed
from pqexplore.lake.panels.empty import empty
from pqexplore.lake.panels.filters import Filters, ask, by_spark, literal
from pqexplore.lake.panels.header import about
from pqexplore.lake.panels.objects import lost
from pqexplore.lake.panels.page import page
from pqexplore.lake.panels.root import relative, root
from pqexplore.lake.panels.search import search
from pqexplore.lake.scanning.progress import Progress
from pqexplore.lake.scanning.scan import scan
from pqexplore.lake.store.open_store import stored
from pqexplore.widget import rpc, sheet
from pqexplore.widget.headline import Headline
from pqexplore.widget.operations import OPERATIONS, glossary, term_bytes
from pqexplore.widget.script_loader import Loaded

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import SparkSession

    from pqexplore.lake.listed_files import LakeSource
    from pqexplore.lake.panels import Subject


AT_ONCE = 2_000
"""Files whose findings are looked for while a cell waits: less than a second."""
RULES, CELL = 12, 60
CLOSING = "<p>Run the cell to explore the files.</p>"


def picture(subject: Subject) -> str:
    """HTML of a few kB about a lake or a Metadatastore."""
    header = about(subject)
    facts = markup(", ".join(header.facts))
    parts = [f"<p><b>{markup(header.name)}</b>: {facts}</p>"]
    if isinstance(subject, Lake):
        with contextlib.suppress(ParquetError, UsageError):
            parts += _said(subject)
    return "".join(parts) + CLOSING


def _said(lake: Lake) -> list[str]:
    said = [f"<p>{markup(answer_of(lake, 'fleet').sentence)}</p>"]
    [known] = ask(lake, "SELECT count(*) AS files FROM files", Filters())
    if known["files"] > AT_ONCE:
        return said
    found = scanned_lake(lake, None).findings
    rows = [(one.severity.value, one.rule, f"{one.files:,}") for one in found[:RULES]]
    if rows:
        said.append(f"<p>By the scan, {plural(len(found), 'finding')}:</p>")
        said.append(html_table(("severity", "rule", "files"), rows, CELL))
    return said


def panel(subject: Subject, panel: str, filters: str = "", typed: str = "") -> dict[str, Any]:
    """What a panel shows."""
    made = answer_of(subject, panel, filters, typed, fresh=panel == "skipping")  # lists the dataset
    return {
        "answer": made.sentence,
        "empty": made.empty,
        "picture": made.picture,
        "table": sheet.first(relative(made.table, root(subject)))
        if made.table is not None and made.table.rows
        else None,
        "code": made.code,
    }


def table(subject: Subject, lens: str, address: str, start: int, typed: str = "") -> dict[str, Any]:
    """More rows of the table of the panel `lens`; `address` are the filters."""
    made = answer_of(subject, lens, address, typed)
    if made.table is None:
        raise UsageError(f"the panel {lens} has no table")
    return sheet.part(relative(made.table, root(subject)), start)


def headline(subject: Subject) -> Headline:
    """The worst finding of all files. Where many wait for their diagnosis and the scan shows none: what the files are."""
    if not isinstance(subject, Lake):
        hazards = subject.check_upstream()
        if hazards:
            return Headline(f"{lost(subject, hazards)}.", Severity.WRONG.value)
        said = answer_of(subject, next(iter(panels_of(subject)))).sentence
        return Headline(one_line(said, LINE), "")
    try:
        report, waiting = diagnosed(subject, Filters())
    except (ParquetError, UsageError):  # the files cannot be read now: the diagnosis says why
        return Headline(answer_of(subject, "fleet").sentence, "")
    worst = None if report is None else report.worst()
    sound = worst is None or worst is Severity.NOTE
    if report is None or (waiting and sound):
        return Headline(answer_of(subject, "fleet").sentence, "")
    return Headline(report.headline, "" if worst is None or sound else worst.value)


def operations(subject: Subject) -> dict[str, Callable[..., object]]:
    """The requests that the view of a lake or of a Metadatastore makes, by name."""
    found: dict[str, Callable[..., object]] = {
        "about": about,
        "headline": headline,
        "empty": empty,
        "glossary": glossary,
        "term_bytes": term_bytes,
        "panel": panel,
        "search": search,
        "table": table,
    }
    for one in panels_of(subject).values():
        found |= one.operations
    return found


def explore_lake(
    source: Lake | LakeSource,
    *,
    at: str = "",
    spark: SparkSession | None = None,
    spark_from: int = 0,
    decryption: Decryption | None = None,
    follow_outside: bool = False,
    progress: Callable[[Progress], None] | bool | None = None,
) -> LakeExplorer:
    """Show what is known of many files, or a Metadatastore of their indexes.

    `source` is a `Lake`, a folder that one was stored in, a `metadatastore.Store` or its folder; or what
    `pqexplore.lake.scan` takes, which is scanned first (with `progress=True` for a line that tells how far it is).
    `at` is where to begin: a panel by its name (doctor, fleet, columns, overlap, query, drift, health, asked), or a file,
    by its path from the folder of all files or its whole path, with the address of a part after `#`. `spark` and
    `spark_from` are those of `scan`. `decryption` has the keys of files that are opened from here, and of an encrypted Metadatastore. `follow_outside` is
    that of `scan`; of a store which was not made in this session, it says that it may name files outside of its folder.

    Raises UsageError where `source` is none of these, and where there is no such panel or file.
    """
    from pqexplore.lake.metadatastore import Store

    if isinstance(source, (Lake, Store)):
        return LakeExplorer(source, at=at, decryption=decryption)
    if isinstance(source, (str, os.PathLike)) and os.path.isdir(source):
        known = stored(os.fspath(source), spark, decryption, follow_outside)
        if known is not None:
            return LakeExplorer(known, at=at, decryption=decryption)
    made = scan(spark, source, spark_from=spark_from, follow_outside=follow_outside, progress=progress)
    return LakeExplorer(made, at=at, decryption=decryption)


class LakeExplorer(Loaded):
    """A view of a lake or of a Metadatastore (`subject`). Show it by making it the last expression of a cell.

    `file` is the path of the file that is open ("" for the lake itself), `selection` the address in it; setting them
    moves every view. `panel` is the question that is shown, `filters` the conditions as JSON. `where` and `engine` are
    what the panel `query` asks, and the file that is open.
    """

    kind = traitlets.Unicode("lake").tag(sync=True)
    file = traitlets.Unicode("").tag(sync=True)
    selection = traitlets.Unicode("").tag(sync=True)
    view = traitlets.Unicode("").tag(sync=True)
    panel = traitlets.Unicode("").tag(sync=True)
    filters = traitlets.Unicode("").tag(sync=True)
    where = traitlets.Unicode("").tag(sync=True)
    engine = traitlets.Unicode(ANY).tag(sync=True)

    def __init__(self, subject: Subject, *, at: str = "", decryption: Decryption | None = None) -> None:
        self.subject = subject
        self._operations = operations(subject)
        self._decryption = decryption
        self._opened: tuple[str, ParquetFile] | None = None
        self._lock = threading.RLock()
        self._works = rpc.Works()
        panels = panels_of(subject)
        file, selection = ("", "") if not at or at in panels else self._place(at)
        panel = at if at in panels else next(iter(panels))
        super().__init__(panel=panel, file=file, selection=selection)
        self.on_msg(self.receive)

    @traitlets.validate("panel")
    def _known(self, proposal: Any) -> str:
        panel: str = proposal["value"]
        require(self.subject, panel)
        return panel

    @traitlets.validate("filters")
    def _valid(self, proposal: Any) -> str:
        Filters.parse(proposal["value"])
        text: str = proposal["value"]
        return text

    def to_frame(self, panel: str | None = None) -> pd.DataFrame:
        """What a panel shows, as a pandas DataFrame; the present panel if None. UsageError if there is no table."""
        made = self.answer(panel)
        if made.table is None:
            raise UsageError(f"the panel {made.lens}: {made.empty or 'there is no table'}")
        return made.table.to_pandas()

    def answer(self, panel: str | None = None) -> Answer:
        """What a panel says of the files that pass the filters: its sentence, its table, and a plotly figure of it.

        The present panel if None. UsageError if there is no such panel.
        """
        name = panel or self.panel
        typed = f"{self.engine}:{self.where}" if name == "query" and self.where else ""
        return answer_of(self.subject, name, self.filters, typed)

    def to_html(self) -> str:
        """The first screen as one HTML page of at most 256 kB: no script, nothing loaded, light and dark; see `page`.

        It shows what to do, the folders and what differs between schemas, of the files that pass the filters. Raises
        UsageError for a Metadatastore.
        """
        if not isinstance(self.subject, Lake):
            raise UsageError("a Metadatastore has no first screen to save; open a lake")
        return page(self.subject, self.filters)

    def opened(self, path: str) -> ParquetFile:
        """A file of the lake, open. UsageError where the lake has no such file, or may not lead to it; what
        `pqexplore.open` raises.
        """
        with self._lock:
            if self._opened is not None and self._opened[0] == path:
                return self._opened[1]
            if not self._has(path):
                raise UsageError(f"the lake has no file {path!r}")
            self.subject.reach.require(path)
            options = self.subject.storage_options if isinstance(self.subject, Lake) else None
            opened = open_file(path, decryption=self._decryption, storage_options=options)
            if self._opened is not None:
                self._opened[1].close()
            self._opened = path, opened
            return opened

    def _place(self, at: str) -> tuple[str, str]:
        """The path and the address of `PATH#ADDRESS`; the path may lack the folder of all files."""
        for path, address in ((at, ""), at.split("#", 1) if "#" in at else (at, "")):
            for whole in (path, root(self.subject) + path):
                if self._has(whole):
                    return whole, address
        known = ", ".join(panels_of(self.subject))
        raise UsageError(f"there is no panel and no file {at!r}; the panels are {known}")

    def _has(self, path: str) -> bool:
        if not isinstance(self.subject, Lake):
            return any(one.path == path for one in self.subject.objects)
        name = literal(path, by_spark(self.subject))
        found = ask(self.subject, f"SELECT count(*) AS files FROM files WHERE path = {name}", Filters())
        return bool(found[0]["files"])

    def receive(self, _widget: Any, content: Any, _buffers: Any) -> None:
        """Answer a message of a view (`rpc`)."""
        path = content.get("file") if isinstance(content, dict) else None
        operations: Mapping[str, rpc.Op] = self._operations
        subject: Subject | ParquetFile | None = self.subject
        if path:
            operations = OPERATIONS
            try:
                subject = self.opened(path)
            except (ParquetError, UsageError, OSError) as error:
                operations, subject = dict.fromkeys(OPERATIONS, _raising(error)), None
        for message, buffers in rpc.answer(operations, subject, content, self._works):
            self.send(message, buffers)

    def __repr__(self) -> str:
        return f"<LakeExplorer of {self.subject!r}>"

    def picture(self) -> str:
        """HTML without scripts for where there is no kernel: what the files are, and what is wrong by the scan."""
        return picture(self.subject)


def _raising(error: Exception) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail
