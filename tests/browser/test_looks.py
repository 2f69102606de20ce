"""Nothing overlaps or is cut off, and axe-core finds nothing, in each size and colour scheme."""

from browser.looks import in_looks, misplaced, violations

PLACES = ["", "row_groups/0", "row_groups/0/columns/2/pages/1", "footer"]


@in_looks("light", "narrow-dark", "zoomed", "wide", full=("dark", "narrow"))
def test_nothing_overlaps_or_is_cut_off(show, orders_bytes, look):
    view = show(orders_bytes, **look)
    for place in PLACES:
        view.go(place)
        assert misplaced(view.page) == [], place or "file"


@in_looks("light", "dark", "narrow", "forced-colours", full=("narrow-dark",))
def test_axe_has_no_finding(show, orders_bytes, look):
    view = show(orders_bytes, **look)
    for place in PLACES:
        view.go(place)
        assert violations(view.page) == [], place or "file"


def test_the_map_follows_a_change_of_theme(show, orders_bytes):
    view = show(orders_bytes)
    before = view.page.evaluate("document.querySelector('.pqx-stage').dataset.drawn")
    view.page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    view.page.wait_for_function(
        "(n) => document.querySelector('.pqx-stage').dataset.drawn !== n", arg=before
    )


def test_reduced_motion_stops_all_animations(show, orders_bytes):
    view = show(orders_bytes, reduced_motion="reduce")
    moving = view.page.evaluate(
        """() => { document.querySelector('.pqx-progress').hidden = false;
             return document.getAnimations().length; }"""
    )
    assert moving == 0
