"""The sizes of each column of a written file.

`plan` encodes the table and discards the bytes; `write` returns the same numbers after writing. So a plan is exact and
takes as long as writing. The sizes of pages, indexes, filters and footer add up to the file.
"""

from __future__ import annotations

import dataclasses

import pyarrow as pa

from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, PageType, Type, enum_name
from pqexplore.engine.text import plural, printable
from pqexplore.engine.writer.chunk_encoding import EncodedChunk, encodings_of


@dataclasses.dataclass(frozen=True, slots=True)
class ChunkPlan:
    """The numbers of a column chunk; sizes are bytes.

    `encodings` counts the pages of each encoding, by name. `repetition_levels`, `definition_levels`, `values` and
    `dictionary` are the sections before compression, `headers` the page headers; `uncompressed` and `compressed` are
    the totals of the metadata. `column_index`, `offset_index` and `bloom_filter` are stored outside of the chunk.
    """

    row_group: int
    path: tuple[str, ...]
    physical_type: str
    codec: str
    encodings: dict[str, int]
    num_values: int
    null_count: int
    num_pages: int
    dictionary_entries: int
    dictionary: int
    repetition_levels: int
    definition_levels: int
    values: int
    headers: int
    uncompressed: int
    compressed: int
    column_index: int = 0
    offset_index: int = 0
    bloom_filter: int = 0

    @classmethod
    def of(cls, chunk: EncodedChunk, row_group: int) -> ChunkPlan:
        """The numbers of a chunk, still without its indexes and its Bloom filter."""
        data = chunk.data_pages
        dictionaries = [page for page in chunk.pages if not page.page.is_data]
        counted: dict[str, int] = {}
        for (kind, encoding), count in encodings_of(chunk).items():
            if kind != PageType.DICTIONARY_PAGE:
                name = enum_name(Encoding, encoding)
                counted[name] = counted.get(name, 0) + count
        return cls(
            row_group,
            chunk.leaf.path,
            enum_name(Type, chunk.leaf.physical_type),
            enum_name(CompressionCodec, int(chunk.options.codec)),
            counted,
            chunk.num_values,
            chunk.counts.nulls,
            len(data),
            sum(page.num_values for page in dictionaries),
            sum(page.values_bytes for page in dictionaries),
            sum(page.repetition_bytes for page in data),
            sum(page.definition_bytes for page in data),
            sum(page.values_bytes for page in data),
            sum(len(page.header) for page in chunk.pages),
            chunk.uncompressed_size,
            chunk.compressed_size,
        )


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Plan:
    """The numbers of a file; `written` says whether it was written or only planned.

    `chunks` are in file order; `footer_bytes` are without the 8 bytes of length and magic; `size` is the whole file.
    """

    written: bool
    num_rows: int
    num_row_groups: int
    chunks: tuple[ChunkPlan, ...]
    footer_bytes: int
    size: int

    @property
    def columns(self) -> tuple[ChunkPlan, ...]:
        """The chunks of each column added up over the row groups; `row_group` is -1."""
        sums: dict[int, ChunkPlan] = {}
        width = len(self.chunks) // max(self.num_row_groups, 1)
        for position, chunk in enumerate(self.chunks):
            leaf = position % width
            known = sums.get(leaf)
            sums[leaf] = dataclasses.replace(chunk, row_group=-1) if known is None else _sum(known, chunk)
        return tuple(sums.values())

    def to_table(self) -> pa.Table:
        """The chunks as an Arrow table, a row each."""
        rows = [dataclasses.asdict(chunk) for chunk in self.chunks]
        for row in rows:
            row["path"] = ".".join(row["path"])
            row["encodings"] = ", ".join(f"{name} × {count}" for name, count in row["encodings"].items())
        names = [field.name for field in dataclasses.fields(ChunkPlan)]
        return pa.table({name: [row[name] for row in rows] for name in names})

    def __repr__(self) -> str:
        return f"<Plan: {str(self).partition(chr(10))[0]}>"

    def __str__(self) -> str:
        verb = "written" if self.written else "planned"
        lines = [
            f"{plural(self.num_rows, 'row')} in {plural(self.num_row_groups, 'row group')}, {self.size:,} bytes {verb}, "
            f"{self.footer_bytes:,} of them footer"
        ]
        for column in self.columns:
            encodings = ", ".join(column.encodings)
            lines.append(
                f"{printable('.'.join(column.path))}: {column.physical_type}, {encodings}, {column.codec}: "
                f"{column.compressed:,} bytes of {column.uncompressed:,}, {column.num_pages:,} pages"
            )
        return "\n".join(lines)


def _sum(one: ChunkPlan, other: ChunkPlan) -> ChunkPlan:
    encodings = dict(one.encodings)
    for name, count in other.encodings.items():
        encodings[name] = encodings.get(name, 0) + count
    numbers = {
        field.name: getattr(one, field.name) + getattr(other, field.name)
        for field in dataclasses.fields(ChunkPlan)
        if field.name not in ("row_group", "path", "physical_type", "codec", "encodings")
    }
    return dataclasses.replace(one, encodings=encodings, **numbers)
