"""Pictures of views, compared with those that are committed in `views/`, at a font that is pinned.

`PQEXPLORE_RENEW_VIEWS=1` writes them anew. Look at what changed before you commit it.
"""

import base64
import os
import pathlib
from io import BytesIO
from typing import Any

import numpy as np
from browser.harness import settle
from PIL import Image

ROOT = pathlib.Path(__file__).parents[2]
KEPT = pathlib.Path(__file__).parent / "views"
SEEN = ROOT / ".cache" / "views"
FONTS = ROOT / "js" / "node_modules" / "dejavu-fonts-ttf" / "ttf"

SMALLER = 4
"""Pictures are compared at a quarter of their size: the edges of letters do not count."""

LEVELS = 24
"""A pixel differs if one of its colours does by more than this, of 255."""

SHARE = 0.01
"""The share of pixels that may differ."""

PINNED = """body { --jp-ui-font-family: "pinned sans"; --jp-code-font-family: "pinned mono" }"""
"""The fonts by the variables that Jupyter's themes set."""

LOAD = """async (fonts) => {
  for (const [name, data] of fonts) {
    const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
    document.fonts.add(await new FontFace(name, bytes).load());
  }
  document.body.dataset.jpThemeName = "pinned";  // canvases draw again
}"""


def pin_fonts(page: Any) -> None:
    """Load the fonts that `PINNED` names, and let everything be drawn with them. Fails if they are not installed."""
    fonts = {"pinned sans": "DejaVuSans.ttf", "pinned mono": "DejaVuSansMono.ttf"}
    missing = [name for name in fonts.values() if not (FONTS / name).exists()]
    assert not missing, f"{missing} not installed: run `npm ci` in js"
    page.evaluate(
        LOAD, [(name, base64.b64encode((FONTS / file).read_bytes()).decode()) for name, file in fonts.items()]
    )
    settle(page)


def differing(kept: Image.Image, seen: Image.Image) -> float:
    """The share of pixels that differ between two pictures; 1 if their sizes do."""
    if kept.size != seen.size:
        return 1.0
    small = (kept.width // SMALLER, kept.height // SMALLER)
    one, other = (
        np.asarray(picture.convert("RGB").resize(small, Image.Resampling.BOX)).astype(int) for picture in (kept, seen)
    )
    return float((np.abs(one - other).max(axis=2) > LEVELS).mean())


def check(page: Any, name: str) -> None:
    """Compare what a page shows with the committed picture of that name."""
    seen = Image.open(BytesIO(page.screenshot())).convert("RGB")
    kept = KEPT / f"{name}.png"
    if os.environ.get("PQEXPLORE_RENEW_VIEWS"):
        KEPT.mkdir(exist_ok=True)
        seen.quantize(128, dither=Image.Dither.NONE).save(kept, optimize=True)
        return
    share = differing(Image.open(kept), seen)
    if share > SHARE:
        SEEN.mkdir(parents=True, exist_ok=True)
        seen.save(SEEN / f"{name}.png")
    assert share <= SHARE, f"{share:.1%} of {kept.name} differs; see .cache/views/{name}.png"
