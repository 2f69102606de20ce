"""Which engines can skip a column chunk for a value by its dictionary or its Bloom filter; the footer alone is read.

The engines' own rules answer: each is asked about `column = literal`, with a literal of every kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.format.variant.bounds import inside
from pqexplore.insight.ask import engines, literals
from pqexplore.insight.ask.binding.leaf_test import leaf_test
from pqexplore.insight.ask.bound import Bound, Test, tests
from pqexplore.insight.ask.predicate import BOOLEAN, UUID, Compare, Literal, OneOf, Operand
from pqexplore.insight.ask.pruning_result import BLOOM, DICTIONARY
from pqexplore.insight.wording import listing

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.format.field import Leaf
    from pqexplore.engine.format.schema import Schema
    from pqexplore.insight.ask.engines import Engine

READERS = tuple(name for name in engines.ENGINES if name != "format")
"""The engines that exist; `format` is a reader that uses everything."""

_KINDS = (BLOOM, DICTIONARY)

_UUID = "12345678-1234-5678-1234-567812345678"

_LITERALS = tuple(
    one
    for one in (
        literals.number("5", "5"),
        literals.number("2.5", "2.5"),
        literals.number("2.5e0", "2.5e0"),
        literals.text("abc", "'abc'", None),
        Literal(BOOLEAN, True, "true"),
        literals.date("2026-01-31", "DATE '2026-01-31'"),
        literals.timestamp("2026-01-31 12:00:00Z", "TIMESTAMP '2026-01-31 12:00:00Z'", None),
        literals.local_timestamp("2026-01-31 12:00:00", "TIMESTAMP_NTZ '2026-01-31 12:00:00'"),
        literals.time("12:34:56", "TIME '12:34:56'"),
        literals.binary("00ff", "X'00ff'"),
        Literal(UUID, _UUID, f"'{_UUID}'"),
    )
    if one is not None
)
"""A literal of each kind, so that one of them fits a column of any type."""


class Evidence:
    """Which engines can skip chunks of one column for a value; a chunk is asked about with `of`."""

    def __init__(self, leaf: Leaf, schema: Schema) -> None:
        self._asked = [
            (name, stage, list(made))
            for name in READERS
            for stage in engines.engine(name).stages
            if stage in _KINDS and (made := tuple(_reaching(engines.engine(name), stage, leaf, schema)))
        ]

    @property
    def possible(self) -> bool:
        """Whether any engine asks for such evidence of a column of this type."""
        return bool(self._asked)

    def of(self, chunk: ColumnChunk) -> Iterator[tuple[str, str]]:
        """Yields the engine and the kind of evidence; ParquetError if the chunk's metadata cannot be read."""
        for name, stage, asked in self._asked:
            engine = engines.engine(name)
            why_not = engine.why_no_bloom if stage == BLOOM else engine.why_no_dictionary
            if any(not why_not(test, chunk) for test in asked):
                yield name, stage


def of_chunk(chunk: ColumnChunk) -> list[tuple[str, str]]:
    """The engines that can skip a chunk for a value, each with its kind of evidence."""
    return list(Evidence(chunk.leaf, chunk.file.schema).of(chunk))


def titles(names: Sequence[str]) -> list[str]:
    """The short titles of engines: "Spark" for "spark"."""
    return [engines.engine(name).title.partition(" ")[0] for name in names]


def by_engine(found: Sequence[tuple[str, str]]) -> str:
    """Who can skip by what: "Spark by the dictionary or the Bloom filter and DuckDB by the Bloom filter"."""
    kinds: dict[str, list[str]] = {}
    for name, kind in found:
        kinds.setdefault(name, []).append(f"the {kind}")
    together: dict[str, list[str]] = {}
    for name, by in kinds.items():
        together.setdefault(" or ".join(sorted(by)), []).append(name)
    return listing([f"{listing(titles(names))} by {by}" for by, names in together.items()])


def _reaching(engine: Engine, stage: str, leaf: Leaf, schema: Schema) -> Iterator[Test]:
    """The tests of an equality that reach a stage of an engine."""
    for literal in () if inside(leaf) else _LITERALS:
        sql = f"{'.'.join(leaf.path)} = {literal.sql}"
        try:
            bound: Bound = leaf_test(Compare(Operand(leaf.path), "=", literal, sql), leaf)
            used = engine.condition(engine.usable(bound, schema), stage)
        except (ParquetError, UsageError):
            continue
        yield from (test for test in tests(used) if isinstance(test.clause, Compare | OneOf))
