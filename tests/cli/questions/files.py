"""The files of the questions: samples, files made here, and those of the corpus."""

import pathlib

import pyarrow as pa
import pyarrow.parquet as pq
from cli.questions.made_files import MADE

from pqexplore.engine.writer.samples import SAMPLES, SICK, write_sample

NOTE = b"left by a text editor"


def _sample(name: str, folder: pathlib.Path) -> bytes:
    """The bytes of a sample."""
    path = folder / f".{name}"
    write_sample(name, path)
    data = path.read_bytes()
    path.unlink()
    return data


def _note_in_gap(folder: pathlib.Path) -> bytes:
    """A sample with text before its footer."""
    data = _sample("sorted-dictionary", folder)
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    return data[:footer] + NOTE + data[footer:]


def _day(number: int) -> pa.Table:
    """Ten sales of a day; on the third, prices are no longer whole."""
    first = 10 * (number - 1)
    ids = pa.array(range(first, first + 10), pa.int64())
    return pa.table({"id": ids, "price": ids.cast(pa.float64()) if number == 3 else ids})


BYTES = {
    "cut": lambda folder: _sample("page-index", folder)[:10_000],
    "text": lambda folder: b"id,name\n1,Ada\n2,Alan\n",
    "nothing": lambda folder: b"",
    "note-in-gap": _note_in_gap,
}
"""Files made here, by name, as their bytes."""


def path_of(name: str, folder: pathlib.Path, corpus: pathlib.Path) -> pathlib.Path:
    """The path of a file of the questions; what does not exist yet is written into the folder."""
    if "/" in name:
        return corpus / name
    if name.startswith("day"):
        return _days(name, folder / "days")
    path = folder / (name if name == "region" else f"{name}.parquet")
    if not path.exists() and name in MADE:
        MADE[name](path)
    elif not path.exists():
        if name in BYTES:
            path.write_bytes(BYTES[name](folder))
        else:
            assert name in SAMPLES or name in SICK, name
            write_sample(name, path)
    return path


def _days(name: str, folder: pathlib.Path) -> pathlib.Path:
    """The folder `days`, or the file of one day in it."""
    if not folder.exists():
        folder.mkdir()
        for number in (1, 2, 3):
            pq.write_table(_day(number), folder / f"day-{number}.parquet")
    return folder if name == "days" else folder / f"{name}.parquet"
