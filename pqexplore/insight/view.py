"""The answer of a lens at a place of a file, without a widget (`ParquetFile.view`)."""

from __future__ import annotations

from pqexplore.engine.file.file import ParquetFile
from pqexplore.insight import across, places
from pqexplore.insight.answer import Answer
from pqexplore.insight.ask.question import Question


def view(file: ParquetFile, name: str, at: str = "", where: str = "", engine: str = "") -> Answer:
    """The Answer of the lens `name` at the address `at`; `where` and `engine` are the question of the lens `query`.

    A lens of column chunks or pages gives one table over all that lie below `at` (`across.answer`). Raises UsageError
    for a lens that does not exist or does not apply there, and for an address that names nothing.
    """
    return across.answer(file, places.resolve(file, at), name, Question.of(where, engine))
