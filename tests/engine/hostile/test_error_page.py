"""The page of error messages in the docs is what reading broken files says today."""

import pytest
from engine.hostile import error_page
from needs import needs

from pqexplore.engine import errors

CASES = {f"{title}: {what}": make for title, cases in error_page.SECTIONS.items() for what, make in cases.items()}


@needs("cramjam", "2.13", "its messages are others")
def test_the_committed_page_is_current():
    again = "python tests/engine/hostile/error_page.py writes it anew"
    assert error_page.PAGE.read_text(encoding="utf-8") == error_page.text(), again


@pytest.mark.parametrize("make", CASES.values(), ids=CASES)
def test_every_broken_file_gives_an_error_with_its_place(make):
    raised = error_page.error(make())
    assert type(raised).__name__ in errors.__dict__, "the class is not public"
    assert raised.address is not None or raised.offset == 0
    assert raised.offset is not None
    assert len(raised.message) > 20


@pytest.mark.parametrize(("make", "limits"), error_page.LIMITED.values(), ids=error_page.LIMITED)
def test_every_limit_says_which_how_much_and_how_to_raise_it(make, limits):
    raised = error_page.error(make(), **limits)
    ((name, allowed),) = limits.items()
    assert isinstance(raised, errors.LimitExceededError)
    assert f"the limit {name} allows {allowed:,}" in raised.message
    call = raised.message.rpartition("limits=pqexplore.Limits(")[2].rstrip(")")
    asked_name, _, asked = call.partition("=")
    assert asked_name == name and int(asked) > allowed
    assert raised.address is not None
    again = error_page.error(make(), **{name: int(asked)})
    assert not isinstance(again, errors.LimitExceededError) or again.message != raised.message
