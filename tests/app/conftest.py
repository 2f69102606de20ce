"""Running servers: that of `pqexplore view`, and jupyter_server with the extension."""

import contextlib
import json
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import time
import urllib.parse

import pytest

from pqexplore.engine.writer.samples import write_sample

ROOT = pathlib.Path(__file__).parents[2]
ENVIRONMENT = os.environ | {
    "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
    "JUPYTER_NO_CONFIG": "1",
    "JUPYTER_PLATFORM_DIRS": "1",
}


class Server:
    """A running server: its process, the beginning of its addresses, and its token."""

    def __init__(self, process, address):
        self.process = process
        parts = urllib.parse.urlparse(address)
        self.host = parts.netloc
        self.token = urllib.parse.parse_qs(parts.query)["token"][0]
        self.base = f"http://{self.host}"

    def answers(self):
        """Wait until it takes connections: jupyter_server says its address before."""
        end = time.monotonic() + 60
        name, port = self.host.split(":")
        while True:
            try:
                socket.create_connection((name, int(port)), 60).close()
                return
            except ConnectionRefusedError:
                assert time.monotonic() < end
                time.sleep(0.02)

    def workers(self):
        """The numbers of the processes that it has started."""
        listed = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        return [int(one) for one in pathlib.Path(listed).read_text().split()]

    def socket(self, query="", *, token=True, **headers):
        """A WebSocket of a document: the messages that come are `hear`d."""
        import websocket

        asked = {"token": self.token} if token is True else {"token": token} if token else {}
        words = urllib.parse.urlencode({**dict(urllib.parse.parse_qsl(query, True)), **asked})
        return websocket.create_connection(
            f"ws://{self.host}/pqexplore/api/socket?{words}",
            timeout=30,
            suppress_origin="origin" not in headers,
            **headers,
        )


def begin(socket, **state):
    """Say where to begin; the first message after notes."""
    socket.send(json.dumps({"kind": "begin", "state": state}))
    return hear(socket)


def hear(socket, *passed_over):
    """The next message that is no note: its JSON and its buffers. The code where the socket is closed."""
    import websocket

    while True:
        code, data = socket.recv_data()
        if code == websocket.ABNF.OPCODE_CLOSE:
            return struct.unpack(">H", data[:2])[0]
        (length,) = struct.unpack("<I", data[:4])
        message = json.loads(data[4 : 4 + length])
        if message["kind"] not in ("note", *passed_over):
            return message


@contextlib.contextmanager
def serving(command, cwd, said, **environment):
    """A server whose address is in a line that it prints."""
    process = subprocess.Popen(
        [sys.executable, "-m", *command], cwd=cwd, env=ENVIRONMENT | environment, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        lines = []
        for line in process.stdout:
            lines.append(line)
            found = re.search(said, line)
            if found:
                break
        else:
            pytest.fail(f"the server ended: {''.join(lines)}")
        server = Server(process, found[1])
        server.answers()
        yield server
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        process.wait(30)
        process.stdout.close()


def viewing(source, cwd, *options):
    """The server of `pqexplore view`."""
    command = ["pqexplore", "view", str(source), "--no-browser", *options]
    return serving(command, cwd, r"serves (http\S+)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a file, a hidden one, a link within it, links out of it, and a file outside."""
    above = tmp_path_factory.mktemp("above")
    root = above / "root"
    (root / "sub").mkdir(parents=True)
    for path in (
        root / "events.parquet",
        root / "sub" / "a b.parquet",
        root / ".hidden.parquet",
        above / "outside.parquet",
    ):
        write_sample("booleans", path)
    (root / "inside.parquet").symlink_to(root / "sub" / "a b.parquet")
    (root / "out.parquet").symlink_to(above / "outside.parquet")
    (root / "up").symlink_to(above)
    os.mkfifo(root / "pipe.parquet")
    for name in ("numpy", "pyarrow"):  # what a process would import, if it looked into the current folder
        (root / f"{name}.py").write_text("raise SystemExit('a module of the folder was imported')")
    return root


@pytest.fixture(scope="module")
def view(folder, tmp_path_factory):
    """`pqexplore view` of one file."""
    with viewing(folder / "events.parquet", tmp_path_factory.mktemp("cwd")) as server:
        yield server


@pytest.fixture(scope="module")
def jupyter(folder, tmp_path_factory):
    """jupyter_server with the extension, in the folder that has modules of wrong names."""
    command = [
        "jupyter_server", "--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0", f"--ServerApp.root_dir={folder}",
        "--ServerApp.jpserver_extensions={'pqexplore.app': True, 'jupyter_server_terminals': False}",
        "--ParquetApp.max_documents=2",
    ]  # fmt: skip
    home = tmp_path_factory.mktemp("home")
    places = {"JUPYTER_RUNTIME_DIR": str(home), "JUPYTER_DATA_DIR": str(home), "JUPYTER_CONFIG_DIR": str(home)}
    with serving(command, folder, r"(http://127\S+token=\w+)", **places) as server:
        yield server
