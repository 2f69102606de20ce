"""The exercises of chapter 06."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.course.equal_answers import inside, same
from pqexplore.course.exercise import exercise

if TYPE_CHECKING:
    from pqexplore.engine.format.encryption.key_material import KeyMaterial

COLUMNS, TWICE, STAFF = "encrypted.parquet", "nonce-twice.parquet", "staff.parquet"

FILES = 100
"""How many files exercise 06.5 asks about."""

KNOWN = b"The number of the safe is known to nobody."
"""The text of the first row group of nonce-twice.parquet."""


@exercise(
    "06.1",
    "Which module has the smallest and the largest value of each page?",
    "Which part of a file has the range of each page? Chapter 04 reads it.",
    "Point at a block to see its name. The column secret is column 1; row groups count from 0.",
)
def column_index_of_secret(answer: object) -> bool | str | None:
    import pqexplore
    from pqexplore import samples

    if answer == "":
        return None
    with pqexplore.open(COLUMNS, decryption=samples.decryption("encrypted-columns")) as file:
        first, second = (group.columns["secret"].address for group in file.row_groups)
    if inside(answer, f"{second}/offset_index"):
        return "The offset index says where the pages lie. Which one says what is in them?"
    if inside(answer, f"{second}/metadata"):
        return "The column's metadata has the range of the whole chunk, not of each page."
    if inside(answer, f"{first}/column_index"):
        return "This is row group 0; the exercise asks for row group 1."
    if inside(answer, f"{second}/pages"):
        return "That is a part of one page. Which module has the ranges of all pages?"
    return inside(answer, f"{second}/column_index")


@exercise(
    "06.2",
    "By how many bytes does AES-GCM make a module longer?",
    "Count all parts of a module but the ciphertext, which is as long as what it hides.",
    "Select a module: the explorer says how long each of its parts is.",
)
def longer(answer: object) -> bool | str:
    import pqexplore

    with pqexplore.open(COLUMNS) as file:
        module = file.node("footer/module")
        parts = {part.name: len(part.span) for part in module.children if part.span}
    right = sum(parts.values()) - parts["ciphertext"]
    if same(answer, right - parts["length"]):
        return "The length in front of a module takes bytes, too."
    if any(same(answer, size) for name, size in parts.items() if name != "ciphertext"):
        return "That is one of its parts. What else is there beside the ciphertext?"
    return same(answer, right)


@exercise(
    "06.3",
    "What is the AAD of the second data page of column 2 in row group 1?",
    "In this order: the identifier, the type (one byte), row group, column, page (two bytes each): 15 bytes.",
    "The number 1 in two bytes, the lower one first, is 01 00.",
    "The second page has number 1.",
)
def aad_of_a_page(answer: object) -> bool | str:
    from pqexplore.format import Module, ModuleType

    def aad(page: int, kind: ModuleType = ModuleType.DATA_PAGE) -> bytes:
        return Module(kind, 1, 2, page).aad(None, b"abcdefgh")

    if not isinstance(answer, bytes | bytearray):
        return "Answer with bytes: bytes.fromhex('61 62 …')."
    if same(answer, aad(2)):
        return "Pages count from 0, like row groups and columns."
    if same(answer, aad(1, ModuleType.DATA_PAGE_HEADER)):
        return "That is the AAD of the page's header."
    if same(answer, aad(1)[:9] + bytes.fromhex("0001 0002 0001")):
        return "The lower byte of an ordinal comes first."
    return same(answer, aad(1))


@exercise(
    "06.4",
    "Which number does the safe have?",
    "known ^ first_page, byte by byte, is the stream. zip() takes two bytes at a time.",
    "The same stream, added to second_page by exclusive or, gives the second page.",
    "The second page begins with four bytes for the length of its text; the number is at the end of the text.",
)
def number_of_the_safe(answer: object) -> bool | str:
    import pqexplore

    with pqexplore.open(TWICE) as file:
        spans = [file.node(f"row_groups/{group}/columns/0/modules/1/ciphertext").span for group in (0, 1)]
        first, second = (file.bytes(span) for span in spans if span)
    known = len(KNOWN).to_bytes(4, "little") + KNOWN
    page = bytes(a ^ b ^ c for a, b, c in zip(known, first, second, strict=False))
    right = page[4:].decode().rstrip(".")[-4:]
    if isinstance(answer, int):
        return "Answer with the four digits as text: a number has no leading zeros."
    return same(answer, right) or same(answer, right.encode())


@exercise(
    "06.5",
    "How often is the service asked to unwrap a key for a hundred files?",
    "Which keys does the service unwrap? Wrapped twice: the KEKs. Wrapped once: the data keys.",
    "A KEK is the same in all files of the factory, and a Decryption remembers what was unwrapped. Data keys are new in each file.",
    "The footer has a key, too. Write a few files with write_encrypted, read them, and count service.calls.",
)
def calls_for_many_files(answer: object) -> bool | str:
    found = list(_materials(STAFF))
    keks = len({one.wrapped_kek for one in found})
    deks = len({one.wrapped_dek for one in found})
    if same(answer, (FILES * deks, keks)):
        return "The pair is swapped: wrapped twice comes first."
    if same(answer, (FILES * keks, FILES * deks)):
        return "The factory keeps its KEKs, so all files have the same ones."
    if same(answer, (keks - 1, FILES * (deks - 1))):
        return "The footer has a key, too."
    if same(answer, (deks, FILES * deks)):
        return "Wrapped twice, the service unwraps KEKs. Two columns have the same master key."
    if same(answer, (keks, FILES * keks)):
        return "Wrapped once, the service unwraps data keys. How many has each file?"
    return same(answer, (keks, FILES * deks))


@exercise(
    "06.6",
    "Which Decryption opens salary, without the service?",
    "service.unwrap_key(wrapped, master_key_id) gives the KEK; key_material(staff_file, 'salary') has both.",
    "AESGCM(kek).decrypt(nonce, ciphertext_and_tag, aad) gives the data key.",
    "The AAD is base64.b64decode(material['keyEncryptionKeyID']).",
)
def key_for_a_colleague(answer: object) -> bool | str:
    import pqexplore

    if not isinstance(answer, pqexplore.Decryption):
        return "Answer with a pqexplore.Decryption."
    if answer.kms is not None:
        return "The colleague has no access to the service."
    if len(answer.given()) > 1:
        return "It has more keys than the colleague may have."
    try:
        with pqexplore.open(STAFF, decryption=answer) as file:
            file.read(["salary"])
    except pqexplore.ParquetError:
        return "With this the column salary does not open."
    return True


def _materials(path: str) -> Iterator[KeyMaterial]:
    """The key material inside of a file, of the footer and of each column that has its own key."""
    import pqexplore
    from pqexplore.engine.format.encryption.key_material import parse

    with pqexplore.open(path) as file:
        cipher = file.footer.cipher
        assert cipher is not None
        metadata = [cipher.footer_key_metadata]
        for chunk in file.row_groups[0].columns:
            if chunk.column_cipher is not None:
                metadata.append(chunk.column_cipher.key_metadata)
    for one in metadata:
        material = parse(one).material
        assert material is not None
        yield material
