/** The legend of the strips: the kinds of steps of an encoding, how many of each, and their bytes. */

import { h } from "../dom";
import { plural } from "../text";
import type { Kind } from "../wire/encoding";
import { styleOf } from "./strip";

export function stepKinds(used: Kind[]): HTMLElement {
  return h(
    "ul",
    { class: "pqx-step-kinds" },
    ...used.map((kind) => {
      const style = styleOf(kind.name);
      return h(
        "li",
        {
          title: kind.meaning,
          "data-yields": kind.yields,
          "data-kind": kind.name,
          "data-steps": kind.steps,
          "data-bytes": kind.bytes,
        },
        h("i", {
          class: `pqx-step-swatch pqx-${style.shape}`,
          style: `--pqx-tone: ${style.colour}`,
          "aria-hidden": "true",
        }),
        h("strong", {}, plural(kind.steps, kind.name)),
        kind.bytes > 0 && ` ${plural(kind.bytes, "byte")}`,
        kind.values > 0 && kind.values !== kind.steps
          ? `, ${plural(kind.values, kind.yields === "values" ? "value" : "length")}`
          : null,
      );
    }),
  );
}
