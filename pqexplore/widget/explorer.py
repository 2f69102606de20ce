"""The explorer: one Parquet file in a notebook cell.

The widget is thin. What is on the screen comes from the engine by requests (`rpc`); the only state that is shared
with the browser is where one is (`selection`, an address), which lens is preferred (`view`), and what the user asks
(`where`, the condition as it was typed, and `engine`). Values of the file never are, so nothing of its contents ends up
in a saved notebook.
"""

from __future__ import annotations

import contextlib
import dataclasses
import html
import os
import sys
import threading
from collections import ChainMap, OrderedDict
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import traitlets

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.file import open as open_file
from pqexplore.engine.format.encryption.keys import Decryption
from pqexplore.engine.format.thrift.fast import collection_paused
from pqexplore.engine.limits import Limits
from pqexplore.engine.text import printable
from pqexplore.engine.tree.node import Node
from pqexplore.insight.answer import Answer
from pqexplore.insight.ask.question import ANY, Question
from pqexplore.insight.diff.second_file import compared_with, second
from pqexplore.insight.lenses import LENSES, Lens, answer_of, applying, finish
from pqexplore.insight.lenses import require as require_lens
from pqexplore.insight.places import resolve, row_of
from pqexplore.widget import export, rpc, wire_tables
from pqexplore.widget.identity import decrypted
from pqexplore.widget.look import Look, Progress
from pqexplore.widget.operations import NOT_SAVED, OPERATIONS
from pqexplore.widget.picture import picture
from pqexplore.widget.script_loader import Loaded

if TYPE_CHECKING:
    import pandas as pd

    from pqexplore.engine.file.caller_types import FileSystem, Readable, StorageOptions


KEPT = 200
"""Files whose last place is kept."""


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """An address, and the preferred lens; "" for the first one that applies."""

    address: str
    view: str


_lock = threading.Lock()
_places: OrderedDict[tuple[str, int, str], Place] = OrderedDict()


def remember(file: ParquetFile, place: Place) -> None:
    """Note where one is in a file. Nothing is noted of bytes without a name or a state that tells them apart."""
    key = _key(file)
    if key is None:
        return
    with _lock:
        _places[key] = place
        _places.move_to_end(key)
        while len(_places) > KEPT:
            _places.popitem(last=False)


def recall(file: ParquetFile) -> Place | None:
    """Where one was last in a file; None if that is not known, or was its top."""
    key = _key(file)
    with _lock:
        place = _places.get(key) if key is not None else None
    return None if place == Place("", "") else place


def _key(file: ParquetFile) -> tuple[str, int, str] | None:
    state = file.source.opened_as
    if state is None:
        return None
    name = file.name if "://" in file.name else os.path.abspath(file.name)
    return name, file.size, repr(state)


REMEMBERED = 2_000
"""Requests whose answers `to_html` includes because they were on the screen."""


def explore(
    source: Readable | ParquetFile,
    *,
    at: str | None = None,
    view: str | None = None,
    where: str = "",
    engine: str = ANY,
    against: Readable | ParquetFile | None = None,
    decryption: Decryption | None = None,
    against_decryption: Decryption | None = None,
    limits: Limits | None = None,
    filesystem: FileSystem | None = None,
    storage_options: StorageOptions | None = None,
) -> Explorer:
    """Show a Parquet file: where its bytes are, and what each one means.

    `source` is what `pqexplore.open` takes, or an open ParquetFile. `at` is the address to begin at, such as
    `row_groups/0/columns/4/pages/2`; `view` the lens to begin with (overview, rows, statistics, …). `where` is a condition in
    SQL: the lens `query`, with which the view then begins, shows what `engine` reads for it (see `pqexplore.ask`).
    `against` is a second file, with the keys `against_decryption`: the lens `diff`, with which the view then begins, shows
    what differs between the two (see `pqexplore.diff`). In IPython, without any of these, an explorer begins where the last
    one of the same file was left. The other arguments are those of `pqexplore.open`, for both files.

    Raises what `pqexplore.open` raises, and UsageError for an address, view or engine that does not exist. What is wrong
    with a condition is said in the lens.
    """
    with contextlib.ExitStack() as opened:
        files: list[ParquetFile | None] = []
        for one, keys in ((source, decryption), (against, against_decryption)):
            if one is not None and not isinstance(one, ParquetFile):
                one = open_file(
                    one, decryption=keys, limits=limits, filesystem=filesystem, storage_options=storage_options
                )
                opened.callback(one.close)
            files.append(one)
        file, other = files
        assert file is not None
        made = Explorer(file, at=at, view=view, where=where, engine=engine, against=other)
        opened.pop_all()
        return made


class Explorer(Loaded):
    """A view of one open file. Show it by making it the last expression of a cell; show it twice for two views.

    `selection` is the address of what is selected: a click sets it, and setting it moves every view. `file` is the
    open ParquetFile, `against` the one that it is compared with, or None. `where` is the condition that is asked, "" for
    none, and `engine` the engine that reads. `view` is the lens that is preferred, "" for the first one of each node;
    `lens` is another name for it. All of these are traits, so other widgets can be linked to them. `resumed` is "yes" until
    the view has said that it begins where the last one was left.
    """

    selection = traitlets.Unicode("").tag(sync=True)
    view = traitlets.Unicode("").tag(sync=True)
    lens = traitlets.Unicode("").tag(sync=True)
    where = traitlets.Unicode("").tag(sync=True)
    engine = traitlets.Unicode(ANY).tag(sync=True)
    resumed = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self,
        file: ParquetFile,
        *,
        at: str | None = None,
        view: str | None = None,
        where: str = "",
        engine: str = ANY,
        against: ParquetFile | None = None,
    ) -> None:
        self.file = file
        self.against = against
        self._asked: dict[str, tuple[str, dict[str, Any]]] = {}
        self._lock = threading.Lock()
        self._works = rpc.Works()
        self._look = Look(file)
        self._operations: ChainMap[str, rpc.Op] = ChainMap({"save": self._save, "look": self._look_on}, OPERATIONS)
        begin = "query" if where.strip() else "diff" if against is not None else ""
        place = None
        if at is None and view is None and not begin and _interactive() is not None:
            place = _recalled(file)
        if place is not None:
            at, begin = place.address, place.view
        super().__init__(
            selection=at or "",
            view=begin if view is None else view,
            where=where,
            engine=engine,
            resumed="yes" if place else "",
        )
        traitlets.link((self, "view"), (self, "lens"))
        if _interactive() is not None:
            self.observe(self._moved, ["selection", "view"])
        self.on_msg(self.receive)

    @traitlets.validate("selection")
    def _existing(self, proposal: Any) -> str:
        address: str = proposal["value"].strip("/")
        return require(self.file, address) if address else address

    @traitlets.validate("view", "lens")
    def _known(self, proposal: Any) -> str:
        view: str = proposal["value"]
        if view and view not in LENSES:
            raise UsageError(f"there is no view {view!r}; there are {', '.join(LENSES)}")
        with compared_with(self.against):
            lacks = LENSES[view].lacks() if view else ""
        if lacks:
            raise UsageError(lacks)
        return view

    @traitlets.validate("where")
    def _not_too_long(self, proposal: Any) -> str:
        where: str = proposal["value"]
        Question.of(where)
        return where

    @traitlets.validate("engine")
    def _existing_engine(self, proposal: Any) -> str:
        engine: str = proposal["value"]
        if engine != ANY:
            from pqexplore.insight.ask import engines

            engines.engine(engine)
        return engine

    def _moved(self, _change: object) -> None:
        remember(self.file, Place(self.selection, self.view))

    def receive(self, _widget: Any, content: Any, _buffers: Any) -> None:
        """Answer a message of a view (`rpc`)."""
        if isinstance(content, dict) and content.get("kind") == "request":
            self._remember(content.get("op"), content.get("args") or {})
        with compared_with(self.against):
            for message, buffers in rpc.answer(self._operations, self.file, content, self._works):
                self.send(message, buffers)

    def _remember(self, op: Any, args: Any) -> None:
        """Note what was on the screen; a page that is saved asks for it again, and leaves out what fails."""
        if op not in OPERATIONS or op in NOT_SAVED or not isinstance(args, dict):
            return
        with self._lock:
            if len(self._asked) < REMEMBERED:
                self._asked.setdefault(export.key(op, args), (op, args))

    def _look_on(self, _file: ParquetFile) -> Progress:
        """A slice of the look at all bytes. Once it is done, a page that is saved has what it found."""
        made = self._look.go_on()
        if made.whole:
            self._remember("check", {})
        return made

    def to_html(self, *, decrypted: bool = False, budget: int = export.BUDGET) -> str:
        """The explorer as one HTML file that needs no kernel and no network.

        It has what was on the screen, then every lens at each node above the pages, then pages and bytes, the largest
        columns first, then all other nodes, until there are `budget` bytes of it. The file's values are among them: treat
        it like the data. Of an encrypted file it has what is there for those without keys; `decrypted` writes down what
        the keys opened too, with a warning at its top.
        """
        file, other = self.file, self.against
        if not decrypted:
            file, other = file.without_keys(), other and other.without_keys()
        # Python's collector would look at all replies so far, again and again: a tenth of the time, for no memory.
        with compared_with(other), file.budget.asking("the saved page"), collection_paused():
            return finish(self._page(file, budget))

    def _page(self, file: ParquetFile, budget: int) -> Generator[float, None, str]:
        """The page of the file as it was opened, with a warning if that was with keys."""
        with self._lock:
            asked = list(self._asked.values())
        state = {"selection": self.selection, "view": self.view, "where": self.where, "engine": self.engine}
        warning = export.DECRYPTED if decrypted(file, second()) else ""
        return export.steps(file, asked, state, warning=warning, budget=budget)

    def _save(self, file: ParquetFile) -> Generator[float, None, tuple[wire_tables.Line, list[bytes]]]:
        """The page for a view that downloads it, with what the keys opened, and the line of Python that writes it."""
        page = yield from self._page(file, export.BUDGET)
        keys = "decrypted=True" if decrypted(file, second()) else ""
        line = f'open("explorer.html", "w", encoding="utf-8").write({self.code}.to_html({keys}))'
        return wire_tables.Line(line), [page.encode()]

    @property
    def code(self) -> str:
        """The line of Python that shows this view again. The file is called `f` if it has no path, and the second one `g`."""
        with compared_with(self.against):
            return wire_tables.code(self.file, self.selection, self.view, self.where, self.engine).code

    def to_frame(self, lens: str | None = None, *, at: str | None = None) -> pd.DataFrame:
        """What a lens shows, as a pandas DataFrame with the address and the bytes (`start`, `end`) of each row.

        `lens` is that of the present view by default, `at` the selection. UsageError if the lens does
        not apply there, or shows no table.
        """
        with compared_with(self.against):
            return self._frame(lens, self.selection if at is None else at.strip("/"))

    def _frame(self, lens: str | None, address: str) -> pd.DataFrame:
        node = self.file.node(require(self.file, address) if address else "")
        shown = self._lens(lens, node)
        if shown.frame is not None:
            return shown.frame(self.file, node).to_pandas()
        made = finish(answer_of(self.file, node, shown, Question.of(self.where, self.engine)))
        if made.table is None:
            said = made.empty or "there is no table"
            raise UsageError(f"the lens {shown.name} at {address or 'the file'}: {said}")
        return made.table.to_pandas()

    def answer(self, lens: str | None = None, *, at: str | None = None) -> Answer:
        """What a lens says: its sentence, its table, and a plotly figure of it (`Answer.figure`).

        `lens` is that of the present view by default, `at` the selection. UsageError if the lens does not apply there, or
        the address names nothing.
        """
        with compared_with(self.against):
            node = resolve(self.file, self.selection if at is None else at.strip("/"))
            shown = self._lens(lens, node)
            return finish(answer_of(self.file, node, shown, Question.of(self.where, self.engine)))

    def _lens(self, name: str | None, node: Node) -> Lens:
        """The lens of that name; if None, the one that the view shows of a node."""
        names = [found.name for found in applying(node)]
        return require_lens(name or (self.view if self.view in names else names[0]), node)

    def display(self, *, decrypted: bool = False, budget: int = export.BUDGET) -> None:
        """Show the explorer as a page of its own in the output, for notebooks that show no widgets.

        Databricks calls it `displayHTML`; elsewhere it is a frame. It has what `to_html` has.
        """
        page = self.to_html(decrypted=decrypted, budget=budget)
        shell = _interactive()
        show = shell.user_ns.get("displayHTML") if shell is not None else None
        if callable(show):
            show(page)
            return
        from IPython.display import display

        frame = f'<iframe srcdoc="{html.escape(page)}" style="width: 100%; height: 900px; border: 0"></iframe>'
        display({"text/html": frame, "text/plain": repr(self)}, raw=True)

    def __repr__(self) -> str:
        where = f" at {self.selection}" if self.selection else ""
        return printable(f"<Explorer of {self.file.name}{where}>")

    def picture(self) -> str:
        """HTML without scripts and without values of the file, for where there is no kernel."""
        question = Question.of(self.where, self.engine)
        with compared_with(self.against and self.against.without_keys()):
            return picture(self.file, self.selection, self.view, question)


def _recalled(file: ParquetFile) -> Place | None:
    """Where the last explorer of a file was, if that can be shown again."""
    place = recall(file)
    if place is None or (place.view and LENSES[place.view].lacks()):
        return None
    try:
        require(file, place.address)
    except UsageError:
        return None
    return place


def _interactive() -> Any:
    """IPython's shell; None outside of IPython."""
    if "IPython" not in sys.modules:
        return None
    from IPython.core.getipython import get_ipython

    return get_ipython()


def require(file: ParquetFile, address: str) -> str:
    """The address in the tree; UsageError if it names nothing in the file, and says what there is.

    A place that exists and cannot be read may be selected: the view says what is wrong there.
    """
    with contextlib.suppress(ParquetError):
        node = resolve(file, address)
        if row_of(node) is not None:
            group = node.facts[0].address
            raise UsageError(f"the explorer selects no single rows; {address} is in {group}")
        return node.address
    return address
