"""Key metadata: which key a file asks for, and the key material of parquet-java's key tools."""

import base64
import json

import pytest

from pqexplore.engine.errors import EncryptedFileError, UnsupportedFeatureError
from pqexplore.engine.format.encryption import key_material
from pqexplore.engine.format.encryption.key_material import KeyMaterial, parse
from pqexplore.engine.format.encryption.keys import Decryption, Key, LocalKms

DEK, KEK, MASTER = b"d" * 16, b"k" * 16, b"m" * 32
KMS = LocalKms({"keyA": MASTER})


class CountingKms:
    def __init__(self):
        self.asked = []

    def unwrap_key(self, wrapped, master_key_id):
        self.asked.append(master_key_id)
        return KMS.unwrap_key(wrapped, master_key_id)


@pytest.mark.parametrize(
    ("metadata", "kind", "asks_for"),
    [
        (None, "none", "a key that the file does not name"),
        (b"", "none", "a key that the file does not name"),
        (b"kf", "text", 'the key "kf"'),
        ("schlüssel".encode(), "text", 'the key "schlüssel"'),
        (b"a\x1b[2J", "text", 'the key "a\\u001b[2J"'),
        (b"x" * 500, "text", 'the key "' + "x" * 79 + '…"'),
        (b"\x00\xff\x01", "bytes", "the key with the metadata 0x00ff01"),
        (b"\xff" * 40, "bytes", "the key with the metadata 0x" + "ff" * 32 + "…"),
        (b"{", "text", 'the key with the metadata "{"'),
        (b"{" * 200_000, "text", None),
        (b'{"my": "own"}', "text", None),
        (b"[1]", "text", None),
    ],
)
def test_key_metadata_names_the_key(metadata, kind, asks_for):
    found = parse(metadata)
    assert found.kind == kind
    assert asks_for is None or found.asks_for == asks_for
    assert found.material is None and found.reference is None and not found.problem


def test_single_wrapping():
    metadata = key_material.create(DEK, "keyA", KMS, double_wrapping=False)
    found = parse(metadata)
    assert found.kind == "key material"
    assert found.asks_for == 'a data key wrapped once with master key "keyA"'
    assert not found.material.double_wrapping
    assert key_material.unwrap(found.material, Decryption(kms=KMS)) == Key(DEK)


def test_double_wrapping_asks_once_for_each_key_encryption_key():
    first, second = (
        key_material.create(dek, "keyA", KMS, kek=KEK, kek_id=b"the KEK's name") for dek in (DEK, b"e" * 24)
    )
    # Both name one KEK, and writers wrap it once.
    shared = json.loads(first)["wrappedKEK"]
    second = json.dumps(json.loads(second) | {"wrappedKEK": shared}).encode()
    kms = CountingKms()
    decryption = Decryption(kms=kms)
    assert parse(first).asks_for == 'a data key wrapped twice with master key "keyA"'
    assert key_material.unwrap(parse(first).material, decryption) == Key(DEK)
    assert key_material.unwrap(parse(second).material, decryption) == Key(b"e" * 24)
    assert kms.asked == ["keyA"]


def test_created_material_has_the_fields_of_the_key_tools():
    fields = json.loads(key_material.create(DEK, "keyA", KMS, is_footer_key=True))
    assert list(fields) == [
        "keyMaterialType", "internalStorage", "isFooterKey", "kmsInstanceID", "kmsInstanceURL", "masterKeyID",
        "doubleWrapping", "wrappedDEK", "keyEncryptionKeyID", "wrappedKEK",
    ]  # fmt: skip


def test_booleans_written_as_text():
    """Early versions of the key tools wrote every field as a string."""
    fields = json.loads(key_material.create(DEK, "keyA", KMS))
    old = {name: str(v).lower() if isinstance(v, bool) else v for name, v in fields.items()}
    assert old["doubleWrapping"] == "true"
    assert parse(json.dumps(old).encode()) == parse(json.dumps(fields).encode())


def test_external_key_material():
    assert parse(key_material.key_reference("columnKey0")).reference == "columnKey0"
    entry = key_material.create(DEK, "keyA", KMS, internal_storage=False)
    store = json.dumps({"columnKey0": entry.decode()}).encode()
    asked = []

    def sibling(name):
        asked.append(name)
        return store

    material = key_material.external("columnKey0", "part-0.parquet", sibling)
    assert asked == ["_KEY_MATERIAL_FOR_part-0.parquet.json"]
    assert key_material.unwrap(material, Decryption(kms=KMS)) == Key(DEK)


@pytest.mark.parametrize(
    ("file_name", "content", "message"),
    [
        (None, b"{}", "cannot be found from a source without a name"),
        ("f", None, 'there is no key material file "_KEY_MATERIAL_FOR_f.json"'),
        ("f", b"\xff", "is not a JSON object"),
        ("f", b"[]", "is not a JSON object"),
        ("f", b"[" * 100_000, "is not a JSON object"),
        ("f", b"{}", 'has no key "footerKey"'),
        ("f", b'{"footerKey": 3}', 'has no key "footerKey"'),
        ("f", b'{"footerKey": "3"}', 'has no key "footerKey"'),
        ("f", b'{"footerKey": "{\\"keyMaterialType\\":\\"PKMT1\\"}"}', "has no text masterKeyID"),
    ],
)
def test_external_key_material_that_is_not_there(file_name, content, message):
    with pytest.raises(EncryptedFileError, match=message):
        key_material.external("footerKey", file_name, lambda name: content)


def test_external_material_of_a_source_without_a_name_raises():
    with pytest.raises(EncryptedFileError, match="cannot be found"):
        key_material.external("footerKey", "f", None)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"keyMaterialType": "PKMT9"}, 'keyMaterialType is "PKMT9", only PKMT1 is known'),
        ({"masterKeyID": None}, "key material has no text masterKeyID"),
        ({"wrappedDEK": 5}, "key material has no text wrappedDEK"),
        ({"wrappedKEK": None}, "key material has no text wrappedKEK"),
        ({"keyEncryptionKeyID": []}, "key material has no text keyEncryptionKeyID"),
        ({"internalStorage": False}, "key material has no text keyReference"),
    ],
)
def test_damaged_key_material_is_reported(change, problem):
    fields = json.loads(key_material.create(DEK, "keyA", KMS)) | change
    found = parse(json.dumps(fields).encode())
    assert found.problem == problem
    assert found.material is None
    facts = {fact.name: fact.value for fact in key_material.describe_key_metadata(json.dumps(fields).encode())}
    assert facts["problem"] == problem


def test_another_type_outside_the_file():
    with pytest.raises(UnsupportedFeatureError, match="only PKMT1 is known"):
        key_material.key_material({"keyMaterialType": "PKMT2"})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kek_id": "!"}, "the keyEncryptionKeyID is not base64"),
        ({"kek_id": base64.b64encode(b"another").decode()}, "does not open the wrapped key"),
        ({"wrapped_dek": base64.b64encode(bytes(44)).decode()}, "does not open the wrapped key"),
        ({"wrapped_kek": base64.b64encode(bytes(44)).decode()}, "does not open the wrapped key"),
        ({"master_key_id": "keyB"}, 'has no master key "keyB"'),
    ],
)
def test_material_that_does_not_unwrap(change, message):
    material = parse(key_material.create(DEK, "keyA", KMS)).material
    fields = {name: getattr(material, name) for name in KeyMaterial.__slots__} | change
    with pytest.raises(EncryptedFileError, match=message):
        key_material.unwrap(KeyMaterial(**fields), Decryption(kms=KMS))


def test_an_unwrapped_data_key_of_a_wrong_length():
    wrapped = base64.b64encode(bytes(12) + Key(KEK).gcm.encrypt(bytes(12), b"short", b"id")).decode()
    kek = Key(MASTER).encrypt_key(Key(KEK), b"keyA")
    material = KeyMaterial("keyA", wrapped, True, base64.b64encode(b"id").decode(), kek)
    with pytest.raises(EncryptedFileError, match="is no key: .* this one has 5"):
        key_material.unwrap(material, Decryption(kms=KMS))


def test_facts_tell_the_master_key_and_no_secret():
    metadata = key_material.create(DEK, "keyA", KMS, is_footer_key=True, kek=KEK)
    facts = key_material.describe_key_metadata(metadata)
    values = {fact.name: fact.value for fact in facts}
    assert values["key metadata"] == "key material"
    assert values["masterKeyID"] == "keyA"
    assert values["doubleWrapping"] is True
    assert values["kmsInstanceID"] == "DEFAULT"
    assert values["wrappedDEK"] == "60 characters"
    material = json.loads(metadata)
    told = repr(facts)
    assert material["wrappedDEK"] not in told and material["wrappedKEK"] not in told
    assert all(fact.meaning for fact in facts)


@pytest.mark.parametrize("metadata", [None, b"kf", b"\xff", key_material.key_reference("footerKey")])
def test_facts_of_other_metadata(metadata):
    values = {fact.name: fact.value for fact in key_material.describe_key_metadata(metadata)}
    assert values["key metadata"] == parse(metadata).kind
    assert values.get("keyReference") == parse(metadata).reference
