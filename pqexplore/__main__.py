"""`python -m pqexplore FILE`: the command line."""

import sys

from pqexplore.cli import main

sys.exit(main())
