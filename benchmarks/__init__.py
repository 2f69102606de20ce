"""What is claimed about speed, measured beside the peers in the same run: `python -m benchmarks`."""
