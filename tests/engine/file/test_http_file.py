"""Files on web servers: sound ones are read by ranges; every way to be unsound has its sentence."""

import re
import sys
import traceback

import pytest
import yarl
from engine.file.web import clock, serving
from made import events, parquet

import pqexplore
from pqexplore.engine.errors import (
    CorruptFileError,
    CredentialsError,
    NetworkError,
    NoAnswerError,
    NotParquetError,
    ThrottledError,
    UsageError,
)
from pqexplore.engine.file import http_file, retry
from pqexplore.engine.file.http_file import redirected, same_origin
from pqexplore.engine.file.opening import open_source
from pqexplore.engine.file.urls import masked

FILE = parquet(events(20_000), row_group_size=2_000)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(retry, "FIRST", 0.001)


@pytest.fixture
def server():
    with serving(FILE) as found:
        yield found


# how the server gives the file | whether it is downloaded at once
SOUND = [
    ("ranges", False),
    ("redirect", False),
    ("no_ends", False),
    ("refused_ends", False),
    ("no_ranges", True),
    ("no_length", True),
    ("gzipped", True),
]


@pytest.mark.parametrize(("how", "at_once"), SOUND)
def test_a_file_is_read_by_ranges(server, how, at_once):
    with pqexplore.open(server.url(f"{how}/x.parquet")) as file:
        assert file.num_rows == 20_000
        assert (file.bytes_read == len(FILE)) is at_once
        assert file.read(["id"], [9])["id"].to_pylist() == list(range(18_000, 20_000))
        assert file.bytes_read <= len(FILE)
    if not at_once and how != "no_ends":  # what is not read may be sent already
        assert server.sent < len(FILE)


# how the server behaves | the kind of error | what the message says
UNSOUND = [
    ("missing", FileNotFoundError, "no such file .404 Not Found"),
    ("forbidden", CredentialsError, "refuses access .403 Forbidden.; credentials go into"),
    ("unauthorized", CredentialsError, "401 Unauthorized"),
    ("broken", ThrottledError, "answers 503 Service Unavailable.*tried 6 times"),
    ("refused_range", OSError, "refuses to give a range"),
    ("gzipped_ranges", OSError, "Content-Encoding: 'gzip'"),
    ("other_range", OSError, "other bytes than the range"),
    ("no_content_range", OSError, "other bytes than the range"),
    ("unknown_size", OSError, "does not say how long"),
    ("too_much", OSError, "another number of bytes"),
    ("endless", OSError, "another number of bytes"),
    ("short_length", OSError, "sends 32,768 bytes where 65,536 are asked for"),
    ("cut", NetworkError, "closed the connection before"),
    ("cut_whole", NetworkError, "closed the connection before"),
    ("whole_later", OSError, "now gives the whole file"),
    ("garbage", OSError, "not HTTP"),
    ("redirect_outside", OSError, "another host, http://localhost.*follow_outside"),
    ("redirect_loop", OSError, "redirects more than 5 times"),
    ("redirect_file", OSError, "redirects to file://"),
    ("redirect_nonsense", OSError, "not a URL"),
]


@pytest.mark.parametrize(("how", "kind", "words"), UNSOUND)
def test_each_fault_of_a_server_has_a_message(server, how, kind, words):
    server.elsewhere = server.url("ranges/x.parquet", host="localhost")
    url = server.url(f"{how}/x.parquet")
    with pytest.raises(kind, match=words) as caught:
        pqexplore.open(url)
    assert type(caught.value) is kind
    assert str(caught.value).startswith(url)
    assert not [path for path, _ in server.seen if how == "redirect_outside" and "ranges" in path]


def test_no_ranges_and_a_large_file_is_refused_before_it_is_downloaded(server, monkeypatch):
    monkeypatch.setattr(http_file, "WHOLE", 1 << 20)
    server.data = bytes(64 << 20)
    with pytest.raises(OSError, match="gives no ranges of bytes, so the file of 67,108,864 bytes"):
        pqexplore.open(server.url("no_ranges/x.parquet"))
    with pytest.raises(OSError, match="an unknown number of bytes"):
        pqexplore.open(server.url("no_length/x.parquet"))
    assert server.sent < 32 << 20


@pytest.mark.parametrize("how", ["slow", "drip"])
def test_a_server_that_does_not_answer_times_out(server, how):
    url = server.url(f"{how}/x.parquet")
    error, seconds = clock(lambda: pqexplore.open(url, storage_options={"timeout": 0.5}))
    assert isinstance(error, NoAnswerError), error
    assert "within 0.5 seconds" in str(error)
    assert seconds < 20


def test_a_busy_server_is_asked_again(server):
    source = open_source(server.url("busy/x.parquet"))
    assert (source.retries, len(server.seen)) == (3, 4)


def test_no_server_is_a_connection_error():
    with serving(FILE) as gone:
        url = gone.url("ranges/x")
    with pytest.raises(NetworkError, match="no connection to 127.0.0.1:"):
        pqexplore.open(url)


def test_a_redirect_to_another_host_is_followed_with_follow_outside(server):
    server.elsewhere = server.url("ranges/x.parquet", host="localhost")
    url = server.url("redirect_outside/x.parquet").replace("://", "://user:pass@")
    options = {"follow_outside": True, "headers": {"X-Token": "secret"}}
    with pqexplore.open(url, storage_options=options) as file:
        assert file.num_rows == 20_000
    first = [headers for path, headers in server.seen if "redirect" in path]
    other = [headers for path, headers in server.seen if "ranges" in path]
    assert all("Authorization" in one and "X-Token" in one for one in first)
    assert not any("Authorization" in one or "X-Token" in one for one in other)


# from | to | whether it is followed, and whether user and password go along
REDIRECTS = [
    ("http://h/x", "/y", True, True),
    ("http://h/x", "https://h/y", True, True),
    ("http://h:80/x", "https://h:443/y", True, True),
    ("https://H/x", "https://h/y", True, True),
    ("http://h/x", "http://h:8080/y", True, False),
    ("http://h:8080/x", "https://h:8443/y", True, False),
    ("https://h/x", "http://h/y", False, False),
    ("https://h/x", "https://h.evil/y", False, False),
    ("https://h/x", "//evil/y", False, False),
    ("https://h/x", "https://h@evil/y", False, False),
    ("http://127.0.0.1/x", "http://localhost/y", False, False),
]


@pytest.mark.parametrize(("begin", "location", "followed", "with_password"), REDIRECTS)
def test_which_redirects_are_followed(begin, location, followed, with_password):
    url = yarl.URL(begin.replace("://", "://user:pass@"))
    if followed:
        target = redirected(begin, url, location, outside=False)
        assert target.path == "/y"
        assert (target.password == "pass") is with_password
        assert same_origin(url, target) is with_password
    else:
        with pytest.raises(OSError, match="redirects to (another host|a connection without)"):
            redirected(begin, url, location, outside=False)
    assert redirected(begin, url, location, outside=True).path == "/y"


def test_a_file_that_changes_is_noticed(server):
    source = open_source(server.url("ranges/x"))
    assert bytes(source.read(0, 4)) == b"PAR1"
    assert not source.changed()
    server.tag = '"2"'
    with pytest.raises(CorruptFileError, match="changed while it was open"):
        source.read(0, 4)
    server.tag, server.data = '"1"', FILE[:100]
    for start in (0, 200):
        with pytest.raises(CorruptFileError, match="changed while it was open"):
            source.read(start, 50)
    assert source.changed()


def test_an_empty_file_on_a_server_is_not_parquet(server):
    server.data = b""
    for how in ("ranges", "no_ranges"):
        with pytest.raises(NotParquetError, match="is empty"):
            pqexplore.open(server.url(f"{how}/x.parquet"))


def test_a_sibling_is_in_the_same_folder(server):
    source = open_source(server.url("ranges/a.parquet?token=1"))
    assert source.sibling("b c.json") is not None
    assert server.seen[-1][0] == "/ranges/b%20c.json"


def test_a_user_and_a_password_are_used_and_not_shown(server):
    url = server.url("password/x.parquet?X-Amz-Signature=abc&part=1").replace("//", "//user:pass@")
    with pqexplore.open(url) as file:
        assert file.name == server.url("password/x.parquet?X-Amz-Signature=***&part=1").replace("//", "//***@")
    with pytest.raises(PermissionError) as caught:
        pqexplore.open(url.replace("user:pass", "user:wrong"))
    assert "wrong" not in str(caught.value) and "abc" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://h/x.parquet?part=1#a", "https://h/x.parquet?part=1#a"),
        ("https://user:p@ss@h:80/x", "https://***@h:80/x"),
        ("https://token@h/a@b", "https://***@h/a@b"),
        ("s3://id:secret@bucket/x", "s3://***@bucket/x"),
        ("https://h/x?sv=2024&sig=a%2Fb&se=2030", "https://h/x?sv=2024&sig=***&se=2030"),
        ("https://h/x?X-Amz-Credential=A&X-Amz-Date=1", "https://h/x?X-Amz-Credential=***&X-Amz-Date=1"),
        ("https://h/x?a=" + 30 * "z", "https://h/x?a=***"),
        ("simplecache::https://u:p@h/x", "simplecache::https://***@h/x"),
        ("/a/user:p@h?sig=1", "/a/user:p@h?sig=1"),
    ],
)
def test_secrets_in_urls_are_masked(url, shown):
    assert masked(url) == shown


@pytest.mark.parametrize("missing", ["aiohttp", "fsspec"])
def test_without_the_extra_remote_the_message_names_it(server, monkeypatch, missing):
    for name in list(sys.modules):
        if name == "fsspec.implementations.http" or name.split(".")[0] == missing:
            monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UsageError, match=r"pip install pqexplore\[remote\]"):
        pqexplore.open(server.url("ranges/x.parquet"))


# URL, "" for one of a server | storage options | what the message says
WRONG = [
    ("http://", {}, "not a valid URL"),
    ("http://h:port/x", {}, "not a valid URL"),
    ("http://127.0.0.1:1/x", {"no_such_option": 1}, "storage_options"),
    ("", {"headers": {"Authorization": b"hush-hush"}}, "Cannot serialize non-str key b'***'"),
    ("", {"client_kwargs": {"headers": {"a": b"hush-hush"}}}, "Cannot serialize non-str key b"),
    ("", {"timeout": "hush-hush"}, "number of seconds"),
    ("", {"session_token": "hush-hush"}, "unexpected keyword argument 'session_token'"),
]


@pytest.mark.parametrize(("url", "options", "words"), WRONG)
def test_a_wrong_url_or_option_is_a_usage_error_that_does_not_show_its_value(server, url, options, words):
    with pytest.raises(UsageError, match=re.escape(words)) as caught:
        pqexplore.open(url or server.url("ranges/x.parquet"), storage_options=options)
    assert "hush" not in "".join(traceback.format_exception(caught.value))
