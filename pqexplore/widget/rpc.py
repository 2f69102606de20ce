"""Requests from a view, answers from the engine, over one channel of custom messages.

A request is `{kind: "request", id, op, args}`; its answer `{kind: "reply", id, ok: true, result}` with binary
buffers, or `{kind: "reply", id, ok: false, error: {type, message, address, offset}}`. Ids are integers that the view
chooses; each request has exactly one reply, whatever happens. Requests may be answered in any order and from any
thread, also while a cell runs.

Front ends refuse messages of more than a few megabytes, so buffers beyond `PART_BYTES` go ahead of their reply in
messages `{kind: "part", id}`, and the reply says in `parts` how long each of its buffers is.

An operation that takes long is a generator of how much is done, from 0 to 1. It works for a slice of time, then the
view hears `{kind: "progress", id, done}` and asks `{kind: "continue", id}` for the next slice, or drops it with
`{kind: "cancel", id}`. So no front end needs threads for it, and a closed view leaves nothing running.

While an answer is made, garbage collection is paused: it would visit every struct of a large footer again and again.
"""

from __future__ import annotations

import functools
import inspect
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any

from pqexplore.engine.errors import LimitExceededError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.thrift.fast import collection_paused
from pqexplore.insight import wire
from pqexplore.insight.binary_columns import Columns
from pqexplore.insight.trouble import describe, error_code, unexpected
from pqexplore.widget.wire_tables import pack

INTEGER = 1 << 63
"""No number in a message is that large, nor its negative: Arrow and numpy count with 64 bits."""


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < INTEGER


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _list_of(holds: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, (list, tuple)) and all(map(holds, value))


TYPES: Mapping[str, tuple[str, Callable[[object], bool]]] = {
    "str": ("a text", _is_text),
    "int": ("an integer of 64 bits", _is_integer),
    "bool": ("true or false", lambda value: isinstance(value, bool)),
    "str | None": ("a text or null", lambda value: value is None or _is_text(value)),
    "int | None": ("an integer of 64 bits or null", lambda value: value is None or _is_integer(value)),
    "list[int]": ("a list of integers of 64 bits", _list_of(_is_integer)),
    "list[str]": ("a list of texts", _list_of(_is_text)),
    "Sequence[str]": ("a list of texts", _list_of(_is_text)),
    "Sequence[Sequence[str]]": ("a list of lists of texts", _list_of(_list_of(_is_text))),
}
"""Annotations of operations: what they mean in JSON, and the test."""


@functools.lru_cache(maxsize=1024)
def parameters(operation: Callable[..., object]) -> Mapping[str, inspect.Parameter]:
    """The parameters of an operation by name, without the first, the file or the lake.

    `**` among them stands under its own name: such an operation takes any argument.
    """
    found = inspect.signature(operation).parameters.items()
    named = [(name, one) for name, one in found if one.kind is not inspect.Parameter.VAR_POSITIONAL]
    first = 1 if named and named[0][1].kind is not inspect.Parameter.VAR_KEYWORD else 0
    return dict(named[first:])


def check(op: str, operation: Callable[..., object], given: Mapping[str, Any]) -> None:
    """Raise UsageError unless the arguments are those of the operation, and of its types."""
    expected = parameters(operation)
    if any(one.kind is inspect.Parameter.VAR_KEYWORD for one in expected.values()):
        return
    unknown = [repr(name) for name in given if name not in expected]
    if unknown:
        takes = ", ".join(expected) or "none"
        raise UsageError(f"{op} has no argument {', '.join(unknown[:3])}; its arguments: {takes}")
    for name, parameter in expected.items():
        if name not in given:
            if parameter.default is inspect.Parameter.empty:
                raise UsageError(f"{op} needs the argument {name!r}")
            continue
        known = TYPES.get(str(parameter.annotation))
        if known is not None and not known[1](given[name]):
            raise UsageError(f"the argument {name!r} of {op} is {known[0]}, not {type(given[name]).__name__}")


MESSAGE_BYTES = 4_000_000
"""No message is longer: Databricks stops at 5 MB."""

PART_BYTES = 3 << 20
RESULT_BYTES = 512 << 10
"""No result, without its buffers, is longer."""

TOTAL_BYTES = 64 << 20
"""No reply, all parts together, is longer."""

Buffers = list[bytes | memoryview]
Op = Callable[..., Any]
"""An operation: takes the file (or the lake) and the request's args, gives a JSON-able result, or a pair of it and buffers."""

Message = tuple[dict[str, Any], Buffers]

SLICE = 0.25
"""Seconds that an operation works before the view hears how far it is."""

WORKS = 32
"""Operations under way that are remembered; the oldest is dropped for a new one."""


class Works:
    """The operations of one explorer that are under way, by the id of their request."""

    def __init__(self) -> None:
        self._open: OrderedDict[int, tuple[str, Generator[float, None, Any]]] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, number: int, op: str, steps: Generator[float, None, Any]) -> None:
        """Keeps what is left of a request's work."""
        with self._lock:
            self._open[number] = op, steps
            while len(self._open) > WORKS:
                self._open.popitem(last=False)[1][1].close()

    def take(self, number: int) -> tuple[str, Generator[float, None, Any]] | None:
        """The operation and what is left of it; None if the request is finished or unknown."""
        with self._lock:
            return self._open.pop(number, None)


def answer(ops: Mapping[str, Op], subject: object, request: Any, works: Works | None = None) -> Iterator[Message]:
    """The messages that answer `request`; none if it is not a request.

    Without `works` an operation runs to its end at once.
    """
    if not isinstance(request, dict):
        return
    number, kind = request.get("id"), request.get("kind")
    if not isinstance(number, int):
        return
    under_way = works.take(number) if works is not None else None
    if kind == "cancel":
        if under_way is not None:
            under_way[1].close()
        return
    if kind not in ("request", "continue"):
        return
    try:
        with collection_paused():
            if kind == "request":
                op = str(request.get("op"))
                outcome = _begin(ops, subject, op, _or_empty(request.get("args")))
            elif under_way is None:
                raise UsageError("this work is not under way any more; ask for it again")
            else:
                op, outcome = under_way
            reply, buffers = _reply(number, op, outcome, works)
    except Exception as error:  # every request gets a reply
        if error_code(error) == "internal":
            unexpected(error)
        failed = wire.encode(describe(error))
        reply, buffers = {"kind": "reply", "id": number, "ok": False, "error": failed}, []
    if sum(map(len, buffers)) <= PART_BYTES:
        yield reply, buffers
        return
    joined = b"".join(buffers)
    for start in range(0, len(joined), PART_BYTES):
        yield {"kind": "part", "id": number}, [joined[start : start + PART_BYTES]]
    yield {**reply, "parts": [len(b) for b in buffers]}, []


def _or_empty(args: Any) -> Any:
    """The arguments of a request; none if it has none."""
    return {} if args is None else args


def _reply(number: int, op: str, outcome: Any, works: Works | None) -> Message:
    """The result of an outcome; of one that takes steps, how much of it is done after a slice of time."""
    if isinstance(outcome, Generator) and works is not None:
        outcome, done = work_until(outcome, time.monotonic() + SLICE)
        if isinstance(outcome, Generator):
            works.put(number, op, outcome)
            return {"kind": "progress", "id": number, "done": done}, []
    result, _, buffers = _checked(op, outcome)
    return {"kind": "reply", "id": number, "ok": True, "result": result}, buffers


def call(ops: Mapping[str, Op], subject: object, op: Any, args: Any) -> tuple[Any, Buffers]:
    """Run one operation: its result and its buffers.

    Raises `UsageError` for an unknown operation or wrong arguments, `LimitExceededError` where the answer is too long
    for a message, and whatever the operation raises.
    """
    result, _, buffers = called(ops, subject, op, args)
    return result, buffers


def called(ops: Mapping[str, Op], subject: object, op: Any, args: Any) -> tuple[Any, str, Buffers]:
    """`call`, with the result as JSON text in the middle."""
    return _checked(op, _begin(ops, subject, op, args))


def _begin(ops: Mapping[str, Op], subject: object, op: Any, args: Any) -> Any:
    if not isinstance(op, str) or op not in ops:
        raise UsageError(f"there is no operation {op!r}")
    if not isinstance(args, dict):
        raise UsageError(f"the arguments of {op} are not an object")
    check(op, ops[op], args)
    if not isinstance(subject, ParquetFile):  # a lake has no budget: its files are not read here
        return ops[op](subject, **args)
    budget = subject.budget
    with budget.asking(op, args.get("address")):
        outcome = ops[op](subject, **args)
    return budget.steps(op, outcome) if isinstance(outcome, Generator) else outcome


def work_until(steps: Generator[float, None, Any], end: float) -> tuple[Any, float]:
    """Work until `end` (`time.monotonic`): the outcome, or the steps that are left and how much is done."""
    done = 0.0
    while True:
        try:
            done = next(steps)
        except StopIteration as stop:
            return stop.value, 1.0
        if time.monotonic() >= end:
            return steps, min(max(float(done), 0.0), 1.0)


def _checked(op: str, outcome: Any) -> tuple[Any, str, Buffers]:
    """The result of an outcome, the same as JSON text, and its buffers, when they can be sent."""
    if isinstance(outcome, Generator):
        outcome = work_until(outcome, float("inf"))[0]
    result, buffers = outcome if isinstance(outcome, tuple) else (outcome, [])
    result = wire.encode(result)
    if isinstance(result, dict):
        for name, value in result.items():
            if isinstance(value, Columns):
                header, packed = pack(value.by_name)
                result, buffers = {**result, name: header}, [*buffers, *packed]
    text = json.dumps(result, allow_nan=False)
    if len(text) > RESULT_BYTES:
        raise LimitExceededError(f"the answer to {op} has {len(text):,} bytes, too many for one message", address="")
    total = sum(map(len, buffers))
    if total > TOTAL_BYTES:
        raise LimitExceededError(f"the answer to {op} has {total:,} bytes, too many to send", address="")
    return result, text, buffers
