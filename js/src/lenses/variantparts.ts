/** The two stored byte strings of a Variant in their parts, with every header bit. */

import type { Context, Span } from "../context";
import { h } from "../dom";
import { plural } from "../text";
import { bitGroups } from "./variantbits";

interface Bits {
  name: string;
  first: number;
  last: number;
  value: number;
  meaning: string;
}

interface Part {
  kind: string;
  label: string;
  depth: number;
  start: number;
  end: number;
  hex: string;
  meaning: string;
  bits: Bits[];
  error: string;
  address: string | null;
  span: Span | null;
}

export interface Stored {
  name: string;
  bytes: number;
  address: string | null;
  why: string;
  parts: Part[];
  left?: number;
}

type Select = (address: string) => void;

/** One of the byte strings: what it is called, and its parts, of which the selected one is marked. */
export function storedView(one: Stored, selected: string, ctx: Context, select: Select): HTMLElement {
  const { address } = one;
  const title = h(
    "p",
    { class: "pqx-var-title" },
    address
      ? h("button", { class: "pqx-link", onclick: () => select(address) }, one.name)
      : h("strong", {}, one.name),
    one.why ? ` ${one.why}` : ` as stored, ${plural(one.bytes, "byte")}`,
  );
  return h(
    "div",
    {},
    title,
    h(
      "ol",
      { class: "pqx-var-parts", "aria-label": `Parts of ${one.name}` },
      ...one.parts.map((part) => partView(part, selected, ctx, select)),
    ),
    one.left ? h("p", { class: "pqx-muted" }, `${plural(one.left, "part")} more`) : null,
  );
}

function partView(part: Part, selected: string, ctx: Context, select: Select): HTMLElement {
  const { address, span } = part;
  const point = () => ctx.hot.emit(span);
  const leave = () => ctx.hot.emit(null);
  const line = [
    h("code", { class: "pqx-var-hex" }, part.hex),
    h(
      "span",
      { class: "pqx-var-label", style: `--depth: ${Math.min(part.depth, 12)}` },
      part.label,
      part.error && h("span", { class: "pqx-var-wrong" }, ` ${part.error}`),
    ),
  ];
  return h(
    "li",
    {},
    h(
      "button",
      {
        class: "pqx-var-part",
        "data-kind": part.kind,
        tabindex: -1,
        title: part.meaning,
        "aria-current": address !== null && address === selected ? "true" : null,
        onclick: () => address && select(address),
        onpointerenter: point,
        onfocus: point,
        onpointerleave: leave,
        onblur: leave,
      },
      ...line,
    ),
    part.bits.length ? bits(part.bits) : null,
  );
}

/** A header byte, the highest bit at the left, cut where its fields are. */
function bits(all: Bits[]): HTMLElement {
  return h(
    "ul",
    { class: "pqx-var-bits", "aria-label": "Bits, the highest first" },
    ...bitGroups(all).map((group) =>
      h(
        "li",
        { "data-bits": group.name },
        h("code", {}, group.digits),
        h("span", {}, `${group.name} = ${group.value} `, h("small", {}, group.meaning)),
      ),
    ),
  );
}
