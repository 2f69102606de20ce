"""A question that engineers ask about Parquet files, and the one command or call that answers it."""

import dataclasses
import pathlib
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class Question:
    """A row of the table.

    `file` is the name of a sample, a file that `files.py` makes, or a path in the corpus (it has a slash). In `command`
    the word FILE stands for its path, OTHER for that of `other`, and NEW for a path that does not exist yet. The command
    is what follows `pqexplore`; after `>>> ` it is Python, where `f` is the open file and `path` its path. `answer` has
    regular expressions: each is searched for in what is printed, where runs of blanks are one blank, and numbers have no
    commas. They were found with other readers and by hand, never with pqexplore; those that another reader computes are
    a function of the path. What cannot be done is `refused`, with a message that is the answer.
    """

    name: str
    topic: str
    question: str
    file: str
    command: str
    answer: tuple[str, ...] | Callable[[pathlib.Path], tuple[str, ...]]
    other: str = ""
    refused: bool = False

    @property
    def of_corpus(self) -> bool:
        """Whether it needs the corpus."""
        return "/" in self.file


TOPICS = {
    "what it is": "rows, row groups, columns, writer, size of the footer",
    "rows": "rows and values at the terminal, as table, CSV and JSON Lines",
    "place": "what an address, a row, or a byte offset is",
    "schema": "types, nesting and annotations; as Arrow, Spark and SQL",
    "space": "which column takes the space; what compression does",
    "dictionary": "entries; where a writer gave the dictionary up, and at which row",
    "encodings": "what the pages really have; blocks, widths; levels",
    "skipping": "why row groups and pages are not skipped",
    "engines": "what one engine reads, and which reader cannot read a file",
    "statistics": "bounds decoded, nulls, NaN; where they are missing",
    "trust": "statistics that readers ignore or that are wrong",
    "truncated bounds": "bounds that are prefixes, and whether they are exact",
    "pages": "the list of pages, their offsets, rows, bounds and order",
    "bloom": "will a value pass, how large and how full is the filter",
    "time": "units, zones, INT96",
    "numbers": "decimals, fixed widths, UUID, FLOAT16, intervals",
    "arrow schema": "the stored Arrow schema, and where it disagrees",
    "lz4": "which of three framings the codec LZ4 has",
    "drift": "schemas that differ between files, and in which file",
    "row groups": "tiny, huge and empty row groups",
    "footer": "a footer that is too large",
    "damage": "truncated and corrupt files: what, where, how much is left",
    "offsets": "offsets that writers get wrong",
    "gaps": "bytes that nothing names, and the text in them",
    "diff": "what differs between two files",
    "encryption": "what is encrypted, by which key; what is read without",
    "variant": "Variants as JSON; is the shredding valid",
    "nesting": "levels; empty lists beside absent ones; the shapes of lists",
    "checksums": "stored and computed; which page is damaged",
    "many files": "folders, tables, lakes and their indexes",
    "key-values": "key-value metadata of files and columns, decoded",
    "geometry": "WKT, reference systems, boxes",
    "what if": "sizes with other encodings; rewriting",
    "glossary": "the words of the specification",
    "json": "answers for programs",
    "python": "handles, tables and answers in Python",
}
"""What the questions are about."""
