"""Stores and datasets at URLs, through fsspec: where their files are. `write` replaces a store there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from urllib.parse import urlsplit

from pqexplore.engine.errors import ParquetError, StoreError, UsageError
from pqexplore.engine.file.caller_types import StorageOptions
from pqexplore.engine.file.source import local_path
from pqexplore.engine.file.store_errors import heard, plain
from pqexplore.engine.file.urls import masked
from pqexplore.lake.places.choice import place_of


def is_remote(address: str) -> bool:
    """Whether an address is a URL of another place than this machine."""
    return local_path(address) is None


@contextlib.contextmanager
def reached(url: str) -> Iterator[None]:
    """Raises a driver's error in our words: a StoreError, FileNotFoundError or another OSError, without a server's page."""
    try:
        yield
    except (ParquetError, UsageError):
        raise
    except Exception as error:  # each driver raises its library's own kinds
        found, shown = heard(error, url), masked(url)
        if isinstance(found, StoreError | FileNotFoundError):
            raise found from None
        if isinstance(error, OSError) and str(error).startswith(shown):
            raise  # of our own places
        own = isinstance(error, OSError | ValueError | ImportError)
        said = (plain(str(error)) if own else "") or type(error).__name__
        raise OSError(f"{shown} cannot be reached: {said}") from None


def normal(url: str, options: StorageOptions) -> str:
    """A URL as its place writes it, without a slash at the end."""
    place, path = place_of(url, options)
    return place.address(path).rstrip("/")


def parquet_files(url: str, options: StorageOptions) -> list[str]:
    """The URLs of the Parquet files directly in a folder, sorted, without hidden ones; the URL itself if it is a file."""
    with reached(url):
        place, path = place_of(url, options)
        if path.endswith(".parquet") and place.item(path).size is not None:
            return [place.address(path)]
        return sorted(
            place.address(one.path)
            for one in place.files(path)
            if one.path.endswith(".parquet") and _name(one.path)[:1] not in (".", "_")
        )


def folders(url: str, options: StorageOptions) -> list[str]:
    """The URLs of the folders directly below a folder, sorted, without hidden ones."""
    import fsspec  # heavy, and an extra

    with reached(url):
        files, path = fsspec.core.url_to_fs(url, **options)
        try:
            below = files.ls(path, detail=True)
        except FileNotFoundError:
            return []
    names = sorted(str(one["name"]) for one in below if one.get("type") == "directory")
    return [files.unstrip_protocol(one) for one in names if _name(one)[:1] not in (".", "_")]


def dataset_of(store: str, identifier: str) -> str:
    """The URL of a table's files in the place (bucket) of its store; an identifier is only a path."""
    place = urlsplit(store)
    return f"{place.scheme}://{place.netloc}/{identifier.removeprefix('/')}"


def _name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def require_here(spark: object, options: StorageOptions) -> None:
    """Raises UsageError for storage options beside a Spark session: they would be written into its plans."""
    if spark is not None and options:
        raise UsageError(
            "storage_options are not passed to Spark's executors, because they would be in its plans: pass spark=None, "
            "or give the executors their credentials in another way"
        )
