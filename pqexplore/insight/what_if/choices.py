"""The choices that are tried for a column: each encoding that its type allows, under each codec."""

from __future__ import annotations

import dataclasses
from typing import Any

from pqexplore.engine.format import codecs, encodings
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.thrift.structs import Encoding, enum_name
from pqexplore.engine.writer import option_refusals
from pqexplore.engine.writer.options import ColumnOptions
from pqexplore.insight.doctor.readers import storage
from pqexplore.insight.doctor.readers.known import KNOWN
from pqexplore.insight.doctor.readers.reader import Verdict

CODECS: tuple[tuple[int, int | None], ...] = (
    (codecs.UNCOMPRESSED, None),
    (codecs.LZ4_RAW, None),
    (codecs.SNAPPY, None),
    (codecs.ZSTD, 1),
    (codecs.ZSTD, 3),
    (codecs.ZSTD, 9),
    (codecs.GZIP, 6),
    (codecs.BROTLI, 8),
)
"""Codecs with their levels, the fastest first. Levels without a choice are those that our writer takes by default."""

FAST = CODECS[:5]
"""Those that compress more than 100 MB/s here; the others are a tenth of that and less."""

DICTIONARY_BYTES = (1 << 20, 16 << 20)
"""Limits of a dictionary: the default of pyarrow and Spark, and a larger one, tried where the first is too small."""

READERS = ("pyarrow", "DuckDB", "polars", "Spark")
"""The engines that must read the best choice, as far as `doctor.readers` knows."""

_DEPRECATED = frozenset((int(Encoding.PLAIN_DICTIONARY), int(Encoding.BIT_PACKED)))


@dataclasses.dataclass(frozen=True, slots=True)
class Choice:
    """An encoding under a codec. `dictionary_bytes` is the limit of the dictionary, None without one."""

    encoding: int
    dictionary_bytes: int | None
    codec: int
    level: int | None

    @property
    def encoding_name(self) -> str:
        """The encoding as the specification names it."""
        return enum_name(Encoding, self.encoding)

    @property
    def codec_name(self) -> str:
        """The codec as the specification names it."""
        return codecs.NAMES[self.codec]

    @property
    def options(self) -> dict[str, Any]:
        """The options of a column in `WriteOptions.columns`."""
        made: dict[str, Any] = {"encoding": self.encoding_name, "codec": self.codec_name}
        if self.level is not None:
            made["codec_level"] = self.level
        if self.dictionary_bytes is not None:
            made["dictionary_bytes"] = self.dictionary_bytes
        return made


def unread_by(leaf: Leaf, one: Choice) -> list[str]:
    """Those of `READERS` that are known not to read a column in this choice, or to read it wrongly."""
    features = list(storage.of_choice(leaf, one.encoding, one.codec))
    cells = {name: [KNOWN[each].cells.get(name) for each in features] for name in READERS}
    bad = (Verdict.REFUSES, Verdict.WRONG)
    return [name for name in READERS if any(c is not None and c.verdict in bad for c in cells[name])]


def encodings_of(leaf: Leaf) -> list[ColumnOptions]:
    """Uncompressed options for each encoding that the leaf allows, the largest last; empty if its type is not valid."""
    made = []
    for number in encodings.REGISTRY:
        if number is None or number in _DEPRECATED:
            continue
        limits = DICTIONARY_BYTES if number == Encoding.RLE_DICTIONARY else DICTIONARY_BYTES[:1]
        for limit in limits:
            options = ColumnOptions(
                encoding=number, codec="UNCOMPRESSED", dictionary_bytes=limit, size_statistics=False
            )
            if not any(option_refusals.problems(leaf, options)):
                made.append(options)
    return sorted(made, key=lambda options: options.dictionary_bytes or 0)


def choice(options: ColumnOptions, codec: int, level: int | None) -> Choice:
    """The choice of the options' encoding under a codec."""
    assert isinstance(options.encoding, int)
    dictionary = options.encoding == Encoding.RLE_DICTIONARY
    return Choice(options.encoding, options.dictionary_bytes if dictionary else None, codec, level)
