"""What a trial says: the sentence, the lines of the terminal, JSON."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight.what_if.what_if_cases import NUMBERS
from made import parquet

import pqexplore
from pqexplore.cli import main
from pqexplore.insight.wording import percent, size


@pytest.fixture
def path(tmp_path):
    pq.write_table(NUMBERS, tmp_path / "numbers.parquet", row_group_size=1_000)
    return str(tmp_path / "numbers.parquet")


def test_the_sentence_has_the_sums_of_the_table(path):
    trial = pqexplore.what_if(path)
    rows = [row for row in trial.table.to_pylist() if row["best"]]
    today, best = (sum(row[name] for row in rows) for name in ("today", "bytes"))
    assert trial.sentence == (
        f"4 columns take {size(today)} today, {size(best)} with the best choice of each, {percent(best / today)} of it. "
        f"The file could be {percent(1 - (today - best) / trial.size)} of its size."
    )
    [one] = pqexplore.what_if(path, columns=["id"]).columns
    said = pqexplore.what_if(path, columns=["id"]).sentence
    assert said.startswith(f"1 column takes {size(one.today)} today") and "its best choice" in said


def test_an_estimate_says_so():
    with pqexplore.open(parquet(NUMBERS, row_group_size=300)) as file:
        chunks = [group.columns[0].metadata.total_compressed_size for group in file.row_groups]
        some = pqexplore.Budget(bytes=sum(sorted(chunks)[-6:]))
        said = pqexplore.what_if(file, ["id"], some).sentence
        assert "That is an estimate, ± " in said
        said = pqexplore.what_if(file, ["id"], pqexplore.Budget(bytes=max(chunks))).sentence
        assert "its error is not known" in said
        said = pqexplore.what_if(file, ["id"], pqexplore.Budget(bytes=1)).sentence
        assert said == "No column was tried. 1 column could not be tried."
        assert "estimate" not in pqexplore.what_if(file, ["id"]).sentence


class TestCommand:
    def test_columns_show_more_choices(self, path, capsys):
        assert main(["what-if", path, "--columns", "id", "--code"]) == 0
        out = capsys.readouterr().out
        rows = [line for line in out.splitlines() if line.split()[:1] == ["id"]]
        assert len(rows) == 12 and sum(line.split()[-1] == "best" for line in rows) == 1
        assert "PLAIN" not in out.split("pyarrow:")[0].split("RLE")[0]
        assert "pq.write_table(" in out and "COPY (SELECT" in out

    def test_usage(self, path):
        with pytest.raises(SystemExit) as stop:
            main(["what-if", path, "--seconds", "0"])
        assert stop.value.code == 2

    def test_names_cannot_move_the_cursor(self, tmp_path, capsys):
        out = io.BytesIO()
        pq.write_table(pa.table({"a\x1b[2J": np.arange(9)}), out)
        path = tmp_path / "name.parquet"
        path.write_bytes(out.getvalue())
        assert main(["what-if", str(path), "--code"]) == 0
        assert "\x1b" not in capsys.readouterr().out
