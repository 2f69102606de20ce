"""What each lens answers at places of small files, compared with `golden/`: sentence, table and picture.

All files are written by the project, so their bytes are the same with every version of other packages.
"""

import datetime
import decimal
import functools
import io
import struct
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from engine.check.violations import leftovers as planted
from golden import Answers, plain, same

import pqexplore
from pqexplore.engine.format.encryption.encryptor import counting_nonces
from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.engine.writer.samples import SAMPLES
from pqexplore.insight import across, places, wire
from pqexplore.insight.ask.question import Question
from pqexplore.insight.diff import second_file
from pqexplore.insight.lenses import LENSES, answer_of, applying, finish
from pqexplore.insight.lenses.group_differences import differences

GOLDEN = Path(__file__).parent / "golden"


def ours(made, **options):
    out = io.BytesIO()
    options = {"codec": "UNCOMPRESSED", "created_by": "golden version 1.0 (build 0)"} | options
    table = made if isinstance(made, pa.Table) else pa.table(made)
    pqexplore.write(table, out, pqexplore.WriteOptions(**options))
    return out.getvalue()


def points(*corners):
    return pa.array([struct.pack("<BIdd", 1, 1, x, y) for x, y in corners], pa.binary())


def shapes(*corners, **options):
    """Points, two in a row group."""
    columns = {"where": {"logical_type": "GEOMETRY", "encoding": "PLAIN"}}
    return ours({"where": points(*corners)}, row_group_rows=2, columns=columns, **options)


SURE = pa.schema([("tags", pa.list_(pa.string())), ("flat", pa.int32()), pa.field("sure", pa.int32(), nullable=False)])
TAGS = pa.table(
    {"tags": [["a", "b"], [], None, [None, "c"], ["d"]], "flat": [None, 1, 2, 3, 4], "sure": range(5)}, SURE
)
RUNS = ["entry 3"] * 100 + [f"entry {i}" for i in range(8)] + ["entry 5"] * 50
GROUPS = {"n": range(40), "city": np.repeat(["Bergen", "Lima", "Oslo", "Rome"], 10), "gap": [None] * 10 + [*range(30)]}
RANGES = {
    "up": range(8),
    "down": range(8, 0, -1),
    "same": [1, 9] * 4,
    "near": [0, 10, 5, 15, 40, 50, 45, 50],
    "nulls": [None] * 7 + [1],
}
INT32, PLAIN = planted.section(Type.INT32, Encoding.PLAIN), {"encoding": "PLAIN"}
STRINGS = planted.section(Type.BYTE_ARRAY, Encoding.DELTA_LENGTH_BYTE_ARRAY)
EXTRA = planted.EXTRA
LOCKED = pa.table({"open": [1, 2], "secret": ["x", "y"], "shared": [True, None]})
KEYS = {"footer_key": b"0123456789012345", "column_keys": {"secret": b"1234567890123450"}}
NAMES = {"": b"the footer's key", "secret": b"the key of column secret"}


def locked(**options):
    keys = KEYS | {"column_keys": KEYS["column_keys"] | {"shared": None}}
    made = pqexplore.Encryption(**keys, key_metadata=NAMES, file_unique=b"golden..", nonces=counting_nonces, **options)
    return ours(LOCKED, encryption=made)


FILES = {
    "tags": lambda: ours(TAGS),
    "tags in two row groups": lambda: ours(TAGS, row_group_rows=3, page_rows=2),
    "no rows": lambda: ours(TAGS.slice(0, 0)),
    "runs": lambda: ours({"n": RUNS}, page_version=2),
    "many groups": lambda: ours({"n": [f"v{i % 8}" for i in range(2_112)]}, page_version=2),
    "differences": lambda: ours({"n": pa.array([100, 107, 117, 120, 121, 200])}, encoding="DELTA_BINARY_PACKED"),
    "prefixes": lambda: ours({"n": ["sensor-001", "sensor-002", "sensor-0021", "x"]}, encoding="DELTA_BYTE_ARRAY"),
    "lengths": lambda: ours({"n": [f"w{i:03}" for i in range(9)]}, encoding="DELTA_LENGTH_BYTE_ARRAY"),
    "plain": lambda: ours({"text": ["abc", "", "de"], "number": [-6.5, 1, None], "nulls": pa.nulls(3, pa.int64())}, **PLAIN),
    "planes": lambda: ours({"n": pa.array([1, 2, 258], pa.int32())}, encoding="BYTE_STREAM_SPLIT"),
    "groups": lambda: ours(GROUPS, row_group_rows=10, page_rows=5),
    "ranges": lambda: ours(RANGES, row_group_rows=2),
    "pages": lambda: ours(RANGES, page_rows=2, **PLAIN),
    "one row group": lambda: ours(RANGES),
    "no statistics": lambda: ours({"n": range(4)}, row_group_rows=2, statistics=(), column_index=False, offset_index=False),
    "offsets only": lambda: ours({"n": range(4)}, page_rows=2, column_index=False),
    "words": lambda: ours({"word": ["a"] * 50 + ["bb"] * 30 + ["ccc"] * 20}),
    "distinct": lambda: ours({"n": range(100)}),
    "filters": lambda: ours({"n": range(9)}, bloom_filter=True, bloom_filter_bytes=64),
    "points": lambda: shapes((0, 0), (1, 1), (9, 9), (10, 9), (20, -5), (21, -4)),
    "points in the same places": lambda: shapes(*[(0, 0), (9, 9)] * 3),
    "points of a plane": lambda: shapes((500_000, 4_000_000), (500_010, 4_000_010)),
    "points without boxes": lambda: shapes((1, 2), geospatial_statistics=False),
    "times": lambda: ours({"utc": pa.array([0, 7], pa.timestamp("us", "UTC")), "local": pa.array([0, 7], pa.timestamp("us")), "date": [datetime.date(2024, 5, 6)] * 2}),
    "values left over": lambda: planted.values(INT32 + EXTRA),
    "strings left over": lambda: planted.values(STRINGS + EXTRA, Type.BYTE_ARRAY, Encoding.DELTA_LENGTH_BYTE_ARRAY),
    "levels left over": lambda: planted.optional(planted.RUNS + b"x"),
    "levels that nobody needs": lambda: planted.needless(EXTRA),
    "nulls left over": lambda: planted.only_nulls(b"\1"),
    "entries left over": lambda: planted.entries_of_strings(EXTRA),
    "notes": lambda: ours(TAGS, key_value_metadata={"short": "1", "long": "x" * 50, "own": '[1, {"a": 2}]', "geo": '{"version"', "lines": "a\nb"}),
    "decimals": lambda: ours({"d": pa.array([decimal.Decimal("100.00"), decimal.Decimal("-1.25")], pa.decimal128(9, 2)), "id": pa.array([b"0" * 16, b"1" * 16], pa.binary(16))}, sorting_columns=[("d", True, True)], bloom_filter=True, bloom_filter_bytes=32),
    "locked": locked,
    "locked under CTR": lambda: locked(algorithm="AES_GCM_CTR_V1", plaintext_footer=True),
    "between vectors": lambda: planted.spaced_vectors(b"gap"),
}  # fmt: skip


@functools.cache
def opened(name):
    """A file of FILES, or a sample with its keys; one of them `without keys`."""
    known = name.removesuffix(" without keys")
    if known in FILES:
        data, keys = FILES[known](), KEYS if known.startswith("locked") else None
    else:
        SAMPLES[known].write(out := io.BytesIO())
        data, keys = out.getvalue(), SAMPLES[known].keys
    return pqexplore.open(data, decryption=pqexplore.Decryption(**keys) if keys and known == name else None)


def chunk(column, below="", group=0):
    return f"row_groups/{group}/columns/{column}{below}"


HEADER, SECRET, LEFT = chunk(0, "/pages/0/header"), chunk(1), f"{planted.PAGE}/values"

PLACES = {
    # lens: the file | where in it | the condition, if it is asked one
    "nesting": [*(("tags", chunk(i)) for i in range(3)), ("tags", chunk(0, "/pages/0")),
        ("tags", chunk(0, "/pages/1/values/2")), ("tags", chunk(1, "/pages/1/definition_levels/3")),
        ("tags in two row groups", "schema/3"), ("no rows", "schema/3"),
        *(("nested", chunk(i, "/pages/0")) for i in range(6))],
    "encoding": [
        ("runs", chunk(0, "/pages/1/values")), ("runs", chunk(0, "/pages/1/values/104")), ("runs", chunk(0, "/pages/1/values/5")), ("runs", chunk(0, "/pages/1/definition_levels")),
        ("many groups", chunk(0, "/pages/1/values/10")), ("differences", chunk(0, "/pages/0/values/3")), ("prefixes", chunk(0, "/pages/0/values/2")),
        *(("plain", chunk(0, f"/pages/0/{at}")) for at in ("values", "values/2", "definition_levels")),
        ("plain", chunk(1, "/pages/0/values/0")), ("plain", chunk(2, "/pages/0/values")), ("planes", chunk(0, "/pages/0/values/2")),
        ("values left over", LEFT), ("values left over", f"{LEFT}/leftover_12"), ("strings left over", LEFT),
        ("levels left over", f"{planted.PAGE}/definition_levels"), ("levels that nobody needs", f"{planted.PAGE}/repetition_levels"),
        ("nulls left over", f"{planted.SECOND}/values"), ("entries left over", LEFT), ("between vectors", LEFT),
    ],
    "page": [("tags", chunk(0, "/pages/1")), ("tags", chunk(0, "/pages/0")), ("tags", chunk(0, "/pages/1/values/2")),
        ("tags", chunk(0, "/pages/1/definition_levels/2")), ("tags", chunk(0, "/pages/1/repetition_levels/1")),
        ("tags", chunk(2, "/pages/1")), ("times", chunk(0, "/pages/1/values/1")),
        ("times", chunk(1, "/pages/1/values/1")), ("plain", chunk(2, "/pages/0")), ("values left over", planted.PAGE)],
    "value": [("tags", chunk(0, "/pages/1/values/2")),
        *(("tags", chunk(0, f"/pages/1/definition_levels/{i}")) for i in (2, 3)),
        ("tags", chunk(0, "/pages/0/values/1")), ("runs", chunk(0, "/pages/1/values/50")),
        ("plain", chunk(0, "/pages/0/values/1")), ("locked", chunk(1, "/pages/1/values/1")),
        ("times", chunk(0, "/pages/1/values/1"))],
    "thrift": [("tags", HEADER), ("tags", f"{HEADER}/dictionary_page_header"), ("tags", "footer/schema"),
        ("tags", "footer/num_rows"), ("tags", "footer/schema/3/logicalType"), ("tags", chunk(0, "/metadata"))],
    "query": [
        *(("groups", "", where) for where in ("", "n < 10", "n = 17 AND city = 'Lima'", "gap IS NULL", "prize > 3", "n >")), ("groups", "row_groups/3", "n < 10"),
        ("groups", "row_groups/0", "n < 5"), ("groups", chunk(2, group=1), ""), ("filters", "", ""), ("filters", "", "n = 100"), ("tags", "", ""),
    ],
    "schema": [("tags", "schema"), *(("tags", f"schema/{i}") for i in range(6)), *(("times", f"schema/{i}") for i in range(1, 4)), ("legacy-lists", "schema"), ("variant", "schema")],
    "statistics": [
        *(("ranges", f"schema/{i}") for i in range(1, 6)), ("one row group", "schema/1"), ("no statistics", "schema/1"), ("pages", chunk(0)), ("pages", chunk(4)), ("ranges", chunk(0, group=1)), ("groups", "schema/2"),
        ("tags", chunk(0)), ("truncated-statistics", chunk(0)), ("int96-order", chunk(0)), ("int96-order", chunk(1)), ("float-order", chunk(0)), ("float-order", chunk(4)),
        ("locked under CTR without keys", SECRET), ("no rows", "schema/3"),
    ],
    "page_index": [*(("pages", chunk(i)) for i in range(5)), ("no statistics", chunk(0)), ("offsets only", chunk(0)), ("pages", chunk(0, "/offset_index")), ("pages", chunk(0, "/column_index")), ("tags", chunk(0))],
    "column": [*(("ranges", f"schema/{i}") for i in range(1, 6)), ("ranges", chunk(0, group=1)), ("tags", chunk(0)), ("no rows", "schema/3"), ("no statistics", "schema/1"), ("distinct", "schema/1")],
    "compare": [*(("ranges", f"schema/{i}") for i in range(1, 6)), ("ranges", chunk(0, group=1)), ("one row group", "schema/1"), ("no statistics", "schema/1")],
    "contents": [("ranges", "row_groups"), ("one row group", "row_groups"), ("tags in two row groups", "row_groups"), ("tags", "footer"), ("notes", "key_value_metadata")],
    "row_group": [("ranges", "row_groups/1"), ("one row group", "row_groups/0"), ("tags in two row groups", "row_groups/1")],
    "dictionary": [("words", chunk(0)), ("distinct", chunk(0)), ("tags in two row groups", chunk(0)), ("plain", chunk(0)), ("differences", chunk(0)), ("words", chunk(0, "/pages/0"))],
    "bloom": [("filters", chunk(0)), ("filters", chunk(0, "/bloom_filter/bitset/1")), ("filters", chunk(0, "/bloom_filter/header")), ("tags", chunk(0)), ("plain", chunk(0))],
    "geospatial": [*((one, "schema/1") for one in ("points", "points in the same places", "points of a plane", "points without boxes")), ("points", chunk(0, group=1)), ("points", chunk(0, "/pages/0/values/1")), ("geometry", chunk(0)), ("geometry", chunk(1)), ("geometry", chunk(1, "/pages/0/values/0")), ("geography", chunk(0))],
    "encryption": [("locked", ""), ("locked without keys", ""), ("locked", f"{SECRET}/pages/1/body"),
        ("locked under CTR", SECRET), ("locked under CTR without keys", f"{SECRET}/modules/3/ciphertext"),
        ("locked under CTR without keys", "footer_signature"), ("locked under CTR", "footer_signature"),
        ("locked", chunk(0)), ("tags", "")],
    "variant": [("variant", chunk(1, "/pages/1/values/22")), ("variant-shredded", chunk(0, "/pages/1/values/3"))],
    "layout": [("tags", ""), ("tags", "row_groups/0"), ("tags", chunk(0)), ("tags", chunk(0, "/pages/1")), ("tags", "magic"), ("ranges", "row_groups/2"), ("no rows", ""), ("locked without keys", ""), ("filters", chunk(0, "/bloom_filter"))],
    "overview": [("tags in two row groups", ""), ("no rows", ""), ("locked", ""), ("locked without keys", ""), ("locked under CTR without keys", "")],
    "rows": [("tags", ""), ("tags in two row groups", "row_groups/1"), ("ranges", ""), ("no rows", "")],
}  # fmt: skip


@pytest.mark.parametrize("lens", PLACES)
def test_what_a_lens_answers(lens):
    answers = Answers()
    for name, address, *where in PLACES[lens]:
        file = opened(name)
        question = Question.of(where[0], "format") if any(where) else None
        found = finish(answer_of(file, file.node(address), LENSES[lens], question))
        answers.add(", ".join([name, address or "the file", *where]), found)
    same(GOLDEN / f"{lens}.txt", str(answers))


ACROSS = [
    # file, place, lens: one table over many column chunks, or all that a page or a column chunk has
    *(("tags in two row groups", "", lens) for lens in ("statistics", "page", "encoding", "dictionary", "page_index", "bloom", "levels", "column", "compare")),
    ("tags in two row groups", "row_groups/1", "nesting"), ("tags in two row groups", "schema/1", "statistics"), ("tags in two row groups", "row_groups/1", "rows"),
    ("ranges", "", "statistics"), ("no statistics", "", "statistics"), ("filters", "", "bloom"), ("points", "", "statistics"), ("points", "", "geospatial"),
    ("differences", chunk(0, "/pages/0"), "encoding"), ("prefixes", "", "encoding"), ("prefixes", chunk(0, "/pages/0"), "encoding"),
    ("lengths", "", "encoding"), ("lengths", chunk(0, "/pages/0"), "encoding"), ("tags", chunk(0, "/pages/1"), "page"), ("pages", chunk(4), "page"), ("pages", chunk(1), "page"),
    ("tags", "rows/3", "rows"), ("no rows", "", "statistics"), ("points", "", "rows"), ("geometry", "", "statistics"), ("locked under CTR without keys", "", "statistics"),
]  # fmt: skip


def test_what_is_said_of_many_column_chunks():
    answers = Answers()
    for name, at, lens in ACROSS:
        file = opened(name)
        answers.add(f"{lens}: {name}, {at or 'the file'}", across.answer(file, places.resolve(file, at), lens))
    same(GOLDEN / "across.txt", str(answers))


DIFFERENT = pa.table({"up": range(8), "same": pa.array([1, 9] * 4, pa.int32()), "new": ["x"] * 8})
DIFF = (
    "",
    "schema/0",
    "schema/1",
    "schema/2",
    "schema/3",
    "row_groups/1",
    chunk(0),
    chunk(2, group=1),
    chunk(0, "/pages/0"),
)


def test_what_differs_from_a_second_file():
    """At each place of a file of four row groups, compared with one of two and with itself; by values, too."""
    answers, lens = Answers(), LENSES["diff"]
    with pqexplore.open(FILES["ranges"]()) as one, pqexplore.open(ours(DIFFERENT, row_group_rows=4)) as two:
        with second_file.compared_with(two):
            for at in DIFF:
                answers.add(at or "the file", finish(answer_of(one, one.node(at), lens)))
            finish(lens.operations["diff_values"](one))
            answers.add("the values", finish(answer_of(one, one.root, lens)))
        with second_file.compared_with(one):
            answers.add("the same file", finish(answer_of(one, one.root, lens)))
    same(GOLDEN / "diff.txt", str(answers))


@pytest.mark.parametrize("name", ["ranges", "tags in two row groups", "no statistics", "groups"])
def test_what_differs_between_row_groups(name):
    same(GOLDEN / f"differences-{name.replace(' ', '-')}.txt", plain(wire.encode(differences(opened(name)))) + "\n")


APPLYING = ("everything", "nested", "geometry", "variant", "bloom-filter", "page-index", "locked")


def kinds(node, seen):
    """The first node of each kind, for each kind of the node above it."""
    below = [node.children[i] for i in range(min(len(node.children), 12))]
    for child in below:
        if (node.kind, child.kind) not in seen:
            seen[node.kind, child.kind] = child
            kinds(child, seen)
    return seen


def test_where_each_lens_applies():
    """The lenses of a node, the first to open first."""
    lines = []
    for name in APPLYING:
        file = opened(name)
        for node in [file.root, *kinds(file.root, {}).values()]:
            lines.append(f"{name}: {node.address or 'the file'}: {', '.join(lens.name for lens in applying(node))}\n")
    same(GOLDEN / "applying.txt", "".join(lines))
