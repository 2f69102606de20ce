"""Reads the log of a Delta or Iceberg table."""

from __future__ import annotations

from pqexplore.engine.errors import CorruptFileError, LimitExceededError, UnsupportedFeatureError
from pqexplore.insight.trouble import error_code
from pqexplore.lake.logs import delta, iceberg
from pqexplore.lake.logs.table_log import Follow, LogError, TableLog, Version
from pqexplore.lake.places.place import Place


def read(
    place: Place,
    root: str,
    format: str,
    table: object | None = None,
    follow: Follow | None = None,
    version: Version | None = None,
) -> TableLog:
    """The log of the table at `root`; `table` is a pyiceberg Table, if a catalog gave one. LogError if it is broken.

    `version` is None for the newest. NoSuchVersion if the log does not have it.
    """
    try:
        if format == "delta":
            return delta.read(place, root, version, follow is not None)
        return iceberg.read(place, root, table, follow, version)
    except LogError:
        raise
    except UnsupportedFeatureError as error:
        raise LogError("unsupported", str(error)) from None
    except (LimitExceededError, MemoryError) as error:
        raise LogError("limit", str(error) or "this machine has not enough memory") from None
    except CorruptFileError as error:
        raise LogError("corrupt", str(error)) from None
    except FileNotFoundError as error:
        raise LogError("missing", f"the log needs a file that does not exist: {error}") from None
    except OSError as error:
        raise LogError(error_code(error), f"the log cannot be read: {error}") from None
    except Exception as error:  # a hostile log may do anything to a reader: other tables go on
        words = f"the log cannot be read: {type(error).__name__}: {error}"
        raise LogError("unreadable", words) from None
