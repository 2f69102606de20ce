"""Requests from a view, answers from the engine, over one channel of custom messages.

A request is `{kind: "request", id, op, args}`; its answer `{kind: "reply", id, ok: true, result}` with binary
buffers, or `{kind: "reply", id, ok: false, error: {type, message, address, offset}}`. Ids are integers that the view
chooses; each request has exactly one reply, whatever happens. Requests may be answered in any order and from any
thread, also while a cell runs.

Front ends refuse messages of more than a few megabytes, so buffers beyond `PART_BYTES` go ahead of their reply in
messages `{kind: "part", id}`, and the reply says in `parts` how long each of its buffers is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pqexplore.engine.errors import LimitExceededError, ParquetError, UsageError

MESSAGE_BYTES = 4_000_000
"""No message is longer: Databricks stops at 5 MB."""

PART_BYTES = 3 << 20
RESULT_BYTES = 512 << 10
"""No result, without its buffers, is longer."""

TOTAL_BYTES = 64 << 20
"""No reply, all parts together, is longer."""

Buffers = list[bytes | memoryview]
Op = Callable[..., Any]
"""An operation: takes the file and the request's args, gives a JSON-able result, or a pair of it and buffers."""

Message = tuple[dict[str, Any], Buffers]


def answer(ops: Mapping[str, Op], file: Any, request: Any) -> Iterator[Message]:
    """The messages that answer `request`; nothing for what is not a request."""
    if not isinstance(request, dict) or request.get("kind") != "request":
        return
    number = request.get("id")
    if not isinstance(number, int):
        return
    try:
        result, buffers = call(ops, file, request.get("op"), request.get("args") or {})
    except Exception as error:  # whatever happens, the view hears of it
        reply = {"kind": "reply", "id": number, "ok": False, "error": describe(error)}
        yield reply, []
        return
    reply = {"kind": "reply", "id": number, "ok": True, "result": result}
    if sum(map(len, buffers)) <= PART_BYTES:
        yield reply, buffers
        return
    joined = b"".join(buffers)
    for start in range(0, len(joined), PART_BYTES):
        yield {"kind": "part", "id": number}, [joined[start : start + PART_BYTES]]
    yield {**reply, "parts": [len(b) for b in buffers]}, []


def call(ops: Mapping[str, Op], file: Any, op: Any, args: Any) -> tuple[Any, Buffers]:
    """Run one operation: its result and its buffers.

    Raises `UsageError` for an unknown operation or wrong arguments, `LimitExceededError` where the answer is too long
    for a message, and whatever the operation raises.
    """
    if not isinstance(op, str) or op not in ops:
        raise UsageError(f"there is no operation {op!r}")
    if not isinstance(args, dict):
        raise UsageError(f"the arguments of {op} are not an object")
    outcome = ops[op](file, **args)
    result, buffers = outcome if isinstance(outcome, tuple) else (outcome, [])
    length = len(json.dumps(result, allow_nan=False))
    if length > RESULT_BYTES:
        raise LimitExceededError(
            f"the answer to {op} has {length:,} bytes, too many for one message", address=""
        )
    total = sum(map(len, buffers))
    if total > TOTAL_BYTES:
        raise LimitExceededError(
            f"the answer to {op} has {total:,} bytes, too many to send", address=""
        )
    return result, buffers


def describe(error: BaseException) -> dict[str, Any]:
    """An error for the view: what, where."""
    if isinstance(error, ParquetError):
        kind, message = type(error).__name__, error.message
        return {"type": kind, "message": message, "address": error.address, "offset": error.offset}
    message = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    return {
        "type": type(error).__name__,
        "message": message or "no reason given",
        "address": None,
        "offset": None,
    }
