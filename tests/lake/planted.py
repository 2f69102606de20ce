"""Lakes with one kind of trouble each, and sound ones.

`TROUBLE` has a row for each kind: the rule that finds it, and a function that plants it in an empty folder and gives the
names of the files that the rule must name, and no others. To add a kind, add a row.
"""

import dataclasses
import datetime
import json
import os
import random
from collections.abc import Callable

import pyarrow as pa
import pyarrow.parquet as pq
from insight.doctor.cases import CASES
from lake.logs.made_logs import METADATA, PROTOCOL, add, commit, inline_vector, remove

import pqexplore

OF_ONE_FILE = {case.rule: case for case in CASES}
ROWS = pa.table({"id": range(100), "word": [f"w{n % 7}" for n in range(100)]})
MORE = pa.table({"id": range(100, 200), "word": ROWS["word"]})


@dataclasses.dataclass(frozen=True)
class Trouble:
    """A kind of trouble. `words` are in the sentence about a file; `level` is what has to be read."""

    kind: str
    rule: str
    plant: Callable
    words: str = ""
    level: str = "footer"
    full: bool = False


def put(folder, name, table=ROWS, **options):
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, place, **options)
    return place


def ours(folder, name, table=ROWS, **options):
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    pqexplore.write(table, str(place), pqexplore.WriteOptions(**options))
    return place


def of_one_file(rule):
    """The file of the rule's own case beside a sound one."""

    def plant(folder):
        (folder / "a.parquet").write_bytes(OF_ONE_FILE[rule].make())
        return ["a.parquet"]

    return plant


def small(folder):
    for n in range(50):
        put(folder, f"{n:02}.parquet", ROWS.slice(n, 5))
    return [f"{n:02}.parquet" for n in range(50)]


def damaged(make):
    def plant(folder):
        good = put(folder, "a.parquet").read_bytes()
        (folder / "b.parquet").write_bytes(make(good))
        return ["b.parquet"]

    return plant


def checksum(folder):
    options = {"write_page_checksum": True, "compression": "none", "use_dictionary": False}
    place = put(folder, "a.parquet", **options)
    data = bytearray(place.read_bytes())
    data[data.index(bytes(8) + (1).to_bytes(8, "little")) + 8] ^= 4
    place.write_bytes(data)
    put(folder, "b.parquet", MORE, **options)
    return ["a.parquet"]


def two(first, second, **options):
    """Three files of one table and one of another."""

    def plant(folder):
        for times, name in enumerate("abc", 1):
            put(folder, f"{name}.parquet", pa.concat_tables([first] * times))
        put(folder, "d.parquet", second, **options)
        return ["d.parquet"]

    return plant


def typed(kind, *values):
    return pa.table({"a": pa.array(values, kind)})


def unlike(**options):
    """Two files of our writer, and one that is written with other options."""

    def plant(folder):
        for place, name in enumerate(("a.parquet", "b.parquet")):
            ours(folder, name, ROWS.slice(place))
        ours(folder, "c.parquet", ROWS.slice(2), **options)
        return ["c.parquet"]

    return plant


def decayed(folder):
    for n in range(6):
        put(folder, f"day=2026-11-{n + 1:02}/a.parquet", pa.table({"id": range(n * 100, n * 100 + 100)}))
    shuffled = random.Random(1)
    late = [f"day=2026-11-{n + 7:02}/a.parquet" for n in range(6)]
    for name in late:
        put(folder, name, pa.table({"id": [shuffled.randrange(600) for _ in range(200)]}))
    return late


def shuffled(folder):
    """25 files, five of which have rows of all others."""
    rows = random.Random(1)
    late = [f"{n:02}.parquet" for n in (3, 9, 15, 21, 24)]
    for n in range(25):
        name, mixed = f"{n:02}.parquet", [rows.randrange(2500) for _ in range(100)]
        put(folder, name, pa.table({"id": mixed if name in late else range(n * 100, n * 100 + 100)}))
    return late


def large(folder):
    noise = random.Random(1)
    for n in range(9):
        put(folder, f"{n}.parquet", pa.table({"id": range(n * 10, n * 10 + 10)}))
    put(folder, "9.parquet", pa.table({"id": [noise.getrandbits(63) for _ in range(200_000)]}))
    return ["9.parquet"]


def reordered(folder):
    for n in range(3):
        put(folder, f"{n}.parquet", ROWS.slice(n * 30, 30))
    put(folder, "again.parquet", ROWS.slice(30, 30).take(list(reversed(range(30)))))
    put(folder, "near.parquet", pa.table({"id": [30, *range(32, 60), 59], "word": ROWS["word"][30:60]}))
    return ["again.parquet"]


def astray(folder):
    """A file whose column `day` is not that of its folder."""
    for n in range(1, 4):
        rows = pa.table({"id": range(5), "day": [datetime.date(2026, 11, n)] * 5})
        put(folder, f"day=2026-11-0{n}/a.parquet", rows)
    (folder / "day=2026-11-03" / "a.parquet").rename(folder / "day=2026-11-02" / "b.parquet")
    return ["day=2026-11-02/b.parquet"]


def another_day(folder):
    """A file whose times are not of the day of its folder, as those of the other files are."""
    for n in range(1, 7):
        at = [datetime.datetime(2026, 11, n if n < 6 else 4, hour, tzinfo=datetime.UTC) for hour in range(5)]
        put(folder, f"dt=2026-11-0{n}/a.parquet", pa.table({"id": range(n * 10, n * 10 + 5), "at": at}))
    return ["dt=2026-11-06/a.parquet"]


def older(folder):
    for name in ("a.parquet", "b.parquet", "c.parquet"):
        ours(
            folder,
            name,
            ROWS.slice(ord(name[0])),
            created_by=f"parquet-mr version 1.{8 if name < 'b' else 13}.0 (build x)",
        )
    return ["a.parquet"]


def table(folder, *names, **more):
    """A Delta table of files with 100 rows each."""
    for place, name in enumerate(names):
        put(folder, name, pa.table({"id": range(place, place + 100), "word": ROWS["word"]}))
    commit(folder, 0, PROTOCOL, METADATA, *(add(name, 100, **more) for name in names))


def deleted(folder):
    put(folder, "a.parquet")
    put(folder, "b.parquet", MORE)
    vector = {"deletionVector": inline_vector(list(range(40)))}
    commit(folder, 0, PROTOCOL, METADATA, add("a.parquet", 100, **vector), add("b.parquet", 100))
    return ["a.parquet"]


LONG_AGO = 1_600_000_000


def removed(folder):
    table(folder, "a.parquet", "b.parquet", "c.parquet")
    commit(folder, 1, remove("b.parquet"))
    commit(folder, 2, remove("c.parquet"))
    os.utime(folder / "b.parquet", (LONG_AGO, LONG_AGO))
    return ["b.parquet"]  # c is not old enough


def stray(folder):
    table(folder, "a.parquet")
    put(folder, "new.parquet")
    os.utime(put(folder, "stray.parquet"), (LONG_AGO, LONG_AGO))
    return ["stray.parquet"]


def copied(folder):
    place = put(folder, "a.parquet")
    (folder / "b.parquet").write_bytes(place.read_bytes())
    put(folder, "c.parquet", ROWS.slice(1))
    return ["b.parquet"]


def narrower(folder):
    put(folder, "a.parquet")
    put(folder, "b.parquet", MORE)
    stats = {"numRecords": 100, "minValues": {"id": 0}, "maxValues": {"id": 98}}
    wrong = add("a.parquet") | {}
    wrong["add"]["stats"] = json.dumps(stats)
    commit(folder, 0, PROTOCOL, METADATA, wrong, add("b.parquet", 100))
    return ["a.parquet"]


def broken(folder):
    table(folder, "a.parquet")
    (folder / "_delta_log" / f"{1:020}.json").write_text('{"add": {"path"')
    return [""]


def disagreeing(folder):
    put(folder, "a.parquet")
    put(folder, "b.parquet", MORE)
    commit(folder, 0, PROTOCOL, METADATA, add("a.parquet", 90), add("b.parquet", 100))
    return ["a.parquet"]


def partitions(folder):
    one = put(folder, "day=0/a.parquet")
    for n in range(1, 1000):
        (folder / f"day={n}").mkdir()
        os.link(one, folder / f"day={n}" / "a.parquet")
    return [f"day={n}/a.parquet" for n in range(1000)]


def skewed(folder):
    for n in range(3):
        put(folder, f"day={n}/a.parquet", ROWS.slice(n))
    place = folder / "day=1" / "a.parquet"
    data = place.read_bytes()
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    with open(place, "r+b") as file:  # 300 MB of a hole before the footer, which take no space
        file.seek(footer + 300_000_000)
        file.write(data[footer:])
    return ["day=1/a.parquet"]


def encrypted(folder):
    put(folder, "a.parquet")
    key = pqexplore.Encryption(b"k" * 16)
    ours(folder, "b.parquet", encryption=key)
    return ["b.parquet"]


I32, I64 = pa.int32(), pa.int64()

TROUBLE = [
    Trouble("small files", "small-files", small),
    Trouble("huge row group", "large-row-groups", of_one_file("large-row-groups")),
    Trouble("tiny row groups", "small-row-groups", of_one_file("small-row-groups")),
    Trouble("no statistics", "no-statistics", of_one_file("no-statistics")),
    Trouble("one file without statistics", "files-without-statistics", unlike(statistics=())),
    Trouble("no page index", "files-without-page-index", unlike(column_index=False, offset_index=False)),
    Trouble("truncated file", "file-unreadable", damaged(lambda good: good[: len(good) // 2]), "cut off"),
    Trouble("zero bytes", "file-empty", damaged(lambda good: b""), "is empty"),
    Trouble("wrong magic", "file-unreadable", damaged(lambda good: bytes(range(256)) * 20), "not a Parquet file"),
    Trouble("wrong checksum", "crc-mismatch", checksum, level="data"),
    Trouble("type drift that widens", "types-differ", two(typed(I64, 1), typed(I32, 1))),
    Trouble("type drift that fails", "types-differ", two(typed(I32, 1), typed(I64, 2**40))),
    Trouble("type drift that loses", "types-differ", two(typed(pa.float32(), 1), typed(pa.float64(), 0.1))),
    Trouble("column that is missing", "columns-differ", two(ROWS, ROWS.drop_columns("word"))),
    Trouble("case drift", "column-case-differs", two(ROWS, ROWS.rename_columns(["ID", "word"]))),
    Trouble("column order", "column-order-differs", two(ROWS, ROWS.select(["word", "id"]))),
    Trouble("several codecs", "codecs-differ", two(ROWS, MORE, compression="zstd")),
    Trouble("old writer with a known fault", "known-writer-defects", of_one_file("known-writer-defects")),
    Trouble("INT96", "int96", of_one_file("int96")),
    Trouble("deprecated bounds", "statistics-distrusted", of_one_file("statistics-distrusted")),
    Trouble("all-null column", "only-nulls", of_one_file("only-nulls")),
    Trouble("constant column", "constant-column", of_one_file("constant-column")),
    Trouble("clustering decayed", "clustering-decayed", decayed),
    Trouble("lost order", "clustering-decayed", shuffled),
    Trouble("huge file", "huge-file", large),
    Trouble("same rows in another order", "same-rows", reordered),
    Trouble("day that is not the folder's", "partition-contradicted", astray),
    Trouble("times of another day than the folder's", "partition-contradicted", another_day),
    Trouble("older writer", "old-writers", older),
    Trouble("many deleted rows", "deleted-rows", deleted),
    Trouble("removed files that wait for a vacuum", "removed-files", removed),
    Trouble("unreferenced files", "unreferenced-files", stray),
    Trouble("broken log", "log-unreadable", broken),
    Trouble("log that disagrees with the footers", "log-disagrees", disagreeing),
    Trouble("log whose statistics are too narrow", "log-disagrees", narrower, "other statistics"),
    Trouble("file that is there twice", "duplicate-files", copied),
    Trouble("encrypted file without its key", "file-needs-key", encrypted),
    Trouble("codec that engines refuse", "engines-refuse", unlike(codec="LZO")),
    Trouble("too many partitions", "many-partitions", partitions, full=True),
    Trouble("skewed partitions", "skewed-partitions", skewed),
]  # fmt: skip


def _pyarrow(folder):
    for n in range(3):
        put(folder, f"day={n}/a.parquet", ROWS.append_column("price", pa.array([n / 7] * 50 + [1.5] * 50)))


def _duckdb(folder):
    import duckdb

    folder.mkdir()
    for n in range(3):
        text = f"COPY (SELECT range + {n} AS id, 'w' || range % 7 AS word FROM range(100)) TO '{folder}/{n}.parquet'"
        duckdb.connect().execute(text)


def _polars(folder):
    import polars

    folder.mkdir()
    for n in range(3):
        polars.from_arrow(ROWS.slice(n)).write_parquet(folder / f"{n}.parquet")


def _delta(folder):
    import deltalake

    for n in range(3):
        deltalake.write_deltalake(folder, ROWS.slice(n), mode="append")


def _iceberg(folder):
    from pyiceberg.catalog.sql import SqlCatalog

    catalog = SqlCatalog("tests", uri="sqlite:///:memory:", warehouse=f"file://{folder}")
    catalog.create_namespace("n")
    table = catalog.create_table("n.t", schema=ROWS.schema)
    for n in range(3):
        table.append(ROWS.slice(n))


SOUND = {"pyarrow": _pyarrow, "duckdb": _duckdb, "polars": _polars, "deltalake": _delta, "pyiceberg": _iceberg}  # fmt: skip
"""Functions that write a sound lake with the defaults of a library, by its name."""
