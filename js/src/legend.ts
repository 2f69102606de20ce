/** The legend of the map: colours, patterns and letters, and how many bytes each kind has. */

import { swatch } from "./chip";
import { h } from "./dom";
import { FAMILIES } from "./kinds";
import type { Layout } from "./layout";
import { count, plural, size } from "./text";

export function legendItems(layout: Layout): (HTMLElement | null)[] {
  const { bytes, tiles } = layout.totals();
  return FAMILIES.map((family, i) => {
    if (!tiles[i]) return null;
    const share = (bytes[i] / Math.max(1, layout.size)) * 100;
    const name = i === 0 && layout.level === "chunks" ? "column chunks" : family.name;
    return h(
      "li",
      { title: `${plural(tiles[i], "tile")}, ${count(bytes[i])} bytes` },
      swatch(family, "pqx-swatch", family.letter),
      ` ${name} `,
      h("span", { class: "pqx-muted" }, `${size(bytes[i])}, ${share.toFixed(share < 9.95 ? 1 : 0)} %`),
    );
  });
}
