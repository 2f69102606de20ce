"""The glossary: its form, how words are found, and that it has every word of the specification that the views show."""

import ast
import itertools
import pathlib
import re
from collections import Counter

import pytest

import pqexplore
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.tree.node import Kind
from pqexplore.engine.writer.samples import SAMPLES, write_sample
from pqexplore.insight.doctor import rules
from pqexplore.insight.glossary import GLOSSARY, explain

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
