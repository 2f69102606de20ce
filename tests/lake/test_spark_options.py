"""Storage options from the settings of a Spark session: what they mean for fsspec, and that they are kept secret."""

import json
import logging
import pathlib
import traceback
import types

import numpy as np
import pyarrow as pa
import pytest
from lake import made_tables
from made import parquet

import pqexplore.lake
from pqexplore.engine.file.drivers import Unopened
from pqexplore.engine.file.store_errors import heard, unsaid
from pqexplore.lake.comparing.state import How
from pqexplore.lake.listed_files import Options
from pqexplore.lake.scanning import processes
from pqexplore.lake.scanning.settings import Settings
from pqexplore.lake.spark import job
from pqexplore.lake.spark.session_options import options_of, urls_in

KEYS = {"fs.s3a.access.key": "AKIA1", "fs.s3a.secret.key": "hush"}
PAIR = {"key": "AKIA1", "secret": "hush"}
ANONYMOUS = "org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider"
HOST = "acc.dfs.core.windows.net"


class Session:
    """The configuration of a session, and nothing else."""

    def __init__(self, settings):
        self.conf = self
        self.settings = settings

    def get(self, name, default):
        return self.settings.get(name, default)


# settings | URL | storage options
OPTIONS = [
    ({}, "s3a://b/x", {}),
    (KEYS, "s3a://b/x", PAIR),
    (KEYS, "s3://b/x", PAIR),
    (KEYS, "S3N://b/x", PAIR),
    ({f"spark.hadoop.{name}": value for name, value in KEYS.items()}, "s3a://b/x", PAIR),
    (KEYS, "gs://b/x", {}),
    (KEYS, "https://b/x", {}),
    (KEYS, "abfss://b/x", {}),
    ({"fs.s3a.access.key": "AKIA1"}, "s3a://b/x", {}),
    (KEYS | {"fs.s3a.session.token": "t"}, "s3a://b/x", PAIR | {"token": "t"}),
    (KEYS | {"fs.s3a.bucket.b.secret.key": "other"}, "s3a://b/x", PAIR | {"secret": "other"}),
    (KEYS | {"fs.s3a.bucket.c.secret.key": "other"}, "s3a://b/x", PAIR),
    (KEYS | {"fs.s3a.aws.credentials.provider": ANONYMOUS}, "s3a://b/x", {"anon": True}),
    ({"fs.s3a.aws.credentials.provider": f"a.B,{ANONYMOUS}2"}, "s3a://b/x", {}),
    ({"fs.s3a.endpoint": "http://h:9000"}, "s3a://b/x", {"endpoint_url": "http://h:9000"}),
    ({"fs.s3a.endpoint": "h:9000"}, "s3a://b/x", {"endpoint_url": "https://h:9000"}),
    ({"fs.s3a.endpoint": "h", "fs.s3a.connection.ssl.enabled": "false"}, "s3a://b/x", {"endpoint_url": "http://h"}),
    ({"fs.s3a.endpoint": "s3.amazonaws.com"}, "s3a://b/x", {}),
    ({"fs.s3a.endpoint.region": "eu-west-1"}, "s3a://b/x", {"client_kwargs": {"region_name": "eu-west-1"}}),
    ({"fs.s3a.path.style.access": "true"}, "s3a://b/x", {"config_kwargs": {"s3": {"addressing_style": "path"}}}),
    ({"fs.s3a.path.style.access": "false"}, "s3a://b/x", {}),
    ({f"fs.azure.account.key.{HOST}": "k"}, f"abfss://c@{HOST}/x", {"account_name": "acc", "account_key": "k"}),
    ({f"fs.azure.account.key.{HOST}": "k"}, "abfss://c@other.dfs.core.windows.net/x", {}),
    ({f"fs.azure.sas.fixed.token.{HOST}": "sas"}, f"abfs://c@{HOST}/x", {"account_name": "acc", "sas_token": "sas"}),
    ({"fs.gs.auth.service.account.json.keyfile": "/k.json"}, "gs://b/x", {"token": "/k.json"}),
    ({"google.cloud.auth.service.account.json.keyfile": "/k"}, "gs://b/x", {"token": "/k"}),
    ({"fs.gs.auth.type": "UNAUTHENTICATED"}, "gs://b/x", {"token": "anon"}),
    ({"fs.gs.auth.type": "APPLICATION_DEFAULT"}, "gs://b/x", {}),
]


@pytest.mark.parametrize(("settings", "url", "options"), OPTIONS)
def test_settings_become_storage_options(settings, url, options):
    assert options_of(Session(settings), [url]) == options


def test_a_session_that_does_not_show_a_setting_has_none():
    class Refusing(Session):
        def get(self, name, default):
            if "endpoint" in name:
                raise RuntimeError(f"[CONFIG_NOT_AVAILABLE] Configuration {name} is not available.")
            return super().get(name, default)

    assert options_of(Refusing(KEYS), ["s3a://b/x"]) == PAIR


SECRETS = {"key": "AKIA1", "secret": "hush/hush+1", "client_kwargs": {"headers": {"a": "b-hush"}}}


@pytest.mark.parametrize("made", [
    Settings(storage_options=SECRETS),
    Options(storage_options=tuple(SECRETS.items())),
    How(storage_options=SECRETS),
    Unopened("s3", SECRETS),
])  # fmt: skip
def test_what_has_storage_options_does_not_show_them(made):
    assert "AKIA1" not in repr(made) and "hush" not in repr(made)


def test_a_drivers_text_is_shown_without_secrets():
    said = "key AKIA1 and secret hush/hush+1, b'b-hush' at eu-west-1"
    options = SECRETS | {"endpoint_url": "eu-west-1"}
    assert unsaid(said, options) == "key *** and secret ***, b'***' at eu-west-1"
    assert unsaid(said, {"key": "a", "secret": "", "token": None, "anon": True}) == said
    error = heard(ValueError("Invalid endpoint: hush/hush+1"), "s3://b/x", Unopened("s3", SECRETS))
    assert str(error) == "s3://b/x cannot be read: ValueError: Invalid endpoint: ***"


def test_a_refused_scan_does_not_show_the_settings(session, caplog):
    caplog.set_level(logging.INFO)  # below that, botocore logs the requests that it signs
    caplog.set_level(logging.DEBUG, "pqexplore")
    session.settings["fs.s3a.endpoint"] = "http://127.0.0.1:9"
    with pytest.raises(OSError) as refused:
        pqexplore.lake.scan(session, "s3a://b/x")
    shown = "".join(traceback.format_exception(refused.value)) + caplog.text
    for secret in ("AKIASESSION", "session-secret", "session-token"):
        assert secret not in shown


class Frame:
    """The DataFrame of a view: Spark prints where its files are."""

    root = "s3a://b/view"

    def inputFiles(self):  # noqa: N802
        return []

    def explain(self, mode):
        print(
            "== Physical Plan ==\n* ColumnarToRow (2)\n+- Scan parquet  (1)\n\n\n(1) Scan parquet \nOutput [1]: [id#0L]\n"
            f"Batched: true\nLocation: InMemoryFileIndex [{self.root}]\nReadSchema: struct<id:bigint>\n"
        )


class Named(Session):
    """A session with a table `main.t`, and a view `v` whose column is called Location."""

    def __init__(self, settings, location, provider="parquet"):
        super().__init__(settings)
        self.about = {
            "main.t": [
                ("Location", "string"),
                ("# Detailed Table Information", ""),
                ("Location", location),
                ("Provider", provider),
            ],
            "v": [("Location", "string")],
        }

    def table(self, name):
        return Frame() if name == "v" else types.SimpleNamespace(inputFiles=list, explain=print)

    def sql(self, text):
        name = text.removeprefix("DESCRIBE TABLE EXTENDED ")
        assert "/" not in name
        rows = self.about.get(name, ())
        found = [dict(zip(("col_name", "data_type"), row, strict=True)) for row in rows]
        return types.SimpleNamespace(collect=lambda: found)


# source | its URLs, as a session says it
NAMED = [
    ("main.t", ["s3a://b/t"]),
    ("v", ["s3a://b/view"]),
    (Frame(), ["s3a://b/view"]),
    (["main.t", "gs://c/x", Frame()], ["s3a://b/t", "gs://c/x", "s3a://b/view"]),
    ("no_table", []),
    ("/no/path", []),
    ("*.parquet", []),
]


@pytest.mark.parametrize(("source", "urls"), NAMED)
def test_urls_of_tables_views_and_frames(source, urls):
    assert list(urls_in(source, Named({}, "s3a://b/t"))) == urls


def test_tables_of_this_machine_have_no_url(tmp_path, monkeypatch):
    assert list(urls_in("main.t", Named({}, f"file:{tmp_path}"))) == []
    monkeypatch.chdir(tmp_path)
    (tmp_path / "main.t").mkdir()  # a path goes before a table
    assert list(urls_in("main.t", Named({}, "s3a://b/t"))) == []


def test_urls_that_need_different_options_get_none():
    session = Session(KEYS | {"fs.s3a.bucket.c.access.key": "AKIA2"})
    assert options_of(session, ["s3a://b/x", "s3a://b/y", "s3a://d/y"]) == PAIR
    assert options_of(session, ["s3a://b/x", "s3a://c/y"]) == {}
    assert options_of(session, ["s3a://b/x", "gs://b/y"]) == {}
    assert options_of(session, []) == {}
    assert list(urls_in(["s3a://b/x", "/a", 5])) == ["s3a://b/x"]
    assert list(urls_in("events")) == list(urls_in(None)) == []


@pytest.fixture
def bucket(s3):
    for number in range(3):
        data = parquet(pa.table({"a": np.arange(number + 5)}))
        s3.filesystem().pipe_file(f"{s3.url}/lake/{number}.parquet", data)
    return f"s3a://{s3.url.partition('://')[2]}/lake"


@pytest.fixture
def session(s3, monkeypatch):
    """The settings of a session for the server; botocore finds no other credentials. This process is the executors."""

    def run(_session, entries, options, root, watch, _tasks):
        processes.run(entries, options, root, watch, 0)

    monkeypatch.setattr(job, "run", run)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    return Session(
        {
            "fs.s3a.access.key": "AKIASESSION",
            "fs.s3a.secret.key": "session-secret",
            "fs.s3a.session.token": "session-token",
            "fs.s3a.endpoint": s3.options["endpoint_url"],
            "fs.s3a.path.style.access": "true",
        }
    )


def test_a_bucket_is_read_with_the_settings_of_the_session(bucket, session, s3, tmp_path, caplog, capfd):
    caplog.set_level(logging.DEBUG, "pqexplore")
    out = tmp_path / "store"
    lake = pqexplore.lake.scan(session, bucket, out=out)
    here = pqexplore.lake.open(out)
    assert here.sql("select status, num_rows from files order by path").to_pylist() == [
        {"status": "ok", "num_rows": rows} for rows in (5, 6, 7)
    ]
    assert lake.storage_options["key"] == "AKIASESSION"
    stored = b"".join(path.read_bytes() for path in pathlib.Path(out).rglob("*") if path.is_file())
    shown = [repr(lake), str(here.report()), caplog.text, *capfd.readouterr(), str(stored)]
    for secret in ("AKIASESSION", "session-secret", "session-token"):
        assert not [text for text in shown if secret in text]
    again = pqexplore.lake.open(out, session)
    s3.filesystem().pipe_file(f"{bucket}/0.parquet", parquet(pa.table({"a": [1]})))
    assert again.refresh(bucket).storage_options["secret"] == "session-secret"
    rows = pqexplore.lake.open(out).sql("select sum(num_rows) n from files").to_pylist()
    assert rows == [{"n": 1 + 6 + 7}]
    assert "session-secret" not in json.dumps(again.manifest.options)


def test_a_table_by_name_is_read_with_the_settings_of_the_session(session, s3, tmp_path):
    url = made_tables.delta(s3).replace("s3://", "s3a://")
    named = Named(session.settings, url, "delta")
    lake = pqexplore.lake.scan(named, "main.t", out=tmp_path / "store")
    assert lake.storage_options["key"] == "AKIASESSION"
    found = pqexplore.lake.open(tmp_path / "store").tables["files"].to_pylist()
    assert {row["status"] for row in found if row["state"] == "live"} == {"ok"}
    assert sum(row["num_rows"] for row in found if row["state"] == "live") == 50


def test_options_that_are_given_go_before_the_settings(bucket, session, s3):
    session.settings["fs.s3a.endpoint"] = "http://127.0.0.1:9"
    lake = pqexplore.lake.scan(session, bucket, storage_options=s3.options)
    assert lake.storage_options == s3.options
