"""`pqexplore` and `python -m pqexplore`: the command line, as a process.

Until the command begins, Ctrl-C ends the process at once, without a traceback out of the imports. Then `cli.main` heeds it.
"""

import signal
import sys

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def main() -> int:
    """Run the command line; the exit status."""
    from pqexplore.cli import main

    return main()


if __name__ == "__main__":
    sys.exit(main())
