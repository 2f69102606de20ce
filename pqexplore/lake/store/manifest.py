"""Reads `manifest.json` of a run and the pointer `current.json`, and checks every field.

A store may be damaged, made by another program, or sent by another person. The manifest decides which files are opened
and deleted. So every field is checked before use, and all named files must be in the run's own folder.
"""

from __future__ import annotations

import dataclasses
import datetime
import json
import math
import os
import re
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from pqexplore.engine.errors import CorruptFileError, NotParquetError, UnsupportedFeatureError, UsageError
from pqexplore.engine.file.local_file import read_small
from pqexplore.engine.limits import Limits
from pqexplore.engine.text import clip
from pqexplore.lake.tables import ADDED, SCHEMA_VERSION, TABLES

POINTER = "current.json"
MANIFEST = "manifest.json"
PARTIAL = "partial.json"
"""The manifest of a run that is not complete: it lists the parts of the files that were read."""
LEVELS = ("chunks", "pages")
MOST_BYTES = 256 << 20
"""Max bytes of a manifest: it lists the parts of one run, at most thousands."""

_NAME = re.compile(r"\w[\w-]*")
_PART = re.compile(r"runs/(?P<run>\w[\w-]*)/(?P<table>\w+)/part-[\w-]+\.parquet")


@dataclasses.dataclass
class Manifest:
    """A run: its row of the table `runs`, and the files with its rows.

    `parts` are this run's own, by table; `chain` the runs with valid rows, oldest first, this one last.
    """

    run: dict[str, Any]
    options: dict[str, Any]
    chain: list[str]
    parts: dict[str, list[str]]
    superseded: str | None = None
    schema_version: int = SCHEMA_VERSION

    @property
    def run_id(self) -> str:
        """Name of the run."""
        return str(self.run["run_id"])


def read(root: str, run_id: str, name: str = MANIFEST) -> Manifest:
    """Read the manifest of a run below the store's folder; with `name` PARTIAL that of an unfinished run.

    Raises CorruptFileError for an invalid field, with the file and the field as its address; UnsupportedFeatureError if
    a newer version of this package wrote it.
    """
    file = _File(root, f"runs/{run_id}/{name}")
    read = file.load()
    version = read.get("schema_version")
    if not isinstance(version, int) or not _whole(version) or version < 1:
        file.wrong("schema_version", "a number from 1 on", version)
    if version > SCHEMA_VERSION:
        raise UnsupportedFeatureError(
            f"{file.path} has schema_version {version}; this version of pqexplore reads versions up to {SCHEMA_VERSION}. "
            "A newer one wrote the store: upgrade with `pip install --upgrade pqexplore`, or scan into another folder",
            address=file.at("schema_version"),
        )
    found = Manifest(
        run=file.mapping(read, "run"),
        options=file.mapping(read, "options"),
        chain=read.get("chain"),  # type: ignore[arg-type]  # checked below
        parts=file.mapping(read, "parts"),
        superseded=read.get("superseded"),
        schema_version=version,
    )
    _check(file, found, run_id)
    _check_parts(file, found)
    return found


def _check(file: _File, found: Manifest, run_id: str) -> None:
    """CorruptFileError for a field of the run, its options or its chain that is not as it is written."""
    for column in TABLES["runs"].columns:
        value = found.run.get(column.name)
        absent = value is None and (column.name == "parent" or column.name in ADDED)
        if not absent and not _IS[column.type](value):
            file.wrong(f"run/{column.name}", _WORDS[column.type], value)
    if found.run_id != run_id:
        file.wrong("run/run_id", f"{run_id!r}, as the folder is called,", found.run_id)
    for name, expected, fits in _OPTIONS:
        if not fits(found.options.get(name)):
            file.wrong(f"options/{name}", expected, found.options.get(name))
    if not _names(found.chain) or not found.chain or found.chain[-1] != run_id:
        file.wrong("chain", "a list of names of runs, this one last,", found.chain)
    if found.superseded not in (None, f"runs/{run_id}/superseded.parquet"):
        file.wrong("superseded", f"runs/{run_id}/superseded.parquet, or null,", found.superseded)


def _check_parts(file: _File, found: Manifest) -> None:
    """CorruptFileError for a part that is no file of this run's table."""
    run_id = found.run_id
    for table, parts in found.parts.items():
        if table not in TABLES or not isinstance(parts, list):
            file.wrong(f"parts/{table}", "a list of files of a table", parts)
        for place, part in enumerate(parts):
            match = _PART.fullmatch(part) if isinstance(part, str) else None
            if match is None or (match["run"], match["table"]) != (run_id, table):
                expected = f"a file runs/{run_id}/{table}/part-….parquet"
                file.wrong(f"parts/{table}/{place}", expected, part)


def pointer(root: str) -> str | None:
    """The run that the pointer names; None if there is no pointer. CorruptFileError if it names no run."""
    file = _File(root, POINTER)
    if not os.path.lexists(file.path) or not os.path.isdir(os.path.join(root, "runs")):
        return None
    run_id = file.load().get("run_id")
    if not isinstance(run_id, str) or _NAME.fullmatch(run_id) is None:
        file.wrong("run_id", "the name of a run", run_id)
    return str(run_id)


def is_run(name: str) -> bool:
    """Whether a text is a valid name of a run."""
    return _NAME.fullmatch(name) is not None


class _File:
    """A JSON file of a store; its errors name the file and the field."""

    def __init__(self, root: str, name: str) -> None:
        self.name = name
        self.path = os.path.join(root, *name.split("/"))

    def at(self, field: str) -> str:
        return f"{self.name}/{field}"

    def load(self) -> dict[str, Any]:
        try:
            data = read_small(self.path, MOST_BYTES + 1)
            if len(data) > MOST_BYTES:
                raise ValueError(f"it has more than {MOST_BYTES:,} bytes")
            read = json.loads(data)
        except FileNotFoundError:
            raise CorruptFileError(
                f"{self.path} is missing: the store is incomplete; scan the lake again into the same folder",
                address=self.name,
            ) from None
        except (NotParquetError, UsageError) as error:  # a pipe, a device, a folder
            raise CorruptFileError(f"{self.path} cannot be read: {error}", address=self.name) from None
        except (OSError, ValueError, RecursionError) as error:
            raise CorruptFileError(
                f"{self.path} cannot be read as JSON: {str(error)[:200]}; scan the lake again into the same folder",
                address=self.name,
            ) from None
        if not isinstance(read, dict):
            raise CorruptFileError(f"{self.path} is no JSON object", address=self.name)
        return read

    def mapping(self, read: Mapping[str, Any], field: str) -> dict[str, Any]:
        value = read.get(field)
        if not isinstance(value, dict):
            self.wrong(field, "an object", value)
        return dict(value)

    def wrong(self, field: str, expected: str, value: object) -> NoReturn:
        raise CorruptFileError(
            f"{self.path}: {field} is {_shown(value)}; {expected} is expected", address=self.at(field)
        )


def _shown(value: object) -> str:
    return "missing" if value is None else clip(repr(value), 80)


def _whole(value: object) -> bool:
    return type(value) is int and -(1 << 63) <= value < 1 << 63


def _number(value: object) -> bool:
    return _whole(value) or (isinstance(value, float) and math.isfinite(value))


def _instant(value: object) -> bool:
    try:
        return isinstance(value, str) and datetime.datetime.fromisoformat(value) is not None
    except ValueError:
        return False


def _names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and is_run(one) for one in value)


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _source(value: object, depth: int = 8) -> bool:
    if isinstance(value, list) and depth:
        return all(_source(one, depth - 1) for one in value)
    return isinstance(value, str)


_LIMITS = {field.name for field in dataclasses.fields(Limits)}


def _limits(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(pair, list)
        and len(pair) == 2
        and isinstance(pair[0], str)
        and pair[0] in _LIMITS
        and _whole(pair[1])
        for pair in value
    )


_IS: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "bigint": _whole,
    "double": _number,
    "timestamp": _instant,
}
_WORDS = {
    "string": "text",
    "bigint": "a whole number",
    "double": "a number",
    "timestamp": "a date and time as ISO 8601 has it",
}
_OPTIONS: tuple[tuple[str, str, Callable[[Any], bool]], ...] = (
    ("level", " or ".join(LEVELS), lambda value: isinstance(value, str) and value in LEVELS),
    ("check", "true or false", lambda value: isinstance(value, bool)),
    ("patterns", "a list of texts", _texts),
    ("limits", "a list of pairs of a limit's name and a number", _limits),
    ("source", "text, or a list of texts, or null", lambda value: value is None or _source(value)),
    ("seconds_per_file", "a number from 0 on, or null", lambda value: value is None or (_number(value) and value >= 0)),
    ("through", "binaryFile, or null", lambda value: value in (None, "binaryFile")),
    *(
        (name, "a number, text or null", lambda value: value is None or _whole(value) or isinstance(value, str))
        for name in ("version", "snapshot")
    ),
    ("timestamp", "a time as ISO 8601 has it, or null", lambda value: value is None or _instant(value)),
)
