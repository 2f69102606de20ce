/** The legend of the map: the look of each class, how many bytes it has, and a switch that shows its tiles alone. */

import { paletteSwatch } from "./chip";
import type { Colouring } from "./colouring";
import { type Child, fill, focusBeside, h } from "./dom";
import type { Layout } from "./layout";
import type { Palette } from "./paint";
import { count, plural, size } from "./text";

interface Totals {
  bytes: Float64Array;
  tiles: Uint32Array;
}

/** Bytes of each class, and how many tiles. */
function totalsOf(layout: Layout, { looks, code }: Colouring): Totals {
  const bytes = new Float64Array(looks.length);
  const tiles = new Uint32Array(looks.length);
  for (let i = 0; i < layout.length; i++) {
    bytes[code[i]] += layout.end(i) - layout.start[i];
    tiles[code[i]]++;
  }
  return { bytes, tiles };
}

/** An entry for each class that the map has; `toggle` shows one alone. By findings, their own entries are the switches. */
export function legendItems(
  layout: Layout,
  colouring: Colouring,
  { plain }: Palette,
  only: string,
  toggle: (key: string) => void,
): (HTMLElement | null)[] {
  const { bytes, tiles } = totalsOf(layout, colouring);
  const items = colouring.looks.map((look, i) => {
    if (!tiles[i] || (colouring.by === "findings" && i)) return null;
    const share = (bytes[i] / Math.max(1, layout.size)) * 100;
    const chunks = colouring.by === "kind" && i === 0 && layout.level === "chunks";
    const key = String(i);
    return h(
      "li",
      {},
      h(
        "button",
        {
          class: "pqx-key",
          "data-key": key,
          "aria-pressed": String(only === key),
          title: `${plural(tiles[i], "tile")}, ${count(bytes[i])} bytes; a click shows these alone`,
          onclick: () => toggle(key),
        },
        paletteSwatch(look, plain[i]),
        ` ${chunks ? "column chunks" : look.name} `,
        h("span", { class: "pqx-muted" }, `${size(bytes[i])}, ${share.toFixed(share < 9.95 ? 1 : 0)} %`),
      ),
    );
  });
  // what the question is not about comes last
  return colouring.looks[0].quiet ? [...items.slice(1), items[0]] : items;
}

/** The legend's line: it scrolls sideways, and a button shows where it goes on. */
export class Legend {
  readonly el: HTMLElement;
  #list = h("ul", { class: "pqx-legend", "aria-label": "Legend", onscroll: () => this.#cue() });
  // with the keyboard, the focus scrolls the line
  #further = h(
    "button",
    {
      class: "pqx-button pqx-further",
      tabindex: -1,
      "aria-hidden": "true",
      onclick: () => this.#list.scrollBy({ left: this.#list.clientWidth * 0.8 }),
    },
    "›",
  );

  constructor() {
    this.el = h("div", { class: "pqx-legend-line" }, this.#list, this.#further);
  }

  /** Show other entries; the one with the focus keeps it. */
  show(items: Child[], ordered: boolean): void {
    const focused = focusBeside(this.#list);
    const key = focused && this.#list.contains(focused) ? focused.dataset.key : undefined;
    fill(this.#list, ...items);
    this.#list.classList.toggle("pqx-scale", ordered);
    if (key !== undefined) this.#list.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
    this.#cue();
  }

  /** The button keeps its place at the end of the line: what is pointed at must not move by a scroll's last step. */
  #cue(): void {
    const { scrollLeft, clientWidth, scrollWidth } = this.#list;
    this.#further.hidden = scrollWidth <= this.el.clientWidth;
    this.#further.style.visibility = scrollLeft + clientWidth >= scrollWidth - 1 ? "hidden" : "";
  }
}
