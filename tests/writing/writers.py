"""All ways in which a user has a file written, as one table; as a program, one of them, hampered: see `main`."""

import argparse
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

import pqexplore
from pqexplore.cli import main as command
from pqexplore.engine import output_file
from pqexplore.engine.writer.samples import SICK


@dataclass(frozen=True)
class Writer:
    """`run(target, force)` writes. `reads` is the file that it reads; "" for none. `force`: whether it can replace one."""

    run: Callable[[str, bool], object]
    reads: str = "source.parquet"
    ending: str = ".parquet"
    force: bool = True


def prepare(folder):
    """The files that the writers read: a sound one, a copy with another value, one without its footer."""
    rng = np.random.default_rng(1)
    table = pa.table({"a": rng.integers(0, 1 << 60, 5_000), "b": ["x", "y"] * 2_500})
    options = pqexplore.WriteOptions(codec="UNCOMPRESSED", encoding="PLAIN", row_group_rows=1_250)
    pqexplore.write(table, folder / "source.parquet", options)
    shutil.copy(folder / "source.parquet", folder / "second.parquet")
    data = (folder / "source.parquet").read_bytes()
    (folder / "cut.parquet").write_bytes(data[:-100])
    return folder


def _command(*words):
    """A command; a status that says that it failed raises SystemExit, which `refusal` expects."""

    def run(target, force):
        given = [target if one == "TARGET" else one for one in words]
        status = command([*given, *(["--force"] if force else [])])
        if status not in (0, 1):
            raise SystemExit(status)

    return run


def _export(target, force):
    from pqexplore.insight import lenses
    from pqexplore.insight.lenses.what_if import trials

    with pqexplore.open("source.parquet") as file:
        lenses.finish(trials.tried(file))
        lenses.finish(trials.write_what_if(file, target, 500, 1_000))


def _write_file(target, force):
    with pqexplore.open("source.parquet") as file:
        pqexplore.write(file, target, overwrite=force)


WRITERS = {
    "--html": Writer(_command("source.parquet", "--html", "TARGET"), ending=".html"),
    "diff --html": Writer(_command("diff", "second.parquet", "source.parquet", "--html", "TARGET"), ending=".html"),
    "lake --html": Writer(_command("lake", "--processes", "0", ".", "--report", "--html", "TARGET"), ending=".html"),
    "rewrite": Writer(_command("rewrite", "source.parquet", "TARGET")),
    "salvage": Writer(_command("salvage", "cut.parquet", "TARGET"), reads="cut.parquet"),
    "sample": Writer(_command("sample", "events", "TARGET"), reads=""),
    "pqexplore.write": Writer(_write_file),
    "pqexplore.rewrite": Writer(lambda target, force: pqexplore.rewrite("source.parquet", target, overwrite=force)),
    "pqexplore.write_summary": Writer(
        lambda target, force: pqexplore.write_summary(["source.parquet", "second.parquet"], target, overwrite=force)),
    "salvage(…).write": Writer(lambda target, force: pqexplore.salvage("cut.parquet").write(target, overwrite=force),
        reads="cut.parquet"),
    "samples.write": Writer(lambda target, force: pqexplore.samples.write("events", target, overwrite=force), reads=""),
    "a sample's write": Writer(lambda target, force: SICK["sick-page"].write(target), reads="", force=False),
    "what-if's export": Writer(_export, force=False),
}  # fmt: skip


def refusal(name, target, *, force=False):
    """The words with which a writer refuses a target: what it raises, or prints to standard error."""
    import contextlib
    import io

    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:
            WRITERS[name].run(target, force)
        except (OSError, pqexplore.UsageError) as error:
            return str(error)
        except SystemExit as end:
            assert end.code in (2, 3)
            return said.getvalue()
    raise AssertionError(f"{name} has written {target}")


def environment():
    """The environment of a process that runs this module."""
    tests = str(Path(__file__).resolve().parents[1])
    root = str(Path(__file__).resolve().parents[2])
    return os.environ | {"PYTHONPATH": os.pathsep.join([root, tests])}


def main():
    """Run one writer, with the target `target` in the present folder.

    `--limit`: no file may have more bytes than that. `--slow`: the writer waits half a minute after its first bytes.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--slow", action="store_true")
    asked = parser.parse_args()
    if asked.limit is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (asked.limit, asked.limit))
    # A background job of a shell ignores SIGINT, and its children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    if asked.slow:
        real = output_file.OutputFile.write

        def slowly(self, data):
            done = real(self, data)
            self.flush()
            output_file.OutputFile.write = real
            for _ in range(3_000):
                time.sleep(0.01)
            return done

        output_file.OutputFile.write = slowly
    writer = WRITERS[asked.name]
    writer.run(f"target{writer.ending}", False)


if __name__ == "__main__":
    sys.exit(main())
