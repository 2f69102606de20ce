"""Parquet modular encryption: modules, additional authenticated data, keys."""
