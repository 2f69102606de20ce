"""Bytes to structures: everything in a Parquet file, with the place of its bytes."""
