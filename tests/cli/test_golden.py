"""What each verb prints at 80 and at 200 columns, with characters of two cells, compared with `golden/`.

`PQEXPLORE_RENEW_VIEWS=1` writes the files anew. Look at what changed before you commit it.
"""

import os
import pathlib
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pqexplore.cli import main
from pqexplore.cli.verbs import VERBS
from pqexplore.engine.writer.file import write
from pqexplore.engine.writer.options import WriteOptions
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight.terminal import width
from pqexplore.lake import metadatastore

GOLDEN = pathlib.Path(__file__).parent / "golden"
WIDTHS = (80, 200)

COMMANDS = {
    # verb, its arguments; "" is pqexplore without a verb
    "": "東京.parquet",
    "head": "東京.parquet -n 3",
    "cat": "東京.parquet --rows 2:4 --table",
    "schema": "東京.parquet",
    "stats": "東京.parquet",
    "pages": "東京.parquet --column 番号",
    "dictionary": "東京.parquet",
    "levels": "東京.parquet --column 札",
    "bloom": "東京.parquet --column 名前 --probe 東京都 大阪府",
    "variant": "variant.parquet --row 3",
    "check": "broken.parquet",
    "doctor": "broken.parquet --level data",
    "ask": "東京.parquet 番号>5",
    "diff": "東京.parquet 大阪.parquet",
    "what-if": "東京.parquet --columns 番号",
    "rewrite": "東京.parquet 京都.parquet",
    "salvage": "cut.parquet",
    "lake": "folder --processes 0",
    "index": "md",
    "sample": "encrypted-columns",
    "mcp": "nowhere",
    "view": "nowhere.parquet --no-browser",
    "completion": "bash",
    "explain": "row group",
}

UNBROKEN = ("cat", "schema", "completion", "sample", "index")
"""Verbs that print lines of their own, however narrow the terminal is."""


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Files of a fixed content, in the folder of the process."""
    monkeypatch.chdir(tmp_path)
    table = pa.table(
        {
            "番号": range(8),
            "名前": ["東京都", "大阪府", None, "京都府"] * 2,
            "札": [["赤", "青"], [], None, ["緑"]] * 2,
            "場所": [{"緯度": 35.5 + i, "備考": "長い文章" * i} for i in range(8)],
        }
    )
    options = WriteOptions(
        codec="UNCOMPRESSED",
        created_by="golden version 1.0 (build 0)",
        row_group_rows=4,
        page_rows=2,
        columns={"名前": {"bloom_filter": True}},
    )
    write(table, "東京.parquet", options)
    write(table.slice(2).drop_columns(["札"]), "大阪.parquet", options)
    write_sample("variant-shredded", "variant.parquet")
    data = bytearray(pathlib.Path("東京.parquet").read_bytes())
    pathlib.Path("cut.parquet").write_bytes(data[:-200])
    data[40] ^= 0xFF
    pathlib.Path("broken.parquet").write_bytes(data)
    (tmp_path / "folder").mkdir()
    for name in ("一", "二"):
        write(table, f"folder/{name}.parquet", options)
        os.utime(f"folder/{name}.parquet", (0, 0))
    (tmp_path / "ds").mkdir()
    pq.write_table(pa.table({"x": [1, 2]}), "ds/0.parquet")
    metadatastore.build(None, tmp_path / "ds", [metadatastore.MinMax("x")], tmp_path / "md")
    return tmp_path


def test_each_verb_has_a_golden_output():
    assert set(COMMANDS) == {"", *VERBS}
    assert {path.name for path in GOLDEN.iterdir()} == {
        f"{verb or 'file'}-{columns}.txt" for verb in COMMANDS for columns in WIDTHS
    }


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("verb", COMMANDS, ids=[verb or "file" for verb in COMMANDS])
def test_golden(files, capsys, monkeypatch, verb, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    words = [*verb.split(), *COMMANDS[verb].split(" ")]
    status = main(words)
    out, err = capsys.readouterr()
    said = re.sub("[0-9a-f]{64}", "0" * 64, out + err).replace(str(files), "FOLDER")
    made = f"$ pqexplore {' '.join(words)}\n{said}exit status {status}\n"
    path = GOLDEN / f"{verb or 'file'}-{columns}.txt"
    if os.environ.get("PQEXPLORE_RENEW_VIEWS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(made, "utf-8")
    assert made == path.read_text("utf-8")
    if verb not in UNBROKEN:
        assert max(map(width, said.splitlines())) <= columns
