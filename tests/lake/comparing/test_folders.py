"""What differs between two folders of files."""

import pyarrow as pa
import pytest
from insight.diff.diff_pairs import ours

import pqexplore
from pqexplore.engine.errors import UsageError

ROWS = pa.table({"id": list(range(300)), "x": [f"text {n % 7}" for n in range(300)]})
PARTS = [ROWS.slice(start, 100) for start in (0, 100, 200)]
MORE = ROWS.slice(7, 20)


@pytest.fixture
def folders(tmp_path):
    """Writes two folders, each a dict of tables or bytes by name; their paths."""

    def make(a, b):
        for folder, files in (("a", a), ("b", b)):
            for name, data in files.items():
                path = tmp_path / folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(ours(data) if isinstance(data, pa.Table) else data)
        return str(tmp_path / "a"), str(tmp_path / "b")

    return make


def parts(tables=PARTS):
    return {f"part-{at}.parquet": one for at, one in enumerate(tables)}


OTHER = ROWS.slice(0, 100).set_column(0, "id", pa.array([5000, *range(1, 100)]))
PAIRS = {
    # name → first, second, level, sentence, what differs
    "the same": (parts(), parts(), "data", "a and b have the same 3 files.", []),
    "the same, by footers": (parts(), parts(), "footer", "By their footers, a and b have the same 3 files.", []),
    "a file more": (parts(), parts() | {"new.parquet": MORE}, "footer", "b has 1 new file; it has 20 rows more.",
                    ["rows", "files-added"]),
    "a file fewer": (parts(), parts(PARTS[:2]), "footer", "b lacks 1 file of a; it has 100 rows fewer.", ["rows", "files-removed"]),
    "compacted, by footers": (parts(), {"all.parquet": ROWS}, "footer", "b has 1 new file and lacks 3 of a; both have 300 rows.",
                              ["files-added", "files-removed"]),
    "compacted": (parts(), {"all.parquet": ROWS.take(list(range(299, -1, -1)))}, "data",
                  "b has 1 new file and lacks 3 of a; the rows are the same, by hashes of 64 bits: 3 files were compacted into 1 file.",
                  ["files-added", "files-removed"]),
    "split": ({"all.parquet": ROWS}, parts(), "data",
              "b has 3 new files and lacks 1 of a; the rows are the same, by hashes of 64 bits: 1 file was rewritten as 3 files.",
              ["files-added", "files-removed"]),
    "compacted, but for a row": (parts(), {"all.parquet": pa.concat_tables([OTHER, *PARTS[1:]])}, "data",
                                 "b has 1 new file and lacks 3 of a; 1 row of a is gone, 1 is new.", ["values", "files-added", "files-removed"]),
    "a row twice, another not": (parts([ROWS.slice(0, 2), ROWS.slice(0, 1)]), {"all.parquet": ROWS.take([0, 1, 1])}, "data",
                                 "b has 1 new file and lacks 2 of a; 1 row of a is gone, 1 is new.", ["values", "files-added", "files-removed"]),
    "another folder of the same rows": ({"day=1/f.parquet": ROWS}, {"day=2/f.parquet": ROWS}, "data",
                                        "b has 1 new file and lacks 1 of a; 300 rows of a are gone, 300 are new.", ["values", "files-added", "files-removed"]),
    "other columns": (parts(), {"all.parquet": ROWS.rename_columns(["id", "y"])}, "data",
                      "b has 1 new file and lacks 3 of a; both have 300 rows. The rows of the files that differ were not compared: the files have not the same columns. 2 more",
                      ["not-compared", "column-removed", "column-added", "files-added", "files-removed"]),
    "one file differs": (parts(), parts([OTHER, *PARTS[1:]]), "footer",
                         "1 of the 3 files of a and b differs; both have 300 rows. part-0.parquet: By their footers, ", ["file-changed"]),
    "one value of the same size": (parts(), parts([OTHER, *PARTS[1:]]), "data",
                                   "1 of the 3 files of a and b differs; 1 row of a is gone, 1 is new. part-0.parquet: ", ["values", "file-changed"]),
    "another codec": (parts(), {n: ours(t, codec="ZSTD") for n, t in parts().items()}, "data",
                      "3 of the 3 files of a and b differ; the rows are the same, by hashes of 64 bits. part-0.parquet: ", ["file-changed"] * 3),
    "a type": (parts(), {n: t.set_column(0, "id", t["id"].cast(pa.int32())) for n, t in parts().items()}, "footer",
               "3 of the 3 files of a and b differ; both have 300 rows. The type of `id` is INT32 in place of INT64: values may be lost",
               ["type", *["file-changed"] * 3]),
    "a file that is none": (parts(), parts() | {"bad.parquet": b"no"}, "footer", "b has 1 new file; how many rows both have is not known.",
                            ["files-added", "not-compared"]),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_folders(folders, name):
    first, second, level, said, whats = PAIRS[name]
    found = pqexplore.diff(*folders(first, second), level)
    assert found.sentence.startswith(said)
    assert sorted(one.what for one in found.differences) == sorted(whats)
    assert found.table["what"].to_pylist() == [one.what for one in found.differences]
    assert found.same == (not whats)


def test_the_files(folders):
    found = pqexplore.diff(*folders(parts(), parts([OTHER, PARTS[1]]) | {"new.parquet": MORE}))
    rows = [(row["name"], row["state"], row["rows_first"], row["rows_second"]) for row in found.files.to_pylist()]  # fmt: skip
    assert rows == [
        ("new.parquet", "added", None, 20),
        ("part-0.parquet", "changed", 100, 100),
        ("part-1.parquet", "kept", 100, 100),
        ("part-2.parquet", "removed", 100, None),
    ]


def test_names_of_files_are_text(folders):
    found = pqexplore.diff(*folders(parts(), parts() | {"a\x1b[31m.parquet": MORE}))
    assert "\x1b" not in found.sentence + str(found.table.to_pylist()) + str(found.files.to_pylist())


@pytest.mark.parametrize("arguments, message", [
    (lambda a, b: pqexplore.diff(a, f"{b}/part-0.parquet"), "a file and a folder or table cannot be compared"),
    (lambda a, b: pqexplore.diff(a), "needs a second file or folder, or a version"),
    (lambda a, b: pqexplore.diff(a, version=3), "is no Delta or Iceberg table, so it has no version 3"),
    (lambda a, b: pqexplore.diff(a, b, "rows"), "level is footer, pages or data"),
    (lambda a, b: pqexplore.diff(a, b, columns=["id"]), "columns is for two files"),
    (lambda a, b: pqexplore.diff(f"{a}/part-0.parquet", f"{b}/part-0.parquet", version=1), "are for tables, not for files"),
    (lambda a, b: pqexplore.diff(a, f"{b}/empty-*"), "no file matches"),
])  # fmt: skip
def test_usage(folders, arguments, message):
    with pytest.raises(UsageError, match=message):
        arguments(*folders(parts(), parts()))
