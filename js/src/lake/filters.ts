/** The active filters as chips: each says which files it keeps, and a click removes it. */

import { h } from "../dom";
import { count, size } from "../text";
import type { Conditions, LakeContext } from "./context";

export function filterChips(ctx: LakeContext): (HTMLElement | string)[] {
  const names = Object.keys(ctx.conditions);
  if (!names.length) return [];
  return [
    h("span", { class: "pqx-muted" }, "only"),
    ...names.map((name) =>
      h(
        "button",
        {
          class: "pqx-button",
          "data-filter": name,
          "aria-label": `Remove the filter: ${describe(name, ctx.conditions[name])}`,
          onclick: () => ctx.narrow({ [name]: null }),
        },
        `${describe(name, ctx.conditions[name])} ×`,
      ),
    ),
    h(
      "button",
      {
        class: "pqx-link",
        onclick: () => ctx.narrow(Object.fromEntries(names.map((name) => [name, null]))),
      },
      "all files again",
    ),
  ];
}

function describe(name: string, value: Conditions[string]): string {
  if (!Array.isArray(value)) return `${name} ${value}`;
  const [min, max] = value;
  const shown = (n: number) => (name === "size" ? size(n) : count(Math.round(n)));
  if (min === null) return `${name} to ${shown(max ?? 0)}`;
  return max === null ? `${name} from ${shown(min)}` : `${name} ${shown(min)} to ${shown(max)}`;
}
