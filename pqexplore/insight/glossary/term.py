"""What an entry of the glossary is."""

from __future__ import annotations

import dataclasses

FORMAT = "https://github.com/apache/parquet-format/blob/master/"
"""Where the documents of the specification are."""


@dataclasses.dataclass(frozen=True, slots=True)
class Term:
    """A word of the specification: two sentences, a picture of three lines of text, and where it is specified.

    `also` are other spellings, such as the names of fields in Thrift structs.
    """

    name: str
    meaning: str
    picture: str
    link: str
    also: tuple[str, ...] = ()


def term(name: str, meaning: str, picture: str, document: str, *also: str) -> Term:
    """A Term whose `document` is a file of the specification, with a fragment."""
    return Term(name, meaning, picture.strip("\n"), FORMAT + document, also)
