"""The samples: each is read, is the same every time, shows what it says, and is read by others where they can."""

import numpy as np
import pyarrow.parquet as pq
import pytest
from needs import needs

import pqexplore
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Encoding, PageType
from pqexplore.engine.format.variant.decode import decode
from pqexplore.engine.format.variant.json_text import to_json
from pqexplore.engine.writer.samples import SAMPLES, write_sample

LOST = {"no-metadata": ["here"]}
"""Samples of which not all columns can be read, and those that can."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("samples")


def path_of(folder, name):
    path = folder / f"{name}.parquet"
    if not path.exists():
        write_sample(name, path)
    return path


def opened(folder, name):
    sample = SAMPLES[name]
    keys = pqexplore.Decryption(**sample.keys) if sample.keys else None
    return pqexplore.open(path_of(folder, name), decryption=keys)


@pytest.mark.parametrize("name", SAMPLES)
def test_sample_is_read_and_has_no_errors(name, folder):
    file = opened(folder, name)
    assert file.read(columns=LOST.get(name)).num_rows == file.num_rows
    errors = [f for f in file.check() if f.severity.level == "error" and name not in LOST]
    assert errors == []
    layout = file.layout().to_pydict()
    assert layout["start"] == [0, *layout["end"][:-1]] and layout["end"][-1] == file.size


@pytest.mark.parametrize("name", SAMPLES)
def test_sample_is_small_and_always_the_same_bytes(name, folder, tmp_path):
    write_sample(name, tmp_path / "again")
    again = (tmp_path / "again").read_bytes()
    assert again == path_of(folder, name).read_bytes()
    assert len(again) < 1 << 20


def test_unknown_sample_raises_with_the_known_names():
    with pytest.raises(ValueError, match="there is no sample 'evnts'; there are events, everything"):
        write_sample("evnts", "nowhere")


CANNOT = {
    "pyarrow": {
        "file-references": "does not know the logical type FILE",
        "alp": "has no ALP",
        "booleans": "has no dictionary for BOOLEAN",
        "bit-packed-levels": "reads BIT_PACKED with the least significant bit first",
        "lzo-v2": "has no LZO",
        "variant-shredded": "gives a shredded Variant as it is stored",
        "int96-order": "wraps timestamps after 2262 into another century",
        **dict.fromkeys(
            ("encrypted-columns", "encrypted-extensions", "plaintext-footer-bloom", "ctr-plaintext-footer"),
            "takes keys of columns from a key service only",
        ),
    },
    "duckdb": {
        "everything": "does not know the converted type BSON",
        "legacy-lists": "does not know MAP_KEY_VALUE in place of MAP",
        "alp": "has no ALP",
        "bit-packed-levels": "has no BIT_PACKED",
        "lzo-v2": "has no LZO",
        "unknown-pages": "refuses pages of unknown types",
        "no-metadata": "refuses the file for one column chunk",
        "extensions": "has types of its own for ENUM, UUID and nanoseconds",
        **dict.fromkeys((n for n, s in SAMPLES.items() if s.keys), "encrypts without AAD"),
    },
    "polars": {
        "everything": "has no INTERVAL",
        **dict.fromkeys(
            (
                "file-references",
                "geography",
                "geometry",
                "extensions",
                *(n for n in SAMPLES if n.startswith("variant")),
            ),
            "refuses logical types that it does not know",
        ),
        "alp": "has no ALP",
        "booleans": "has no dictionary for BOOLEAN",
        "int96-order": "takes timestamps after 2262 for one in 2262",
        "deltas": "has no DELTA_BYTE_ARRAY for FIXED_LEN_BYTE_ARRAY",
        "bit-packed-levels": "has no BIT_PACKED",
        "lzo-v2": "has no LZO",
        "unknown-pages": "refuses pages of unknown types",
        "no-metadata": "refuses the file for one column chunk",
        **dict.fromkeys((n for n, s in SAMPLES.items() if s.keys), "has no decryption"),
    },
}
"""What the others cannot read, and why."""

READERS = {
    reader: needs(reader, version, "an older one reads less")
    for reader, version in (("pyarrow", "26"), ("duckdb", "2.0"), ("polars", "2.1"))
}


def by_pyarrow(path, name):
    keys = SAMPLES[name].keys
    options = {}
    if keys:
        encryption = pytest.importorskip("pyarrow.parquet.encryption")
        make = getattr(encryption, "create_decryption_properties", None)
        if make is None:
            pytest.skip("this pyarrow takes keys from a key service only")
        options = {"decryption_properties": make(keys["footer_key"], aad_prefix=keys.get("aad_prefix"))}
    file = pq.ParquetFile(path, page_checksum_verification=True, **options)
    return file.read(columns=LOST.get(name))


def by_duckdb(path, name):
    import duckdb

    with duckdb.connect() as connection:
        return connection.sql(f"select * from '{path}'").to_arrow_table()


def by_polars(path, name):
    import polars

    return polars.read_parquet(path).to_arrow()


def text(value):
    """A value's text, the same for the forms that readers give it."""
    if isinstance(value, dict) and value.keys() == {"metadata", "value"}:
        return to_json(value["metadata"], value["value"])
    if hasattr(value, "isoformat"):
        value = value.replace(tzinfo=None) if hasattr(value, "hour") else value
        return value.isoformat()
    if hasattr(value, "bytes"):
        return repr(value.bytes)
    return repr(float(value) if isinstance(value, np.float16) else value)  # older versions of pyarrow give numpy's


@pytest.mark.parametrize(
    ("reader", "name"),
    [
        pytest.param(reader, name, marks=READERS[reader])
        for reader, cannot in CANNOT.items()
        for name in SAMPLES
        if name not in cannot
    ],
)
def test_other_readers_read_the_same_values(reader, name, folder):
    ours = opened(folder, name).read(columns=LOST.get(name))
    read = {"pyarrow": by_pyarrow, "duckdb": by_duckdb, "polars": by_polars}[reader]
    theirs = read(path_of(folder, name), name)
    assert theirs.column_names == ours.column_names
    for column, values in zip(ours.column_names, ours.columns, strict=True):
        expected = [text(value) for value in values.to_pylist()]
        assert [text(value) for value in theirs[column].to_pylist()] == expected, column


def chunks(folder, name):
    return {".".join(c.leaf.path): c for c in opened(folder, name).row_groups[0].columns}


def encodings(chunk):
    return [page.encoding for page in chunk.pages if page.is_data]


# What each sample is there for, seen in the file.


def test_events_has_what_files_commonly_have(folder):
    file = opened(folder, "events")
    assert [group.num_rows for group in file.metadata.row_groups] == [8_000, 8_000, 4_000]
    user = file.row_groups[0].columns["user"]
    assert user.bloom_filter.probe(user.dictionary[0].as_py()).hit
    assert user.statistics.min_value and user.column_index and user.offset_index
    assert user.metadata.size_statistics.unencoded_byte_array_data_bytes
    assert len(user.pages) == 5 and user.pages[1].crc_ok is True
    assert {chunk.metadata.codec for chunk in file.row_groups[0].columns} == {0, 1, 6}


@pytest.mark.parametrize(
    ("name", "column", "expected"),
    [
        ("alp", "price", {Encoding.ALP}),
        ("alp", "rounded", {Encoding.ALP}),
        ("booleans", "dictionary", {Encoding.RLE_DICTIONARY}),
        ("booleans", "runs", {Encoding.RLE}),
        ("deltas", "clock", {Encoding.DELTA_BINARY_PACKED}),
        ("deltas", "name", {Encoding.DELTA_BYTE_ARRAY}),
        ("deltas", "text", {Encoding.DELTA_LENGTH_BYTE_ARRAY}),
        ("deltas", "value", {Encoding.BYTE_STREAM_SPLIT}),
        ("dictionary-fallback", "word", {Encoding.RLE_DICTIONARY, Encoding.PLAIN}),
    ],
)
def test_the_encoding_is_the_one_it_shows(name, column, expected, folder):
    assert set(encodings(chunks(folder, name)[column])) == expected


def test_levels_are_bit_packed(folder):
    for chunk in chunks(folder, "bit-packed-levels").values():
        header = chunk.pages[-1].header.data_page_header
        assert header.definition_level_encoding == Encoding.BIT_PACKED


@pytest.mark.parametrize(("name", "codec"), [("lzo-v2", 3), ("lz4-v2", 5)])
def test_the_codec_is_used_in_both_versions(name, codec, folder):
    found = chunks(folder, name)
    assert [chunk.metadata.codec for chunk in found.values()] == [codec, codec]
    kinds = [chunk.pages[0].header.type for chunk in found.values()]
    assert kinds == [PageType.DATA_PAGE_V2, PageType.DATA_PAGE]
    assert found["v2"].pages[0].header.data_page_header_v2.is_compressed is True


def test_the_dictionary_is_sorted(folder):
    page = chunks(folder, "sorted-dictionary")["city"].dictionary_page
    assert page.header.dictionary_page_header.is_sorted is True
    assert page.values.to_pylist() == ["Aachen", "Bonn", "Köln", "Ulm"]


def test_pages_of_other_types_lie_between(folder):
    pages = chunks(folder, "unknown-pages")["a"].pages
    assert [page.header.type for page in pages] == [0, 17, 1, 0]
    assert opened(folder, "unknown-pages").read()["a"].to_pylist() == [1, 2, 3, 4, 5, 6]


def test_a_chunk_has_no_metadata(folder):
    file = opened(folder, "no-metadata")
    assert file.row_groups[0].columns["lost"].struct.meta_data is None
    with pytest.raises(pqexplore.CorruptFileError, match="no meta_data"):
        file.read()


def test_the_orders_of_floats_and_int96(folder):
    floats = chunks(folder, "float-order")
    assert structs.union_field(floats["total"].leaf.column_order)[0] == "IEEE_754_TOTAL_ORDER"
    assert floats["total"].statistics.nan_count == 5
    ordered = chunks(folder, "int96-order")["ordered"]
    assert structs.union_field(ordered.leaf.column_order)[0] == "INT96_TIMESTAMP_ORDER"
    assert len(ordered.statistics.min_value) == 12


def test_all_algorithms_of_geography(folder):
    found = [c.leaf.logical_type.GEOGRAPHY.algorithm for c in chunks(folder, "geography").values()]
    assert found == [0, 1, 2, 3, 4]


def test_a_file_reference(folder):
    field = opened(folder, "file-references").schema.root.children[0]
    assert structs.union_field(field.element.logicalType)[0] == "FILE"


def test_the_encryption_that_it_shows(folder):
    ctr = opened(folder, "ctr-plaintext-footer")
    algorithm = ctr.metadata.encryption_algorithm.AES_GCM_CTR_V1
    assert algorithm.aad_prefix == b"pqexplore samples"
    assert len(ctr.row_groups) == 2
    secret = ctr.row_groups[1].columns["secret"]
    assert secret.bloom_filter is not None
    assert {page.header.type for page in secret.pages} == {PageType.DICTIONARY_PAGE, PageType.DATA_PAGE_V2}
    assert opened(folder, "plaintext-footer-bloom").metadata.encryption_algorithm.AES_GCM_V1
    assert len(SAMPLES["encrypted-aes-192"].keys["footer_key"]) == 24


def test_variants_have_every_width(folder):
    values = opened(folder, "variant-offset-sizes").read()["v"].to_pylist()
    assert {value["metadata"][0] >> 6 for value in values} == {0, 1, 2, 3}
    objects = [value["value"][0] for value in values[::2]]
    assert [head >> 2 & 3 for head in objects] == [head >> 4 & 3 for head in objects] == [0, 1, 2, 3]
    read = [decode(value["metadata"], value["value"]) for value in values]
    assert read == [{"a": 1, "b": "two", "c": None}, [1, "two", None]] * 4


def test_variants_can_be_large(folder):
    array, many, _ = opened(folder, "variant-large").read()["v"].to_pylist()
    assert array["value"][0] >> 4 & 1 and many["value"][0] >> 6 & 1
    assert len(decode(array["metadata"], array["value"])) == 300
    assert len(decode(many["metadata"], many["value"])) == 300


def test_every_struct_of_the_format_has_an_extension_in_some_sample(folder):
    """An extension is text with the struct's name: in the file's own bytes, or in its decrypted footer."""
    extended = ("extensions", "file-references", "unknown-pages", "encrypted-extensions")
    found = set()
    for name in (*extended, "ctr-plaintext-footer"):
        footer = opened(folder, name).footer.raw
        data = path_of(folder, name).read_bytes() + bytes(footer)
        found |= {each for each in structs.STRUCTS if f"extension of {each}".encode() in data}
    assert found == set(structs.STRUCTS)
