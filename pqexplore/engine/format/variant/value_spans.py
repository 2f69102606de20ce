"""A Variant value as a tree of byte spans: every bit of every header, id, offset and value, with what it means.

This reader never raises for damaged bytes: a part that breaks a rule has the error, other parts stay readable, and the
children of a part always tile its bytes. The parts of a container are made on access, so that of a value with a million
elements only the parts that are shown take time. `decode` is the fast reader; it uses this one for values that are deep,
unusual or damaged.

Specification: "Value encoding" in https://github.com/apache/parquet-format/blob/master/VariantEncoding.md
"""

from __future__ import annotations

import numpy as np

from pqexplore.engine.arrays import Array
from pqexplore.engine.errors import CorruptFileError, LimitExceededError, ParquetError, UnsupportedFeatureError
from pqexplore.engine.format.variant import metadata as variant_metadata
from pqexplore.engine.format.variant import primitives, variant_types
from pqexplore.engine.format.variant.byte_parts import Bits, VariantPart
from pqexplore.engine.format.variant.metadata import Metadata, unsigned
from pqexplore.engine.lazy_sequence import LazySequence
from pqexplore.engine.limits import DEFAULT, Limits
from pqexplore.engine.text import clip


def read_value(
    metadata: bytes | memoryview | Metadata | None, buffer: bytes | memoryview, *, limits: Limits = DEFAULT
) -> VariantPart:
    """The parts of one value, which takes the whole buffer.

    Without usable metadata the value is still read: its fields have ids, but no names. `metadata` is None if it is not
    available, which is not an error of the value.
    """
    raw = bytes(buffer)
    known: Metadata | None = None
    failed: ParquetError | None = None
    try:
        if metadata is not None:
            known = variant_metadata.read(metadata)
            known.require_sorted()
    except ParquetError as problem:
        failed = problem
    root = _value(raw, 0, len(raw), known, 0, limits)
    if failed is not None and root.error is None:
        root.error = type(failed)(f"the metadata of this value is unusable: {failed.message}")
    return root


def _value(raw: bytes, start: int, end: int, known: Metadata | None, depth: int, limits: Limits) -> VariantPart:
    """The value in the bytes `[start, end)`."""
    part = VariantPart("value", "value", start, end)
    try:
        if end <= start:
            raise CorruptFileError("a Variant value is empty; it needs a header byte", offset=start)
        limits.check("variant_depth", depth, "a Variant value", offset=start)
        basic = raw[start] & 3
        part.type_name = variant_types.type_name(raw[start])
        if basic == variant_types.OBJECT or basic == variant_types.ARRAY:
            _container(part, raw, known, depth, limits)
        else:
            _primitive(part, raw)
    except ParquetError as problem:
        part.error = problem
        read = part.children[-1].end if part.children else start
        if not part.children and end > start and not isinstance(problem, LimitExceededError):
            part.children = (_header(raw, start),)
            read = start + 1
        if read < end:
            rest = VariantPart("unread", "bytes that cannot be read", read, end)
            part.children = (*part.children, rest)
    return part


def _header(raw: bytes, at: int) -> VariantPart:
    """The header byte of a value, bit by bit."""
    byte = raw[at]
    basic, rest = byte & 3, byte >> 2
    bits = [Bits("basic_type", 0, 1, basic, f"The value is of basic type {variant_types.BASIC_TYPES[basic]}.")]
    if basic == variant_types.PRIMITIVE:
        bits.append(Bits("primitive_header", 2, 7, rest, f"Its type is {variant_types.type_name(byte)}."))
    elif basic == variant_types.SHORT_STRING:
        bits.append(Bits("short_string_header", 2, 7, rest, f"Its UTF-8 takes {rest} bytes."))
    else:
        bits.append(Bits("field_offset_size_minus_one", 2, 3, rest & 3, f"Offsets take {(rest & 3) + 1} bytes."))
        at_large = 4
        if basic == variant_types.OBJECT:
            ids = rest >> 2 & 3
            bits.append(Bits("field_id_size_minus_one", 4, 5, ids, f"Field ids take {ids + 1} bytes."))
            at_large = 6
        large = byte >> at_large & 1
        bits.append(Bits("is_large", at_large, at_large, large, f"num_elements takes {4 if large else 1} bytes."))
        if at_large < 7:
            bits.append(Bits("unused", at_large + 1, 7, byte >> at_large + 1, "No meaning."))
        else:
            bits.append(Bits("unused", 7, 7, byte >> 7, "No meaning."))
    name = variant_types.type_name(byte)
    return VariantPart("header", name, at, at + 1, byte, f"A value of type {name} begins.", bits=tuple(bits))


def _primitive(part: VariantPart, raw: bytes) -> None:
    """Fill in a primitive or short string."""
    start, end = part.start, part.end
    byte = raw[start]
    header = _header(raw, start)
    part.children = (header,)
    rest = byte >> 2
    if byte & 3 == variant_types.SHORT_STRING:
        stop, pieces = start + 1 + rest, [(start + 1, "data", "UTF-8.")]
        part.type_name = "string"
        part.meaning = "Text; short enough for its length to fit the header."
    elif rest >= len(variant_types.PRIMITIVES):
        part.value = variant_types.Unsupported(rest, raw[start + 1 : end])
        part.label = f"value of unknown primitive type {rest}"
        raise UnsupportedFeatureError(
            f"primitive type {rest} of a Variant value is not known; the last one known is "
            f"{variant_types.PRIMITIVES[-1].id} ({variant_types.PRIMITIVES[-1].name})",
            offset=start,
        )
    else:
        kind = variant_types.PRIMITIVES[rest]
        part.type_name, part.meaning = kind.name, kind.meaning
        stop, pieces = start + 1, [(start + 1, "data", kind.meaning)]
        if kind.width is None:
            if end - start < 5:
                raise CorruptFileError(f"a Variant {kind.name} ends inside its 4-byte length", offset=start)
            stop += 4 + int.from_bytes(raw[start + 1 : start + 5], "little")
            pieces = [(start + 1, "length", "Bytes that follow."), (start + 5, "data", kind.meaning)]
        else:
            stop += kind.width
            if rest in variant_types.DECIMAL_BYTES:
                pieces = [
                    (start + 1, "scale", "Digits after the decimal point."),
                    (start + 2, "unscaled", "The digits, as a two's complement integer."),
                ]
    if stop > end:
        raise CorruptFileError(
            f"a Variant {part.type_name} needs {stop - start:,} bytes, {end - start:,} are left", offset=start
        )
    part.value = primitives.decode(raw, start, stop)
    if byte & 3 == variant_types.PRIMITIVE and rest in variant_types.DECIMAL_DIGITS:
        digits = len(part.value.as_tuple().digits)
        if digits > variant_types.DECIMAL_DIGITS[rest]:
            part.meaning += f" It has {digits} digits; the type is for up to {variant_types.DECIMAL_DIGITS[rest]}."
    part.label = f"{part.type_name} {clip(repr(part.value), 80)}"
    ends = [start for start, _, _ in pieces[1:]] + [stop]
    small = ("length", "scale", "unscaled")
    part.children = (
        header,
        *(
            VariantPart(
                kind_,
                kind_,
                a,
                b,
                int.from_bytes(raw[a:b], "little", signed=kind_ == "unscaled") if kind_ in small else part.value,
                meaning,
            )
            for (a, kind_, meaning), b in zip(pieces, ends, strict=True)
            if b > a
        ),
    )
    if stop < end:
        raise CorruptFileError(
            f"a Variant {part.type_name} ends at byte {stop:,}, and {end - stop:,} bytes follow that nothing claims",
            offset=stop,
        )


def _container(part: VariantPart, raw: bytes, known: Metadata | None, depth: int, limits: Limits) -> None:
    """Fill in an object or array: its numbers now, its values on access."""
    start, end = part.start, part.end
    layout = primitives.container(raw, start, end)
    count, base = layout.count, layout.values
    part.children = children = [_header(raw, start)]
    part.value = count
    part.label = f"{part.type_name} of {count:,}"
    at = start + 1
    children.append(VariantPart("num_elements", f"{count:,} elements", at, layout.ids, count, "How many values."))
    offsets = unsigned(raw, layout.offsets, count + 1, layout.offset_size)
    keys: list[str | None] | None = None
    if part.type_name == "object":
        part.meaning = "Fields in the order of their names."
        ids = unsigned(raw, layout.ids, count, layout.id_size)
        keys = _keys(part, ids, layout, known)
        part.keys = [f"<field id {ids[i]}>" if k is None else k for i, k in enumerate(keys)]
        if count:
            children.append(
                VariantPart(
                    "field_ids",
                    f"{count:,} field ids",
                    layout.ids,
                    layout.offsets,
                    meaning="Which string of the metadata names each field, in the order of the names.",
                    children=LazySequence(
                        count,
                        lambda i: VariantPart(
                            "field_id",
                            f"id {ids[i]} = {keys[i]!r}",
                            layout.ids + layout.id_size * i,
                            layout.ids + layout.id_size * (i + 1),
                            int(ids[i]),
                            f"Field {i} is named {keys[i]!r}.",
                            name=keys[i],
                        ),
                    ),
                )
            )
    else:
        part.meaning = "Elements in their order."
    children.append(
        VariantPart(
            "field_offsets",
            f"{count + 1:,} offsets",
            layout.offsets,
            base,
            meaning="Where each value starts, counted from the first byte of the values, and where the last one ends.",
            children=LazySequence(
                count + 1,
                lambda i: VariantPart(
                    "field_offset",
                    f"offset {i} = {offsets[i]}",
                    layout.offsets + layout.offset_size * i,
                    layout.offsets + layout.offset_size * (i + 1),
                    int(offsets[i]),
                    f"Value {i} starts at byte {base + int(offsets[i]):,}."
                    if i < count
                    else "The byte after the last value.",
                ),
            ),
        )
    )
    total = int(offsets[-1])
    problem = _offset_problem(offsets, base, end, layout)
    if problem is not None:
        raise problem
    # Values lie in any order: each one ends where the next in position begins.
    order = np.argsort(offsets[:-1], kind="stable")
    rank = np.empty(count, np.int64)
    rank[order] = np.arange(count)
    edges = np.append(offsets[order], total).astype(np.int64)

    def item(i: int) -> VariantPart:
        position = int(rank[i])
        first, last = base + int(edges[position]), base + int(edges[position + 1])
        child = _value(raw, first, last, known, depth + 1, limits)
        child.name = keys[i] if keys is not None else None
        child.label = f"{f'[{i}]' if part.keys is None else part.keys[i]}: {child.label}"
        return child

    part.items = LazySequence(count, item)
    if count:
        children.append(
            VariantPart(
                "values",
                f"{count:,} values",
                base,
                base + total,
                meaning="The values, in any order.",
                children=LazySequence(count, lambda p: item(int(order[p]))),
            )
        )
    if base + total < end:
        raise CorruptFileError(
            f"a Variant {part.type_name} ends at byte {base + total:,}, and {end - base - total:,} bytes follow that "
            "nothing claims",
            offset=base + total,
        )


def _keys(part: VariantPart, ids: Array, layout: primitives.Container, known: Metadata | None) -> list[str | None]:
    """The names of an object's fields; the first broken rule becomes the part's error."""
    if known is None:
        return [None] * len(ids)
    names = known.names
    keys = [names[i] if i < len(names) else None for i in ids.tolist()]
    for i, key in enumerate(keys):
        at = layout.ids + layout.id_size * i
        if key is None:
            part.error = CorruptFileError(
                f"field {i} of a Variant object has id {ids[i]}, the metadata has {len(names):,} names", offset=at
            )
            break
        before = keys[i - 1] if i else None
        if before is not None and key <= before:
            same = "occurs twice" if key == before else f"comes after {before!r}"
            part.error = CorruptFileError(
                f"field {i} of a Variant object, {key!r}, {same}; names must be unique and in the order of their bytes",
                offset=at,
            )
            break
    return keys


def _offset_problem(offsets: Array, base: int, end: int, layout: primitives.Container) -> CorruptFileError | None:
    """What is wrong with the offsets of a container: each value must have bytes of its own. None if nothing."""

    def wrong(index: int, why: str) -> CorruptFileError:
        return CorruptFileError(
            f"offset {index} of a Variant container is {offsets[index]:,}: {why}",
            offset=layout.offsets + layout.offset_size * index,
        )

    count, total = layout.count, int(offsets[-1])
    if total > end - base:
        return wrong(count, f"the values would end beyond the {end - base:,} bytes that are left")
    if count == 0:
        return wrong(0, "a container without elements has no values") if total else None
    outside = np.flatnonzero(offsets[:-1] >= total)
    if len(outside):
        return wrong(int(outside[0]), f"the values end at {total:,}")
    order = np.argsort(offsets[:-1], kind="stable")
    if offsets[order[0]] != 0:
        return wrong(int(order[0]), "no value starts at 0")
    same = np.flatnonzero(np.diff(offsets[order]) == 0)
    if len(same):
        return wrong(int(order[same[0] + 1]), "another value starts there, too")
    return None
