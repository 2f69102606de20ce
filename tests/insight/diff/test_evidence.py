"""What is said of two files rests on what both say: no difference is made of what one of them does not know."""

import time

import pyarrow as pa
import pytest
from insight.diff.diff_pairs import TABLE, ours, replaced, theirs
from made import rebuilt

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.thrift import structs
from pqexplore.insight.diff import odd_files
from pqexplore.insight.diff.difference import TEXT, Subject

COLUMN = "row_groups__0__columns__0__meta_data__"


def found(first, second, level="footer", **options):
    return pqexplore.diff(first, second, level, **options).differences


def whats(*arguments, **options):
    return [one.what for one in found(*arguments, **options)]


def uncounted(data, **more):
    """The file without counts of pages by encoding, as some writers leave them out."""
    columns = {f"row_groups__0__columns__{i}__meta_data__encoding_stats": None for i in range(4)}
    return rebuilt(data, **columns, **more)


SMALL = theirs(TABLE)
NO_ROWS = theirs(TABLE.slice(0, 0))


def test_plain_beside_a_dictionary_may_be_the_dictionary_pages_encoding():
    both = [structs.Encoding.PLAIN, structs.Encoding.RLE, structs.Encoding.RLE_DICTIONARY]
    bare = uncounted(SMALL, **{f"{COLUMN}encodings": both[1:]})
    assert whats(SMALL, bare) == ["other-bytes"]
    assert "encoding" in whats(theirs(TABLE, use_dictionary=False), bare)


def test_of_many_files_too(tmp_path):
    paths = [tmp_path / name for name in "abc"]
    bare = uncounted(SMALL, **{f"{COLUMN}encodings": [structs.Encoding.RLE_DICTIONARY]})
    for path, data in zip(paths, (SMALL, SMALL, bare), strict=True):
        path.write_bytes(data)
    assert odd_files.compare(paths).odd == ()
    paths[2].write_bytes(theirs(TABLE, use_dictionary=False))
    assert "the encoding of pages of `id`, `price`, `city` and `n` PLAIN; most have" in str(
        [one.sentence for one in odd_files.compare(paths).odd]
    )


def test_a_chunk_without_values_has_no_encoding_to_differ():
    assert whats(SMALL, NO_ROWS) == ["rows"]


def test_the_copy_in_plaintext_of_an_encrypted_column_lacks_statistics():
    keys = pqexplore.Encryption(b"k" * 16, {"price": b"c" * 16}, plaintext_footer=True)
    data = ours(encryption=keys)
    assert set(whats(ours(), data)) == {"encryption", "footer-encryption"}
    known = pqexplore.Decryption(b"k" * 16, {"price": b"c" * 16})
    bare = ours(encryption=keys, columns={"price": {"statistics": ()}})
    assert "statistics" in whats(ours(), bare, decryption=known)


def test_bytes_of_a_chunk_that_cannot_be_read_are_not_missing():
    data = rebuilt(SMALL, **{f"{COLUMN}total_compressed_size": None})
    assert whats(SMALL, data) == ["not-compared"]


def test_pages_of_no_bytes_have_no_share():
    none = {f"{COLUMN}total_{word}_size": 0 for word in ("compressed", "uncompressed")}
    data = rebuilt(SMALL, **none)
    [one] = found(data, SMALL)
    assert one.what == "size" and " kB in place of 0 B, and nothing" in one.sentence
    [one] = found(SMALL, data)
    assert one.what == "size" and "in place of" in one.sentence and "(100 % less)" in one.sentence


NAN = replaced("price", pa.array([1.0] * TABLE.num_rows))
PRICE = "row_groups__0__columns__1__meta_data__statistics__"


@pytest.mark.parametrize(
    "low, high, subject",
    [(1.0, 2.0, Subject.DATA), (1.0, float("nan"), Subject.STATISTICS), (2.0, 1.0, Subject.STATISTICS)],
)
def test_bounds_that_cannot_be_are_no_difference_of_the_data(low, high, subject):
    raw = [pa.array([x]).buffers()[1].to_pybytes() for x in (low, high)]
    data = rebuilt(theirs(NAN), **{f"{PRICE}min_value": raw[0], f"{PRICE}max_value": raw[1]})
    [one] = [one for one in found(theirs(NAN), data) if one.what == "bounds"]
    assert one.subject is subject


def test_null_counts_of_nested_columns_are_no_difference_of_the_data():
    lists = theirs(pa.table({"x": [[1], None, []]}))
    other = rebuilt(lists, **{f"{COLUMN}statistics__null_count": 0})
    flat = theirs(pa.table({"x": [1, None, 2]}))
    nulls = rebuilt(flat, **{f"{COLUMN}statistics__null_count": 0})
    assert [(d.what, d.subject) for d in found(lists, other)] == [("null-count", Subject.STATISTICS)]  # fmt: skip
    assert [(d.what, d.subject) for d in found(flat, nulls)] == [("null-count", Subject.DATA)]


def test_rows_that_the_footer_counts_and_those_of_its_row_groups():
    assert whats(SMALL, rebuilt(SMALL, num_rows=7)) == ["num-rows"]
    assert whats(SMALL, rebuilt(SMALL, row_groups__0__num_rows=7))[0] == "rows"


def test_another_size_is_said_where_nothing_else_differs():
    length = int.from_bytes(SMALL[-8:-4], "little") + 8
    padded = SMALL[:-length] + b"\0" * 500 + SMALL[-length:]
    [one] = found(SMALL, padded, "data")
    assert one.what == "other-bytes" and "has 500 bytes more" in one.sentence


def test_only_the_columns_that_were_compared_are_called_equal():
    data = ours(replaced("price", pa.array([0.5] * TABLE.num_rows)))
    said = pqexplore.diff(ours(), data, "data", columns=["id", "city"]).sentence
    assert said.endswith("have the same schema, layout and values of `id` and `city`.")
    zstd = ours(replaced("price", pa.array([0.5] * TABLE.num_rows)), codec="ZSTD")
    said = pqexplore.diff(ours(), zstd, "data", columns=["id"]).sentence
    assert said.startswith("The second file holds the same values of `id` as the first file")
    with pytest.raises(UsageError, match="names no column"):
        pqexplore.diff(ours(), data, columns=[])


def test_a_key_without_a_value():
    pair = [rebuilt(SMALL, key_value_metadata=[structs.KeyValue(key="k", value=v)]) for v in (None, "")]  # fmt: skip
    [one] = found(*pair)
    assert one.sentence == "Only the second file has a value of the key 'k' in its metadata."


def test_long_texts_are_cut_off_where_they_differ():
    first, second = (rebuilt(SMALL, created_by="a text " * 500 + end) for end in "ab")
    [one] = found(first, second)
    assert one.sentence == "The writer differs from character 3,500 on: 'b' in place of 'a'."
    assert len(one.first) == TEXT


def test_many_different_texts_are_one_difference():
    table = pa.table({str(i): [1] for i in range(12)})
    columns = [f"row_groups__0__columns__{i}__file_path" for i in range(12)]
    first, second = (rebuilt(theirs(table), **{path: f"{side}{i}" for i, path in enumerate(columns)}) for side in "ab")
    [one] = found(first, second)
    assert one.what == "file-path" and one.sentence.startswith("12 columns have another file of the pages")  # fmt: skip
    some = rebuilt(theirs(table), **{columns[0]: "a", columns[1]: "b"})
    assert [d.columns for d in found(theirs(table), some)] == [("0",), ("1",)]


def test_texts_of_all_chunks_are_not_compared_with_each_other():
    """Chunks of which each has a text of its own took the square of their number."""
    table = pa.table({"x": range(3_000)})
    data = theirs(table, row_group_size=1)
    pairs = {
        f"row_groups__{i}__columns__0__meta_data__key_value_metadata": [structs.KeyValue(key="k", value=str(i))]
        for i in range(3_000)
    }  # fmt: skip
    other = rebuilt(data, **pairs)
    start = time.process_time()
    [one] = found(data, other)
    assert one.what == "chunk-key-values" and time.process_time() - start < 3
