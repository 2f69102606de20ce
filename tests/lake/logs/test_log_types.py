"""A file whose types are not those of its table's log: which engines cannot read the table, held against runs of them."""

import pytest
from lake.logs import typed_tables
from lake.logs.typed_tables import DELTA, ICEBERG

from pqexplore.cli import DONE, FOUND, main
from pqexplore.engine.errors import UnsupportedFeatureError
from pqexplore.lake import open_table, scan


def refused_by(root) -> list[str]:
    """The engines that cannot read a table by what the diagnosis says."""
    with scan(None, root, processes=0) as lake:
        report = lake.diagnose(processes=0)
    found = [one for one in report.findings if one.rule == "log-disagrees" and one.engines]
    if found:
        assert found == [report.findings[0]]
        assert found[0].severity.value == "wrong answer possible"
        assert found[0].cost.text.endswith(" cannot read the table")
    return sorted(engine for one in found for engine in one.engines)


def runs(read) -> bool:
    try:
        read()
    except Exception:  # each engine raises its own
        return False
    return True


@pytest.mark.parametrize("name", DELTA)
def test_engines_that_are_said_to_refuse_a_delta_table_do(tmp_path, name):
    import polars
    from deltalake import DeltaTable

    root = tmp_path / "t"
    typed_tables.delta(root, name)
    said = refused_by(root)
    assert ("Spark" in said) == DELTA[name][3]  # Spark itself is run by tests/spark
    if "polars" in said:
        assert not runs(lambda: polars.scan_delta(str(root)).collect())
    if not said:
        assert runs(lambda: DeltaTable(root).to_pyarrow_table())
        assert open_table(root).num_rows == len(open_table(root).read())


@pytest.mark.parametrize("name", ICEBERG)
def test_pyiceberg_refuses_what_is_said_of_it(tmp_path, name):
    root = tmp_path / "t"
    table = typed_tables.iceberg(root, name)
    said = refused_by(root)
    assert said == ["pyiceberg"] * ICEBERG[name][3]
    assert runs(lambda: table.scan().to_arrow()) == (not said)


def test_text_in_place_of_a_number_is_never_read_as_a_number(tmp_path):
    typed_tables.delta(tmp_path / "t", "text for a number")
    with pytest.raises(UnsupportedFeatureError, match="column 'a' is STRING in this file, and int64 in the table"):
        open_table(tmp_path / "t").read()


@pytest.mark.parametrize("make, name, status", [
    (typed_tables.delta, "text for a number", FOUND), (typed_tables.delta, "INT32 for a long", DONE),
    (typed_tables.iceberg, "text for a number", FOUND), (typed_tables.iceberg, "INT32 for a long", DONE),
])  # fmt: skip
def test_a_table_that_an_engine_cannot_read_ends_with_status_1(tmp_path, capsys, make, name, status):
    make(tmp_path / "t", name)
    assert main(["lake", "--processes", "0", str(tmp_path / "t")]) == status
    said = " ".join(capsys.readouterr().out.split())
    assert (": files that are not as the table's log says" in said) == (status == FOUND)
