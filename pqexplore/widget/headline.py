"""The line below a file's name: its most important property, or what is worst about it."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator

from pqexplore.engine.file.file import ParquetFile
from pqexplore.insight.lenses import LENSES, answer_of


@dataclasses.dataclass(slots=True)
class Headline:
    """How the overview's sentence begins, and the severity of the finding that it is about; "" if it is about none."""

    sentence: str
    severity: str


def headline(file: ParquetFile) -> Generator[float, None, Headline]:
    """The file in one line; the steps to it are those of the overview."""
    made = yield from answer_of(file, file.root, LENSES["overview"])
    return Headline(made.line, made.severity)
