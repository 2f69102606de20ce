"""An example of each rule about many files, for its page: a folder that triggers it, and a near miss.

What triggers a rule is planted by `planted.py`; the near misses are here. To add a rule, add a row to `EXAMPLES`.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
from lake import planted
from lake.logs.made_logs import METADATA, PROTOCOL, add, commit, inline_vector
from lake.planted import I32, I64, MORE, ROWS, ours, put, table, two, typed, unlike

Plant = Callable[[Path], object]
"""Writes files into an empty folder."""


@dataclasses.dataclass(frozen=True)
class Example:
    """A rule; `plant` writes files that trigger it, `spare` writes a near miss."""

    rule: str
    made: str
    plant: Plant
    spared: str
    spare: Plant


def few(folder: Path) -> None:
    for n in range(49):
        put(folder, f"{n:02}.parquet", ROWS.slice(n, 5))


def required(folder: Path) -> None:
    for n, name in enumerate("abc"):
        put(folder, f"{name}.parquet", ROWS.slice(n))
    fields = [field.with_nullable(False) for field in ROWS.schema]
    put(folder, "d.parquet", ROWS.cast(pa.schema(fields)))


def three_alike(folder: Path) -> None:
    """Three files with the same choices, written by one library."""
    for n, name in enumerate("abc"):
        put(folder, f"{name}.parquet", ROWS.slice(n))


def two_writers(folder: Path) -> None:
    three_alike(folder)
    ours(folder, "d.parquet", ROWS.slice(3), created_by="somebody version 1.0.0")


def two_versions(*versions: str) -> Plant:
    def plant(folder: Path) -> None:
        for n, version in enumerate(versions):
            ours(folder, f"{n}.parquet", ROWS.slice(n), created_by=f"parquet-mr version {version} (build x)")

    return plant


def all_alike(**options: object) -> Plant:
    """Three files of our writer, all with the same options."""

    def plant(folder: Path) -> None:
        for n, name in enumerate("abc"):
            ours(folder, f"{name}.parquet", ROWS.slice(n), **options)

    return plant


def three_days(folder: Path) -> None:
    for n in range(3):
        put(folder, f"day={n}/a.parquet", ROWS.slice(n))


def still_sorted(folder: Path) -> None:
    for n in range(12):
        put(folder, f"day=2026-11-{n + 1:02}/a.parquet", pa.table({"id": range(n * 100, n * 100 + 100)}))


def half_a_megabyte(folder: Path) -> None:
    for n in range(9):
        put(folder, f"{n}.parquet", pa.table({"id": range(n * 10, n * 10 + 10)}))
    rows = pa.table({"id": range(60_000)})
    put(folder, "9.parquet", rows, use_dictionary=False, compression="none")


def other_days(folder: Path) -> None:
    planted.astray(folder)
    os.unlink(folder / "day=2026-11-02" / "b.parquet")


def one_value_differs(folder: Path) -> None:
    planted.reordered(folder)
    os.unlink(folder / "again.parquet")


def sound_log(folder: Path) -> None:
    table(folder, "a.parquet", "b.parquet")


def removed_now(folder: Path) -> None:
    table(folder, "a.parquet", "b.parquet")
    commit(folder, 1, planted.remove("b.parquet"))


def not_old(folder: Path) -> None:
    table(folder, "a.parquet")
    put(folder, "new.parquet")


def few_deleted(folder: Path) -> None:
    put(folder, "a.parquet")
    put(folder, "b.parquet", MORE)
    vector = {"deletionVector": inline_vector(list(range(2)))}
    commit(folder, 0, PROTOCOL, METADATA, add("a.parquet", 100, **vector), add("b.parquet", 100))


def as_many_other_rows(folder: Path) -> None:
    put(folder, "a.parquet")
    put(folder, "b.parquet", MORE)


EXAMPLES = [
    Example("small-files", "50 files of 5 rows in one folder.", planted.small, "49 of them.", few),
    Example("types-differ", "`a` is INT32 in three files, INT64 in a fourth.", two(typed(I32, 1), typed(I64, 2**40)),
        "`a` is INT64 in all, however small the values.", two(typed(I64, 1), typed(I64, 2**40))),
    Example("columns-differ", "Three files have `id` and `word`, a fourth only `id`.", two(ROWS, ROWS.drop_columns("word")),
        "All have both; in one, every `word` is null.", two(ROWS, ROWS.set_column(1, "word", pa.nulls(100, pa.string())))),
    Example("column-case-differs", "`id` in three files, `ID` in a fourth.", two(ROWS, ROWS.rename_columns(["ID", "word"])),
        "`id` in all.", two(ROWS, MORE)),
    Example("column-order-differs", "`id, word` in three files, `word, id` in a fourth.", two(ROWS, ROWS.select(["word", "id"])),
        "`id, word` in all.", two(ROWS, MORE)),
    Example("nullability-differs", "Optional columns in three files, required ones in a fourth.", required,
        "Optional ones in all, and no value is null.", three_alike),
    Example("codecs-differ", "SNAPPY in three files, ZSTD in a fourth.", two(ROWS, MORE, compression="zstd"),
        "SNAPPY in all.", two(ROWS, MORE)),
    Example("writers-differ", "Three files by Arrow, and one by another writer.", two_writers, "All by Arrow.", three_alike),
    Example("old-writers", "A file by parquet-mr 1.8.0 beside two by 1.13.0.", planted.older,
        "All three by 1.13.0.", two_versions("1.13.0", "1.13.0", "1.13.0")),
    Example("files-without-statistics", "A file without statistics beside two that have them.", unlike(statistics=()),
        "None of three has statistics: `no-statistics` says that of each file.", all_alike(statistics=())),
    Example("files-without-page-index", "A file without a page index beside two that have one.",
        unlike(column_index=False, offset_index=False), "None of three has one.",
        all_alike(column_index=False, offset_index=False)),
    Example("many-partitions", "1,000 folders `day=…` with a small file each.", planted.partitions, "Three of them.",
        three_days),
    Example("skewed-partitions", "Three folders `day=…`, one of them of 300 MB.", planted.skewed, "Three of a few kB.", three_days),
    Example("huge-file", "Nine files of 1 kB and one of more than 1 MiB.", planted.large, "Nine, and one of 0.5 MB.", half_a_megabyte),
    Example("engines-refuse", "A file whose codec is LZO beside two without.", unlike(codec="LZO"),
        "One with ZSTD, which all engines read.", unlike(codec="ZSTD")),
    Example("clustering-decayed", "Six days sorted by `id`, and six whose files span all of it.", planted.decayed,
        "Twelve days, all sorted.", still_sorted),
    Example("partition-contradicted", "A file of 3 November in the folder `day=2026-11-02`.", planted.astray,
        "Each in the folder of its day.", other_days),
    Example("same-rows", "A file with the 30 rows of another, in reverse order.", planted.reordered,
        "One that differs from it in one value.", one_value_differs),
    Example("log-unreadable", "A commit of a Delta log that ends within a line.", planted.broken, "A whole log.", sound_log),
    Example("log-disagrees", "The log of a Delta table says 90 rows of a file that has 100.", planted.disagreeing,
        "It says 100.", sound_log),
    Example("removed-files", "A file that a Delta log removed years ago and that still lies there.", planted.removed,
        "One that it removed now: an open query may still read it.", removed_now),
    Example("unreferenced-files", "A file that no version of a Delta log names, years old.", planted.stray,
        "One that was written now: its commit may follow.", not_old),
    Example("deleted-rows", "40 of 100 rows of a file are deleted by a deletion vector.", planted.deleted,
        "2 of 100.", few_deleted),
    Example("duplicate-files", "A file and its copy.", planted.copied, "Files of as many other rows.", as_many_other_rows),
]  # fmt: skip
