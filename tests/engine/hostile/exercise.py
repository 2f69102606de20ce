"""Everything that can be asked of a file, in a process with little memory and little time.

`ask` asks, and lets nothing pass but ParquetError. `run` does so for many files in forked children, which lets a test
outlive a crash of native code, an endless loop, or an allocation that no limit guarded.
"""

import contextlib
import faulthandler
import os
import pickle
import resource
import select
import signal
import traceback

import pqexplore
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.salvage import salvage

SECONDS = 10
"""Of the processor's time, so that a busy machine is no failure."""
PATIENCE = 6
"""Times as long a child may take by the clock, before it is ended from outside."""
BYTES = 1 << 30
BATCH = 32
NODES = 1500


def ask(data):
    """Open, read, check, lay out and walk through the tree. What comes out but ParquetError is raised."""
    try:
        file = pqexplore.open(data)
    except ParquetError:
        save(data)
        return
    with file:
        layout = file.layout()
        assert_tiles(layout, len(data))
        with contextlib.suppress(ParquetError):
            file.layout("chunks")
        with contextlib.suppress(ParquetError):
            file.read()
        with contextlib.suppress(ParquetError):
            file.check()
        repr(file), file._repr_html_()
        walk(file)


def save(data):
    """Salvage what does not open, and read the new file."""
    with contextlib.suppress(ParquetError):
        saved = salvage(data)
        repr(saved)
        assert_tiles(saved.table, len(data))
        with saved.open() as file:
            file.read()


def assert_tiles(layout, size):
    """The rows of a layout are in order, not empty, and cover `[0, size)` without gap or overlap."""
    starts, ends = layout["start"].to_pylist(), layout["end"].to_pylist()
    assert [0, *ends] == [*starts, size], "the layout does not tile the file"
    assert all(a < b for a, b in zip(starts, ends)), "the layout has an empty row"


def walk(file):
    """Nodes of the tree with their facts: of long lists the first and the last few."""
    left = NODES
    waiting = [file.root]
    while waiting and left:
        node = waiting.pop()
        left -= 1
        with contextlib.suppress(ParquetError):
            for fact in node.facts:
                repr(fact)
        try:
            children = node.children
            some = [*children[:8], *children[max(8, len(children) - 2) :]]
        except ParquetError:
            continue
        for child in some:
            if child.address and child.kind not in ("value", "level", "field"):
                with contextlib.suppress(ParquetError, KeyError):
                    file.node(child.address)
        waiting.extend(some)


def run(cases, seconds=SECONDS):
    """`(name, bytes)` pairs → `(name, bytes, what went wrong)` of those that failed."""
    cases = iter(cases)
    while True:
        batch = []
        for case in cases:
            batch.append(case)
            if len(batch) == BATCH:
                break
        if not batch:
            return
        while batch:
            done, wrong = _child([data for _, data in batch], seconds)
            if wrong is not None:
                if done:  # alone it has no excuse: what came before it left no memory in use
                    alone = _child([batch[done][1]], seconds)[1]
                    wrong = alone
                if wrong is not None:
                    yield *batch[done], wrong
                done += 1
            batch = batch[done:]


def _child(all_data, seconds):
    """How many files were fine, and what went wrong with the next; None where nothing did."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        _serve(writer, all_data, seconds)
    os.close(writer)
    done, wrong = 0, None
    with os.fdopen(reader, "rb") as pipe:
        while done < len(all_data):
            ready, _, _ = select.select([pipe], [], [], PATIENCE * seconds)
            if not ready:
                wrong = f"no answer within {PATIENCE * seconds} s, not even to an alarm"
                os.kill(pid, signal.SIGKILL)
                break
            try:
                wrong = pickle.load(pipe)
            except EOFError:
                wrong = "the process died"
            if wrong is not None:
                break
            done += 1
    _, status = os.waitpid(pid, 0)
    if wrong == "the process died":
        wrong = (
            f"the process died: signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else wrong
        )
    return done, wrong


def _serve(writer, all_data, seconds):
    def alarm(*_):
        raise TimeoutError(f"not done within {seconds} s of processor time")

    faulthandler.disable()  # a crash is told by the parent
    signal.signal(signal.SIGPROF, alarm)
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + BYTES, used + BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with os.fdopen(writer, "wb", buffering=0) as pipe:
        for data in all_data:
            signal.setitimer(signal.ITIMER_PROF, seconds)
            try:
                ask(data)
                wrong = None
            except BaseException:
                signal.setitimer(signal.ITIMER_PROF, 0)
                wrong = traceback.format_exc()
            signal.setitimer(signal.ITIMER_PROF, 0)
            pipe.write(pickle.dumps(wrong))
            if wrong is not None:
                break
    os._exit(0)
