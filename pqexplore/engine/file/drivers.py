"""The fsspec driver of a URL, which leaves repeating of requests to `retry`."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.outside import StorageOptions
from pqexplore.engine.file.store_errors import SCHEMES, heard, plain, unsaid
from pqexplore.engine.file.urls import masked

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem


@dataclasses.dataclass(frozen=True, slots=True)
class Unopened:
    """What is known of a file system that could not be made."""

    protocol: str
    storage_options: StorageOptions = dataclasses.field(repr=False)


def filesystem_of(url: str, options: StorageOptions) -> tuple[AbstractFileSystem, str]:
    """The file system of a URL, and the path there.

    Raises ImportError or ValueError if fsspec knows no driver for it, UsageError for storage options that the driver does
    not take, else what `heard` makes of the driver's error.

    s3fs and botocore under it would each repeat a refused request: 25 times in half a minute, and nothing could cancel
    that. So they do not, unless `config_kwargs` has `retries`.
    """
    import fsspec  # heavy, and an extra

    scheme, chosen = url.partition("://")[0].lower(), dict(options)
    config = chosen.get("config_kwargs")
    ours = SCHEMES.get(scheme, scheme) == "s3" and (
        config is None or (isinstance(config, dict) and "retries" not in config)
    )
    if ours:
        given = config if isinstance(config, dict) else {}
        chosen["config_kwargs"] = given | {"retries": {"max_attempts": 0}}
    try:
        filesystem, path = fsspec.core.url_to_fs(url, **chosen)
    except TypeError as error:  # a keyword that the driver does not have
        raise UsageError(
            f"{masked(url)}: storage_options: {unsaid(plain(str(error)), options)}"
        ) from None
    except (ImportError, ValueError):
        raise
    except Exception as error:  # of any driver; some look for credentials now
        raise heard(error, url, Unopened(scheme, options)) from None
    if ours:
        filesystem.retries = 1
    return filesystem, path
