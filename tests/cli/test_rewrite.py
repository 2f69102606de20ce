"""`pqexplore rewrite`: the new file has the options that were asked, the old values, and never replaces a file."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pqexplore.cli import main

ROWS = 5_000
TABLE = pa.table({"id": range(ROWS), "city": [("Oslo", "Bergen", "Rome")[row % 3] for row in range(ROWS)]})


@pytest.fixture
def old(tmp_path):
    pq.write_table(TABLE, tmp_path / "old.parquet", row_group_size=2_000, compression="gzip")
    return tmp_path / "old.parquet"


def chunks(path):
    """The codecs of all chunks, and the rows of each row group."""
    metadata = pq.read_metadata(path)
    groups = [metadata.row_group(at) for at in range(metadata.num_row_groups)]
    codecs = {group.column(at).compression for group in groups for at in range(2)}
    return codecs, [group.num_rows for group in groups]


@pytest.mark.parametrize(("words", "codecs", "rows"), [
    ([], {"GZIP"}, [2_000, 2_000, 1_000]),
    (["--codec", "zstd", "--codec-level", "9"], {"ZSTD"}, [2_000, 2_000, 1_000]),
    (["--row-group-rows", "3000"], {"GZIP"}, [3_000, 2_000]),
    (["--best", "--codec", "snappy"], {"SNAPPY"}, [2_000, 2_000, 1_000]),
    (["--page-bytes", "1000", "--no-verify"], {"GZIP"}, [2_000, 2_000, 1_000]),
])  # fmt: skip
def test_only_what_is_asked_changes(old, tmp_path, capsys, words, codecs, rows):
    new = tmp_path / "new.parquet"
    assert main(["rewrite", str(old), str(new), *words]) == 0
    assert chunks(new) == (codecs, rows)
    assert pq.read_table(new).equals(TABLE)
    said = " ".join(capsys.readouterr().out.split())
    assert ("; not verified" in said) == ("--no-verify" in words) != ("; verified" in said)


def test_the_best_choices_are_written(old, tmp_path, capsys):
    new = tmp_path / "new.parquet"
    assert main(["rewrite", str(old), str(new), "--best", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["today"], found["size"]) == (old.stat().st_size, new.stat().st_size)
    assert found["size"] < found["today"] and found["verified"]
    best = {row["column"]: row["encoding"] for row in found["trial"]["table"] if row["best"]}
    group = pq.read_metadata(new).row_group(0)
    assert {group.column(at).path_in_schema for at in range(2)} == set(best)
    for at in range(2):
        assert best[group.column(at).path_in_schema] in group.column(at).encodings


def test_rows_are_sorted(old, tmp_path, capsys):
    new = tmp_path / "new.parquet"
    assert main(["rewrite", str(old), str(new), "--sort=city,-id"]) == 0
    order = [("city", "ascending"), ("id", "descending")]
    assert pq.read_table(new).equals(TABLE.sort_by(order))
    assert "are the same, in the new order" in " ".join(capsys.readouterr().out.split())
    assert main(["rewrite", str(old), str(tmp_path / "no.parquet"), "--sort", "town"]) == 2
    assert "town" in capsys.readouterr().err


def test_a_column_gets_another_type(old, tmp_path, capsys):
    new = tmp_path / "new.parquet"
    assert main(["rewrite", str(old), str(new), "--type", "id=int32"]) == 0
    assert pq.read_table(new)["id"].type == pa.int32()
    assert pq.read_table(new)["id"].to_pylist() == TABLE["id"].to_pylist()
    assert "are the same, converted back" in " ".join(capsys.readouterr().out.split())
    assert main(["rewrite", str(old), str(tmp_path / "no.parquet"), "--type", "city=date32"]) == 2
    assert "city" in capsys.readouterr().err


def test_pages_end_earlier(old, tmp_path):
    sizes = []
    for words in ([], ["--page-bytes", "1000"]):
        new = tmp_path / f"{len(words)}.parquet"
        assert main(["rewrite", str(old), str(new), *words]) == 0
        sizes.append(new.stat().st_size)
    assert sizes[0] < sizes[1]


def test_a_file_that_exists_is_not_overwritten(old, tmp_path, capsys):
    new = tmp_path / "new.parquet"
    new.write_bytes(b"mine")
    link = tmp_path / "link.parquet"
    link.symlink_to(tmp_path / "nowhere")
    for target, status, said in (
        (new, 3, ": it exists, and is not replaced without overwrite=True (at the terminal: --force)"),
        (link, 2, " is a symbolic link, and is not followed; name a file"),
        (old, 2, " is a file that is read, and is not replaced; name another one"),
    ):
        assert main(["rewrite", str(old), str(target)]) == status
        assert capsys.readouterr().err == f"pqexplore: {target}{said}\n"
    assert new.read_bytes() == b"mine" and link.is_symlink()


@pytest.mark.parametrize(("source", "words", "status", "why"), [
    ("missing.parquet", [], 3, "No such file"),
    ("old.parquet", ["--codec", "zip"], 2, "codec='zip' is unknown"),
    ("cut.parquet", [], 3, "cut.parquet"),
])  # fmt: skip
def test_what_cannot_be_written_leaves_nothing(old, tmp_path, capsys, source, words, status, why):
    (tmp_path / "cut.parquet").write_bytes(old.read_bytes()[:-20])
    before = sorted(tmp_path.iterdir())
    assert main(["rewrite", str(tmp_path / source), str(tmp_path / "new.parquet"), *words]) == status
    assert why in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "words",
    [["--type", "id"], ["--seconds", "0"], ["--codec-level", "3"], ["--row-group-rows", "0"], ["--page-bytes", "x"]],
)
def test_usage(old, tmp_path, words):
    with pytest.raises(SystemExit) as stop:
        main(["rewrite", str(old), str(tmp_path / "new.parquet"), *words])
    assert stop.value.code == 2
    assert not (tmp_path / "new.parquet").exists()


def test_names_cannot_move_the_cursor(old, tmp_path, capsys):
    assert main(["rewrite", str(old), str(tmp_path / "a\x1b[2J.parquet")]) == 0
    assert "\x1b" not in capsys.readouterr().out
