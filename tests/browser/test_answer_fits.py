"""Whether the answer is seen whole without scrolling: its sentence and its main picture, in a notebook's frame."""

from pathlib import Path
from typing import NamedTuple

import pytest
from browser.harness import View, settle
from browser.lens_places import COMPARED, write_second
from quick import quick

import pqexplore
from pqexplore.engine.writer.samples import write_sample

FRAMES = {"1280x800": (848, 679), "1440x900": (1008, 779)}
"""For a window of JupyterLab its notebook: the width of an output, and the height of what scrolls.

The file browser is open, as at first; `test_jupyter.py` measures them.
"""

MARGIN = 24
"""Pixels: the explorer keeps so many of the notebook's height."""

THREE = "id BETWEEN 1026999 AND 1032998 AND user > 'user-05' AND amount > 300"


class Place(NamedTuple):
    """A place, the lens that is asked, and the selectors of the picture that answers it."""

    sample: str
    address: str
    lens: str
    picture: str
    where: str = ""
    scrolled: tuple[str, ...] = ()
    """The frames in which it is not seen whole."""


PLACES = {
    "overview": Place("events", "", "overview", ".pqx-picture .pqx-board-stage"),
    "damaged file": Place("sick-page", "", "overview", ".pqx-card"),
    "column": Place("dictionary-fallback", "row_groups/0/columns/0", "column", ".pqx-picture"),
    "row group": Place("events", "row_groups/1", "row_group", ".pqx-ranking"),
    "footer": Place("events", "footer", "contents", ".pqx-picture"),
    "query of three conditions": Place("events", "", "query", ".pqx-query-stages", THREE),
    "what if": Place("events", "row_groups/0/columns/9", "what_if", ".pqx-picture .pqx-board-stage"),
    "layout": Place("events", "row_groups/0/columns/3", "layout", ".pqx-picture"),
    "Thrift struct": Place("events", "row_groups/0/columns/3/pages/1/header", "thrift", ".pqx-picture"),
    "statistics": Place("events", "row_groups/0/columns/0", "statistics", ".pqx-ranges"),
    "page index": Place("page-index", "row_groups/0/columns/0", "page_index", ".pqx-picture"),
    "delta page": Place("deltas", "row_groups/0/columns/0/pages/0/values", "encoding", ".pqx-picture"),
    "value of a nested column": Place("events", "row_groups/0/columns/5/pages/2/values/1007", "value", ".pqx-life"),
    "levels of a nested page": Place("nested", "row_groups/0/columns/0/pages/0", "nesting", ".pqx-nest"),
    "dictionary": Place("dictionary-fallback", "row_groups/0/columns/0", "dictionary", ".pqx-balance, .pqx-dictionary .pqx-step-kinds"),
    "Bloom filter": Place("bloom-filter", "row_groups/0/columns/0", "bloom", ".pqx-picture"),
    "Variant": Place("variant-shredded", "row_groups/0/columns/1", "variant", ".pqx-variant", scrolled=tuple(FRAMES)),
    "encrypted module": Place("encrypted-columns", "row_groups/0/columns/1/pages/1/body", "encryption", ".pqx-encryption"),
    "difference": Place("events", "row_groups/0/columns/2", "diff", ".pqx-picture", scrolled=tuple(FRAMES)),
}  # fmt: skip

UNSEEN = """(selectors) => {
  const root = document.querySelector('.pqx'), panel = root.querySelector('.pqx-panel');
  const box = (e) => e.getBoundingClientRect();
  const room = {top: Math.max(0, box(root).top), bottom: Math.min(innerHeight, box(root).bottom)};
  const cut = [];
  for (const selector of selectors) {
    const all = [...root.querySelectorAll(selector)].filter((e) => box(e).height);
    if (!all.length) cut.push(`${selector} is not there`);
    for (const one of all) {
      const [from, to] = [box(one).top, box(one).bottom].map(Math.round);
      const within = panel.contains(one) ? [room, box(panel)] : [room];
      for (const {top, bottom} of within)
        if (from < top - 1 || to > bottom + 1) cut.push(`${one.className}: ${from} to ${to} of ${top} to ${bottom}`);
      for (const e of one.querySelectorAll(':not(.pqx-grid)'))
        if (/auto|scroll/.test(getComputedStyle(e).overflowY) && e.scrollHeight > e.clientHeight + 1)
          cut.push(`${e.className} scrolls`);
    }
  }
  return cut;
}"""
"""What of these elements is not seen whole, with the reason; inside them nothing but a table may scroll."""

SENTENCE = ".pqx-answer > p:not(.pqx-hidden), .pqx-headline"


def fitted(page, picture):
    """Fill the frame as a notebook does, and list what is cut."""
    settle(page)
    return page.evaluate(UNSEEN, [SENTENCE, picture])


@pytest.mark.parametrize("frame", quick(FRAMES, "1280x800"))
@pytest.mark.parametrize("name", PLACES)
def test_sentence_and_picture_are_seen_whole_without_scrolling(lend, unlocked, sample, tmp_path, name, frame):
    place = PLACES[name]
    width, height = FRAMES[frame]
    other = None
    if place.lens in COMPARED:
        other = write_second(sample(place.sample), tmp_path / f"{COMPARED[place.lens]}.parquet")
    with unlocked(place.sample) as file:
        explorer = pqexplore.explore(file, at=place.address, view=place.lens, where=place.where, against=other)
        view = View(lend((width + MARGIN, height)), explorer, width=f"{width}px")
        view.shown(place.address)
        view.page.locator(f'.pqx-lens[data-lens="{place.lens}"]').wait_for()
        cut = fitted(view.page, place.picture)
    assert bool(cut) == (frame in place.scrolled), cut


@pytest.mark.parametrize("frame", FRAMES)
def test_nearly_all_places_fit(frame):
    assert len(PLACES) + 1 == 20
    assert sum(frame not in place.scrolled for place in PLACES.values()) + 1 >= 18


@pytest.mark.parametrize("frame", quick(FRAMES, "1280x800"))
def test_the_report_of_a_lake_is_seen_whole(lend, tmp_path, frame):
    pytest.importorskip("duckdb")
    from pqexplore.lake import scan

    width, height = FRAMES[frame]
    folder = Path(tmp_path / "lake")
    folder.mkdir()
    for name in ("events", "nested"):
        write_sample(name, folder / f"{name}.parquet")
    lake = scan(None, str(folder), out=tmp_path / "tables", processes=0)
    view = View(lend((width + MARGIN, height)), pqexplore.explore_lake(lake), width=f"{width}px")
    view.page.locator(".pqx-lake[data-shown]").wait_for(state="attached")
    assert fitted(view.page, ".pqx-picture, .pqx-lens") == []
