"""Checks that a release can be published: `make release-check`; CONTRIBUTING.md has the steps before and after.

It builds the sdist, and from it the wheel, twice; both must have the same bytes each time, and the wheel the same as
the one built from the checkout, and none may name a folder of this machine. `twine check` reads their metadata. The wheel is
installed into empty environments, with the newest and with the lowest versions of the dependencies, and with each version of
Python that is here, where the blocks of README.md run; `uvx` runs it without installing it. `pip-audit` looks for known
vulnerabilities of what is installed, and of the lock; `sbom.json` lists what is installed, as CycloneDX. Nothing is uploaded. What
could not be checked is said at the end, and what a maintainer has to decide: the version, the address of the project.
"""

from __future__ import annotations

import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import time
import tomllib
import zipfile
from collections.abc import Iterable, Iterator
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[1]
PLACE = ROOT / ".cache" / "release"
FLOORS = ROOT / ".cache" / "oldest.txt"
LOCK = ROOT / "tests" / "environments" / "dev.txt"
SITE = ROOT / ".cache" / "site" / "html"
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


def environment(name: str, base: str | pathlib.Path = sys.executable) -> pathlib.Path:
    """The interpreter of a new, empty environment."""
    folder = PLACE / name
    run(base, "-m", "venv", "--clear", folder)
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


def machine_paths(parts: Iterable[tuple[str, bytes]], here: Iterable[pathlib.Path]) -> list[str]:
    """The names of the parts whose bytes name a folder of this machine."""
    folders = b"|".join(re.escape(str(one).encode()) for one in here)
    whole = re.compile(rb"(?<![\w/.-])(?:" + folders + rb")/")
    return [name for name, data in parts if whole.search(data)]


def packed(file: pathlib.Path) -> Iterator[tuple[str, bytes]]:
    """The names and bytes of what is in a wheel."""
    with zipfile.ZipFile(file) as archive:
        for name in archive.namelist():
            yield name, archive.read(name)


def unpacked(folder: pathlib.Path) -> Iterator[tuple[str, bytes]]:
    """The names and bytes of the files of a folder."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield str(path.relative_to(folder)), path.read_bytes()


def audited(report: dict[str, Any]) -> tuple[list[str], int]:
    """Of a report of pip-audit, the packages with known vulnerabilities, and how many packages it could not look up."""
    found = report["dependencies"]
    wrong = [
        f"{one['name']} {one['version']}: {', '.join(each['id'] for each in one['vulns'])}"
        for one in found
        if one.get("vulns")
    ]
    return wrong, sum("skip_reason" in one for one in found)


def audit(uv: pathlib.Path) -> list[str]:
    """Look for known vulnerabilities of the lock. What could not be looked up, in sentences; the program ends if there are some."""
    command = (uv, "-m", "uv", "tool", "run", "pip-audit", "-r", LOCK, "--disable-pip", "--no-deps", "-f", "json")
    done = subprocess.run([str(one) for one in command], cwd=ROOT, capture_output=True, text=True)
    try:
        wrong, skipped = audited(json.loads(done.stdout))
    except (ValueError, KeyError):
        return [f"pip-audit did not run: {done.stderr.strip().splitlines()[-1:]}"]
    if wrong:
        sys.exit("known vulnerabilities:\n" + "\n".join(wrong))
    return (
        [f"pip-audit could not look up {skipped} packages of the lock: no index of vulnerabilities here."]
        if skipped
        else []
    )


def pythons(project: dict[str, Any]) -> dict[str, pathlib.Path | None]:
    """The versions of Python that the classifiers promise, each with its interpreter; None if there is none here."""
    numbers = [found[1] for one in project["classifiers"] if (found := re.search(r":: (3\.\d+)$", one))]
    made: dict[str, pathlib.Path | None] = {}
    for number in numbers:
        path = run("sh", ROOT / "tools" / "interpreter", number, sys.executable).strip()
        version = run(path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").strip()
        made[number] = pathlib.Path(path) if version == number else None
    return made


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


def cold(uvx: tuple[object, ...], wheel: pathlib.Path) -> str:
    """How long `uvx pqexplore FILE` takes with an empty cache, and again, and what it has downloaded and unpacked."""
    cache, file = PLACE / "cache", PLACE / "events.parquet"
    command = (*uvx, "--cache-dir", cache, "--python", sys.executable, "--from", wheel, "pqexplore")
    seconds = []
    for words in (("sample", "events", file, "--force"), (file,), (file,)):
        begun = time.monotonic()
        run(*command, *words)
        seconds.append(time.monotonic() - begun)
    files = (path.stat() for path in cache.rglob("*") if path.is_file() and not path.is_symlink())
    size = sum({one.st_ino: one.st_size for one in files}.values())  # many names of a file are one
    return f"uvx pqexplore: {seconds[0]:.0f} s with an empty cache, then {min(seconds[1:]):.1f} s; the cache has {size / 1e6:.0f} MB"


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
    say("no folder of this machine in the wheel and the site")
    here = (ROOT, pathlib.Path.home())
    named = machine_paths(packed(wheel), here) + machine_paths(unpacked(SITE), here)
    if named:
        sys.exit("a folder of this machine is in " + ", ".join(named[:10]))
    left = [] if SITE.exists() else ["The site was not looked at: `make docs` builds it."]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    FLOORS.write_text(run(sys.executable, ROOT / "tools" / "floors.py"))
    for name, pins in (("newest", ()), ("lowest", ("--only-binary", ":all:", "-c", FLOORS))):
        say(f"the installed wheel with the {name} versions: the blocks of README.md")
        python = environment(name)
        run(python, *PIP, *pins, f"{wheel}[lake]", "hypothesis", "polars", "pytest")
        run(python, "-m", "pytest", "-q", "-k", "README", "tests/test_docs.py", at=source)
    say("the installed wheel with JupyterLab: a double click and `pqexplore view`")
    python = environment("app")
    run(python, *PIP, f"{wheel}[app]", "jupyterlab")
    say(run(python, "-P", ROOT / "tools" / "check_app.py", at=PLACE).strip().splitlines()[-1])
    say("uvx, which installs nothing")
    run(twine, *PIP, "uv")
    uvx = (twine, "-m", "uv", "tool", "run")
    say(cold(uvx, wheel))
    for number, interpreter in pythons(project).items():
        if interpreter is None:
            left.append(f"Python {number} was not tried: there is none here.")
            continue
        run(*uvx, "--no-cache", "--python", interpreter, "--from", wheel, "pqexplore", "--version")
        say(f"the installed wheel with Python {number}: the blocks of README.md")
        python = environment(f"python-{number}", interpreter)
        run(
            twine,
            "-m",
            "uv",
            "pip",
            "install",
            "-q",
            "--python",
            python,
            f"{wheel}[lake]",
            "hypothesis",
            "polars",
            "pytest",
        )
        run(python, "-m", "pytest", "-q", "-k", "README", "tests/test_docs.py", at=source)
    say("a list of what is installed, and known vulnerabilities of the lock")
    installed = PLACE / "newest" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    bom = (
        "--from",
        "cyclonedx-bom",
        "cyclonedx-py",
        "environment",
        "--output-format",
        "JSON",
        "-o",
        PLACE / "sbom.json",
    )
    run(*uvx, *bom, installed)
    left += audit(twine)
    for file in (sdist, wheel):
        print(f"{digest(file)}  {file.name}  {file.stat().st_size:,} bytes")
    version = wheel.name.split("-")[1]
    open_questions = undecided(project, version, (ROOT / "CHANGELOG.md").read_text("utf-8"))
    print(*left, *open_questions or ["ready to publish"], sep="\n")


if __name__ == "__main__":
    main()
