"""Measures what we and other readers and writers do with each row of `status_rows`, each run in a process of its own."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.metadata
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import status_rows
from status_engines import SAYS_SORTING
from status_rows import ROWS_BY_ID, WANTED, Row

import pqexplore
from pqexplore.engine.format.variant.decode import decode_array
from pqexplore.engine.writer.data_set import write_summary
from pqexplore.insight.doctor.readers import run as runs
from pqexplore.insight.doctor.readers.compare import first_difference
from pqexplore.insight.doctor.readers.reader import Reader, Verdict

HERE = Path(__file__).resolve().parent
SPARK = HERE.parent / ".venv" / "spark" / "bin" / "python"
"""The Python with Spark, if `make spark` has made it. PQEXPLORE_SPARK_PYTHON names another one."""

ENGINES = ("pyarrow", "DuckDB", "polars", "fastparquet", "DataFusion", "Spark")
SECONDS, WHOLE = 60, 1_800
"""Time limits of a run, and of all runs of an engine."""

YES, NO, WRONG, NOT_RUN, NOTHING = "yes", "no", "wrong values", "not run", ""

FOUND = f"value {WANTED}"


@dataclasses.dataclass(slots=True)
class Cell:
    """What one engine does with one row: reading and writing, each with what was seen. `NOTHING` if there is nothing to see."""

    reads: str = NOT_RUN
    writes: str = NOT_RUN
    read_why: str = ""
    write_why: str = ""


@dataclasses.dataclass(slots=True)
class Measured:
    """The version of each engine and the `created_by` of its files, and all cells by row and engine; "pqexplore" is ours."""

    versions: dict[str, str]
    created_by: dict[str, str]
    cells: dict[str, dict[str, Cell]]


def own(row: Row, folder: Path) -> Cell:
    """Writes the row's file, proves the feature in its bytes, reads it back, and compares with the values."""
    path = folder / f"{row.id}.parquet"
    made = Cell(NOTHING, NOTHING)
    status_rows.write(row, path)
    if row.proof is not None:
        with status_rows.opened(row, path) as file:
            made.writes = YES if row.proof(file) else NO
    if row.action:
        made.reads = YES if _own_reading(row, path, folder) else NO
    return made


def _own_reading(row: Row, path: Path, folder: Path) -> bool:
    if row.action == "filter":
        damaged = _broken(row, path)
        with pqexplore.ask(damaged, f"k = {WANTED}") as plan:
            kept = sum(plan.row_groups.column("rows").to_pylist())
        return kept == (100 if "page_rows" in row.options else 250) and _agrees(row, path)
    if row.action == "column":
        with pqexplore.open(_broken(row, path)) as file:
            return bool(file.read(columns=["v"]).column(0).equals(row.table().column("v")))
    if row.action == "checksum":
        with pqexplore.open(path) as good, pqexplore.open(_broken(row, path)) as bad:
            sound = all(page.crc_ok is True for page in status_rows.data_pages(good))
            return sound and all(page.crc_ok is False for page in status_rows.data_pages(bad))
    if row.action == "summary":
        with pqexplore.open(data_set(row, folder), follow_file_path=True) as file:
            return bool(file.read().equals(pa.concat_tables([row.table()] * 2)))
    if row.action == "sorting":
        with pqexplore.open(path) as file:
            groups = [group.metadata.sorting_columns for group in file.row_groups]
        return all([one.column_idx for one in group or ()] == [0] for group in groups)
    return _agrees(row, path)


def _agrees(row: Row, path: Path) -> bool:
    """Whether our reading has the values that were written."""
    table = row.table()
    with status_rows.opened(row, path) as file:
        read = file.read()
        fields = file.schema.root.children
        return read.num_rows == table.num_rows and all(
            _variants(written) == _variants(column)
            if field.kind == "variant"
            else first_difference(written, column, field, False) is None
            for written, column, field in zip(table.columns, read.columns, fields, strict=True)
        )


def _variants(column: pa.ChunkedArray) -> list[object]:
    return [value for chunk in column.chunks for value in decode_array(chunk)]


def _broken(row: Row, path: Path) -> Path:
    target = path.with_suffix(".broken.parquet")
    if not target.exists():
        status_rows.broken(row, path, target)
    return target


def data_set(row: Row, folder: Path) -> Path:
    """The `_metadata` of a data set of two files."""
    place = folder / "data-set"
    if not place.exists():
        place.mkdir()
        parts = [place / f"part-{number}.parquet" for number in (1, 2)]
        for part in parts:
            status_rows.write(row, part)
        write_summary(parts, place / "_metadata")
    return place / "_metadata"


def seen(row: Row, engine: str) -> bool:
    """Whether something that the reader does shows what it does with the feature."""
    if row.action == "sorting":
        return engine in SAYS_SORTING
    # Spark takes keys from a key service only (tests/spark/test_encryption.py runs it with one), and reads a data set
    # with or without its summary.
    return row.action != "" and not (row.action in ("key", "summary") and engine == "Spark")


def jobs(row: Row, engine: str, folder: Path) -> Iterator[dict[str, Any]]:
    """The jobs for `status_engines` or `status_spark` that fill a cell."""
    path = folder / f"{row.id}.parquet"
    common = {"row": row.id}
    out = str(folder / f"{row.id}-{engine}")
    if row.proof is not None:
        yield common | {"action": "write", "path": "", "out": f"{out}-write"}
    if not seen(row, engine):
        return
    if row.action == "summary":
        yield common | {"action": "summary", "path": str(data_set(row, folder)), "out": out}
    else:
        yield common | {"action": row.action, "path": str(path), "out": out}
        if row.action in ("filter", "column", "checksum"):
            broken = str(_broken(row, path))
            yield common | {"action": row.action, "path": broken, "out": f"{out}-broken"}


def error_of(out: str) -> str:
    """The error that a job left, "" if it worked."""
    try:
        text = str(json.loads(Path(f"{out}.json").read_text("utf-8")).get("error", ""))
    except FileNotFoundError:
        return "its process left no answer"
    return text.replace(f"{Path(out).parent}/", "")


def table_of(out: str) -> pa.Table:
    """The table that a job left."""
    with pa.OSFile(out) as opened:
        return pa.ipc.open_file(opened).read_all()


def judged(row: Row, engine: str, folder: Path) -> Cell:
    """The cell of an engine whose jobs have run."""
    made = Cell(NOTHING, NOTHING)
    out = str(folder / f"{row.id}-{engine}")
    if row.action == "key" and engine == "Spark":
        return Cell()
    if row.proof is not None:
        made.write_why = error_of(f"{out}-write")
        made.writes = NO if made.write_why else YES
    if not seen(row, engine):
        return made
    if row.action in ("values", "key"):
        made.reads, made.read_why = _of_values(row, engine, folder, out)
    else:
        made.reads, made.read_why = _of_action(row, out)
    made.read_why = made.read_why.replace(f"{folder}/", "")
    return made


def _of_values(row: Row, engine: str, folder: Path, out: str) -> tuple[str, str]:
    path = folder / f"{row.id}.parquet"
    with status_rows.opened(row, path) as file:
        return verdict(runs.judge(file, engine, runs.outcome(out, "")))


def verdict(seen: Reader) -> tuple[str, str]:
    """A reader's verdict as a cell's word, and why."""
    if seen.verdict is Verdict.READS:
        return YES, ""
    if seen.verdict is Verdict.UNCOMPARED:
        return YES, seen.sentence
    word = {Verdict.WRONG: WRONG, Verdict.REFUSES: NO}.get(seen.verdict, NOT_RUN)
    return word, seen.error or seen.sentence.removeprefix(f"{seen.verdict.value}, without an error: ")


def _of_action(row: Row, out: str) -> tuple[str, str]:
    error = error_of(out)
    if error:
        return NO, error
    table = table_of(out)
    if row.action == "sorting":
        right = table.column("column").to_pylist() == [0]
        return (YES, "") if right else (NO, "it sorts the rows again")
    expected = {"filter": [FOUND], "summary": row.table().column("v").to_pylist() * 2}.get(
        row.action, row.table().column("v").to_pylist()
    )
    values = [one.decode() if isinstance(one, bytes) else one for one in table["v"].to_pylist()]
    if values != expected:
        wrong = next((pair for pair in zip(values, expected, strict=False) if pair[0] != pair[1]), "")
        what = f"it has {wrong[0]!r}, the file {wrong[1]!r}" if wrong else f"{len(values)} rows"
        return WRONG, f"of the {len(expected)} rows that fit: {what}"
    if row.action == "summary":
        return YES, ""
    error = error_of(f"{out}-broken")
    if row.action == "checksum":
        return (YES, "") if error else (NO, "it gives values of a page whose checksum is wrong")
    return (NO, f"it reads what it could leave out: {error}") if error else (YES, "")


def installed(engine: str) -> str:
    """The version of an engine, "" if it is not installed."""
    if engine == "Spark":
        code = "import pyspark; print(pyspark.__version__)"
        done = spark_python() and subprocess.check_output([spark_python(), "-c", code], text=True)
        return done.strip()
    try:
        return importlib.metadata.version(engine.lower())
    except importlib.metadata.PackageNotFoundError:
        return ""


def spark_python() -> str:
    """The Python with Spark; "" if there is none."""
    chosen = os.environ.get("PQEXPLORE_SPARK_PYTHON", str(SPARK))
    return chosen if Path(chosen).exists() else ""


def measure(ids: Sequence[str] = tuple(ROWS_BY_ID), engines: Sequence[str] = ENGINES, workers: int = 2) -> Measured:
    """Measure rows. What is not installed is not run."""
    rows = [ROWS_BY_ID[id] for id in ids]
    versions = {"pqexplore": pqexplore.__version__} | {one: installed(one) for one in engines}
    cells: dict[str, dict[str, Cell]] = {id: {} for id in ids}
    with tempfile.TemporaryDirectory(prefix="pqexplore-status-") as made:
        folder = Path(made)
        for row in rows:
            cells[row.id]["pqexplore"] = own(row, folder)
        todo = {one: [job for row in rows for job in jobs(row, one, folder)] for one in engines}
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(lambda one: _run(one, todo[one], folder), filter(versions.get, engines)))
        for engine in engines:
            for row in rows:
                there = versions[engine]
                cells[row.id][engine] = judged(row, engine, folder) if there else Cell()
        created = {one: _created_by(folder, f"physical-int64-{one}-write") for one in engines}
        created["pqexplore"] = _created_by(folder, "physical-int64.parquet")
    return Measured(versions, created, cells)


def _created_by(folder: Path, name: str) -> str:
    """The `created_by` of a file that was written for the page, "" if there is none."""
    if not (folder / name).exists():
        return ""
    with pqexplore.open(folder / name) as file:
        return file.created_by or ""


def _run(engine: str, todo: list[dict[str, Any]], folder: Path) -> None:
    """Run all jobs of an engine. Spark does them in one process, because it takes seconds to start."""
    if engine == "Spark":
        order = {"jobs": todo, "folder": str(folder)}
        command = [spark_python(), str(HERE / "status_spark.py")]
    else:
        order = {"engine": engine, "jobs": todo, "seconds": SECONDS, "memory": runs.MEMORY}
        command = [sys.executable, str(HERE / "status_engines.py")]
    # What was not done in time has left no answer.
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(
            command, input=json.dumps(order).encode(), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, timeout=WHOLE, cwd=HERE.parent,
            env=os.environ | {"PYTHONPATH": str(HERE.parent), "POLARS_MAX_THREADS": "2"},
        )  # fmt: skip
