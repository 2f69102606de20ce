"""What drivers raise is recognised without the drivers, and none of their texts gets out."""

import errno
import pickle
import sys
import types

import fsspec
import pytest

import pqexplore.lake
from pqexplore.engine.errors import (
    CorruptFileError,
    CredentialsError,
    NetworkError,
    NoAnswerError,
    StoreError,
    ThrottledError,
    UsageError,
)
from pqexplore.engine.file import retry
from pqexplore.engine.file.drivers import filesystem_of
from pqexplore.engine.file.opening import open_source
from pqexplore.engine.file.retry import Requests
from pqexplore.engine.file.store_errors import heard, looked_for

DUMP = "<Error><Code>X</Code><RequestId>4442587FB7D0A2F9</RequestId></Error> https://b/x?X-Amz-Signature=0123456789abcdef0123"


def made(name, *bases, cause=None, text=DUMP, **attributes):
    """An exception of a class of that name, with attributes, raised because of another."""
    error = type(name, bases or (Exception,), {})(text)
    for key, value in attributes.items():
        setattr(error, key, value)
    error.__cause__ = cause
    return error


def boto(code, status):
    response = {"Error": {"Code": code, "Message": DUMP}, "ResponseMetadata": {"HTTPStatusCode": status}}  # fmt: skip
    return made("ClientError", response=response)


def arrow(words):
    return OSError(f"When reading information for key 'x' in bucket 'b': AWS Error {words} (Request ID: 4442587FB7D0A2F9)")  # fmt: skip


REASON = type("Code", (), {"value": "AuthorizationPermissionMismatch"})()

# what was raised | what is raised in its place | what it says, and whether the request is repeated
DRIVERS = {
    "s3fs, no credentials": (made("NoCredentialsError"), CredentialsError, "no credentials were found", False),
    "s3fs, denied": (made("E", PermissionError, cause=boto("AccessDenied", 403)), CredentialsError, r"\(403 AccessDenied\)", False),
    "s3fs, expired": (made("E", OSError, cause=boto("ExpiredToken", 400)), CredentialsError, r"\(400 ExpiredToken\)", False),
    "s3fs, HEAD 403": (made("E", PermissionError, cause=boto("403", 403)), CredentialsError, r"\(403\)", False),
    "s3fs, busy": (made("E", OSError, cause=boto("SlowDown", 503)), ThrottledError, "503 SlowDown", True),
    "s3fs, busy without a cause": (OSError(errno.EBUSY, DUMP), ThrottledError, "asks for fewer requests;", True),
    "s3fs, internal": (made("E", OSError, cause=boto("InternalError", 500)), StoreError, "500 InternalError", True),
    "s3fs, bucket": (made("E", FileNotFoundError, cause=boto("NoSuchBucket", 404)), FileNotFoundError, "no such bucket", False),
    "s3fs, key": (made("E", FileNotFoundError, cause=boto("NoSuchKey", 404)), FileNotFoundError, "no such file", False),
    "botocore, time-out": (made("ReadTimeoutError", made("HTTPClientError").__class__), NoAnswerError, "in time", False),
    "botocore, refused": (made("EndpointConnectionError", cause=ConnectionRefusedError(111, DUMP)), NetworkError, "is refused", False),
    "botocore, reset": (made("EndpointConnectionError", cause=ConnectionResetError(104, DUMP)), NetworkError, "broke", True),
    "gcsfs, forbidden": (made("HttpError", code=403), CredentialsError, r"\(403\)", False),
    "gcsfs, forbidden, for a file": (OSError(f"Forbidden: https://storage.googleapis.com/x\n{DUMP}"), CredentialsError, r"\(403\)", False),
    "a file of that name": (OSError("no Forbidden: x"), OSError, "cannot be read: OSError: no Forbidden: x$", False),
    "gcsfs, too many": (made("HttpError", code=429), ThrottledError, r"\(429\)", True),
    "gcsfs, backend": (made("HttpError", code=500), StoreError, r"\(500\)", True),
    "google, none": (made("DefaultCredentialsError", made("GoogleAuthError").__class__), CredentialsError, "no credentials were found", False),
    "google, expired": (made("RefreshError", made("GoogleAuthError").__class__), CredentialsError, "refuses access;|refuses access$", False),
    "azure, mismatch": (made("HttpResponseError", status_code=403, error_code=REASON), CredentialsError, "403 AuthorizationPermissionMismatch", False),
    "azure, sign-in": (made("ClientAuthenticationError", status_code=401, error_code=None), CredentialsError, r"\(401\)", False),
    "azure, busy": (made("HttpResponseError", status_code=503, error_code="ServerBusy"), ThrottledError, "503 ServerBusy", True),
    "azure, no blob": (made("ResourceNotFoundError", status_code=404, error_code="BlobNotFound"), FileNotFoundError, "no such file", False),
    "azure, no container": (made("ResourceNotFoundError", status_code=404, error_code="ContainerNotFound"), FileNotFoundError, "no such bucket", False),
    "azure, no host": (made("ServiceRequestError"), NetworkError, "no connection to the store", False),
    "azure, broken": (made("ServiceResponseError"), NetworkError, "broke", True),
    "aiohttp": (made("ClientResponseError", status=503), ThrottledError, r"\(503\)", True),
    "aiohttp, cut": (made("ClientPayloadError"), NetworkError, "broke", True),
    "requests": (made("HTTPError", OSError, response=made("R", status_code=401)), CredentialsError, r"\(401\)", False),
    "fsspec, time-out": (made("FSTimeoutError", TimeoutError), NoAnswerError, "in time", False),
    "hdfs, permission": (OSError(errno.EACCES, DUMP), CredentialsError, "refuses access", False),
    "hdfs, refused": (OSError(errno.ECONNREFUSED, DUMP), NetworkError, "no connection", False),
    "hdfs, pipe": (OSError(errno.EPIPE, DUMP), NetworkError, "broke", True),
    "arrow, denied": (arrow("ACCESS_DENIED during HeadObject operation: No response body."), CredentialsError, r"\(ACCESS_DENIED\)", False),
    "arrow, busy": (arrow("UNKNOWN (HTTP status 503) during HeadObject operation"), ThrottledError, r"\(503\)", True),
    "arrow, network": (arrow("NETWORK_CONNECTION during HeadObject operation: curlCode: 7"), NetworkError, "no connection", False),
    "arrow, bucket": (arrow("NO_SUCH_BUCKET during ListObjectsV2 operation"), FileNotFoundError, "no such bucket", False),
    "unknown": (made("Strange"), OSError, "cannot be read: Strange$", False),
    "unknown, a sentence": (made("Strange", text="the disk is upside down"), OSError, "Strange: the disk is upside down$", False),
    "unknown, a token": (made("Strange", text="bad token 0123456789abcdef0123456789"), OSError, r"bad token \*\*\*$", False),
}  # fmt: skip


@pytest.mark.parametrize("name", DRIVERS)
def test_drivers(name):
    error, kind, words, again = DRIVERS[name]
    found = heard(error, "s3://id:pass@bucket/x?sig=abc")
    assert type(found) is kind and found.args
    pytest.raises(kind, lambda: (_ for _ in ()).throw(found)).match(words)
    assert str(found).startswith("s3://***@bucket/x?sig=***")
    assert not any(one in str(found) for one in ("<", "RequestId", "Request ID", "4442587FB7D0A2F9", "0123456789"))  # fmt: skip
    assert getattr(found, "again", False) is again
    copy = pickle.loads(pickle.dumps(found))
    assert type(copy) is kind and str(copy) == str(found)


@pytest.mark.parametrize("error", [UsageError("x"), CorruptFileError("x", offset=1), MemoryError()])
def test_our_own_errors_stay(error):
    assert heard(error, "s3://b/x") is error


# scheme | storage options | what is said of the credentials
LOOKED = [
    ("s3", {}, "looked for: storage_options (key, secret, token"),
    ("s3a", {"key": "AKIA1", "secret": "s3cr3t"}, "asked with key, secret of storage_options"),
    ("s3", {"anon": True}, "without credentials, as storage_options say (anon)"),
    ("gcs", {}, "GOOGLE_APPLICATION_CREDENTIALS"),
    ("gs", {"token": "anon"}, "without credentials"),
    ("abfss", {"sas_token": "s3cr3t"}, "asked with sas_token of storage_options"),
    ("https", {}, "looked for: storage_options (headers, auth); pass"),
    ("hdfs", {}, "Kerberos"),
    ("other", {"key": "s3cr3t"}, ""),
]


@pytest.mark.parametrize(("scheme", "given", "words"), LOOKED)
def test_the_names_of_credentials_are_said_and_never_their_values(scheme, given, words):
    said = looked_for(scheme, given)
    assert words in said and bool(words) == bool(said)
    assert "s3cr3t" not in said and "AKIA1" not in said


class Clock:
    """Time that passes only while a request waits, or as its requests take it."""

    def __init__(self, monkeypatch):
        self.now, self.waits = 0.0, []
        monkeypatch.setattr(retry, "time", self)
        monkeypatch.setattr(retry, "random", self)
        monkeypatch.setattr(retry, "_wait", self.wait)

    def monotonic(self):
        return self.now

    def uniform(self, low, high):
        return high

    def wait(self, seconds):
        self.now += seconds
        self.waits.append(seconds)


# seconds of one request | error | bounds of the waits
WAITS = [
    (0.0, lambda: ThrottledError("busy", again=True), [0.25, 0.5, 1.0, 2.0, 4.0]),
    (0.0, lambda: boto("SlowDown", 503), [0.25, 0.5, 1.0, 2.0, 4.0]),
    (14.0, lambda: ThrottledError("busy", again=True), [0.25, 0.5]),  # none begins after 30 s
    (34.0, lambda: boto("SlowDown", 503), []),  # the driver has repeated it already
    (0.0, lambda: ThrottledError("busy", again=True, after=3), [3.0] * 5),
    (0.0, lambda: ThrottledError("busy", again=True, after=60), []),
    (0.0, lambda: CredentialsError("no"), []),
    (0.0, lambda: NoAnswerError("no"), []),
]


@pytest.mark.parametrize(("seconds", "error", "waits"), WAITS)
def test_waits_double_and_end(monkeypatch, seconds, error, waits):
    clock, requests = Clock(monkeypatch), Requests("s3://b/x")

    def ask():
        clock.now += seconds
        raise error()

    with pytest.raises(StoreError) as caught:
        requests.send(ask)
    assert clock.waits == waits and requests.retries == len(waits)
    assert (f"tried {len(waits) + 1} times in {clock.now:.1f} s" in str(caught.value)) is bool(waits)  # fmt: skip


def test_a_request_that_succeeds_at_last(monkeypatch):
    clock, requests = Clock(monkeypatch), Requests("s3://b/x")
    answers = iter([ThrottledError("busy", again=True), ConnectionResetError(104, "x"), "done"])

    def ask():
        one = next(answers)
        if isinstance(one, Exception):
            raise one
        return one

    assert requests.send(ask) == "done"
    assert requests.retries == 2 and clock.waits == [0.25, 0.5]


def test_waiting_is_cancelled():
    class Stopped(Exception):
        pass

    def stop():
        raise Stopped

    def busy():
        raise ThrottledError("busy", again=True, after=5)

    set_to = retry.stop.set(stop)
    try:
        with pytest.raises(Stopped):
            Requests("x").send(busy)
    finally:
        retry.stop.reset(set_to)


class Choosy(fsspec.AbstractFileSystem):
    """A driver that looks for its credentials when it is made, as gcsfs does."""

    protocol = "gs"

    def __init__(self, token=None):
        super().__init__(token=token)
        if token is None:
            raise made("DefaultCredentialsError", made("GoogleAuthError").__class__)


class Azure(fsspec.AbstractFileSystem):
    """A driver that has no option for its client's retries, and raises ValueError without an account, as adlfs does."""

    protocol = "abfs"

    def __init__(self, connection_string=None, **kwargs):
        super().__init__()
        if connection_string is None or "=" not in connection_string:
            raise ValueError(f"unable to connect to account for {connection_string}")
        policy = types.SimpleNamespace(total_retries=3)
        self.service_client = types.SimpleNamespace(_config=types.SimpleNamespace(retry_policy=policy))  # fmt: skip

    @property
    def retries(self):
        return self.service_client._config.retry_policy.total_retries


# driver | storage options | error | what it says
UNMADE = [
    (Choosy, {}, CredentialsError, "no credentials were found for the store; looked for: storage_options .token., then GOOGLE"),
    (Choosy, {"tokne": "s3cr3t"}, UsageError, "storage_options: .*unexpected keyword argument 'tokne'"),
    (Azure, {}, CredentialsError, r"cannot connect to the store; looked for: .*pass storage_options={\"account_name\": …"),
    (Azure, {"connection_string": "s3cr3t"}, CredentialsError, "cannot connect to the store; it was asked with connection_string"),
]  # fmt: skip


@pytest.mark.parametrize(("driver", "options", "kind", "words"), UNMADE)
def test_a_driver_that_cannot_be_made(monkeypatch, driver, options, kind, words):
    scheme = driver.protocol
    monkeypatch.setitem(sys.modules["fsspec.registry"]._registry, scheme, driver)
    for ask in (
        lambda: open_source(f"{scheme}://bucket/x.parquet", storage_options=options),
        lambda: pqexplore.lake.scan(None, f"{scheme}://bucket", storage_options=options),
    ):
        with pytest.raises(kind, match=words) as caught:
            ask()
        assert "s3cr3t" not in str(caught.value)
        assert str(caught.value).startswith("gs://bucket") or driver is Azure


def test_a_scheme_without_a_driver_is_not_about_credentials():
    with pytest.raises(UsageError, match="Protocol not known: nosuchscheme"):
        pqexplore.lake.scan(None, "nosuchscheme://container")


def test_azure_does_not_repeat_requests_by_itself(monkeypatch):
    monkeypatch.setitem(sys.modules["fsspec.registry"]._registry, "abfs", Azure)
    options = {"connection_string": "a=b"}
    users = fsspec.filesystem("abfs", **options)
    assert filesystem_of("abfs://container/x", options)[0].retries == 0
    assert users.retries == 3, "the file system that the user made is left alone"
    assert filesystem_of("abfs://container/x", {**options, "retry_total": 5})[0].retries == 3
