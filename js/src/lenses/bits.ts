/** Draws bytes as bits: each group of bits has a colour and a name. The order is that of the specification's drawings:
 * the bytes in file order, in each byte the most significant bit on the left. */

import type { Context, Span } from "../context";
import { type Child, h, said } from "../dom";
import { count, plural } from "../text";
import type { Part } from "../wire/explain";
import "./bits.css";

export type { Part };

export type Group = Part["groups"][number];

/** Adjacent bits of one byte that belong to one group (or to none: -1). */
interface Piece {
  text: string;
  group: number;
  /** The largest piece of its group: it shows the label. */
  named: boolean;
}

/** The pieces of each byte, from the most significant bit down. */
export function pieces(part: Pick<Part, "shown" | "groups" | "order">): Piece[][] {
  const owner = new Int32Array(8 * part.shown.length).fill(-1);
  part.groups.forEach(({ start, end }, group) => {
    owner.fill(group, start, Math.min(end, owner.length));
  });
  const bytes = part.shown.map((byte, at) => {
    const piecesOfByte: Piece[] = [];
    for (let place = 7; place >= 0; place--) {
      const group = owner[8 * at + (part.order === "lsb" ? place : 7 - place)];
      const bit = String((byte >> place) & 1);
      const last = piecesOfByte.at(-1);
      if (last && last.group === group) last.text += bit;
      else piecesOfByte.push({ text: bit, group, named: false });
    }
    return piecesOfByte;
  });
  const largest = new Map<number, Piece>();
  for (const piece of bytes.flat()) {
    if (piece.group >= 0 && piece.text.length > (largest.get(piece.group)?.text.length ?? 0))
      largest.set(piece.group, piece);
  }
  for (const piece of largest.values()) piece.named = true;
  return bytes;
}

/** The bytes that a group lies in. */
export function groupSpan(part: Part, group: Group, space: string): Span {
  const [first, last] = [Math.floor(group.start / 8), Math.ceil(group.end / 8)];
  if (part.places.length)
    return { start: part.places[first], end: part.places[Math.max(first, last - 1)] + 1, space: space };
  return { start: part.at + first, end: part.at + last, space: space };
}

const SHADES = 4;

function shade(group: Group): string {
  if (group.role === "value" && group.value !== null) return `pqx-bit-value${group.value % SHADES}`;
  return `pqx-bit-${group.role}`;
}

/** A part: its name, its bytes or bits, a key to the colours, and the arithmetic. */
export function partView(ctx: Context, part: Part, space: string, more: Child[] = []): HTMLElement {
  const size = part.places.length ? 0 : part.end - part.start;
  const span: Span = { start: part.start, end: part.end, space: space };
  return h(
    "div",
    {
      class: "pqx-part",
      "data-part": part.name,
      "data-start": part.start,
      "data-end": part.end,
      onpointerenter: () => ctx.hot.emit(span),
    },
    h(
      "div",
      { class: "pqx-part-head" },
      h("strong", {}, part.name),
      size > 0 && bytesLink(ctx, `${plural(size, "byte")} at ${count(part.start)}`, span),
      ...more,
    ),
    h(
      "div",
      { class: "pqx-part-body" },
      part.shown.length > 0 && (part.form === "bits" ? bitsOf(ctx, part, space) : bytesOf(part)),
      part.form === "bits" && keyOf(part),
      ...part.says.map((line) => h("p", { class: "pqx-says" }, line)),
    ),
  );
}

/** A text that leads to its bytes. */
export function bytesLink(ctx: Context, text: string, span: Span): HTMLElement {
  const title = `Show ${plural(span.end - span.start, "byte")} at ${count(span.start)} in the bytes`;
  return h(
    "button",
    { class: "pqx-link pqx-to-bytes", title, onclick: () => ctx.reveal.emit(span) },
    ...said(text),
  );
}

function bitsOf(ctx: Context, part: Part, space: string): HTMLElement {
  const all = pieces(part);
  const rest = part.end - part.at - part.shown.length;
  return h(
    "div",
    { class: "pqx-bits", role: "img", "aria-label": spoken(part) },
    part.at > part.start && !part.places.length && h("span", { class: "pqx-muted pqx-rest" }, "…"),
    ...all.map((byte, at) =>
      h(
        "span",
        { class: "pqx-byte", "data-at": part.places[at] ?? part.at + at },
        h("small", { class: "pqx-byte-hex" }, part.shown[at].toString(16).padStart(2, "0")),
        h(
          "span",
          { class: "pqx-pieces" },
          ...byte.map((piece) => {
            const group = part.groups[piece.group] as Group | undefined;
            const inside = group?.role === "value";
            return h(
              "span",
              {
                class: `pqx-piece ${group ? shade(group) : "pqx-bit-none"}`,
                "data-value": group?.value ?? null,
                title: group ? `${group.label}: bits ${group.start} to ${group.end - 1}` : null,
                onpointerenter: group && (() => ctx.hot.emit(groupSpan(part, group, space))),
              },
              piece.text,
              inside && h("small", {}, piece.named ? fitting(group.label, piece.text.length) : "·"),
            );
          }),
        ),
      ),
    ),
    rest > 0 && !part.places.length && h("span", { class: "pqx-muted pqx-rest" }, `… ${count(rest)} more`),
  );
}

/** The label if it fits under so many bits. */
function fitting(label: string, bits: number): string {
  return label.length <= Math.max(1, Math.floor(bits * 1.15)) ? label : "·";
}

function bytesOf(part: Part): HTMLElement {
  const rest = part.end - part.at - part.shown.length;
  const text = part.form === "text";
  return h(
    "div",
    { class: "pqx-bytes-row", role: "img", "aria-label": spoken(part) },
    ...part.shown.map((byte, at) =>
      h(
        "span",
        { class: "pqx-byte", "data-at": part.places[at] ?? part.at + at },
        h("span", {}, byte.toString(16).padStart(2, "0")),
        text && h("small", {}, byte > 31 && byte < 127 ? String.fromCharCode(byte) : "·"),
      ),
    ),
    rest > 0 && !part.places.length && h("span", { class: "pqx-muted pqx-rest" }, `… ${count(rest)} more`),
  );
}

/** The names of the colours that have no label under the bits. */
function keyOf(part: Part): HTMLElement | null {
  const seen = new Map<string, string>();
  for (const group of part.groups)
    if (group.role !== "value" && group.label !== part.name)
      seen.set(`${shade(group)} ${group.label}`, group.label);
  if (!seen.size) return null;
  return h(
    "ul",
    { class: "pqx-bit-key" },
    ...[...seen].map(([id, label]) =>
      h("li", {}, h("i", { class: id.split(" ")[0], "aria-hidden": "true" }), label),
    ),
  );
}

function spoken(part: Part): string {
  const bytes = part.shown.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
  const groups = part.groups.slice(0, 40).map(({ label }) => label);
  return `${part.name}: bytes ${bytes}${groups.length ? `; ${groups.join(", ")}` : ""}`;
}
