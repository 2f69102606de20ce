"""The known defects of writers, as records. A module holds those of related writers, and gives them as `DEFECTS`."""

from __future__ import annotations

from pqexplore.insight.writers.defect import Defect
from pqexplore.insight.writers.defects import arrow, native, others, parquet_java

DEFECTS: tuple[Defect, ...] = (*parquet_java.DEFECTS, *arrow.DEFECTS, *native.DEFECTS, *others.DEFECTS)
BY_SOURCE = {one.name: one for one in DEFECTS}
