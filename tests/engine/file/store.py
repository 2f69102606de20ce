"""A file of a store, in memory, that counts what it gives."""

import threading
import time

import numpy as np

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.source import Source


class Store:
    """Notes its requests, and how many were under way at the same time; `data` are bytes, or how many of any."""

    def __init__(self, data=1 << 20, fails=(), seconds=0.01):
        self.data = np.random.default_rng(3).bytes(data) if isinstance(data, int) else data
        self.fails, self.seconds = fails, seconds
        self.requests, self.most, self._now = [], 0, 0
        self._lock = threading.Lock()
        self.source = Source("store", len(self.data), self.fetch, local=False)

    def fetch(self, start, length):
        with self._lock:
            self.requests.append((start, length))
            self._now += 1
            self.most = max(self.most, self._now)
        time.sleep(self.seconds)
        with self._lock:
            self._now -= 1
        if start in self.fails:
            raise CorruptFileError("the file changed", offset=start)
        return self.data[start : start + length]

    def open(self):
        return ParquetFile(self.source)
