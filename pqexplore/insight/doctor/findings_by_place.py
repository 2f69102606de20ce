"""Which findings are about which place of a file: the tree, the byte map and every answer ask here.

The findings are those of the file's last diagnosis, at level `footer` or a higher one, and those that the engine met since. They are indexed by address
once, and again after there are more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import FOOTER
from pqexplore.engine.tree.at import CHUNK
from pqexplore.insight.answer_cache import Latest
from pqexplore.insight.doctor import check_findings
from pqexplore.insight.doctor.diagnose import kept, so_far
from pqexplore.insight.doctor.verdict import ranked, together
from pqexplore.insight.steps import finish

AT_ONCE = 2_000
"""Max column chunks of a file whose rules run with the first answer, in about 0.1 s; of others they run with the overview."""


class Places:
    """The findings of a file, by the place that they are about. `all` are sorted: the worst first; `faults` has one for each fault."""

    def __init__(self, file: ParquetFile, found: Iterable[Finding]) -> None:
        self.all = ranked(found)
        self.faults = together(self.all)
        self._leaves: dict[str, list[int]] = {}
        for number, path in enumerate(_paths(file)):
            self._leaves.setdefault(path, []).append(number)
        self._by_place: dict[str, list[int]] = {}
        self._by_leaf: dict[int, list[int]] = {}
        for number, one in enumerate(self.all):
            for place in set(self._places(one)):
                self._by_place.setdefault(place, []).append(number)
            for leaf in set(self.leaves(one)):
                self._by_leaf.setdefault(leaf, []).append(number)

    def about(self, place: str, leaf: int | None = None) -> list[Finding]:
        """The findings at an address or below it, and those about a leaf by its index; the worst first."""
        if not place:
            return list(self.faults)
        numbers = set(self._by_place.get(place, ()))
        if leaf is not None:
            numbers.update(self._by_leaf.get(leaf, ()))
        return [self.all[number] for number in sorted(numbers)]

    def leaves(self, one: Finding) -> Iterator[int]:
        """The indexes of the leaves that a finding, or one about a chunk, is about."""
        columns = one.evidence.get("columns")
        for path in (one.column, *(columns if isinstance(columns, list) else ())):
            yield from self._leaves.get(path, ())
        for address in _addresses(one):
            chunk = CHUNK.match(address)
            if chunk:
                yield int(chunk[2])

    def tiles(self, one: Finding) -> tuple[set[str], tuple[int, ...], set[int]]:
        """(addresses, row groups, leaves): the bytes that a finding is about are at, above or below one of the addresses, or
        in the column chunks of these row groups and leaves; without row groups, or without leaves, in all of them.
        """
        named = set(_addresses(one))
        chunk = any(CHUNK.match(address) for address in named)
        return named, () if chunk else one.row_groups, set() if chunk else set(self.leaves(one))

    def _places(self, one: Finding) -> Iterator[str]:
        """The addresses that a finding is about, and those above them."""
        for address in _addresses(one):
            yield from _upwards(address)
        if not one.column:
            yield from (Address.of("row_groups", group) for group in one.row_groups)


def places(file: ParquetFile) -> Places:
    """The findings about a file so far. Diagnoses it at level `footer` if that was not done, and the file is not large."""
    report = kept(file)
    if report is None and _is_small(file):
        report = finish(file.budget.steps("the doctor", so_far(file, FOOTER)))
    key = "" if report is None else report.level, file.finding_count
    known = _places.get(file, key)
    if known is None:
        found = (
            list(map(check_findings.with_defect, file.findings))
            if report is None
            else finish(so_far(file, report.level)).every
        )
        known = Places(file, found)
        _places.put(file, key, known)
    return known


_places: Latest[ParquetFile, Places] = Latest(1)


def _is_small(file: ParquetFile) -> bool:
    try:
        return len(file.row_groups) * len(file.schema.leaves) <= AT_ONCE
    except ParquetError:
        return False


def _paths(file: ParquetFile) -> list[str]:
    try:
        return [".".join(leaf.path) for leaf in file.schema.leaves]
    except ParquetError:
        return []


def _addresses(one: Finding) -> Iterator[str]:
    """The addresses that a finding names. What the footer says of a row group or chunk is about that."""
    for address in (one.address, one.evidence.get("chunk", "")):
        if isinstance(address, str) and address:
            yield address
            if address.startswith("footer/"):
                yield address.removeprefix("footer/")


def _upwards(address: str) -> Iterator[str]:
    """An address, and those above it up to the file's."""
    while address:
        yield address
        address = address.rpartition("/")[0]
