"""Example files, small and the same every time, each for one idea.

Each module here has the samples of one part of the format: what they are called, what they show, and how they are
made. Other programs rarely write what most of them show, so they are also what readers are tested with.
"""

from __future__ import annotations

from pqexplore.engine.errors import UsageError
from pqexplore.engine.writer.samples import (
    compression,
    encodings,
    encrypted,
    events,
    everything,
    metadata,
    types,
    variants,
)
from pqexplore.engine.writer.samples.sample import Destination, Sample

__all__ = ["SAMPLES", "Sample", "write_sample"]

SAMPLES: dict[str, Sample] = {
    sample.name: sample
    for sample in (
        events.SAMPLE,
        everything.SAMPLE,
        *types.SAMPLES,
        *encodings.SAMPLES,
        *compression.SAMPLES,
        *metadata.SAMPLES,
        *variants.SAMPLES,
        *encrypted.SAMPLES,
    )
}
"""All samples, by name."""


def write_sample(name: str, path: Destination) -> None:
    """Write the sample of that name to a path; UsageError where there is none."""
    if name not in SAMPLES:
        raise UsageError(f"there is no sample {name!r}; there are {', '.join(SAMPLES)}")
    SAMPLES[name].write(path)
