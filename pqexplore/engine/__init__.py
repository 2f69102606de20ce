"""Bytes to structures: everything that a Parquet file says, and where it says it."""
