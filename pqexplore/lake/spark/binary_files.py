"""Reads files through Spark's data source `binaryFile`, with the session's own credentials.

This is for files that neither this process nor a worker's Python can open, but Spark can. It is dear: Spark reads files
whole, where a footer would do. How many bytes that are is known from the listing, and said before the first is read.

Spark lists the files, and does not show empty ones and names that begin with `_` or a dot. So no table's log is read here:
a folder with one is refused. Give the table's name or a DataFrame; then Spark reads the log.
"""

from __future__ import annotations

import contextlib
import dataclasses
import re
import urllib.parse
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import CredentialsError, UsageError
from pqexplore.engine.file.source import local_path
from pqexplore.lake.listed_files import Entry, Options
from pqexplore.lake.listing import Listing
from pqexplore.lake.scanning.progress import Watch
from pqexplore.lake.spark.job import ANSWERS, answer
from pqexplore.lake.store.part_files import Done, StoredPart, failed, save
from pqexplore.lake.store.table_definition import ddl

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from pqexplore.lake.listed_files import LakeSource

BINARY_FILE = "binaryFile"

LARGEST = 2**31 - 1 - (1 << 20)
"""Max bytes of a file: its content is one value of a row, which the JVM limits to 2 GiB."""
ABOVE = 8
"""Folders above the source that are searched for a table's log."""
LOGS = ("_delta_log/*.json", "metadata/*.metadata.json")
"""What a folder with the log of a Delta or Iceberg table contains."""

_GLOB = re.compile(r"[{}\[\]*?\\]")
_REFUSED = re.compile(
    r"access ?denied|forbidden|\b40[13]\b|not authorized|no ?(aws )?credentials|permission|NoAuth", re.I
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class WholeFiles:
    """The files of a source, as Spark lists them; `rows` has their contents as well, which are not read yet."""

    rows: DataFrame
    entries: list[Entry]

    @property
    def size(self) -> int:
        """Bytes that reading them costs."""
        return sum(entry.size or 0 for entry in self.entries)


def whole_files(spark: SparkSession, source: LakeSource, patterns: Sequence[str]) -> WholeFiles:
    """Lists the files of a folder, a file, a table's name or a DataFrame.

    Raises UsageError for a folder with a table's log, for another source, and if there are no files; CredentialsError if
    Spark may not read it.
    """
    if hasattr(source, "inputFiles"):
        paths, name = [_literal(urllib.parse.unquote(one)) for one in source.inputFiles()], "it"
    elif isinstance(source, str) and re.fullmatch(r"\w[\w-]*(\.\w[\w-]*){1,2}", source):
        return whole_files(spark, spark.table(source), patterns)
    elif isinstance(source, str):
        _require_plain(spark, source)
        paths, name = [source], source
    else:
        raise UsageError(f"through={BINARY_FILE!r} takes a path, a table's name or a DataFrame")
    reader = spark.read.format(BINARY_FILE).option("recursiveFileLookup", "true")
    with _told(name):
        rows = reader.option("ignoreMissingFiles", "true").load(paths)
        facts = rows.selectExpr("path", "length", "unix_micros(modificationTime) AS modified")
        listed = facts.collect()
    fits = re.compile("|".join(_translated(one) for one in patterns)).fullmatch
    named = hasattr(source, "inputFiles") or len(listed) == 1
    entries = [
        Entry(shown(one["path"]), one["length"], one["modified"])
        for one in listed
        if named or fits(one["path"].rpartition("/")[2])
    ]
    if not entries:
        raise UsageError(f"{name} has no file named {', '.join(patterns)}")
    return WholeFiles(rows, sorted(entries, key=lambda one: one.path))


def listing(found: WholeFiles) -> Listing:
    """The files as a listing. Warns of the bytes that reading them costs."""
    warnings.warn(
        f"{BINARY_FILE} reads whole files: {len(found.entries):,} files, {found.size:,} bytes", stacklevel=2
    )  # fmt: skip
    return Listing(found.entries)


def run(session: SparkSession, found: WholeFiles, options: Options, root: str, watch: Watch) -> list[Done]:
    """Read all files in one job. A file that is too large for it, or is gone, is a row with an error."""
    watch.check()
    too_large = [entry for entry in found.entries if (entry.size or 0) > LARGEST]
    wanted = {entry.path for entry in found.entries} - {entry.path for entry in too_large}
    rows = found.rows.where(f"length <= {LARGEST}").selectExpr(
        "path", "length", "unix_micros(modificationTime) AS modified", "content"
    )
    with _one_at_a_time(session):
        answers = rows.mapInArrow(_reader(options, wanted), ddl(ANSWERS)).collect()
    done, read = [], set()
    for row in answers:
        if row["file"] is None:
            read.add(row["table"])
            done.append(Done(row["files"], row["errors"], row["bytes_read"], ()))
            continue
        part = StoredPart(row["table"], row["file"], row["rows"], row["size"], bytes(row["payload"]))  # fmt: skip
        done.append(Done(0, 0, 0, (save(part, root),)))
    for entry in found.entries:
        if entry in too_large:
            words = f"{entry.size:,} bytes are more than {BINARY_FILE} can give ({LARGEST:,})"
            done.append(failed(entry, options, root, "limit", words, "open"))
        elif entry.path not in read:
            words = "no such file; it was there when the folder was listed"
            done.append(failed(entry, options, root, "missing", words, "open"))
    for one in done:
        watch.add(one)
    return done


def shown(path: str) -> str:
    """The path of a file as other scans name it: `file:/x` is `/x`."""
    return local_path(path) or path


def _reader(options: Options, wanted: set[str]) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function of a task: rows of files in, batches of `ANSWERS` out; one row without a part for each file."""

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import tempfile

        from pqexplore.lake.places.opening import contents
        from pqexplore.lake.scanning import subprocess_isolation
        from pqexplore.lake.store.part_files import load

        with tempfile.TemporaryDirectory(prefix="pqexplore-", ignore_cleanup_errors=True) as below:
            for batch in batches:
                paths, sizes, times, bodies = batch.columns
                for place, name in enumerate(paths.to_pylist()):
                    path = shown(name)
                    if path not in wanted:
                        continue
                    body = bodies[place].as_py()
                    contents.set({path: body})
                    entry = Entry(path, sizes[place].as_py(), times[place].as_py())
                    for one in subprocess_isolation.forked([entry], options, below):
                        yield answer([(one.files, one.errors, len(body), path, None, None, None, None)])  # fmt: skip
                        for part in one.parts:
                            load_it = load(part, below)
                            yield answer([(0, 0, 0, part.table, part.file, part.rows, part.size, load_it)])  # fmt: skip

    return read


def _require_plain(spark: SparkSession, source: str) -> None:
    """UsageError if a folder, or one above it, has the log of a table."""
    at = source.rstrip("/")
    for _ in range(ABOVE):
        for log in LOGS:
            found: list[Any] = []
            with contextlib.suppress(Exception):  # there is none, or Spark may not look there
                found = spark.read.format(BINARY_FILE).load(f"{_literal(at)}/{log}").select("path").take(1)  # fmt: skip
            if found:
                raise UsageError(
                    f"{at} is a table with a log, which says which files are live: give the table's name, or "
                    'spark.read.format("delta").load(…)'
                )
        above = at.rpartition("/")[0]
        if not above.rpartition("/")[0].strip("/:"):
            return
        at = above


def _literal(path: str) -> str:
    """A path for Spark's reader, which takes it as a pattern."""
    return _GLOB.sub(r"\\\g<0>", path)


def _translated(pattern: str) -> str:
    import fnmatch

    return fnmatch.translate(pattern)


@contextlib.contextmanager
def _told(name: str) -> Iterator[None]:
    """Context manager: Spark's error about a path is ours, without the store's answer that it quotes."""
    try:
        yield
    except Exception as error:  # Spark's classes differ between classic and Connect
        said = str(error)
        if "PATH_NOT_FOUND" in said or "Path does not exist" in said:
            raise UsageError(f"{name}: Spark finds no such file or folder") from None
        if _REFUSED.search(said):
            raise CredentialsError(f"{name}: Spark's own credentials may not read it") from None
        raise


@contextlib.contextmanager
def _one_at_a_time(session: SparkSession) -> Iterator[None]:
    """Context manager: a batch for Python has one file, because the contents of many may not fit into memory."""
    setting = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = session.conf.get(setting)
    session.conf.set(setting, "1")
    try:
        yield
    finally:
        session.conf.set(setting, before)
