"""Key metadata: which key a file needs.

The format leaves `key_metadata` to the writer. Two forms occur in practice: the identifier of a key, which only its owner
can look up, and the JSON of the key tools that parquet-java, Arrow and Spark share (type PKMT1), which holds the data key
itself, wrapped (encrypted with another key). Wrapped once, a key management service decrypts it with a master key.
Wrapped twice, the service decrypts a key encryption key (KEK), and the KEK decrypts the data key here. The JSON can also
refer to a file beside the Parquet file: external key material.

Nothing here is secret: of a wrapped key only the length is shown.

Specification: https://github.com/apache/parquet-format/blob/master/Encryption.md#43-key-metadata
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import json
import os
from collections.abc import Callable
from typing import Any

from pqexplore.engine.errors import EncryptedFileError, UnsupportedFeatureError
from pqexplore.engine.fact import Fact
from pqexplore.engine.format.encryption.keys import Buffer, Decryption, Key, WrappingKms, as_key, discreet, quote
from pqexplore.engine.text import clip

PKMT1 = "PKMT1"
"""The key material type: Parquet key management tools, version 1."""

Sibling = Callable[[str], bytes | None]
"""A function that reads the file with a given name in the Parquet file's folder; None if there is none."""

_MAX_JSON = 1 << 20
_MAX_EXTERNAL = 64 << 20


@dataclasses.dataclass(frozen=True, slots=True)
class KeyMaterial:
    """A wrapped data encryption key (DEK), and the keys that unwrap it.

    With `double_wrapping` the KEK unwraps the DEK, and the master key unwraps the KEK (`wrapped_kek`); without, the
    master key unwraps the DEK.
    """

    master_key_id: str
    wrapped_dek: str
    double_wrapping: bool
    kek_id: str = ""
    wrapped_kek: str = ""
    is_footer_key: bool = False
    kms_instance_id: str | None = None
    kms_instance_url: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class KeyMetadata:
    """Parsed key metadata: `kind` is `none`, `text`, `bytes`, `key material` or `key reference`.

    `asks_for` is the end of a sentence that names the key. `material` is the key material in the file, `reference` its
    name in the key material file beside it. `problem` says why the key tools' JSON is not usable.
    """

    kind: str
    asks_for: str
    material: KeyMaterial | None = None
    reference: str | None = None
    problem: str = ""


def parse(metadata: Buffer | None) -> KeyMetadata:
    """Parse the bytes of a `key_metadata` field. Damaged JSON does not raise, see `KeyMetadata.problem`."""
    data = bytes(metadata or b"")
    if not data:
        return KeyMetadata("none", "a key that the file does not name")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return KeyMetadata("bytes", f"the key with the metadata 0x{clip(data.hex(), 65)}")
    if not text.lstrip().startswith("{"):
        return KeyMetadata("text", f"the key {quote(text)}")
    fields = _json_object(text, _MAX_JSON)
    if fields is None or "keyMaterialType" not in fields:
        return KeyMetadata("text", f"the key with the metadata {quote(text)}")
    try:
        return _key_tools(fields)
    except (EncryptedFileError, UnsupportedFeatureError) as error:
        return KeyMetadata("key material", f"a key of the key tools, whose {error.message}", problem=error.message)


def _key_tools(fields: dict[str, Any]) -> KeyMetadata:
    if _flag(fields, "internalStorage"):
        material = key_material(fields)
        return KeyMetadata("key material", _wrapped_with(material), material)
    _check_type(fields)
    reference = _text(fields, "keyReference")
    return KeyMetadata(
        "key reference", f"the key {quote(reference)} of the key material file beside it", reference=reference
    )


def _wrapped_with(material: KeyMaterial) -> str:
    times = "twice" if material.double_wrapping else "once"
    return f"a data key wrapped {times} with master key {quote(material.master_key_id)}"


def key_material(fields: dict[str, Any]) -> KeyMaterial:
    """The key material in a JSON object of the key tools.

    Raises EncryptedFileError for a missing field, UnsupportedFeatureError for another type than PKMT1.
    """
    _check_type(fields)
    double = _flag(fields, "doubleWrapping")
    return KeyMaterial(
        master_key_id=_text(fields, "masterKeyID"),
        wrapped_dek=_text(fields, "wrappedDEK"),
        double_wrapping=double,
        kek_id=_text(fields, "keyEncryptionKeyID") if double else "",
        wrapped_kek=_text(fields, "wrappedKEK") if double else "",
        is_footer_key=_flag(fields, "isFooterKey"),
        kms_instance_id=_optional(fields, "kmsInstanceID"),
        kms_instance_url=_optional(fields, "kmsInstanceURL"),
    )


def external(reference: str, file_name: str | None, sibling: Sibling | None) -> KeyMaterial:
    """The key material named `reference` in the key material file of `file_name`.

    Raises EncryptedFileError if that file cannot be read, or does not have it.
    """
    if file_name is None or sibling is None:
        raise EncryptedFileError(
            "the key material lies in a file beside the Parquet file, "
            "which cannot be found from a source without a name"
        )
    name = material_file_name(file_name)
    content = sibling(name)
    if content is None:
        raise EncryptedFileError(f"there is no key material file {quote(name, 400)} beside it")
    try:
        store = _json_object(content.decode(), _MAX_EXTERNAL)
    except UnicodeDecodeError:
        store = None
    if store is None:
        raise EncryptedFileError(f"the key material file {quote(name, 400)} is not a JSON object")
    entry = store.get(reference)
    fields = _json_object(entry, _MAX_JSON) if isinstance(entry, str) else entry
    if not isinstance(fields, dict):
        raise EncryptedFileError(f"the key material file {quote(name, 400)} has no key {quote(reference)}")
    return key_material(fields)


def material_file_name(file_name: str) -> str:
    """The name of the file that has the external key material of the Parquet file `file_name`."""
    return f"_KEY_MATERIAL_FOR_{file_name}.json"


def unwrap(material: KeyMaterial, decryption: Decryption) -> Key:
    """The data key in `material`; calls the key management service once for each KEK or single wrapped key.

    Raises EncryptedFileError if the service does not give the key, or the KEK does not decrypt it.
    """
    if not material.double_wrapping:
        return decryption.unwrap(material.wrapped_dek, material.master_key_id)
    kek = decryption.unwrap(material.wrapped_kek, material.master_key_id)
    try:
        kek_id = base64.b64decode(material.kek_id, validate=True)
    except (binascii.Error, ValueError):
        raise EncryptedFileError("the keyEncryptionKeyID is not base64") from None
    return kek.decrypt_key(material.wrapped_dek, kek_id)


def describe_key_metadata(metadata: Buffer | None) -> list[Fact]:
    """Facts about the key that `metadata` names; never a key, wrapped or not."""
    parsed = parse(metadata)
    facts = [
        Fact("key metadata", parsed.kind, f"Asks for {parsed.asks_for}."),
        Fact("key metadata length", len(metadata or b""), "Bytes of key_metadata."),
    ]
    if parsed.reference is not None:
        facts.append(Fact("keyReference", parsed.reference, "Its name in the key material file beside this file."))
    if parsed.problem:
        facts.append(Fact("problem", parsed.problem, "Why the key tools' JSON is not usable."))
    material = parsed.material
    if material is None:
        return facts
    double = material.double_wrapping
    facts += [
        Fact("keyMaterialType", PKMT1, "Parquet key management tools, version 1."),
        Fact("masterKeyID", material.master_key_id, "The master key in the key management service."),
        Fact(
            "doubleWrapping",
            double,
            "The data key is wrapped with a key encryption key, and that with the master key."
            if double
            else "The data key is wrapped with the master key.",
        ),
        Fact("wrappedDEK", f"{len(material.wrapped_dek)} characters", "The data key, encrypted."),
    ]
    if double:
        facts.append(Fact("keyEncryptionKeyID", material.kek_id, "Names the key encryption key."))
    if material.kms_instance_id is not None:
        facts.append(Fact("kmsInstanceID", material.kms_instance_id, "The key management service to ask."))
    if material.kms_instance_url is not None:
        facts.append(Fact("kmsInstanceURL", material.kms_instance_url, "Its address; not contacted."))
    return facts


@discreet
def create(
    data_key: Buffer | Key,
    master_key_id: str,
    kms: WrappingKms,
    *,
    double_wrapping: bool = True,
    is_footer_key: bool = False,
    internal_storage: bool = True,
    kek: Buffer | Key | None = None,
    kek_id: bytes | None = None,
) -> bytes:
    """Key material (PKMT1) for `data_key`, as JSON in UTF-8; KEK and its identifier are random unless given.

    With `internal_storage` it is the `key_metadata` itself. Without, it is an entry of the key material file, and
    `key_reference` makes the `key_metadata`. Raises UsageError for an invalid key.
    """
    data_key, kek = as_key(data_key), as_key(os.urandom(16) if kek is None else kek)
    fields: dict[str, Any] = {"keyMaterialType": PKMT1}
    if internal_storage:
        fields["internalStorage"] = True
    fields["isFooterKey"] = is_footer_key
    if is_footer_key:
        fields |= {"kmsInstanceID": "DEFAULT", "kmsInstanceURL": "DEFAULT"}
    fields |= {"masterKeyID": master_key_id, "doubleWrapping": double_wrapping}
    if double_wrapping:
        name = os.urandom(16) if kek_id is None else kek_id
        fields["wrappedDEK"] = kek.encrypt_key(data_key, name)
        fields["keyEncryptionKeyID"] = base64.b64encode(name).decode()
        fields["wrappedKEK"] = kek.wrapped_by(kms, master_key_id)
    else:
        fields["wrappedDEK"] = data_key.wrapped_by(kms, master_key_id)
    return json.dumps(fields, separators=(",", ":")).encode()


def key_reference(name: str) -> bytes:
    """The `key_metadata` of a key whose material lies in the key material file under `name`."""
    fields = {"keyMaterialType": PKMT1, "internalStorage": False, "keyReference": name}
    return json.dumps(fields, separators=(",", ":")).encode()


def _json_object(text: str, limit: int) -> dict[str, Any] | None:
    if len(text) > limit:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _check_type(fields: dict[str, Any]) -> None:
    kind = fields.get("keyMaterialType")
    if kind != PKMT1:
        raise UnsupportedFeatureError(f"keyMaterialType is {quote(str(kind))}, only PKMT1 is known")


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise EncryptedFileError(f"key material has no text {name}")
    return value


def _optional(fields: dict[str, Any], name: str) -> str | None:
    value = fields.get(name)
    return value if isinstance(value, str) else None


def _flag(fields: dict[str, Any], name: str) -> bool:
    """A boolean of the key tools, which write it as a JSON boolean or, in old versions, as text."""
    value = fields.get(name)
    return value is True or (isinstance(value, str) and value.lower() == "true")
