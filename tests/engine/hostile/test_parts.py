"""A file that is taken apart and put together: nothing changes, or only the part that was to change."""

import pytest
from engine.hostile import campaign
from engine.hostile.parts import Parts

import pqexplore
from pqexplore.engine.format.thrift.structs import Encoding


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    made = campaign.project_seeds(tmp_path_factory.mktemp("seeds"))
    return {seed.name: seed for seed in made}


PLACES = ("offset", "checksum", "row-group-size", "overlap", "unreadable", "outside", "signature")
"""Words in the names of rules about where things are, and whether they can be read."""


def test_nothing_changed(seeds):
    for seed in seeds.values():
        parts = Parts(seed.data, seed.decryption)
        again = parts.together()
        if parts.cipher is None:
            assert again == seed.data
        else:
            with pqexplore.open(again, decryption=seed.decryption) as file:
                assert file.read().equals(parts.file.read())


NAMES = ("everything", "codecs", "lz4-v2", "made-codecs", "made-nested")
LOCKED = ("encrypted", "encrypted-columns", "plaintext-footer-bloom", "ctr-plaintext-footer")


@pytest.mark.parametrize("name", NAMES + LOCKED)
def test_a_longer_value_is_read_and_all_else_stays(seeds, name):
    seed = seeds[name]
    parts = Parts(seed.data, seed.decryption)
    place = next(
        place
        for place in parts.places
        if place.name == "values"
        and place.piece.page.encoding in (Encoding.PLAIN, Encoding.PLAIN_DICTIONARY)
        and place.piece.chunk.leaf.physical_type == 6
    )
    size = int.from_bytes(place.data[:4], "little")
    longer = (size + 500).to_bytes(4, "little") + b"x" * 500 + place.data[4:]
    with pqexplore.open(parts.together({place: longer}), decryption=seed.decryption) as file:
        page = file.node(place.piece.page.address)
        assert page.state == "ok"
        again = file.row_groups[place.piece.chunk.row_group.index].columns[place.piece.chunk.index]
        assert again.pages[place.piece.page.index].crc_ok is not False
        assert again.pages[place.piece.page.index].body.section("values").data == longer
        new = {finding.rule for finding in file.check()} - {f.rule for f in parts.file.check()}
        assert not [rule for rule in new if any(word in rule for word in PLACES)]
        assert file.num_rows == parts.file.num_rows
