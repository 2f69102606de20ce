"""What chapter 06 says of its files: words of the text, and an expression that is true after its last cell if they are."""

CLAIMS = [
    ("The file begins and ends with `PARE`", "f.bytes(pqexplore.Span(0, 4)) == f.bytes(pqexplore.Span(f.size - 4, f.size)) == b'PARE'"),
    (
        "one for the footer and the column `shared`, one for the column `secret`",
        "[one.column_cipher and one.column_cipher.with_footer_key for one in f.row_groups[0].columns] == [None, False, True]",
    ),
    ("Without keys one still sees where most modules are", "[modules(locked), modules(f)] == [25, 27]"),
    ("the message even says where the module comes from", "'that of the dictionary page header, row group 1' in refusal(cheated, 'secret')"),
    ("the reader may get another value and no error", "unnoticed(ctr, samples.decryption('ctr-plaintext-footer'))"),
    ("The explorer marks every module whose nonce was used before", "pqexplore.explore(twice, at='').to_frame('encryption')['repeated'].all()"),
    ("for each encrypted column", "len({key_material(staff_file, one)['wrappedDEK'] for one in ('salary', 'bonus', 'iban')}) == 3"),
    ("one for each master key", "len({key_material(staff_file, one)['wrappedKEK'] for one in ('salary', 'bonus', 'iban')}) == 2"),
    ("The service is not asked", "asked(service, 'salary', 'bonus') == ['unwrap with signing', 'unwrap with payroll']"),
    ("can still read the salaries", "asked(service, 'name', 'salary') == ['unwrap with signing', 'unwrap with payroll']"),
    ("a note about key material inside of the file", "'key-material-internal' in [one.rule for one in pqexplore.diagnose('staff.parquet').findings]"),
]  # fmt: skip


def modules(file):
    """How many modules of a file are seen with the keys that it was opened with."""
    import pqexplore

    return len(pqexplore.explore(file, at="").to_frame("encryption"))


def refusal(file, column):
    """What the file says when a column is read; "" if it can be read."""
    import pqexplore

    try:
        file.read([column])
    except pqexplore.ParquetError as error:
        return str(error)
    return ""


def unnoticed(file, keys):
    """Whether a byte of a page can be changed so that other values are read, without an error."""
    import pqexplore

    data = file.bytes(pqexplore.Span(0, file.size))
    span = file.node("row_groups/0/columns/1/pages/1/body/ciphertext").span
    for place in range(span.start, span.end):
        changed = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        with pqexplore.open(changed, decryption=keys) as other:
            if not refusal(other, "secret") and not other.read().equals(file.read()):
                return True
    return False


def asked(service, *columns):
    """What the service is asked by a reader of some columns."""
    import pqexplore

    service.calls.clear()
    with pqexplore.open("staff.parquet", decryption=pqexplore.Decryption(kms=service)) as file:
        file.read(columns)
    return list(service.calls)
