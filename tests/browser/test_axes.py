"""Labels in pictures: each is drawn whole, and none over another."""

import pytest
from browser.harness import settle
from browser.lens_places import LENS_PLACES

import pqexplore
from pqexplore.engine.writer.samples import write_sample

WATCH = """() => {
  const proto = CanvasRenderingContext2D.prototype, { fillText, clearRect } = proto;
  window.pqxTexts = new Map();
  proto.clearRect = function (x, y, w, h) {
    if (x <= 0 && y <= 0) window.pqxTexts.set(this.canvas, []);
    return clearRect.call(this, x, y, w, h);
  };
  proto.fillText = function (text, x, y, ...more) {
    const m = this.measureText(text), t = this.getTransform();
    const corners = [[-m.actualBoundingBoxLeft, -m.actualBoundingBoxAscent],
      [m.actualBoundingBoxRight, m.actualBoundingBoxDescent]].map(([dx, dy]) => t.transformPoint({ x: x + dx, y: y + dy }));
    const [xs, ys] = [corners.map((c) => c.x), corners.map((c) => c.y)];
    const box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
    const all = window.pqxTexts.get(this.canvas) ?? [];
    all.push({ text: String(text), box, scale: t.a || 1 });
    window.pqxTexts.set(this.canvas, all);
    return fillText.call(this, text, x, y, ...more);
  };
}"""
"""Notes where each text of each canvas is drawn, until the canvas is cleared."""

WRONG = """() => {
  const wrong = [];
  let seen = 0;
  for (const [canvas, texts] of window.pqxTexts) {
    if (!canvas.closest(".pqx-picture")) continue;
    const visible = texts.filter(({ text }) => text.trim());
    seen += visible.length;
    visible.forEach(({ text, box: [left, top, right, bottom], scale }, i) => {
      const near = scale; // half a pixel of a letter's edge may be outside
      if (left < -near || top < -near || right > canvas.width + near || bottom > canvas.height + near)
        wrong.push(`cut: ${text}`);
      for (const { text: other, box: [l, t, r, b] } of visible.slice(i + 1))
        if (left + near < r && l + near < right && top + near < b && t + near < bottom && other !== text)
          wrong.push(`${text} over ${other}`);
    });
  }
  return { wrong, seen };
}"""

DRAWN = ("statistics", "geospatial", "compare", "bloom", "page_index", "column", "row_group", "query", "layout")


@pytest.mark.parametrize(
    "lens", [pytest.param(one, marks=() if one in DRAWN[:2] else pytest.mark.full) for one in DRAWN]
)
def test_the_labels_of_a_picture_are_whole(show, tmp_path, lens):
    sample, address = LENS_PLACES[lens]
    write_sample(sample, tmp_path / sample)
    with pqexplore.open(tmp_path / sample) as file:
        page = show(file, at=address, view=lens, size=(1270, 1400)).page
        page.evaluate(WATCH)
        for width in (1280, 400):
            page.evaluate("() => window.pqxTexts.clear()")
            page.set_viewport_size({"width": width, "height": 1400})
            settle(page)
            found = page.evaluate(WRONG)
            assert found["wrong"] == [], width
            assert found["seen"] or lens not in DRAWN[:2]
