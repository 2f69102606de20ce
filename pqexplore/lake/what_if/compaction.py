"""What fewer, larger files would save: how many files each folder would have, and what their footers cost.

Files of one folder and one schema are joined, as the compaction of Delta Lake does it: the small ones in the order of
their size, each to the one before as long as the target size allows. In a table with a log, a partition stands in place
of the folder: the log says which partition a file is in, its path need not.
"""

from __future__ import annotations

import dataclasses
import functools
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from pqexplore.engine.rule import Source
from pqexplore.engine.text import plural
from pqexplore.insight.ask.engines import ENGINES, Engine, engine
from pqexplore.insight.wording import size
from pqexplore.lake.doctor.diagnose import fact
from pqexplore.lake.doctor.together import places
from pqexplore.lake.target_sizes import TARGETS, Target

ROW_GROUP = 128 << 20
"""Bytes of a row group of a joined file: the default of parquet-java (parquet.block.size), and what the job asks for."""

ASKED = tuple(one for one in ENGINES if one != "format")
"""The engines whose requests are counted."""


@dataclasses.dataclass(frozen=True, slots=True)
class Folder:
    """The live files of one folder of a table, or of one partition of a table with a log: `folder` is then the table's
    folder and the partition values.

    `files` take `bytes`; `joined` of them would become `into` files of at most `target` bytes, the others stay.
    `smallest`, `median` and `largest` are sizes of those that are joined, 0 without any. `footers` are the bytes of their
    footers today, exact, and `footers_after` at most about those of the joined files. `schemas`: how many the files have.
    """

    table: str
    folder: str
    files: int
    bytes: int
    target: int
    schemas: int
    joined: int
    into: int
    smallest: int
    median: int
    largest: int
    footers: int
    footers_after: int


@dataclasses.dataclass(frozen=True)
class Compaction:
    """What joining small files would save.

    - `folders`: those with the most files to save first. `files` today, and `after`.
    - `requests`: by engine, how many requests read the footers of the joined files today, and those of the new files.
    - `sources`: of the target sizes. `code`: the job of the doctor that writes all files of the table again; empty if
      nothing is joined, or if there are several tables. `place` is what `Folder.folder` is, in words, and its plural.
    - `joined_bytes`: of the files that would be joined. `all_requests`: how many read the footers of all files in Spark today.
    """

    folders: tuple[Folder, ...]
    requests: Mapping[str, tuple[int, int]]
    sources: tuple[Source, ...]
    code: Mapping[str, str]
    place: tuple[str, str] = ("folder", "folders")
    joined_bytes: int = 0
    all_requests: int = 0

    @property
    def files(self) -> int:
        """All live files."""
        return sum(one.files for one in self.folders)

    @property
    def after(self) -> int:
        """The files that there would be."""
        return sum(one.files - one.joined + one.into for one in self.folders)

    @functools.cached_property
    def table(self) -> pa.Table:
        """A row for each folder, with the fields of `Folder`; numbers are int64."""
        names = [field.name for field in dataclasses.fields(Folder)]
        kinds = [pa.string() if name in ("table", "folder") else pa.int64() for name in names]
        columns = [[getattr(one, name) for one in self.folders] for name in names]
        arrays = [pa.array(values, kind) for values, kind in zip(columns, kinds, strict=True)]
        return pa.table(arrays, names)

    @functools.cached_property
    def sentence(self) -> str:
        """How many files would be joined, into how many, and what that saves; or that there is nothing to join."""
        some = [one for one in self.folders if one.joined]
        if not some:
            return f"Compaction: no two files of one {self.place[0]} and schema are small enough to be joined."
        joined, into = sum(one.joined for one in some), sum(one.into for one in some)
        small, large = min(one.smallest for one in some), max(one.largest for one in some)
        sizes = size(small) if small == large else f"{size(small)} to {size(large)}"
        targets = " or ".join(f"{one >> 20:,} MiB" for one in sorted({one.target for one in some}))
        footers, then = (sum(getattr(one, name) for one in some) for name in ("footers", "footers_after"))  # fmt: skip
        asked, less = self.requests["spark"]
        said = (
            f"Compaction: {joined:,} of {plural(self.files, 'file')}, of {sizes}, in {self._places(len(some))} would fit into "
            f"{plural(into, 'file')} of at most {targets}. Their footers take {size(footers)} today, at most about {size(then)} "
            f"then; Spark reads them in {plural(asked, 'request')} today, in {less:,} then."
        )
        mixed = sum(one.schemas > 1 for one in self.folders)
        if mixed:
            has = "has" if mixed == 1 else "have"
            said += f" {self._places(mixed)} {has} files of several schemas; only files of the same schema are joined."
        return said

    def _places(self, count: int) -> str:
        return f"{count:,} {self.place[count != 1]}"


def compaction(
    rows: Iterable[Mapping[str, Any]], formats: Mapping[str, str], job: Callable[[], Mapping[str, str]]
) -> Compaction:
    """What joining the small files saves, by rows of `files` of readable live files.

    `formats` has those of tables with a log, by their folder. `job` gives the code, and is called if files are joined.
    """
    folders: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    facts = []
    for row in rows:
        one = fact(row)
        facts.append(one)
        folders.setdefault((one.table, one.folder), []).append(row)
    found, bins = [], []
    for (table, folder), some in folders.items():
        target = TARGETS[formats.get(table, "")]
        own = [one for one in _bins(some, target) if len(one) > 1]
        bins += own
        found.append(_folder(table, folder, some, own, target))
    found.sort(key=lambda one: (one.into - one.joined, one.table, one.folder))
    used = dict.fromkeys(formats.get(one.table, "") for one in found if one.joined)
    sources = tuple(TARGETS[one].source for one in used)
    code = job() if bins else {}
    every = [(row["size"] or 0, _footer(row)) for some in folders.values() for row in some]
    joined = sum(row["size"] for one in bins for row in one)
    return Compaction(
        tuple(found), dict(_requests(bins)), sources, code, places(facts), joined, _reads(engine("spark"), every)
    )


def _bins(rows: Iterable[Mapping[str, Any]], target: Target) -> Iterator[list[Mapping[str, Any]]]:
    """The small files of a folder, in the sets that would be joined; a set of one file stays as it is."""
    by_schema: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["size"] and row["size"] < target.below:
            by_schema.setdefault(row["schema_id"] or "", []).append(row)
    for some in by_schema.values():
        held: list[Mapping[str, Any]] = []
        for row in sorted(some, key=lambda row: (row["size"], row["path"])):
            if held and sum(one["size"] for one in held) + row["size"] > target.bytes:
                yield held
                held = []
            held.append(row)
        yield held


def _folder(
    table: str,
    folder: str,
    rows: Sequence[Mapping[str, Any]],
    bins: Sequence[Sequence[Mapping[str, Any]]],
    target: Target,
) -> Folder:
    sizes = [row["size"] for some in bins for row in some]
    return Folder(
        table,
        folder,
        len(rows),
        sum(row["size"] or 0 for row in rows),
        target.bytes,
        len({row["schema_id"] for row in rows}),
        len(sizes),
        len(bins),
        min(sizes, default=0),
        int(statistics.median(sizes)) if sizes else 0,
        max(sizes, default=0),
        sum(_footer(row) for some in bins for row in some),
        sum(_footer_after(some) for some in bins),
    )


def _footer(row: Mapping[str, Any]) -> int:
    """Bytes of a file's footer, without the 8 bytes of length and magic."""
    return int(row["footer_bytes"] or 0)


def _footer_after(rows: Sequence[Mapping[str, Any]]) -> int:
    """At most about the bytes of the footer of a joined file: the largest, as often as it has more row groups than that."""
    groups: int = -(-sum(row["size"] for row in rows) // ROW_GROUP)
    footers: list[int] = [_footer(row) * -(-groups // max(1, row["num_row_groups"] or 1)) for row in rows]
    return max(footers)


def _requests(bins: Sequence[Sequence[Mapping[str, Any]]]) -> Iterator[tuple[str, tuple[int, int]]]:
    today = [(row["size"], _footer(row)) for some in bins for row in some]
    after = [(sum(row["size"] for row in some), _footer_after(some)) for some in bins]
    for name in ASKED:
        yield name, (_reads(engine(name), today), _reads(engine(name), after))


def _reads(by: Engine, files: Sequence[tuple[int, int]]) -> int:
    """The requests in which an engine reads the footers of files, given as (bytes, bytes of the footer)."""
    return sum(len(by.footer_requests(size, max(0, size - 8 - footer))) for size, footer in files)
