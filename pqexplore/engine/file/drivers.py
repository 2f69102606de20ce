"""The fsspec driver of a URL, which leaves repeating of requests to `retry`."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pqexplore.engine.errors import CredentialsError, UsageError
from pqexplore.engine.file.caller_types import StorageOptions
from pqexplore.engine.file.store_errors import LOOKED, SCHEMES, heard, looked_for, plain, unsaid
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
    not take, CredentialsError if it cannot connect with them, else what `heard` makes of the driver's error.

    s3fs and botocore under it would each repeat a refused request: 25 times in half a minute, and nothing could cancel
    that. So they do not, unless `config_kwargs` has `retries`. Azure's client would repeat it three times in 80 s: it does
    not, unless there is `retry_total`, an option that adlfs ignores.
    """
    import fsspec  # heavy, and an extra

    scheme, chosen = url.partition("://")[0].lower(), dict(options)
    config = chosen.get("config_kwargs")
    store = SCHEMES.get(scheme, scheme)
    ours = store == "s3" and (config is None or (isinstance(config, dict) and "retries" not in config))
    azure = store == "abfs" and "retry_total" not in chosen
    if azure:
        # So it is a file system of its own in fsspec's cache, not the one that a user has.
        chosen["retry_total"] = 0
    if ours:
        given = config if isinstance(config, dict) else {}
        chosen["config_kwargs"] = given | {"retries": {"max_attempts": 0}}
    try:
        filesystem, path = fsspec.core.url_to_fs(url, **chosen)
    except TypeError as error:  # a keyword that the driver does not have
        raise UsageError(f"{masked(url)}: storage_options: {unsaid(plain(str(error)), options)}") from None
    except ImportError:
        raise
    except ValueError:
        if store not in LOOKED or not _has_driver(scheme):
            raise
        raise CredentialsError(
            f"{masked(url)}: the driver cannot connect to the store{looked_for(scheme, options)}"
        ) from None
    except Exception as error:  # of any driver; some look for credentials now
        raise heard(error, url, Unopened(scheme, options)) from None
    if ours:
        filesystem.retries = 1
    if azure:
        _do_not_repeat(filesystem)
    return filesystem, path


def _has_driver(scheme: str) -> bool:
    """Whether fsspec has a driver for a scheme."""
    import fsspec  # heavy, and an extra

    try:
        fsspec.get_filesystem_class(scheme)
    except (ImportError, ValueError):
        return False
    return True


def _do_not_repeat(filesystem: object) -> None:
    """Sets the retries of Azure's client to none, which adlfs has no option for."""
    for name in ("service_client", "_config", "retry_policy"):
        filesystem = getattr(filesystem, name, None)
    if isinstance(getattr(filesystem, "total_retries", None), int):
        setattr(filesystem, "total_retries", 0)  # noqa: B010
