"""Who wrote a file: the library, its version, who built it, and the program that used it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.created_by import Version, parse
from pqexplore.engine.text import clip, printable
from pqexplore.insight.writers.known import FORMER, PROGRAMS, VERSIONED, built_by, library

SHOWN = 60
"""Characters of a name that a file gives which are shown."""


@dataclasses.dataclass(frozen=True, slots=True)
class Writer:
    """Who wrote a file.

    - `name`: stable, of `known.LIBRARIES`; "" if the application is none of them. `title`: to be shown.
    - `vendor`: who makes it, "" if not known; `built_by`: who built this version if it was not them.
    - `version`: its numbers, for comparisons; None if it has none. `version_text`: as it is written.
    - `build`: the hash of the build, "" if absent. `text`: the whole `created_by`, "" if absent.
    - `program`: the program that used the library, by the key-value metadata, "" if not known.
    - `why`: the reasons, if the writer was recognised by its bytes; empty if `created_by` names it.
    """

    name: str
    title: str
    vendor: str = ""
    version: Version | None = None
    version_text: str = ""
    build: str = ""
    built_by: str = ""
    program: str = ""
    text: str = ""
    why: tuple[str, ...] = ()

    def __str__(self) -> str:
        words = [self.title] + [self.version_text] * bool(self.version_text)
        if self.built_by:
            words.append(f"(built by {self.built_by})")
        if self.program:
            words.append(f"used by {self.program}")
        return printable(" ".join(words))


def named(created_by: str | None) -> Writer | None:
    """The writer that a created_by names; None if it is absent or empty."""
    known = parse(created_by)
    if not known.application:
        return None
    found = library(known)
    former = known.application.lower() in FORMER
    return Writer(
        found.name if found else "",
        found.title if found and not former else clip(known.application, SHOWN),
        found.vendor if found else "",
        known.version,
        clip(known.version_text, SHOWN),
        clip(known.build, SHOWN),
        built_by(known),
        text=known.text,
    )


def program(pairs: Mapping[str, str | None], library: str) -> str:
    """The program that used the library of this name, by the keys of the key-value metadata; "" if not known."""
    for key, name, libraries in PROGRAMS:
        if key in pairs and library in libraries:
            version = _version(key, pairs[key] or "")
            return f"{name} {clip(version, 20)}" if version else name
    return ""


def _version(key: str, value: str) -> str:
    if key in VERSIONED:
        return value
    if key != "pandas":
        return ""
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return ""
    version = found.get("pandas_version") if isinstance(found, dict) else None
    return version if isinstance(version, str) else ""


def by_name(file: ParquetFile) -> Writer | None:
    """The writer that the file's created_by names, with its program; None if it names none, or cannot be read."""
    try:
        found = named(file.created_by)
        return found and dataclasses.replace(found, program=program(file.key_value_metadata, found.name))
    except ParquetError:
        return None
