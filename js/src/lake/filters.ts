/** The filters that are in force, as chips: each says what it leaves, and goes away with a click. */

import { h } from "../dom";
import { count, size } from "../text";
import type { LakeContext } from "./panels";

export type Conditions = Record<string, [number | null, number | null] | string | null>;

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
          "aria-label": `Take the filter away: ${told(name, ctx.conditions[name])}`,
          onclick: () => ctx.narrow({ [name]: null }),
        },
        `${told(name, ctx.conditions[name])} ×`,
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

function told(name: string, value: Conditions[string]): string {
  if (!Array.isArray(value)) return `${name} ${value}`;
  const [least, greatest] = value;
  const shown = (n: number) => (name === "size" ? size(n) : count(Math.round(n)));
  if (least === null) return `${name} to ${shown(greatest ?? 0)}`;
  return greatest === null ? `${name} from ${shown(least)}` : `${name} ${shown(least)} to ${shown(greatest)}`;
}
