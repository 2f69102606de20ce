"""A page as a whole: what it takes in the file and once it is opened, whether its checksum holds, and one of its values."""

from __future__ import annotations

from typing import Any

from pqexplore.engine.nesting.levels import name_levels
from pqexplore.engine.page import DICTIONARY_ENCODINGS, Page
from pqexplore.engine.thrift.structs import CompressionCodec, Encoding, enum_name
from pqexplore.engine.tree import FILE, join
from pqexplore.insight.derivation.opening import encoding_of
from pqexplore.insight.told import told
from pqexplore.insight.wording import factor, plural


def sentence(page: Page) -> str:
    """How many entries have a value, what they take, and whether the checksum holds."""
    return f"{_entries(page)} {_cost(page)}{_checksum(page)}"


def _entries(page: Page) -> str:
    entries = page.num_values
    if not page.is_data:
        return f"{plural(entries, 'distinct value')}, which data pages refer to by index."
    what = plural(entries, "entry", "entries")
    nulls = entries - page.num_present
    if not nulls:
        return f"{what}, each with a value."
    missing = "1 says with its" if nulls == 1 else f"{nulls:,} say with their"
    return f"{what}, of which {page.num_present:,} have a value; {missing} definition level what is missing."


def _codec(page: Page) -> int:
    """The codec that the page is compressed with: a V2 page may be left as it is."""
    version2 = page.header.data_page_header_v2
    if version2 is not None and version2.is_compressed is False:
        return int(CompressionCodec.UNCOMPRESSED)
    return int(page.chunk.metadata.codec)


def _cost(page: Page) -> str:
    stored, opened = page.frame.end - page.frame.header_end, page.header.uncompressed_page_size
    if not _codec(page):
        return f"{plural(stored, 'byte')}, not compressed."
    codec = enum_name(CompressionCodec, _codec(page))
    if not stored or opened < stored:
        return f"{codec} makes {stored:,} bytes of {opened:,}: the page grows."
    return f"{codec} makes {stored:,} bytes of {opened:,}, {factor(opened / stored)} smaller."


def _checksum(page: Page) -> str:
    verdict = page.crc_ok
    if verdict is None:
        return " There is no checksum."
    return (
        " The checksum is right."
        if verdict
        else " The checksum is WRONG: bytes have changed since they were written."
    )


def parts(page: Page) -> dict[str, Any]:
    """The header, and the sections as they lie in the file and once they are opened, in bytes."""
    frame = page.frame
    stored = frame.end - frame.header_end
    sections = [
        {
            "name": section.name.replace("_", " "),
            "address": join(page.address, section.name),
            "bytes": len(section.data),
            "encoding": _encoding_name(page, section.name),
            "direct": section.span.space == FILE,
            "span": [section.span.start, section.span.end, section.span.space],
        }
        for section in page.body.sections
    ]
    codec = _codec(page)
    return {
        "header": frame.header_end - frame.start,
        "header_address": join(page.address, "header"),
        "header_span": [frame.start, frame.header_end, FILE],
        "stored": stored,
        "stored_span": [frame.header_end, frame.end, FILE],
        "opened": sum(len(section.data) for section in page.body.sections),
        "codec": enum_name(CompressionCodec, codec) if codec else "",
        "encrypted": page.chunk.encrypted,
        "checksum": {True: "right", False: "wrong", None: "none"}[page.crc_ok],
        "sections": sections,
    }


def _encoding_name(page: Page, name: str) -> str:
    encoding = encoding_of(page, name)
    return "" if encoding is None else enum_name(Encoding, encoding)


def value(page: Page, entry: int, index: int) -> dict[str, Any]:
    """An entry of the page in all its forms; `index` is the value's among those that are stored, -1 where it has none."""
    leaf = page.chunk.leaf
    definitions, repetitions = name_levels(leaf)
    levels = []
    for name, names, array in (
        ("repetition level", repetitions, page.repetition_levels if page.is_data else None),
        ("definition level", definitions, page.definition_levels if page.is_data else None),
    ):
        if array is not None:
            level = int(array[entry])
            levels.append([name, f"{level}: {names[level]}"])
    if index < 0:
        return {"title": f"entry {entry:,}", "forms": [["means", "no value"], *levels], "note": ""}
    shown = told(leaf, page.physical[index].as_py())
    forms = [
        ["means", shown["logical"]],
        ["type", shown["type"]],
        ["in Python", shown["python"]],
        ["stored", shown["physical"]],
        ["bytes", shown["hex"]],
    ]
    if shown["physical"] == shown["hex"]:
        del forms[3]
    if shown["text"]:
        forms.append(["as text", shown["text"]])
    found: dict[str, Any] = {
        "title": f"value {index:,}" if page.is_data else f"entry {index:,}",
        "forms": [*forms, *levels],
        "note": shown["note"],
    }
    if page.is_data and page.encoding in DICTIONARY_ENCODINGS:
        ids, dictionary = page.dictionary_ids, page.chunk.dictionary_page
        if ids is not None and dictionary is not None:
            at = int(ids[index])
            found["entry"] = [f"entry {at:,}", join(dictionary.address, "values", at)]
    return found
