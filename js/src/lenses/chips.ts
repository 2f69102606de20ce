/** Short facts in a row. */

import { h } from "../dom";

/** A short fact: its name and its value, also as a pair of texts. */
type Chip = { name: string; value: string } | [string, string];

/** Short facts in a line: name, value. */
export function chips(facts: Chip[]): HTMLElement {
  return h(
    "dl",
    { class: "pqx-facts-line" },
    ...facts.map((fact) => {
      const [name, value] = Array.isArray(fact) ? fact : [fact.name, fact.value];
      return h("div", {}, h("dt", {}, name), h("dd", {}, value));
    }),
  );
}
