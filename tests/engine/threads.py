"""Several threads at the same time."""

import threading
import time


def together(*works, seconds=60.0):
    """Runs each in a thread of its own; what they raised. Fails if one does not end."""
    raised = []

    def run(work):
        try:
            work()
        except Exception as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    end = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0, end - time.monotonic()))
    assert not any(thread.is_alive() for thread in threads)
    return raised
