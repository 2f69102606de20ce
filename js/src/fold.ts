/** What most people do not look at: folded, with its gist beside its title. Whether it is open is kept for the notebook. */

import "./fold.css";
import { type Child, h } from "./dom";
import { isUnfolded, keepFold } from "./kept";

export function fold(name: string, title: string, gist: Child, ...content: HTMLElement[]): HTMLElement {
  const el: HTMLDetailsElement = h(
    "details",
    { class: "pqx-fold", "aria-label": title, "data-fold": name, open: isUnfolded(name) },
    h(
      "summary",
      // A toggle event comes later: the page may be gone by then.
      { onclick: () => keepFold(name, !el.open) },
      h("strong", {}, title),
      " ",
      h("span", { class: "pqx-muted" }, gist),
    ),
    ...content,
  );
  return el;
}
