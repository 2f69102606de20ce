"""Asks questions in a process with little memory and little time, and measures what each answer took.

A forked child answers many questions, one after the other. So a crash of native code, an endless loop, or an allocation
that no limit guards is an outcome and not the end.
"""

import contextlib
import dataclasses
import faulthandler
import gc
import itertools
import os
import pickle
import resource
import select
import signal
import time
import traceback

from pqexplore.engine import errors
from pqexplore.engine.errors import ParquetError

SECONDS = 10
"""Of the processor's time: a busy machine is no failure."""
PATIENCE = 6
"""Times as long a child may take by the clock, before it is ended from outside; longer on a machine with much to do."""
BYTES = 1 << 30
BATCH = 50
NODES = 1500


class OutOfTime(BaseException):
    """No `except Exception` may catch it."""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What came of one question: `said` is an answer in short, a ParquetError with its message, or what went wrong."""

    said: str
    fine: bool
    seconds: float = 0.0
    bytes: int = 0
    trace: str = ""

    def __str__(self) -> str:
        return f"{self.said[:90]} ({self.seconds:.1f} s, {self.bytes >> 20:,} MiB) {self.trace[-600:]}"


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
        str(node), repr(node)
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


def run(cases, seconds=SECONDS, most=BYTES):
    """`(case, ask)` pairs → `(case, Outcome)`: what came of calling `ask`."""
    cases = iter(cases)
    while batch := list(itertools.islice(cases, BATCH)):
        while batch:
            done = 0
            for case, outcome in zip(batch, _child([ask for _, ask in batch], seconds, most)):
                if not outcome.fine and done:  # alone it has no excuse: nothing before it holds memory
                    outcome = next(_child([case[1]], seconds, most))
                done += 1
                yield case[0], outcome
            batch = batch[done:]


def measure(ask, seconds=SECONDS, most=BYTES):
    """What comes of calling `ask`."""
    return next(run([(None, ask)], seconds, most))[1]


def _child(asks, seconds, most):
    """The outcomes of these questions in one child; the first that is not fine is the last."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        _serve(writer, asks, seconds, most)
    os.close(writer)
    try:
        with os.fdopen(reader, "rb") as pipe:
            for _ in asks:
                outcome = _received(pipe, pid, PATIENCE * seconds * max(1.0, os.getloadavg()[0]))
                if outcome is None:
                    _, status = os.waitpid(pid, 0)
                    pid = 0
                    signalled = os.WIFSIGNALED(status)
                    why = f"signal {os.WTERMSIG(status)}" if signalled else f"status {status}"
                    yield Outcome(f"the process died: {why}", False)
                    return
                yield outcome
                if not outcome.fine:
                    return
    finally:
        if pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _received(pipe, pid, patience):
    ready, _, _ = select.select([pipe], [], [], patience)
    if not ready:
        os.kill(pid, signal.SIGKILL)
        return Outcome(f"no answer within {patience} s, not even to an alarm", False, patience)
    try:
        return pickle.load(pipe)
    except EOFError:
        return None


def _status(name):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith(f"{name}:"))


def _serve(writer, asks, seconds, most):
    def alarm(*_):
        raise OutOfTime(f"not done within {seconds} s of processor time")

    gc.freeze()
    faulthandler.disable()  # the parent reports a crash
    signal.signal(signal.SIGPROF, alarm)
    room = _status("VmSize") + most + (256 << 20)
    resource.setrlimit(resource.RLIMIT_AS, (room, room))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with os.fdopen(writer, "wb", buffering=0) as pipe:
        for ask in asks:
            outcome = _asked(ask, seconds, most)
            pipe.write(pickle.dumps(outcome))
            if not outcome.fine:
                break
    os._exit(0)


def _asked(ask, seconds, most):
    with open("/proc/self/clear_refs", "w") as refs:
        refs.write("5")  # the highest use of memory counts from here
    before = _status("VmRSS")
    signal.setitimer(signal.ITIMER_PROF, seconds)
    begin = time.process_time()
    trace = ""
    try:
        said, fine = repr(ask()), True
    except ParquetError as error:
        kind = type(error).__name__
        said, fine = f"{kind}: {error.message}", bool(error.message) and hasattr(errors, kind)
        trace = "" if fine else traceback.format_exc()
    except BaseException as error:
        signal.setitimer(signal.ITIMER_PROF, 0)
        said, fine, trace = f"{type(error).__name__}: {error}", False, traceback.format_exc()
    signal.setitimer(signal.ITIMER_PROF, 0)
    spent, held = time.process_time() - begin, _status("VmHWM") - before
    if held > most:
        said, fine = f"more memory than {most >> 20} MiB: {said}", False
    return Outcome(said, fine, spent, held, trace)
