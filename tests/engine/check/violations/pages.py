"""Violations by pages as a whole: their kinds, their order, their counts, and encodings that are out of use."""

from functools import partial

from engine.check import forged
from engine.check.violations import Violation

from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.engine.writer import assembly

PAGES = "row_groups/0/columns/0/pages"

IDS = b"\x01\x03\x02"
"""Indexes into a dictionary: one bit wide, a group of eight: 0, 1, and padding."""


def dictionary():
    return assembly.dictionary_page(forged.encoded((1, 2)), 2)


def by_dictionary(encoding=Encoding.RLE_DICTIONARY):
    return assembly.page_v2(IDS, 2, 2, 0, encoding)


def file_of(*pages):
    return partial(forged.one_column, list(pages))


def nulls(count):
    """A V2 page of two values that are there, whose header says how many are null."""
    return assembly.page_v2(forged.encoded([1, 2]), 2, 2, count)


def levels(encoding, listed=None):
    """A V1 page of two values whose definition levels have an encoding."""
    leaf = assembly.element("a", Type.INT32, 1)
    stored = assembly.levels_v1(forged.bits([1, 1]), 1, encoding)
    page = assembly.page_v1(forged.encoded([1, 2]), 2, definition_levels=stored, level_encoding=encoding)
    return forged.one_column([page], leaf=leaf, metadata={"encodings": listed or [0, encoding]})


VIOLATIONS = [
    Violation("a second dictionary page", "dictionary-not-first",
        file_of(dictionary(), by_dictionary(), dictionary(), by_dictionary()),
        file_of(dictionary(), by_dictionary(), by_dictionary()), address=f"{PAGES}/2", also=("dictionary-page-offset",)),
    Violation("an index page", "index-page", file_of(forged.page([1]), assembly.other_page(b"", 1)),
        file_of(forged.page([1])), severity="note", address=f"{PAGES}/1"),
    Violation("a page of an unknown type", "page-type", file_of(forged.page([1]), assembly.other_page(b"", 9)),
        file_of(forged.page([1]), forged.page([1])), severity="warning", address=f"{PAGES}/1"),
    Violation("nulls miscounted", "null-count-disagrees", file_of(nulls(1)), file_of(nulls(0)), severity="warning",
        address=f"{PAGES}/0"),
    Violation("the old name of dictionary encoding in a V2 page", "plain-dictionary-deprecated",
        file_of(dictionary(), by_dictionary(Encoding.PLAIN_DICTIONARY)), file_of(dictionary(), by_dictionary()),
        severity="note", address=f"{PAGES}/1/header"),
    Violation("an encoding of levels that is not listed", "level-encodings-unlisted", partial(levels, Encoding.RLE, [0]),
        partial(levels, Encoding.RLE), severity="note"),
    Violation("bit-packed levels", "bit-packed-deprecated", partial(levels, Encoding.BIT_PACKED),
        partial(levels, Encoding.RLE), severity="note", address=f"{PAGES}/0/header"),
]  # fmt: skip
