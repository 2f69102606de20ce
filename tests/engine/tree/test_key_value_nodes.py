"""Key-value metadata: plain notes, descriptions of the schema, damage."""

import json

import pyarrow as pa
import pytest
from engine.check import forged
from made import parquet

import pqexplore
from pqexplore.engine.format.thrift import structs

ADDRESS = "key_value_metadata/0"


def with_pair(key, value):
    pair = structs.KeyValue(key=key, value=value)
    return forged.one_column([forged.page([1])], file={"key_value_metadata": [pair]})


def facts_of(node):
    return {fact.name: fact.value for fact in node.facts}


def test_a_plain_value_has_no_children():
    with pqexplore.open(with_pair("who", "x" * 3_000)) as file:
        node = file.node(ADDRESS)
        facts = facts_of(node)
        assert (node.kind, node.label, list(node.children)) == ("key_value", "who", [])
        assert facts["value"] == "x" * 2_000 + "… (3,000 characters)"
        assert facts["size"] == 3_000
        assert "content" not in facts


def test_an_arrow_schema_has_a_node_for_each_field():
    field = pa.field("t", pa.duration("s"), metadata={"unit": "seconds"})
    table = pa.table([pa.array([1], pa.duration("s"))], schema=pa.schema([field], {"by": "hand"}))
    with pqexplore.open(parquet(table)) as file:
        index = next(i for i, pair in enumerate(file.metadata.key_value_metadata) if pair.key == "ARROW:schema")
        node = file.node(f"key_value_metadata/{index}")
        assert facts_of(node)["content"] == "an Arrow schema of 1 fields"
        described = node.children[0]
        assert (described.label, described.address) == ("t: duration[s]", f"{node.address}/0")
        assert facts_of(described) == {"name": "t", "type": "duration[s]", "nullable": True, "unit": "seconds"}
        assert facts_of(file.node(f"{node.address}/metadata")) == {"by": "hand"}


SPARK = "org.apache.spark.sql.parquet.row.metadata"


def test_a_json_value_has_a_node_for_each_member():
    content = {"type": "struct", "fields": [{"name": "a", "type": "string"}]}
    with pqexplore.open(with_pair(SPARK, json.dumps(content))) as file:
        node = file.node(ADDRESS)
        facts = facts_of(node)
        assert facts["content"] == "a JSON object of 2 members"
        assert "'a' is string there" in facts["disagreement"]
        assert [child.label for child in node.children] == ['type: "struct"', "fields: a JSON list of 1 elements"]
        assert file.node(f"{ADDRESS}/1/0").label == "0 a: a JSON object of 2 members"
        assert file.node(f"{ADDRESS}/1/0/1").label == 'type: "string"'


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [(SPARK, "{", "is not valid JSON"), ("ARROW:schema", "?", "is not base64"), ("pandas", None, "has no value")],
)
def test_a_damaged_value_has_a_problem_fact(key, value, words):
    with pqexplore.open(with_pair(key, value)) as file:
        node = file.node(ADDRESS)
        assert words in facts_of(node)["problem"]
        assert list(node.children) == []


@pytest.mark.parametrize("value", ["{", "[" * 100_000, "{" + '"a":' * 10])
def test_a_value_that_only_begins_like_json_is_plain_text(value):
    with pqexplore.open(with_pair("mine", value)) as file:
        node = file.node(ADDRESS)
        assert list(node.children) == []
        assert "problem" not in facts_of(node)
