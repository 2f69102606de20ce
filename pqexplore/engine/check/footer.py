"""The findings that need the footer alone, and the rules that they come from."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from pqexplore.engine.check import embedded, ends, metadata, schema, statistics, variant_schema
from pqexplore.engine.errors import ParquetError, within_memory
from pqexplore.engine.finding import Finding, failure
from pqexplore.engine.format.thrift import structs

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile

FILE_RULES = (ends.findings, metadata.findings, schema.findings, embedded.findings, variant_schema.shapes)
"""Rules about the whole file that need only the footer."""

WIDE = 1_000
"""Leaves above which checking the schema costs more than reading the footer, so that `of_footer` leaves it out."""

CHUNKS = 1_000
"""Column chunks whose statistics `of_footer` reads: more of them would cost more than reading the footer."""


def of_footer(file: ParquetFile) -> Iterator[Finding]:
    """The findings that need the footer alone, and cost little. Raises nothing for damage in the file."""
    if file.footer_damage is not None:
        return
    wide = file.metadata is not None and len(file.metadata.schema or ()) > WIDE
    for rule in (ends.findings, metadata.findings, embedded.findings, schema.names) if wide else FILE_RULES:
        yield from guarded(rule, file, "")
    if file.metadata is not None and "row_groups" not in structs.missing(file.footer_metadata):
        yield from guarded(metadata.num_rows, file, "")
        yield from guarded(_bounds_by_themselves, file, "")


def _bounds_by_themselves(file: ParquetFile) -> Iterator[Finding]:
    """Errors in the statistics of the first chunks that show without values: a minimum above the maximum."""
    found = (chunk for group in file.row_groups for chunk in group.columns)
    for chunk in itertools.islice(found, CHUNKS):
        with suppress(ParquetError):  # what cannot be read is said elsewhere
            yield from (one for one in statistics.declared(chunk) if one.severity.level == "error")


def guarded(rule: Callable[..., Iterator[Finding]], subject: object, address: str) -> Iterator[Finding]:
    """The findings of a rule; an error that it raises is a finding too."""
    try:
        with within_memory(address or None, None):
            yield from rule(subject)
    except ParquetError as error:
        yield failure(error, address)
