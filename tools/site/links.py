"""Checks the links of the built site: every local one leads to a page and an anchor; outside ones are asked for.

Sphinx says the broken links that it knows: those in Markdown. This reads the HTML, so it sees the others, too.
"""

from __future__ import annotations

import concurrent.futures
import html.parser
import pathlib
import sys
import urllib.error
import urllib.parse
import urllib.request

SECONDS = 20
AT_ONCE = 8
OUTSIDE = ("http:", "https:")
ELSEWHERE = ("data:", "mailto:", "javascript:")
ANSWERS = {403, 405, 429}
"""Statuses of servers that are there and do not serve a program."""


class _Page(html.parser.HTMLParser):
    """The anchors of a page, and the addresses that it names."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors = {"", "top"}
        self.targets: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the anchors and addresses of a tag."""
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif name in ("href", "src", "srcset") and value and tag != "base":
                self.targets.append(value)


def read(folder: pathlib.Path) -> dict[pathlib.Path, _Page]:
    """The pages of a site; those of the gallery are applications with links that their script makes."""
    found = (path for path in sorted(folder.rglob("*.html")) if path.parent.name != "gallery")
    return {path.resolve(): _Page(path.read_text("utf-8")) for path in found}


def broken(folder: pathlib.Path) -> list[str]:
    """A line for each local link that leads nowhere."""
    pages, wrong = read(folder), []
    for path, page in pages.items():
        for target in dict.fromkeys(page.targets):
            if target.startswith((*OUTSIDE, *ELSEWHERE)):
                continue
            parts = urllib.parse.urlsplit(target)
            there = (path.parent / urllib.parse.unquote(parts.path)) if parts.path else path
            there = there.resolve()
            if there.is_dir():
                there /= "index.html"
            anchor = urllib.parse.unquote(parts.fragment)
            if not there.is_file() or (there in pages and anchor not in pages[there].anchors):
                wrong.append(f"{path.relative_to(folder.resolve())}: nothing is at {target}")
    return wrong


def outside(folder: pathlib.Path) -> list[str]:
    """The outside addresses that the site names, without their anchors."""
    targets = {target for page in read(folder).values() for target in page.targets}
    return sorted({one.partition("#")[0] for one in targets if one.startswith(OUTSIDE)})


def unreachable(folder: pathlib.Path) -> list[str]:
    """A line for each outside address that does not answer. Without a network nothing is said to be wrong."""
    addresses = outside(folder)
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        problems = dict(zip(addresses, pool.map(_problem, addresses), strict=True))
    if addresses and all(isinstance(one, OSError) for one in problems.values()):
        print(f"no network: {len(addresses)} outside addresses were not checked", file=sys.stderr)
        return []
    return [f"{address}: {problem}" for address, problem in problems.items() if problem]


def _problem(address: str) -> str | OSError:
    """What is wrong with an address: "" for nothing, the error if no server was reached."""
    request = urllib.request.Request(address, headers={"User-Agent": "pqexplore, its links"})
    try:
        with urllib.request.urlopen(request, timeout=SECONDS):
            return ""
    except urllib.error.HTTPError as error:
        return "" if error.code in ANSWERS else f"status {error.code}"
    except OSError as error:
        return error
