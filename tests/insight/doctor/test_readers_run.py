"""What `report.readers(run=True)` says is what the readers do, when each is called directly, beside the values as written.

The files are those of the implementation status: their values are known from the tables that they were written from, not
from our reading.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from needs import has

import pqexplore
from pqexplore.insight.doctor.readers.predict import predict
from pqexplore.insight.doctor.readers.reader import Verdict
from pqexplore.insight.doctor.readers.run import READERS
from pqexplore.insight.doctor.readers.table import VERSIONS

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "tools")]

import direct_reading  # noqa: E402
import status_rows  # noqa: E402

NO_PLAIN_FORM = {
    # A Variant is a struct here, a value there; a geometry, WKB or text; an interval, 12 bytes or a tuple.
    "logical-variant", "newer-variant-shredding", "logical-geometry", "logical-geography",
    "newer-geospatial-statistics", "logical-interval",
}  # fmt: skip
MANY = [id for id in status_rows.ROWS_BY_ID if id != "api-parquet-summary-file"]
ENGINES = [one for one in READERS if has(one.lower(), "0")]


def direct(engine, paths, folder):
    """Each file's rows in plain form by a direct call of the reader; None where it fails."""
    jobs = [(str(path), str(folder / f"{engine}-{path.stem}")) for path in paths]
    subprocess.run(
        [sys.executable, str(HERE / "direct_reading.py")],
        input=json.dumps({"engine": engine, "jobs": jobs}),
        text=True,
        check=True,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return [json.loads(Path(out).read_text()) if os.path.exists(out) else None for _, out in jobs]


def expected(id):
    """The rows in plain form, as they were written."""
    table = status_rows.ROWS_BY_ID[id].table()
    return [direct_reading.plain(list(row.values())) for row in table.to_pylist()]


def by_direct_reading(engine, id, rows):
    """The verdicts that agree with a direct reading."""
    if (engine, id) == ("DataFusion", "logical-interval"):
        return {Verdict.WRONG}  # Arrow's Python cannot show its intervals, which have no months
    if rows is None:
        return {Verdict.REFUSES}
    if id in NO_PLAIN_FORM:
        return {Verdict.READS, Verdict.WRONG, Verdict.UNCOMPARED}
    written = expected(id)
    if engine == "fastparquet":  # in a data frame, NaN stands for null
        rows, written = (
            json.loads(json.dumps(one).replace('"nan"', "null")) for one in (rows, written)
        )
    return {Verdict.READS} if rows == written else {Verdict.WRONG}


def disagreements(ids, folder):
    paths = [folder / f"{id}.parquet" for id in ids]
    for id, path in zip(ids, paths, strict=True):
        status_rows.write(status_rows.ROWS_BY_ID[id], path)
    said = [
        {one.engine: one for one in pqexplore.diagnose(path).readers(run=True)} for path in paths
    ]
    for engine in ENGINES:
        for id, path, rows, seen in zip(
            ids, paths, direct(engine, paths, folder), said, strict=True
        ):
            agreeing = by_direct_reading(engine, id, rows)
            if seen[engine].verdict not in agreeing:
                yield f"{id}: {seen[engine]}; read directly: {sorted(map(str, agreeing))}"
            if has(engine.lower(), VERSIONS[engine]):
                yield from _wrong_prediction(id, path, seen[engine])


def _wrong_prediction(id, path, seen):
    with pqexplore.open(path) as file:
        told = next(one for one in predict(file) if one.engine == seen.engine)
    same = told.verdict is seen.verdict or seen.verdict is Verdict.UNCOMPARED
    if told.verdict is not Verdict.UNKNOWN and not same:
        yield f"{id}: predicted {told}; seen {seen}"


fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="it forks")


@fork
def test_a_run_agrees_with_direct_calls(tmp_path):
    assert not list(disagreements(["encoding-bit-packed"], tmp_path))


@fork
@pytest.mark.full
def test_runs_over_sixty_files_agree_with_direct_calls(tmp_path):
    pytest.importorskip("lzallright")
    assert len(MANY) >= 60
    problems = list(disagreements(MANY, tmp_path))
    assert not problems, "\n".join(problems)
