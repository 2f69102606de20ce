"""Measures the look of a page: whether something overlaps or is cut off, and the findings of axe-core."""

import json
import pathlib
from collections.abc import Sequence
from typing import Any

import pytest
from browser.harness import JUPYTER_DARK, resize, settle

AXE = pathlib.Path(__file__).parents[2] / "js" / "node_modules" / "axe-core" / "axe.min.js"

LOOKS: dict[str, dict[str, Any]] = {
    "light": {"size": (1280, 780)},
    "dark": {"size": (1280, 780), "color_scheme": "dark", "css": JUPYTER_DARK},
    "narrow": {"size": (400, 800)},
    "narrow-dark": {"size": (400, 800), "color_scheme": "dark", "css": JUPYTER_DARK},
    "zoomed": {"size": (600, 500), "device_scale_factor": 2},
    "wide": {"size": (1700, 1000)},
    "forced-colours": {"size": (1200, 1000), "forced_colors": "active"},
}
"""Sizes and colours of a page, as arguments of `show`. 600 pixels at twice the scale are 200 % zoom."""

TYPE = ["11px", "13px", "15px"]
"""The sizes of type: of notes and data, of text, and of the file's name with the sentence below it."""

FREE = ".pqx-line, .pqx-line *, .pqx-nest-line, .pqx-nest-sign"
"""What is not on the grid of spaces: digits in columns, which are as wide as a character."""

_GEOMETRY = """() => {
  const problems = [];
  const box = (e) => e.getBoundingClientRect();
  const root = document.querySelector('.pqx');
  const name = (e) => `${e.className || e.tagName}: ${e.textContent.slice(0, 30)}`;
  if (document.documentElement.scrollWidth > innerWidth) problems.push('the page scrolls sideways');
  const parts = [...root.querySelectorAll(
    '.pqx-identity, .pqx-stage, .pqx-tail, .pqx-legend, .pqx-crumbs, .pqx-outline, .pqx-tabs, .pqx-panel, .pqx-hex, .pqx-reader')]
    .filter((e) => box(e).height);
  parts.forEach((a, i) => parts.slice(i + 1).forEach((b) => {
    if (a.contains(b) || b.contains(a)) return;
    const [p, q] = [box(a), box(b)];
    const wide = Math.min(p.right, q.right) - Math.max(p.left, q.left);
    const tall = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
    if (wide > 1 && tall > 1) problems.push(`${a.className} overlaps ${b.className}`);
  }));
  const scrolls = (e) => {
    for (let a = e.parentElement; a && a !== root && !a.matches('.pqx-panel'); a = a.parentElement)
      if (['auto', 'scroll'].includes(getComputedStyle(a).overflowX)) return true;
    return false;
  };
  for (const e of root.querySelectorAll('*')) {
    const r = box(e);
    const over = e.closest('[popover]');
    if (over) {
      if (r.width && e === over && (r.left < 0 || r.right > innerWidth || r.bottom > innerHeight)) problems.push(`outside: ${name(e)}`);
      continue;
    }
    if (!r.width || e.closest('.pqx-rows, .pqx-head, .pqx-hidden, .pqx-facts-pane, .pqx-reader, canvas')) continue;
    if ((r.right > box(root).right + 1 || r.left < box(root).left - 1) && !scrolls(e)) problems.push(`outside: ${name(e)}`);
  }
  for (const e of root.querySelectorAll('button, .pqx-badge, .pqx-counts > *, .pqx-legend li')) {
    const style = getComputedStyle(e);
    if (e.scrollWidth > e.clientWidth + 1 && style.display !== 'inline' && e.clientWidth)
      problems.push(`cut off: ${name(e)}`);
  }
  for (const e of root.querySelectorAll('.pqx-grid, .pqx-hex, .pqx-tree')) {
    if (box(e).height && box(e).height < 90 && e.scrollHeight > e.clientHeight + 1)
      problems.push(`too low: ${name(e)}`);
  }
  const grid = (side, value) => value % 4 === 0 || value === 2 || (side.endsWith('gap') && value === 1);
  const sides = ['padding-top', 'padding-right', 'padding-bottom', 'padding-left',
    'margin-top', 'margin-right', 'margin-bottom', 'margin-left', 'row-gap', 'column-gap'];
  for (const e of root.querySelectorAll('*')) {
    if (!box(e).width || e.closest('svg')) continue;
    const size = getComputedStyle(e).fontSize;
    if (!TYPE.includes(size)) problems.push(`type of ${size}: ${name(e)}`);
    if (e.matches(FREE)) continue;
    for (const side of sides) {
      const space = e.computedStyleMap().get(side);
      if (space.unit === 'px' && !grid(side, Math.abs(space.value)))
        problems.push(`${side} of ${space}: ${name(e)}`);
    }
  }
  return problems;
}""".replace("TYPE", json.dumps(TYPE)).replace("FREE", json.dumps(FREE))

_FINDINGS = """async () => (await axe.run(document, {resultTypes: ['violations']})).violations
  .map((v) => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 160), v.nodes[0].failureSummary])"""


def in_looks(*names: str, full: Sequence[str] = ()) -> Any:
    """Parametrize a test by `look`, each a set of arguments for `show`; those in `full` are for `make test-full`."""
    looks = [pytest.param(LOOKS[name], id=name) for name in names]
    looks += [pytest.param(LOOKS[name], id=name, marks=pytest.mark.full) for name in full]
    return pytest.mark.parametrize("look", looks)


def misplaced(page: Any) -> list[str]:
    """The elements of a page at rest that overlap, stick out, are cut off, or have a size of type or a space of their own.

    Spaces are multiples of 4 pixels, or 2; a gap of 1 pixel is the line between two marks.
    """
    settle(page)
    problems: list[str] = page.evaluate(_GEOMETRY)
    return problems


def change_look(page: Any, look: str) -> None:
    """Give a page that is open another size and other colours: cheaper than a view of its own."""
    options = LOOKS[look]
    page.emulate_media(color_scheme=options.get("color_scheme", "light"))
    resize(page, *options["size"])
    if "css" in options:
        page.add_style_tag(content=options["css"])
    page.evaluate("(name) => void (document.body.dataset.jpThemeName = name)", look)
    settle(page)


def violations(page: Any) -> list[Any]:
    """The findings of axe-core in a page at rest. Fails if axe-core is not installed."""
    if not AXE.exists():
        pytest.fail("axe-core is not installed: run `npm ci` in js")
    settle(page)
    if not page.evaluate("() => 'axe' in window"):
        page.add_script_tag(path=AXE)
    findings: list[Any] = page.evaluate(_FINDINGS)
    return findings
