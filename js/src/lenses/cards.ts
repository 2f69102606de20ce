/** What to mend: the findings of the doctor as cards, the worst first. */

import "./cards.css";
import type { Context } from "../context";
import { copyButton } from "../copy";
import { h } from "../dom";
import { plural } from "../text";
import type { Card } from "../wire/overview";

const SIGNS: Record<string, string> = {
  damage: "✗",
  "wrong answer possible": "≠",
  slow: "◷",
  wasteful: "▧",
  portability: "⇄",
  note: "i",
};

/** The cards; null if there is nothing to mend. */
export function cards(ctx: Context, picture: { cards: Card[]; more: number }): HTMLElement | null {
  if (!picture.cards.length) return null;
  return h(
    "div",
    { class: "pqx-cards", role: "group", "aria-label": "What to mend" },
    h("h4", {}, "What to mend"),
    h("ol", {}, ...picture.cards.map((one) => cardOf(ctx, one))),
    picture.more > 0 && h("p", { class: "pqx-muted" }, `and ${plural(picture.more, "more finding")}`),
  );
}

function cardOf(ctx: Context, one: Card): HTMLElement {
  return h(
    "li",
    { class: "pqx-card", "data-rule": one.rule, "data-severity": one.severity },
    h(
      "span",
      { class: "pqx-card-severity" },
      h("span", { "aria-hidden": "true" }, SIGNS[one.severity] ?? "!"),
      one.severity,
    ),
    h("p", {}, one.sentence),
    one.cost !== "" && h("p", { class: "pqx-muted" }, `Costs: ${one.cost}.`),
    one.fix !== "" && h("p", {}, h("strong", {}, "To do: "), one.fix),
    h(
      "span",
      { class: "pqx-card-buttons" },
      h(
        "button",
        { class: "pqx-button", onclick: () => ctx.select(one.address), "aria-label": `Show ${one.rule}` },
        "show me",
      ),
      one.remedies.length > 0 && h("span", { class: "pqx-muted" }, "copy the code for"),
      ...one.remedies.map((remedy) =>
        copyButton(
          ctx,
          remedy.writer,
          `Copy the code for ${remedy.writer}: ${remedy.code}`,
          async () => remedy.code,
        ),
      ),
    ),
  );
}
