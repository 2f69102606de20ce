"""Take the pictures of the documents from the real widget: `.venv/bin/python docs/screenshots.py`, after `make test` once.

The widget and its bundle run in Chromium as in the browser tests, without Jupyter. `docs/explorer.png` is the explorer
as a whole, `docs/explorer-dark.png` the same in the dark;
`docs/first/NAME.png` is the first screen of a sample; `docs/lenses/NAME.png` is what each lens shows of a sample.
`docs/lenses/what_if_file.png` is that lens after it was asked to try the file. Arguments name what is taken:
`whole`, `first`, `moving` (docs/explorer.gif), or lenses.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image, ImageOps
from playwright.sync_api import sync_playwright

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "tests"))

WHOLE = ("events", "row_groups/0/columns/3", "column")
"""What the picture of the explorer shows: a column of countries, and its three questions."""

FIRST = (
    "events",
    "encrypted",
    "plaintext-footer-bloom",
    "sick-checksum",
    "sick-page",
    "sick-statistics",
    "sick-no-statistics",
    "sick-row-groups",
    "sick-footer",
    "sick-bloom",
    "sick-codec",
    "legacy-lists",
)
"""The samples whose first screens `docs/first.md` shows."""

SCREEN = {"width": 1280, "height": 780}
"""What a notebook shows at once on a common laptop."""

FRAMES = (
    ("events", "", "overview"),
    ("events", "row_groups/0/columns/1", "column"),
    ("events", "row_groups/0/columns/1/pages/1", "page"),
    ("events", "row_groups/0/columns/1/pages/1/values/3", "value"),
    ("events", "row_groups/0/columns/3", "column"),
    ("events", "row_groups/0/columns/3/pages/0", "dictionary"),
    ("events", "row_groups/0", "row_group"),
    ("events", "footer", "contents"),
)
"""What the moving picture shows: from the file down to the bits of one value, and up again."""

ASKED = {"query": "id BETWEEN 1026999 AND 1032998 AND user > 'user-05'"}
"""The conditions that are set, by lens."""

TALLEST = 1_700
"""Pixels: a lens that is longer scrolls."""


def main() -> None:
    """Write the samples, open them in the explorer, and take the pictures."""
    only = sys.argv[1:]
    (DOCS / "lenses").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        from browser.harness import CHROMIUM_ARGS
        from browser.lens_places import LENS_PLACES

        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("google-chrome"), args=CHROMIUM_ARGS
        )
        if not only or "whole" in only:
            for scheme, name in (("light", "explorer.png"), ("dark", "explorer-dark.png")):
                page = shown(browser, Path(folder), *WHOLE, scheme=scheme, scale=1)
                save(page.screenshot(), DOCS / name)
                page.context.close()
        if not only or "first" in only:
            (DOCS / "first").mkdir(exist_ok=True)
            for sample in FIRST:
                page = shown(browser, Path(folder), sample, "", "overview", scale=1, keys=False)
                save(page.screenshot(), DOCS / "first" / f"{sample}.png")
                page.context.close()
        if not only or "moving" in only:
            moving(shown(browser, Path(folder), *FRAMES[0], scale=1))
        for lens, (sample, address) in LENS_PLACES.items():
            if lens != "facts" and (not only or lens in only):
                page = shown(browser, Path(folder), sample, address, lens)
                whole_lens(page, DOCS / "lenses" / f"{lens}.png")
                page.context.close()
        if not only or "what_if" in only:
            page = shown(browser, Path(folder), "events", "", "what_if")
            page.get_by_role("button", name="try").click()
            page.locator(".pqx-whatif-choose").wait_for()
            page.wait_for_timeout(500)
            whole_lens(page, DOCS / "lenses" / "what_if_file.png")
        browser.close()


def whole_lens(page: Any, path: Path) -> None:
    """Save a lens: the window grows until it shows all of the lens, and the picture ends where the lens ends."""
    lens = page.locator(".pqx-detail").first
    for _ in range(3):
        hidden = lens.locator(".pqx-panel").first.evaluate("el => el.scrollHeight - el.clientHeight")
        tall = min(TALLEST, page.viewport_size["height"] + hidden)
        page.set_viewport_size({**SCREEN, "height": tall})
        page.wait_for_timeout(300)
    box = lens.bounding_box()
    end = lens.locator(".pqx-panel").first.evaluate(
        "el => Math.max(...[...el.children].map((one) => one.getBoundingClientRect().bottom))"
    )
    box["height"] = min(box["height"], end - box["y"] + 8)
    save(page.screenshot(clip=box), path, margin=16)


def moving(page: Any) -> None:
    """Write the moving picture: the file, its largest column, a page, one value's life, the column's neighbours."""
    from browser.harness import settle

    taken = []
    for _, address, lens in FRAMES:
        page.evaluate(
            "([selection, view]) => window.pqxBridge.receive({type: 'update', state: {selection, view}})",
            [address, lens],
        )
        page.locator(f'.pqx[data-shown="{address or "file"}"]').wait_for()
        settle(page)
        page.wait_for_timeout(600)
        picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
        taken.append(picture.resize((960, 585), Image.Resampling.LANCZOS))
    page.context.close()
    small = [one.quantize(96, dither=Image.Dither.NONE) for one in taken]
    small[0].save(DOCS / "explorer.gif", save_all=True, append_images=small[1:], duration=2200, loop=0, optimize=True)


def save(png: bytes, path: Path, margin: int = 0) -> None:
    """Write a picture with at most 256 colours: it looks the same, and has less than half of the bytes."""
    colours = ImageOps.expand(Image.open(BytesIO(png)).convert("RGB"), margin, "white")
    method, dither = Image.Quantize.MAXCOVERAGE, Image.Dither.NONE
    colours.quantize(256, method=method, dither=dither).save(path, optimize=True)


def shown(
    browser: Any,
    folder: Path,
    sample: str,
    address: str,
    lens: str,
    scheme: str = "light",
    scale: float = 1.5,
    keys: bool = True,
) -> Any:
    """A page with the explorer of a sample, at an address, through a lens; `keys` says whether it gets those it has."""
    from browser.harness import View
    from browser.lens_places import COMPARED, write_second

    import pqexplore
    from pqexplore.engine.writer.samples import SAMPLES, write_sample

    path = folder / f"{sample}.parquet"
    if not path.exists():
        write_sample(sample, path)
    known = SAMPLES[sample].keys if keys and sample in SAMPLES else {}
    other = None
    if lens in COMPARED:
        other = write_second(path, folder / f"{COMPARED[lens]}.parquet")
    page = browser.new_page(viewport=SCREEN, device_scale_factor=scale, color_scheme=scheme)
    view = View(
        page,
        pqexplore.explore(
            path,
            at=address,
            view=lens,
            where=ASKED.get(lens, ""),
            against=other,
            decryption=pqexplore.Decryption(**known) if known else None,
        ),
    )
    view.shown(address)
    page.locator(f'.pqx-tab[data-lens="{lens}"][aria-selected="true"]').wait_for()
    page.wait_for_timeout(1_500)
    return page


if __name__ == "__main__":
    main()
