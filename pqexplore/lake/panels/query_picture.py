"""The picture of the panel `query`: the stages of a cascade over the files of a lake, and the first files."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(slots=True)
class QueryEngine:
    """An engine that can be chosen: its name, and its title ("Spark 4.3 (parquet-java 1.17)")."""

    name: str
    title: str


@dataclasses.dataclass(slots=True)
class QueryStage:
    """What entered a stage and what it left: files, row groups, bytes of the columns that are read."""

    name: str
    files_in: int
    files_out: int
    row_groups_in: int
    row_groups_out: int
    bytes_in: int
    bytes_out: int


@dataclasses.dataclass(slots=True)
class QueryFile:
    """A file: whether it is read, by which evidence and why; how many of its row groups are read; its bytes (-1: unknown).

    `path` opens it in the file explorer. An `unreadable` file is kept because nothing is known of its rows.
    """

    path: str
    kept: bool
    unreadable: bool
    by: str
    reason: str
    row_groups: int
    of_row_groups: int
    size: int


@dataclasses.dataclass(slots=True)
class Picture:
    """What a query with the condition `where` reads of a lake, "" if nothing was typed yet: then all lists are empty.

    The panel's `typed` is the condition, or `ENGINE:CONDITION`. `engine` is the chosen engine. `files` are the first ones,
    those that are read before those that are skipped. `lost` are sentences about rows that the engine may lose, `remarks`
    sentences about what decides nothing.
    """

    where: str
    engine: str
    engines: list[QueryEngine]
    stages: list[QueryStage]
    files: list[QueryFile]
    total_files: int
    total_row_groups: int
    total_bytes: int
    lost: list[str]
    remarks: list[str]
