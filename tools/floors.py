"""Prints the lowest version that pyproject allows of each dependency, as constraints for pip.

`make oldest` installs these. Only what users install counts: the dependencies and the extras other than OTHERS.
"""

import pathlib
import re
import tomllib

PYPROJECT = pathlib.Path(__file__).resolve().parents[1] / "pyproject.toml"
OTHERS = ("demo", "dev", "docs", "spark")
"""Extras that are not part of this environment: for working here, and Spark, which has environments of its own."""

REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(\[[\w,-]+\])?>=(?P<floor>[\w.]+)(,[<>=!\w.,]+)?")


def floors(project: dict) -> list[str]:
    """`name==version` of each requirement. Raises ValueError for one without a lowest version."""
    extras = project.get("optional-dependencies", {})
    groups = [project["dependencies"], *(extras[name] for name in extras if name not in OTHERS)]
    found = set()
    for requirement in sorted(one for group in groups for one in group):
        match = REQUIREMENT.fullmatch(requirement.replace(" ", ""))
        if match is None:
            raise ValueError(f"{requirement!r} has no lowest version; write it as name>=version")
        found.add(f"{match['name']}=={match['floor']}")
    return sorted(found)


def main() -> None:
    """Print the floors of this project."""
    with PYPROJECT.open("rb") as file:
        print(*floors(tomllib.load(file)["project"]), sep="\n")


if __name__ == "__main__":
    main()
