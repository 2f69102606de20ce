/** The indexes of a Metadatastore: what each is on, how many objects it knows, how full its Bloom filters are. */

import { append, h } from "../dom";
import type { Lens } from "../lenses";
import { count } from "../text";

interface Indexed {
  column: string;
  kind: string;
  on: string;
  known: number;
  locked: string;
  fills: number[];
}

export const objects: Lens = {
  mount(el, picture: { indexes: Indexed[]; objects: number }) {
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
                ? ` locked: ${index.locked}`
                : ` ${count(index.known)} of ${count(picture.objects)} objects`,
            ),
            index.fills.length > 0 && fillsOf(index.fills),
          ),
        ),
      ),
    ]);
    return { dispose: () => {} };
  },
};

/** How full each object's filter is, a column each; a filter beyond one half says "may be there" too often. */
function fillsOf(fills: number[]): HTMLElement {
  const full = fills.filter((fill) => fill > 0.5).length;
  const mean = fills.reduce((sum, fill) => sum + fill, 0) / fills.length;
  return h(
    "span",
    {
      class: "pqx-fills-of",
      role: "img",
      "aria-label": `Bloom filters are ${(mean * 100).toFixed(0)} % full on average, ${full} of ${fills.length} more than half`,
    },
    ...fills
      .slice(0, 120)
      .map((fill) =>
        h("i", { class: fill > 0.5 ? "pqx-full" : "", style: `height: ${Math.max(4, fill * 100)}%` }),
      ),
  );
}
