"""Finds the place of an address: this machine, or a store that fsspec supports."""

from __future__ import annotations

import os

from pqexplore.engine.file.caller_types import StorageOptions
from pqexplore.engine.file.source import local_path
from pqexplore.lake.places.disk import Disk
from pqexplore.lake.places.place import Place
from pqexplore.lake.places.remote import Remote


def place_of(address: str, options: StorageOptions) -> tuple[Place, str]:
    """The place of a path or URL, and the path there. UsageError if no driver knows the URL."""
    here = local_path(address)
    if here is not None:
        return Disk(), os.path.abspath(os.path.expanduser(here))
    return Remote.of(address, options)
