"""Which of many files are the odd ones out: what most have, and who has something else."""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import LimitExceededError, ParquetError, UsageError
from pqexplore.engine.file.file import open as open_file
from pqexplore.engine.format.logical import full_type
from pqexplore.engine.text import clip, printable
from pqexplore.insight.diff import chunk_facts
from pqexplore.insight.diff.difference import and_more
from pqexplore.insight.diff.matching import dotted, free_names
from pqexplore.insight.diff.schema_differences import REPETITIONS
from pqexplore.insight.json_values import plain
from pqexplore.insight.terminal import indented, listed, wrap
from pqexplore.insight.wording import listing, name, plural

if TYPE_CHECKING:
    from pqexplore.engine.file.caller_types import FileSystem, Readable, StorageOptions
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.encryption.keys import Decryption

CHUNKS = 200_000
"""Column chunks of a file that is compared with many."""

ABSENT = "no such column"
NAMED = 4
SHOWN = 120
"""Characters of what a file has that a sentence shows."""
_ASPECTS = ("codec", "encoding", "statistics", "page-index", "bloom-filter", "encryption")

_BY_PAGES = "encoding of pages"
_OF_ENCODING = ("encoding", _BY_PAGES)

Key = tuple[str, str]
"""What is compared: the name of the aspect, and the column's dotted path, "" for the whole file."""


@dataclasses.dataclass(frozen=True, slots=True)
class Odd:
    """One thing that few files have: which, what they have, and what most have; `others` is "as many" for a tie.

    `columns` are those that have it; none for the whole file.
    """

    what: str
    columns: tuple[str, ...]
    files: tuple[str, ...]
    value: str
    usual: str
    others: str = "most"

    @property
    def sentence(self) -> str:
        """Who has what, and what most files have."""
        who = listing([clip(file, 60) for file in self.files], most=NAMED)
        value, usual = clip(self.value, SHOWN), clip(self.usual, SHOWN)
        verb = "has" if len(self.files) == 1 else "have"
        some = listing([name(path) for path in self.columns], most=NAMED)
        if self.what == "column":
            if self.value == ABSENT:
                said = f"{who} {verb} no column {some}; {self.others} have it as {usual}."
            elif self.usual == ABSENT:
                said = f"Only {who} {verb} the column {some} ({value})."
            else:
                said = f"{who} {verb} {some} as {value}; {self.others} have it as {usual}."
        else:
            of = f" of {some}" if self.columns else ""
            said = f"{who} {verb} the {self.what.replace('-', ' ')}{of} {value}; {self.others} have {usual}."
        return printable(said)


@dataclasses.dataclass(frozen=True)
class Many:
    """How files differ from most of them.

    `files`: their names; `odd`: what few have, schemas first, those of the fewest files first; `unread`: files that
    cannot be read, with the reason.
    """

    files: tuple[str, ...]
    odd: tuple[Odd, ...]
    unread: tuple[tuple[str, str], ...] = ()

    @property
    def sentence(self) -> str:
        """The most important odd one, and how many more there are."""
        left = f" {plural(len(self.unread), 'file')} cannot be read." if self.unread else ""
        if not self.odd:
            return f"{plural(len(self.files), 'file')} have the same schema, codecs, encodings, statistics and writer.{left}"
        return f"{self.odd[0].sentence}{and_more(len(self.odd) - 1)}{left}"

    def lines(self, room: int) -> Iterator[str]:
        """Lines for a terminal: the sentence, each odd one, and the files that cannot be read."""
        yield from wrap(self.sentence, room)
        yield from listed(self.odd, lambda one: indented(f"{one.sentence}  [{one.what}]", room, 2), room, "difference")
        unread = [f"{file} cannot be read: {why}" for file, why in self.unread]
        yield from listed(unread, lambda text: indented(text, room, 2), room, "file")

    @property
    def document(self) -> dict[str, Any]:
        """The comparison as JSON values."""
        return {
            "files": [plain(file) for file in self.files],
            "sentence": self.sentence,
            "odd": [plain(one) | {"sentence": one.sentence} for one in self.odd],
            "unread": [{"file": plain(file), "why": plain(why)} for file, why in self.unread],
        }


def compare(
    sources: Sequence[Readable],
    *,
    decryption: Decryption | None = None,
    filesystem: FileSystem | None = None,
    storage_options: StorageOptions | None = None,
) -> Many:
    """What few of many files have, by their footers; a file that cannot be read is listed and does not stop the others."""
    facts: dict[str, dict[Key, str]] = {}
    short = free_names(_short([str(source) for source in sources]))
    unread: list[tuple[str, str]] = []
    for source, label in zip(sources, short, strict=True):
        try:
            with open_file(
                source, decryption=decryption, filesystem=filesystem, storage_options=storage_options
            ) as file:
                facts[label] = _facts(file)
        except (ParquetError, UsageError, OSError) as error:
            unread.append((label, str(error)))
    keys = dict.fromkeys(key for one in facts.values() for key in one)
    odd = [found for key in keys if key[0] == "column" for found in _odd(key, facts)]
    retyped = {path for one in odd for path in one.columns}  # what they have follows from their type
    counted = {path for what, path in keys if what == _BY_PAGES and _all_have((what, path), facts)}
    for what, path in keys:
        skipped = what == "column" or path in retyped
        if not skipped and (what not in _OF_ENCODING or (what == _BY_PAGES) == (path in counted)):
            odd += _odd((what, path), facts)
    odd = _together(odd)
    odd.sort(key=lambda one: (one.what != "column", len(one.files)))
    return Many(tuple(facts), tuple(odd), tuple(unread))


def _together(odd: Sequence[Odd]) -> list[Odd]:
    """One record for all columns with the same record; columns that files lack, or have as another type, stay alone."""
    made: dict[Odd, list[str]] = {}
    for one in odd:
        key = one if one.what == "column" else dataclasses.replace(one, columns=())
        made.setdefault(key, []).extend(one.columns)
    return [dataclasses.replace(key, columns=tuple(paths)) for key, paths in made.items()]


def _all_have(key: Key, facts: Mapping[str, Mapping[Key, str]]) -> bool:
    """Whether all files that have the column have this fact of it."""
    return all(key in one for one in facts.values() if ("column", key[1]) in one)


def _short(names: Sequence[str]) -> list[str]:
    """The names without their folders, if they differ without them."""
    ends = [os.path.basename(name.rstrip("/")) or name for name in names]
    return ends if len(set(ends)) == len(ends) else list(names)


def _facts(file: ParquetFile) -> dict[Key, str]:
    """What is compared of a file: of encodings both what counts of pages say, if there are, and what the chunks list."""
    made: dict[Key, str] = {("writer", ""): file.created_by or "unknown"}
    leaves = file.schema.leaves
    if len(leaves) * len(file.row_groups) > CHUNKS:
        raise LimitExceededError(f"it has more than {CHUNKS:,} column chunks", address="footer")
    texts = chunk_facts.Texts()
    columns = chunk_facts.structs_of(file, range(len(leaves)))
    for leaf, label, found in zip(leaves, free_names(list(map(dotted, leaves))), columns, strict=True):  # fmt: skip
        made["column", label] = f"{REPETITIONS[leaf.repetition]} {full_type(leaf)}"
        listed = texts.column(found, False)
        for aspect in _ASPECTS:
            made[aspect, label] = chunk_facts.joined(listed, aspect)
        if chunk_facts.counts_pages(found):
            made[_BY_PAGES, label] = chunk_facts.joined(texts.column(found, True), "encoding")
    return made


def _odd(key: Key, facts: dict[str, dict[Key, str]]) -> list[Odd]:
    """The files without the most frequent value; none if no value has more files than another."""
    what, column = key
    columns = (column,) if column else ()
    values: dict[str, list[str]] = {}
    for file, one in facts.items():
        value = one.get(key)
        if value is None and what != "column":
            continue  # a file without the column has been named for that
        values.setdefault(ABSENT if value is None else value, []).append(file)
    ranked = Counter({value: len(files) for value, files in values.items()}).most_common(2)
    if len(ranked) < 2 or ranked[0][1] == ranked[1][1]:
        return [] if len(ranked) < 2 else _tied(what, columns, values)
    usual = ranked[0][0]
    return [Odd(what, columns, tuple(files), value, usual) for value, files in values.items() if value != usual]


def _tied(what: str, columns: tuple[str, ...], values: dict[str, list[str]]) -> list[Odd]:
    """As many files have one value as another: every value but that of the first file is odd."""
    (usual, _), *others = values.items()
    return [Odd(what, columns, tuple(files), value, usual, "as many") for value, files in others]
