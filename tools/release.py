"""Checks that a release can be published: `make release-check`; CONTRIBUTING.md has the steps before and after.

It builds the sdist, and from it the wheel, twice; both must have the same bytes each time, and the wheel the same as
the one built from the checkout. `twine check` reads their metadata. The wheel is installed into two empty environments,
with the newest and with the lowest versions of the dependencies, where the blocks of README.md run; `uvx` runs it
without installing it. Nothing is uploaded. What a maintainer has to decide is said at the end: the version, the address
of the project.
"""

from __future__ import annotations

import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[1]
PLACE = ROOT / ".cache" / "release"
FLOORS = ROOT / ".cache" / "oldest.txt"
PIP = ("-m", "pip", "install", "-qq", "--disable-pip-version-check")


def run(*command: object, at: pathlib.Path = ROOT) -> str:
    """Run a command, and return what it prints. It ends this program with the output of a command that fails."""
    done = subprocess.run([str(one) for one in command], cwd=at, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def say(text: str) -> None:
    """Print a line at once."""
    print(f"==> {text}", flush=True)


def build(target: pathlib.Path, what: str, at: pathlib.Path = ROOT) -> pathlib.Path:
    """Build `sdist` or `wheel` from a folder, and return the file."""
    shutil.rmtree(target, ignore_errors=True)
    run(sys.executable, "-m", "hatchling", "build", "-t", what, "-d", target, at=at)
    return next(target.iterdir())


def digest(file: pathlib.Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def environment(name: str) -> pathlib.Path:
    """The interpreter of a new, empty environment."""
    folder = PLACE / name
    run(sys.executable, "-m", "venv", "--clear", folder)
    return folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"


def built() -> tuple[pathlib.Path, pathlib.Path]:
    """The sdist and the wheel; the program ends if a second build gives other bytes."""
    sdist = build(PLACE / "sdist", "sdist")
    with tarfile.open(sdist) as packed:
        packed.extractall(PLACE / "unpacked", filter="data")
    source = next((PLACE / "unpacked").iterdir())
    wheel = build(PLACE / "wheel", "wheel", source)
    if digest(build(PLACE / "again", "sdist")) != digest(sdist):
        sys.exit("two builds of the sdist differ")
    if digest(build(PLACE / "again", "wheel")) != digest(wheel):
        sys.exit("the wheel from the checkout differs from the one from the sdist")
    shutil.rmtree(source / "pqexplore")  # what is tested is what is installed
    return sdist, wheel


def undecided(project: dict[str, Any], version: str, changelog: str) -> list[str]:
    """What is not settled about a release, in sentences; empty if it is complete."""
    found = []
    if "Source" not in project.get("urls", {}):
        found.append(
            "The address of the project is not set: without `Source` in [project.urls] of pyproject.toml, an index shows "
            "README.md without its pictures, and its links lead nowhere."
        )
    if not re.search(rf"^## {re.escape(version)}, \d{{4}}-\d\d-\d\d$", changelog, re.M):
        found.append(f"CHANGELOG.md has no line `## {version}, ` with the day of the release.")
    early = version.startswith("0") or re.search(r"(a|b|rc)\d+$", version) is not None
    if early is not any("Alpha" in one or "Beta" in one for one in project["classifiers"]):
        found.append(f"The development status among the classifiers does not fit version {version}.")
    return found


def main() -> None:
    """Build, check, install, run."""
    shutil.rmtree(PLACE, ignore_errors=True)
    say("sdist and wheel, twice")
    sdist, wheel = built()
    source = next((PLACE / "unpacked").iterdir())
    say("twine check")
    twine = environment("twine")
    run(twine, *PIP, "twine")
    run(twine, "-m", "twine", "check", "--strict", sdist, wheel)
    FLOORS.write_text(run(sys.executable, ROOT / "tools" / "floors.py"))
    for name, pins in (("newest", ()), ("lowest", ("--only-binary", ":all:", "-c", FLOORS))):
        say(f"the installed wheel with the {name} versions: the blocks of README.md")
        python = environment(name)
        run(python, *PIP, *pins, f"{wheel}[lake]", "hypothesis", "polars", "pytest")
        run(python, "-m", "pytest", "-q", "-k", "README", "tests/test_docs.py", at=source)
    say("uvx, which installs nothing")
    run(twine, *PIP, "uv")
    run(
        twine,
        "-m",
        "uv",
        "tool",
        "run",
        "--no-cache",
        "--python",
        sys.executable,
        "--from",
        wheel,
        "pqexplore",
        "--version",
    )
    for file in (sdist, wheel):
        print(f"{digest(file)}  {file.name}  {file.stat().st_size:,} bytes")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    version = wheel.name.split("-")[1]
    open_questions = undecided(project, version, (ROOT / "CHANGELOG.md").read_text("utf-8"))
    print(*open_questions or ["ready to publish"], sep="\n")


if __name__ == "__main__":
    main()
