/** The indexes of a Metadatastore: their columns, how many objects each covers, how full its Bloom filters are. */

import { append, h } from "../dom";
import type { Lens } from "../lenses/lens";
import { count } from "../text";
import type { Picture } from "../wire/objects";

export const objects: Lens = {
  mount(el, picture: Picture) {
    append(el, [
      h(
        "ul",
        { class: "pqx-indexes", "aria-label": "Indexes" },
        ...picture.indexes.map((index) =>
          h(
            "li",
            { "data-column": index.column, "data-known": index.known },
            h("strong", {}, index.kind),
            h("span", {}, ` on ${index.on}`),
            h(
              "span",
              { class: "pqx-muted" },
              index.locked
                ? ` encrypted: ${index.locked}`
                : ` ${count(index.known)} of ${count(picture.objects)} objects`,
            ),
            ...(index.fills.length ? fillsOf(index.fills) : []),
          ),
        ),
      ),
    ]);
    return { dispose: () => {} };
  },
};

/** How full each object's filter is, one bar each. A filter that is more than half full says "may be there" too often. */
function fillsOf(fills: number[]): (HTMLElement | string)[] {
  const full = fills.filter((fill) => fill > 0.5).length;
  const mean = fills.reduce((sum, fill) => sum + fill, 0) / fills.length;
  const said = `filters ${mean && mean < 0.005 ? "below 1" : (mean * 100).toFixed(0)} % full on average, ${full} of ${fills.length} more than half`;
  return [
    h(
      "span",
      { class: "pqx-fills-of", role: "img", "aria-label": said },
      ...fills
        .slice(0, 120)
        .map((fill) =>
          h("i", { class: fill > 0.5 ? "pqx-full" : "", style: `height: ${Math.max(4, fill * 100)}%` }),
        ),
    ),
    h("span", { class: "pqx-muted", "aria-hidden": "true" }, ` ${said}`),
  ];
}
