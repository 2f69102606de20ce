"""Small example files, always with the same bytes, each for one idea.

Each module has the samples of one part of the format: their names, what they show, and how they are written. Other
programs rarely write most of these features, so the samples also test readers.
"""

from __future__ import annotations

import io
import os

from pqexplore.engine.errors import UsageError
from pqexplore.engine.output_file import writing
from pqexplore.engine.writer.samples import (
    compression,
    encodings,
    encrypted,
    events,
    everything,
    logical_types,
    page_metadata,
    sick,
    slow,
    variants,
)
from pqexplore.engine.writer.samples.sample_file import Destination, Sample

__all__ = ["SAMPLES", "SICK", "Sample", "write_sample"]

SAMPLES: dict[str, Sample] = {
    sample.name: sample
    for sample in (
        events.SAMPLE,
        everything.SAMPLE,
        *logical_types.SAMPLES,
        *encodings.SAMPLES,
        *compression.SAMPLES,
        *page_metadata.SAMPLES,
        *variants.SAMPLES,
        *encrypted.SAMPLES,
        *slow.SAMPLES,
    )
}
"""The sound samples, by name."""

SICK: dict[str, Sample] = {sample.name: sample for sample in sick.SAMPLES}
"""The samples with a fault, by name."""


def write_sample(name: str, path: Destination, *, overwrite: bool = False) -> bool:
    """Write the sample `name` to a path or a buffer. Returns False if the file is there already, byte for byte, and stays as it is.

    Raises UsageError if there is no sample of that name, FileExistsError if another file exists, without `overwrite`, and
    OSError if it cannot be written.
    """
    found = SAMPLES.get(name) or SICK.get(name)
    if found is None:
        raise UsageError(f"there is no sample {name!r}; there are {', '.join([*SAMPLES, *SICK])}")
    data = found.data()
    if isinstance(path, io.BytesIO):
        path.write(data)
        return True
    if os.path.isfile(path) and os.path.getsize(path) == len(data):
        with open(path, "rb") as file:
            if file.read() == data:
                return False
    with writing(path, overwrite=overwrite) as out:
        out.write(data)
    return True
