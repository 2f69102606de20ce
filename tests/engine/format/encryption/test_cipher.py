"""Opening files: which key and AAD go with a module, what is locked and why, and what a failure means."""

import pytest

from pqexplore.engine.errors import CorruptFileError, EncryptedFileError, ParquetError, UsageError
from pqexplore.engine.format.encryption import encryptor as encryptors
from pqexplore.engine.format.encryption import key_material, modules
from pqexplore.engine.format.encryption.cipher import FileCipher
from pqexplore.engine.format.encryption.column_cipher import column_cipher
from pqexplore.engine.format.encryption.encryptor import FileEncryptor, counting_nonces
from pqexplore.engine.format.encryption.keys import Decryption, Key, LocalKms
from pqexplore.engine.format.encryption.modules import PAGES, WITH_PAGE_ORDINAL, ModuleType
from pqexplore.engine.format.thrift import encode, fast, structs

FOOTER_KEY, A_KEY, B_KEY = b"f" * 16, b"a" * 24, b"b" * 32
COLUMN_MODULES = [kind for kind in ModuleType if kind != ModuleType.FOOTER]
A, B = ("a",), ("b", "list", "element")
ALL_KEYS = {"footer_key": FOOTER_KEY, "column_keys": {"a": A_KEY, "b.list.element": B_KEY}}


def encryptor(column_keys=None, **options):
    options = {"nonces": counting_nonces(), "file_unique": b"unique"} | options
    return FileEncryptor(FOOTER_KEY, column_keys, **options)


def cipher(writer, decryption=None, **beside):
    """What a reader makes of what the writer stored, through the structs' own bytes."""
    if writer.plaintext_footer:
        stored, metadata = writer.algorithm, writer.footer_key_metadata
    else:
        data = encode.encode(writer.file_crypto_metadata)
        crypto = fast.decode(structs.FileCryptoMetaData, data)[0]
        stored, metadata = crypto.encryption_algorithm, crypto.key_metadata
    return FileCipher(stored, decryption, metadata, **beside)


def column(file, writer, path, group=0, ordinal=0):
    return column_cipher(file, path, writer.column_crypto_metadata(path), group, ordinal)


def page_of(kind):
    return 3 if kind in WITH_PAGE_ORDINAL else None


def header(page_type=0, size=40):
    part = structs.DataPageHeader(num_values=5, encoding=0, definition_level_encoding=3, repetition_level_encoding=3)
    return encode.encode(
        structs.PageHeader(
            type=page_type, uncompressed_page_size=size, compressed_page_size=size, data_page_header=part
        )
    )


@pytest.mark.parametrize("algorithm", ["AES_GCM_V1", "AES_GCM_CTR_V1"])
@pytest.mark.parametrize("kind", COLUMN_MODULES)
def test_every_module_type_there_and_back(algorithm, kind):
    writer = encryptor({"a": A_KEY}, algorithm=algorithm)
    encrypted = writer.column(A, 1, 2).encrypt(kind, b"plaintext", page_of(kind))
    opened = column(cipher(writer, Decryption(**ALL_KEYS)), writer, A, 1, 2)
    assert opened.decrypt(kind, encrypted, page_of(kind)) == b"plaintext"
    assert opened.decrypt(kind, encrypted + b"what follows", page_of(kind)) == b"plaintext"
    assert len(encrypted) == len(b"plaintext") + opened.overhead(kind)
    assert (opened.frame(kind, encrypted).tag is None) == (algorithm == "AES_GCM_CTR_V1" and kind in PAGES)
    assert not opened.locked and opened.reason == ""


def test_uniform_encryption_needs_the_footer_key_alone():
    writer = encryptor()
    file = cipher(writer, Decryption(footer_key=FOOTER_KEY))
    assert writer.column_crypto_metadata(A).ENCRYPTION_WITH_FOOTER_KEY is not None
    assert not writer.hides_column_metadata(A)
    assert file.decrypt_footer(writer.encrypt_footer(b"footer")) == b"footer"
    encrypted = writer.column(A, 0, 0).encrypt(ModuleType.DATA_PAGE, b"page", 0)
    assert column(file, writer, A).decrypt(ModuleType.DATA_PAGE, encrypted, 0) == b"page"
    assert column(file, writer, A).with_footer_key


def test_columns_with_keys_of_their_own_and_plaintext_columns():
    writer = encryptor({"a": A_KEY, "b.list.element": None})
    file = cipher(writer, Decryption(**ALL_KEYS))
    crypto = writer.column_crypto_metadata(A).ENCRYPTION_WITH_COLUMN_KEY
    assert crypto.path_in_schema == ["a"]
    assert writer.column_crypto_metadata(B).ENCRYPTION_WITH_FOOTER_KEY is not None
    assert [writer.hides_column_metadata(path) for path in (A, B, ("c",))] == [True, False, False]
    assert writer.column(("c",), 0, 0) is None
    assert column_cipher(file, ("c",), writer.column_crypto_metadata(("c",)), 0, 0) is None


def test_a_signed_plaintext_footer():
    writer = encryptor(plaintext_footer=True)
    signature = writer.sign_footer(b"the footer")
    file = cipher(writer, Decryption(footer_key=FOOTER_KEY))
    assert writer.hides_column_metadata(A)
    assert len(signature) == 28
    assert file.verify_footer_signature(b"the footer", signature)
    for position in range(28):
        forged = bytearray(signature)
        forged[position] ^= 1
        with pytest.raises(CorruptFileError, match="was changed after it was signed"):
            file.verify_footer_signature(b"the footer", forged)
    with pytest.raises(CorruptFileError, match="was changed after it was signed") as caught:
        file.verify_footer_signature(b"The footer", signature)
    assert caught.value.offset == 10
    with pytest.raises(CorruptFileError, match="has 28 bytes, here are 27"):
        file.verify_footer_signature(b"the footer", signature[1:])
    with pytest.raises(EncryptedFileError, match="pass Decryption"):
        cipher(writer).verify_footer_signature(b"the footer", signature)


def test_a_signature_under_another_key_may_be_the_keys_fault():
    writer = encryptor(plaintext_footer=True)
    signature = writer.sign_footer(b"the footer")
    with pytest.raises(CorruptFileError, match="or the footer key is not the one that signed it"):
        cipher(writer, Decryption(footer_key=A_KEY)).verify_footer_signature(b"the footer", signature)


def test_a_column_without_a_key_names_the_key():
    writer = encryptor(
        {"a": A_KEY, "b.list.element": B_KEY}, algorithm="AES_GCM_CTR_V1", key_metadata={"a": b"key of a"}
    )
    locked = column(cipher(writer, Decryption(footer_key=FOOTER_KEY)), writer, A)
    assert locked.locked
    assert locked.reason == (
        'column "a" is encrypted (AES_GCM_CTR_V1) with a column key that was not given; the file asks for the key "key of a"; '
        'pass Decryption(column_keys={"a": …})'
    )
    with pytest.raises(EncryptedFileError) as caught:
        locked.decrypt(ModuleType.DATA_PAGE, b"")
    assert caught.value.message == locked.reason
    other = column(cipher(writer), writer, B)
    assert "asks for a key that the file does not name" in other.reason
    assert '{"b.list.element": …}' in other.reason
    assert cipher(writer).footer_reason == (
        "the footer key was not given; the file is encrypted with AES_GCM_CTR_V1 and asks for a key that the file does not "
        "name; "
        "pass Decryption(footer_key=…)"
    )


def test_explicit_keys_go_before_key_material():
    kms = LocalKms({"m": b"m" * 16})
    wrong = key_material.create(B_KEY, "m", kms)
    writer = encryptor({"a": A_KEY}, key_metadata={"a": wrong, "": key_material.create(FOOTER_KEY, "m", kms)})
    encrypted = writer.column(A, 0, 0).encrypt(ModuleType.DATA_PAGE_HEADER, header(), 0)
    given = column(cipher(writer, Decryption(column_keys={"a": A_KEY}, kms=kms)), writer, A)
    assert given.decrypt(ModuleType.DATA_PAGE_HEADER, encrypted, 0) == header()
    unwrapped = column(cipher(writer, Decryption(kms=kms)), writer, A)
    assert unwrapped.key() == Key(B_KEY)
    file = cipher(writer, Decryption(kms=kms))
    assert file.decrypt_footer(writer.encrypt_footer(b"x")) == b"x"


def test_keys_are_asked_for_once_and_when_needed():
    class Kms(LocalKms):
        asked = 0

        def unwrap_key(self, wrapped, master_key_id):
            Kms.asked += 1
            return super().unwrap_key(wrapped, master_key_id)

    kms = Kms({"m": b"m" * 16})
    writer = encryptor({"a": A_KEY}, key_metadata={"a": key_material.create(A_KEY, "m", kms)})
    file = cipher(writer, Decryption(kms=kms))
    opened = [column(file, writer, A, group) for group in range(3)]
    assert Kms.asked == 0
    assert [one.locked for one in opened] == [False] * 3
    assert Kms.asked == 1


# stored by the writer, store it, given by the reader -> prefix in use, or what is wrong
PREFIXES = [
    (b"", True, None, b""),
    (b"p", True, None, b"p"),
    (b"p", True, b"p", b"p"),
    (b"p", False, b"p", b"p"),
    (b"p", False, None, "does not store its AAD prefix"),
    (b"p", True, b"q", 'is not the file\'s own, "p"'),
    (b"", True, b"q", "the file was written without one"),
    (b"\xff", True, b"q", "is not the file's own, 0xff"),
]


@pytest.mark.parametrize(("written", "store", "given", "expected"), PREFIXES)
def test_aad_prefixes(written, store, given, expected):
    writer = encryptor(aad_prefix=written, store_aad_prefix=store)
    file = cipher(writer, Decryption(footer_key=FOOTER_KEY, aad_prefix=given))
    encrypted = writer.encrypt_footer(b"footer")
    if isinstance(expected, bytes):
        assert file.aad_prefix == expected
        assert file.decrypt_footer(encrypted) == b"footer"
        return
    with pytest.raises(EncryptedFileError) as caught:
        file.decrypt_footer(encrypted)
    assert expected in caught.value.message
    assert column(file, writer, A).reason == file.problem != ""


def test_an_unknown_algorithm_locks_everything():
    file = FileCipher(structs.EncryptionAlgorithm(), Decryption(footer_key=FOOTER_KEY))
    with pytest.raises(EncryptedFileError, match="neither AES_GCM_V1 nor AES_GCM_CTR_V1"):
        file.decrypt_footer(b"")
    footer_key = structs.ColumnCryptoMetaData(ENCRYPTION_WITH_FOOTER_KEY=structs.EncryptionWithFooterKey())
    assert column_cipher(file, A, footer_key, 0, 0).locked


def test_crypto_metadata_that_names_no_key():
    file = cipher(encryptor(), Decryption(footer_key=FOOTER_KEY))
    empty = column_cipher(file, A, structs.ColumnCryptoMetaData(), 0, 0)
    assert empty.reason == 'column "a" is marked as encrypted, neither with the footer key nor with one of its own'


def test_the_first_page_header_decrypts_as_either_type():
    writer = encryptor()
    chunk = writer.column(A, 0, 0)
    opened = column(cipher(writer, Decryption(footer_key=FOOTER_KEY)), writer, A)
    dictionary = chunk.encrypt(ModuleType.DICTIONARY_PAGE_HEADER, b"dictionary")
    data = [chunk.encrypt(ModuleType.DATA_PAGE_HEADER, b"data", page) for page in (0, 1)]
    kinds = (ModuleType.DICTIONARY_PAGE_HEADER, ModuleType.DATA_PAGE_HEADER)
    assert opened.decrypt_page_header(dictionary, 0, first=True) == (kinds[0], b"dictionary")
    assert opened.decrypt_page_header(data[0], 0, first=True) == (kinds[1], b"data")
    assert opened.decrypt_page_header(data[1], 1, first=False) == (kinds[1], b"data")
    with pytest.raises(CorruptFileError, match="its GCM tag is that of the dictionary page header"):
        opened.decrypt_page_header(dictionary, 0, first=False)


def test_a_file_without_aad_as_duckdb_writes_it():
    """Its algorithm has no identifier, its modules no AAD, and its columns no crypto_metadata."""
    key = Key(FOOTER_KEY)
    file = FileCipher(structs.EncryptionAlgorithm(AES_GCM_V1=structs.AesGcmV1()), Decryption(footer_key=FOOTER_KEY))
    assert column_cipher(file, A, None, 0, 0) is None
    assert file.decrypt_footer(modules.encrypt_gcm(key, b"footer", b"")) == b"footer"
    assert file.aad_omitted
    assert ("AAD", "omitted") in [(fact.name, fact.value) for fact in file.facts]
    opened = column_cipher(file, A, None, 0, 0)
    page = modules.encrypt_gcm(key, b"page", b"")
    assert opened.decrypt(ModuleType.DATA_PAGE, page, 0) == b"page"
    assert opened.decrypt_page_header(page, 0, first=True)[1] == b"page"


def test_a_file_with_an_identifier_never_opens_without_aad():
    writer = encryptor()
    file = cipher(writer, Decryption(footer_key=FOOTER_KEY))
    with pytest.raises(CorruptFileError, match="was encrypted without an AAD"):
        file.decrypt_footer(modules.encrypt_gcm(Key(FOOTER_KEY), b"footer", b""))
    assert not file.aad_omitted


def bare(decryption=None):
    """The cipher of a file that stores neither an identifier nor an AAD prefix."""
    return FileCipher(structs.EncryptionAlgorithm(AES_GCM_V1=structs.AesGcmV1()), decryption)


def footer_opened_with(aad):
    file = bare(Decryption(footer_key=FOOTER_KEY))
    file.decrypt_footer(modules.encrypt_gcm(Key(FOOTER_KEY), b"footer", aad))
    return file


FOOTER = modules.Module(ModuleType.FOOTER)
FAR_PAGE = modules.Module(ModuleType.DATA_PAGE, 40_000, 0, 0)


@pytest.mark.parametrize(
    ("made", "module", "ctr", "absent", "why"),
    [
        (lambda: cipher(encryptor()), FOOTER, False, "", ""),
        (lambda: cipher(encryptor()), FOOTER, True, "none", "AES-CTR has no tag"),
        (lambda: cipher(encryptor()), None, False, "not known", "where it belongs"),
        (lambda: cipher(encryptor()), FAR_PAGE, False, "none", "row group ordinal 40,000"),
        (lambda: footer_opened_with(b""), FOOTER, False, "none", "the writer left it out"),
        (lambda: footer_opened_with(b"\0"), FOOTER, False, "", ""),
        (bare, FOOTER, False, "not known", "only a key shows"),
    ],
)
def test_the_aad_of_a_module_or_why_there_is_none(made, module, ctr, absent, why):
    aad = made().aad(module, ctr=ctr)
    assert (aad.absent, bool(aad.parts)) == (absent, not absent)
    assert why in aad.why


def test_ctr_pages_do_not_notice():
    """What the specification says of AES_GCM_CTR_V1: tampering with the page data might go unnoticed."""
    writer = encryptor(algorithm="AES_GCM_CTR_V1")
    opened = column(cipher(writer, Decryption(footer_key=FOOTER_KEY)), writer, A)
    encrypted = bytearray(writer.column(A, 0, 0).encrypt(ModuleType.DATA_PAGE, b"page", 0))
    encrypted[-1] ^= 1
    assert opened.decrypt(ModuleType.DATA_PAGE, encrypted, 0) == b"pagd"


@pytest.mark.parametrize("buffer", [b"", b"\x00", b"\xff\xff\xff\xff", bytes(100), b"\x1c\x00\x00\x00" + bytes(27)])
@pytest.mark.parametrize("kind", COLUMN_MODULES)
def test_hostile_bytes(buffer, kind):
    writer = encryptor(algorithm="AES_GCM_CTR_V1")
    file = cipher(writer, Decryption(footer_key=FOOTER_KEY))
    with pytest.raises(ParquetError):
        column(file, writer, A).decrypt(kind, buffer, page_of(kind))
    with pytest.raises(ParquetError):
        file.decrypt_footer(buffer)


def test_facts():
    writer = encryptor({"a": A_KEY}, aad_prefix=b"table", key_metadata={"": b"kf", "a": b"ka"})
    file = cipher(writer)
    facts = {fact.name: fact.value for fact in file.facts}
    assert facts["encryption algorithm"] == "AES_GCM_V1"
    assert facts["aad_file_unique"] == b"unique".hex()
    assert facts["AAD prefix"] == "stored"
    assert facts["aad_prefix"] == '"table"'
    whose = {fact.name: fact.value for fact in column(file, writer, A).facts}
    assert whose["encryption key"] == "its own"


def test_files_are_the_same_each_time_with_counting_nonces():
    first, second = (encryptor().encrypt_footer(b"footer") for _ in range(2))
    assert first == second
    writer = encryptor()
    assert writer.encrypt_footer(b"footer") != writer.encrypt_footer(b"footer")
    with pytest.raises(UsageError, match="AES_GCM_V1 or AES_GCM_CTR_V1"):
        encryptor(algorithm="AES_CBC")


def test_a_key_may_not_be_used_for_ever(monkeypatch):
    monkeypatch.setattr(encryptors, "INVOCATION_LIMIT", 2)
    writer = encryptor()
    writer.sign_footer(b"")
    writer.encrypt_footer(b"")
    with pytest.raises(UsageError, match="which is the limit"):
        writer.encrypt_footer(b"")


def test_a_file_of_damaged_modules_is_not_searched_for_ever():
    writer = encryptor()
    opened = column(cipher(writer, Decryption(footer_key=FOOTER_KEY)), writer, A)
    encrypted = bytearray(writer.column(A, 0, 0).encrypt(ModuleType.DATA_PAGE, bytes(8 << 20), 0))
    encrypted[-1] ^= 1
    tried = []
    for _ in range(20):
        with pytest.raises(EncryptedFileError) as caught:
            opened.decrypt(ModuleType.DATA_PAGE, encrypted, 0)
        tried.append("(tried: 7 other places" in caught.value.message)
    assert tried == [True] * 18 + [False] * 2
