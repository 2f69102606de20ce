"""Builds the site into `.cache/site/html`: `make docs`. Nothing is loaded from a network.

Sphinx reads Markdown (MyST). It was chosen over Material for MkDocs, which ends in May 2027, and over its successor
Zensical, whose versions begin with 0 and which has no reference of Python names of its own yet: Sphinx is kept since
2008, says each broken link, and treats warnings as errors. The pages of docs/, README.md and the like are copied with
their links changed; `reference` makes the others. Of thirty samples the explorer is saved as a page.
"""

from __future__ import annotations

import argparse
import html
import pathlib
import re
import shutil
import subprocess
import sys

import chapters
import findings
import links
import pages
import reference

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACE = ROOT / ".cache" / "site"
SOURCE = PLACE / "source"
SPARK = ROOT / ".venv" / "spark" / "bin" / "python"
"""The interpreter that runs the notebooks on Spark: `make spark` makes it."""

GALLERY = 30
"""Samples that are saved as pages."""
BUDGET = 1_000_000
"""Bytes of answers that a saved page holds beyond its first screen."""


def gather() -> None:
    """Put the pages together."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    skip = shutil.ignore_patterns("*.py", "__pycache__", "*.md")
    shutil.copytree(ROOT / "docs", SOURCE, ignore=skip)
    for name in ("_static", "_extra", "reference"):
        (SOURCE / name).mkdir()
    for path in sorted((ROOT / "docs").glob("*.md")):
        (SOURCE / path.name).write_text(pages.page(path.read_text("utf-8"), path), "utf-8")
    for path in (ROOT / "docs").glob("explorer*.png"):
        shutil.copy(path, SOURCE / "_extra")  # Sphinx does not see those that HTML names
    for name, new in pages.TOP.items():
        (SOURCE / new).write_text(pages.page((ROOT / name).read_text("utf-8"), ROOT / name), "utf-8")
    for name, text in reference.pages().items():
        (SOURCE / name).write_text(text, "utf-8")
    (SOURCE / "reference" / "findings.md").write_text(findings.page(), "utf-8")
    shutil.copy(ROOT / "tools" / "site" / "conf.py", SOURCE)
    shutil.copy(ROOT / "tools" / "site" / "site.css", SOURCE / "_static")


def gallery(count: int) -> None:
    """Saved pages of the samples, and the page that lists them."""
    import pqexplore
    from pqexplore import samples
    from pqexplore.widget.picture import picture

    folder = SOURCE / "_extra" / "gallery"
    folder.mkdir()
    lines = [
        "# Gallery",
        "",
        "Each is the explorer of a sample, saved as one page. It needs no kernel and no network. The strips are the bytes of",
        "the file, from the first to the last. `pqexplore sample NAME` writes a sample.",
        "",
        '<div class="gallery">',
    ]
    names = samples.names()[:count]
    for number, name in enumerate(names, 1):
        print(f"\r  gallery: {number} of {len(names)}", end="", file=sys.stderr, flush=True)
        explorer = pqexplore.explore(getattr(samples, name.replace("-", "_")))
        (folder / f"{name}.html").write_text(explorer.to_html(budget=BUDGET), "utf-8")
        strips = re.search(r"<img [^>]*>", picture(explorer.file))
        explorer.close()
        lines.append(
            f'<a href="gallery/{name}.html">{strips[0] if strips else ""}<code>{name}</code>'
            f"<span>{html.escape(samples.sentence(name))}</span></a>"
        )
    print(file=sys.stderr)
    (SOURCE / "gallery.md").write_text("\n".join([*lines, "</div>", ""]), "utf-8")


def main() -> int:
    """Build the site; the exit status is 0 if Sphinx has no warning and no link is broken."""
    parser = argparse.ArgumentParser(description="Build the site into .cache/site/html.")
    parser.add_argument("--gallery", type=int, default=GALLERY, help="samples that are saved as pages")
    parser.add_argument("--spark", type=pathlib.Path, default=SPARK, help="Python that has Spark")
    parser.add_argument("--outside", action="store_true", help="ask for each outside address, too")
    asked = parser.parse_args()
    gather()
    chapters.pages(ROOT / "notebooks", SOURCE, asked.spark)
    gallery(asked.gallery)
    made = PLACE / "html"
    shutil.rmtree(made, ignore_errors=True)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-d", PLACE / "doctrees"]
    status = subprocess.run([*command, SOURCE, made]).returncode
    wrong = links.broken(made) + (links.unreachable(made) if asked.outside else [])
    for line in wrong:
        print(line, file=sys.stderr)
    return status or bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
