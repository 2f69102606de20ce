"""The work budget: what a question may cost, and what comes of one that costs more."""

import threading

import numpy as np
import pytest
from engine.hostile import forge

import pqexplore
from pqexplore.engine.budget import BYTES_A_SECOND, DECODED_A_BYTE, Budget
from pqexplore.engine.check import file_check
from pqexplore.engine.errors import LimitExceededError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.page import Page
from pqexplore.engine.limits import Limits
from pqexplore.insight import lenses

SMALL = Limits(work_bytes=1_000, work_nodes=10, work_seconds=60)


@pytest.mark.parametrize(("charge", "name"), [({"size": 1_001}, "work_bytes"), ({"nodes": 11}, "work_nodes")])
def test_more_than_allowed_names_the_limit_the_place_and_the_way_on(charge, name):
    budget = Budget(SMALL)
    way_on = rf"check\(\): .*Limits\({name}="
    with pytest.raises(LimitExceededError, match=way_on) as caught, budget.asking("check()"):
        budget.charge(**charge, address="row_groups/3", offset=17)
    assert (caught.value.address, caught.value.offset) == ("row_groups/3", 17)


def test_seconds_are_those_of_the_processor():
    budget = Budget(Limits(work_seconds=0.01))
    with pytest.raises(LimitExceededError, match="work_seconds"), budget.asking("layout()"):
        while True:
            budget.charge()


def test_a_larger_file_is_given_more():
    size = 5 * BYTES_A_SECOND
    budget = Budget(SMALL, size)
    with budget.asking("check()"):
        budget.charge(size=DECODED_A_BYTE * size, nodes=size)
    with pytest.raises(LimitExceededError), budget.asking("check()"):
        budget.charge(size=DECODED_A_BYTE * size + 1_001)


def test_a_question_inside_another_is_booked_on_the_outer_one():
    budget = Budget(SMALL)
    with budget.asking("check()") as outer, budget.asking("read()", counted=False) as inner:
        assert inner is outer
        budget.charge(size=1_000)
        with pytest.raises(LimitExceededError, match=r"^check\(\)"):
            budget.charge(size=1)
        assert "work_bytes" in budget.exhausted and outer.stopped_at == ""


def test_each_question_begins_anew_and_work_outside_is_not_counted():
    budget = Budget(SMALL)
    for _ in range(3):
        with budget.asking("node()"):
            budget.charge(nodes=10)
    budget.charge(nodes=1_000)
    assert budget.exhausted == ""


def test_work_in_steps_rests_between_them():
    budget = Budget(SMALL)

    def work():
        for _ in range(4):
            budget.charge(nodes=5)
            yield budget.account.nodes

    steps = budget.steps("a lens", work())
    assert next(steps) == 5
    assert budget.account is None
    assert next(steps) == 10
    with pytest.raises(LimitExceededError, match="a lens"):
        next(steps)


def test_steps_that_are_dropped_close_the_work():
    closed = []

    def work():
        try:
            yield 1
            yield 2
        finally:
            closed.append(True)

    steps = Budget().steps("a lens", work())
    next(steps)
    steps.close()
    assert closed == [True]


def test_cancel_stops_what_another_thread_is_doing():
    budget = Budget()
    begun, caught = threading.Event(), []

    def work():
        try:
            with budget.asking("read()", counted=False):
                while True:
                    budget.charge()
                    begun.set()
        except LimitExceededError as error:
            caught.append(error.message)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert begun.wait(10)
    budget.cancel()
    thread.join(10)
    assert caught == ["read(): it was cancelled"]


def numpy_memory_error():
    """What numpy raises for an array that no memory can hold: a MemoryError of its own class."""
    try:
        np.empty(1 << 62, np.uint8)
    except MemoryError as error:
        return error
    raise AssertionError("numpy made an array of 4 EiB")


@pytest.mark.parametrize("error", [MemoryError(), numpy_memory_error()])
def test_memory_that_does_not_suffice_is_a_limit_at_each_entry(monkeypatch, error):
    def fail(*_, **__):
        raise error

    with pqexplore.open(forge.dictionary_run(count=10)) as f:
        page = f.row_groups[0].columns[0].pages[1]
        node = f.node(page.address)
        monkeypatch.setattr(Page, "_open_body", fail)
        for ask in (
            f.read,
            lambda: page.values,
            lambda: page.trace().__next__(),
            lambda: f.node(f"{page.address}/values/3"),
            lambda: lenses.finish(lenses.answer_of(f, node, lenses.LENSES["page"])),
        ):
            f.cache.clear()
            with pytest.raises(LimitExceededError, match="memory"):
                ask()
        monkeypatch.setattr(Page, "_open_body", lambda _: None)
        monkeypatch.setattr("pqexplore.engine.tree.page_nodes.struct_node", fail)
        with pytest.raises(LimitExceededError, match="memory"):
            len(node.children)
        monkeypatch.setattr("pqexplore.engine.tree.layout._table", fail)
        with pytest.raises(LimitExceededError, match="memory"):
            f.layout()
    monkeypatch.setattr("pqexplore.engine.file.file.footer_tail.load", fail)
    with pytest.raises(LimitExceededError, match="memory"):
        pqexplore.open(forge.dictionary_run(count=10))
    monkeypatch.setattr("pqexplore.engine.salvage.scan", fail)
    with pytest.raises(LimitExceededError, match="memory"):
        pqexplore.salvage(forge.dictionary_run(count=10))


def test_check_says_that_it_stopped_and_keeps_what_it_found():
    data = forge.null_runs(pages=8, count=100_000)
    with pqexplore.open(data, limits=Limits(work_bytes=0)) as f:
        *others, last = f.check()
    assert last.rule == "not-everything-checked" and last.severity.level == "note"
    assert last.message.startswith("not everything was checked: ")
    assert "Limits(work_bytes=" in last.message
    assert last.address.startswith("row_groups/0/columns/0/pages/")
    with pqexplore.open(data) as f:
        assert {one.rule for one in f.check()} == {one.rule for one in others} - {"limit"}


@pytest.mark.parametrize(
    ("lens", "data", "work_bytes", "seen"),
    [
        ("nesting", forge.null_runs(8, 1_000), 2_500, "2,000 entries"),
        ("dictionary", forge.dictionary_run(8, 1_000), 50, "1,000 values"),
    ],
)
def test_a_lens_says_what_it_saw_and_that_it_stopped(lens, data, work_bytes, seen):
    with pqexplore.open(data) as f:
        chunk = f.row_groups[0].columns[0]
        assert chunk.dictionary is None or len(chunk.dictionary) == 2
        f.budget = Budget(Limits(work_bytes=work_bytes))
        said = lenses.finish(lenses.answer_of(f, f.node(chunk.address), lenses.LENSES[lens])).sentence
    assert seen in said
    assert "Not everything was looked at: it takes more than" in said
    assert "Limits(work_bytes=" in said


def test_check_reads_the_writer_after_its_first_rule(monkeypatch):
    """The writer comes after the row groups, so reading it first would read a large footer outside of the budget."""
    order = []
    monkeypatch.setattr(file_check, "FILE_RULES", (lambda file: order.append("rule") or (),))
    monkeypatch.setattr(ParquetFile, "created_by", property(lambda file: order.append("writer")))
    with pqexplore.open(forge.null_runs(pages=8, count=100_000), limits=Limits(work_bytes=0)) as f:
        assert f.check()
    assert order[0] == "rule" and "writer" in order
