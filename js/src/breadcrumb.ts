/** The path from the file to the selected node; each step is a link. */

import type { Context, Detail } from "./context";
import { fill, h } from "./dom";

export class Breadcrumb {
  readonly el: HTMLElement;
  #list = h("ol");
  #address = h("code", { class: "pqx-address" });
  #ctx: Context;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.el = h("nav", { class: "pqx-crumbs", "aria-label": "Place in the file" }, this.#list, this.#address);
  }

  show(detail: Detail): void {
    const last = detail.path.length - 1;
    fill(
      this.#list,
      ...detail.path.map((step, i) =>
        h(
          "li",
          {},
          i === last
            ? h("span", { "aria-current": "location" }, step.label)
            : h("button", { class: "pqx-link", onclick: () => this.#ctx.select(step.address) }, step.label),
        ),
      ),
    );
    fill(this.#address, detail.address);
  }
}
