"""The sentence below a file's name: its most important property, or what is worst about it."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator

from pqexplore.engine.file.file import ParquetFile
from pqexplore.insight.about import flagged
from pqexplore.insight.lenses import LENSES, answer_of


@dataclasses.dataclass(slots=True)
class Headline:
    """The first sentence of the overview, and the severity of the worst finding; "" if there is nothing to mend."""

    sentence: str
    severity: str


def headline(file: ParquetFile) -> Generator[float, None, Headline]:
    """The file in one sentence; the steps to it are those of the overview."""
    made = yield from answer_of(file, file.root, LENSES["overview"])
    worst = flagged(file, file.root)
    return Headline(made.sentence, worst[0].severity.value if worst else "")
