"""The best choices as code for pyarrow, DuckDB, polars and Spark: as near as each can say them, and what it leaves out.

pyarrow takes the encoding and the codec of each column. The others are given one codec for the file, that with the fewest
bytes if they write each column PLAIN or with a dictionary, whichever takes fewer.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.format import codecs
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.insight.ask.causes.rewriting import base_name, plain_script
from pqexplore.insight.what_if.choices import DICTIONARY_BYTES, Choice
from pqexplore.insight.wording import listing, name

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.what_if.column import ColumnTrial

Codec = tuple[int, int | None]


@dataclasses.dataclass(frozen=True, slots=True)
class Script:
    """Code that writes a file anew as `mended.parquet` (Spark: into the folder `mended`).

    `bytes` are the predicted bytes of all column chunks, without indexes and footer; today's for columns that were not
    tried. `left_out` has a sentence for each part of the best options that the code does not have.
    """

    code: str
    bytes: int
    left_out: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.code


def scripts(file: str, columns: Sequence[ColumnTrial], rows: int) -> dict[str, Script]:
    """The code by writer, for a file with row groups of so many rows."""
    source = base_name(file)
    made = {"pyarrow": _pyarrow(source, columns, rows)}
    for writer, options in _ONE_CODEC.items():
        codec, size = _one_codec(columns)
        left_out = [*_left_out(columns, codec, writer)]
        if writer == "Spark":
            left_out.append(f"Row groups of {rows:,} rows: Spark ends a row group by its bytes.")
        code = plain_script(writer, source, options(codec, rows))
        made[writer] = Script(code, size, tuple(left_out))
    return made


def _pyarrow(source: str, columns: Sequence[ColumnTrial], rows: int) -> Script:
    compression, levels, encodings, dictionary = {}, {}, {}, []
    limits = set()
    left_out = []
    size = 0
    integers = _integers(columns)
    for one in columns:
        best = one.best
        mixed = integers.get(one.path) and not all(integers.values())
        if best is not None and _has_arrow_path(one.leaf) and not mixed:
            compression[one.path] = _ARROW_CODECS.get(best.codec, best.codec_name)
            if best.level is not None:
                levels[one.path] = best.level
            if best.dictionary_bytes is None:
                encodings[one.path] = best.encoding_name
            else:
                dictionary.append(one.path)
                limits.add(best.dictionary_bytes)
            size += round(one.sizes[best].bytes.total)
            continue
        size += one.today
        why = "it was not tried" if best is None else "pyarrow gives its levels other names"
        if best is not None and mixed:
            why = "pyarrow stores all decimals of up to 18 digits alike"
        left_out.append(
            f"The choices of {name(one.leaf.path)}: {why}, so it is written uncompressed."
        )
    if len(limits) > 1:
        left_out.append("A limit for each dictionary: pyarrow has one for all columns.")
    options = [
        f"row_group_size={rows}",
        f"compression={compression!r}",
        f"compression_level={levels!r}" if levels else "",
        f"use_dictionary={dictionary!r}" if dictionary else "use_dictionary=False",
        f"column_encoding={encodings!r}" if encodings else "",
        f"dictionary_pagesize_limit={max(limits)}" if limits else "",
        "store_decimal_as_integer=True" if integers and all(integers.values()) else "",
    ]
    code = plain_script("pyarrow", source, ", ".join(option for option in options if option))
    return Script(code, size, tuple(left_out))


DECIMAL_DIGITS = 18
"""Digits of a DECIMAL that an INT64 holds (specification, "DECIMAL")."""

_ARROW_CODECS = {codecs.UNCOMPRESSED: "NONE", codecs.LZ4_RAW: "LZ4"}


def _integers(columns: Sequence[ColumnTrial]) -> dict[str, bool]:
    """Whether each column of decimals that fit an integer is stored as one, by path: pyarrow has one option for all."""
    found = {}
    for one in columns:
        logical = meaning(one.leaf)
        if logical.name == "DECIMAL" and logical.precision <= DECIMAL_DIGITS:
            found[one.path] = one.leaf.physical_type in (Type.INT32, Type.INT64)
    return found


def _has_arrow_path(leaf: Leaf) -> bool:
    """Whether pyarrow writes the column under the path that it has: lists as list.element, maps as key_value."""
    pairs = list(zip(leaf.path, leaf.path[1:], strict=False))
    known = ("list", "element"), ("key_value", "key"), ("key_value", "value")
    return sum(pair in known for pair in pairs) == leaf.max_repetition_level


def _written(one: ColumnTrial, codec: Codec) -> Choice | None:
    """How a writer that knows dictionaries and PLAIN is expected to write a column; None if it was not tried."""
    plain = Choice(int(Encoding.PLAIN), None, *codec)
    dictionary = Choice(int(Encoding.RLE_DICTIONARY), DICTIONARY_BYTES[0], *codec)
    if one.leaf.physical_type == Type.BOOLEAN or dictionary not in one.sizes:
        return plain if plain in one.sizes else None
    if plain not in one.sizes:
        return dictionary
    bare = [
        dataclasses.replace(each, codec=codecs.UNCOMPRESSED, level=None)
        for each in (dictionary, plain)
    ]
    return dictionary if one.sizes[bare[0]].bytes.total <= one.sizes[bare[1]].bytes.total else plain


CODECS: tuple[Codec, ...] = (
    (codecs.UNCOMPRESSED, None),
    (codecs.SNAPPY, None),
    (codecs.ZSTD, 1),
    (codecs.ZSTD, 3),
    (codecs.ZSTD, 9),
)
"""Codecs that are given to a writer with one codec for the file: those that all of them have, with their levels."""


def _one_codec(columns: Sequence[ColumnTrial]) -> tuple[Codec, int]:
    """The codec with the fewest bytes for all columns, and these."""

    def size(codec: Codec) -> int:
        total = 0
        for one in columns:
            choice = _written(one, codec)
            total += one.today if choice is None else round(one.sizes[choice].bytes.total)
        return total

    every = [
        codec for codec in CODECS if all(not one.sizes or _written(one, codec) for one in columns)
    ]
    best = min(every, key=size)
    return best, size(best)


def _left_out(columns: Sequence[ColumnTrial], codec: Codec, writer: str) -> Iterator[str]:
    other = [one for one in columns if one.best and (one.best.codec, one.best.level) != codec]
    if other:
        paths = listing([name(one.leaf.path) for one in other], most=3)
        yield f"The codec of {paths}: {writer} is given one codec for all columns."
    encoded, larger = [], []
    for one in columns:
        expected = _written(one, codec)
        if one.best and (expected is None or one.best.encoding != expected.encoding):
            encoded.append(f"{name(one.leaf.path)} ({one.best.encoding_name})")
        elif one.best and one.best.dictionary_bytes not in (None, DICTIONARY_BYTES[0]):
            larger.append(name(one.leaf.path))
    if encoded:
        yield f"The encoding of {listing(encoded, most=3)}: {writer} chooses encodings itself."
    if larger:
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


_ONE_CODEC: dict[str, Callable[[Codec, int], str]] = {
    "DuckDB": _duckdb,
    "polars": _polars,
    "Spark": _spark,
}
