"""Places list folders and read files, on this machine or through fsspec."""
