/** The two stored byte strings of a Variant in their parts, with every header bit. */

import type { Context } from "../context";
import { h } from "../dom";
import { plural } from "../text";
import type { Bits, Part, Stored } from "../wire/variant";

type Select = (address: string) => void;

/** One of the byte strings: its name, and its parts; the selected part is marked. */
export function storedView(one: Stored, selected: string, ctx: Context, select: Select): HTMLElement {
  const { address } = one;
  const title = h(
    "p",
    { class: "pqx-variant-title" },
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
      { class: "pqx-variant-parts", "aria-label": `Parts of ${one.name}` },
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
    h("code", { class: "pqx-variant-hex" }, part.hex),
    h(
      "span",
      { class: "pqx-variant-label", style: `--depth: ${Math.min(part.depth, 12)}` },
      part.label,
      part.error && h("span", { class: "pqx-variant-wrong" }, ` ${part.error}`),
    ),
  ];
  return h(
    "li",
    {},
    h(
      "button",
      {
        class: "pqx-variant-part",
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

/** A header byte, the highest bit at the left, one item for each of its fields. */
function bits(all: Bits[]): HTMLElement {
  return h(
    "ul",
    { class: "pqx-variant-bits", "aria-label": "Bits, the highest first" },
    ...all.map((group) =>
      h(
        "li",
        { "data-bits": group.name },
        h("code", {}, group.digits),
        h("span", {}, `${group.name} = ${group.value} `, h("small", {}, group.meaning)),
      ),
    ),
  );
}
