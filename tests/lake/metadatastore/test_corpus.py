"""Stores that xskipper published or wrote: every version test, every upgrade, a store of 24 indexes, encrypted ones.

The published data are of versions 1 to 4. The upgrades are those that xskipper itself made of versions 1 to 3.
"""

import base64
import json
import shutil
from pathlib import Path

import duckdb
import pytest
from conftest import CORPUS

import pqexplore
from pqexplore.engine.errors import EncryptedFileError
from pqexplore.engine.format.encryption.keys import LocalKms
from pqexplore.lake import metadatastore
from pqexplore.lake.metadatastore import StoreKeys, names, store_schema, write
from pqexplore.lake.metadatastore.indexes import of_index

RESOURCES = CORPUS / "xskipper-io__xskipper/src/test/resources"
END_TO_END = RESOURCES / "parquet_version_tests/end_to_end"
UPGRADES = CORPUS / "xskipper-upgrades"
BUILT = CORPUS / "xskipper-v4-build"
CONFIG = RESOURCES / "test_config/ParquetVersionTests.json"


if not CONFIG.exists():
    pytest.skip("the corpus of foreign files is not beside the project", allow_module_level=True)


def version_tests():
    """(test, version) for each test in each version that it names."""
    return list(_version_tests())


def _version_tests():
    for entry in json.loads(CONFIG.read_text())["versionTests"]:
        test = entry["testDescription"]
        for version in range(test.get("minVersion", 1), test.get("maxVersion", 4) + 1):
            marks = () if version in (test.get("minVersion", 1), 4) else pytest.mark.full
            yield pytest.param(test, version, id=f"{test['testId']}-version {version}", marks=marks)


def test_the_version_tests_are_all_there():
    tests = [parameters.values[0] for parameters in version_tests()]
    assert len({test["name"] for test in tests}) == 22
    assert len({test["testId"] for test in tests}) == 21
    assert len(tests) == 84


def store_of(version, test):
    return metadatastore.open(END_TO_END / f"version={version}" / f"testID={test}")


def relative(store, found):
    """Names of objects, below the dataset and without times."""
    start = len(names.table_path(store.table_identifier, store.rows)) + 1
    return sorted(names.split_object_name(name)[0][start:] for name in found)


@pytest.mark.parametrize(("test", "version"), version_tests())
def test_mode_xskipper_skips_what_xskipper_expects(test, version):
    store = store_of(version, test["testId"])
    assert store.version == version
    found = store.evaluate(test["query"], mode="xskipper")
    assert relative(store, found.skipped) == sorted(test["expectedSkippedFiles"])
    indexed = {f"{index.name} {','.join(index.columns)}" for index in store.indexes}
    assert indexed == set(test["indexTypes"])
    for index in store.indexes:
        assert index.column == names.index_column(version, index.columns, index.name)
        assert names.parse_index_column(version, index.column) == (index.columns, index.name)


def rows_of(query: str, path: Path, partition: str) -> int:
    """How many rows of a CSV file the query's condition has, in DuckDB."""
    import sqlglot

    [duck] = sqlglot.transpile(query, read="spark", write="duckdb")
    columns = {"timestamp": "TIMESTAMPTZ", "temp": "DOUBLE", "date": "DATE"}
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        head = path.open().readline().strip()
        if not head:
            return 0
        given = {name: columns.get(name, "VARCHAR") for name in head.split(",")}
        listed = ", ".join(f"'{name}': '{kind}'" for name, kind in given.items())
        source = f"read_csv('{path}', header=true, columns={{{listed}}}, nullstr=['', 'Na'])"
        extra = f", DATE '{partition}' AS date" if partition else ""
        where = duck.partition(" WHERE ")[2]
        count = f"SELECT count(*) FROM (SELECT *{extra} FROM {source}) WHERE {where}"
        return connection.execute(count).fetchone()[0]


@pytest.mark.parametrize(("test", "version"), version_tests())
def test_mode_sound_loses_no_row(test, version):
    store = store_of(version, test["testId"])
    found = store.evaluate(test["query"])
    left_out = relative(store, (*found.skipped, *found.partition_pruned))
    files = sorted((RESOURCES / test["dataSetPath"]).rglob("*.csv"))
    assert len(files) >= len(store.objects) > 0
    matching = 0
    for path in files:
        name = str(path.relative_to(RESOURCES / test["dataSetPath"]))
        partition = name.partition("date=")[2].partition("/")[0]
        count = rows_of(test["query"], path, partition)
        matching += count
        assert not count or name not in left_out
    if test["testId"] != NOT_EQUAL:
        assert set(test["expectedSkippedFiles"]) <= set(left_out)
    assert bool(matching) is (test["testId"] != NO_ROWS)


NOT_EQUAL = 2
"""A test of `temp <> …`; the object that it skips has just these values, which bounds do not tell."""
NO_ROWS = 37
"""A test whose query has no rows in the published data."""


def upgrades():
    found = sorted(UPGRADES.glob("version=*/testID=*"))
    return [pytest.param(each, id=f"{each.parent.name} {each.name}") for each in found]


def row_metadata(store):
    with pqexplore.open(store.parts[0].path, decryption=store._decryption) as opened:
        return json.loads(opened.key_value_metadata[store_schema.ROW_METADATA])


def as_specified(metadata):
    """The metadata that xskipper wrote, but for what its specification has otherwise: see the last test."""
    first = metadata["fields"][0]
    notes = first["metadata"] | {"tableIdentifier": first["metadata"]["tableIdentifier"].removeprefix("/")}
    return metadata | {"fields": [first | {"nullable": False, "metadata": notes}, *metadata["fields"][1:]]}


def content(store):
    """All that a store says, in an order of its own; Bloom filters as bytes."""
    return sorted(
        (one.name, one.partition, {k: sorted(v) if isinstance(v, list) else v for k, v in one.values.items()})
        for one in store.objects
    )


def test_the_upgrades_are_all_there():
    assert len(upgrades()) == 63


@pytest.mark.parametrize("theirs", upgrades())
def test_an_upgrade_is_what_xskipper_makes_of_it(theirs, tmp_path):
    old = metadatastore.open(END_TO_END / theirs.parent.name / theirs.name)
    new = old.upgrade(tmp_path)
    upstream = metadatastore.open(theirs)
    assert Path(new.path).name == Path(upstream.path).name
    assert row_metadata(new) == as_specified(row_metadata(upstream))
    assert len(new.objects) == len(old.objects)
    assert content(new) == content(upstream)


MASTER_KEYS = {"k1": "AAECAwQFBgcICQoLDA0ODw==", "k2": "AAECAAECAAECAAECAAECAA=="}


@pytest.fixture(scope="module")
def kms():
    return LocalKms({label: base64.b64decode(key) for label, key in MASTER_KEYS.items()})


@pytest.fixture(scope="module")
def ds(tmp_path_factory):
    """The dataset of the built store, in a place of its own."""
    root = tmp_path_factory.mktemp("data") / "ds"
    shutil.copytree(BUILT / "ds", root)
    return root


def by_file(store):
    """What a store says, by the objects' paths below the dataset."""
    start = len(names.table_path(store.table_identifier, store.rows))
    return {
        one.path[start:]: (one.partition, {k: sorted(v) if isinstance(v, list) else v for k, v in one.values.items()})
        for one in store.objects
    }


@pytest.mark.parametrize("source", ["values", "footers"])
def test_a_store_of_24_indexes_is_built_as_xskipper_built_it(ds, tmp_path, source):
    theirs = metadatastore.open(BUILT / "md")
    assert len(theirs.indexes) == 24
    wanted = [of_index(index) for index in theirs.indexes]
    ours = metadatastore.build(None, ds, wanted, tmp_path, source=source)
    assert by_file(ours) == by_file(theirs)  # Bloom filters bit for bit
    made, upstream = row_metadata(ours), as_specified(row_metadata(theirs))
    assert upstream["fields"][0]["metadata"].pop("tableIdentifier") == "data/lake/ds"
    assert f"/{made['fields'][0]['metadata'].pop('tableIdentifier')}" == str(ds)
    assert made == upstream


QUERIES = [
    *("i < 5", "l = 150", "city = 'city_1'", "d > 50", "f <= 10.0", "dec = 99", "b = 4"),
    *("ts < TIMESTAMP '2023-11-14 22:13:25Z'", "dt = DATE '2024-02-03'", "NOT flag", "sh = 3"),
    *("nest.inner >= 350", "nest.n2.deep = 'x7'", "allnull = 1", "allnull IS NOT NULL"),
    *("year = 2020 AND i <> 5", "region = 'r1' OR l < 10", "i IN (1, 399)", "city <> 'city_0'"),
    *("i NOT IN (1)", "dec > 98.5 AND year = 2021", "l BETWEEN 120 AND 130", "i = 100.0"),
]


@pytest.mark.parametrize("query", QUERIES)
def test_no_query_loses_a_row_of_the_built_store(ds, query):
    store = metadatastore.open(BUILT / "md")
    found = store.evaluate(query)
    import sqlglot

    [duck] = sqlglot.transpile(f"SELECT 1 FROM t WHERE {query}", read="spark", write="duckdb")
    where = duck.partition(" WHERE ")[2]
    source = f"read_parquet('{ds}/**/*.parquet', hive_partitioning=true, filename=true)"
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        count = f"SELECT filename, count(*) FROM {source} WHERE {where} GROUP BY 1"
        having = {name[len(str(ds)) + 1 :] for name, _ in connection.execute(count).fetchall()}
    assert having <= set(relative(store, found.kept))


@pytest.mark.parametrize(("name", "plaintext"), [("md_encA", False), ("md_encPT", True)])
def test_encrypted_stores_read_with_their_keys(name, plaintext, kms, ds, tmp_path):
    if plaintext:
        locked = metadatastore.open(BUILT / name)
        assert [index.name for index in locked.indexes] == ["minmax", "valuelist"]
        with pytest.raises(EncryptedFileError):
            locked.evaluate("i < 5")
    else:
        with pytest.raises(EncryptedFileError, match='"k1"'):
            metadatastore.open(BUILT / name)
    store = metadatastore.open(BUILT / name, decryption=pqexplore.Decryption(kms=kms))
    assert (store.encryption.footer_key, store.encryption.plaintext_footer) == ("k1", plaintext)
    assert {index.column: index.key_metadata for index in store.indexes}["i_minmax_1"] == "k2"
    assert len(store.evaluate("i < 5").kept) == 1
    keys = StoreKeys("k1", kms, plaintext_footer=plaintext)
    wanted = [of_index(index) for index in store.indexes]
    ours = metadatastore.build(None, ds, wanted, tmp_path, keys=keys)
    assert ours.encryption == store.encryption
    assert by_file(ours) == by_file(store)


@pytest.mark.parametrize("version", [1, 2, 3, 4])
@pytest.mark.parametrize("footer", ["encrypted_footer", "plaintext_footer"])
def test_encrypted_schemas_of_every_version(version, footer):
    path = RESOURCES / f"parquet_version_tests/schema_extraction/version={version}/{footer}/schema.json"
    found = store_schema.parse(path.read_text())
    assert (found.version, found.table_identifier) == (version, "foo/bar")
    assert found.encryption.footer_key == "k1"
    assert found.encryption.plaintext_footer is (footer == "plaintext_footer")
    listed = [path for paths in found.encryption.column_keys.values() for path in paths]
    assert "obj_name" in listed
    assert len([index for index in found.indexes if index.key_metadata]) == 2
    bloom = found.index("bloomfilter", "city")
    assert (bloom.fpp, bloom.ndv) == (0.01, 100_000)


def test_obj_name_and_the_identifier_are_as_the_specification_has_them():
    """`obj_name` is not nullable, and the table's identifier has no leading slash, in every file that is written anew.

    The files that xskipper wrote differ in both, because Spark makes every column nullable and the identifier is the path of
    the dataset's URI. They are read all the same, and name the same table.
    """
    seen = 0
    for path in [*sorted(UPGRADES.rglob("*.parquet")), *sorted((BUILT / "md").rglob("*.parquet"))]:
        file = pqexplore.open(path)
        theirs = json.loads(file.key_value_metadata[store_schema.ROW_METADATA])["fields"][0]
        assert theirs["name"] == names.OBJECT and theirs["nullable"] is True
        identifier = theirs["metadata"]["tableIdentifier"]
        assert identifier.startswith("/") and not identifier.endswith("/")
        parsed = store_schema.parse(file.key_value_metadata[store_schema.ROW_METADATA])
        ours = json.loads(store_schema.to_json(parsed))["fields"][0]
        assert ours["nullable"] is False and ours["metadata"]["tableIdentifier"] == identifier[1:]
        assert ours == theirs | {"nullable": False, "metadata": ours["metadata"]}
        assert names.same_identifier(
            parsed.table_identifier, store_schema.parse(store_schema.to_json(parsed)).table_identifier
        )
        leaf = file.schema.leaves[0]
        assert leaf.path == (names.OBJECT,) and leaf.max_definition_level == 1
        assert not write.arrow_schema(parsed, {}).field(names.OBJECT).nullable
        seen += 1
    assert seen > 60
