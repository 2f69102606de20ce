/** The path from the file to the selected node: each step is a link, and beside it is the list of its level. */

import type { Context, Detail } from "./context";
import { fill, h } from "./dom";
import { Level } from "./level";
import { showMore } from "./more";
import { nodeName, pathName, spokenName } from "./pathname";

export class Breadcrumb {
  readonly el: HTMLElement;
  #list = h("ol");
  #address = h("code", { class: "pqx-address" });
  #ctx: Context;
  #level: Level;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#level = new Level(ctx);
    showMore(this.#list);
    this.el = h(
      "nav",
      { class: "pqx-crumbs", "aria-label": "Place in the file" },
      this.#list,
      this.#address,
      this.#level.menu.el,
    );
  }

  show(detail: Detail): void {
    const { path } = detail;
    const last = path.length - 1;
    fill(
      this.#list,
      ...path.map((step, i) =>
        h(
          "li",
          { title: step.label },
          i === last
            ? h("span", { "aria-current": "location" }, nodeName(step))
            : h(
                "button",
                {
                  class: "pqx-link",
                  "aria-label": spokenName(step),
                  onclick: () => this.#ctx.select(step.address),
                },
                nodeName(step),
              ),
          i > 0 && this.#level.button(path[i - 1].address, step),
        ),
      ),
    );
    this.#list.scrollLeft = this.#list.scrollWidth; // where they scroll, the last ones are seen
    this.#address.title = detail.address;
    fill(this.#address, pathName(detail.address, ""));
  }
}
