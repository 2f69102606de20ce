"""Files with one thing wrong, byte by byte: a required column `a`, or whatever schema is asked for, and its pages."""

import numpy as np

from pqexplore.engine.encodings import rle
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.encode import encode

INT64, BYTE_ARRAY = 2, 6
PLAIN, RLE, RLE_DICTIONARY = 0, 3, 8
DATA_PAGE, DICTIONARY_PAGE, DATA_PAGE_V2 = 0, 2, 3
OPTIONAL = 1


def element(name="a", type=INT64, repetition_type=0, **fields):
    """A leaf of the schema."""
    return structs.SchemaElement(name=name, type=type, repetition_type=repetition_type, **fields)


def root(*children, num_children=None):
    """A schema: the root, and what is below it."""
    count = len(children) if num_children is None else num_children
    return [structs.SchemaElement(name="schema", num_children=count), *children]


def page(body, num_values, encoding=PLAIN, edit=None, **fields):
    """A V1 data page; `edit` changes its header, `fields` replace the header's own."""
    header = structs.PageHeader(
        type=DATA_PAGE,
        uncompressed_page_size=len(body),
        compressed_page_size=len(body),
        data_page_header=structs.DataPageHeader(
            num_values=num_values,
            encoding=encoding,
            definition_level_encoding=RLE,
            repetition_level_encoding=RLE,
        ),
    )
    return _page(header, body, edit, fields)


def page_v2(body, num_values, levels=0, encoding=PLAIN, edit=None, **fields):
    """A V2 data page whose definition levels take the first `levels` bytes of the body."""
    header = structs.PageHeader(
        type=DATA_PAGE_V2,
        uncompressed_page_size=len(body),
        compressed_page_size=len(body),
        data_page_header_v2=structs.DataPageHeaderV2(
            num_values=num_values,
            num_nulls=0,
            num_rows=num_values,
            encoding=encoding,
            definition_levels_byte_length=levels,
            repetition_levels_byte_length=0,
        ),
    )
    return _page(header, body, edit, fields)


def dictionary_page(body, num_values, edit=None, **fields):
    """A dictionary page."""
    header = structs.PageHeader(
        type=DICTIONARY_PAGE,
        uncompressed_page_size=len(body),
        compressed_page_size=len(body),
        dictionary_page_header=structs.DictionaryPageHeader(num_values=num_values, encoding=PLAIN),
    )
    return _page(header, body, edit, fields)


def _page(header, body, edit, fields):
    for name, value in fields.items():
        setattr(header, name, value)
    if edit is not None:
        edit(header)
    return encode(header) + body


def integers(*values):
    """PLAIN INT64 values."""
    return np.array(values, "<i8").tobytes()


def levels(*values, maximum=1):
    """Levels as a V1 page has them: runs, with their length before them."""
    return rle.encode_prefixed(np.array(values, np.uint8), maximum.bit_length())


def file(
    *pages,
    num_values=3,
    num_rows=3,
    schema=None,
    codec=0,
    edit_chunk=None,
    edit_group=None,
    edit_footer=None,
):
    """A file of one column chunk with these pages; the edits change its structs before they are written."""
    pages = pages or (page(integers(1, 2, 3), 3),)
    schema = root(element()) if schema is None else schema
    data = b"".join(pages)
    chunk = structs.ColumnChunk(
        file_offset=0,
        meta_data=structs.ColumnMetaData(
            type=next((e.type for e in schema if e.type is not None), INT64),
            encodings=[PLAIN, RLE],
            path_in_schema=["a"],
            codec=codec,
            num_values=num_values,
            total_uncompressed_size=len(data),
            total_compressed_size=len(data),
            data_page_offset=4,
        ),
    )
    if edit_chunk is not None:
        edit_chunk(chunk)
    group = structs.RowGroup(columns=[chunk], total_byte_size=len(data), num_rows=num_rows)
    if edit_group is not None:
        edit_group(group)
    metadata = structs.FileMetaData(version=1, schema=schema, num_rows=num_rows, row_groups=[group])
    if edit_footer is not None:
        edit_footer(metadata)
    return ended(b"PAR1" + data, encode(metadata))


def ended(data, footer):
    """A footer's bytes, their length and the magic behind the data."""
    return data + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def setting(path, value):
    """A function that sets a field, given as a dotted path, of the struct that it gets."""

    def edit(struct):
        *outer, last = path.split(".")
        for name in outer:
            struct = getattr(struct, name)
        setattr(struct, last, value)

    return edit
