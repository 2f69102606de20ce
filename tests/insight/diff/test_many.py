"""Which of many files has what the others do not have."""

import json
import time

import pyarrow as pa
import pytest
from insight.diff.diff_pairs import TABLE, ours

from pqexplore.cli import main
from pqexplore.insight.diff import odd_files

DOUBLE = TABLE.set_column(3, "n", TABLE["n"].cast(pa.float64()))


@pytest.fixture
def files(tmp_path):
    """Writes files by name, in a folder of its own."""

    def make(**contents):
        paths = []
        for name, data in contents.items():
            path = tmp_path / f"{name}.parquet"
            path.write_bytes(data)
            paths.append(str(path))
        return paths

    return make


ODD = [
    ({"c": ours(DOUBLE)}, "c.parquet has `n` as optional DOUBLE; most have it as optional INT32."),
    ({"c": ours(DOUBLE), "d": ours(DOUBLE)}, "c.parquet and d.parquet have `n` as optional DOUBLE; most"),
    ({"c": ours(TABLE.drop(["city"]))}, "c.parquet has no column `city`; most have it as optional STRING in BYTE_ARRAY."),
    ({"c": ours(codec="ZSTD", columns={"id": {"codec": "SNAPPY"}, "n": {"codec": "SNAPPY"}, "city": {"codec": "SNAPPY"}})},
     "c.parquet has the codec of `price` ZSTD; most have SNAPPY."),
    ({"c": ours(codec="ZSTD")}, "c.parquet has the codec of `id`, `price`, `city` and `n` ZSTD; most have SNAPPY."),
    ({"c": ours(created_by="me 1.0")}, "c.parquet has the writer me 1.0; most have pqexplore"),
]  # fmt: skip


@pytest.mark.parametrize("more, said", ODD, ids=[said for _, said in ODD])
def test_the_odd_one_out(files, more, said):
    found = odd_files.compare(files(a=ours(), b=ours(), e=ours(), **more))
    assert found.sentence.startswith(said)
    assert len(found.odd) == 1


def test_alike(files):
    found = odd_files.compare(files(a=ours(), b=ours(), c=ours()))
    assert found.odd == ()
    assert found.sentence.startswith("3 files have the same schema")


@pytest.mark.full
def test_the_odd_ones_of_a_hundred_files(files):
    """What differs in many columns is said once; a column that is gone, and a type, are said first."""
    wide = pa.table({f"c{n}": [1, 2] for n in range(50)})
    gone, retyped = wide.drop(["c9"]), wide.set_column(7, "c7", pa.array([1.0, 2.0]))
    made = {f"f{n:02}": ours(wide, codec="ZSTD" if 10 <= n < 40 else "SNAPPY") for n in range(100)}
    start = time.process_time()
    found = odd_files.compare(files(**made | {"f30": ours(retyped, codec="ZSTD"), "f55": ours(gone)}))
    assert time.process_time() - start < 3
    assert [(one.what, len(one.files), len(one.columns)) for one in found.odd] == [
        ("column", 1, 1),
        ("column", 1, 1),
        ("codec", 30, 48),
    ]
    assert found.odd[2].sentence == (
        "f10.parquet, f11.parquet, f12.parquet and 27 more have the codec of `c0`, `c1`, `c2` and 45 more ZSTD; most have SNAPPY."
    )


def test_a_tie_is_not_called_most(files):
    found = odd_files.compare(files(a=ours(), b=ours(), c=ours(DOUBLE), d=ours(DOUBLE)))
    assert "most" not in found.sentence and "as many have it as optional INT32" in found.sentence


def test_a_file_that_cannot_be_read_is_listed(files):
    found = odd_files.compare(files(a=ours(), b=ours(), c=b"no parquet"))
    assert [path.endswith("c.parquet") for path, _ in found.unread] == [True]
    assert found.sentence.endswith("1 file cannot be read.")


class TestCommand:
    def test_many(self, files, capsys):
        paths = files(a=ours(), b=ours(), c=ours(DOUBLE))
        assert main(["diff", *paths]) == 1
        assert "c.parquet has `n` as optional DOUBLE" in capsys.readouterr().out
        assert main(["diff", *paths, "--json"]) == 1
        assert json.loads(capsys.readouterr().out)["odd"][0]["columns"] == ["n"]

    @pytest.mark.parametrize("words", [["a"], ["a", "b", "c", "--level", "data"]])
    def test_usage(self, words):
        with pytest.raises(SystemExit) as stop:
            main(["diff", *words])
        assert stop.value.code == 2
