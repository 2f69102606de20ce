"""`ask --engines`: what each engine reads of a file, beside the others."""

import json

import pyarrow as pa
import pytest
from made import parquet

import pqexplore
from pqexplore.cli import main
from pqexplore.insight.ask import engines_compared
from pqexplore.insight.ask.engines import ENGINES


def made(**options):
    """Four row groups of 10 rows: `i` is sorted, `word` has two values in each row group, and dictionaries."""
    table = pa.table({"i": range(40), "word": [f"{row // 10}{row % 2}" for row in range(40)]})
    return parquet(table, row_group_size=10, **options)


@pytest.fixture
def path(tmp_path):
    (tmp_path / "f.parquet").write_bytes(made())
    return str(tmp_path / "f.parquet")


SENTENCES = [
    # condition, the sentence
    ("i < 15", "All engines read row groups 0 and 1 of 4."),
    ("i >= 0", "All engines read all 4 row groups."),
    ("i > 99", "All engines read none of 4 row groups."),
    ("word = '105'", "Engines differ: format and spark read none of 4 row groups; datafusion, duckdb, polars and pyarrow read row group 1 of 4."),
]  # fmt: skip


@pytest.mark.parametrize(("where", "sentence"), SENTENCES)
def test_the_sentence_says_who_reads_what(where, sentence):
    with pqexplore.open(made()) as file:
        plans = engines_compared.plans(file, where)
        assert engines_compared.sentence(plans) == sentence
        for one in plans:  # as each plan says alone
            assert [group.index for group in pqexplore.ask(file, where, engine=one.engine.name).kept] == [
                group.index for group in one.kept
            ]


def test_row_groups_that_only_some_read_have_the_reasons(path, capsys):
    assert main(["ask", path, "word = '105'", "--engines"]) == 0
    out = capsys.readouterr().out
    assert "Row groups that only some read" in out
    assert "row group 1: read by datafusion, duckdb, polars and pyarrow; skipped by format and spark, " in " ".join(
        out.split()
    )
    assert "none of 2 entries of the dictionary" in " ".join(out.split())
    assert main(["ask", path, "i < 15", "--engines"]) == 0
    assert "only some" not in capsys.readouterr().out


def test_rows_that_may_be_lost_come_first():
    with pqexplore.open(made_with_nan()) as file:
        plans = engines_compared.plans(file, "f >= 5")
        lose = [one.engine.name for one in plans if one.wrong_rows]
        said = engines_compared.sentence(plans)
    assert lose == ["datafusion", "duckdb", "spark"]  # they skip by bounds, though NaN is larger
    assert said.startswith("Rows may be lost by datafusion, duckdb and spark. ")


def made_with_nan():
    """Floats whose bounds do not have the NaN that is there."""
    return parquet(pa.table({"f": [1.0, float("nan"), 2.0]}))


def test_json_has_a_plan_for_each_engine(path, capsys):
    assert main(["ask", path, "i < 15", "--engines", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["engine"] for one in found["engines"]] == list(ENGINES)
    assert all(one["row_groups"] == [0, 1] and one["rows"] > 0 for one in found["engines"])


@pytest.mark.parametrize("words", [["--engine", "spark"], ["--verify"]], ids=" ".join)
def test_it_goes_with_no_single_engine(path, capsys, words):
    assert main(["ask", path, "i < 15", "--engines", *words]) == 2
    assert "compares the plans of all engines" in capsys.readouterr().err


def test_a_folder_is_refused(path, tmp_path, capsys):
    assert main(["ask", str(tmp_path), "i < 15", "--engines"]) == 2
    assert "name the file" in capsys.readouterr().err


def test_advice_is_left_out_on_request_and_says_so(path, capsys):
    main(["ask", path, "i > 0 AND word = 'x'"])
    assert "--advice" not in capsys.readouterr().out
    main(["ask", path, "i > 0 AND word = 'x'", "--no-advice"])
    assert "Not asked for: it may read pages. --advice gives it." in capsys.readouterr().out
    main(["ask", path, "i > 0", "--no-advice", "--json"])
    assert json.loads(capsys.readouterr().out)["plan"]["advice"] is None
