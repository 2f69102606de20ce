"""Reads a file with one reader, in a process of its own: `python -m pqexplore.insight.doctor.readers.worker`.

The job comes as JSON on the standard input: `engine`, `path`, `out`, `memory` (bytes), `names` of the columns, `seconds`.
The reader's table goes to `out` as an Arrow IPC stream, and a line of JSON to `out` + ".json": the version, and the error or
the columns that fail alone. A file that is read whole is read again by its columns' names, each alone and all together,
as long as there is time: `asked` says how often, `answers` what was not the same. The other side checks the tables before
it uses them.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import sys
import time
from collections.abc import Callable, Sequence

import pyarrow as pa

Columns = Sequence[str] | None

_JSON = 19
"""The converted type JSON."""

ALONE = 64
"""Columns that are tried one by one when the whole file fails."""

CHARACTERS = 2_000
"""Characters of an error that are kept."""


def limit(memory: int) -> None:
    """Limits the memory of this process, where the system can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def by_pyarrow(path: str, columns: Columns) -> pa.Table:
    """By Arrow C++."""
    import pyarrow.parquet as pq

    return pq.ParquetFile(path).read(columns=columns)


def by_duckdb(path: str, columns: Columns) -> pa.Table:
    """By DuckDB; Variants as JSON, geometries as WKB, because Arrow has no type of its own for them."""
    import duckdb

    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'; SET threads = 1")
        relation = connection.from_parquet(path, hive_partitioning=False)
        chosen = []
        for name in relation.columns if columns is None else columns:
            quoted = '"' + name.replace('"', '""') + '"'
            kind = str(relation.project(quoted).types[0])
            form = {"VARIANT": f"CAST({quoted} AS JSON)::VARCHAR"}.get(kind, quoted)
            if kind.startswith("GEOMETRY"):
                form = f"ST_AsWKB({quoted})"
            chosen.append(f"{form} AS {quoted}")
        return relation.project(", ".join(chosen)).to_arrow_table()


def by_polars(path: str, columns: Columns) -> pa.Table:
    """By polars."""
    import polars

    chosen = None if columns is None else list(columns)
    frame = polars.read_parquet(path, columns=chosen, glob=False, hive_partitioning=False)
    return frame.to_arrow()


def by_fastparquet(path: str, columns: Columns) -> pa.Table:
    """By fastparquet, whose answer is a pandas data frame."""
    import fastparquet

    file = fastparquet.ParquetFile(path)
    frame = file.to_pandas(columns=columns, index=False)
    made = []
    for at in range(frame.shape[1]):
        series = frame.iloc[:, at]
        element = file.schema.root["children"].get(str(frame.columns[at]))
        if element is not None and element.converted_type == _JSON:
            series = [None if one is None else json.dumps(one) for one in series]
        elif any(isinstance(one, dict) for one in series):
            series = [_pairs(one) if isinstance(one, dict) else None for one in series]
        try:
            made.append(pa.array(series, from_pandas=True))
        except (pa.ArrowException, TypeError, ValueError):
            made.append(pa.array([None if one is None else repr(one) for one in series]))
    return pa.Table.from_arrays(made, names=[str(name) for name in frame.columns])


def _pairs(mapping: dict[object, object]) -> list[dict[str, object]]:
    return [{"key": key, "value": value} for key, value in mapping.items()]


def by_datafusion(path: str, columns: Columns) -> pa.Table:
    """By DataFusion."""
    import datafusion

    # One partition: the rows of several come in any order.
    context = datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(1))
    frame = context.read_parquet(path, file_extension="")
    chosen = []
    intervals = False
    for field in frame.schema():
        if columns is None or field.name in columns:
            column = datafusion.col('"' + field.name.replace('"', '""') + '"')
            if str(field.type) == "day_time_interval":  # pyarrow has no such array
                intervals = True
                column = datafusion.functions.arrow_cast(column, "Interval(MonthDayNano)")
                column = column.alias(field.name)
            chosen.append(column)
    if columns is not None or intervals:
        frame = frame.select(*chosen)
    return frame.to_arrow_table()


READERS: dict[str, Callable[[str, Columns], pa.Table]] = {
    "pyarrow": by_pyarrow,
    "DuckDB": by_duckdb,
    "polars": by_polars,
    "fastparquet": by_fastparquet,
    "DataFusion": by_datafusion,
}
"""The readers that can be run, by name; the package has the name in lower case."""


def read(engine: str, path: str, out: str, names: Columns = None, seconds: float = 0.0) -> None:
    """Read a file by a reader, and write what came of it. If it fails, try the columns `names` one by one.

    If it does not, ask for them by their names, and begin with none after so many seconds.
    """
    until = time.monotonic() + seconds
    made: dict[str, object] = {"version": version(engine)}
    reader = READERS[engine]
    try:
        table = reader(path, None)
        _write(out, table)
        _say(out, made)  # in case that asking by name ends the process
        if names is not None and len(names) <= ALONE:
            made["asked"], made["answers"] = _by_name(reader, path, out, names, table, until)
    except BaseException as error:  # a panic of Rust is no Exception
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        made["error"] = text(error)
        _say(out, made)  # in case that trying the columns ends the process
        made["failing"] = _failing(reader, path, names)
    _say(out, made)


def _write(out: str, table: pa.Table) -> None:
    # A file of Arrow IPC cannot hold a column whose chunks have different dictionaries, a stream can.
    with pa.ipc.new_stream(out, table.schema) as sink:
        sink.write_table(table)


def _by_name(
    reader: Callable[[str, Columns], pa.Table], path: str, out: str, names: Sequence[str], whole: pa.Table, until: float
) -> tuple[int, list[dict[str, object]]]:
    """How many questions by name a reader was asked, and its answers that are not those of the `whole` file.

    An answer has the names that were asked for, and the error or the path of the table.
    """
    questions = [[name] for name in names]
    if len(names) > 1:
        questions.append(list(names))
    answers: list[dict[str, object]] = []
    for number, wanted in enumerate(questions):
        if time.monotonic() > until:
            return number, answers
        answer: dict[str, object] = {"names": wanted}
        try:
            found = reader(path, wanted)
            if _same(whole, found, names, wanted):
                continue
            answer["table"] = f"{out}.{number}"
            _write(f"{out}.{number}", found)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
            answer["error"] = text(error)
        answers.append(answer)
    return len(questions), answers


def _same(whole: pa.Table, found: pa.Table, names: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether the columns of an answer equal those of the whole file, in which NaN equals nothing."""
    if whole.num_columns != len(names) or found.num_columns != len(wanted):
        return False
    pairs = ((whole.column(names.index(name)), found.column(at)) for at, name in enumerate(wanted))
    return all(one.type == other.type and one.equals(other) for one, other in pairs)


def version(engine: str) -> str:
    """The version of a reader that is installed."""
    return importlib.metadata.version(engine.lower())


def text(error: BaseException) -> str:
    """An error in one line."""
    whole = f"{type(error).__name__}: {error}"
    return " ".join(whole.split())[:CHARACTERS]


def _say(out: str, made: dict[str, object]) -> None:
    with open(f"{out}.json", "w", encoding="utf-8", errors="replace") as written:
        json.dump(made, written)


def _failing(reader: Callable[[str, Columns], pa.Table], path: str, names: Columns) -> list[str] | None:
    """Those of the columns that fail alone; None if they are too many to try, or not known."""
    if names is None or len(names) > ALONE:
        return None
    found = []
    for name in names:
        try:
            reader(path, [name])
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
            found.append(name)
    return found


def main() -> None:
    """Do the job on the standard input."""
    job = json.loads(sys.stdin.read())
    limit(job["memory"])
    read(job["engine"], job["path"], job["out"], job["names"], job["seconds"])


if __name__ == "__main__":
    main()
