"""`pqexplore sample NAME`: writes a sample file."""

from __future__ import annotations

import argparse
import os
import shlex
from typing import TYPE_CHECKING

from pqexplore.cli.out import DONE, USAGE, Out, Refused

if TYPE_CHECKING:
    from pqexplore.engine.writer.samples import Sample


DESCRIPTION = """\
Write a sample file, unless it is there already. Of an encrypted one, say its keys and the command that opens it."""


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb that are its own."""
    made.add_argument("name", nargs="?", metavar="NAME", help="which sample")
    made.add_argument("path", nargs="?", metavar="PATH", help="where to; NAME.parquet by default")
    made.add_argument("--list", action="store_true", help="name the samples")


def run(asked: argparse.Namespace, out: Out) -> int:
    """Run the verb. Returns the exit status."""
    from pqexplore.engine.errors import ParquetError, TargetError, UsageError
    from pqexplore.engine.writer.samples import SAMPLES, SICK, write_sample

    known = {**SAMPLES, **SICK}
    if asked.list or asked.name is None:
        _list(known, asked, out)
        return DONE if asked.list else USAGE
    if asked.name not in known:
        raise Refused(f"there is no sample {asked.name!r}; there are {', '.join(known)}")
    path = f"{asked.name}.parquet" if asked.path is None else asked.path
    try:
        fresh = write_sample(asked.name, path, overwrite=asked.force)
    except OSError as error:
        return out.fail(path, error, asked.json)
    except TargetError as error:
        return out.fail(path, error, asked.json)
    except (ParquetError, UsageError) as error:  # the sample needs an extra
        return out.fail(f"sample {asked.name}", error, asked.json)
    size, command = os.path.getsize(path), _command(known[asked.name], path)
    if asked.json:
        out.document("sample", {"name": asked.name, "path": path, "size": size, "opens_with": command})
        return DONE
    out.say(f"{'wrote' if fresh else 'already there:'} {path}, {size:,} bytes")
    if command:
        out.say("its keys, and the command that opens it:")
        out.say(f"  {command}")
    return DONE


def _list(known: dict[str, Sample], asked: argparse.Namespace, out: Out) -> None:
    from pqexplore.insight.terminal import wrap

    if asked.json:
        out.document("samples", {"samples": {name: sample.sentence for name, sample in known.items()}})
        return
    for name, sample in known.items():
        out.lines(wrap(f"{name:<20} {sample.sentence}", out.room, " " * 21))


def _command(sample: Sample, path: str) -> str:
    """The command of a shell that opens an encrypted sample, its published keys in the environment; "" for others."""
    variables, options = [], []
    if "footer_key" in sample.keys:
        variables.append(f"FOOTER_KEY={shlex.quote(sample.keys['footer_key'].decode())}")
        options.append("--footer-key-file env:FOOTER_KEY")
    for number, (column, key) in enumerate(sample.keys.get("column_keys", {}).items(), start=1):
        variables.append(f"COLUMN_KEY_{number}={shlex.quote(key.decode())}")
        options.append(f"--column-key {shlex.quote(f'{column}=env:COLUMN_KEY_{number}')}")
    if "aad_prefix" in sample.keys:
        options.append(f"--aad-prefix {shlex.quote(sample.keys['aad_prefix'].decode())}")
    if not options:
        return ""
    return " ".join([*variables, "pqexplore", shlex.quote(path), *options])
