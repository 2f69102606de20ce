"""`pqexplore` and `python -m pqexplore`: the command line, as a process.

Until the command begins, Ctrl-C ends the process at once, without a traceback out of the imports, in which it can get lost,
too. Then `cli.main` heeds it.
"""

import _signal  # type: ignore[import-not-found]  # `signal` imports more, and Ctrl-C can get lost there
import sys

if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)


def main() -> int:
    """Run the command line; the exit status."""
    from pqexplore.cli import main

    return main()


if __name__ == "__main__":
    sys.exit(main())
