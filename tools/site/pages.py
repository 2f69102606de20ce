"""The pages of docs/ and of the project's folder, with their links changed to those of the site."""

from __future__ import annotations

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]

TOP = {"README.md": "readme.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md"}
TOP |= {"CHANGELOG.md": "changelog.md", "CODE_OF_CONDUCT.md": "conduct.md"}
"""Pages of the project's folder, and their names in the site."""

LINK = re.compile(r"(!?\[[^\]]*\])\((?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?\)")

IMAGE = re.compile(r"""(\]\(|src="|srcset=")(?:https:[^\s")]*/)?\bdocs/(explorer[\w.-]*)(?=[)"])""")
"""Images of README.md, also in its HTML, also at their public address: the site has its own."""

PLAIN = ("LICENSE", "CITATION.cff", "js/", "tests/", "tools/", "benchmarks/", "pqexplore/", "notebooks/", ".github/")
"""Beginnings of links to what is no page of the site: they become text."""


def page(text: str, of: pathlib.Path) -> str:
    """A page of the project as a page of the site, which has docs/ and the others in one folder."""

    def changed(match: re.Match[str]) -> str:
        words, target, place = match[1], match[2], match[3] or ""
        found = (of.parent / target).resolve()
        where = found.relative_to(ROOT).as_posix() + ("/" if target.endswith("/") else "")
        if found.suffix == ".ipynb":
            return f"{words}(course/{found.stem}.md)"
        if where.startswith(PLAIN):
            return words[1:-1] if not words.startswith("!") else ""
        if where in TOP:
            return f"{words}({TOP[where]}{place})"
        return f"{words}({where.removeprefix('docs/')}{place})"

    return IMAGE.sub(r"\1\2", LINK.sub(changed, text))
