"""Who probably wrote a file, by the marks that its footer bears: what a writer fills in, leaves out, and by default does.

A writer is named only if all marks of its print are there, and those of no other. `MEASURED` says how often that is
right for files whose writer is known. Where the marks of versions differ, they tell the range of versions, too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TypeAlias

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.thrift.structs import Encoding, FieldRepetitionType, Struct
from pqexplore.insight.writers.known import BY_NAME
from pqexplore.insight.writers.writer import Writer, by_name, program

CHUNKS = 20
"""Column chunks of the first row group that are looked at."""

FAMILIES = {
    "databend": "arrow-rs",
    "datafusion": "arrow-rs",
    "delta-rs": "arrow-rs",
    "doris": "arrow-cpp",
    "pg-parquet": "arrow-rs",
    "starrocks": "arrow-cpp",
    "velox": "arrow-cpp",
}
"""Writers that use the code of another: the marks are those of that one."""

START, DATA_PAGE, END = "0", "data_page_offset", "end"
"""What ColumnChunk.file_offset can be."""


@dataclasses.dataclass(frozen=True, slots=True)
class Facts:
    """What the footer says, as far as writers differ in it. The sets are over the chunks that were looked at.

    - `root`: the name of the root element; `root_repetition`: its repetition, None if absent. `version`: of the file.
    - `orders`: column_orders is there. `group_offset`, `group_size`, `group_ordinal`: fields of RowGroup that are.
    - `file_offsets`: what ColumnChunk.file_offset is; "" for anything else. `encodings`: all that are listed.
    - `stats`: encoding_stats is there; `column_index`, `offset_index`, `sizes` (SizeStatistics), `exact` (is_min_value_exact),
      `distinct` (distinct_count), `old_bounds`, `new_bounds`, `index_page`: there in a chunk.
    """

    root: str
    root_repetition: int | None
    version: int | None
    orders: bool
    group_offset: bool
    group_size: bool
    group_ordinal: bool
    file_offsets: frozenset[str]
    encodings: frozenset[int]
    stats: bool
    column_index: bool
    offset_index: bool
    sizes: bool
    exact: bool
    distinct: bool
    old_bounds: bool
    new_bounds: bool
    index_page: bool


def facts(file: ParquetFile) -> Facts | None:
    """The marks of a file; None if it has no column chunks to look at, or they cannot be read."""
    try:
        metadata = file.footer_metadata
        group = file.row_groups[0].metadata if len(file.row_groups) else None
        columns = file.row_groups[0].columns[:CHUNKS] if group is not None else []
        chunks = [chunk for chunk in columns if not chunk.encrypted]
        infos = [chunk.metadata for chunk in chunks]
    except ParquetError:
        return None
    if group is None or not chunks or not metadata.schema:
        return None
    stored = [chunk.struct for chunk in chunks]
    statistics = [one.statistics for one in infos if one.statistics is not None]
    return Facts(
        metadata.schema[0].name,
        metadata.schema[0].repetition_type,
        metadata.version,
        metadata.column_orders is not None,
        group.file_offset is not None,
        group.total_compressed_size is not None,
        group.ordinal is not None,
        frozenset(map(_file_offset, chunks)),
        frozenset(encoding for one in infos for encoding in one.encodings or ()),
        _some_has(infos, "encoding_stats"),
        _some_has(stored, "column_index_offset"),
        _some_has(stored, "offset_index_offset"),
        _some_has(infos, "size_statistics"),
        _some_has(statistics, "is_min_value_exact"),
        _some_has(statistics, "distinct_count"),
        _some_has(statistics, "min"),
        _some_has(statistics, "min_value"),
        _some_has(infos, "index_page_offset"),
    )


def _some_has(some: Sequence[Struct], field: str) -> bool:
    """Whether one of some structs has a field."""
    return any(getattr(one, field) is not None for one in some)


def _file_offset(chunk: ColumnChunk) -> str:
    offset, known = chunk.struct.file_offset, chunk.metadata
    if offset == 0:
        return START
    if offset == known.data_page_offset:
        return DATA_PAGE
    try:
        return END if offset == chunk.start + known.total_compressed_size else ""
    except ParquetError:
        return ""


Test: TypeAlias = Callable[[Facts], bool]


@dataclasses.dataclass(frozen=True, slots=True)
class Mark:
    """One mark, in words, and its test."""

    words: str
    test: Test


@dataclasses.dataclass(frozen=True, slots=True)
class Print:
    """The marks of a writer, and of the versions that differ: `versions` has the first test that holds."""

    library: str
    marks: tuple[Mark, ...]
    versions: tuple[tuple[str, Test], ...] = ()


def _root(name: str) -> Mark:
    return Mark(f"the root of the schema is named `{name}`", lambda f: f.root == name)


NO_REPETITION = Mark("the root has no repetition", lambda f: f.root_repetition is None)
REQUIRED = Mark("the root is required", lambda f: f.root_repetition == FieldRepetitionType.REQUIRED)
VERSION_1 = Mark("the footer's version is 1", lambda f: f.version == 1)
INEXACT = Mark("no bound says whether it is exact", lambda f: not f.exact)
UNCOUNTED = Mark("no distinct_count", lambda f: not f.distinct)
BARE_GROUPS = Mark(
    "row groups have no file_offset, total_compressed_size and ordinal",
    lambda f: not (f.group_offset or f.group_size or f.group_ordinal),
)
FULL_GROUPS = Mark("row groups have file_offset and total_compressed_size", lambda f: f.group_offset and f.group_size)
STATS = Mark("chunks have encoding_stats", lambda f: f.stats)
NO_STATS = Mark("chunks have no encoding_stats", lambda f: not f.stats)


def _offset(*kinds: str) -> Mark:
    words = {START: "0", DATA_PAGE: "data_page_offset", END: "where the chunk ends"}
    return Mark(
        f"file_offset of the chunks is {' or '.join(words[kind] for kind in kinds)}",
        lambda f: f.file_offsets <= frozenset(kinds),
    )


LEVELS = Mark(
    "encodings of the chunks list those of the levels",
    lambda f: bool({Encoding.RLE, Encoding.BIT_PACKED} & f.encodings),
)

PRINTS = (
    Print(
        "parquet-java",
        (
            NO_REPETITION, VERSION_1, INEXACT, UNCOUNTED, LEVELS, _offset(DATA_PAGE, START),
            Mark(
                "column_orders and encoding_stats are there, or only the old min and max",
                lambda f: (f.orders and f.stats) or (f.old_bounds and not f.new_bounds),
            ),
            Mark("file_offset is 0 only beside a column index", lambda f: START not in f.file_offsets or f.column_index),
        ),
        (
            ("1.15 or newer", lambda f: f.file_offsets == {START}),
            ("1.11 to 1.14", lambda f: f.column_index),
            ("1.10 or newer", lambda f: f.orders and not f.column_index),
            ("before 1.10", lambda f: not f.orders),
        ),
    ),
    Print(
        "arrow-cpp",
        (_root("schema"), REQUIRED, STATS, UNCOUNTED, LEVELS, FULL_GROUPS, _offset(START, END)),
        (
            ("22 or newer", lambda f: f.exact),
            ("20 or newer", lambda f: not f.group_ordinal),
            ("18 or 19", lambda f: f.file_offsets == {START}),
            ("before 18", lambda f: END in f.file_offsets),
        ),
    ),
    Print("duckdb", (_root("duckdb_schema"), _offset(START), Mark("row groups have a file_offset and no ordinal", lambda f: f.group_offset and not f.group_ordinal))),
    Print(
        "arrow-rs",
        (_root("arrow_schema"), NO_REPETITION, LEVELS, UNCOUNTED),
        (
            ("50 or newer", lambda f: f.file_offsets == {START}),
            ("before 50", lambda f: f.file_offsets == {END}),
        ),
    ),
    Print(
        "polars",
        (
            _root("root"), NO_REPETITION, VERSION_1, FULL_GROUPS,
            Mark("column_orders and an offset index are there", lambda f: f.orders and f.offset_index),
        ),
    ),
    Print(
        "hangxie",
        (
            _root("parquet_go_root"), REQUIRED, BARE_GROUPS, _offset(DATA_PAGE),
            Mark("no BIT_PACKED in the encodings of the chunks", lambda f: Encoding.BIT_PACKED not in f.encodings),
        ),
    ),
    Print(
        "xitongsys",
        (
            _root("parquet_go_root"), REQUIRED, BARE_GROUPS,
            Mark("encodings of the chunks list BIT_PACKED", lambda f: Encoding.BIT_PACKED in f.encodings),
        ),
    ),
    Print(
        "impala",
        (
            _root("schema"), NO_REPETITION, VERSION_1, BARE_GROUPS, INEXACT, _offset(END), LEVELS,
            Mark(
                "encodings of the chunks list PLAIN_DICTIONARY or BIT_PACKED",
                lambda f: bool({Encoding.PLAIN_DICTIONARY, Encoding.BIT_PACKED} & f.encodings),
            ),
        ),
    ),
    Print(
        "nanoparquet",
        (
            _root("schema"), NO_REPETITION, VERSION_1, BARE_GROUPS, NO_STATS, _offset(DATA_PAGE),
            Mark("no old min and max", lambda f: not f.old_bounds),
            Mark("no BIT_PACKED in the encodings of the chunks", lambda f: Encoding.BIT_PACKED not in f.encodings),
        ),
    ),
    Print(
        "fastparquet",
        (
            _root("schema"), NO_REPETITION, VERSION_1, STATS,
            Mark("column_orders is absent", lambda f: not f.orders),
            Mark("no min_value and max_value", lambda f: not f.new_bounds),
            Mark("encodings of the chunks do not list those of the levels", lambda f: not LEVELS.test(f)),
        ),
    ),
)  # fmt: skip


MEASURED = {
    "parquet-java": (735, 704),
    "arrow-cpp": (245, 240),
    "duckdb": (31, 31),
    "arrow-rs": (10, 5),
    "polars": (2, 1),
    "hangxie": (26, 20),
    "xitongsys": (1, 1),
    "impala": (10, 9),
    "nanoparquet": (5, 5),
    "fastparquet": (3, 1),
}
"""By writer, the files of a corpus of public test data, and how many of them are named by their marks."""
MISNAMED = 1
"""Files of the corpus that the marks of another writer name, of those whose writer is known."""


KEYS = {"sfVer": "snowflake"}
"""Keys of the key-value metadata that only one writer's own code writes."""


def guess(file: ParquetFile) -> Writer | None:
    """The writer whose marks the file bears, with the reasons; None if there is none, or more than one."""
    known = facts(file)
    if known is None:
        return None
    fitting = [one for one in PRINTS if all(mark.test(known) for mark in one.marks)]
    if len(fitting) != 1:
        return None if fitting else _by_key(file)
    [found] = fitting
    library = BY_NAME[found.library]
    versions = next((words for words, test in found.versions if test(known)), "")
    return Writer(
        library.name,
        library.title,
        library.vendor,
        version_text=versions,
        program=_program(file, library.name),
        why=tuple(mark.words for mark in found.marks),
    )


def _by_key(file: ParquetFile) -> Writer | None:
    for key in file.key_value_metadata:
        if key in KEYS:
            library = BY_NAME[KEYS[key]]
            why = (f"the key-value metadata has the key `{key}`",)
            return Writer(library.name, library.title, library.vendor, why=why)
    return None


def _program(file: ParquetFile, library: str) -> str:
    try:
        return program(file.key_value_metadata, library)
    except ParquetError:
        return ""


def identify(file: ParquetFile) -> Writer | None:
    """Who wrote the file: by its created_by, else by its marks; None if neither tells."""
    return by_name(file) or guess(file)


def disagrees(file: ParquetFile) -> Writer | None:
    """The writer whose marks the file bears, if created_by names another one whose files bear marks of their own."""
    by_text, by_marks = by_name(file), guess(file)
    if by_text is None or by_marks is None:
        return None
    named = family(by_text.name)
    marked = {one.library for one in PRINTS}
    return by_marks if named in marked and named != by_marks.name else None


def family(name: str) -> str:
    """The writer whose marks the files of a writer bear."""
    return FAMILIES.get(name, name)
