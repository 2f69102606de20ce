"""README's Python about one file runs on the sample that it names, and its query reads a part of it."""

import re
from pathlib import Path

from pqexplore.engine.writer.samples import write_sample

README = Path(__file__).parents[1] / "README.md"


def test_the_blocks_about_one_file_run(tmp_path, monkeypatch):
    write_sample("events", tmp_path / "events.parquet")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.S)
    mine = [block for block in blocks if '"events.parquet"' in block]
    assert len(mine) == 2
    names = {}
    for block in mine:
        exec(block, names)
    assert 0 < len(names["plan"].kept) < len(names["f"].row_groups)
