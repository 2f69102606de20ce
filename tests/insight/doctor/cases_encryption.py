"""Files that the rules about encryption are about, and near misses."""

import itertools
import json
import tempfile
from pathlib import Path

from engine.check.violations import encryption as forged
from insight.doctor.doctor_cases import Case
from made import sample

from pqexplore.engine.format.encryption import key_material
from pqexplore.engine.format.encryption.keys import LocalKms
from pqexplore.engine.format.thrift.structs import SizeStatistics

KMS = LocalKms({"master": b"m" * 16})
FOLDER = tempfile.TemporaryDirectory()
NUMBERS = itertools.count()
NUMBER = (7).to_bytes(8, "little")


def keyed(metadata, beside=None):
    """The path of a file whose footer key has this metadata; `beside` is the content of its key material file."""
    folder = Path(FOLDER.name, str(next(NUMBERS)))
    folder.mkdir()
    (folder / "f").write_bytes(forged.signed(column_keys=None, key_metadata={"": metadata}))
    if beside is not None:
        (folder / key_material.material_file_name("f")).write_text(json.dumps(beside))
    return folder / "f"


def internal():
    return key_material.create(forged.FOOTER_KEY, "master", KMS, is_footer_key=True)


def external():
    """The content of a key material file."""
    entry = key_material.create(forged.FOOTER_KEY, "master", KMS, internal_storage=False)
    return {"footerKey": entry.decode()}


def with_sizes(metadata):
    sizes = SizeStatistics(definition_level_histogram=[0, 20])
    forged.chunk_of(metadata).meta_data.size_statistics = sizes


REFERENCE = key_material.key_reference("footerKey")

CASES = [
    Case("clear-beside-encrypted", lambda: sample("plaintext-footer-bloom"), lambda: sample("events"),
        "2 columns are encrypted, and 1 not: anyone can read",
        made="The sample `plaintext-footer-bloom`: two of three columns are encrypted.",
        spared="The sample `events`: none is."),
    Case(
        "plaintext-statistics",
        lambda: forged.signed(forged.with_statistics(NUMBER, 0)),
        lambda: forged.encrypted(forged.with_statistics(b"text", 1)),  # the footer is encrypted
        "the plaintext footer has statistics of 1 encrypted column (`a`): anyone can read them",
        "footer",
        made="The statistics of an encrypted column stay in a plaintext footer.",
        spared="The footer is encrypted, too.",
    ),
    Case("plaintext-size-statistics", lambda: forged.signed(with_sizes), forged.signed,
        "the plaintext footer has size_statistics of 1 encrypted column (`a`): anyone can read them", "footer",
        made="The size statistics of an encrypted column stay in a plaintext footer.", spared="They are left out."),
    Case("nonce-reused", lambda: forged.signed(nonces=forged.twice), forged.signed,
        "1 module uses a nonce that another module used under the same key: the first is row_groups/0/columns/0/",
        made="Two modules are encrypted with the same nonce and key.", spared="Each module has a nonce of its own."),
    Case("key-material-unusable", lambda: keyed(REFERENCE), lambda: keyed(REFERENCE, external()),
        "The key material of the footer key cannot be used: there is no key material file", "footer",
        made="The footer's key material lies in another file, which is not there.", spared="That file is there."),
    Case(
        "key-material-unusable",
        lambda: keyed(REFERENCE, {"another": "x"}),
        lambda: keyed(REFERENCE, external()).read_bytes(),  # without a folder nobody knows
        "has no key",
        "footer",
    ),
    Case("key-material-unusable",
        lambda: forged.signed(column_keys=None, key_metadata={"": b'{"keyMaterialType": "PKMT9"}'}),
        lambda: forged.signed(column_keys=None, key_metadata={"": b"kf"}), "cannot be used: ", "footer"),
    Case("key-material-left-over", lambda: keyed(internal(), external()), lambda: keyed(internal()),
        "There is a key material file, _KEY_MATERIAL_FOR_f.json, and the file has its key material inside", "footer",
        made="A key material file lies beside a file that has its key material inside.",
        spared="No such file is there."),
    Case("key-material-internal", lambda: keyed(internal()), lambda: keyed(REFERENCE, external()),
        "1 wrapped key lies inside the file", "footer", made="The wrapped key is in the footer's key metadata.",
        spared="It is in a file of its own."),
]  # fmt: skip
