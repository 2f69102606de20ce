/** The selected node, shown by one of its lenses. */

import type { Context, Detail } from "./context";
import { fill, h, uniqueId } from "./dom";
import { Frame } from "./lenses/frame";
import type { Shown } from "./lenses/lens";
import { showMore } from "./more";
import { revealTab, stepTabs } from "./tabs";
import { troubleBox, troubleOf } from "./trouble";
import type { Tab } from "./wire/tree";

export class DetailPane {
  readonly el: HTMLElement;
  #ctx: Context;
  #tabs = h("div", { class: "pqx-tabs", role: "tablist", "aria-label": "Lenses" });
  #panel: HTMLElement;
  #shown: Shown | null = null;
  #lens = "";
  #id = uniqueId("lens");
  #stops: (() => void)[];

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#panel = h("div", { class: "pqx-panel", role: "tabpanel", id: this.#id });
    this.#tabs.addEventListener("keydown", (event) => stepTabs(this.#tabs, event));
    this.el = h("section", { class: "pqx-detail", "aria-label": "Detail" }, this.#tabs, this.#panel);
    const resized = new ResizeObserver(() => revealTab(this.#tabs)); // also when a narrow page shows this part again
    resized.observe(this.#tabs);
    this.#stops = [showMore(this.#tabs), showMore(this.#panel), () => resized.disconnect()];
  }

  show(detail: Detail): void {
    fill(this.#tabs, ...detail.lenses.map((lens) => this.#tab(lens, lens.name === detail.lens)));
    revealTab(this.#tabs);
    this.#panel.setAttribute(
      "aria-label",
      detail.lenses.find((l) => l.name === detail.lens)?.title ?? "Detail",
    );
    if (
      !detail.trouble &&
      detail.lens === this.#lens &&
      this.#shown?.follow?.(detail, detail.payload as never)
    )
      return;
    this.#shown?.dispose();
    this.#shown = null;
    this.#panel.replaceChildren();
    this.#panel.scrollTop = 0;
    this.#lens = detail.lens;
    if (detail.trouble) {
      this.#panel.append(troubleBox(this.#ctx, detail.trouble));
      return;
    }
    this.#shown = new Frame(this.#panel, this.#ctx, detail);
  }

  /** The node itself could not be read. */
  fail(error: unknown, again: () => void): void {
    this.#shown?.dispose();
    this.#shown = null;
    this.#tabs.replaceChildren();
    fill(this.#panel, troubleBox(this.#ctx, troubleOf(error), again));
  }

  busy(on: boolean): void {
    this.el.setAttribute("aria-busy", String(on));
  }

  dispose(): void {
    for (const stop of this.#stops) stop();
    this.#shown?.dispose();
  }

  /** A tab whose lens has nothing to show of the node is muted and says why; it can be opened all the same. */
  #tab({ name, title, empty }: Tab, selected: boolean): HTMLElement {
    return h(
      "button",
      {
        class: `pqx-tab${empty ? " pqx-tab-empty" : ""}`,
        title: empty || null,
        role: "tab",
        "aria-selected": String(selected),
        "aria-controls": this.#id,
        tabindex: selected ? 0 : -1,
        "data-lens": name,
        onclick: () => this.#ctx.prefer(name),
      },
      title,
      empty && h("span", { class: "pqx-hidden" }, ", empty"),
    );
  }
}
