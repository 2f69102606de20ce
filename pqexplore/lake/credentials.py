"""Storage options that expire: temporary credentials of Unity Catalog, for one table or path.

A `UnityCatalog` is a mapping, so it goes where `storage_options` go: `scan`, `refresh`, `pqexplore.open`. Each time its
options are asked for, they are valid for at least `MARGIN` seconds; if not, new ones are requested. Long scans ask before
every `SHARE` files.

The token for the catalog stays in this process. Workers get only the temporary credentials, which read one table or path:
as one line on a pipe of their own on this machine, in the pickled function of the task on Spark. They are never stored,
never part of a repr, an error, a log or the text of a plan.

From documentation: requests and answers are those of Databricks' "Unity Catalog credential vending", and of the open
source server; they were run against a server in the tests only, not on Databricks.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from pqexplore.engine.errors import CredentialsError, UsageError
from pqexplore.engine.file.caller_types import StorageOptions
from pqexplore.engine.file.retry import Requests
from pqexplore.lake.listed_files import Entry, Options

MARGIN = 900.0
"""Seconds that credentials are still valid when they are given out; Databricks' last an hour."""
SHARE = 5_000
"""Files that are read with the same temporary credentials."""
TIMEOUT = 30.0
"""Seconds to wait for the catalog's answer."""
ANSWER = 4 << 20
"""Max bytes of an answer of the catalog."""

VERSIONS = ("2.0", "2.1")
"""Versions of the interface that vend credentials: Databricks' first, then that of the open source server."""

NEEDS = (
    "reading a table from outside needs EXTERNAL USE SCHEMA on its schema (a path: EXTERNAL USE LOCATION), and a metastore "
    "that allows external data access"
)

T = TypeVar("T")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would take the token to another server."""

    def redirect_request(self, *_: object) -> None:
        return None


class UnityCatalog(Mapping[str, object]):
    """Storage options for `source`: a table's name (catalog.schema.table), or the URL of an external location.

    `host` and `token` are the workspace's. Without them, `databricks-sdk` finds them if it is installed (environment,
    profile, notebook), else they are DATABRICKS_HOST and DATABRICKS_TOKEN. `options` are more storage options; they go
    before the catalog's. Not picklable.

    Raises UsageError if there is no host or token, or the catalog gives credentials of an unknown kind; CredentialsError,
    NetworkError, NoAnswerError or ThrottledError if the catalog does not give them.
    """

    def __init__(
        self, source: str, *, host: str | None = None, token: str | None = None, options: StorageOptions | None = None
    ) -> None:
        self.source = source
        self.is_table = "://" not in source
        if self.is_table and source.count(".") != 2:
            raise UsageError(f"{source} is not catalog.schema.table, nor the URL of a location")
        self._login = _login(host, token)
        self._given = dict(options or {})
        self._lock = threading.Lock()
        self._until = 0.0
        self._current: dict[str, object] = {}
        self._facts: dict[str, object] | None = None
        host = self._login()[0]
        self._requests = Requests(f"Unity Catalog ({host})")

    @property
    def location(self) -> str:
        """The URL of the table's folder; `source` itself if it is a URL. Asks the catalog once."""
        return str(self._table()["storage_location"]) if self.is_table else self.source

    def __getitem__(self, name: str) -> object:
        return self._fresh()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fresh())

    def __len__(self) -> int:
        return len(self._fresh())

    def __repr__(self) -> str:
        return f"<UnityCatalog {self.source}>"

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a UnityCatalog stays in its process; workers get dict(…) of it")

    def _fresh(self) -> dict[str, object]:
        with self._lock:
            if time.time() + MARGIN >= self._until:
                self._current, self._until = self._vended()
            return self._current

    def _vended(self) -> tuple[dict[str, object], float]:
        """Temporary credentials as storage options, and when they expire, in seconds since 1970."""
        if self.is_table:
            what = "table"
            body = {"table_id": self._table()["table_id"], "operation": "READ"}
        else:
            what, body = "path", {"url": self.source, "operation": "PATH_READ"}
        paths = [f"/api/{one}/unity-catalog/temporary-{what}-credentials" for one in VERSIONS]
        answer = self._ask(paths, body)
        expires = answer.get("expiration_time")
        until = expires / 1000 if isinstance(expires, (int, float)) else time.time() + MARGIN
        return {**storage_options(answer), **self._given}, until

    def _table(self) -> dict[str, object]:
        if self._facts is None:
            name = urllib.parse.quote(self.source, safe="")
            found = self._ask([f"/api/2.1/unity-catalog/tables/{name}"], None)
            if not all(isinstance(found.get(key), str) for key in ("table_id", "storage_location")):
                raise UsageError(f"{self.source} has no files: it is a {found.get('table_type')}")
            self._facts = found
        return self._facts

    def _ask(self, paths: Sequence[str], body: object) -> dict[str, object]:
        """The catalog's answer to the first path that it knows."""
        host, headers = self._login()
        data = None if body is None else json.dumps(body).encode()
        opener = urllib.request.build_opener(_NoRedirect)

        def send(path: str) -> bytes:
            made = urllib.request.Request(host + path, data, {**headers, "Content-Type": "application/json"})
            try:
                with opener.open(made, timeout=TIMEOUT) as answer:
                    read: bytes = answer.read(ANSWER)
                    return read
            except urllib.error.HTTPError as error:
                error.close()
                raise
            except urllib.error.URLError as error:
                raise error.reason if isinstance(error.reason, Exception) else error from None

        for path in paths:
            try:
                answer = self._requests.send(functools.partial(send, path))
                return _object(answer, self.source)
            except FileNotFoundError:
                continue
            except CredentialsError as error:
                raise CredentialsError(f"{self.source}: {error}; {NEEDS}") from None
        what = "table" if self.is_table else "location"
        raise UsageError(f"Unity Catalog ({host}) knows no {what} {self.source}")


def storage_options(answer: Mapping[str, object]) -> dict[str, object]:
    """The fsspec storage options of an answer with temporary credentials. UsageError if its kind is not known."""
    aws = answer.get("aws_temp_credentials")
    if isinstance(aws, dict):
        names = {"key": "access_key_id", "secret": "secret_access_key", "token": "session_token"}
        return {name: aws.get(key) for name, key in names.items()}
    sas, oauth = answer.get("azure_user_delegation_sas"), answer.get("gcp_oauth_token")
    if isinstance(sas, dict):
        return {"sas_token": sas.get("sas_token")}
    if isinstance(oauth, dict):
        return {"token": oauth.get("oauth_token")}
    kinds = [name for name, value in answer.items() if isinstance(value, dict)]
    raise UsageError(f"the credentials that Unity Catalog gives are of another kind: {kinds}")


def located(source: T, options: StorageOptions) -> T | str:
    """The location of a table that its credentials name; any other source as it is."""
    if isinstance(options, UnityCatalog) and source == options.source:
        return options.location
    return source


def renewed(entries: list[Entry], options: Options, source: StorageOptions) -> Iterator[tuple[list[Entry], Options]]:
    """Shares of the files, each with options that are valid when its reading begins; one share if they do not expire."""
    if not isinstance(source, UnityCatalog):
        yield entries, options
        return
    for start in range(0, len(entries), SHARE):
        fresh = dataclasses.replace(options, storage_options=tuple(source.items()))
        yield entries[start : start + SHARE], fresh


def _login(host: str | None, token: str | None) -> Callable[[], tuple[str, dict[str, str]]]:
    """A function that gives the host and the headers of a request: the SDK renews its tokens itself."""
    if host is None or token is None:
        try:
            from databricks.sdk.core import Config
        except ImportError:
            host, token = host or os.environ.get("DATABRICKS_HOST"), token or os.environ.get("DATABRICKS_TOKEN")  # fmt: skip
        else:
            try:
                config = Config(host=host, token=token)
            except ValueError:  # its text lists the settings that it found
                raise UsageError(
                    "databricks-sdk finds no login for the workspace: pass host= and token=, or see its page on unified "
                    "authentication"
                ) from None
            return lambda: (_checked(config.host), dict(config.authenticate()))
    if not host or not token:
        raise UsageError(
            "Unity Catalog needs the host and a token of the workspace: pass host= and token=, set DATABRICKS_HOST and "
            "DATABRICKS_TOKEN, or `pip install databricks-sdk`"
        )
    at, headers = _checked(host), {"Authorization": f"Bearer {token}"}
    return lambda: (at, headers)


def _checked(host: str) -> str:
    """The host as a URL; UsageError if a token would go there without encryption."""
    parts = urllib.parse.urlsplit(host if "://" in host else f"https://{host}")
    here = parts.scheme == "http" and parts.hostname in ("127.0.0.1", "::1", "localhost")
    if not parts.hostname or parts.username or not (parts.scheme == "https" or here):
        raise UsageError("the host of Unity Catalog is https://… without a user")
    return f"{parts.scheme}://{parts.netloc}"


def _object(data: bytes, source: str) -> dict[str, object]:
    try:
        made = json.loads(data)
    except ValueError:
        made = None
    if not isinstance(made, dict):
        raise UsageError(f"{source}: Unity Catalog did not answer with a JSON object")
    return made
