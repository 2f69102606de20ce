"""Whether files have the same rows together, in any order: compared as two bags of hashes."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.variant.columns import exchange
from pqexplore.engine.format.variant.equivalent import equivalents
from pqexplore.insight.diff.data import HASHED, bags_differ
from pqexplore.insight.diff.hashes import hashes, of_rows
from pqexplore.lake.logs.table_log import LogError

if TYPE_CHECKING:
    from pqexplore.engine.arrays import UInt64s
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.lake.comparing.state import Member

Kind = dict[str, pa.DataType]


@dataclasses.dataclass(frozen=True, slots=True)
class Rows:
    """How many rows only one side has; None if that was not worked out, and `why`."""

    only_first: int | None = None
    only_second: int | None = None
    why: str = ""

    @property
    def equal(self) -> bool:
        """Whether both sides have the same rows."""
        return self.only_first == 0 and self.only_second == 0


class _NotComparedError(Exception):
    """The rows of some files cannot be compared; the text says why."""


def compared(first: Sequence[Member], second: Sequence[Member]) -> Rows:
    """Compares the rows of files: all columns, and the `key=value` folders above them."""
    kinds: list[Kind] = []
    try:
        known = [one.rows for one in (*first, *second)]
        if sum(rows or 0 for rows in known) > HASHED:
            raise _NotComparedError(f"there are more than {HASHED:,} rows")
        bags = [_bag(members, kinds) for members in (first, second)]
    except _NotComparedError as error:
        return Rows(why=str(error))
    except (ParquetError, pa.ArrowException, OSError, LogError) as error:
        return Rows(why=f"a file cannot be read: {error}")
    return Rows(*bags_differ(*bags))


def _bag(members: Iterable[Member], kinds: list[Kind]) -> UInt64s:
    """Hashes of all rows. `kinds` keeps the columns of the first file; those of others must be the same."""
    made: list[UInt64s] = []
    for member in members:
        if member.deleted != 0:
            raise _NotComparedError("rows of a file are deleted by the table's log")
        if member.opened is None:
            raise _NotComparedError("a file lies outside of the table's folder")
        folder = hashlib.blake2b(member.partition.encode("utf-8", "replace"), digest_size=8)
        partition = np.frombuffer(folder.digest(), np.uint64)
        with member.opened() as file:
            for group in range(len(file.row_groups)):
                table = file.read(row_groups=[group])
                kind = {field.name: field.type for field in table.schema}
                if not kinds:
                    kinds.append(kind)
                if kind != kinds[0] or len(kind) != table.num_columns:
                    raise _NotComparedError("the files have not the same columns")
                columns = [hashes(_column(file, table, one)) for one in sorted(kind)]
                made.append(of_rows([np.repeat(partition, table.num_rows), *columns]))
    return np.sort(np.concatenate(made)) if made else np.zeros(0, np.uint64)


def _column(file: ParquetFile, table: pa.Table, name: str) -> pa.Array:
    """A column in one piece, its Variants as texts that are equal if the values are."""
    [field] = [child for child in file.schema.root.children if child.name == name]
    return exchange(table.column(name).combine_chunks(), field, lambda one, _: equivalents(one))
