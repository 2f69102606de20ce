"""Column, object and directory names: the specification's examples, both ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pqexplore.engine.errors import UsageError
from pqexplore.lake.metadatastore import names


@pytest.mark.parametrize("version, columns, index, name", [
    (0, ["a", "b"], "someindex", "a:b_someindex"),
    (1, ["a", "b"], "someindex", "a_b_someindex"),
    (2, ["temp"], "minmax", "temp_minmax_4"),
    (3, ["lat#_.$_new", "$_lng.#"], "someindex", "lat##_$#$$_new_$_lng$#$##_someindex_14-10"),
    (4, ["nest.n2.deep"], "bloomfilter", "nest$#$n2$#$deep_bloomfilter_16"),
    (4, ["City"], "valuelist", "city_valuelist_4"),
    (4, ["z\U0001f600"], "minmax", "z\U0001f600_minmax_3"),
], ids=["0", "1", "2", "specification", "nested", "lower-cased", "UTF-16 code units"])  # fmt: skip
def test_an_index_column_has_the_name_of_its_version(version, columns, index, name):
    assert names.index_column(version, columns, index) == name


@pytest.mark.parametrize("version, name, columns, index", [
    (0, "a:b_someindex", ("a", "b"), "someindex"),
    (1, "temp_minmax", ("temp",), "minmax"),
    (1, "a_b_someindex", ("a_b",), "someindex"),
    (3, "lat##_$#$$_new_$_lng$#$##_someindex_14-10", ("lat#_.$_new", "$_lng.#"), "someindex"),
    (4, "a_minmax_1_minmax_10", ("a_minmax_1",), "minmax"),
])  # fmt: skip
def test_and_the_name_tells_what_is_indexed(version, name, columns, index):
    assert names.parse_index_column(version, name) == (columns, index)


@pytest.mark.parametrize("name", ["temp", "temp_minmax", "temp_minmax_5", "t#p_minmax_3", "_4", ""])
def test_what_is_no_index_column_of_version_4_is_said_to_be_none(name):
    with pytest.raises(UsageError, match="index column|escaped"):
        names.parse_index_column(4, name)


column_names = st.text("abz_#.$0é\U0001f600", min_size=1, max_size=8)
index_names = st.text("abc_", min_size=1, max_size=6)


@given(st.lists(column_names, min_size=1, max_size=3), index_names)
def test_from_version_2_on_names_are_unambiguous(columns, index):
    name = names.index_column(4, columns, index)
    assert names.parse_index_column(4, name) == (tuple(columns), index)


IDENTIFIERS = [
    # an identifier in a file, the names of the store's objects, the table's path
    ("/data/t", ["/data/t/a.parquet"], "/data/t"),
    ("data/t", ["/data/t/a.parquet"], "/data/t"),
    ("bucket/t", ["bucket/t/a.parquet"], "bucket/t"),
    ("db.table", ["/warehouse/t/a.parquet"], "db.table"),
    ("no/such/folder", [], "no/such/folder"),
    ("/data/t", [], "/data/t"),
]


@pytest.mark.parametrize(("identifier", "objects", "path"), IDENTIFIERS)
def test_the_path_of_a_table_is_known_with_and_without_the_slash_of_its_identifier(identifier, objects, path):
    assert names.table_path(identifier, objects) == path
    assert names.same_identifier(identifier, names.stored_identifier(identifier))
    assert not names.same_identifier(identifier, f"{identifier}2") and not names.same_identifier(identifier, None)


@pytest.mark.parametrize("uri, identifier", [
    ("/data/lake/ds/", "/data/lake/ds"),
    ("s3a://bucket/x/y/", "/x/y"),
    ("file:///data/ds", "/data/ds"),
    ("file:/data/ds", "/data/ds"),
    ("/", "/"),
])  # fmt: skip
def test_a_table_is_called_by_its_path_alone(uri, identifier):
    assert names.table_identifier(uri) == identifier


def test_a_store_lies_where_xskipper_looks_for_it():
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert names.store_directory("abc") == digest


@pytest.mark.parametrize(
    ("name", "path", "modified"),
    [("/t/a.csv#1610990680000", "/t/a.csv", 1610990680000), ("/t/a#b.csv", "/t/a#b.csv", None)],
)
def test_an_object_is_a_path_at_a_time(name, path, modified):
    assert names.split_object_name(name) == (path, modified)
    if modified is not None:
        assert names.object_name(path, modified) == name
