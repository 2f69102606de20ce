"""A server in front of an S3 server: it answers some requests wrongly, and passes the others on."""

import contextlib
import http.client
import re
import socket
import threading
import time
from urllib.parse import urlsplit

DUMP = (
    '<?xml version="1.0" encoding="UTF-8"?><Error><Code>{code}</Code><Message>words of the store</Message>'
    "<RequestId>4442587FB7D0A2F9</RequestId><HostId>hostid0123456789abcdefghijklmnop==</HostId></Error>"
)


def refusal(status, code):
    """An error as S3 writes it; a HEAD has no body."""
    body = DUMP.format(code=code).encode()

    def answer(connection, method):
        head = f"HTTP/1.1 {status}\r\nContent-Type: application/xml\r\nContent-Length: {len(body)}\r\n"
        head += "x-amz-request-id: 4442587FB7D0A2F9\r\nConnection: close\r\n\r\n"
        connection.sendall(head.encode() + (b"" if method == "HEAD" else body))

    return answer


def cut(connection, method):
    """The connection ends in the middle of the body."""
    connection.sendall(
        b"HTTP/1.1 206 Partial Content\r\nContent-Length: 999\r\nContent-Range: bytes 0-998/9999\r\n\r\nabc"
    )
    time.sleep(0.02)


def reset(connection, method):
    """The connection is reset before an answer."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


def silent(connection, method):
    """No answer for a while."""
    time.sleep(3)


class Faulty:
    """`fault` answers the next `times` requests whose line matches `pattern`; `met` counts these."""

    def __init__(self, endpoint: str) -> None:
        self._behind = urlsplit(endpoint).netloc
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        self._lock = threading.Lock()
        self.none()
        threading.Thread(target=self._serve, daemon=True).start()

    def none(self) -> None:
        self.fault, self.times, self.pattern, self.met = None, 0, "", 0

    def answer(self, fault, times=1000, pattern="") -> None:
        self.fault, self.times, self.pattern, self.met = fault, times, pattern, 0

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._server.accept()
                threading.Thread(target=self._one, args=(connection,), daemon=True).start()

    def close(self) -> None:
        self._server.close()

    def _one(self, connection) -> None:
        with connection, contextlib.suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head:
                part = connection.recv(65536)
                if not part:
                    return
                head += part
            line, *fields = head.decode("latin-1").split("\r\n\r\n")[0].split("\r\n")
            method, path, _ = line.split(" ", 2)
            with self._lock:
                wrong = self.fault is not None and self.times > 0
                wrong = wrong and re.search(self.pattern, line) is not None
                if wrong:
                    self.times -= 1
                    self.met += 1
            if wrong:
                self.fault(connection, method)
                return
            passed = http.client.HTTPConnection(self._behind)
            passed.request(method, path, headers=dict(one.split(": ", 1) for one in fields))
            answer = passed.getresponse()
            body = answer.read()
            told = [(k, v) for k, v in answer.getheaders() if k.lower() != "transfer-encoding"]
            if method != "HEAD" and not any(k.lower() == "content-length" for k, _ in told):
                told.append(("Content-Length", len(body)))
            told.append(("Connection", "close"))
            head = "".join(f"{k}: {v}\r\n" for k, v in told if (k, v) != ("Connection", "keep-alive"))
            connection.sendall(f"HTTP/1.1 {answer.status} {answer.reason}\r\n{head}\r\n".encode() + body)
