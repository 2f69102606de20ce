import gc
import json

import pytest

from pqexplore.engine.errors import CorruptFileError, UsageError
from pqexplore.insight.trouble import describe
from pqexplore.lake.panels import LAKE, STORE
from pqexplore.widget import rpc
from pqexplore.widget.lake import explorer
from pqexplore.widget.operations import OPERATIONS

LAKE_OPERATIONS = [
    *((one.__name__, one) for one in (explorer.about, explorer.empty, explorer.panel, explorer.search, explorer.table)),
    *(pair for panel in (*LAKE.values(), *STORE.values()) for pair in panel.operations.items()),
]


def ask(ops, request, file=None):
    return list(rpc.answer(ops, file, request))


def request(op="op", number=7, **args):
    return {"kind": "request", "id": number, "op": op, "args": args}


def test_a_request_has_one_reply_with_its_id_result_and_buffers():
    ops = {"op": lambda file, n: ({"twice": 2 * n}, [b"ab", b"c"])}
    assert ask(ops, request(n=4)) == [({"kind": "reply", "id": 7, "ok": True, "result": {"twice": 8}}, [b"ab", b"c"])]


def test_an_operation_may_have_no_buffers():
    [(reply, buffers)] = ask({"op": lambda file: [1]}, request())
    assert reply["result"] == [1]
    assert buffers == []


@pytest.mark.parametrize(
    "message", [None, "text", {}, {"kind": "reply", "id": 1}, {"kind": "request"}, {"kind": "request", "id": "1"}]
)
def test_what_is_no_request_has_no_reply(message):
    assert ask({}, message) == []


@pytest.mark.parametrize(("error", "told"), [
    (
        CorruptFileError("torn", offset=12, address="row_groups/0"),
        {"type": "CorruptFileError", "message": "torn", "address": "row_groups/0", "offset": 12, "code": "corrupt"},
    ),
    (
        KeyError("no node"),
        {"type": "KeyError", "message": "no node", "address": None, "offset": None, "code": "internal"},
    ),
    (
        ZeroDivisionError(),
        {
            "type": "ZeroDivisionError",
            "message": "no reason given",
            "address": None,
            "offset": None,
            "code": "internal",
        },
    ),
])  # fmt: skip
def test_an_error_is_a_reply_that_says_what_and_where(error, told):
    def fail(file):
        raise error

    assert ask({"op": fail}, request()) == [({"kind": "reply", "id": 7, "ok": False, "error": told}, [])]


@pytest.mark.parametrize(("message", "error"), [
    (request(op="no such"), "UsageError"),
    (request(op=["list"]), "UsageError"),
    ({**request(), "args": [1]}, "UsageError"),
    (request(unknown=1), "UsageError"),
    ({**request(), "args": []}, "UsageError"),
])  # fmt: skip
def test_a_request_that_fits_no_operation_is_told_so(message, error):
    [(reply, _)] = ask({"op": lambda file: 1}, message)
    assert not reply["ok"]
    assert reply["error"]["type"] == error


def operation(file, text: "str", count: "int" = 0, numbers: "list[int]" = ()):
    return [text, count, *numbers]


@pytest.mark.parametrize(("args", "said"), [
    ({}, "op needs the argument 'text'"),
    ({"text": 1}, "the argument 'text' of op is a text, not int"),
    ({"text": None}, "the argument 'text' of op is a text, not NoneType"),
    ({"text": "", "count": "1"}, "is an integer of 64 bits, not str"),
    ({"text": "", "count": True}, "is an integer of 64 bits, not bool"),
    ({"text": "", "count": 1.5}, "is an integer of 64 bits, not float"),
    ({"text": "", "count": 1 << 64}, "is an integer of 64 bits, not int"),
    ({"text": "", "numbers": [1, "2"]}, "is a list of integers of 64 bits, not list"),
    ({"text": "", "more": 1}, "op has no argument 'more'; its arguments: text, count, numbers"),
])  # fmt: skip
def test_arguments_are_those_of_the_operation(args, said):
    [(reply, _)] = ask({"op": operation}, request(**args))
    assert reply["error"]["type"] == "UsageError"
    assert said in reply["error"]["message"]


def test_arguments_that_fit_arrive():
    [(reply, _)] = ask({"op": operation}, request(text="a", count=1, numbers=[2, 3]))
    assert reply["result"] == ["a", 1, 2, 3]


def test_an_operation_that_takes_anything_gets_everything():
    # a file that cannot be opened answers every message with its own error, not with one about arguments
    def fail(*_: object, **__: object) -> None: ...

    rpc.check("identity", fail, {"address": "footer"})
    rpc.check("identity", fail, {})


@pytest.mark.parametrize(("name", "op"), [*OPERATIONS.items(), *LAKE_OPERATIONS])
def test_the_arguments_of_every_operation_are_of_types_that_are_checked(name, op):
    for parameter in rpc.parameters(op).values():
        assert parameter.annotation in rpc.TYPES, f"{name}: {parameter}"


def test_large_buffers_go_ahead_in_parts_none_too_long_and_join_to_the_same():
    parts = [bytes([1]) * 5_000_000, b"", bytes([2]) * 4_000_001]
    messages = ask({"op": lambda file: ("done", parts)}, request())
    sizes = [len(json.dumps(content)) + sum(map(len, buffers)) for content, buffers in messages]
    assert max(sizes) < rpc.MESSAGE_BYTES
    *ahead, (reply, none) = messages
    assert [content["kind"] for content, _ in ahead] == ["part"] * len(ahead)
    assert reply["parts"] == [5_000_000, 0, 4_000_001]
    assert none == []
    assert b"".join(b for _, buffers in ahead for b in buffers) == b"".join(parts)


@pytest.mark.parametrize("outcome", ["x" * rpc.RESULT_BYTES, (1, [bytes(rpc.TOTAL_BYTES), b"x"])])
def test_an_answer_too_long_to_send_is_refused(outcome):
    [(reply, _)] = ask({"op": lambda file: outcome}, request())
    assert reply["error"]["type"] == "LimitExceededError"


def test_a_result_that_json_does_not_know_is_an_error_and_no_silence():
    [(reply, _)] = ask({"op": lambda file: float("nan")}, request())
    assert not reply["ok"]


def test_describe_keeps_the_type_of_the_callers_own_mistakes():
    assert describe(UsageError("no view"))["type"] == "UsageError"


class TestWorkInSteps:
    """An operation that yields how much is done works until its slice of time is over, then when asked to go on."""

    @pytest.fixture(autouse=True)
    def no_patience(self, monkeypatch):
        monkeypatch.setattr(rpc, "SLICE", 0.0)

    @staticmethod
    def slow(file):
        yield 0.25
        yield 0.5
        return "found", [b"bytes"]

    def test_progress_then_the_reply(self):
        works, ops = rpc.Works(), {"op": self.slow}
        go_on = {"kind": "continue", "id": 7}
        said = [list(rpc.answer(ops, None, message, works)) for message in (request(), go_on, go_on)]
        assert said == [
            [({"kind": "progress", "id": 7, "done": 0.25}, [])],
            [({"kind": "progress", "id": 7, "done": 0.5}, [])],
            [({"kind": "reply", "id": 7, "ok": True, "result": "found"}, [b"bytes"])],
        ]

    def test_cancel_closes_it_and_it_cannot_go_on(self):
        closed = []

        def slow(file):
            try:
                yield 0.1
                yield 0.2
            finally:
                closed.append(True)

        works, ops = rpc.Works(), {"op": slow}
        list(rpc.answer(ops, None, request(), works))
        assert list(rpc.answer(ops, None, {"kind": "cancel", "id": 7}, works)) == []
        assert closed == [True]
        [(reply, _)] = rpc.answer(ops, None, {"kind": "continue", "id": 7}, works)
        assert reply["error"]["message"] == "this work is not under way any more; ask for it again"

    def test_an_error_on_the_way_is_the_reply(self):
        def fails(file):
            yield 0.5
            raise CorruptFileError("torn", offset=3)

        works = rpc.Works()
        list(rpc.answer({"op": fails}, None, request(), works))
        [(reply, _)] = rpc.answer({"op": fails}, None, {"kind": "continue", "id": 7}, works)
        assert (reply["ok"], reply["error"]["offset"]) == (False, 3)

    def test_the_oldest_is_dropped(self, monkeypatch):
        monkeypatch.setattr(rpc, "WORKS", 2)
        works, ops = rpc.Works(), {"op": self.slow}
        for number in (1, 2, 3):
            list(rpc.answer(ops, None, request(number=number), works))
        assert works.take(1) is None
        assert works.take(2) is not None

    def test_without_works_it_runs_to_its_end(self):
        [(reply, buffers)] = ask({"op": self.slow}, request())
        assert (reply["result"], buffers) == ("found", [b"bytes"])


def steps(file):
    yield gc.isenabled()
    return gc.isenabled()


@pytest.mark.parametrize("op", [lambda file: gc.isenabled(), steps, lambda file: file.missing])
def test_no_garbage_is_collected_while_an_answer_is_made(op):
    for reply, _ in rpc.answer({"op": op}, None, request(), rpc.Works()):
        assert gc.isenabled()  # while it is sent
        assert reply.get("result", False) is False
    assert gc.isenabled()
