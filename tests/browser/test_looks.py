"""Nothing overlaps, nothing is cut off, and everyone can use it: measured, in each size and colour scheme."""

import pathlib

import pytest
from browser.harness import JUPYTER_DARK

AXE = pathlib.Path(__file__).parents[2] / "js" / "node_modules" / "axe-core" / "axe.min.js"

PLACES = ["", "row_groups/0", "row_groups/0/columns/2/pages/1", "footer"]

LOOKS = [
    pytest.param({"size": (1200, 1000)}, id="light"),
    pytest.param({"size": (1200, 1000), "color_scheme": "dark", "css": JUPYTER_DARK}, id="dark"),
    pytest.param({"size": (400, 900)}, id="narrow"),
    pytest.param({"size": (400, 900), "color_scheme": "dark"}, id="narrow-dark"),
    pytest.param({"size": (600, 500), "device_scale_factor": 2}, id="zoomed"),
    pytest.param({"size": (1700, 1000)}, id="wide"),
]

GEOMETRY = """() => {
  const found = [];
  const box = (e) => e.getBoundingClientRect();
  const root = document.querySelector('.pqx');
  const name = (e) => `${e.className || e.tagName}: ${e.textContent.slice(0, 30)}`;
  if (document.documentElement.scrollWidth > innerWidth) found.push('the page scrolls sideways');
  const parts = [...root.querySelectorAll(
    '.pqx-identity, .pqx-stage, .pqx-tail, .pqx-legend, .pqx-crumbs, .pqx-outline, .pqx-tabs, .pqx-panel, .pqx-hex, .pqx-reader')]
    .filter((e) => box(e).height);
  parts.forEach((a, i) => parts.slice(i + 1).forEach((b) => {
    if (a.contains(b) || b.contains(a)) return;
    const [p, q] = [box(a), box(b)];
    const wide = Math.min(p.right, q.right) - Math.max(p.left, q.left);
    const tall = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
    if (wide > 1 && tall > 1) found.push(`${a.className} overlaps ${b.className}`);
  }));
  const scrolls = (e) => {
    for (let a = e.parentElement; a && a !== root && !a.matches('.pqx-panel'); a = a.parentElement)
      if (['auto', 'scroll'].includes(getComputedStyle(a).overflowX)) return true;
    return false;
  };
  for (const e of root.querySelectorAll('*')) {
    const r = box(e);
    if (!r.width || e.closest('.pqx-rows, .pqx-head, .pqx-hidden, .pqx-facts-pane, .pqx-reader, canvas')) continue;
    if ((r.right > box(root).right + 1 || r.left < box(root).left - 1) && !scrolls(e)) found.push(`outside: ${name(e)}`);
  }
  for (const e of root.querySelectorAll('button, .pqx-badge, .pqx-counts > *, .pqx-legend li')) {
    const style = getComputedStyle(e);
    if (e.scrollWidth > e.clientWidth + 1 && style.display !== 'inline' && e.clientWidth)
      found.push(`cut off: ${name(e)}`);
  }
  for (const e of root.querySelectorAll('.pqx-grid, .pqx-hex, .pqx-tree')) {
    if (box(e).height && box(e).height < 90 && e.scrollHeight > e.clientHeight + 1)
      found.push(`too low: ${name(e)}`);
  }
  return found;
}"""


@pytest.mark.parametrize("look", LOOKS)
def test_nothing_overlaps_or_is_cut_off(show, orders_bytes, look):
    view = show(orders_bytes, **look)
    for place in PLACES:
        view.go(place)
        assert view.page.evaluate(GEOMETRY) == [], place or "file"


@pytest.mark.parametrize(
    "look", [*LOOKS[:4], pytest.param({"forced_colors": "active"}, id="forced-colours")]
)
def test_axe_has_no_finding(show, orders_bytes, look):
    if not AXE.exists():
        pytest.fail("axe-core is not installed: run `npm ci` in js")
    view = show(orders_bytes, **look)
    view.page.add_script_tag(path=AXE)
    for place in PLACES:
        view.go(place)
        view.page.wait_for_timeout(150)
        violations = view.page.evaluate(
            """async () => (await axe.run('#pqx-root', {resultTypes: ['violations']})).violations
                 .map((v) => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 160), v.nodes[0].failureSummary])"""
        )
        assert violations == [], place or "file"


def test_the_map_follows_a_change_of_theme(show, orders_bytes):
    view = show(orders_bytes)
    before = view.page.evaluate("document.querySelector('.pqx-stage').dataset.drawn")
    view.page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    view.page.wait_for_function(
        "(n) => document.querySelector('.pqx-stage').dataset.drawn !== n", arg=before
    )


def test_nothing_moves_for_those_who_ask_for_it(show, orders_bytes):
    view = show(orders_bytes, reduced_motion="reduce")
    moving = view.page.evaluate(
        """() => { document.querySelector('.pqx-progress').hidden = false;
             return document.getAnimations().length; }"""
    )
    assert moving == 0
