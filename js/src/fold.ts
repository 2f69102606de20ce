/** What most people do not look at: folded, with its gist beside its title. Whether it is open is kept for the notebook. */

import "./fold.css";
import { type Child, h } from "./dom";
import { isUnfolded, keepFold } from "./kept";

export function fold(name: string, title: string, gist: Child, ...content: HTMLElement[]): HTMLElement {
  const el = h(
    "details",
    { class: "pqx-fold", "aria-label": title, "data-fold": name, open: isUnfolded(name) },
    h("summary", {}, h("strong", {}, title), " ", h("span", { class: "pqx-muted" }, gist)),
    ...content,
  );
  el.addEventListener("toggle", () => keepFold(name, el.open));
  return el;
}
