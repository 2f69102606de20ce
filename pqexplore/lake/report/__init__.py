"""The report of a lake: what to do, first things first.

It is the diagnosis (`lake.doctor`) seen from what a person does next: `actions` groups the findings by what fixes them,
`savings` computes what that saves from what the scan stored, `commands` has the commands for Delta, Iceberg and plain
files, and `report` is the object that a user holds. No rule is here: a finding exists once, in the doctor.
"""
