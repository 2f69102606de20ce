"""Builds the site into `.cache/site/html`: `make docs`. Nothing is loaded from a network.

Sphinx reads Markdown (MyST). It was chosen over Material for MkDocs, which ends in May 2027, and over its successor
Zensical, whose versions begin with 0 and which has no reference of Python names of its own yet: Sphinx is kept since
2008, says each broken link, and treats warnings as errors. The pages of docs/, README.md and the like are copied with
their links changed; `reference` makes the others. Of thirty samples the explorer is saved as a page.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import reference

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACE = ROOT / ".cache" / "site"
SOURCE = PLACE / "source"
TOP = {"README.md": "readme.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md"}
TOP |= {"CHANGELOG.md": "changelog.md", "CODE_OF_CONDUCT.md": "conduct.md"}
"""Pages of the project's folder, and their names in the site."""

LINK = re.compile(r"(!?\[[^\]]*\])\((?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?\)")

PLAIN = (
    "LICENSE",
    "CITATION.cff",
    "js/",
    "tests/",
    "tools/",
    "benchmarks/",
    "pqexplore/",
    "notebooks/",
    ".github/",
)
"""Beginnings of links to what is no page of the site: they become text."""

GALLERY = 30
"""Samples that are saved as pages."""
BUDGET = 100_000
"""Bytes of answers that a saved page holds beyond its first screen."""


def page(text: str, of: pathlib.Path) -> str:
    """A page of the project as a page of the site, which has docs/ and the others in one folder."""

    def changed(match: re.Match[str]) -> str:
        words, target, place = match[1], match[2], match[3] or ""
        found = (of.parent / target).resolve()
        where = found.relative_to(ROOT).as_posix() + ("/" if target.endswith("/") else "")
        if where.startswith(PLAIN):
            return words[1:-1] if not words.startswith("!") else ""
        if where in TOP:
            return f"{words}({TOP[where]}{place})"
        return f"{words}({where.removeprefix('docs/')}{place})"

    return LINK.sub(changed, text)


def gather() -> None:
    """Put the pages together."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    skip = shutil.ignore_patterns("*.py", "__pycache__", "*.md")
    shutil.copytree(ROOT / "docs", SOURCE, ignore=skip)
    for name in ("_static", "_extra", "reference"):
        (SOURCE / name).mkdir()
    for path in sorted((ROOT / "docs").glob("*.md")):
        (SOURCE / path.name).write_text(page(path.read_text("utf-8"), path), "utf-8")
    for name, new in TOP.items():
        (SOURCE / new).write_text(page((ROOT / name).read_text("utf-8"), ROOT / name), "utf-8")
    for name, text in reference.pages().items():
        (SOURCE / name).write_text(text, "utf-8")
    minutes = SOURCE / "first-minutes.md"
    minutes.write_text(with_output(minutes.read_text("utf-8")), "utf-8")
    shutil.copy(ROOT / "tools" / "site" / "conf.py", SOURCE)


def with_output(text: str) -> str:
    """A page with what each of its commands prints, run in an empty folder in this order."""
    with tempfile.TemporaryDirectory() as folder:

        def shown(match: re.Match[str]) -> str:
            blocks = []
            for line in match[1].splitlines():
                words = shlex.split(line, comments=True)
                command = [sys.executable, "-m", *words]
                ran = subprocess.run(
                    command,
                    cwd=folder,
                    env=os.environ | {"COLUMNS": "100"},
                    capture_output=True,
                    text=True,
                )
                if ran.returncode > 1:  # 1: something was found
                    sys.exit(f"{line}: {ran.stderr}")
                blocks.append(f"```sh\n{line}\n```\n\n```text\n{ran.stdout}```\n")
            return "\n".join(blocks)

        return re.sub(r"```sh\n(.*?)```\n", shown, text, flags=re.S)


def course() -> None:
    """The notebooks as pages, with what they print. Those that need Spark are shown without outputs."""
    folder = SOURCE / "course"
    with tempfile.TemporaryDirectory() as copies:
        for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
            print(f"  {path.stem}", file=sys.stderr)
            copy = shutil.copy(path, copies)
            runs = [] if "local_session" in path.read_text("utf-8") else ["--execute"]
            command = ["-m", "jupyter", "nbconvert", "--log-level=ERROR", "--to", "markdown", *runs]
            subprocess.run([sys.executable, *command, "--output-dir", folder, copy], check=True)


def gallery(count: int) -> None:
    """Saved pages of the samples, and the page that lists them."""
    import pqexplore
    from pqexplore import samples

    folder = SOURCE / "_extra" / "gallery"
    folder.mkdir()
    lines = [
        "# Gallery",
        "",
        "Each is the explorer of a sample, saved as one page. It needs no kernel and no network.",
        "",
    ]
    names = samples.names()[:count]
    for number, name in enumerate(names, 1):
        print(f"\r  gallery: {number} of {len(names)}", end="", file=sys.stderr, flush=True)
        explorer = pqexplore.explore(getattr(samples, name.replace("-", "_")))
        (folder / f"{name}.html").write_text(explorer.to_html(budget=BUDGET), "utf-8")
        explorer.close()
        lines.append(
            f'- <a href="gallery/{name}.html"><code>{name}</code></a>: {samples.sentence(name)}'
        )
    print(file=sys.stderr)
    (SOURCE / "gallery.md").write_text("\n".join(lines) + "\n", "utf-8")


def main() -> int:
    """Build the site; the exit status is Sphinx's."""
    parser = argparse.ArgumentParser(description="Build the site into .cache/site/html.")
    parser.add_argument(
        "--gallery", type=int, default=GALLERY, help="samples that are saved as pages"
    )
    asked = parser.parse_args()
    gather()
    course()
    gallery(asked.gallery)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    return subprocess.run([*command, SOURCE, PLACE / "html"]).returncode


if __name__ == "__main__":
    sys.exit(main())
