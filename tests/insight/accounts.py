"""What each view says of the bytes of a file: the same, whichever is asked."""

import re
from itertools import chain

import pqexplore
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.tree.gap_reason import is_copy
from pqexplore.insight import account, report
from pqexplore.insight.doctor.rules import bytes as of_bytes
from pqexplore.insight.doctor.rules import filters
from pqexplore.insight.doctor.subject import Subject
from pqexplore.insight.lenses import LENSES, answer_of
from pqexplore.insight.lenses.layout.strips import strips_to
from pqexplore.insight.steps import finish
from pqexplore.widget import bytemap

INDEXES = ("column_index", "offset_index")
COARSE = {
    **dict.fromkeys(("page_header", "data_page", "data_page_v2", "dictionary_page", "index_page"), "pages"),
    **dict.fromkeys(("unknown_page", "column_chunk", "unreadable"), "pages"),
    **dict.fromkeys(("bloom_filter", "bloom_filter_header", "bloom_filter_bitset"), "Bloom filters"),
    **dict.fromkeys(INDEXES, "page indexes"),
    "gap": "gap",
    "unknown_parts": "unknown",
}


def summed(kinds):
    """(kind of tile, bytes) pairs, summed by `COARSE`; all others are the two ends of the file."""
    sums = {}
    for kind, size in kinds:
        name = COARSE.get(str(kind), "ends")
        sums[name] = sums.get(name, 0) + size
    return {name: size for name, size in sums.items() if size}


def stated(file):
    """The account."""
    return summed((one.kind, one.size) for one in account.shares(file))


def by_overview(file):
    names = {"pages": "pages", "page indexes": "page indexes", "Bloom filters": "Bloom filters", account.GAP: "gap"}
    names |= {"unreadable": "pages", account.UNKNOWN: "unknown"}
    sums = {}
    for kind, size in account.by_kind(file).items():
        name = names.get(kind, "ends")
        sums[name] = sums.get(name, 0) + size
    return {name: size for name, size in sums.items() if size}


def by_icicle(file):
    picture = finish(answer_of(file, file.root, LENSES["overview"])).picture
    [whole] = [tile for tile in picture.tiles if tile.level == 0]
    below = sum(tile.size for tile in picture.tiles if tile.level == 1)
    return whole.size, below


def by_map(file):
    """The tiles of the map, as the page gets them, and as its legend sums them up."""
    found = finish(bytemap.tiles(file, account.level(file))).table
    starts, ends = found["start"].to_pylist(), found["end"].to_pylist()
    return summed(zip(found["kind"].to_pylist(), (b - a for a, b in zip(starts, ends, strict=True)), strict=True))


def by_strips(file):
    """The tiles of the Layout lens: those of the file, and those of each row group."""
    tiles = []
    whole = strips_to(file, "")[0]
    for at in range(len(whole)):
        kind = whole.kind_of(at)
        if kind != "row_group":
            tiles.append((kind, whole.size_of(at)))
            continue
        inside = next(
            one for one in strips_to(file, whole.address_of(at)) if one.start == whole.starts[at] and one is not whole
        )
        tiles += [(inside.kind_of(i), inside.size_of(i)) for i in range(len(inside))]
    return summed(tiles)


def by_sentence(file):
    """The bytes of nobody in the sentence of the Layout lens."""
    said = LENSES["layout"].answer(file, file.root).sentence
    found = re.search(r"([\d,]+) bytes?(?: in [\d,]+ places)? belongs? to nobody", said)
    assert ("every byte has an owner" in said) is (found is None and "not known without" not in said), said
    return 0 if found is None else int(found[1].replace(",", ""))


def by_tree(file, sound):
    """The bytes of gaps by the tree, and, of a file without damage, of Bloom filters and indexes."""
    file.layout(account.level(file))
    sums = {"gap": 0, "Bloom filters": 0, "page indexes": 0}
    gaps = next((node for node in file.root.children if node.address == "gaps"), None)
    sums["gap"] = 0 if gaps is None else sum(len(node.span) for node in gaps.children)
    for chunk in chunks(file) if sound else ():
        for node in file.node(chunk.address).children:
            name = COARSE.get(str(node.kind))
            if name in sums and node.span is not None and name != "gap":
                sums[name] += len(node.span)
    return {name: size for name, size in sums.items() if size}


def chunks(file):
    try:
        yield from file.chunks()
    except ParquetError:
        return


def by_doctor(file, monkeypatch):
    """What the rules about bytes say of a file, each without its threshold."""
    for module, names in (
        (of_bytes, ("GAP_BYTES", "GAP_SHARE", "KEY_VALUE_BYTES", "KEY_VALUE_SHARE")),
        (filters, ("LEAST_BYTES", "SHARE")),
    ):
        for name in names:
            monkeypatch.setattr(module, name, 1e-9)
    subject = Subject(file, "pages")
    found = chain(of_bytes.unused_bytes(subject), of_bytes.heavy_key_values(subject), filters.bloom_share(subject))
    return {one.rule: one.evidence["bytes"] for one in found}


def by_blooms(file):
    """The bytes of Bloom filters in the table over all of them."""
    table = file.view("bloom").table
    if table is None:  # no column chunks
        return 0
    names = [column.name for column in table.columns]
    return sum(row[names.index("bytes")] or 0 for row in table.rows)


def by_ask(file):
    """What a query that takes all rows reads, by the words of its pieces, and of which row groups; None if none can be asked.

    A row group without rows is not read.
    """
    leaf = next((leaf for leaf in file.schema.leaves if len(leaf.path) == 1 and leaf.max_repetition_level == 0), None)
    if leaf is None or "`" in leaf.path[0]:
        return None
    try:
        plan = pqexplore.ask(file, f"`{leaf.path[0]}` IS NOT NULL OR `{leaf.path[0]}` IS NULL")
    except (ParquetError, UsageError):
        return None
    sums = {}
    for piece in plan.reading.pieces:
        sums[piece.what] = sums.get(piece.what, 0) + len(piece.span)
    return sums, {group.index for group in plan.groups if group.kept}


def disagreements(file, monkeypatch):
    """Where two views differ about the bytes of an open file, in words."""
    account_of = stated(file)
    gap = account_of.get("gap", 0)
    found = []

    def compare(view, said, expected):
        if said != expected:
            found.append(f"{view} has {said}, the account {expected}")

    compare("the account as a whole", sum(account_of.values()), file.size)
    compare("the overview", by_overview(file), account_of)
    compare("the icicle", by_icicle(file), (file.size, file.size))
    compare("the map", by_map(file), account_of)
    compare("the sentence of Layout", by_sentence(file), gap)
    compare("the text of the terminal", by_terminal(file), account_of)
    sound = file.metadata is not None and not any(one.severity.level == "error" for one in file.findings)
    compare("the gaps of the tree", by_tree(file, sound).get("gap", 0), gap)
    if not sound or any(chunk.locked or chunk.elsewhere for chunk in chunks(file)):
        return found  # damage costs the other views their part
    parts = {name: account_of[name] for name in ("gap", "Bloom filters", "page indexes") if name in account_of}
    compare("the tree", by_tree(file, sound), parts)
    coarse = file.layout("chunks")
    lengths = [end - start for start, end in zip(coarse["start"].to_pylist(), coarse["end"].to_pylist(), strict=True)]
    compare("the strips of Layout", by_strips(file), summed(zip(coarse["kind"].to_pylist(), lengths, strict=True)))
    said = by_doctor(file, monkeypatch)
    gaps = [(row["start"], row["end"]) for row in coarse.to_pylist() if row["kind"] == "gap"]
    copies = all(is_copy(file, *one) for one in gaps)  # of metadata, by old writers: the doctor says nothing of them
    compare("the doctor's gaps", said.get("unused-bytes", 0), 0 if copies else sum(end - start for start, end in gaps))
    compare("the doctor's filters", said.get("large-bloom-filters", 0), account_of.get("Bloom filters", 0))
    compare("the view of Bloom filters", by_blooms(file), account_of.get("Bloom filters", 0))
    asked = by_ask(file)
    if asked is not None:
        sums, kept = asked
        spans = [chunk.span for chunk in chunks(file) if chunk.row_group.index in kept]
        compare("the footer of a query", sums["footer"], file.size - file.footer.start)
        compare("the column chunks of a query", sums.get("column chunk", 0), sum(map(len, spans)))
    return found


def by_terminal(file):
    """The table `Bytes` of the text about a file."""
    lines = list(report.file_report(file, 200))
    at = lines.index("Bytes")
    rows = [line.rsplit(None, 3) for line in lines[at + 2 : lines.index("", at)] if line.split()[0] != "all"]
    return summed((name.strip().replace(" ", "_"), int(size.replace(",", ""))) for name, _, size, _ in rows)
