/** How the columns of a shredded Variant put it together, step by step. */

import type { Context } from "../context";
import { h } from "../dom";
import { roveRows } from "../rove";

export interface Step {
  path: string;
  source: "typed" | "binary" | "both" | "mixed" | "none";
  sentence: string;
  result: string;
  column: string;
  address: string | null;
  error: string;
}

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
    return h("p", { class: "pqx-muted" }, "There are no steps to tell: see the rules that are broken.");
  const list = h(
    "ol",
    {
      class: "pqx-var-steps",
      "aria-label": "Put together, from the innermost columns to the whole",
      onkeydown: (event: KeyboardEvent) => roveRows(event, ".pqx-var-step"),
    },
    ...steps.map((step, i) =>
      h(
        "li",
        { "data-source": step.source },
        h(
          "button",
          {
            class: "pqx-var-step",
            tabindex: i === steps.length - 1 ? 0 : -1,
            onclick: () => step.address && ctx.select(step.address),
          },
          h(
            "span",
            { class: "pqx-var-path" },
            h("strong", {}, step.path),
            h(
              "span",
              { class: `pqx-var-source pqx-var-${step.source}` },
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
    h("p", { class: "pqx-var-title" }, h("strong", {}, "put together"), " from its columns"),
    list,
  );
}
