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
        Verb("doctor", "what is wrong with files, what it costs, and what to do", "doctor"),
        Verb("diff", "what differs between two files, folders or tables", "diff"),
        Verb("what-if", "how large a file is with other encodings and codecs", "what_if"),
        Verb("rewrite", "write a file anew with other choices, and verify it", "rewrite"),
        Verb("sample", "write a sample file; --list names them", "sample"),
    )
}
"""The verbs by name."""
