"""Runs the command line as a process, and sends it SIGINT when it imports a module: `interrupted.py MODULE WORD…`."""

import os
import signal
import sys


class Interrupting:
    """A finder of modules that finds none, and sends SIGINT when it is asked for one of a name."""

    def __init__(self, name):
        self.name = name

    def find_spec(self, name, path=None, target=None):
        if name == self.name:
            sys.meta_path.remove(self)
            os.write(2, b"interrupted\n")
            os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":
    # A background job of a shell ignores SIGINT, and its children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _, module, *sys.argv[1:] = sys.argv
    sys.meta_path.insert(0, Interrupting(module))
    from pqexplore.__main__ import main

    sys.exit(main())
