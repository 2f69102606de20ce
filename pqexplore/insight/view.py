"""The answer of a lens at a place of a file, without a widget (`ParquetFile.view`)."""

from __future__ import annotations

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.tree.node import Node
from pqexplore.insight.answer import Answer
from pqexplore.insight.ask.question import Question
from pqexplore.insight.lenses import answer_of, finish, require


def view(file: ParquetFile, name: str, at: str = "", where: str = "", engine: str = "") -> Answer:
    """The Answer of the lens `name` at the address `at`; `where` and `engine` are the question of the lens `query`.

    Raises UsageError for a lens that does not exist or does not apply there, and for an address that names nothing.
    """
    node = node_at(file, at.strip("/"))
    return finish(answer_of(file, node, require(name, node), Question.of(where, engine)))


def node_at(file: ParquetFile, address: str) -> Node:
    """The node at an address; UsageError if the address names nothing in the file, and says how far it leads."""
    try:
        return file.node(address)
    except (KeyError, ValueError, IndexError) as error:
        above = Address(address).parent
        while above:
            try:
                file.node(above)
                break
            except (ParquetError, KeyError, ValueError, IndexError):
                above = Address(above).parent
        known = (
            f"{above} exists"
            if above
            else "addresses begin with row_groups/, schema/, footer or magic"
        )
        raise UsageError(f"{file.name} has nothing at {address!r}; {known}") from error
