"""Everything that can be asked of a file, one thing at a time, in a process that is measured.

`measure` forks for each entry: the child opens the file, asks, and says how long that took and how much memory it held.
So a crash of native code, an endless loop, or an allocation that no limit guards is a row of a table and not the end.
"""

from __future__ import annotations

import dataclasses
import itertools
import os
import pickle
import resource
import select
import signal
import time
import traceback

import pqexplore
from pqexplore.engine.errors import ParquetError
from pqexplore.insight import lenses
from pqexplore.widget import lens as lens_view
from pqexplore.widget import sheet

SECONDS = 10
"""Of the processor's time: a busy machine is no failure."""
PATIENCE = 6
"""Times as long a child may take by the clock, before it is ended from outside."""
BYTES = 1 << 30

NODES = 400
"""Nodes of a file that are visited."""
EACH = 3
"""Nodes of a kind that a lens is asked about."""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What came of one entry: `said` is an answer in short, the name of a ParquetError, or what went wrong."""

    said: str
    fine: bool
    seconds: float = 0.0
    bytes: int = 0

    def __str__(self) -> str:
        return f"{self.said[:90]} ({self.seconds:.1f} s, {self.bytes >> 20:,} MiB)"


def nodes(file):
    """Nodes of a file, breadth first; of long lists the first and the last few."""
    waiting, found = [file.root], []
    for address in ("row_groups/0/columns/0", "row_groups/0/columns/0/pages/1"):
        try:
            waiting.append(file.node(address))
        except (ParquetError, LookupError):
            continue
    while waiting and len(found) < NODES:
        node = waiting.pop(0)
        found.append(node)
        try:
            children = node.children
            waiting += [*children[:6], *children[max(6, len(children) - 2) :]]
        except ParquetError:
            continue
    return found


def some_of_each(file, most=EACH):
    """The first nodes of each kind."""
    kinds = {}
    for node in nodes(file):
        known = kinds.setdefault(node.kind, {})
        if len(known) < most:
            known[node.address] = node
    return [node for known in kinds.values() for node in known.values()]


def _quiet(call):
    try:
        return call()
    except ParquetError as error:
        return error


def ask_open(file):
    return file.num_rows


def ask_read(file):
    return file.read().num_rows


def ask_pages(file):
    """The values and levels of each page, one page at a time."""
    for chunk in itertools.islice(file.chunks(), NODES):
        for page in _quiet(lambda: list(chunk.pages)) or ():
            for name in ("values", "definition_levels", "repetition_levels", "dictionary_ids"):
                _quiet(lambda name=name, page=page: getattr(page, name))


def ask_layout(file):
    return file.layout().num_rows


def ask_layout_of_chunks(file):
    return file.layout("chunks").num_rows


def ask_check(file):
    return len(file.check())


def ask_tree(file):
    for node in nodes(file):
        for fact in _quiet(lambda node=node: node.facts) or ():
            repr(fact)
        _quiet(lambda node=node: file.node(node.address))
        str(node), repr(node)


def ask_children(file):
    """All values of a page as a program walks them that does not know better: a few thousand from a long list."""
    for node in some_of_each(file):
        below = _quiet(lambda node=node: node.children)
        if not isinstance(below, ParquetError):
            for child in below[:2000]:
                _quiet(lambda child=child: child.facts)


def ask_salvage(file):
    saved = pqexplore.salvage(file.source.read(0, file.size))
    repr(saved)
    with saved.open() as opened:
        return opened.read().num_rows


def ask_repr(file):
    for chunk in itertools.islice(file.chunks(), NODES):
        repr(chunk)
        repr(_quiet(lambda chunk=chunk: chunk.pages[:1]))
    return len(repr(file)) + len(file._repr_html_())


def ask_export(file):
    explorer = pqexplore.explore(file)
    return len(explorer.to_html())


def ask_first(file):
    """The first lens of the file, as the explorer opens it."""
    shown = lens_view.payload(file, file.root, lenses.LENSES["overview"])
    return lenses.finish(shown)["answer"]


ENTRIES = {
    name.removeprefix("ask_"): made for name, made in list(globals().items()) if name[:4] == "ask_"
}


def ask_lens(file, lens):
    """One lens on nodes of each kind; the answer, its first rows and what travels to the view."""
    asked = 0
    for node in some_of_each(file):
        if not lenses.LENSES[lens].applies(node):
            continue
        asked += 1
        shown = lens_view.payload(file, node, lenses.LENSES[lens], sure=True)
        if isinstance(_quiet(lambda shown=shown: lenses.finish(shown)), ParquetError):
            continue
        answer = _quiet(
            lambda node=node: lenses.finish(lenses.answer_of(file, node, lenses.LENSES[lens]))
        )
        table = getattr(answer, "table", None)
        if table is not None:
            _quiet(lambda table=table: sheet.first(table))
    return asked


for _lens in lenses.LENSES:
    ENTRIES[f"lens {_lens}"] = lambda file, lens=_lens: ask_lens(file, lens)


FOOTER_ENTRIES = ("open", "check", "layout", "layout_of_chunks", "tree", "first")


def _run(data, entry):
    with pqexplore.open(data) as file:
        return ENTRIES[entry](file)


def measure(data, entry, seconds=SECONDS, most=BYTES):
    """Ask one thing of a file in a child process."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        _serve(writer, data, entry, seconds, most)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        ready, _, _ = select.select([pipe], [], [], PATIENCE * seconds)
        outcome = Outcome("no answer, not even to an alarm", False, PATIENCE * seconds)
        if not ready:
            os.kill(pid, signal.SIGKILL)
        else:
            try:
                outcome = pickle.load(pipe)
            except EOFError:
                outcome = Outcome("the process died", False)
    os.waitpid(pid, 0)
    return outcome


def _status(name):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith(f"{name}:"))


def _serve(writer, data, entry, seconds, most):
    def alarm(*_):
        raise TimeoutError(f"not done within {seconds} s of the processor")

    with open("/proc/self/clear_refs", "w") as refs:
        refs.write("5")  # the highest use of memory counts from here
    before = _status("VmRSS")
    room = _status("VmSize") + most + (256 << 20)
    resource.setrlimit(resource.RLIMIT_AS, (room, room))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, alarm)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    begin = time.process_time()
    try:
        said, fine = repr(_run(data, entry)), True
    except ParquetError as error:
        said, fine = f"{type(error).__name__}: {error.message}", bool(error.message)
    except BaseException as error:
        said, fine = f"{type(error).__name__}: {error} {traceback.format_exc()[-600:]}", False
    signal.setitimer(signal.ITIMER_PROF, 0)
    spent, held = time.process_time() - begin, _status("VmHWM") - before
    if held > most:
        said, fine = f"more memory than {most >> 20} MiB: {said}", False
    with os.fdopen(writer, "wb", buffering=0) as pipe:
        pipe.write(pickle.dumps(Outcome(said, fine, spent, held)))
    os._exit(0)
