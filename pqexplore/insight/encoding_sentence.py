"""What an encoding did to a section of a page, and what it cost beside PLAIN, in a sentence."""

from __future__ import annotations

from pqexplore.engine.encodings import bits as packing
from pqexplore.engine.page import Page
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.structs import Encoding
from pqexplore.insight.derivation import alp, deltas, runs
from pqexplore.insight.derivation.opening import LEVELS, bit_width_of, encoding_of, plain_bytes
from pqexplore.insight.derivation.steps import Derivation
from pqexplore.insight.wording import plural


def sentence(page: Page, name: str, found: Derivation) -> str:
    """What the encoding did, and what it cost."""
    section = page.body.section(name)
    size = len(section.data)
    said = _levels(page, name, found, size) if name in LEVELS else _values(page, found, size)
    if found.problem is not None:
        said += f" After {plural(len(found.steps), 'step')} it cannot be followed: {found.problem.message}"
    return said


def _runs_text(found: runs.Runs) -> str:
    repeated, packed = found.summary()
    if repeated + packed == 1:
        return "one RLE run" if repeated else "one bit-packed run"
    if not packed or not repeated:
        return plural(repeated or packed, "RLE run" if repeated else "bit-packed run")
    return f"{repeated + packed:,} runs ({repeated:,} RLE, {packed:,} bit-packed)"


def _levels(page: Page, name: str, found: Derivation, size: int) -> str:
    count, width = page.num_values, bit_width_of(page, name)
    what = plural(count, name[:-1].replace("_", " "))
    each = plural(width, "bit")
    if isinstance(found, runs.Runs):
        packed = packing.packed_size(width, count)
        compared = "less" if size < packed else "more" if size > packed else "just"
        than = "than" if size != packed else "as much as"
        return (
            f"{what} of {each} in {_runs_text(found)}: {plural(size, 'byte')}, {compared} {than} the "
            f"{packed:,} of bit-packing alone."
        )
    return f"{what} of {each}, bit-packed without runs: {plural(size, 'byte')} (the deprecated BIT_PACKED)."


def _values(page: Page, found: Derivation, size: int) -> str:
    count = page.num_present if page.is_data else page.num_values
    cost = f"{plural(size, 'byte')}{_instead(page, size)}"
    encoding = encoding_of(page, "values")
    if isinstance(found, runs.Runs) and found.prefix is runs.WIDTH:
        each = plural(found.bit_width, "bit")
        return f"{plural(count, 'index', 'indexes')} in {_runs_text(found)}, {each} each: {cost}."
    if isinstance(found, runs.Runs):
        return f"{plural(count, 'boolean')} in {_runs_text(found)}: {cost}."
    if isinstance(found, deltas.Deltas) and found.stream is not None:
        return f"{plural(count, 'value')} as differences {_delta_text(found.stream)}: {cost}."
    if isinstance(found, deltas.Strings) and found.streams:
        lengths = sum(s.structure.end - s.structure.start for s in found.streams)
        own = max(0, size - lengths)
        if not found.prefixed:
            return f"{plural(count, 'value')}: {lengths:,} bytes say their lengths, {own:,} are theirs: {cost}."
        shared = found.streams[0].values
        saved = int(shared.sum()) if shared is not None else 0
        return (
            f"{plural(count, 'value')}, which repeat {saved:,} bytes of the value before and have {own:,} of their own; "
            f"{lengths:,} bytes say how many: {cost}."
        )
    if isinstance(found, alp.Vectors) and found.vectors:
        exceptions = sum(one.exceptions for one in found.vectors)
        widths = [one.bit_width for one in found.vectors]
        return (
            f"{plural(count, 'value')} as decimal integers in {plural(len(found.vectors), 'vector')}, "
            f"{_range(widths)}, {plural(exceptions, 'exception')}: {cost}."
        )
    if encoding == Encoding.BYTE_STREAM_SPLIT:
        width = size // count if count else 0
        return (
            f"{plural(count, 'value')} of {plural(width, 'byte')} in {plural(width, 'stream')}: {plural(size, 'byte')}, "
            "as many as in PLAIN; it is the compression behind it that gains."
        )
    what = (
        plural(count, "value")
        if page.is_data
        else f"{plural(count, 'entry', 'entries')} of the dictionary"
    )
    return f"{what} as {'they are' if count != 1 else 'it is'} (PLAIN): {plural(size, 'byte')}{_each(page, size, count)}."


def _each(page: Page, size: int, count: int) -> str:
    if page.chunk.leaf.physical_type == structs.Type.BOOLEAN:
        return ", a bit each"
    if page.chunk.leaf.physical_type == structs.Type.BYTE_ARRAY:
        return f", of which {4 * count:,} say how long each value is"
    return f", {size // count:,} each" if count else ""


def _range(widths: list[int]) -> str:
    low, high = min(widths), max(widths)
    return f"{plural(low, 'bit')} each" if low == high else f"{low} to {high} bits each"


def _delta_text(stream: deltas.Stream) -> str:
    found = stream.structure
    blocks = len(found.block_starts)
    if not blocks:
        return "(there is only the first, which is stored whole)"
    widths = found.bit_widths.reshape(-1)
    wanted = -(-(found.total_count - 1) // found.miniblock_size)
    widths = widths[: min(widths.size, wanted)]
    return f"in {plural(blocks, 'block')} of {found.block_size:,}, {_range(widths.tolist())}"


def _instead(page: Page, size: int) -> str:
    plain = plain_bytes(page)
    if plain is None:
        return ""
    if plain == size:
        return ", as many as in PLAIN"
    return f" instead of {plain:,} in PLAIN"
