"""The operations that a view can ask for, by name."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import re
import time
from collections.abc import Generator, Iterator
from typing import Any

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.field import Leaf
from pqexplore.insight import places, short_text
from pqexplore.insight.ask.question import LONGEST
from pqexplore.insight.ask.why_not_pruned import rewriting
from pqexplore.insight.doctor.diagnose import steps
from pqexplore.insight.doctor.rules import DATA
from pqexplore.insight.glossary import GLOSSARY, Term, TermBytes, bytes_of
from pqexplore.insight.lenses import LENSES
from pqexplore.insight.row_pages import locate
from pqexplore.widget import bytemap, headline, hexview, identity, lens, map_colours, structure, tree
from pqexplore.widget.rpc import Op
from pqexplore.widget.wire_tables import code


@dataclasses.dataclass(slots=True)
class Glossary:
    """All terms."""

    terms: list[Term]


def glossary(_subject: object) -> Glossary:
    """The terms are the same for every file and lake."""
    return Glossary(list(GLOSSARY.values()))


def term_bytes(_subject: object, term: str) -> TermBytes:
    """The bytes of a term in a sample, read now: a sample is written at its first use, so the terms do not wait for it."""
    if term not in GLOSSARY:
        raise UsageError(f"the glossary has no term {term!r}")
    return bytes_of(GLOSSARY[term])


HITS = 40
"""Places in one answer."""

LOOKED_AT = 200_000
"""Schema fields and key-values that are looked through."""

CELLS = 8
"""Columns of one name whose value in a row is looked for; each reads a page."""

LENS_COLUMNS = 24
"""Columns in which a place for a lens is looked for."""

_OFFSET = re.compile(r"(?:byte|offset|at|@)?\s*(0x[0-9a-f]+|\d[\d,_' ]*)$", re.IGNORECASE)

_NUMBER = r"(?P<row>\d[\d,_']{0,25})"

_CELLS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<column>.+?)\s+row\s+{_NUMBER}",
        rf"row\s+{_NUMBER}\s+(?P<column>.+)",
        rf"row\s+(?P<column>.+?)\s+{_NUMBER}",
        rf"{_NUMBER}\s+row\s+(?P<column>.+)",
        rf"{_NUMBER}\s+(?P<column>.+?)\s+row",
        rf"(?P<column>.+?)\s+{_NUMBER}",
        rf"{_NUMBER}\s+(?P<column>.+)",
    )
]
"""A column and a row, in any order; the first pattern that a text has decides."""

_ROW = re.compile(rf"rows?[\s/]+{_NUMBER}", re.IGNORECASE)

Hit = dict[str, str]


def search(file: ParquetFile, query: str) -> dict[str, Any]:
    """Places that `query` may mean, the surest first: `hits` with address, label and why, and `lens` where it is one.

    `more` says that some are left out.
    """
    asked = query.strip()[:500]
    hits: list[Hit] = []
    seen = set()
    more = False
    for hit in _hits(file, asked) if asked else ():
        place = hit["address"], hit.get("lens")
        if place in seen:
            continue
        if len(hits) == HITS:
            more = True
            break
        seen.add(place)
        hits.append(hit)
    return {"hits": hits, "more": more}


def _hits(file: ParquetFile, asked: str) -> Iterator[Hit]:
    offset = _OFFSET.fullmatch(asked)
    if offset is not None:
        yield from _at(file, offset[1])
    row = _ROW.fullmatch(asked)
    cell = next(filter(None, (pattern.fullmatch(asked) for pattern in _CELLS)), None)
    if row is not None:
        yield from _row(file, _digits(row))
    elif cell is not None:
        yield from _cell(file, cell["column"].casefold(), _digits(cell))
    yield from _address(file, asked.strip("/"))
    yield from _completions(file, asked.lstrip("/"))
    yield from _columns(file, asked.casefold())
    yield from _rules(file, asked.casefold())
    yield from _lenses(file, asked.casefold())
    yield from _fields(file, asked.casefold())
    yield from _key_values(file, asked.casefold())


def _at(file: ParquetFile, digits: str) -> Iterator[Hit]:
    """The node that owns a byte of the file."""
    plain = re.sub(r"[,_' ]", "", digits)
    if len(plain) > 20:
        return
    offset = int(plain, 16 if plain[:2].lower() == "0x" else 10)
    if offset < file.size:
        with contextlib.suppress(ParquetError):
            address = places.locate(file, offset)
            node = file.node(address)
            yield _hit(address, node.label, f"byte {offset:,} is in this {_words(node.kind)}")


def _digits(found: re.Match[str]) -> int:
    return int(re.sub(r"\D", "", found["row"]))


def _row(file: ParquetFile, row: int) -> Iterator[Hit]:
    """The row group with a row of the file, from 0: no single rows are selected."""
    with contextlib.suppress(ParquetError, UsageError):
        group = places.resolve(file, f"rows/{row}").facts[0].address
        if group is not None:
            yield _hit(group, file.node(group).label, f"row {row:,} is in this row group")


def _cell(file: ParquetFile, column: str, row: int) -> Iterator[Hit]:
    """The value of a column in a row of the file, from 0.

    The column is named whole, or by its leaf; if none is called so, by words in its name.
    """
    with contextlib.suppress(ParquetError):
        paths = [(i, ".".join(leaf.path), leaf.path[-1]) for i, leaf in enumerate(file.schema.leaves[:LOOKED_AT])]
        named = [(i, whole) for i, whole, last in paths if column in (whole.casefold(), last.casefold())]
        named = named or [(i, whole) for i, whole, _ in paths if _has(column, whole)]
        for i, whole in named[:CELLS]:
            with contextlib.suppress(ParquetError, UsageError):
                yield _hit(locate(file, row, i).address, whole, f"value in row {row:,}")


def _address(file: ParquetFile, address: str) -> Iterator[Hit]:
    """The node that has exactly this address, which may have names of columns, and rows (`places.resolve`)."""
    if "/" in address or address in ("footer", "schema", "magic", "row_groups"):
        with contextlib.suppress(ParquetError, UsageError, LookupError, ValueError):
            node = places.resolve(file, address)
            if places.row_of(node) is None:
                yield _hit(node.address, node.label, f"address of a {_words(node.kind)}")


def _completions(file: ParquetFile, typed: str) -> Iterator[Hit]:
    """The nodes whose address begins with what was typed: children of the nearest node above."""
    above = typed
    found = None
    while found is None:
        above = above.rpartition("/")[0]
        with contextlib.suppress(ParquetError, LookupError, ValueError):
            found = file.node(above)
        if not above and found is None:
            return
    if found.kind in places.UNSEARCHED:
        return
    with contextlib.suppress(ParquetError):
        for child in itertools.islice(found.children, places.SCANNED):
            if child.address.startswith(typed):
                yield _hit(child.address, child.label, _words(child.kind))


def _columns(file: ParquetFile, asked: str) -> Iterator[Hit]:
    """Columns whose name has each word; those that are called so come first. Each leads to its first column chunk."""
    with contextlib.suppress(ParquetError):
        leaves = file.schema.leaves[:LOOKED_AT]
        names = [".".join(leaf.path) for leaf in leaves]
        found = [i for i, name in enumerate(names) if _has(asked, name)]
        found.sort(key=lambda i: (names[i].casefold() != asked, len(names[i])))
        groups = len(file.row_groups)
        for i in found[: HITS + 1]:
            if groups:
                yield _hit(Address.of("row_groups", 0, "columns", i), names[i], "column, in row group 0")


def _fields(file: ParquetFile, asked: str) -> Iterator[Hit]:
    """Nodes of the schema, groups included."""
    with contextlib.suppress(ParquetError):
        found = 0
        for i, field in enumerate(file.schema.fields[:LOOKED_AT]):
            if _has(asked, field.name):
                yield _hit(Address.of("schema", i), field.name, "field of the schema")
                found += 1
                if found > HITS:
                    return


def _key_values(file: ParquetFile, asked: str) -> Iterator[Hit]:
    with contextlib.suppress(ParquetError):
        pairs = (file.metadata.key_value_metadata if file.metadata is not None else None) or ()
        for i, pair in enumerate(pairs[:LOOKED_AT]):
            key, value = pair.key or "", pair.value or ""
            if asked in key.casefold():
                yield _hit(Address.of("key_value_metadata", i), key, "key of the key-value metadata")
            elif asked in value[: 1 << 20].casefold():
                at = value.casefold().find(asked)
                around = value[max(0, at - 30) : at + 60]
                yield _hit(Address.of("key_value_metadata", i), key, f"its value has …{around}…")


def _rules(file: ParquetFile, asked: str) -> Iterator[Hit]:
    """The first finding of each rule that the words name, of the findings met so far."""
    named = {one.rule: one for one in reversed(file.findings) if _has(asked, one.rule.replace("-", " "), one.rule)}
    for rule in sorted(named):
        yield _hit(named[rule].address, rule, f"{named[rule].severity}: {named[rule].message}")


_WITH_LENSES = ("", "footer", "schema", "row_groups", "row_groups/0")
_OF_A_CHUNK = ("", "pages/0", "pages/1", "column_index", "offset_index", "bloom_filter")


def _lenses(file: ParquetFile, asked: str) -> Iterator[Hit]:
    """The lenses that the words name, each at the first place that it has something to show of."""
    wanted = [one for one in LENSES.values() if _has(asked, one.title, one.name.replace("_", " "))]
    chunks = [Address.of("row_groups", 0, "columns", i) for i in range(LENS_COLUMNS)] if wanted else []
    for one in wanted:
        for address in (*_WITH_LENSES, *(Address.of(chunk, part) for chunk in chunks for part in _OF_A_CHUNK)):
            with contextlib.suppress(ParquetError, LookupError, ValueError):
                node = file.node(address)
                if one.applies(node) and not one.lacks():
                    yield _hit(address, one.title, f"lens, of {node.label}") | {"lens": one.name}
                    break


def _has(asked: str, *names: str) -> bool:
    """Whether one of the names has each word of what was typed, in any order."""
    return any(all(word in name.casefold() for word in asked.split()) for name in names)


def _hit(address: str, label: str, why: str) -> Hit:
    return {"address": address, "label": short_text.shorten_name(label, 120), "why": short_text.shorten(why, 200)}


def _words(kind: str) -> str:
    return kind.replace("_", " ")


COLUMNS = 500
"""Columns that are asked."""

SECONDS = 2.0
"""After this time no further column is asked."""

_LITERAL = re.compile(
    r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|true|false|((timestamp|date|time|x)\s*)?'([^']|'')*'", re.IGNORECASE
)
"""What is a literal of SQL as it stands. Everything else is text."""


@dataclasses.dataclass(slots=True)
class Possible:
    """A column that can have the value, and the condition that asks for it; `row_groups` cannot be skipped with it."""

    column: str
    where: str
    row_groups: int


@dataclasses.dataclass(slots=True)
class Values:
    """The columns that can have a value, of the `asked` ones of `columns`; `row_groups` are those of the file."""

    possible: list[Possible]
    asked: int
    columns: int
    row_groups: int


def values(file: ParquetFile, value: str) -> Generator[float, None, Values]:
    """Asks each column whether `value` can be in it. No data page is read.

    A column whose type the value does not fit, or that cannot be asked, is left out. UsageError for a remote file: its
    dictionaries would have to be fetched.
    """
    from pqexplore.insight.ask import planning

    if not file.source.local:
        raise UsageError("values are looked for in local files only")
    leaves = file.schema.leaves
    found = Values([], 0, len(leaves), len(file.row_groups))
    end = 0.0
    for i, leaf in enumerate(leaves[:COLUMNS]):
        if i == 1:  # the first one imports the parser
            end = time.monotonic() + SECONDS
        if i and time.monotonic() > end:
            break
        found.asked += 1
        name = ".".join(leaf.path)
        for literal in _literals(value.strip()[:LONGEST]):
            where = f"{_named(leaf)} = {literal}"
            try:
                plan = yield from planning.steps(file, where, [])
            except UsageError:
                continue  # it does not fit the type
            except ParquetError:
                found.asked -= 1
                break
            if plan.undecided:
                continue  # the comparison is of two types
            if plan.kept:
                found.possible.append(Possible(short_text.shorten_name(name, 120), where, len(plan.kept)))
            break
    return found


def _named(leaf: Leaf) -> str:
    """A column in the grammar of conditions; of a list, any element."""
    return ".".join("`" + part.replace("`", "``") + "`" for part in leaf.path)


def _literals(value: str) -> Iterator[str]:
    """What was typed as literals of SQL, the likeliest first."""
    if _LITERAL.fullmatch(value):
        yield value
    if "'" not in value or not _LITERAL.fullmatch(value):
        yield rewriting.text(value)


def check(file: ParquetFile) -> Generator[float, None, dict[str, int]]:
    """Checks all bytes of the file, as the doctor does at level `data`; how many findings are known then."""
    report = yield from steps(file, DATA)
    return {"findings": len(report.findings)}


OPERATIONS: dict[str, Op] = {
    "identity": identity.identity,
    "headline": headline.headline,
    "layout": bytemap.layout,
    "map_colours": map_colours.map_colours,
    "node": tree.node,
    "children": tree.children,
    "locate": tree.locate,
    "bytes": hexview.read,
    "structure": structure.structure,
    "find": hexview.find,
    "search": search,
    "code": code,
    "values": values,
    "lens": lens.show,
    "table": lens.table,
    "check": check,
    "glossary": glossary,
    "term_bytes": term_bytes,
}
NOT_SAVED = frozenset({"ask_what_if", "find", "values", "write_what_if"})
"""Operations that a saved page does not repeat: they write a file, or take long for what nobody can ask there."""

for _lens in LENSES.values():
    OPERATIONS.update(_lens.operations)
