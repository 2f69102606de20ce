"""The logs of tables: which files of a Delta or Iceberg table are live, and what the others are."""
