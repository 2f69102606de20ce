"""Answers "what does this query read, and why?" for one file: a condition, the file's claims, an engine's rules.

A condition passes through four stages, each in its modules:

1. `sql` parses it into clauses (`predicate`), each about one column.
2. `binding` finds each clause's leaf in a schema. The result (`bound`) says which values make the clause TRUE, as
   intervals of order keys (`accepted_values`).
3. An engine (`engines`) compares these intervals with what the file says: bounds, null counts, Bloom filters,
   dictionaries, page indexes. `pruning` asks in the engine's order, and combines the rulings over AND and OR.
4. `plan` holds the outcome: what is kept, what is skipped and why, which bytes are read in which requests.

`matching` evaluates the same condition on the values, so that a plan can be compared with the truth (`verify`).
"""
