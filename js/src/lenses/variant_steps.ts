/** The steps that build a shredded Variant from its columns. */

import type { Context } from "../context";
import { h } from "../dom";
import { roveRows } from "../rove";
import type { Step } from "../wire/variant";

const SOURCES = {
  typed: "in its column",
  binary: "in value",
  both: "in both",
  mixed: "in both",
  none: "not there",
};

/** From the innermost groups to the whole Variant, the last step first in the tab order. */
export function stepsView(ctx: Context, steps: Step[]): HTMLElement {
  if (!steps.length)
    return h("p", { class: "pqx-muted" }, "There are no steps to show: see the broken rules.");
  const list = h(
    "ol",
    {
      class: "pqx-variant-steps",
      "aria-label": "Steps from the innermost columns to the whole Variant",
      onkeydown: (event: KeyboardEvent) => roveRows(event, ".pqx-variant-step"),
    },
    ...steps.map((step, i) =>
      h(
        "li",
        { "data-source": step.source },
        h(
          "button",
          {
            class: "pqx-variant-step",
            tabindex: i === steps.length - 1 ? 0 : -1,
            onclick: () => step.address && ctx.select(step.address),
          },
          h(
            "span",
            { class: "pqx-variant-path" },
            h("strong", {}, step.path),
            h(
              "span",
              { class: `pqx-variant-source pqx-variant-${step.source}` },
              step.error ? "broken" : SOURCES[step.source],
            ),
          ),
          h("code", {}, step.result),
          h("small", {}, step.sentence, step.column && h("span", { class: "pqx-muted" }, ` ${step.column}`)),
        ),
      ),
    ),
  );
  return h(
    "div",
    {},
    h("p", { class: "pqx-variant-title" }, h("strong", {}, "put together"), " from its columns"),
    list,
  );
}
