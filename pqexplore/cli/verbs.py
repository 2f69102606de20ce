"""The verbs of `pqexplore VERB`, in the order of `--help`: the arguments that many have, and what exit statuses mean.

The module of a verb is imported when the verb is used. It has the verb's description, its own arguments, and its work.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
from collections.abc import Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from pqexplore.cli.out import Out

FILES = ("files", "output", "outside", "keys")
"""What a verb takes that answers for each FILE."""

NOT_READ = "a file could not be read"
NOT_WRITTEN = "a file could not be read or written"


class VerbModule(Protocol):
    """What the module of a verb has. A constant `DESCRIPTION` says what the verb does, for `--help`."""

    DESCRIPTION: str

    def add_options(self, made: argparse.ArgumentParser) -> None:
        """Add the arguments that only this verb has."""

    def run(self, asked: argparse.Namespace, out: Out) -> int:
        """Run the verb. Returns the exit status. Refused for arguments that do not go together."""


@dataclasses.dataclass(frozen=True, slots=True)
class Verb:
    """A verb: its name, what it does in one line, and its module in `pqexplore.cli`.

    `takes` names the arguments that it shares with others. `done`, `found` and `unread` say what the exit statuses 0, 1
    and 3 mean; 2 is always a wrong use. `bare` is an option that may stand without a value, the one it then has, and its
    other values: argparse would take the next FILE for it.
    """

    name: str
    summary: str
    module: str
    takes: tuple[str, ...] = FILES
    done: str = "done"
    found: str = ""
    unread: str = NOT_READ
    bare: tuple[str, ...] = ()

    def load(self) -> VerbModule:
        """The module of the verb; of one that is a view, its record."""
        module = importlib.import_module(f"pqexplore.cli.{self.module}")
        return cast("VerbModule", module.VIEW_VERBS[self.name] if self.module == "views" else module)

    def parser(self) -> argparse.ArgumentParser:
        """The arguments of the verb."""
        from pqexplore.cli import files, keys, out, views

        module = self.load()
        found = f"1 {self.found}, " if self.found else ""
        made = argparse.ArgumentParser(
            prog=f"pqexplore {self.name}",
            description=f"{module.DESCRIPTION}\n\nExit status: 0 {self.done}, {found}2 usage, 3 {self.unread}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        shared = {
            "files": files.add_files,
            "place": views.add_place,
            "versions": files.add_versions,
            "force": out.add_force,
            "output": out.add_output,
            "outside": files.add_follow_outside,
            "keys": keys.add_options,
        }
        if "files" in self.takes:
            files.add_files(made)
        module.add_options(made)
        for name in self.takes:
            if name != "files":
                shared[name](made)
        return made

    def run(self, words: list[str], out: Out) -> int:
        """Run the verb with these arguments. Returns the exit status; SystemExit for wrong arguments and --help."""
        from pqexplore.cli.out import Refused

        parser = self.parser()
        try:
            return self.load().run(parser.parse_args(list(self._completed(words))), out)
        except Refused as error:
            parser.error(str(error))

    def _completed(self, words: list[str]) -> Iterator[str]:
        """The words, with a value for an option without one."""
        for word, following in zip_longest(words, words[1:]):
            bare = word in self.bare[:1] and following not in self.bare[1:]
            yield f"{word}={self.bare[1]}" if bare else word


VERBS: dict[str, Verb] = {
    one.name: one
    for one in (
        Verb("head", "the first rows", "head", (*FILES, "versions")),
        Verb("cat", "rows as JSON Lines, CSV or a table", "cat", (*FILES, "versions")),
        Verb("schema", "the schema, as Parquet, Arrow, Spark or SQL has it", "schema"),
        Verb("stats", "minimum, maximum and nulls: what a query can skip", "stats", (*FILES, "place", "versions")),
        Verb("pages", "the pages of a column: rows, bytes, bounds", "views", (*FILES, "place")),
        Verb("dictionary", "dictionaries, and where writers stopped using them", "views", (*FILES, "place")),
        Verb("levels", "how levels build the rows", "levels", (*FILES, "place")),
        Verb("bloom", "Bloom filters, and what they answer about a value", "bloom", (*FILES, "place")),
        Verb("variant", "Variants as JSON, and how they are stored", "variant", (*FILES, "place")),
        Verb(
            "check",
            "look at every byte, and say what is wrong",
            "check",
            done="no errors",
            found="errors (with --strict: or warnings)",
        ),
        Verb(
            "doctor",
            "what is wrong, what it costs, and what to do",
            "doctor",
            done="nothing at or above --fail-on",
            found="something",
            bare=("--readers", "predict", "run"),
        ),
        Verb("ask", "what a query reads and skips, and why", "ask"),
        Verb(
            "diff",
            "what differs between two files, folders or tables",
            "diff",
            ("output", "outside", "keys", "force"),
            done="nothing differs",
            found="something differs",
            unread=NOT_WRITTEN,
        ),
        Verb("what-if", "how large a file is with other encodings and codecs", "what_if"),
        Verb(
            "rewrite",
            "write a file anew with other choices, and verify it",
            "rewrite",
            ("force", "output", "keys"),
            unread=NOT_WRITTEN,
        ),
        Verb(
            "salvage",
            "save what is left of a file that lost its footer",
            "salvage",
            ("force", "output", "keys"),
            found="nothing can be saved",
            unread=NOT_WRITTEN,
        ),
        Verb(
            "lake",
            "many files at once: what is wrong, and stored questions",
            "lake",
            ("versions", "outside", "force", "output"),
            done="nothing of --fail-on",
            found="something",
            unread="the files could not be read. A file in DIR that cannot be read is damage, and so 1",
        ),
        Verb(
            "index",
            "data skipping indexes: what they hold, what a query skips",
            "index",
            ("output", "outside", "keys"),
            unread="the store could not be read",
        ),
        Verb(
            "sample",
            "write a sample file; --list names them",
            "sample",
            ("force", "output"),
            unread="it could not be written",
        ),
        Verb(
            "view", "the living explorer in a browser, without a notebook", "view", (), unread="it could not be served"
        ),
        Verb(
            "mcp",
            "the verbs as tools for a client of the Model Context Protocol",
            "mcp",
            ("keys",),
            done="the client has gone",
            unread="never",
        ),
        Verb("completion", "a script that makes Tab complete all this", "completion", (), unread="never"),
        Verb("explain", "a word of the specification in two sentences", "explain", ("output",), unread="never"),
    )
}
"""The verbs by name."""
