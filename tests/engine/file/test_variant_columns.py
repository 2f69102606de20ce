"""Variants in files: read, reached by path, taken apart in the tree, and checked."""

import pyarrow as pa
import pytest
from made import ours, parquet, rebuilt

import pqexplore
from pqexplore.engine.errors import CorruptFileError, LimitExceededError, UsageError
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.variant import metadata
from pqexplore.engine.format.variant.decode import decode_array
from pqexplore.engine.format.variant.encode import encode, encode_array
from pqexplore.engine.format.variant.shred import shred
from pqexplore.engine.format.variant.shredding import UNSHREDDED
from pqexplore.engine.writer.options import WriteOptions

VALUES = [
    {"kind": "click", "at": {"x": 1, "y": 2}, "tags": ["a", "b"]},
    {"kind": "view", "at": {"x": 3, "extra": True}, "more": 1},
    {"kind": 5, "at": "nowhere", "tags": ["c", 7]},
    None,
    "text",
    [1, 2, 3],
    {},
]
SCHEMA = pa.struct(
    [("kind", pa.string()), ("at", pa.struct([("x", pa.int64()), ("y", pa.int64())])), ("tags", pa.list_(pa.string()))]
)


def unchecked(column):
    """A file with one Variant `v`, annotated afterwards: the writer does not write what breaks the rules."""
    data = ours(pa.table({"v": column}))
    annotation = structs.LogicalType(VARIANT=structs.VariantType())
    return pqexplore.open(rebuilt(data, schema__1__logicalType=annotation))


def file_of(arrays, *, annotated=True, limits=None, **options):
    """A file with these columns; Variants (by name `v`) with or without their annotation."""
    chosen = {"v": {"logical_type": "VARIANT"}} if annotated else {}
    return pqexplore.open(ours(pa.table(arrays), WriteOptions(columns=chosen, **options)), limits=limits)


def shredded(values=VALUES, schema=SCHEMA):
    return shred(encode_array(values), schema)


def group(**fields):
    kinds = {"metadata": pa.binary(), "value": pa.binary()}
    return pa.struct(
        [
            pa.field(name, kinds.get(name) or fields[name], nullable=name != "metadata")
            for name in ("metadata", "value", *fields)
        ]
    )


def rules(file):
    return [
        (f.rule.removeprefix("variant-"), f.severity.level, f.evidence["row"], f.evidence["path"])
        for f in file.check()
        if f.rule.startswith("variant-")
    ]


# ---- read


@pytest.mark.parametrize("rows", [100, 3])
def test_read_gives_metadata_and_value_for_every_shredding(rows):
    with file_of({"v": shredded()}, row_group_rows=rows) as file:
        column = file.read()["v"]
        assert column.type == UNSHREDDED
        assert decode_array(column.combine_chunks()) == VALUES
        assert rules(file) == []


def test_a_variant_group_without_annotation_is_read_as_a_struct():
    with file_of({"v": shredded()}, annotated=False) as file:
        assert pa.types.is_struct(file.read()["v"].type.field("typed_value").type)
        (note,) = [f for f in file.check() if f.rule == "possible-variant"]
        assert (note.severity.level, note.address) == ("note", "schema/1")
        facts = {fact.name: fact.value for fact in file.node("schema/1").facts}
        assert facts["shape"] == "perhaps a Variant"
        assert decode_array(file.variant_get("v").combine_chunks()) == VALUES


def test_a_variant_deeper_than_the_limit_raises():
    deep = "x"
    for _ in range(20):
        deep = [deep]
    limits = pqexplore.Limits(variant_depth=10)
    with file_of({"v": encode_array([deep])}, limits=limits) as file:
        assert len(file.read()) == 1  # passed on, not looked into
        with pytest.raises(LimitExceededError, match="variant_depth"):
            file.variant_get("v", "$", pa.string())
        assert [rule for rule, *_ in rules(file)] == ["not-checked"]


# ---- variant_get


@pytest.mark.parametrize("annotated", [True, False])
@pytest.mark.parametrize(
    ("path", "kind", "expected"),
    [
        ("$.kind", pa.string(), ["click", "view", "5", None, None, None, None]),
        ("$.at.x", pa.int64(), [1, 3, None, None, None, None, None]),
        ("$.at.extra", pa.bool_(), [None, True, None, None, None, None, None]),
        ("$.tags[1]", pa.string(), ["b", None, "7", None, None, None, None]),
        ("$.more", pa.int32(), [None, 1, None, None, None, None, None]),
        ("$[2]", pa.int8(), [None, None, None, None, None, 3, None]),
        ("$.none", pa.int8(), [None] * 7),
    ],
)
def test_variant_get(path, kind, expected, annotated):
    with file_of({"v": shredded()}, annotated=annotated, row_group_rows=4) as file:
        found = file.variant_get("v", path, kind)
        assert found.to_pylist() == expected
        assert found.type == kind
        assert file.variant_get("v", path, kind, row_groups=[1]).to_pylist() == expected[4:]


def test_variant_get_reads_only_the_columns_it_needs():
    values = [{"kind": f"k{n}", "at": {"x": n, "y": -n}, "tags": ["a"] * 20} for n in range(3000)]
    table = pa.table({"v": shredded(values)})
    with pqexplore.open(ours(table, WriteOptions(columns={"v": {"logical_type": "VARIANT"}}))) as file:
        wanted = {
            ("v", "typed_value", "at", "typed_value", "x", "value"),
            ("v", "typed_value", "at", "typed_value", "x", "typed_value"),
        }
        needed = sum(len(chunk.span) for chunk in file.chunks() if chunk.leaf.path in wanted)
        before = file.bytes_read
        assert file.variant_get("v", "$.at.x", pa.int64()).to_pylist() == list(range(3000))
        assert file.bytes_read - before < needed + 300 * len(wanted)  # a header is guessed at
        assert file.size > 2 * needed


def test_variant_get_inside_structs():
    array = pa.StructArray.from_arrays(
        [shredded()], ["inner"], mask=pa.array([False, True, False, False, False, False, True])
    )
    with file_of({"s": array}, annotated=False) as file:
        found = file.variant_get("s.inner", "$.kind", pa.string())
        assert found.to_pylist() == ["click", None, "5", None, None, None, None]


@pytest.mark.parametrize(
    ("column", "path", "problem"),
    [
        ("none", "$", "no column"),
        ("id", "$", "is no Variant"),
        ("v", "kind", "starts with"),
        ("list.list.element", "$", "lies in a list"),
    ],
)
def test_variant_get_refuses(column, path, problem):
    lists = pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), encode_array([1]))
    arrays = {"v": encode_array([1]), "id": pa.array([1]), "list": lists}
    with file_of(arrays) as file, pytest.raises(UsageError, match=problem):
        file.variant_get(column, path)


def test_variant_get_of_another_type_is_null_and_raises_with_strict():
    with file_of({"v": encode_array(["x", 1])}) as file:
        assert file.variant_get("v", "$", pa.int64()).to_pylist() == [None, 1]
        with pytest.raises(UsageError, match="row 0"):
            file.variant_get("v", "$", pa.int64(), strict=True)


def test_variant_get_of_a_file_without_rows_is_empty():
    with file_of({"v": shredded([])}) as file:
        assert file.variant_get("v", "$.kind", pa.string()).to_pylist() == []
        assert file.variant_get("v").type == UNSHREDDED


# ---- the tree


def labels(node):
    return [child.kind.removeprefix("variant_") for child in node.children]


ENCODINGS = ["PLAIN", None, "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("codec", ["UNCOMPRESSED", "ZSTD"])
def test_a_variant_value_has_nodes_for_its_parts(encoding, codec):
    values = [{"a": 1, "b": ["x", None]}, {"a": 2}]
    with file_of({"v": encode_array(values)}, encoding=encoding, codec=codec) as file:
        for column, parts in (
            (0, ["header", "dictionary_size", "offsets", "strings"]),
            (1, ["header", "num_elements", "field_ids", "field_offsets", "values"]),
        ):
            chunk = file.row_groups[0].columns[column]
            page = next(page for page in chunk.pages if page.is_data)
            node = file.node(f"{page.address}/values/0")
            assert labels(node) == parts
            spans = [child.span for child in node.children]
            assert [s.start for s in spans[1:]] == [s.end for s in spans[:-1]]
            assert b"".join(map(file.bytes, spans)) == page.physical[0].as_py()
        facts = {fact.name: fact.value for fact in node.facts}
        assert facts["JSON"] == '{"a":1,"b":["x",null]}'
        first = node.children[-1].children[0]
        assert [fact.value for fact in first.facts if fact.name == "name"] == ["a"]
        assert file.node(first.address).span == first.span
        names = next(fact for fact in node.facts if fact.name == "metadata")
        assert file.node(names.address).kind == "value"


def test_a_shredded_value_finds_the_metadata_of_its_own_row():
    """Lists make entries of the value column more than those of the metadata; nulls make its values fewer."""
    rows = []
    for n in range(40):
        odd = [{f"name{n}": n}] if n % 3 == 0 else []
        rows.append(None if n % 7 == 0 else {"tags": ["t"] * (n % 4) + odd, f"other{n}": n})
    with file_of({"v": shredded(rows, pa.struct([("tags", pa.list_(pa.string()))]))}, page_rows=9) as file:
        chunk = next(
            c for c in file.chunks() if c.leaf.path[-1] == "value" and "tags" in c.leaf.path
            and c.leaf.max_repetition_level
        )  # fmt: skip
        found = []
        for page in chunk.pages:
            if page.is_data:
                for index in range(len(page.physical)):
                    node = file.node(f"{page.address}/values/{index}")
                    found += [f.value for f in node.facts if f.name == "JSON"]
        expected = [f'{{"name{n}":{n}}}' for n in range(40) if n % 3 == 0 and n % 7]
        assert found == expected


def test_an_entry_of_a_dictionary_has_no_row():
    with file_of({"v": encode_array([{"a": 1}, {"a": 1}])}) as file:
        node = file.node("row_groups/0/columns/1/pages/0/values/0")
        assert labels(node) == ["header", "num_elements", "field_ids", "field_offsets", "values"]
        facts = {fact.name: fact.value for fact in node.facts}
        assert facts["names"] == "not known here"
        assert node.state == "ok"


def test_without_the_annotation_the_parts_are_one_level_down():
    with file_of({"v": encode_array([{"a": 1}])}, annotated=False, encoding="PLAIN") as file:
        node = file.node("row_groups/0/columns/1/pages/0/values/0")
        assert [child.kind for child in node.children] == ["possible_variant"]
        assert labels(node.children[0])[0] == "header"
        assert "JSON" not in [fact.name for fact in node.facts]
        assert file.node(f"{node.address}/as_variant/header").span is not None


def test_damaged_variant_bytes_have_nodes_up_to_the_damage():
    column = pa.array([{"metadata": b"\x01\x00\x00", "value": b"\x02\x05"}], group())
    with file_of({"v": column}, encoding="PLAIN") as file:
        node = file.node("row_groups/0/columns/1/pages/0/values/0")
        facts = {fact.name: fact.value for fact in node.facts}
        assert "problem" in facts
        assert labels(node)[0] == "header"
        assert b"".join(file.bytes(child.span) for child in node.children) == b"\x02\x05"


def test_other_columns_called_value_are_left_alone():
    table = pa.table({"m": pa.array([[(b"k", b"v")]], pa.map_(pa.binary(), pa.binary()))})
    with pqexplore.open(parquet(table)) as file:
        node = file.node("row_groups/0/columns/1/pages/0/values/0")
        assert list(node.children) == []


# ---- check: the tables of "Value Shredding" and "Objects" as they lie in a file

KNOWN = metadata.encode(["a", "b"])


def cell(value, typed):
    encoded = None if value is ... else encode(value, KNOWN)[1]
    return {"metadata": KNOWN, "value": encoded, "typed_value": typed}


def pair(kind):
    return pa.struct([pa.field("value", pa.binary()), pa.field("typed_value", kind)])


OBJECT = pa.struct([pa.field("a", pair(pa.int64()), nullable=False)])
ONE = {"a": {"value": None, "typed_value": 1}}


def test_a_cell_with_both_is_refused_at_its_column():
    with unchecked(pa.array([cell("x", 7)], group(typed_value=pa.int64()))) as file:
        with pytest.raises(CorruptFileError, match="row 0: .* both a value and a typed_value") as raised:
            file.read()
        assert raised.value.address.startswith("row_groups/0/columns/")


def test_a_finding_names_rule_row_path_and_column():
    rows = [cell(..., ONE), cell({"a": 9}, ONE)]
    with unchecked(pa.array(rows, group(typed_value=OBJECT))) as file:
        (found,) = [f for f in file.check() if f.rule.startswith("variant-")]
    assert found.rule == "variant-shredded-field-in-value"
    assert found.message.startswith("in row 1 of the Variant `v`, at $.a, the field 'a' is shredded and stands in")
    assert found.address == "row_groups/0/columns/2"  # v.typed_value.a.value
    assert "must never contain fields represented by the Parquet columns" in found.specification


def test_findings_are_bounded():
    rows = [cell(..., None)] * 500
    with unchecked(pa.array(rows, group(typed_value=pa.int64()))) as file:
        found = [f.rule for f in file.check()]
    assert found.count("variant-missing") <= 100
    assert "variant-more" in found


def test_variants_in_lists_are_checked_too():
    inner = pa.array([cell(..., 1), cell("x", 2)], group(typed_value=pa.int64()))
    lists = pa.ListArray.from_arrays(pa.array([0, 0, 2], pa.int32()), inner)
    data = ours(pa.table({"l": lists}))
    annotation = structs.LogicalType(VARIANT=structs.VariantType())
    with pqexplore.open(rebuilt(data, schema__3__logicalType=annotation)) as file:
        assert rules(file) == [("value-and-typed-value", "error", 1, "$")]
