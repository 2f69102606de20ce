"""`pqexplore sample NAME`: writes a sample file."""

from __future__ import annotations

import argparse
import os

from pqexplore.cli.out import DONE, UNREADABLE, USAGE, Out


def parser() -> argparse.ArgumentParser:
    """The arguments of the verb."""
    made = argparse.ArgumentParser(prog="pqexplore sample", description="Write a sample file.")
    made.add_argument("name", nargs="?", metavar="NAME", help="which sample")
    made.add_argument("path", nargs="?", metavar="PATH", help="where to; NAME.parquet by default")
    made.add_argument("--list", action="store_true", help="name the samples")
    return made


def run(words: list[str], out: Out) -> int:
    """Run the verb. Returns the exit status."""
    options = parser()
    asked = options.parse_args(words)
    from pqexplore.engine.errors import ParquetError, UsageError
    from pqexplore.engine.writer.samples import SAMPLES, SICK, write_sample
    from pqexplore.insight.terminal import wrap

    known = {**SAMPLES, **SICK}
    if asked.list or asked.name is None:
        for name, sample in known.items():
            out.lines(wrap(f"{name:<20} {sample.sentence}", out.room, " " * 21))
        return DONE if asked.list else USAGE
    if asked.name not in known:
        options.error(f"there is no sample {asked.name!r}; there are {', '.join(known)}")
    path = asked.path or f"{asked.name}.parquet"
    try:
        write_sample(asked.name, path)
    except OSError as error:
        out.fail(path, error)
        return UNREADABLE
    except (ParquetError, UsageError) as error:  # the sample needs an extra
        out.fail(f"sample {asked.name}", error)
        return UNREADABLE
    out.say(f"wrote {path}, {os.path.getsize(path):,} bytes")
    return DONE
