"""Breaks files in many ways, asks everything of them, and reports what failed: `make fuzz SECONDS=600`.

Every mutant must give an answer or a ParquetError within 10 s and 1 GiB. Those that do not are kept in .cache/fuzz, each
with the command that asks it again.
"""

import argparse
import contextlib
import itertools
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from engine.hostile import campaign, exercise  # noqa: E402

FOLDER = ROOT / ".cache" / "fuzz"
CORPUS = ROOT.parent / "shared" / "corpus"
OFTEN = 1000
"""Mutants between two lines about how far it is."""


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, help="how long (default: 60, or as --mutants says)")
    parser.add_argument("--mutants", type=int, help="how many at most")
    parser.add_argument("--first", type=int, default=0, help="the number of the first mutant")
    parser.add_argument("--seed", type=int, default=1, help="the number of the campaign")
    parser.add_argument("--again", metavar="FILE", help="ask a kept mutant again")
    return parser.parse_args()


def again(path: str) -> int:
    """Ask a kept mutant what it was asked, in this process if it does no harm."""
    mutant = campaign.kept(path)
    outcome = exercise.measure(mutant.ask)
    print(f"{mutant.kind} in {mutant.seed}, asked for {mutant.entry}: {outcome}\n{outcome.trace}")
    return not outcome.fine


def main() -> int:
    """Run a campaign; 1 if anything failed."""
    asked = arguments()
    if asked.again:
        return again(asked.again)
    seconds = asked.seconds or (60 if asked.mutants is None else float("inf"))
    end = time.monotonic() + seconds
    foreign = campaign.foreign_seeds(CORPUS) if CORPUS.exists() else []
    made = campaign.Campaign(asked.seed, campaign.project_seeds(FOLDER / "seeds"), foreign)
    report = campaign.Report(FOLDER / "findings")
    numbers = itertools.count(asked.first)
    if asked.mutants is not None:
        numbers = itertools.islice(numbers, asked.mutants)
    within = itertools.takewhile(lambda _: time.monotonic() < end, numbers)
    with contextlib.suppress(KeyboardInterrupt):  # what was done is reported all the same
        for count, (mutant, outcome) in enumerate(made.run(within), 1):
            report.add(mutant, outcome)
            if not count % OFTEN:
                print(f"{count:,} mutants, {len(report.failures):,} kinds of failure", flush=True)
    text = report.text()
    (FOLDER / "report.txt").write_text(text + "\n")
    print(text)
    return bool(report.failures)


if __name__ == "__main__":
    sys.exit(main())
