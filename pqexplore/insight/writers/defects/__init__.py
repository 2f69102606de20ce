"""The known defects of writers, as records. A module holds those of related writers, and gives them as `DEFECTS`."""

from __future__ import annotations

from pqexplore.engine.file.file import ParquetFile
from pqexplore.insight.writers.defect import Defect
from pqexplore.insight.writers.defects import arrow, native, others, parquet_java
from pqexplore.insight.writers.writer import Writer

DEFECTS: tuple[Defect, ...] = (
    *parquet_java.DEFECTS,
    *arrow.DEFECTS,
    *native.DEFECTS,
    *others.DEFECTS,
)
BY_SOURCE = {one.name: one for one in DEFECTS}


def concerning(file: ParquetFile, writer: Writer) -> list[Defect]:
    """The defects that the writer's version is known for, and that are about something that the file has."""
    return [one for one in DEFECTS if one.known_for(writer) and one.about(file)]
