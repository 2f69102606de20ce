"""Turns what a store's driver raises into the errors of `engine.errors`, each with one plain sentence.

Each driver of fsspec and pyarrow has its own exceptions, and their texts quote the store's answer: XML, request ids, signed
URLs. Nothing of these texts is passed on. An exception is recognised by the store's own error code, by the HTTP status, by
the names of its class and its bases, or by its errno, in this order; so no driver is imported. Its causes are asked, too.

The codes are from the documentation of Amazon S3 ("Error responses"), Azure Blob Storage ("Blob Storage error codes") and
Google Cloud Storage ("HTTP status and error codes"); the classes are those of botocore, aiohttp, azure-core, google-auth,
gcsfs and requests.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator, Mapping
from http import HTTPStatus

from pqexplore.engine.errors import (
    CredentialsError,
    NetworkError,
    NoAnswerError,
    ParquetError,
    StoreError,
    ThrottledError,
    UsageError,
)
from pqexplore.engine.file.urls import SECRET_NAME, masked
from pqexplore.engine.text import clip

CREDENTIALS, NETWORK, BROKEN, TIMED_OUT = "credentials", "network", "broken", "timeout"
THROTTLED, FAILED, MISSING = "throttled", "failed", "missing"

_CODES = {
    CREDENTIALS: """AccessDenied AccountProblem AllAccessDisabled ExpiredToken InvalidAccessKeyId InvalidToken
        InvalidSecurity SignatureDoesNotMatch TokenRefreshRequired RequestTimeTooSkewed MissingSecurityHeader
        AuthorizationHeaderMalformed RequestExpired MissingAuthenticationToken UnrecognizedClient
        InvalidSignature MissingAuthenticationTokenFailure OptInRequired
        AuthenticationFailed AuthorizationFailure AuthorizationPermissionMismatch AuthorizationProtocolMismatch
        InsufficientAccountPermissions InvalidAuthenticationInfo NoAuthenticationInformation
        PublicAccessNotPermitted AccountIsDisabled""",
    THROTTLED: """SlowDown Throttling ThrottlingException Throttled RequestThrottled RequestThrottledException
        RequestLimitExceeded TooManyRequests TooManyRequestsException ServiceUnavailable BandwidthLimitExceeded
        ServerBusy AccountBeingThrottled rateLimitExceeded userRateLimitExceeded""",
    TIMED_OUT: "RequestTimeout RequestTimeoutException OperationTimedOut",
    NETWORK: "NetworkConnection",
    FAILED: "InternalError InternalFailure backendError",
    MISSING: "NoSuchKey NoSuchBucket NoSuchVersion BlobNotFound ContainerNotFound ResourceNotFound FilesystemNotFound PathNotFound",
}  # fmt: skip
_CLASSES = {
    CREDENTIALS: """NoCredentialsError PartialCredentialsError CredentialRetrievalError NoAuthTokenError
        TokenRetrievalError UnauthorizedSSOTokenError SSOTokenLoadError SSOError ProfileNotFound
        DefaultCredentialsError RefreshError GoogleAuthError ClientAuthenticationError CredentialUnavailableError""",
    TIMED_OUT: """ConnectTimeoutError ReadTimeoutError FSTimeoutError ServerTimeoutError SocketTimeoutError Timeout
        ConnectTimeout ReadTimeout ServiceRequestTimeoutError ServiceResponseTimeoutError DeadlineExceeded TimeoutError""",
    BROKEN: """ConnectionClosedError ServerDisconnectedError ClientPayloadError ContentLengthError IncompleteRead
        IncompleteReadError ResponseStreamingError RemoteDisconnected ChunkedEncodingError ProtocolError
        IncompleteDownloadError ServiceResponseError ConnectionResetError ConnectionAbortedError BrokenPipeError""",
    NETWORK: """EndpointConnectionError ProxyConnectionError SSLError ConnectionError ClientConnectorError gaierror
        ClientConnectionError HTTPClientError ServiceRequestError TransportError MaxRetryError""",
}  # fmt: skip


def _squeezed(word: str) -> str:
    """A code without case and underscores: Arrow writes ACCESS_DENIED."""
    return word.replace("_", "").lower()


_BY_CODE = {_squeezed(word): kind for kind, some in _CODES.items() for word in some.split()}
_BY_CLASS = {name: kind for kind, some in _CLASSES.items() for name in some.split()}
_BY_STATUS = {
    HTTPStatus.UNAUTHORIZED: CREDENTIALS,
    HTTPStatus.FORBIDDEN: CREDENTIALS,
    HTTPStatus.PROXY_AUTHENTICATION_REQUIRED: CREDENTIALS,
    HTTPStatus.NOT_FOUND: MISSING,
    HTTPStatus.GONE: MISSING,
    HTTPStatus.REQUEST_TIMEOUT: TIMED_OUT,
    HTTPStatus.GATEWAY_TIMEOUT: TIMED_OUT,
    HTTPStatus.TOO_MANY_REQUESTS: THROTTLED,
    HTTPStatus.SERVICE_UNAVAILABLE: THROTTLED,
    HTTPStatus.INTERNAL_SERVER_ERROR: FAILED,
    HTTPStatus.BAD_GATEWAY: FAILED,
}
_BY_ERRNO = {
    errno.EACCES: CREDENTIALS,
    errno.EPERM: CREDENTIALS,
    errno.ETIMEDOUT: TIMED_OUT,
    errno.ENOENT: MISSING,
    errno.EBUSY: THROTTLED,  # s3fs: 503 without a body
    errno.ECONNREFUSED: NETWORK,
    errno.EHOSTUNREACH: NETWORK,
    errno.ENETUNREACH: NETWORK,
    errno.ENETDOWN: NETWORK,
    errno.ECONNRESET: BROKEN,
    errno.ECONNABORTED: BROKEN,
    errno.EPIPE: BROKEN,
}
_NONE_FOUND = frozenset(
    ["NoCredentialsError", "DefaultCredentialsError", "CredentialUnavailableError", "NoAuthTokenError"]
)
"""Classes of errors that say that no credentials were found; no request was sent."""

_REASONS = {
    "SSLError": ": the certificate of the server is not valid, or it does not speak TLS",
    "gaierror": ": the name of the host is not known",
    "ConnectionRefusedError": ": the connection is refused",
}
"""Why there is no connection, by the class of an error or of its cause."""

_ARROW_CODE = re.compile(r"\bAWS Error (\w+)")
_ARROW_STATUS = re.compile(r"\bHTTP status (\d{3})\b")
_CODE = re.compile(r"[A-Za-z][A-Za-z_]{2,50}")
_DUMP = re.compile(r"<[!?/\w]|[{}\n]|request.?id|host.?id|x-amz|x-ms-|authorization|signature", re.I)
_TOKEN = re.compile(r"[A-Za-z0-9+=_-]{25,}")
SHORTEST = 4
"""Characters of a secret; a shorter text is part of other words."""
CAUSES = 6
"""Causes of an exception that are looked at."""

LOOKED = {
    "s3": (
        ("key", "secret", "token", "username", "password", "profile", "anon"),
        "the environment (AWS_ACCESS_KEY_ID, AWS_PROFILE, …), ~/.aws, and the role of this machine",
        '{"key": …, "secret": …}, or {"anon": True} for a public bucket',
    ),
    "gs": (
        ("token",),
        "GOOGLE_APPLICATION_CREDENTIALS, gcloud's default login, and the account of this machine",
        '{"token": …}, or {"token": "anon"} for a public bucket',
    ),
    "abfs": (
        ("account_key", "sas_token", "connection_string", "credential", "client_id", "client_secret", "anon"),
        "the environment (AZURE_STORAGE_ACCOUNT_NAME, AZURE_STORAGE_ACCOUNT_KEY, AZURE_STORAGE_SAS_TOKEN, …)",
        '{"account_name": …, "account_key": …}, or sas_token in place of the key',
    ),
    "hdfs": (("user", "kerb_ticket"), "the ticket of Kerberos (kinit)", '{"user": …}'),
    "http": (("headers", "auth"), "", '{"headers": {"Authorization": …}}'),
}  # fmt: skip
"""By scheme: storage options that are credentials, where its driver looks else (by its documentation), what to pass."""

SCHEMES = {
    "s3a": "s3", "s3n": "s3", "gcs": "gs", "abfss": "abfs", "az": "abfs", "adl": "abfs",
    "wasb": "abfs", "wasbs": "abfs", "https": "http", "viewfs": "hdfs",
}  # fmt: skip
"""Other names of the schemes of `LOOKED`."""


def kind_of(error: BaseException) -> str | None:
    """What happened, by an exception of a driver and its causes; None if it is not recognised."""
    kinds = [kind for one in _chain(error) if (kind := _kind(one)) is not None]
    if kinds[:1] == [NETWORK] and BROKEN in kinds:  # botocore says the first of both
        return BROKEN
    return kinds[0] if kinds else None


def kind_of_status(status: int) -> str | None:
    """What an HTTP status says; None for others."""
    return next((kind for one, kind in _BY_STATUS.items() if one == status), None)


def heard(error: Exception, name: str, filesystem: object = None) -> Exception:
    """The error to raise in place of a driver's exception about the file or folder `name`.

    A StoreError, FileNotFoundError or another OSError; our own errors stay. `filesystem` is that of fsspec or pyarrow.
    """
    if isinstance(error, (StoreError, ParquetError, UsageError, MemoryError)):
        return error
    kind, name = kind_of(error), masked(name)
    answer = _answer(error)
    if kind == CREDENTIALS:
        return CredentialsError(f"{name}: {_refusal(error, answer, filesystem)}")
    if kind == THROTTLED:
        return ThrottledError(
            f"{name}: the store asks for fewer requests{_in_brackets(answer)}; try later, or with fewer tasks at once",
            again=True,
        )
    if kind == TIMED_OUT:
        return NoAnswerError(f"{name}: the store did not answer in time{_waiting(filesystem)}")
    if kind in (NETWORK, BROKEN):
        return NetworkError(f"{name}: {_why(error, kind, filesystem)}", again=kind == BROKEN)
    if kind == MISSING:
        word = _squeezed(_word(error) or "")
        what = "bucket" if "bucket" in word or "container" in word else "file"
        return FileNotFoundError(f"{name}: the store has no such {what}")
    if kind == FAILED:
        said = f"{name}: the store could not answer{_in_brackets(answer)}; try later"
        return StoreError(said, again=True)
    if isinstance(error, (IsADirectoryError, NotADirectoryError)):
        return type(error)(f"{name}: {error.strerror or 'no such file'}")
    words = f"{type(error).__name__}{_in_brackets(answer)}"
    text = plain(str(getattr(error, "strerror", None) or error))
    text = unsaid(text, _store(filesystem)[1])
    return OSError(f"{name} cannot be read: {words}{': ' if text else ''}{text}")


def plain(text: str) -> str:
    """A driver's text if it is one plain sentence, without what may be a secret; else nothing."""
    return "" if _DUMP.search(text) else clip(_TOKEN.sub("***", masked(text)), 200)


def unsaid(text: str, options: Mapping[str, object]) -> str:
    """A driver's text with `***` for the values of storage options that may be secrets."""
    for value in sorted(_secrets(options), key=len, reverse=True):
        text = text.replace(value, "***")
    return text


def _secrets(given: object, inside: bool = False) -> Iterator[str]:
    """The texts in storage options whose names are those of secrets, or that are below such a name."""
    if isinstance(given, Mapping):
        for name, value in given.items():
            yield from _secrets(value, inside or SECRET_NAME.search(str(name)) is not None)
    elif isinstance(given, list | tuple):
        for value in given:
            yield from _secrets(value, inside)
    elif inside and isinstance(given, bytes):
        yield from _secrets(given.decode("latin-1"), inside)
    elif inside and isinstance(given, str) and len(given) >= SHORTEST:
        yield given


def looked_for(scheme: str, given: Mapping[str, object]) -> str:
    """Which credentials of a store were used or looked for; only the names of storage options, never their values."""
    options, elsewhere, pass_this = LOOKED.get(SCHEMES.get(scheme, scheme), ((), "", ""))
    if given.get("anon") is True or given.get("token") == "anon":
        return "; it was asked without credentials, as storage_options say (anon)"
    used = [one for one in options if given.get(one) not in (None, "", False)]
    if used:
        return (
            f"; it was asked with {', '.join(used)} of storage_options, which may be wrong or expired, or not allow it"
        )
    where = f", then {elsewhere}" if elsewhere else ""
    there = f"; looked for: storage_options ({', '.join(options)}){where}" if options else ""
    return there + (f"; pass storage_options={pass_this}" if pass_this else "")


def _chain(error: BaseException) -> Iterator[BaseException]:
    at: object = error
    for _ in range(CAUSES):
        if not isinstance(at, BaseException):
            return
        yield at
        at = at.__cause__ or getattr(at, "os_error", None) or at.__context__


def _kind(error: BaseException) -> str | None:
    """What one exception says, without its causes."""
    word, status = _own_word(error), _own_status(error)
    if word is not None and _squeezed(word) in _BY_CODE:
        return _BY_CODE[_squeezed(word)]
    if status is not None and (kind := kind_of_status(status)) is not None:
        return kind
    if isinstance(error, PermissionError):
        return CREDENTIALS
    if isinstance(error, FileNotFoundError):
        return MISSING
    if isinstance(error, OSError) and error.errno in _BY_ERRNO:
        return _BY_ERRNO[error.errno]
    names = (one.__name__ for one in type(error).__mro__)
    return next((_BY_CLASS[name] for name in names if name in _BY_CLASS), None)


def _own_word(error: BaseException) -> str | None:
    """The store's error code, such as SlowDown: of botocore, of Azure, of Arrow's text."""
    response = getattr(error, "response", None)
    inside = response.get("Error") if isinstance(response, dict) else None
    code = inside.get("Code") if isinstance(inside, dict) else getattr(error, "error_code", None)
    code = getattr(code, "value", code)  # Azure's are an enum
    if code is None and (match := _ARROW_CODE.search(str(error))):
        code = match[1]
    word = str(code or "")
    return word if _CODE.fullmatch(word) and _squeezed(word) != "unknown" else None


def _own_status(error: BaseException) -> int | None:
    """The HTTP status: of botocore, aiohttp, azure-core, gcsfs and requests, or of Arrow's text."""
    response = getattr(error, "response", None)
    if isinstance(response, dict):
        metadata = response.get("ResponseMetadata")
        found = metadata.get("HTTPStatusCode") if isinstance(metadata, dict) else None
    else:
        found = getattr(response, "status_code", None)
    for name in ("status_code", "status", "code"):
        found = getattr(error, name, None) if found is None else found
    if found is None and (match := _ARROW_STATUS.search(str(error))):
        found = int(match[1])
    if found is None and type(error) is OSError and str(error).startswith("Forbidden: "):  # gcsfs
        found = int(HTTPStatus.FORBIDDEN)
    return found if isinstance(found, int) and 100 <= found < 600 else None


def _word(error: BaseException) -> str | None:
    return next((word for one in _chain(error) if (word := _own_word(one)) is not None), None)


def _answer(error: BaseException) -> str:
    """The status and code of the store's answer, such as `503 SlowDown`; empty if there was none."""
    status = next((one for each in _chain(error) if (one := _own_status(each)) is not None), None)
    return " ".join(str(one) for one in (status, _word(error)) if one is not None)


def _in_brackets(answer: str) -> str:
    return f" ({answer})" if answer else ""


def _refusal(error: BaseException, answer: str, filesystem: object) -> str:
    scheme, given = _store(filesystem)
    names = {kind.__name__ for one in _chain(error) for kind in type(one).__mro__}
    if not answer and names & _NONE_FOUND:
        return f"no credentials were found for the store{looked_for(scheme, given)}"
    return f"the store refuses access{_in_brackets(answer)}{looked_for(scheme, given)}"


def _why(error: BaseException, kind: str, filesystem: object) -> str:
    if kind == BROKEN:
        return "the connection broke before the store had sent all of its answer"
    _, given = _store(filesystem)
    endpoint = given.get("endpoint_url")
    where = f" at {masked(endpoint)}" if isinstance(endpoint, str) else ""
    names = {kind.__name__ for one in _chain(error) for kind in type(one).__mro__}
    reason = next((words for name, words in _REASONS.items() if name in names), "")
    return f"no connection to the store{where}{reason}; check the address (endpoint) and the network"


def _waiting(filesystem: object) -> str:
    scheme, _ = _store(filesystem)
    if SCHEMES.get(scheme, scheme) == "s3":
        return '; storage_options={"config_kwargs": {"read_timeout": seconds}} waits longer'
    return ""


def _store(filesystem: object) -> tuple[str, Mapping[str, object]]:
    """The scheme of a filesystem, and its storage options; empty if unknown."""
    protocol = getattr(filesystem, "protocol", None) or getattr(filesystem, "type_name", None)
    first = protocol[0] if isinstance(protocol, tuple) and protocol else protocol
    scheme = first if isinstance(first, str) else ""
    given = getattr(filesystem, "storage_options", None)
    return scheme, given if isinstance(given, Mapping) else {}
