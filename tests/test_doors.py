"""The public modules: samples, glossary, and the parts of the format."""

import pytest
from quick import quick

import pqexplore
from pqexplore import UsageError, format, glossary, samples


@pytest.mark.parametrize("name", quick(samples.names(), "events", "encrypted", "sick-checksum"))
def test_a_sample_is_an_attribute_and_open(name):
    attribute = name.replace("-", "_")
    assert attribute in dir(samples)
    with getattr(samples, attribute) as file:
        assert file.name == f"sample {name}"
        assert file.footer_metadata is not None  # an encrypted one has its keys
        assert file.size == len(samples.data(name)) and samples.sentence(attribute)


def test_a_sample_is_made_once_and_opened_each_time(tmp_path):
    assert samples.data("events") is samples.data("events")
    first = samples.events
    first.close()
    assert samples.events.head(1).num_rows == 1
    samples.write("events", tmp_path / "events.parquet")
    assert (tmp_path / "events.parquet").read_bytes() == samples.data("events")


def test_keys_of_samples():
    assert samples.decryption("events") is None
    keys = samples.decryption("encrypted")
    assert pqexplore.open(samples.data("encrypted"), decryption=keys).num_rows == 300
    assert "0123456789012345" not in repr(keys) + repr(samples.encrypted)


@pytest.mark.parametrize("name", ["event", "sick"])
def test_an_unknown_sample_says_which_there_are(name):
    with pytest.raises(AttributeError, match=f"no sample '{name}'; there are events, everything"):
        getattr(samples, name)
    with pytest.raises(UsageError, match="there are events"):
        samples.data(name)
    assert not hasattr(samples, "no_such_sample")


def test_the_glossary_explains():
    assert glossary.explain("row groups").name == "row group"
    assert set(dir(glossary)) == {"GLOSSARY", "Term", "TermBytes", "bytes_of", "explain"}


def test_the_parts_of_the_format():
    assert set(dir(format)) == set(format.__all__)
    for value in (None, 7, [1, {"a": "b"}]):
        assert format.decode_variant(*format.encode_variant(value)) == value
    header, length = format.decode_struct(format.structs.KeyValue, b"\x18\x01k\x00")
    assert (header, length) == (format.structs.KeyValue(key="k"), 4)


def test_public_modules_are_attributes_of_the_package():
    assert pqexplore.samples is samples and pqexplore.glossary is glossary
    assert {"samples", "glossary", "format", "lake"} <= set(dir(pqexplore))
    assert "format" not in pqexplore.__all__
