"""The glossary: its form, how words are found, and that it has every word of the specification that the views show."""

import ast
import io
import itertools
import pathlib
import re
import struct
from collections import Counter

import pytest

import pqexplore
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.tree.node import Kind
from pqexplore.engine.writer.samples import SAMPLES, write_sample
from pqexplore.insight.doctor import rules
from pqexplore.insight.glossary import GLOSSARY, bytes_of, explain
from pqexplore.insight.glossary.places import PLACES, Place
from pqexplore.insight.short_text import inline

DOCUMENTS = {
    "README.md",
    "Encodings.md",
    "LogicalTypes.md",
    "Compression.md",
    "PageIndex.md",
    "BloomFilter.md",
    "Encryption.md",
    "VariantEncoding.md",
    "VariantShredding.md",
    "Geospatial.md",
    "src/main/thrift/parquet.thrift",
}

PLAIN_ENGLISH = re.compile(
    "bits|bytes|key|decoded bytes|bounds from|derivation|extension|format version|hash|hex|length|name|note|num_rows|order"
    "|ordinal|path|root|rows|shape|size|trusted|type|unused|values?|version|word [0-7]"
    "|(definition|repetition) level [0-9]+"
)
"""Names of facts that need no card, or whose first words have one."""


@pytest.mark.parametrize("term", GLOSSARY.values(), ids=GLOSSARY)
def test_a_term_has_two_sentences_a_picture_and_a_source(term):
    assert len(re.findall(r"\.(?: |$)", term.meaning)) == 2, term.meaning
    lines = term.picture.split("\n")
    assert len(lines) == 3
    assert max(map(len, lines)) <= 46
    base, _, document = term.link.partition("/blob/master/")
    assert base == "https://github.com/apache/parquet-format"
    assert document.partition("#")[0] in DOCUMENTS


def test_each_spelling_has_one_term():
    spellings = Counter(
        spelling
        for term in GLOSSARY.values()
        for spelling in {one.replace("_", " ").casefold() for one in (term.name, *term.also)}
    )
    assert [one for one, count in spellings.items() if count > 1] == []


@pytest.mark.parametrize(("word", "name"), [
    ("row group", "row group"),
    ("Row_Groups", "row group"),
    ("total_compressed_size", "codec"),
    ("definition levels", "definition level"),
    ("CRC", "page checksum"),
    ("boundary_order", "boundary order"),
])  # fmt: skip
def test_a_word_is_found_in_any_spelling(word, name):
    assert explain(word).name == name


def test_an_unknown_word_names_similar_ones():
    with pytest.raises(KeyError, match="no 'row grup'; there are row group"):
        explain("row grup")


def known(word):
    """Whether the views have a card for a word: names in capitals, such as MAP, are found only in capitals."""
    try:
        term = explain(word)
    except KeyError:
        return False
    capitals = [one for one in (term.name, *term.also) if one.isupper()]
    return word in capitals or word.upper().replace(" ", "_") not in capitals


def test_every_fact_of_the_samples_is_a_term_or_plain_english(tmp_path):
    names = set()
    for sample, made in SAMPLES.items():
        write_sample(sample, tmp_path / sample)
        keys = pqexplore.Decryption(**made.keys) if made.keys else None
        with pqexplore.open(tmp_path / sample, decryption=keys) as file:
            queue = [file.root]
            for _ in range(60):
                if not queue:
                    break
                node = queue.pop()
                try:
                    names.update(fact.name for fact in node.facts)
                    queue += itertools.islice(node.children, 4)
                except pqexplore.ParquetError:
                    continue
    assert len(names) > 80
    assert sorted(n for n in names if not known(n) and not PLAIN_ENGLISH.fullmatch(n)) == []


ENUMS = (
    structs.Encoding,
    structs.CompressionCodec,
    structs.Type,
    structs.ConvertedType,
    structs.FieldRepetitionType,
    structs.PageType,
    structs.BoundaryOrder,
)


@pytest.mark.parametrize("enum", ENUMS, ids=lambda enum: enum.__name__)
def test_each_name_of_an_enumeration_is_a_term(enum):
    assert [one.name for one in enum if not known(one.name)] == []


def test_each_logical_type_is_a_term():
    names = [field.name for field in structs.LogicalType.FIELDS]
    assert "TIMESTAMP" in names
    assert [name for name in names if not known(name)] == []


ORDINARY_KINDS = {
    "file", "group",  # of nodes, in the tree
    "value", "values", "body", "field",  # the tree's words for parts of a page or struct
    "leftover", "unreadable", "unknown_parts", "unknown_page", "described_field",  # what no specification names
}  # fmt: skip


def test_each_kind_of_node_is_a_term_or_an_ordinary_word():
    kinds = {kind.value: kind.value.split("_") for kind in Kind}
    begins = {kind: [" ".join(words[:n]) for n in range(1, 6)] for kind, words in kinds.items()}
    assert {kind for kind, heads in begins.items() if not any(map(known, heads))} == ORDINARY_KINDS


THRIFT = pathlib.Path(structs.__file__).parent / "parquet.thrift"
RULES = pathlib.Path(rules.__file__).parent
PAGE = pathlib.Path(__file__).parents[2] / "docs" / "rules.md"

ORDINARY_FIELDS = {"count", "descending", "key", "name", "num_rows", "num_values", "type", "value", "version"}
"""Fields whose names are English words, or counts that need no card."""


def specified():
    """The names of the specification: of its structs as words, of their fields, of the members of its enumerations."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", THRIFT.read_text("utf-8"), flags=re.S)
    named = re.findall(r"(?:struct|union|enum)\s+(\w+)", text)
    names = {re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower() for name in named}
    names.update(re.findall(r"^\s*\d+\s*:.*?(\w+)\s*(?:=[^;,\n]*)?[;,]?\s*$", text, re.M))
    names.update(re.findall(r"^\s*([A-Z][A-Z0-9_]*)\s*=", text, re.M))
    return names | {"AES", "GCM", "CTR"}


def said_by_rules():
    """The texts of the doctor's rules, and of their findings: every text in the modules of the rules, and docs/rules.md."""
    parts = [re.sub(r"\(http[^)]*\)", "", PAGE.read_text("utf-8").partition("## Of `check()`")[0])]
    for path in RULES.glob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
        parts += [
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone
        ]
    return "\n".join(parts)


def test_each_word_of_the_specification_in_a_finding_has_a_card():
    text, names = said_by_rules(), specified()
    assert {"row group", "null_count", "RLE_DICTIONARY"} <= names
    used = set()
    for name in names:
        words = re.escape(name).replace("\\ ", "[ _]").replace("_", "[ _]")
        capitals = 0 if name.isupper() else re.IGNORECASE
        if re.search(rf"(?<!\w){words}s?(?!\w)", text, capitals):
            used.add(name)
    assert len(used) > 60
    assert {name for name in used if not known(name)} - ORDINARY_FIELDS == set()


# Where a term has bytes.


def test_every_term_has_bytes_in_a_sample_or_says_why_it_has_none():
    assert list(PLACES) == list(GLOSSARY)
    for name, place in PLACES.items():
        assert isinstance(place, Place) or re.fullmatch(r"[A-Z][^.]+\.", place), name
    assert sum(isinstance(place, str) for place in PLACES.values()) <= 6


def opened(name):
    data = io.BytesIO()
    write_sample(name, data)
    keys = SAMPLES[name].keys
    return data.getvalue(), pqexplore.open(data.getvalue(), decryption=pqexplore.Decryption(**keys) if keys else None)


@pytest.mark.parametrize("name", [name for name, place in PLACES.items() if isinstance(place, Place)])
def test_the_bytes_of_a_term_are_those_of_the_sample_and_read_as_the_engine_reads_them(name):
    said, place = bytes_of(GLOSSARY[name]), PLACES[name]
    data, file = opened(said.sample)
    node = file.node(said.address)
    assert (node.span.start, node.span.end, node.span.space) == (said.start, said.end, "file")
    assert bytes.fromhex(said.hex) == data[said.start : said.end][:16]
    facts = {fact.name: fact.value for fact in node.facts}
    assert all(inline(facts[one]) in said.value for one in place.facts)
    assert said.value and said.term == name and not said.why
    assert str(said.start) in said.sentence.replace(",", "") and said.hex in said.sentence


def zigzag(data):
    """The number of a Thrift integer field: a header of one byte, then 7 bits in each byte, the lowest first."""
    number = sum((byte & 127) << 7 * place for place, byte in enumerate(data[1:]))
    return number >> 1 ^ -(number & 1)


BY_HAND = {
    "magic": lambda data: "magic " + data.hex(" "),
    "footer length": lambda data: f"footer length {int.from_bytes(data, 'little')}",
    "PLAIN": lambda data: f"{int.from_bytes(data, 'little', signed=True)}, derivation 4 bytes",
    "created by": lambda data: data[2:].decode(),
    "bounds": lambda data: data[2:].hex(" "),
    "CRS": lambda data: data[2:].decode(),
    "geospatial statistics": lambda data: str(struct.unpack("<d", data[1:])[0]),
    **{
        name: lambda data: str(zigzag(data))
        for name in ("varint", "field id", "NaN count", "distinct values", "file offset", "page checksum")
    },
}
"""How some terms are decoded without the engine."""


@pytest.mark.parametrize("name", BY_HAND)
def test_what_is_read_is_what_the_bytes_say(name):
    said = bytes_of(GLOSSARY[name])
    data, _ = opened(said.sample)
    assert BY_HAND[name](data[said.start : said.end]) == said.value


@pytest.mark.parametrize(
    "name", ["PLAIN", "BIT_PACKED", *(one for one in GLOSSARY if one[:5] in ("DELTA", "BYTE_")), "ALP"]
)
def test_an_encoding_has_bytes_of_itself(name):
    place = PLACES[name]
    _, file = opened(place.sample)
    page = re.match(r"row_groups/(\d+)/columns/(\d+)/pages/(\d+)/(\w+)", place.address)
    group, column, at = map(int, page.groups()[:3])
    node = file.node(f"row_groups/{group}/columns/{column}/pages/{at}/{page[4]}")
    assert {fact.name: inline(fact.value) for fact in node.facts}["encoding"] == name


def test_a_term_without_bytes_says_why():
    said = bytes_of(explain("AAD"))
    assert (said.sentence, said.hex, said.sample) == (PLACES["AAD"], "", "")
