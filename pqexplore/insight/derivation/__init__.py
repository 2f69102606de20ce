"""How the bytes of a section became its values, made to be looked at: the microscope's knowledge.

A section (levels, or values) is a row of *steps*: runs, blocks, vectors, or values with their lengths. `steps` has
them as arrays, found by the same scans that the decoders use, so that a page of a hundred thousand runs costs what
its bytes cost. One step under the glass is *parts*: bytes with groups of bits, each named, and the arithmetic that
makes numbers of them; and the values that it yields, each with its own bits and its own sum.

One module for each family of encodings, each with the subclasses of `Derivation`: `runs`, `deltas`, `plain`, `alp`.
`opening` picks the one for a section; `insight.encoding` makes sentences and answers of it.
"""
