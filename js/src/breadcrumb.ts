/** The path from the file to the selected node; each step is a link. */

import type { Context, Detail } from "./context";
import { fill, h } from "./dom";
import { showMore } from "./more";
import { nodeName, pathName } from "./pathname";

export class Breadcrumb {
  readonly el: HTMLElement;
  #list = h("ol");
  #address = h("code", { class: "pqx-address" });
  #ctx: Context;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    showMore(this.#list);
    this.el = h("nav", { class: "pqx-crumbs", "aria-label": "Place in the file" }, this.#list, this.#address);
  }

  show(detail: Detail): void {
    const last = detail.path.length - 1;
    fill(
      this.#list,
      ...detail.path.map((step, i) =>
        h(
          "li",
          { title: step.label },
          i === last
            ? h("span", { "aria-current": "location" }, nodeName(step))
            : h(
                "button",
                {
                  class: "pqx-link",
                  "aria-label": step.label,
                  onclick: () => this.#ctx.select(step.address),
                },
                nodeName(step),
              ),
        ),
      ),
    );
    this.#list.scrollLeft = this.#list.scrollWidth; // where they scroll, the last ones are seen
    this.#address.title = detail.address;
    fill(this.#address, pathName(detail.address, ""));
  }
}
