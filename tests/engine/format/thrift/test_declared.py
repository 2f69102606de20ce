"""The quick walk agrees with `spans`: nothing but declared fields, or something else."""

import pytest

from pqexplore.engine.format.thrift import struct_spans
from pqexplore.engine.format.thrift.declared import only_declared
from pqexplore.engine.format.thrift.encode import encode, encode_fields, encode_list
from pqexplore.engine.format.thrift.structs import (
    AesGcmV1,
    ColumnChunk,
    ColumnMetaData,
    EncryptionAlgorithm,
    FileMetaData,
    RowGroup,
    SchemaElement,
    SortingColumn,
)
from pqexplore.engine.format.varint import varint, zigzag

WHOLE = encode(
    FileMetaData(
        version=2,
        schema=[SchemaElement(name=f"column {i}", type=1) for i in range(20)],
        num_rows=1 << 40,
        row_groups=[
            RowGroup(
                columns=[
                    ColumnChunk(file_offset=4, meta_data=ColumnMetaData(type=1, encodings=[0, 3], path_in_schema=["ä"]))
                ],
                sorting_columns=[SortingColumn(column_idx=0, descending=True, nulls_first=False)],
                ordinal=3,
            )
        ],
        created_by="x" * 300,
        encryption_algorithm=EncryptionAlgorithm(AES_GCM_V1=AesGcmV1(aad_prefix=b"\1")),
    )
)
VERSION = (1, 5, zigzag(2))


def is_ordinary(read):
    """Whether spans show only declared fields of their types, as far as they could be read."""
    for field in read.fields:
        inside = field.value if isinstance(field.value, list) else [field]
        structs = [one.value for one in inside if isinstance(one.value, struct_spans.StructSpan)]
        if field.field is None or not field.fits or not all(map(is_ordinary, structs)):
            return False
    return read.error is None


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (WHOLE, True),
        (WHOLE + b"after", True),
        (b"\0", True),
        (encode_fields([VERSION]), True),
        (encode_fields([VERSION, (32767, 8, b"\1x")]), False),
        (encode_fields([VERSION, (100, 5, zigzag(1))]), False),
        (encode_fields([(1, 6, zigzag(2))]), False),
        (encode_fields([(4, 9, encode_list(12, [encode_fields([(9, 3, b"\1")])]))]), False),
        (encode_fields([(4, 9, encode_list(12, [encode_fields([(7, 4, b"\2")])]))]), True),
        (encode_fields([(2, 9, encode_list(5, [zigzag(1)]))]), False),
        (encode_fields([(2, 9, encode_list(5, []))]), True),
        (b"\x18" + varint(1 << 40) + b"\0", False),
        (b"", False),
    ],
)
def test_only_declared_fields(data, expected):
    assert only_declared(FileMetaData, data) is expected
    assert is_ordinary(struct_spans.read(FileMetaData, data)) is expected


def test_a_cut_struct_is_damaged():
    for end in range(len(WHOLE)):
        assert not only_declared(FileMetaData, WHOLE[:end])
