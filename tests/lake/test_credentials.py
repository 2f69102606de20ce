"""Temporary credentials of Unity Catalog, from a server on this machine that answers as its documentation says."""

import contextlib
import http.server
import json
import pickle
import sys
import threading
import time
import types

import pytest
from lake.test_store_faults import parquet

import pqexplore
import pqexplore.lake
from pqexplore.engine.errors import CredentialsError, NetworkError, ThrottledError, UsageError
from pqexplore.engine.file import retry
from pqexplore.lake import credentials
from pqexplore.lake.credentials import UnityCatalog

AWS = {"aws_temp_credentials": {"access_key_id": "AKIATEMP", "secret_access_key": "temporary-secret", "session_token": "session-1"}}  # fmt: skip
SECRETS = ("pat-1", "temporary-secret", "session-", "AKIATEMP", "sas-1", "ya29")


class Catalog:
    """`asked` are the requests: method, path, body, Authorization. `answers` are given first: a status and a body."""

    def __init__(self):
        self.asked, self.answers, self.served = [], [], 0
        self.location, self.given, self.lasts = "s3://bucket/table", AWS, 3600.0
        self.version = "2.0"
        catalog = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                self.do_POST()

            def do_POST(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                catalog.asked.append((self.command, self.path, body, self.headers["Authorization"]))
                status, told = catalog.answer(self.path, body)
                data = json.dumps(told).encode()
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", "http://localhost:1/elsewhere")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def answer(self, path, body):
        if self.answers:
            return self.answers.pop(0)
        if path == "/api/2.1/unity-catalog/tables/main.default.events":
            return 200, {"table_id": "id-7", "storage_location": self.location, "table_type": "MANAGED"}  # fmt: skip
        if path == "/api/2.1/unity-catalog/tables/main.default.view":
            return 200, {"table_id": "id-8", "table_type": "VIEW"}
        if path.startswith(f"/api/{self.version}/unity-catalog/temporary-"):
            self.served += 1
            return 200, self.given | {"expiration_time": int((time.time() + self.lasts) * 1000)}
        return 404, {"error_code": "NOT_FOUND", "message": "words of the catalog"}


@pytest.fixture
def catalog(monkeypatch):
    monkeypatch.setattr(retry, "FIRST", 0.001)
    monkeypatch.setitem(sys.modules, "databricks", None)
    found = Catalog()
    monkeypatch.setenv("DATABRICKS_HOST", found.host)
    monkeypatch.setenv("DATABRICKS_TOKEN", "pat-1")
    yield found
    found.server.shutdown()
    found.server.server_close()


# the catalog's answer | storage options
KINDS = {
    "S3": (AWS, {"key": "AKIATEMP", "secret": "temporary-secret", "token": "session-1"}),
    "Azure": ({"azure_user_delegation_sas": {"sas_token": "sas-1"}}, {"sas_token": "sas-1"}),
    "GCS": ({"gcp_oauth_token": {"oauth_token": "ya29"}}, {"token": "ya29"}),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("version", ["2.0", "2.1"])
def test_a_table_and_a_path(catalog, kind, version):
    catalog.given, options = KINDS[kind]
    catalog.version = version
    table = UnityCatalog("main.default.events")
    assert table.location == "s3://bucket/table" and dict(table) == options
    path = UnityCatalog("abfss://c@account.dfs.core.windows.net/x", options={"anon": False})
    assert path.location == path.source and dict(path) == options | {"anon": False}
    found = [(way, path, body) for way, path, body, _ in catalog.asked if version in path or "tables" in path]  # fmt: skip
    where = f"/api/{version}/unity-catalog/temporary"
    assert found == [
        ("GET", "/api/2.1/unity-catalog/tables/main.default.events", None),
        ("POST", f"{where}-table-credentials", {"table_id": "id-7", "operation": "READ"}),
        ("POST", f"{where}-path-credentials", {"url": path.source, "operation": "PATH_READ"}),
    ]
    assert {token for *_, token in catalog.asked} == {"Bearer pat-1"}


def test_credentials_are_renewed_before_they_expire(catalog, monkeypatch):
    now = time.time()
    monkeypatch.setattr(credentials, "time", types.SimpleNamespace(time=lambda: now))
    table = UnityCatalog("main.default.events")
    assert [dict(table) and catalog.served for _ in range(3)] == [1, 1, 1]
    now += 3600 - credentials.MARGIN - 60
    assert dict(table) and catalog.served == 1
    now, catalog.lasts = now + 120, 2 * 3600
    assert dict(table) and catalog.served == 2


def test_shares_of_a_long_scan(catalog, monkeypatch):
    monkeypatch.setattr(credentials, "SHARE", 2)
    catalog.lasts = credentials.MARGIN - 1  # each time they are asked for
    entries = [credentials.Entry(name) for name in "abcde"]
    made = credentials.renewed(entries, credentials.Options("run"), UnityCatalog("s3://b/x"))
    served = [(len(share), catalog.served, dict(valid.storage_options)["key"]) for share, valid in made]  # fmt: skip
    assert [one[0] for one in served] == [2, 2, 1] and served[0][1] < served[1][1] < served[2][1]
    same = list(credentials.renewed(entries, credentials.Options("run"), {"key": "k"}))
    assert same == [(entries, credentials.Options("run"))]


def test_a_scan_of_a_table_by_name(catalog, s3, tmp_path):
    s3.filesystem().pipe_file(f"{s3.url}/t/a.parquet", parquet())
    catalog.location = f"{s3.url}/t"
    endpoint = {"endpoint_url": s3.options["endpoint_url"]}
    table = UnityCatalog("main.default.events", options=endpoint)
    out = tmp_path / "store"
    lake = pqexplore.lake.scan(None, "main.default.events", out=out, storage_options=table, processes=1)  # fmt: skip
    [row] = lake.tables["files"].to_pylist()
    assert (row["path"], row["status"]) == (f"{s3.url}/t/a.parquet", "ok")
    lake.refresh()
    assert lake.runs["source"].to_pylist() == [f"{s3.url}/t"] * 2
    with pqexplore.open(row["path"], storage_options=table) as file:
        assert file.num_rows == 3
    told = repr(lake) + repr(table) + repr(lake.storage_options)
    told += "".join(path.read_bytes().decode("latin-1") for path in out.rglob("*") if path.is_file())  # fmt: skip
    assert not any(one in told for one in SECRETS)
    with pytest.raises(TypeError, match="stays in its process"):
        pickle.dumps(table)


# the catalog's answers | error | what it says | requests
WRONG = {
    "no permission": ([(403, {"message": "words of the catalog"})] * 9, CredentialsError, "403.*EXTERNAL USE SCHEMA", 1),
    "busy": ([(429, {})] * 9, ThrottledError, "asks for fewer requests.*tried 6 times", 6),
    "unknown": ([(404, {})] * 9, UsageError, "knows no table main.default.events", 1),
    "no JSON": ([(200, [])] * 9, UsageError, "did not answer with a JSON object", 1),
    "redirect": ([(302, {})] * 9, OSError, r"\(302\)", 1),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_can_be_wrong(catalog, name):
    catalog.answers, kind, words, requests = WRONG[name]
    with pytest.raises(kind, match=words) as caught:
        dict(UnityCatalog("main.default.events"))
    assert "words of the catalog" not in str(caught.value)
    assert not any(one in str(caught.value) for one in SECRETS)
    assert len(catalog.asked) == requests


def test_a_view_has_no_files_and_r2_is_not_known(catalog):
    with pytest.raises(UsageError, match="main.default.view has no files: it is a VIEW"):
        dict(UnityCatalog("main.default.view"))
    catalog.given = {"r2_temp_credentials": {"access_key_id": "AKIATEMP"}}
    with pytest.raises(UsageError, match="of another kind.*r2_temp_credentials") as caught:
        dict(UnityCatalog("main.default.events"))
    assert "AKIATEMP" not in str(caught.value)


def test_no_catalog(catalog):
    catalog.server.shutdown()
    catalog.server.server_close()
    with pytest.raises(NetworkError, match="Unity Catalog .http://127.*refused"):
        dict(UnityCatalog("main.default.events"))


@pytest.mark.parametrize("source, given, words", [
    ("events", {}, "not catalog.schema.table"),
    ("a.b.c", {"host": "http://example.com"}, "https://"),
    ("a.b.c", {"host": "https://user:pat-1@example.com"}, "without a user"),
    ("a.b.c", {"token": ""}, "pass host= and token="),
])  # fmt: skip
def test_usage(catalog, monkeypatch, source, given, words):
    monkeypatch.delenv("DATABRICKS_TOKEN")
    with pytest.raises(UsageError, match=words) as caught:
        UnityCatalog(source, **({"token": "pat-1"} | given))
    assert "pat-1" not in str(caught.value)


def test_the_sdk_logs_in_if_it_is_installed(catalog, monkeypatch):
    """With a class of the shape of databricks.sdk.core.Config; the real one was tried by hand."""
    made = []

    class Config:
        def __init__(self, host=None, token=None):
            self.host = catalog.host

        def authenticate(self):
            made.append(1)
            return {"Authorization": f"Bearer sdk-{len(made)}"}

    core = types.ModuleType("databricks.sdk.core")
    core.Config = Config
    for name in ("databricks", "databricks.sdk"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, "databricks.sdk.core", core)
    monkeypatch.delenv("DATABRICKS_TOKEN")
    with contextlib.suppress(UsageError):
        dict(UnityCatalog("main.default.events"))
    assert all(token.startswith("Bearer sdk-") for *_, token in catalog.asked) and len(made) > 1
