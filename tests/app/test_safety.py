"""What the app refuses: each row against a running server."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

import pytest
from app.conftest import ENVIRONMENT, begin, hear, viewing

import pqexplore
from pqexplore.engine.writer.samples import SAMPLES, write_sample

pytest.importorskip("jupyter_server")
websocket = pytest.importorskip("websocket")
pytestmark = pytest.mark.skipif(not pathlib.Path("/proc").exists(), reason="reads /proc to find processes")

NOT_FOUND, TOO_MANY, ENDED = 4004, 4002, 4001


@pytest.fixture(params=["view", "jupyter"])
def server(request):
    return request.getfixturevalue(request.param)


def status(server, path, token=True, **headers):
    address = f"{server.base}{path}" + (f"?token={server.token}" if token else "")
    asked = urllib.request.Request(address, headers=headers)
    opener = urllib.request.build_opener(NoRedirect)
    try:
        with opener.open(asked, timeout=30) as reply:
            return reply.status
    except urllib.error.HTTPError as error:
        return error.code


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


@pytest.mark.parametrize(
    "how",
    [
        {"token": ""},
        {"token": "0" * 48},
        {"origin": "http://evil.example"},
        {"origin": "http://127.0.0.1:1"},
        {"origin": "null"},
        {"host": "evil.example"},
        {"host": "evil.example", "origin": "http://evil.example"},
    ],
    ids=str,
)
def test_a_socket_without_the_token_or_of_another_page_is_refused(server, how):
    """Another user of the machine, a page of another origin, a name that leads to 127.0.0.1 (DNS rebinding)."""
    with pytest.raises(websocket.WebSocketBadStatusException) as refused:
        server.socket("path=events.parquet", **how)
    assert refused.value.status_code == 403


def test_a_socket_of_the_servers_own_page_opens(server):
    with contextlib.closing(server.socket(origin=server.base)):
        pass


@pytest.mark.parametrize(
    "path", ["/pqexplore/view/", "/pqexplore/view/events.parquet", "/pqexplore/static/index.js", "/pqexplore/api/about"]
)
def test_no_page_and_no_script_without_the_token(server, path):
    assert status(server, path) == 200
    assert status(server, path, token=False) in (302, 403)
    assert status(server, path, Host="evil.example") == 403


@pytest.mark.parametrize(
    "path",
    [
        "/", "/lab", "/tree", "/api", "/api/contents", "/api/kernels", "/api/kernelspecs", "/api/sessions", "/api/terminals",
        "/api/status", "/api/config/notebook", "/api/me", "/api/shutdown", "/api/spec.yaml", "/files/events.parquet",
        "/view/events.parquet", "/nbconvert/html/x", "/metrics", "/terminals/websocket/1", "/custom/custom.css",
        "/pqexplore/static/../extension.py", "/pqexplore/static/loader.js", "/pqexplore/api/contents",
    ],
)  # fmt: skip
def test_the_server_of_view_offers_nothing_else(view, path):
    assert status(view, path) == 404


@pytest.mark.parametrize(
    "path",
    [
        "", "/", ".", "..", "../outside.parquet", "sub/../../outside.parquet", "%2e%2e/outside.parquet", "/etc/passwd",
        "//etc/passwd", "out.parquet", "up/outside.parquet", "up", ".hidden.parquet", "pipe.parquet", "missing.parquet",
        "events.parquet/x", "events.parquet\0", "file:///etc/passwd", "http://127.0.0.1/x", "s3://bucket/x", "C:\\x", "--help",
        "~/x", "RTC:events.parquet",
    ],
    ids=repr,
)  # fmt: skip
def test_nothing_outside_of_the_root_opens(jupyter, path):
    with contextlib.closing(jupyter.socket(f"path={urllib.request.quote(path)}")) as socket:
        assert hear(socket) == NOT_FOUND


@pytest.mark.parametrize("path", ["events.parquet", "/events.parquet", "sub/a b.parquet", "inside.parquet"])
def test_what_is_below_the_root_opens(jupyter, path):
    """Also where the current folder has modules with the names of ours: none of them is imported."""
    with contextlib.closing(jupyter.socket(f"path={urllib.request.quote(path)}")) as socket:
        assert begin(socket)["kind"] == "state"


@pytest.mark.parametrize(
    "query", ["path=sub/a%20b.parquet", "path=..", "dropped=x&size=-1", "dropped=x&size=9e9", "dropped=x"]
)
def test_the_page_of_one_file_opens_no_other(view, query):
    with contextlib.closing(view.socket(query)) as socket:
        assert hear(socket) == NOT_FOUND


def test_jupyter_takes_no_dropped_files(jupyter):
    with contextlib.closing(jupyter.socket("dropped=x.parquet&size=100")) as socket:
        assert hear(socket) == NOT_FOUND


HOSTILE = {
    "not JSON": ("{", 1008),
    "nested too deep": ("[" * 200_000, 1008),
    "too long": (json.dumps("x" * (1 << 20)), 1009),
    "not of the explorer": (
        json.dumps({"kind": "custom", "content": {"kind": "request", "id": 1, "op": "no"}}),
        "reply",
    ),
    "a trait that is none": (json.dumps({"kind": "update", "state": {"_esm": "x", "file": "/etc/passwd"}}), None),
    "keys that are none": (json.dumps({"kind": "keys", "footer": "zz" * 16, "columns": []}), "refused"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_messages_that_are_not_ours_end_their_socket_at_most(view, what):
    message, expected = HOSTILE[what]
    with contextlib.closing(view.socket()) as socket:
        assert begin(socket)["kind"] == "state"
        socket.send(message)
        if isinstance(expected, int):
            assert hear(socket) == expected
        elif expected is not None:
            heard = hear(socket)
            assert expected in (heard["kind"], heard.get("content", {}).get("kind"))
    with contextlib.closing(view.socket()) as socket:
        assert begin(socket)["kind"] == "state"


def test_so_many_documents_are_open_at_once_and_no_more(jupyter):
    with contextlib.ExitStack() as opened:
        for _ in range(2):
            socket = opened.enter_context(contextlib.closing(jupyter.socket("path=events.parquet")))
            assert begin(socket)["kind"] == "state"
        third = opened.enter_context(contextlib.closing(jupyter.socket("path=events.parquet")))
        assert hear(third) == TOO_MANY
    with contextlib.closing(jupyter.socket("path=events.parquet")) as socket:
        assert begin(socket)["kind"] == "state"


def test_the_pages_policy_allows_its_own_scripts_only(view):
    asked = urllib.request.Request(f"{view.base}/pqexplore/view/?token={view.token}")
    with urllib.request.urlopen(asked, timeout=30) as reply:
        policy = reply.headers["Content-Security-Policy"]
        text = reply.read().decode()
    assert "default-src 'none'" in policy and not any(one in policy for one in ("unsafe", "*", "blob:", "data:"))
    assert "<script>" not in text and "<style>" not in text and view.token not in text
    assert reply.headers["Referrer-Policy"] == "no-referrer"


def test_a_name_is_text_in_the_page(tmp_path):
    path = tmp_path / '"><img src=x onerror=alert(1)>.parquet'
    write_sample("booleans", path)
    with viewing(path, tmp_path) as server:
        address = f"{server.base}/pqexplore/view/?token={server.token}"
        with urllib.request.urlopen(address, timeout=30) as reply:
            assert "<img" not in reply.read().decode()


def test_nothing_is_written(folder, view, jupyter):
    """No checkpoint, no log, no copy."""
    there = {path: path.lstat().st_mtime_ns for path in folder.rglob("*")}
    for server, query in ((view, ""), (jupyter, "path=events.parquet"), (jupyter, "path=sub")):
        with contextlib.closing(server.socket(query)) as socket:
            assert begin(socket)["kind"] == "state"
    assert {path: path.lstat().st_mtime_ns for path in folder.rglob("*")} == there


def test_the_explorer_of_the_app_writes_no_file(view):
    """In a notebook the lens `what_if` writes the file with the best choices into the present folder."""
    before = set(os.listdir("/"))
    with contextlib.closing(view.socket()) as socket:
        assert begin(socket)["kind"] == "state"
        args = {"target": "x.parquet", "page_rows": 20_000, "row_group_rows": 100_000}
        asked = {"kind": "request", "id": 1, "op": "write_what_if", "args": args}
        socket.send(json.dumps({"kind": "custom", "content": asked}))
        assert hear(socket)["content"]["error"]["message"].startswith("The app only reads.")
    assert set(os.listdir("/")) == before


def test_a_process_knows_no_token_and_works_nowhere(jupyter):
    with contextlib.closing(jupyter.socket("path=events.parquet")) as socket:
        assert begin(socket)["kind"] == "state"
        [worker] = workers(jupyter, 1)
        environment = pathlib.Path(f"/proc/{worker}/environ").read_bytes()
        assert jupyter.token.encode() not in environment and b"JUPYTER_TOKEN" not in environment
        assert os.readlink(f"/proc/{worker}/cwd") == "/"
        assert jupyter.token.encode() not in pathlib.Path(f"/proc/{worker}/cmdline").read_bytes()


def workers(server, number):
    """The processes of a server, once there are so many: those that were closed need a moment."""
    end = time.monotonic() + 60
    while len(found := server.workers()) != number:
        assert time.monotonic() < end, found
        time.sleep(0.02)
    return found


def gone(worker):
    end = time.monotonic() + 60
    while running(worker):
        assert time.monotonic() < end, "the process runs still"
        time.sleep(0.02)


def running(worker):
    try:
        return pathlib.Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


FULL = pytest.mark.full


@pytest.mark.parametrize(
    "ends", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=FULL), pytest.param(signal.SIGINT, marks=FULL)]
)
def test_processes_end_with_the_server_also_while_they_compute(ends, tmp_path):
    path = tmp_path / "events.parquet"
    write_sample("events", path)
    with viewing(path, tmp_path) as server, contextlib.closing(server.socket()) as socket:
        assert begin(socket)["kind"] == "state"
        for number in range(1_000):  # work for a minute
            asked = {"kind": "request", "id": number, "op": "look", "args": {}}
            socket.send(json.dumps({"kind": "custom", "content": asked}))
        [worker] = workers(server, 1)
        server.process.send_signal(ends)
        server.process.wait(60)
        gone(worker)


def test_a_process_that_is_killed_is_said_and_its_socket_closed(view):
    with contextlib.closing(view.socket()) as socket:
        assert begin(socket)["kind"] == "state"
        for worker in view.workers():
            os.kill(worker, signal.SIGKILL)
        assert hear(socket) == ENDED


@pytest.mark.full
def test_a_process_that_takes_too_much_time_ends_alone(tmp_path):
    """The limits are set before the file is opened."""
    from pqexplore.app.process import Process

    path = tmp_path / "events.parquet"
    write_sample("events", path)
    ended = threading.Event()
    process = Process({"kind": "file", "path": str(path)}, seconds=1)
    process.listen(lambda message: ended.set() if message is None else None)
    process.tell({"kind": "begin", "state": {}})
    while not ended.wait(0.01):
        with contextlib.suppress(OverflowError):
            process.tell({"kind": "custom", "content": {"kind": "request", "id": 1, "op": "look", "args": {}}})


@pytest.mark.parametrize("use", ["bytearray(1 << 30)", "while True: pass"])
def test_the_limits_of_a_process_are_those_of_the_system(use):
    program = f"from pqexplore.app.worker import limit\nlimit(300 << 20, 1)\n{use}"
    done = subprocess.run([sys.executable, "-c", program], env=ENVIRONMENT, capture_output=True, text=True)
    assert "MemoryError" in done.stderr or -done.returncode in (signal.SIGXCPU, signal.SIGKILL)


def test_a_file_that_is_swapped_for_a_link_is_not_followed(tmp_path, monkeypatch):
    """Between the look at the path and its opening somebody puts a link there."""
    from pqexplore.app import root

    (tmp_path / "root").mkdir()
    inside, outside = tmp_path / "root" / "a.parquet", tmp_path / "secret"
    inside.write_text("a")
    outside.write_text("secret")
    real = os.path.realpath

    def swapping(path, **how):
        found = real(path, **how)
        if found == str(inside) and not inside.is_symlink():
            inside.unlink()
            inside.symlink_to(outside)
        return found

    monkeypatch.setattr(os.path, "realpath", swapping)
    with pytest.raises(root.OutsideError):
        root.opened(str(tmp_path / "root"), "a.parquet")


def test_keys_open_an_encrypted_file_and_are_nowhere_else(tmp_path):
    path = tmp_path / "encrypted.parquet"
    write_sample("encrypted", path)
    keys = SAMPLES["encrypted"].keys
    with viewing(path, tmp_path) as server, contextlib.closing(server.socket()) as socket:
        state = begin(socket)
        assert state["encrypted"] is True
        digits = keys["footer_key"].hex()
        columns = {name: key.hex() for name, key in keys.get("column_keys", {}).items()}
        socket.send(json.dumps({"kind": "keys", "footer": digits, "columns": columns, "state": state["state"]}))
        assert hear(socket)["kind"] == "state"
        asked = {"kind": "request", "id": 7, "op": "identity", "args": {}}
        socket.send(json.dumps({"kind": "custom", "content": asked}))
        answer = hear(socket)["content"]
        with pqexplore.open(path, decryption=pqexplore.Decryption(**keys)) as file:
            assert answer["result"]["rows"] == file.num_rows
        [worker] = workers(server, 1)
        for place in ("environ", "cmdline"):
            assert digits.encode() not in pathlib.Path(f"/proc/{worker}/{place}").read_bytes()


def test_without_the_extra_one_sentence_says_how_to_install_it(monkeypatch, capsys):
    from pqexplore import cli

    monkeypatch.setitem(sys.modules, "jupyter_server", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert cli.main(["view", __file__, "--no-browser"]) == 2
    assert "pip install 'pqexplore[app]'" in capsys.readouterr().err
