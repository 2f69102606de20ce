"""The best choices as code for pyarrow, DuckDB, polars and Spark: as near as each can say them, and what it leaves out.

pyarrow takes the encoding and the codec of each column. The others are given one codec for the file, that with the fewest
bytes if they write each column PLAIN or with a dictionary, as `stored` says.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.format import codecs
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.insight.ask.why_not_pruned.rewriting import base_name, plain_script
from pqexplore.insight.what_if.choices import DICTIONARY_BYTES, Choice
from pqexplore.insight.what_if.estimate import Estimate, by_ratio
from pqexplore.insight.what_if.measure import Measured
from pqexplore.insight.what_if.writer_storage import Footer, beside_pages, bloom_filter_bytes, has_dictionary, retyped
from pqexplore.insight.wording import listing, name

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.what_if.column import ColumnTrial

Codec = tuple[int, int | None]


@dataclasses.dataclass(frozen=True, slots=True)
class Script:
    """Code that writes a file anew as `fixed.parquet` (Spark: into the folder `fixed`).

    - `bytes`: the predicted bytes of all column chunks, in the types that the file has, without indexes and footer;
      today's for columns that were not tried.
    - `size`: the predicted bytes of the file that is written. None if the writer stores a column in another type, if a
      column was not tried, and for Spark, which decides how many files it writes.
    - `left_out`: a sentence for each part of the best options that the code does not have, and for each column that is
      stored otherwise.
    """

    code: str
    bytes: int
    left_out: tuple[str, ...] = ()
    size: int | None = None

    def __str__(self) -> str:
        return self.code


def scripts(file: str, columns: Sequence[ColumnTrial], rows: int, footer: Footer | None = None) -> dict[str, Script]:
    """The code by writer, for a file with row groups of so many rows; `columns` are all that it has or some.

    Without the `footer` of the file, the size of the whole file is not known.
    """
    source = base_name(file)
    made = {"pyarrow": _pyarrow(source, columns, rows, footer)}
    for writer, options in _ONE_CODEC.items():
        codec, size = _one_codec(columns, writer)
        left_out = [*_left_out(columns, codec, writer), *_retyped(columns, writer)]
        if writer == "Spark":
            left_out.append(f"Row groups of {rows:,} rows: Spark ends a row group by its bytes.")
        code = plain_script(writer, source, options(codec, rows))
        whole = None if writer == "Spark" else _size(columns, writer, size, footer, codec)
        made[writer] = Script(code, size, tuple(left_out), whole)
    return made


def _pyarrow(source: str, columns: Sequence[ColumnTrial], rows: int, footer: Footer | None) -> Script:
    integers = any(_is_short_decimal(one.leaf) for one in columns)
    limits = {one.best.dictionary_bytes for one in columns if one.best is not None} - {None}
    limit = max((each for each in limits if each is not None), default=DICTIONARY_BYTES[0])
    compression, levels, encodings, dictionary = {}, {}, {}, []
    left_out = [*_retyped(columns, "pyarrow", integers=integers)]
    size, known = 0, True
    for one in columns:
        best = one.best
        other = retyped(one.leaf, "pyarrow", integers=integers)
        if best is None or other or not _has_arrow_path(one.leaf):
            size, known = size + one.today, False
            if not other:
                why = "it was not tried" if best is None else "pyarrow gives its levels other names"
                left_out.append(f"The choices of {name(one.leaf.path)}: {why}, so it is written uncompressed.")
            continue
        compression[one.path] = _ARROW_CODECS.get(best.codec, best.codec_name)
        if best.level is not None:
            levels[one.path] = best.level
        if best.dictionary_bytes is None:
            encodings[one.path] = best.encoding_name
        else:
            dictionary.append(one.path)
            larger = dataclasses.replace(best, dictionary_bytes=limit)
            best = larger if larger in one.sizes else best
        size += round(one.sizes[best].bytes.total)
    if len(limits) > 1:
        left_out.append("A limit for each dictionary: pyarrow has one for all columns.")
    options = {
        f"row_group_size={rows}": True,
        f"compression={compression!r}": True,
        f"compression_level={levels!r}": levels,
        f"use_dictionary={dictionary or False!r}": True,
        f"column_encoding={encodings!r}": encodings,
        f"dictionary_pagesize_limit={limit}": limits,
        "store_decimal_as_integer=True": integers,
    }
    code = plain_script("pyarrow", source, ", ".join(option for option, wanted in options.items() if wanted))
    whole = _size(columns, "pyarrow", size, footer) if known else None
    return Script(code, size, tuple(left_out), whole)


def _is_short_decimal(leaf: Leaf) -> bool:
    """Whether the column is a decimal on an integer, which pyarrow writes only if it is asked to."""
    return meaning(leaf).name == "DECIMAL" and leaf.physical_type in (Type.INT32, Type.INT64)


def _retyped(columns: Sequence[ColumnTrial], writer: str, *, integers: bool = True) -> Iterator[str]:
    for one in columns:
        if other := retyped(one.leaf, writer, integers=integers):
            yield f"The type of {name(one.leaf.path)}: {writer} stores it as {other}."


def _size(
    columns: Sequence[ColumnTrial], writer: str, chunks: int, footer: Footer | None, codec: Codec | None = None
) -> int | None:
    """The predicted bytes of the file, from those of its chunks; None if they are not known for each column."""
    leaves = [one.leaf for one in columns]
    if footer is None or len(leaves) < len(footer.bounds) or any(one.best is None for one in columns):
        return None
    if codec is not None and any(retyped(leaf, writer) for leaf in leaves):
        return None
    size = chunks + beside_pages(footer, leaves, writer, max(len(one.chunks) for one in columns))
    if writer == "DuckDB":
        filters = (_bloom_filters(one).total for one in columns)
        size += round(sum(filters))
    return size


def _bloom_filters(one: ColumnTrial) -> Estimate:
    found = {
        at: Estimate(float(bloom_filter_bytes(part)) if has_dictionary(one.leaf, "DuckDB", part) else 0.0)
        for at, part in one.measured.items()
    }
    return by_ratio([1.0] * len(one.chunks), found)


_ARROW_CODECS = {codecs.UNCOMPRESSED: "NONE", codecs.LZ4_RAW: "LZ4"}


def _has_arrow_path(leaf: Leaf) -> bool:
    """Whether pyarrow writes the column under the path that it has: lists as list.element, maps as key_value."""
    pairs = list(zip(leaf.path, leaf.path[1:], strict=False))
    known = ("list", "element"), ("key_value", "key"), ("key_value", "value")
    return sum(pair in known for pair in pairs) == leaf.max_repetition_level


def _written(one: ColumnTrial, part: Measured, codec: Codec, writer: str) -> Choice | None:
    """How a writer that knows dictionaries and PLAIN writes a chunk; None if that was not tried.

    Without a count of its rows, DuckDB and polars are expected to do what Spark does.
    """
    plain = Choice(int(Encoding.PLAIN), None, *codec)
    tried = [Choice(int(Encoding.RLE_DICTIONARY), limit, *codec) for limit in DICTIONARY_BYTES]
    dictionaries = [each for each in tried if each in part.sizes]
    if writer == "Spark" or not part.rows:
        # The limit of its dictionary is the first; no writer uses it if the chunk would be larger with it.
        bare = [
            part.sizes[dataclasses.replace(each, codec=codecs.UNCOMPRESSED, level=None)].bytes.total
            for each in (*dictionaries[:1], plain)
            if each in part.sizes
        ]
        uses = len(bare) == 2 and bare[0] <= bare[1] and one.leaf.physical_type != Type.BOOLEAN
    else:
        uses = bool(dictionaries) and has_dictionary(one.leaf, writer, part)
    if uses:
        return dictionaries[0 if writer == "Spark" else -1]
    return plain if plain in part.sizes else None


def _total(one: ColumnTrial, codec: Codec, writer: str) -> int | None:
    """The bytes of a column as a writer with one codec writes it; None if that codec was not tried."""
    found = {}
    for at, part in _parts(one).items():
        choice = _written(one, part, codec, writer)
        if choice is not None:
            found[at] = part.sizes[choice].bytes
    return round(by_ratio(one.chunks or [one.today], found).total) if found else None


def _parts(one: ColumnTrial) -> Mapping[int, Measured]:
    """The chunks that were measured; the whole column if only its totals are known."""
    return one.measured or {0: Measured(dict(one.sizes), 0)}


CODECS: tuple[Codec, ...] = (
    (codecs.UNCOMPRESSED, None),
    (codecs.SNAPPY, None),
    (codecs.ZSTD, 1),
    (codecs.ZSTD, 3),
    (codecs.ZSTD, 9),
)
"""Codecs that are given to a writer with one codec for the file: those that all of them have, with their levels."""


def _one_codec(columns: Sequence[ColumnTrial], writer: str) -> tuple[Codec, int]:
    """The codec with the fewest bytes for all columns, and these."""
    sizes: dict[Codec, int] = {}
    for codec in CODECS:
        totals = [_total(one, codec, writer) if one.sizes else one.today for one in columns]
        if None not in totals:
            sizes[codec] = sum(total or 0 for total in totals)
    best = min(sizes, key=lambda codec: sizes[codec])
    return best, sizes[best]


def _left_out(columns: Sequence[ColumnTrial], codec: Codec, writer: str) -> Iterator[str]:
    other = [one for one in columns if one.best and (one.best.codec, one.best.level) != codec]
    if other:
        paths = listing([name(one.leaf.path) for one in other], most=3)
        yield f"The codec of {paths}: {writer} is given one codec for all columns."
    encoded, larger = [], []
    for one in columns:
        expected = [_written(one, part, codec, writer) for part in _parts(one).values()]
        if one.best and any(e is None or e.encoding != one.best.encoding for e in expected):
            encoded.append(f"{name(one.leaf.path)} ({one.best.encoding_name})")
        elif one.best and one.best.dictionary_bytes not in (None, DICTIONARY_BYTES[0]):
            larger.append(name(one.leaf.path))
    if encoded:
        yield f"The encoding of {listing(encoded, most=3)}: {writer} chooses encodings itself."
    if larger and writer == "Spark":
        yield f"The larger dictionary of {listing(larger, most=3)}."


def _duckdb(codec: Codec, rows: int) -> str:
    level = f", COMPRESSION_LEVEL {codec[1]}" if codec[1] is not None else ""
    return f"FORMAT parquet, ROW_GROUP_SIZE {rows}, COMPRESSION {codecs.NAMES[codec[0]].lower()!r}{level}"


def _polars(codec: Codec, rows: int) -> str:
    level = f", compression_level={codec[1]}" if codec[1] is not None else ""
    return f"row_group_size={rows}, compression={codecs.NAMES[codec[0]].lower()!r}{level}"


def _spark(codec: Codec, rows: int) -> str:
    key = "parquet.compression.codec.zstd.level"
    level = f".option({key!r}, {codec[1]!r})" if codec[1] is not None else ""
    return f".option('compression', {codecs.NAMES[codec[0]].lower()!r}){level}"


_ONE_CODEC: dict[str, Callable[[Codec, int], str]] = {"DuckDB": _duckdb, "polars": _polars, "Spark": _spark}
