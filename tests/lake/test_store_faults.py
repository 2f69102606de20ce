"""What goes wrong with a store has a code and one sentence, at each place where the store is asked."""

import io
import json
import re
import threading
import time
import urllib.request

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake.faulty import Faulty, cut, refusal, reset, silent

import pqexplore
import pqexplore.lake
from pqexplore import cli
from pqexplore.engine.errors import (
    CredentialsError,
    NetworkError,
    NoAnswerError,
    StoreError,
    ThrottledError,
    UsageError,
)
from pqexplore.engine.file import retry
from pqexplore.insight.trouble import error_code
from pqexplore.lake.scanning.progress import Cancelled

NOT_SHOWN = re.compile(r"<|RequestId|4442587FB7D0A2F9|hostid|words of the store|very-secret|Traceback")

SLOW = refusal("503 Slow Down", "SlowDown")

# situation | fault | error | what the sentence says | requests
SITUATIONS = {
    "wrong key": (refusal("403 Forbidden", "InvalidAccessKeyId"), CredentialsError,
        r"refuses access \(403.*\); it was asked with key, secret of storage_options", 1),
    "no permission": (refusal("403 Forbidden", "AccessDenied"), CredentialsError, r"refuses access \(403", 1),
    "throttled": (
        SLOW, ThrottledError, r"asks for fewer requests \(503.*\); try later.*\(tried 6 times in [\d.]+ s\)", 6),
    "too many": (refusal("429 Too Many Requests", "TooManyRequests"), ThrottledError, r"\(429.*tried 6 times", 6),
    "internal": (
        refusal("500 Internal Server Error", "InternalError"), StoreError, r"could not answer \(500.*tried 6 times", 6),
    "silent": (silent, NoAnswerError, r"did not answer in time; .*read_timeout", 1),
}  # fmt: skip
CODES = {
    CredentialsError: "credentials",
    ThrottledError: "throttled",
    NoAnswerError: "timeout",
    NetworkError: "network",
    StoreError: "unreadable",
}


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(retry, "FIRST", 0.001)


def parquet(rows: int = 3) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({"id": list(range(rows))}), sink)
    return sink.getvalue()


@pytest.fixture(scope="module")
def front(s3_endpoint):
    found = Faulty(s3_endpoint)
    yield found
    found.close()


@pytest.fixture
def bucket(s3, front):
    """A bucket with a plain folder and a Delta table, behind a server that can be faulty: URL and options."""
    files = s3.filesystem()
    for name in ("plain/a.parquet", "plain/b.parquet", "table/a.parquet"):
        files.pipe_file(f"{s3.url}/{name}", parquet())
    actions = [
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
        {"metaData": {"id": "1", "format": {"provider": "parquet"}, "schemaString": json.dumps({"type": "struct", "fields": []}), "partitionColumns": []}},
        {"add": {"path": "a.parquet", "size": len(parquet()), "modificationTime": 0, "dataChange": True, "partitionValues": {}}},
    ]  # fmt: skip
    text = "\n".join(json.dumps(one) for one in actions)
    files.pipe_file(f"{s3.url}/table/_delta_log/{0:020}.json", text.encode())
    front.none()
    options = {"endpoint_url": front.url, "key": "k", "secret": "very-secret"}
    yield s3.url, options
    front.none()


def scan(source, options, **more):
    return pqexplore.lake.scan(None, source, storage_options=options, processes=0, **more)


def impatient(options):
    """Options with which a time-out comes soon."""
    return options | {"config_kwargs": {"read_timeout": 1}}


def files_of(source, options):
    """The rows of `files`, by path."""
    return sorted(scan(source, options).tables["files"].to_pylist(), key=lambda row: str(row["path"]))


@pytest.mark.parametrize("name", SITUATIONS)
def test_opening_and_listing(bucket, front, name):
    url, options = bucket
    fault, kind, words, requests = SITUATIONS[name]
    options = impatient(options) if fault is silent else options
    for ask in (
        lambda: pqexplore.open(f"{url}/plain/a.parquet", storage_options=options),
        lambda: scan(f"{url}/plain", options),
    ):
        front.answer(fault)
        with pytest.raises(OSError, match=words) as caught:
            ask()
        assert type(caught.value) is kind and error_code(caught.value) == CODES[kind]
        assert url in str(caught.value) and not NOT_SHOWN.search(str(caught.value))
        assert caught.value.__cause__ is None and caught.value.__suppress_context__
        # s3fs asks for the headers, then lists; each is a request of its own
        assert requests <= front.met <= requests + 1


@pytest.mark.parametrize("name", SITUATIONS)
def test_reading_footers_and_logs(bucket, front, name):
    url, options = bucket
    fault, kind, words, requests = SITUATIONS[name]
    options = impatient(options) if fault is silent else options
    front.answer(fault, pattern=r"^(GET|HEAD) \S*plain/b\.parquet")
    sound, one = files_of(f"{url}/plain", options)
    assert (sound["error_code"], one["error_code"], front.met) == (None, CODES[kind], requests)
    front.answer(fault, pattern=r"^(GET|HEAD) \S*_delta_log/0")
    lake = scan(f"{url}/table", options)
    [table] = lake.tables["tables"].to_pylist()
    assert (table["status"], table["error_code"], front.met) == ("error", CODES[kind], requests)
    assert {row["state"] for row in lake.tables["files"].to_pylist()} == {"not-known"}
    for row in (one, table):
        assert re.search(words, row["error"]) and not NOT_SHOWN.search(row["error"])


def test_a_table_is_not_taken_for_a_plain_folder_when_its_log_cannot_be_looked_for(bucket, front):
    url, options = bucket
    front.answer(SLOW, pattern="_delta_log")
    with pytest.raises(ThrottledError, match="table/_delta_log: "):
        scan(f"{url}/table/a.parquet", options)
    [table] = scan(f"{url}/table", options).tables["tables"].to_pylist()
    assert (table["status"], table["error_code"]) == ("error", "throttled")


@pytest.mark.parametrize("fault", [SLOW, cut, reset], ids=["throttled", "cut", "reset"])
@pytest.mark.parametrize("pattern", ["plain/b", "list-type"])
def test_a_fault_that_passes_is_not_seen(bucket, front, fault, pattern):
    url, options = bucket
    front.answer(fault, times=3, pattern=rf"GET \S*{pattern}")
    rows = files_of(f"{url}/plain", options)
    assert [row["status"] for row in rows] == ["ok", "ok"] and front.met == 3
    if pattern == "plain/b" and fault is not reset:  # aiohttp repeats a reset request once by itself
        assert [row["retries"] for row in rows] == [0, 3]


@pytest.mark.parametrize("fault", [cut, reset], ids=["cut", "reset"])
def test_a_connection_that_breaks_each_time(bucket, front, fault):
    url, options = bucket
    front.answer(fault, pattern=r"^GET \S*plain/b")
    rows = files_of(f"{url}/plain", options)
    assert [row["error_code"] for row in rows] == [None, "network"]
    assert "the connection broke before the store had sent all" in rows[1]["error"]
    assert "tried 6 times" in rows[1]["error"] and not NOT_SHOWN.search(rows[1]["error"])


def test_no_credentials(bucket, front, monkeypatch, tmp_path, capsys):
    url, options = bucket
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_ENDPOINT_URL", front.url)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    words = (
        r"s3://\S+: no credentials were found for the store; looked for: storage_options \(key, secret, .*\), then the "
        r"environment \(AWS_ACCESS_KEY_ID.*pass storage_options=.*anon"
    )
    for ask in (lambda: pqexplore.open(f"{url}/plain/a.parquet", storage_options={}), lambda: scan(f"{url}/plain", {})):
        with pytest.raises(CredentialsError, match=words):
            ask()
    assert front.met == 0
    for words in (["lake", f"{url}/plain"], [f"{url}/plain/a.parquet"]):
        assert cli.main(words) == cli.UNREADABLE
        told = capsys.readouterr().err
        assert told.count("\n") == 1 and "no credentials were found" in told


def test_credentials_that_the_server_itself_refuses(bucket, s3_endpoint):
    """With moto's own check of signatures and users."""
    url, options = bucket

    def checked(after: bytes) -> None:
        to, kind = f"{s3_endpoint}/moto-api/reset-auth", {"Content-Type": "text/plain"}
        urllib.request.urlopen(urllib.request.Request(to, after, kind)).close()

    checked(b"0")
    try:
        with pytest.raises(CredentialsError, match="asked with key, secret of storage_options"):
            scan(f"{url}/plain", options)
    finally:
        checked(b"10000000")


def test_what_is_not_there(bucket):
    url, options = bucket
    for name, words in ((f"{url}/plain/x.parquet", "no such file"), ("s3://no-such-bucket/x.parquet", "no such bucket")):  # fmt: skip
        with pytest.raises(FileNotFoundError, match=words) as caught:
            pqexplore.open(name, storage_options=options)
        assert name in str(caught.value)
        with pytest.raises(UsageError, match=f"{name} has no file named"):
            scan(name, options)


def test_no_server(bucket):
    url, options = bucket
    for endpoint, words in (
        ("http://127.0.0.1:1", "at http://127.0.0.1:1: the connection is refused; check the address"),
        ("http://no-such-host.invalid", "the name of the host is not known"),
    ):
        with pytest.raises(NetworkError, match=words) as caught:
            scan(f"{url}/plain", options | {"endpoint_url": endpoint})
        assert "tried" not in str(caught.value)


def test_a_scan_is_cancelled_while_it_waits(bucket, front, monkeypatch):
    monkeypatch.setattr(retry, "random", type("Longest", (), {"uniform": staticmethod(max)}))
    monkeypatch.setattr(retry, "FIRST", 8.0)
    url, options = bucket
    front.answer(SLOW)
    lake = scan(f"{url}/plain", options, background=True)
    while not front.met:
        time.sleep(0.01)
    begun = time.monotonic()
    lake.cancel()
    with pytest.raises(Cancelled):
        lake.wait(20)
    assert time.monotonic() - begun < 3


def test_arrow_file_systems(bucket, front):
    from pyarrow import fs

    url, options = bucket
    path = url.removeprefix("s3://") + "/plain/a.parquet"
    files = fs.S3FileSystem(
        access_key="k",
        secret_key="very-secret",
        endpoint_override=front.url.removeprefix("http://"),
        scheme="http",
        region="us-east-1",
        retry_strategy=fs.AwsStandardS3RetryStrategy(1),
    )
    assert pqexplore.open(path, filesystem=files).num_rows == 3
    for name, code in (("wrong key", "credentials"), ("throttled", "throttled")):
        front.answer(SITUATIONS[name][0])
        with pytest.raises(StoreError) as caught:
            pqexplore.open(path, filesystem=files)
        assert caught.value.code == code and not NOT_SHOWN.search(str(caught.value))
        assert str(caught.value).startswith(path)


def test_many_workers_of_one_place_count_their_retries():
    requests, left = retry.Requests("place"), 40
    lock = threading.Lock()

    def ask():
        nonlocal left
        with lock:
            left -= 1
            if left > 0 and left % 2:
                raise ThrottledError("busy", again=True)
        return left

    threads = [threading.Thread(target=requests.send, args=(ask,)) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert requests.retries > 0
