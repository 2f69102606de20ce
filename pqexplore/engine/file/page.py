"""The handle of one page: its levels and its values, and how each is made of bytes. `PageBody` has the bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine.address import Address
from pqexplore.engine.arrays import Array, Levels
from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError, located, within_memory
from pqexplore.engine.file import value_findings
from pqexplore.engine.file.page_body import PageBody
from pqexplore.engine.file.page_headers import page_struct
from pqexplore.engine.format import logical, types
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Encoding, PageType, Type
from pqexplore.engine.limits import Limits
from pqexplore.engine.span import Span

if TYPE_CHECKING:
    from pqexplore.engine.file import page_sections
    from pqexplore.engine.file.statistics import Statistics
    from pqexplore.engine.format.encodings.bits import UnsignedArray
    from pqexplore.engine.format.encodings.encoding import SectionEncoding, Structure
    from pqexplore.engine.format.encodings.run_values import RunValues
    from pqexplore.engine.format.explain import Step

# Methods import what decodes levels and values: the headers of pages need none of it.

DICTIONARY_ENCODINGS = (Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY)

VALUE_BYTES: dict[int, int] = {Type.BOOLEAN: 1, Type.INT64: 8, Type.DOUBLE: 8, Type.INT96: 12}
"""Minimum bytes of a decoded value, for types without a length that do not take 4."""

LONG = 1 << 20
"""Values of a page from which a part of them is decoded without all the others."""


class Page(PageBody):
    """A page of a column chunk. `index` counts all pages of the chunk, the dictionary page included.

    Nothing is read before it is used; the file keeps what is decoded for a while. Properties raise ParquetError if the
    page cannot be read; the other pages still can.
    """

    INTERNAL = frozenset(
        {
            *("frame", "id_runs", "level_bits", "level_counts", "leftovers", "physical_part"),
            *("entries", "section_encoding", "stored_beginning", "values_part"),
        }
    )

    @property
    def statistics(self) -> Statistics | None:
        """The statistics in the page's header, `min` and `max` decoded; None if absent."""
        from pqexplore.engine.file import statistics

        struct: structs.Statistics | None = getattr(page_struct(self.header), "statistics", None)
        return statistics.of_page(self, struct)

    def _levels(self, name: str, maximum: int) -> Levels | None:
        if not maximum or not self.is_data:
            return None

        def make() -> Levels:
            from pqexplore.engine.file import page_levels

            section = self.body.section(name)
            self._charge(self.num_values)
            with self._locate(section):
                return page_levels.decode(self.header, section, maximum, self.num_values)

        with within_memory(self.address, self.frame.start):
            return self._cache.get((self.address, name), make, lambda array: array.nbytes)

    def level_counts(self, name: str) -> Array | None:
        """How often each level from 0 to the maximum occurs; None if the column's maximum is 0.

        `name` is `definition_levels` or `repetition_levels`. Long pages are counted run by run, not value by value.
        """
        from pqexplore.engine.file import page_levels
        from pqexplore.engine.format.encodings.run_values import histogram

        leaf = self.chunk.leaf
        repeats = name == "repetition_levels"
        maximum = leaf.max_repetition_level if repeats else leaf.max_definition_level
        if not maximum or not self.is_data:
            return None
        if self.num_values > LONG:
            section = self.body.section(name)
            self._charge(8 * len(section.data))
            with self._locate(section):
                runs = page_levels.runs(self.header, section, maximum, self.num_values)
            if runs is not None:
                return runs.histogram(maximum + 1)
        levels = self._levels(name, maximum)
        return None if levels is None else histogram(levels, maximum + 1)

    @property
    def repetition_levels(self) -> Levels | None:
        """Unsigned integers, `num_values` of them; None if the column's maximum is 0."""
        return self._levels("repetition_levels", self.chunk.leaf.max_repetition_level)

    @property
    def definition_levels(self) -> Levels | None:
        """Unsigned integers, `num_values` of them, nulls included; None if the column's maximum is 0."""
        return self._levels("definition_levels", self.chunk.leaf.max_definition_level)

    @property
    def num_present(self) -> int:
        """Values that are stored: those that are not null."""
        if not self.chunk.leaf.max_definition_level or not self.is_data:
            return self.num_values
        count: int = self._cache.get((self.address, "present"), self._count_present, lambda _: 64)
        return count

    def _count_present(self) -> int:
        from pqexplore.engine.file import page_levels

        maximum = self.chunk.leaf.max_definition_level
        section = self.body.section("definition_levels")
        only = page_levels.only_level(self.header, section, maximum, self.num_values)
        if only is not None and only <= maximum:
            return self.num_values if only == maximum else 0
        levels = self.definition_levels
        assert levels is not None
        with within_memory(self.address, self.frame.start):
            return int(np.count_nonzero(levels if maximum == 1 else levels == maximum))

    @property
    def dictionary_ids(self) -> Array | None:
        """The dictionary index of each stored value, as integers; None if the page is not dictionary-encoded."""
        if not self.is_data or self.encoding not in DICTIONARY_ENCODINGS:
            return None

        def make() -> Array:
            from pqexplore.engine.format.encodings import dictionary

            entries = self._dictionary_entries()
            section = self.body.section("values")
            count = self.num_present
            self._charge(count)
            with self._locate(section):
                return dictionary.decode_ids(section.data, count, entries)

        with within_memory(self.address, self.frame.start):
            return self._cache.get((self.address, "ids"), make, lambda array: array.nbytes)

    @property
    def id_runs(self) -> RunValues | None:
        """`dictionary_ids` as runs, which take no more memory than bytes in the file; None as for `dictionary_ids`."""
        if not self.is_data or self.encoding not in DICTIONARY_ENCODINGS:
            return None

        def make() -> RunValues:
            from pqexplore.engine.format.encodings import dictionary

            entries = self._dictionary_entries()
            section = self.body.section("values")
            self._charge(8 * len(section.data))
            with self._locate(section):
                return dictionary.id_runs(section.data, self.num_present, entries)

        with within_memory(self.address, self.frame.start):
            return self._cache.get((self.address, "id_runs"), make, lambda runs: runs.nbytes)

    def _dictionary_entries(self) -> int:
        """How many entries the dictionary has. They are not decoded: ids need only their number."""
        page = self.chunk.dictionary_page
        if page is None:
            if self.num_present:
                raise CorruptFileError(
                    "the page's values are dictionary-encoded, and the column chunk has no dictionary page",
                    offset=self.frame.start,
                    address=self.address,
                )
            return 0
        return page.num_values

    def entries(self, ids: UnsignedArray) -> pa.Array:
        """The physical values of a dictionary page with the numbers `ids`; a few do not cost the whole dictionary."""
        from pqexplore.engine.file import some_entries
        from pqexplore.engine.format.encodings import dictionary

        with within_memory(self.address, self.frame.start):
            found = some_entries.some_entries(self, ids, self._cache)
        if found is not None:
            return found
        return dictionary.take(self.physical, ids, limits=self.chunk.file.limits)

    @property
    def physical(self) -> pa.Array:
        """The values that are not null, as an Arrow array of the physical type."""
        with within_memory(self.address, self.frame.start):
            return self._cache.get((self.address, "physical"), self._decode_physical, lambda array: array.nbytes)

    def physical_part(self, start: int, stop: int) -> pa.Array:
        """The physical values `[start, stop)`.

        Of a page of dictionary ids the other values are not made, and of the dictionary only the entries that are needed.
        """
        entries = self.chunk.dictionary_page if self.encoding in DICTIONARY_ENCODINGS else None
        kept = self._cache.peek((self.address, "physical")) is not None
        if not self.is_data or entries is None or kept:
            return self.physical[start:stop]
        if self.num_values > LONG:
            runs = self.id_runs
            ids = None if runs is None else runs.part(start, stop)
        else:
            whole = self.dictionary_ids
            ids = None if whole is None else whole[start:stop]
        return self.physical[start:stop] if ids is None else entries.entries(ids)

    def values_part(self, start: int, stop: int) -> pa.Array:
        """The values `[start, stop)`, as an Arrow array of the column's logical type.

        Decimals of a page have one type, which depends on all of them (see `values`), unless the page is long.
        """
        if self.num_values <= LONG and logical.meaning(self.chunk.leaf).name == "DECIMAL":
            return self.values[start:stop]
        return self._logical(self.physical_part(start, stop), start)

    def _logical(self, physical: pa.Array, first: int) -> pa.Array:
        """The values from number `first` on in their logical type, with a finding for a decimal that does not fit it."""
        if self.is_data:
            value_findings.note_page(self, physical, first)
        with located(Address.of(self.address, "values"), self.frame.header_end):
            return types.to_arrow(physical, self.chunk.leaf)

    def _decode_physical(self) -> pa.Array:
        from pqexplore.engine.format.encodings import dictionary, value_encoding

        leaf = self.chunk.leaf
        section = self.body.section("values")
        count, kind, length = self._column()
        self._charge(count * (length or VALUE_BYTES.get(kind, 4)))
        ids = self.dictionary_ids
        if ids is not None:
            entries = self.chunk.dictionary_physical
            if entries is None:
                return value_encoding(Encoding.PLAIN).decode(b"", 0, leaf.physical_type, leaf.type_length)
            return dictionary.take(entries, ids, limits=self.chunk.file.limits)
        scanned = self._cache.peek((self.address, "structure", "values"))
        with self._locate(section):
            if scanned is not None and scanned.error is None:
                return scanned.values
            found = value_encoding(self._values_encoding())
            return found.decode(section.data, *self._column(), **self._options(found))

    def _values_encoding(self) -> int:
        """The Encoding of the values section; the entries of a dictionary may be called PLAIN_DICTIONARY."""
        encoding = self.encoding
        if encoding is None:
            raise CorruptFileError("the page header names no encoding", offset=0)
        is_dictionary = self.header.type == PageType.DICTIONARY_PAGE
        if is_dictionary and encoding == Encoding.PLAIN_DICTIONARY:
            return Encoding.PLAIN
        return encoding

    def _column(self) -> tuple[int, int, int | None]:
        """What an encoding needs to know: how many values are stored, and their type."""
        count = self.num_present if self.is_data else self.num_values
        return count, self.chunk.leaf.physical_type, self.chunk.leaf.type_length

    def _options(self, encoding: SectionEncoding) -> dict[str, Limits]:
        from pqexplore.engine.format.encodings.encoding import ValueEncoding

        expands = isinstance(encoding, ValueEncoding) and encoding.expands
        return {"limits": self.chunk.file.limits} if expands else {}

    @property
    def values(self) -> pa.Array:
        """The values that are not null, as an Arrow array of the column's logical type.

        A page with a decimal beyond its declared precision has a wider type: a decimal of 38 digits, of 76 digits, or
        binary. `file.findings` says so. A decimal of no bytes is 0, with a finding, too.
        """
        return self._logical(self.physical, 0)

    def structure(self, section: str = "values") -> Structure:
        """What a section is made of: its steps as arrays; each step can be explained.

        It is kept for a while by the file, so that a section is scanned once. Raises ParquetError where not even the
        first step can be found; later damage is in the structure's `error`.
        """
        from pqexplore.engine.format.encodings.encoding import whole

        def make() -> Structure:
            part = self.body.section(section)
            with self._locate(part):
                scan = self._scan_values if section == "values" else self._scan_levels
                return whole(scan(part), part.data)

        with within_memory(self.address, self.frame.start):
            structure: Structure = self._cache.get(
                (self.address, "structure", section), make, lambda made: made.steps.nbytes + len(made.raw)
            )
        return structure

    def leftovers(self, section: str = "values") -> dict[Address, Span]:
        """The bytes of a section that no level and no value needs, in the section's space, by their addresses.

        There are none if the section cannot be scanned to its end. Raises ParquetError if the body cannot be opened.
        """
        part = self.body.section(section)
        try:
            found = self.structure(section).leftovers(len(part.data))
        except (CorruptFileError, UnsupportedFeatureError):
            return {}
        return {
            Address.of(self.address, section, f"leftover_{start}"): Span(
                part.span.start + start, part.span.start + end, part.span.space
            )
            for start, end in found
        }

    def _scan_values(self, part: page_sections.Section) -> Structure:
        from pqexplore.engine.format import encodings

        number = self._values_encoding()
        found = encodings.REGISTRY.get(number) if self.is_data else None
        if found is None or not found.physical_types:
            found = encodings.value_encoding(number)
        return found.scan(part.data, *self._column(), **self._options(found))

    def _scan_levels(self, part: page_sections.Section) -> Structure:
        from pqexplore.engine.format.encodings import bit_packed, rle
        from pqexplore.engine.format.encodings.run_steps import LENGTH

        width, count = self.level_bits(part.name), self.num_values
        if not width or not self.is_data:
            return rle.scan(b"", 0, 0)
        if self.header.type == PageType.DATA_PAGE_V2:
            return rle.scan(part.data, width, count)
        if self.section_encoding(part.name) == Encoding.BIT_PACKED:
            return bit_packed.scan(part.data, width, count)
        return rle.scan(part.data, width, count, prefix=LENGTH)

    def section_encoding(self, section: str) -> int | None:
        """The Encoding of a section; the values of a dictionary page are PLAIN, whatever its header calls them."""
        if section == "values":
            return self.encoding if self.is_data else Encoding.PLAIN
        if self.header.type == PageType.DATA_PAGE_V2:
            return Encoding.RLE
        return getattr(self.header.data_page_header, f"{section[:-1]}_encoding", None)

    def level_bits(self, section: str) -> int:
        """The bits of a repetition or definition level; 0 if the column has none."""
        leaf = self.chunk.leaf
        is_repetition = section == "repetition_levels"
        maximum = leaf.max_repetition_level if is_repetition else leaf.max_definition_level
        return maximum.bit_length()

    def trace(self, section: str = "values", *, first: int = 0) -> Iterator[Step]:
        """How the bytes of a section become its values: runs, blocks, prefixes, each with its bytes.

        Steps before the one with value number `first` are left out. After the steps before damage comes its
        ParquetError.
        """
        from pqexplore.engine.format.encodings import dictionary
        from pqexplore.engine.format.encodings.encoding import WithLeftovers

        structure = self.structure(section)
        with self._locate(self.body.section(section)):
            found = structure.inner if isinstance(structure, WithLeftovers) else structure
            if isinstance(found, dictionary.Indexes):
                entries, limits = self.chunk.dictionary_physical, self.chunk.file.limits
                self._charge(self.num_present * VALUE_BYTES.get(self.chunk.leaf.physical_type, 4))
                yield from found.trace_entries(entries, first, limits)
            else:
                yield from found.trace(first=first)
            if isinstance(structure, WithLeftovers):
                yield from structure.trace_leftovers()

    def _cells(self) -> dict[str, str]:
        encoding = self.encoding
        return {
            "page": str(self.address),
            "kind": str(self.kind),
            "encoding": "" if encoding is None else structs.enum_name(Encoding, encoding),
            "values": f"{self.num_values:,}",
            "bytes": f"{len(self.span):,}",
        }

    def __repr__(self) -> str:
        cells = self._cells()
        encoding = f", {cells['encoding']}" if cells["encoding"] else ""
        return f"<Page {self.address}: {self.kind}{encoding}, {cells['values']} values, {cells['bytes']} bytes>"
