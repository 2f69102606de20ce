"""Many broken files, each asked one thing, spread evenly over the ways to break a file and the things to ask.

Two numbers identify a mutant: that of the campaign, and its own. They decide the seed file, what is broken and what is
asked, as long as the seed files stay the same.
"""

import collections
import dataclasses
import functools
import itertools
import json
import os
import pathlib
import random
import re
import time

from corpus import entries
from engine.hostile import exercise, made, mutations

import pqexplore
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.writer.samples import SAMPLES
from pqexplore.insight import lenses

LARGEST = 160 << 10
"""Bytes of a seed file; larger ones say no more and take longer."""
FOREIGN = 64 << 10
"""The same for files of the corpus, which are many."""

PAIRS = [*itertools.product(mutations.KINDS, entries.ENTRIES)]
random.Random(0).shuffle(PAIRS)


class Seed:
    """A file to break, with its keys."""

    def __init__(self, name, path, keys=None):
        self.name = name
        self.data = path.read_bytes()
        self.keys = keys or {}
        self.decryption = pqexplore.Decryption(**self.keys) if self.keys else None

    @functools.cached_property
    def lenses(self):
        """The lenses that have something to show of the file."""
        try:
            with pqexplore.open(self.data, decryption=self.decryption) as file:
                kinds = entries.some_of_each(file)
                return {lens.name for node in kinds for lens in lenses.applying(node)}
        except ParquetError:
            return set()

    def suits(self, entry):
        """Whether there is something to ask of the file itself."""
        word, _, name = entry.partition(" ")
        return word != "lens" or name in self.lenses


def project_seeds(folder):
    """The sample files and those of `made`, written to `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    seeds = []
    for sample in SAMPLES.values():
        path = folder / f"{sample.name}.parquet"
        path.write_bytes(sample.data())  # also where a campaign has been before
        if path.stat().st_size <= LARGEST:
            seeds.append(Seed(sample.name, path, sample.keys))
    for name, make in made.FILES.items():
        path = folder / f"made-{name}.parquet"
        path.write_bytes(make())
        seeds.append(Seed(path.stem, path))
    return seeds


def foreign_seeds(corpus):
    """The small files of the corpus."""
    return [
        Seed(str(path.relative_to(corpus)), path)
        for path in sorted(corpus.rglob("*.par*"))
        if path.suffix in (".parquet", ".parq") and path.is_file() and 0 < path.stat().st_size <= FOREIGN
    ]


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A broken file, how it came about, and what is asked of it, above all `near` its first byte that is another."""

    number: int
    kind: str
    entry: str
    seed: str
    data: bytes
    keys: dict
    near: int

    def ask(self):
        """Ask it. Raises what `entries.ask` raises."""
        decryption = pqexplore.Decryption(**self.keys) if self.keys else None
        look = entries.LookNear(self.near, random.Random(self.number))
        return entries.ask(self.data, self.entry, decryption, look, LIMITS)


LIMITS = pqexplore.Limits(read_bytes=exercise.BYTES // 4, page_bytes=exercise.BYTES // 8)
"""Limits that suit the memory: the work on a page, or on what is read, takes several times its bytes."""

NAMED = ("number", "kind", "entry", "seed", "near")
"""What is kept of a mutant beside its bytes and keys."""


class Campaign:
    """Mutants of these seeds; half of them of the foreign ones, if there are any."""

    def __init__(self, seed, project, foreign=()):
        self.seed = seed
        self.project = list(project)
        self.foreign = list(foreign)
        self._lacking = set()

    def mutant(self, number):
        """The mutant of this number."""
        kind, entry = PAIRS[number % len(PAIRS)]
        rng = random.Random(f"{self.seed}/{number}")
        pools = [self.project]
        if self.foreign and rng.random() < 0.5:
            pools = [rng.sample(self.foreign, min(20, len(self.foreign))), self.project]
        for fits in (lambda seed: seed.suits(entry), lambda seed: True):
            for seed in itertools.chain(*(rng.sample(pool, len(pool)) for pool in pools)):
                if (kind, seed.name) in self._lacking or not fits(seed):
                    continue
                broken = self._broken(kind, seed, rng)
                if broken is not None:
                    near = len(os.path.commonprefix([seed.data, broken]))
                    return Mutant(number, kind, entry, seed.name, broken, seed.keys, near)
        raise LookupError(f"no seed has anything to break in the way {kind!r}")

    def _broken(self, kind, seed, rng):
        other = rng.choice(self.project)
        for _ in range(5):
            broken = mutations.mutate(kind, seed.data, rng, seed.decryption, other.data, other.decryption)
            if broken is None and kind != "splice":
                self._lacking.add((kind, seed.name))
            if broken is None:
                return None
            if broken != seed.data:
                return broken
        return None

    def run(self, numbers):
        """(mutant, outcome) of each number."""
        mutants = (self.mutant(number) for number in numbers)
        return exercise.run((mutant, mutant.ask) for mutant in mutants)


class Report:
    """What came of a campaign: counts, the slowest, the largest, and the failures, kept in a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.begun = time.monotonic()
        self.kinds = collections.Counter()
        self.entries = collections.Counter()
        self.answers = collections.Counter()
        self.seeds = collections.Counter()
        self.costly = []
        self.failures = {}

    def add(self, mutant, outcome):
        """Count one, and keep the mutant if it failed."""
        self.kinds[mutant.kind] += 1
        self.entries[mutant.entry] += 1
        self.seeds[mutant.seed] += 1
        word = re.match(r"\w+Error(?=:)", outcome.said)
        self.answers["failed" if not outcome.fine else word[0] if word else "an answer"] += 1
        self.costly.append((outcome.seconds, outcome.bytes, mutant.number, mutant.kind, mutant.entry))
        if not outcome.fine:
            self.failures.setdefault(signature(outcome), []).append(self._keep(mutant, outcome))

    def _keep(self, mutant, outcome):
        self.folder.mkdir(parents=True, exist_ok=True)
        words = re.sub(r"\W+", "-", f"{mutant.number}-{mutant.kind}-{mutant.entry}")
        path = self.folder / f"{words}.parquet"
        path.write_bytes(mutant.data)
        command = f"python tools/fuzz.py --again {path}"
        kept = {name: getattr(mutant, name) for name in NAMED}
        kept |= {"keys": to_json(mutant.keys), "said": outcome.said, "trace": outcome.trace}
        path.with_suffix(".json").write_text(json.dumps(kept | {"again": command}, indent=1))
        return command

    def text(self):
        """The report."""
        total, seconds = sum(self.kinds.values()), time.monotonic() - self.begun
        lines = [f"{total:,} mutants of {len(self.seeds):,} seeds in {seconds:,.0f} s", ""]
        for title, counter in (("outcome", self.answers), ("kind", self.kinds), ("entry", self.entries)):
            lines += [f"by {title}:", *(f"  {n:6,}  {name}" for name, n in counter.most_common()), ""]
        for title, place in (("slowest", 0), ("most memory", 1)):
            lines.append(f"{title}:")
            for one in sorted(self.costly, key=lambda one: -one[place])[:5]:
                spent, held, number, kind, entry = one
                lines.append(f"  {spent:5.2f} s {held >> 20:6,} MiB  mutant {number}: {kind}, {entry}")
        lines += ["", f"{len(self.failures):,} kinds of failure, {self.answers['failed']:,} mutants"]
        for name, commands in sorted(self.failures.items(), key=lambda item: -len(item[1])):
            lines += [f"  {len(commands):4,}  {name}", f"        {commands[0]}"]
        return "\n".join(lines)


def signature(outcome):
    """What failures of the same cause have in common: the error and the innermost line of the package."""
    frames = re.findall(r'File "[^"]*?(pqexplore/\w[^"]*\.py)", line (\d+), in (\S+)', outcome.trace)
    frames = [frame for frame in frames if "/hostile/" not in frame[0]]
    where = "{}:{} {}".format(*frames[-1]) if frames else "outside of the package"
    return f"{re.sub(r'[0-9]+', 'N', outcome.said)[:100]} ({where})"


def to_json(keys):
    """Keys of samples as JSON has them: bytes become hexadecimal digits."""
    return {name: to_json(value) if isinstance(value, dict) else value.hex() for name, value in keys.items()}


def from_json(keys):
    """The reverse."""
    return {name: from_json(value) if isinstance(value, dict) else bytes.fromhex(value) for name, value in keys.items()}


def kept(path):
    """A mutant that a report kept."""
    path = pathlib.Path(path)
    known = json.loads(path.with_suffix(".json").read_text())
    names = {name: known[name] for name in NAMED}
    return Mutant(**names, data=path.read_bytes(), keys=from_json(known["keys"]))
