"""The fsspec driver of a URL, which leaves repeating of requests to `retry`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.engine.file.outside import StorageOptions
from pqexplore.engine.file.store_errors import SCHEMES

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem


def filesystem_of(url: str, options: StorageOptions) -> tuple[AbstractFileSystem, str]:
    """The file system of a URL, and the path there; raises what fsspec does.

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
    filesystem, path = fsspec.core.url_to_fs(url, **chosen)
    if ours:
        filesystem.retries = 1
    return filesystem, path
