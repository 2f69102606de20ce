"""Nothing overlaps or is cut off, and axe-core finds nothing, in each size and colour scheme."""

import itertools

import pytest
from browser.looks import LOOKS, change_look, misplaced, violations

PLACES = ["", "row_groups/0", "row_groups/0/columns/2/pages/1", "footer"]


def at_places(*looks):
    """Parametrize a test by look and places.

    Each run has two looks, with two places each; every lens is seen in the others (test_every_lens).
    """
    pairs = itertools.cycle((PLACES[:2], PLACES[2:]))
    some = [pytest.param(LOOKS[look], next(pairs), id=look) for look in looks[:2]]
    every = [pytest.param(LOOKS[look], PLACES, id=f"{look}-all", marks=pytest.mark.full) for look in looks]
    return pytest.mark.parametrize(("look", "places"), some + every)


@at_places("wide", "zoomed", "light", "narrow-dark", "dark", "narrow")
def test_nothing_overlaps_or_is_cut_off(show, orders_bytes, look, places):
    view = show(orders_bytes, **look)
    for place in places:
        view.go(place)
        assert misplaced(view.page) == [], place or "file"


@at_places("light", "forced-colours", "narrow", "dark", "narrow-dark")
def test_axe_has_no_finding(show, orders_bytes, look, places):
    view = show(orders_bytes, **look)
    for place in places:
        view.go(place)
        assert violations(view.page) == [], place or "file"


def test_the_map_follows_a_change_of_theme(show, orders_bytes):
    view = show(orders_bytes)
    before = view.page.evaluate("document.querySelector('.pqx-stage').dataset.drawn")
    view.page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    view.page.wait_for_function("(n) => document.querySelector('.pqx-stage').dataset.drawn !== n", arg=before)


def test_reduced_motion_stops_all_animations(show, orders_bytes):
    view = show(orders_bytes, reduced_motion="reduce")
    moving = view.page.evaluate(
        """() => { document.querySelector('.pqx-progress').hidden = false;
             return document.getAnimations().length; }"""
    )
    assert moving == 0


def test_the_chosen_tab_is_seen_after_the_window_became_narrow(show, orders_bytes):
    page = show(orders_bytes, at="row_groups/0/columns/1", view="facts", **LOOKS["light"]).page
    change_look(page, "narrow")
    bar, tab = (page.locator(f".pqx-tabs{part}").first.bounding_box() for part in ("", " [aria-selected=true]"))
    assert bar["x"] <= tab["x"] and tab["x"] + tab["width"] <= bar["x"] + bar["width"]
