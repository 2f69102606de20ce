"""`pqexplore` and `python -m pqexplore`: the command line, as a process.

Until the command begins, Ctrl-C ends the process at once, without a traceback out of the imports, in which it can get lost,
too. Then `cli.main` heeds it.
"""

import _signal  # type: ignore[import-not-found]  # `signal` imports more, and Ctrl-C can get lost there
import gc
import os
import sys

if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
# A third of the CPU of a short command: numpy starts a thread a core for linear algebra, which nothing here uses, and the
# collector walks all that the imports made, again and again, though hardly any of it is garbage.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
gc.set_threshold(100_000, 20, 20)


def main() -> int:
    """Run the command line; the exit status."""
    from pqexplore.cli import main

    status = main()
    if "duckdb" not in sys.modules:  # it complains of its objects that are not collected
        gc.freeze()  # the collector would walk all objects once more, just before the process gives them back
    return status


if __name__ == "__main__":
    sys.exit(main())
