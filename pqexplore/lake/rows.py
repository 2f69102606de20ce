"""The tables of a lake by name, as the library of the caller has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pqexplore.lake import query
from pqexplore.lake.tables import TABLES

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from pqexplore.lake.lake import Lake


class Tables(Mapping[str, "pa.Table | DataFrame"]):
    """The tables by name: pyarrow Tables, or Spark DataFrames if there is a session."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake

    def __getitem__(self, name: str) -> pa.Table | DataFrame:
        if name not in TABLES:
            raise KeyError(f"{name!r} is none of the tables {', '.join(TABLES)}")
        if self._lake.spark is not None:
            return query.spark_table(self._lake, self._lake.spark, name)
        lake = self._lake
        with lake._store.blaming(lake.manifest, [name]):
            return lake.dataset(name).to_table()

    def __iter__(self) -> Iterator[str]:
        return iter(TABLES)

    def __len__(self) -> int:
        return len(TABLES)

    def __repr__(self) -> str:
        return f"<tables {', '.join(TABLES)}>"
