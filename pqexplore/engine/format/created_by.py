"""The parts of `FileMetaData.created_by`: an application, its version, and the hash of its build.

The specification asks for `<application> version <version> (build <hash>)`. Many writers leave out a part, or the word
"version", so every part but the application may be absent.

Specification: `FileMetaData.created_by` in
https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
"""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import TypeAlias

Version: TypeAlias = tuple[int, ...]
"""The numbers of a version; at least three, and compared as tuples are."""

LONGEST = 400
"""Characters of created_by that are looked at; real ones have at most 120."""

_BUILD = re.compile(r"\s*\(build\b\s*'?([^')]*)")
_SPLIT = re.compile(r"\s+version(?:\s+|$)|\s+(?=v?\d+(?![\w/]))", re.IGNORECASE)
_LANGUAGE = re.compile(r"\s*\([^()]*\)$")
_NUMBERS = re.compile(r"(?:[a-z]+-)?v?(\d{1,9}(?:\.\d{1,9})*)(?![\d])\s*(\S*)", re.IGNORECASE)


@dataclasses.dataclass(frozen=True, slots=True)
class CreatedBy:
    """A `created_by`, taken apart.

    - `application`: as it is written, without a language in brackets, as in `Polars (python)`; "" if the text is empty.
      Compare it in lower case.
    - `version`: its numbers, None if there are none; `suffix`: what follows them, such as `-cdh5.12.0-SNAPSHOT`.
    - `version_text`: the version as it is written, "" if absent. `build`: the hash, "" if absent. `text`: the whole.
    """

    application: str
    version: Version | None
    suffix: str
    version_text: str
    build: str
    text: str


@functools.lru_cache(1024)
def parse(created_by: str | None) -> CreatedBy:
    """The parts of a created_by; all are empty if it is None."""
    text = created_by or ""
    head = text[:LONGEST].strip()
    build = _BUILD.search(head)
    named = head[: build.start()] if build else head
    split = _SPLIT.search(named)
    application = named[: split.start()] if split else named
    version = named[split.end() :].strip() if split else ""
    numbers = _NUMBERS.match(version)
    return CreatedBy(
        _LANGUAGE.sub("", application.strip()),
        _padded(numbers[1]) if numbers else None,
        numbers[2] if numbers else "",
        version,
        build[1].strip() if build else "",
        text,
    )


def _padded(numbers: str) -> Version:
    found = tuple(map(int, numbers.split(".")))
    return found + (0,) * (3 - len(found))
