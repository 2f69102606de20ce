"""The frame around each lens's picture, and stopping long work."""

import dataclasses

import pytest
from browser.harness import copied, keep_copies
from playwright.sync_api import expect

from pqexplore.insight import lenses
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.lenses import facts
from pqexplore.widget import rpc


@pytest.fixture
def set_answer(monkeypatch):
    """The answer of the facts lens is what a test sets here."""

    def replace(answer, cost=None):
        changed = dataclasses.replace(facts.LENS, answer=answer, cost=cost)
        monkeypatch.setitem(lenses.LENSES, "facts", changed)

    return replace


def test_the_answer_is_above_the_picture_and_can_be_copied(show, orders_bytes, set_answer):
    def answer(file, node):
        table = Table([Column("n", "n", "number")])
        for i in range(130):
            table.add(i)
        return Answer("One hundred and thirty numbers.", {}, table, code="f.check()")

    set_answer(answer)
    page = show(orders_bytes, at="row_groups/0", view="facts").page
    expect(page.locator(".pqx-answer > p")).to_have_text("One hundred and thirty numbers.")
    keep_copies(page)
    page.get_by_role("button", name="copy code").click()
    page.get_by_role("button", name="copied").wait_for()
    page.get_by_role("button", name="copy table").click()
    expect(page.get_by_role("button", name="copied")).to_have_count(2)
    code, table = copied(page)
    assert code == "f.check()"
    assert table.splitlines() == ["n", *map(str, range(130))]


def test_an_empty_answer_says_why_and_an_expensive_one_is_asked_about(show, orders_bytes, set_answer):
    set_answer(lambda file, node: Answer("Nothing here.", empty="No writer wrote it."))
    view = show(orders_bytes, view="facts")
    expect(view.page.locator(".pqx-empty")).to_have_text("No writer wrote it.")
    set_answer(lambda file, node: Answer("Decoded.", {}), cost=lambda file, node: 24 << 20)
    view.go("row_groups/0")
    expect(view.page.locator(".pqx-ask")).to_contain_text("25.2 MB have to be decoded")
    view.page.get_by_role("button", name="decode 25.2 MB").click()
    expect(view.page.locator(".pqx-answer > p")).to_have_text("Decoded.")


def test_long_work_shows_progress_and_can_be_stopped(show, orders_bytes, set_answer, monkeypatch):
    monkeypatch.setattr(rpc, "SLICE", 0.02)
    closed = []

    def forever(file, node):
        try:
            while True:
                yield 0.42
        finally:
            closed.append(True)

    set_answer(lambda file, node: Answer("Quick.", {}))
    view = show(orders_bytes, view="facts")
    set_answer(forever)
    view.explorer.selection = "row_groups/0"
    view.flush()
    expect(view.page.locator(".pqx-progress")).to_contain_text("42 %")
    view.page.get_by_role("button", name="stop").click()
    expect(view.page.locator(".pqx-detail .pqx-trouble")).to_contain_text("Stopped")
    expect(view.page.locator(".pqx-progress")).to_be_hidden()
    assert closed == [True]
