"""What `report.readers(run=True)` says is what the readers do, when each is called directly.

The files of the implementation status have known values: those of the tables that they were written from. Of a file of
the corpus, readers that are said to read it all must have the same values, and one that misreads it must have others.
"""

import collections
import contextlib
import csv
import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from needs import has

import pqexplore
from pqexplore.engine.errors import ParquetError
from pqexplore.insight.doctor.readers.features import features
from pqexplore.insight.doctor.readers.file_readers import predict
from pqexplore.insight.doctor.readers.reader import Verdict
from pqexplore.insight.doctor.readers.run import READERS, run
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
    if (engine, id) == ("fastparquet", "logical-json"):  # it parses the text
        texts = status_rows.ROWS_BY_ID[id].table().column(0).to_pylist()
        written = [[direct_reading.plain(one and json.loads(one))] for one in texts]
    if engine == "fastparquet":  # in a data frame, NaN stands for null
        rows, written = (json.loads(json.dumps(one).replace('"nan"', "null")) for one in (rows, written))
    return {Verdict.READS} if rows == written else {Verdict.WRONG}


def report(path):
    return {one.engine: one for one in pqexplore.diagnose(path).readers(run=True)}


def run_of_pyarrow(path):
    with pqexplore.open(path) as file:
        return {one.engine: one for one in run(file, str(path), ["pyarrow"])}


def disagreements(ids, folder, engines=ENGINES, said_of=report):
    paths = [folder / f"{id}.parquet" for id in ids]
    for id, path in zip(ids, paths, strict=True):
        status_rows.write(status_rows.ROWS_BY_ID[id], path)
    said = [said_of(path) for path in paths]
    for engine in engines:
        for id, path, rows, seen in zip(ids, paths, direct(engine, paths, folder), said, strict=True):
            agreeing = by_direct_reading(engine, id, rows)
            if seen[engine].verdict not in agreeing:
                yield f"{id}: {seen[engine]}; read directly: {sorted(map(str, agreeing))}"
            if has(engine.lower(), VERSIONS[engine]):
                yield from _wrong_prediction(id, path, seen[engine])


def _wrong_prediction(id, path, seen):
    with pqexplore.open(path) as file:
        predicted = next(one for one in predict(file) if one.engine == seen.engine)
    same = predicted.verdict is seen.verdict or seen.verdict is Verdict.UNCOMPARED
    if predicted.verdict is not Verdict.UNKNOWN and not same:
        yield f"{id}: predicted {predicted}; seen {seen}"


fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="it forks")


@fork
def test_a_run_agrees_with_direct_calls(tmp_path):
    assert not list(disagreements(["encoding-bit-packed", "physical-int32"], tmp_path, ["pyarrow"], run_of_pyarrow))


@fork
@pytest.mark.full
def test_runs_over_sixty_files_agree_with_direct_calls(tmp_path):
    pytest.importorskip("lzallright")
    assert len(MANY) >= 60
    problems = list(disagreements(MANY, tmp_path))
    assert not problems, "\n".join(problems)


COMMON = {"ordinary", "nested", "nested-list", "null-list", "null-nested-list", "brotli", "fixed-bytes", "json"}
COMMON |= {"delta-binary-packed", "delta-length", "delta-byte-array", "byte-stream-split", "lz4-hadoop"}
"""Features of files whose values have one plain form in all readers."""
CORPUS = 40
"""Files of the corpus that are run."""


def common_files(corpus):
    """Small files of the corpus whose columns all readers give alike, some of each repository."""
    with open(corpus / "catalog.csv", newline="") as catalog:
        rows = [one for one in csv.DictReader(catalog) if one["klass"] in ("valid", "quirk")]
    taken = collections.Counter()
    for one in rows:
        if int(one["size"]) < 100_000 and taken[one["source"]] < 4:
            with contextlib.suppress(ParquetError), pqexplore.open(corpus / one["path"]) as file:
                if {found.name for found in features(file)} <= COMMON and file.num_rows:
                    taken[one["source"]] += 1
                    yield corpus / one["path"]


@fork
@pytest.mark.full
def test_runs_over_corpus_files_agree_with_direct_calls(corpus, tmp_path):
    paths = [tmp_path / f"{at}.parquet" for at in range(CORPUS)]
    chosen = list(itertools.islice(common_files(corpus), CORPUS))
    for path, source in zip(paths, chosen, strict=False):
        shutil.copy(source, path)
    paths = paths[: len(chosen)]
    # fastparquet's data frames have no null integers, and no lists of lists: other forms of the same values.
    engines = [one for one in ENGINES if one != "fastparquet"]
    rows = {engine: direct(engine, paths, tmp_path) for engine in engines}
    problems = []
    for at, path in enumerate(paths):
        said = report(path)
        reading = [one for one in engines if said[one].verdict is Verdict.READS]
        for engine in engines:
            own = rows[engine][at]
            refused = said[engine].verdict is Verdict.REFUSES
            other = next((rows[one][at] for one in reading if one != engine), own)
            if refused != (own is None) or (engine in reading) != (own == other):
                problems.append(f"{chosen[at]}: {said[engine]}")
    assert len(paths) >= 20
    assert not problems, "\n".join(problems)
