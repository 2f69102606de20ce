"""The verbs of `pqexplore VERB`, in the order of `--help`. The module of a verb is imported when the verb is used."""

from __future__ import annotations

import argparse
import dataclasses
import importlib
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from pqexplore.cli.out import Out


class VerbModule(Protocol):
    """What the module of a verb has."""

    def parser(self) -> argparse.ArgumentParser:
        """The arguments of the verb."""

    def run(self, words: list[str], out: Out) -> int:
        """Run the verb with these arguments. Returns the exit status; SystemExit for wrong arguments and --help."""


@dataclasses.dataclass(frozen=True, slots=True)
class Verb:
    """A verb: its name, what it does in one line, and its module in `pqexplore.cli`."""

    name: str
    summary: str
    module: str

    def load(self) -> VerbModule:
        """The module of the verb."""
        return cast("VerbModule", importlib.import_module(f"pqexplore.cli.{self.module}"))


VERBS: dict[str, Verb] = {
    one.name: one
    for one in (
        Verb("head", "the first rows", "head"),
        Verb("cat", "rows as JSON Lines, CSV or a table", "cat"),
        Verb("schema", "the schema, as Parquet, Arrow, Spark or SQL has it", "schema"),
        Verb("stats", "minimum, maximum and nulls: what a query can skip", "stats"),
        Verb("pages", "the pages of a column: rows, bytes, bounds", "pages"),
        Verb("dictionary", "dictionaries, and where writers stopped using them", "dictionary"),
        Verb("levels", "how levels build the rows", "levels"),
        Verb("bloom", "Bloom filters, and what they answer about a value", "bloom"),
        Verb("variant", "Variants as JSON, and how they are stored", "variant"),
        Verb("check", "look at every byte, and say what is wrong", "check"),
        Verb("doctor", "what is wrong, what it costs, and what to do", "doctor"),
        Verb("ask", "what a query reads and skips, and why", "ask"),
        Verb("diff", "what differs between two files, folders or tables", "diff"),
        Verb("what-if", "how large a file is with other encodings and codecs", "what_if"),
        Verb("rewrite", "write a file anew with other choices, and verify it", "rewrite"),
        Verb("salvage", "save what is left of a file that lost its footer", "salvage"),
        Verb("lake", "many files at once: what is wrong, and stored questions", "lake"),
        Verb("index", "data skipping indexes: what they hold, what a query skips", "index"),
        Verb("sample", "write a sample file; --list names them", "sample"),
        Verb("completion", "a script that makes Tab complete all this", "completion"),
        Verb("explain", "a word of the specification in two sentences", "explain"),
    )
}
"""The verbs by name."""
