"""What a finding says, beside what `plain_reader` or pyarrow read at its place: one function a rule.

Each returns two values that must be equal, and asserts that what it read is a fault.
"""

from __future__ import annotations

import io
import math
import re
import struct
import zlib

import pyarrow.parquet as pq
from corpus import confirmations_of_values
from corpus.confirmations_of_values import place
from corpus.plain_reader import Compact


def stated(one, *names):
    return [one.evidence[name] for name in names]


def differ(*values):
    """The values, which must not all be the same."""
    assert len(set(values)) > 1, values
    return list(values)


def column(file, group, number):
    """A column as pyarrow reads it: values, nested as its schema is."""
    opened = pq.ParquetFile(io.BytesIO(file.data))
    name = opened.metadata.row_group(group).column(number).path_in_schema
    return opened.read_row_group(group, columns=[name]).column(0)


def order(leaf):
    """The sort key of a column's values as stored."""
    kind, logical, converted = (leaf.element.get(field) for field in (1, 10, 6))
    logical = logical or {}
    if kind in (1, 2):
        signed = converted not in (11, 12, 13, 14) and (10 not in logical or logical[10][2])
        return lambda raw: int.from_bytes(raw, "little", signed=signed)
    form = {4: "<f", 5: "<d"}.get(kind, "<e" if 15 in logical else None)
    assert form or kind == 6
    return (lambda raw: struct.unpack(form, raw)[0]) if form else bytes


def statistics(file, one):
    """The Statistics that a finding is about, and the values that they are of."""
    group, number, *page = place(one)
    if not page:
        return file.metadata(group, number)[12], file.values(group, number)
    header = file.pages(group, number)[page[0]].header
    found = header[8][8] if header[1] == 3 else header[5][5]
    return found, file.values(group, number, page[0])


# Statistics.


def bound(file, one):
    found, values = statistics(file, one)
    side = one.address[-9:-6]
    key, raw = order(file.leaves[place(one)[1]]), found[6 if side == "min" else 5]
    actual = {"min": min, "max": max}[side](values, key=key)
    assert key(actual) < key(raw) if side == "min" else key(actual) > key(raw)
    return stated(one, side, "actual"), [raw, actual]


def exactness(file, one):
    found, values = statistics(file, one)
    assert one.address.endswith("min_value") and found[8] is True  # is_min_value_exact
    actual = min(values, key=order(file.leaves[place(one)[1]]))
    return stated(one, "min", "actual"), differ(found[6], actual)


def inverted(file, one):
    found, _ = statistics(file, one)
    key = order(file.leaves[place(one)[1]])
    assert key(found[6]) > key(found[5])
    return stated(one, "min", "max"), [found[6], found[5]]


def distinct_count(file, one):
    group, number = place(one)
    values = set(column(file, group, number).to_pylist()) - {None}
    stored = file.metadata(group, number)[12][4]
    return stated(one, "distinct_count", "present"), differ(stored, len(values))


def no_bounds(file, one):
    group, number = place(one)
    said = re.search(r"min has (.*) bytes, values of the column have ([0-9]+)\.", one.sentence)
    read = differ(len(statistics(file, one)[0][6]), file.leaves[number].element[2])
    return [int(size) for size in said.groups()], read


def unencoded_bytes(file, one):
    group, number = place(one)
    read = sum(len(text.encode()) for text in column(file, group, number).to_pylist() if text)
    return stated(one, "said", "values"), differ(file.metadata(group, number)[16][1], read)


# The page index.

INDEX_LISTS = {"null_pages": 1, "min_values": 2, "max_values": 3, "boundary_order": 4}


def page_index(file, one):
    group, number, *entry = place(one)
    index = file.index(group, number, "column")
    if entry:
        assert one.address.endswith(f"null_counts/{entry[0]}") and index[5][entry[0]] < 0
        return f"null_counts has {index[5][entry[0]]} for data page {entry[0]};" in one.sentence, True
    lost = re.search("lacks the required (.*)", one.evidence["problems"][0])[1].split(", ")
    return lost, [name for name, field in INDEX_LISTS.items() if field not in index]


def page_index_length(file, one):
    group, number = place(one)
    read = len(file.index(group, number, "column")[1]), len(file.data_pages(group, number))
    return stated(one, "entries", "data_pages"), differ(*read)


def null_page(file, one):
    group, number, entry = place(one)
    marked = file.index(group, number, "column")[1][entry]
    present = file.data_pages(group, number)[entry].present
    assert marked is (present > 0)
    return stated(one, "null_page", "values"), [marked, present]


def first_row(file, one):
    group, number, entry = place(one)
    location = file.index(group, number, "offset")[1][entry]
    pages = file.data_pages(group, number)
    assert location[1] in [page.at for page in pages]
    before = sum(page.rows for page in pages if page.at < location[1])
    return stated(one, "first_row_index", "rows_before"), differ(location[3], before)


def offset_index(file, one):
    group, number, entry = place(one)
    location = file.index(group, number, "offset")[1][entry]
    page = file.data_pages(group, number)[entry]
    read = differ(location[1], page.at) if one.address.endswith("offset") else differ(location[2], page.end - page.at)
    return stated(one, "offset_index", "page_headers"), read


def index_of_nans(file, one):
    group, number, entry = place(one)
    assert not file.index(group, number, "column")[1][entry]
    page = file.pages(group, number).index(file.data_pages(group, number)[entry])
    values = file.values(group, number, page)
    return one.evidence["page"], entry if all(map(math.isnan, doubles(values))) else None


def doubles(values):
    return [struct.unpack("<d", raw)[0] for raw in values]


# Pages, chunks, row groups.


def page_rows(file, one):
    group, number, page = place(one)
    header = file.pages(group, number)[page]
    return stated(one, "num_rows", "rows"), differ(header.header[8][3], header.rows)


def checksum(file, one):
    group, number, page = place(one)
    read = file.pages(group, number)[page]
    return stated(one, "crc", "computed"), differ(read.header[4] & 0xFFFFFFFF, zlib.crc32(read.body))


def chunk_size(file, one):
    group, number = place(one)
    pages = file.pages(group, number)
    end = pages[0].at + file.metadata(group, number)[7]
    return stated(one, "pages", "total_compressed_size"), differ(pages[-1].end, end)


def rows(file, one):
    group, number = place(one)
    read = sum(page.rows for page in file.data_pages(group, number))
    return stated(one, "pages", "num_rows"), differ(read, file.footer[4][group][3])


def row_count(file, one):
    read = differ(file.footer[3], sum(group[3] for group in file.footer[4]))
    return stated(one, "num_rows", "row_groups"), read


def path(file, one):
    group, number = place(one)
    said = tuple(step.decode() for step in file.metadata(group, number)[3])
    return stated(one, "path_in_schema", "schema"), differ(said, file.leaves[number].path)


def column_orders(file, one):
    return stated(one, "column_orders", "columns"), differ(len(file.footer[7]), len(file.leaves))


def not_sorted(file, one):
    [group, entry] = place(one)
    sorting = file.footer[4][group][4][entry]
    values = column(file, group, sorting[1]).to_pylist()
    row = one.evidence["row"]
    assert sorting[2] and values[row - 1] < values[row]  # declared as descending
    return one.evidence["column"], ".".join(file.leaves[sorting[1]].path)


def overlap(file, one):
    """A chunk of which the footer says that it reaches into the footer."""
    assert (one.evidence["second"], one.evidence["start"]) == ("footer", file.footer_start)
    group, number = [int(step) for step in one.evidence["first"].split("/") if step.isdecimal()]
    meta = file.metadata(group, number)
    end = min(offset for offset in (meta.get(11), meta[9]) if offset) + meta[7]
    size = int(re.search(r"([\d,]+) bytes from byte", one.sentence)[1])
    return size, end - file.footer_start


def utf8(file, one):
    group, number, _, at = place(one)
    raw = column(file, group, number).cast("binary")[at].as_py()
    assert raw.decode(errors="replace") != raw.decode(errors="ignore")
    return one.evidence["value"], raw


# The schema.


def annotation(file, one):
    element = file.footer[2][place(one)[0]]
    kind, width, converted, scale, precision = (element.get(field, 0) for field in (1, 2, 6, 7, 8))
    if one.evidence["annotation"] == "DECIMAL":
        assert kind == 7
        wrong = not 0 <= scale <= precision or not 0 < 10**precision < 2 ** (8 * width - 1)
    else:
        wrong = kind != {6: 1, 14: 2, 18: 2}[converted]  # DATE: INT32; UINT_64 and INT_64: INT64
    return one.evidence["physical_type"] if wrong else None, kind


def repetition(file, one):
    """A field that is OPTIONAL, or has another repetition than it must have."""
    [number] = place(one)
    element = file.footer[2][number]
    field = re.search(r"field '(\w+)'", one.sentence)
    name = field[1] if field else element[4].decode()
    return ("optional", element[4].decode()), (("required", "optional", "repeated")[element[3]], name)


def geospatial_type(file, one):
    group, number = place(one)
    assert 17 in file.metadata(group, number)  # geospatial_statistics
    return True, not {17, 18} & set(file.leaves[number].element.get(10, {}))


# What cannot be read.


def unreadable(file, one):
    """Bytes that are not there, a schema that is no tree; otherwise pyarrow cannot read the chunk either."""
    last, where = one.address.rsplit("/", 1)[-1], place(one)
    if one.address.startswith("schema/"):
        return True, no_tree(file.footer[2], where[0])
    group, number = where[:2]
    if last == "bloom_filter":
        return True, no_bloom_filter(file.data, file.metadata(group, number)[14])
    if last in ("column_index", "offset_index"):
        offset, length = ((6, 7), (4, 5))[last == "offset_index"]
        chunk = file.chunk(group, number)
        return True, chunk[offset] + chunk[length] > len(file.data)
    if last == "metadata":
        assert "lacks its required field encodings, or has" in one.sentence
        return True, file.metadata(group, number)[2].kind != 5  # i32, as Encoding is stored
    try:
        read = column(file, group, number)
    except OSError:
        return True, True
    return True, len(read) < file.footer[4][group][3]


def no_bloom_filter(data, at):
    """Whether no header of a filter of whole blocks begins there."""
    try:
        size = Compact(data, at).struct().get(1)  # numBytes
    except ValueError:
        return True
    return not isinstance(size, int) or size <= 0 or size % 32 != 0


def no_tree(elements, at):
    """Whether an element breaks the tree: its children are not there, its parent is not, or its length is absent."""
    if elements[at].get(1) == 7 and 2 not in elements[at]:  # FIXED_LEN_BYTE_ARRAY without type_length
        return True
    open_groups = []
    for number, element in enumerate(elements):
        if number == at:
            return not any(open_groups) or element.get(5, 0) < 0
        while open_groups and not open_groups[-1]:
            open_groups.pop()
        if open_groups:
            open_groups[-1] -= 1
        open_groups.append(element.get(5, 0))
    return False


def file_offset(file, one):
    """PARQUET-2089: where a row group says that it begins, and where the first page of its chunks is."""
    [group] = one.row_groups
    row_group = file.footer[4][group]
    chunks = [chunk[3] for chunk in row_group[1]]
    first = min(at for chunk in chunks for at in (chunk[9], chunk.get(11)) if at)
    return stated(one, "file_offset", "first_page"), differ(row_group[5], first)


def signed_bytes(file, one):
    """PARQUET-1025: a smallest text that comes after the largest one, as unsigned bytes compare."""
    assert one.evidence["defect"] == "PARQUET-1025"
    group, number = map(int, re.search(r"row_groups/(\d+)/columns/(\d+)/", one.address).groups())
    stored = file.metadata(group, number)[12]
    assert stored[2] > stored[1]
    return stated(one, "min", "max"), [stored[2], stored[1]]


def undefined(file, one):
    """A physical type, an encoding or a codec whose number the format does not have."""
    where = place(one)
    if one.address.startswith("schema/"):
        return True, not 0 <= file.footer[2][where[0]][1] <= 7
    group, number, *page = where
    if page:
        return True, file.pages(group, number)[page[0]].header[8][4] > 10
    return True, file.metadata(group, number)[4] > 7


def bits_from_the_lowest(file, one):
    """IMPALA-3006: pyarrow takes levels in BIT_PACKED from the lowest bit, and finds the nulls where the table has them."""
    group, number, page = place(one)
    assert file.pages(group, number)[page].header[5][3] == 4  # definition_level_encoding
    rows = zip(column(file, group, 0).to_pylist(), column(file, group, number).to_pylist(), strict=True)
    assert all((value is None) == (id % 10 == 0) for id, value in rows)
    return stated(one, "definition_level_encoding"), ["BIT_PACKED"]


CONFIRM = confirmations_of_values.CONFIRM | {
    "annotation": annotation,
    "row-group-file-offset": file_offset,
    "chunk-size-disagrees": chunk_size,
    "column-index-of-nans": index_of_nans,
    "column-orders-length": column_orders,
    "crc-mismatch": checksum,
    "distinct-count-disagrees": distinct_count,
    "first-row-disagrees": first_row,
    "known-writer-defect-in-pages": bits_from_the_lowest,
    "known-writer-defect-shown": signed_bytes,
    "geospatial-statistics": geospatial_type,
    "map-key-optional": repetition,
    "not-sorted": not_sorted,
    "not-utf8": utf8,
    "null-page-disagrees": null_page,
    "null-page-unmarked": null_page,
    "offset-index-disagrees": offset_index,
    "overlap": overlap,
    "page-index": page_index,
    "page-index-length": page_index_length,
    "page-rows-disagree": page_rows,
    "page-statistics-bound": bound,
    "page-statistics-inverted": inverted,
    "path-disagrees": path,
    "row-count-disagrees": row_count,
    "rows-disagree": rows,
    "statistics-bound": bound,
    "statistics-damaged": no_bounds,
    "statistics-exactness": exactness,
    "statistics-inverted": inverted,
    "unencoded-bytes-disagree": unencoded_bytes,
    "unreadable": unreadable,
    "unsupported": undefined,
    "variant-required-field": repetition,
}
"""The function of each rule: (an open `Plain`, a diagnosis) → what the diagnosis says, and what the bytes say."""
