"""The Spark schema in a store's footers: every version's spelling, and what is wrong with it."""

import json

import pytest
from lake.metadatastore.datasets import BLOOM, LEGACY_BLOOM, column, minmax, value_list

from pqexplore.engine.errors import CorruptFileError
from pqexplore.lake.metadatastore import store_schema


def parsed(*columns):
    return store_schema.parse(json.dumps({"type": "struct", "fields": columns}))


LIST = ["spark.ibm.metaindex.index.bloom.fpp:0.01", "spark.ibm.metaindex.index.bloom.ndv:500"]
MAP = {"io.xskipper.index.bloom.ndv": "500", "io.xskipper.index.bloom.fpp": "0.01"}


@pytest.mark.parametrize("version, name, kind, params", [
    (1, "l_bloomfilter", LEGACY_BLOOM, LIST),
    (2, "l_bloomfilter_1", LEGACY_BLOOM, LIST),
    (3, "l_bloomfilter_1", BLOOM, MAP),
    (4, "l_bloomfilter_1", BLOOM, MAP),
])  # fmt: skip
def test_parameters_are_a_list_or_a_map_under_either_prefix(version, name, kind, params):
    index = {"name": "bloomfilter", "cols": ["l"], "params": params}
    found = parsed(column("obj_name", version=version, tableIdentifier="/t"), column(name, kind, index=index))
    assert (found.version, found.table_identifier) == (version, "/t")
    [bloom] = found.indexes
    assert (bloom.fpp, bloom.ndv, bloom.readable) == (0.01, 500, True)
    assert bloom.value_type is None


@pytest.mark.parametrize(
    ("version", "status"),
    [(None, "values opaque"), (0, "values opaque"), (1, "deprecated"), (2, "deprecated")]
    + [(3, "deprecated"), (4, "current"), (5, "too new"), (99, "too new")],
)
def test_the_version_says_what_can_be_done(version, status):
    notes = {} if version is None else {"version": version}
    found = parsed(column("obj_name", **notes), column("t_minmax", "binary", index={"name": "minmax", "cols": ["t"]}))
    assert found.status == status
    assert found.status in store_schema.STATUSES
    assert found.version == (version or 0)


def test_in_synthetic_version_0_the_table_is_named_in_the_index():
    index = {"name": "minmax", "cols": ["a", "b"], "tableIdentifier": "bucket/t", "params": ["k:v:w"]}
    found = parsed(column("obj_name"), column("a:b_minmax", "binary", index=index))
    assert found.table_identifier == "bucket/t"
    assert found.indexes[0].columns == ("a", "b")
    assert found.indexes[0].params == {"k": "v:w"}
    assert not found.indexes[0].readable


def test_partition_columns_are_known_from_version_4_on():
    columns = [column("virtual_Year", "integer"), column("other", "string")]
    new = parsed(column("obj_name", version=4), *columns)
    assert [(one.name, one.column, one.type) for one in new.partitions] == [("Year", "virtual_Year", "integer")]
    assert new.others == ("other",)
    old = parsed(column("obj_name", version=3), *columns)
    assert (old.partitions, old.others) == ((), ("virtual_Year", "other"))


def test_encryption_is_labels_by_column():
    note = {
        "encryption.footer.key": "k1",
        "encryption.column.keys": "k2:i_minmax_1.min,i_minmax_1.max;k1:obj_name",
        "encryption.plaintext.footer": "true",
    }
    found = parsed(column("obj_name", version=4, encryption=note)).encryption
    assert found.footer_key == "k1"
    assert found.column_keys == {"k2": ("i_minmax_1.min", "i_minmax_1.max"), "k1": ("obj_name",)}
    assert found.plaintext_footer


@pytest.mark.parametrize("name, kind, value_type", [
    ("minmax", minmax("decimal(12,2)"), "decimal(12,2)"),
    ("valuelist", value_list("date"), "date"),
    ("minmax", "binary", None),
    ("valuelist", {"type": "array", "elementType": {"type": "struct"}}, None),
    ("minmax", {"type": "struct", "fields": [column("min", "long")]}, None),
])  # fmt: skip
def test_an_index_tells_the_type_of_its_values(name, kind, value_type):
    index = {"name": name, "cols": ["x"]}
    found = parsed(column("obj_name", version=4), column("x", kind, index=index)).indexes[0]
    assert found.value_type == value_type
    assert found.readable is (value_type is not None)


WRONG = {
    "no JSON": "{",
    "no object": "[]",
    "no fields": "{}",
    "a field without a name": '{"fields": [{"type": "string"}]}',
    "metadata that is none": '{"fields": [{"name": "obj_name", "metadata": 5}]}',
    "no obj_name": '{"fields": []}',
    "a version in words": '{"fields": [{"name": "obj_name", "metadata": {"version": "four"}}]}',
    "a negative version": '{"fields": [{"name": "obj_name", "metadata": {"version": -1}}]}',
    "an index without a name": '{"fields": [{"name": "obj_name"}, {"name": "a", "metadata": {"index": {}}}]}',
    "cols that are none": '{"fields": [{"name": "obj_name"}, {"name": "a", "metadata": {"index": {"name": "x", "cols": "a"}}}]}',
    "params that are none": '{"fields": [{"name": "obj_name"}, {"name": "a", "metadata": {"index": {"name": "x", "cols": [], "params": [1]}}}]}',
    "encryption without a footer key": '{"fields": [{"name": "obj_name", "metadata": {"encryption": {}}}]}',
    "keys without a label": '{"fields": [{"name": "obj_name", "metadata": {"encryption": {"encryption.footer.key": "k", "encryption.column.keys": "x"}}}]}',
    "nesting without end": "[" * 100_000,
}


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said(text):
    with pytest.raises(CorruptFileError, match="is expected|not a metadatastore") as error:
        store_schema.parse(text)
    assert error.value.address == "footer/key_value_metadata"


def test_a_store_is_told_from_any_table_that_spark_wrote():
    store = {"fields": [column("obj_name", version=4)]}
    table = {"fields": [column("obj_name"), column("x")]}
    assert store_schema.is_store({store_schema.ROW_METADATA: json.dumps(store)})
    assert not store_schema.is_store({store_schema.ROW_METADATA: json.dumps(table)})
    assert not store_schema.is_store({})
    assert not any(
        store_schema.is_store({store_schema.ROW_METADATA: WRONG[kind]}) for kind in ("no JSON", "no obj_name")
    )


def test_what_is_made_reads_back():
    indexes = [
        store_schema.Index("minmax", ("nest.x",), "old", minmax("long"), {}, "k2"),
        store_schema.Index("bloomfilter", ("l",), "old", LEGACY_BLOOM, {"spark.ibm.metaindex.a": "1"}),
    ]
    partitions = [store_schema.Partition("Year", "virtual_Year", "integer")]
    made = store_schema.current_schema("t", indexes, partitions, footer_key="k1", plaintext_footer=True)
    assert store_schema.parse(store_schema.to_json(made)) == made
    with_a_slash = store_schema.current_schema("/t", indexes, partitions, footer_key="k1", plaintext_footer=True)
    assert store_schema.parse(store_schema.to_json(with_a_slash)) == made
    assert [index.column for index in made.indexes] == ["nest$#$x_minmax_8", "l_bloomfilter_1"]
    assert made.indexes[1].params == {"io.xskipper.a": "1"}
    assert made.indexes[1].type == BLOOM
    assert made.encryption.column_keys == {
        "k2": ("nest$#$x_minmax_8.min", "nest$#$x_minmax_8.max"),
        "k1": ("obj_name", "virtual_Year"),
    }
