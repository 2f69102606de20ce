"""The footer of a data set, written: read back, compared with pyarrow's, and refused."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made import events, rebuilt
from pyarrow import dataset

import pqexplore
from pqexplore.engine.errors import UsageError

PATHS = ("day=1/part.parquet", "day=2/part.parquet", "rest.parquet")
KEY = b"0123456789abcdef"


@pytest.fixture
def parts(tmp_path):
    """Parts of a table, the last by our own writer."""
    table = events(300)
    for number, name in enumerate(PATHS):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        part = table.slice(number * 100, 100)
        if number < 2:
            pq.write_table(part, tmp_path / name, row_group_size=40)
        else:
            pqexplore.write(part, tmp_path / name)
    return [tmp_path / name for name in PATHS[:2]], table.slice(0, 200)


def test_a_written_data_set_reads_as_its_parts(parts, tmp_path):
    files, table = parts
    pqexplore.write_summary(files, tmp_path / "_metadata")
    with pqexplore.open(tmp_path / "_metadata", follow_file_path=True) as file:
        assert file.read().equals(table)
        assert file.other_files == PATHS[:2]
        assert [group.metadata.ordinal for group in file.row_groups] == list(range(6))
        assert file.created_by.startswith("parquet-cpp-arrow")
        assert {(one.rule, one.severity.level) for one in file.check()} == {("pages-elsewhere", "note")}
    assert dataset.parquet_dataset(tmp_path / "_metadata").to_table().equals(table)
    assert pq.read_metadata(tmp_path / "_metadata").schema.to_arrow_schema() == table.schema


@pytest.mark.parametrize(("second", "known"), [("one 1.0", "one 1.0"), ("two 2.0", "[one 1.0, two 2.0]")])
def test_what_the_parts_have_in_common(tmp_path, second, known):
    for name, writer, pairs in (("a", "one 1.0", {"x": "1", "y": "1"}), ("b", second, {"x": "1", "y": "2"})):
        options = pqexplore.WriteOptions(created_by=writer, key_value_metadata=pairs)
        pqexplore.write(pa.table({"n": [1, 2]}), tmp_path / name, options)
    pqexplore.write_summary([tmp_path / "a", tmp_path / "b"], tmp_path / "_metadata")
    with pqexplore.open(tmp_path / "_metadata", follow_file_path=True) as file:
        assert file.created_by == known
        assert file.key_value_metadata.get("x") == "1" and "y" not in file.key_value_metadata
        assert file.read().to_pydict() == {"n": [1, 2, 1, 2]}


def refused(folder, case):
    table = pa.table({"a": [1]})
    target, inside = folder / "table" / "_metadata", folder / "table" / "in.parquet"
    inside.parent.mkdir()
    pqexplore.write(table, inside)
    other = folder / "table" / "other.parquet"
    if case == "none":
        return [], target
    if case == "a path":
        return inside, target
    if case == "outside":
        pqexplore.write(table, folder / "out.parquet")
        return [inside, folder / "out.parquet"], target
    if case == "itself":
        return [inside], inside
    if case == "another schema":
        pqexplore.write(pa.table({"a": ["x"]}), other)
    elif case == "encrypted":
        options = pqexplore.WriteOptions(encryption=pqexplore.Encryption(footer_key=KEY))
        pqexplore.write(table, other, options)
    elif case == "a row group without columns":
        other.write_bytes(rebuilt(inside.read_bytes(), row_groups__0__columns=None))
    elif case == "a footer of a data set":
        pqexplore.write_summary([inside], other)
    return [inside, other], target


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("none", "no files to summarise"),
        ("a path", "files is a list of paths"),
        ("outside", r"'\.\./out.parquet' cannot be a part .* it leads out of the folder"),
        ("itself", "is a file that is read, and is not replaced"),
        ("another schema", "'other.parquet' and 'in.parquet' differ in their schema"),
        ("encrypted", "'other.parquet' is encrypted"),
        ("a row group without columns", "row group 0 in the footer of 'other.parquet' lacks columns"),
        ("a footer of a data set", "'other.parquet' is the footer of a data set itself"),
    ],
)
def test_refusals_leave_nothing(tmp_path, case, words):
    files, target = refused(tmp_path, case)
    before = target.read_bytes() if target.exists() else None
    with pytest.raises(UsageError, match=words):
        pqexplore.write_summary(files, target)
    assert (target.read_bytes() if target.exists() else None) == before
