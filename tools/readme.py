"""README.md as a package index shows it: with absolute links and pictures, for hatchling (`[tool.hatch.metadata.hooks.custom]`).

An index knows nothing of the files beside README.md. Where the project lives stands in one place, `Source` of
`[project.urls]` in pyproject.toml; without it the text stays as it is. `ADDRESS/blob/TAG/PATH` shows a file, and
`ADDRESS/raw/TAG/PATH` is its bytes, on GitHub, GitLab and Gitea alike.
"""

from __future__ import annotations

import pathlib
import re

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r'(?P<before>\]\(|src="|srcset=")(?P<path>(?![a-z+]+:|#)[^")]+)')
PICTURES = (".gif", ".png", ".svg")
SOURCE = "Source"


def absolute(text: str, address: str, tag: str) -> str:
    """The text with its relative links and pictures as addresses of the project at `tag`."""

    def one(match: re.Match[str]) -> str:
        kind = "raw" if match["path"].endswith(PICTURES) else "blob"
        return f"{match['before']}{address.rstrip('/')}/{kind}/{tag}/{match['path']}"

    return LINK.sub(one, text)


class ReadmeHook(MetadataHookInterface):
    """Gives the metadata the text of README.md."""

    def update(self, metadata: dict) -> None:
        """Set `readme`, with absolute links where the address of the project is known."""
        text = (pathlib.Path(self.root) / "README.md").read_text("utf-8")
        address = metadata.get("urls", {}).get(SOURCE)
        if address:
            text = absolute(text, address, f"v{metadata['version']}")
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
