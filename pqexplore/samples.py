"""Small example files, always with the same bytes, each for one idea: `pqexplore.samples.events` is one of them, open.

`dir(pqexplore.samples)` lists them. An encrypted one is opened with its keys, which are published: never use them for
secrets. `data` gives the bytes, `write` a file, `decryption` the keys, `sentence` what a sample shows; they take the name
with hyphens or underscores. Those with a fault begin with `sick_`.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.source import Source
from pqexplore.engine.format.encryption.keys import Decryption
from pqexplore.engine.writer.samples import SAMPLES, SICK, write_sample

if TYPE_CHECKING:
    from pqexplore.engine.writer.samples.sample_file import Destination, Sample

__all__ = ["data", "decryption", "names", "sentence", "write"]


def names() -> list[str]:
    """The names of all samples, the sound ones first; those with a fault begin with `sick-`."""
    return [*SAMPLES, *SICK]


@functools.cache
def data(name: str) -> bytes:
    """The bytes of a sample. UsageError if there is none of that name."""
    return _sample(name).data()


def write(name: str, path: Destination, *, overwrite: bool = False) -> None:
    """Write a sample to a path. Nothing is done if the file is there already, byte for byte.

    UsageError if there is no sample of that name, FileExistsError if another file exists, without `overwrite`.
    """
    write_sample(_sample(name).name, path, overwrite=overwrite)


def decryption(name: str) -> Decryption | None:
    """The keys of an encrypted sample; None if it is not encrypted. UsageError if there is none of that name."""
    keys = _sample(name).keys
    return Decryption(**keys) if keys else None


def sentence(name: str) -> str:
    """What a sample shows. UsageError if there is none of that name."""
    return _sample(name).sentence


def _sample(name: str) -> Sample:
    known = name.replace("_", "-")
    found = SAMPLES.get(known) or SICK.get(known)
    if found is None:
        raise UsageError(f"there is no sample {name!r}; there are {', '.join(names())}")
    return found


def __getattr__(name: str) -> ParquetFile:
    """A sample, open; each time anew."""
    if name.replace("_", "-") not in names():
        raise AttributeError(f"there is no sample {name!r}; there are {', '.join(_attributes())}")
    view = memoryview(data(name))
    source = Source(
        f"sample {name.replace('_', '-')}", len(view), lambda start, length: view[start : start + length], local=True
    )
    return ParquetFile(source, decryption=decryption(name))


def _attributes() -> list[str]:
    return [name.replace("-", "_") for name in names()]


def __dir__() -> list[str]:
    return [*__all__, *_attributes()]
