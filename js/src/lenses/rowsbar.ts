/** The bar above the rows: pages through them, and a condition that leaves only those that meet it. */

import { type Child, fill, h } from "../dom";

export interface Doing {
  /** Show the page before (-1) or after (1), the first (-2) or the last one (2). */
  turn(to: -2 | -1 | 1 | 2): void;
  /** Show a row of the file by its number. */
  go(row: number): void;
  /** Show only rows that meet a condition. */
  filter(where: string): void;
}

export class RowsBar {
  readonly el: HTMLElement;
  #where: HTMLInputElement;
  #go: HTMLInputElement;
  #shown = h("span", { class: "pqx-muted pqx-rows-shown" });
  #status = h("span", { class: "pqx-rows-status", role: "status" });

  constructor(does: Doing, first: number, last: number, where: string, saved: boolean) {
    const turn = (sign: string, label: string, to: -2 | -1 | 1 | 2) =>
      h(
        "button",
        { class: "pqx-button", "aria-label": label, title: label, onclick: () => does.turn(to) },
        sign,
      );
    this.#go = h("input", {
      class: "pqx-number",
      type: "number",
      min: first,
      max: last,
      "aria-label": "Go to row",
      onchange: () => does.go(Math.max(first, Math.min(last, Math.round(Number(this.#go.value) || 0)))),
    });
    this.#where = h("input", {
      class: "pqx-input",
      type: "text",
      spellcheck: "false",
      placeholder: "condition, such as x > 5",
      "aria-label": "Only rows that meet a condition",
    });
    this.#where.value = where;
    this.el = h(
      "div",
      { class: "pqx-bar pqx-rows-bar" },
      turn("«", "First rows", -2),
      turn("‹", "Rows before", -1),
      this.#shown,
      turn("›", "Rows after", 1),
      turn("»", "Last rows", 2),
      h("label", {}, "row ", this.#go),
      !saved &&
        h(
          "form",
          {
            class: "pqx-rows-form",
            onsubmit: (event: Event) => {
              event.preventDefault();
              does.filter(this.#where.value.trim());
            },
          },
          this.#where,
          h("button", { class: "pqx-button", type: "submit" }, "only these"),
        ),
      this.#status,
    );
  }

  /** The condition that is typed. */
  set where(text: string) {
    this.#where.value = text;
  }

  /** Which rows are shown, in words. */
  set shown(text: string) {
    fill(this.#shown, text);
  }

  /** What is shown instead of all rows, with its buttons; nothing for all rows. */
  say(...parts: Child[]): void {
    fill(this.#status, ...parts);
  }
}
