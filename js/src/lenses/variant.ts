/**
 * One Variant of a column: its JSON, the two stored byte strings in their parts with every header bit, and, where it is
 * shredded, how its columns put it together. A number and arrows choose the row.
 */

import type { Context, Detail } from "../context";
import { fill, h } from "../dom";
import { roveRows } from "../rove";
import { count, plural } from "../text";
import { troubleBox, troubleOf } from "../trouble";
import type { Lens, Shown } from "./index";
import { type Stored, storedView } from "./variantparts";
import { type Step, stepsView } from "./variantsteps";
import "./variant.css";

interface Row {
  row: number;
  null: boolean;
  json: string | null;
  said: string;
  problem: string;
  parts: Stored[];
  steps: Step[];
}

interface Problem {
  rule: string;
  row: number | null;
  path: string;
  message: string;
  specification: string;
}

interface Picture {
  address: string;
  column: string;
  offered: boolean;
  shredded: boolean;
  nested: boolean;
  row_group: number;
  row_groups: number;
  chunks: [string | null, string | null];
  rows: number;
  row: Row;
  problems: Problem[];
  more_problems: boolean;
}

export const variant: Lens = {
  mount: (el, picture, ctx, detail) => new VariantView(el, picture, ctx, detail),
};

class VariantView implements Shown {
  #ctx: Context;
  #picture: Picture;
  #row: Row;
  #number: HTMLInputElement;
  #room = h("div", { class: "pqx-var-room" });
  #wanted = -1;

  constructor(el: HTMLElement, picture: Picture, ctx: Context, detail: Detail) {
    this.#ctx = ctx;
    this.#picture = picture;
    this.#row = picture.row;
    this.#number = h("input", {
      type: "number",
      class: "pqx-var-number",
      min: 0,
      max: picture.rows - 1,
      value: picture.row.row,
      "aria-label": this.#what,
      onchange: () => void this.#go(Number(this.#number.value)),
      onkeydown: (event: KeyboardEvent) => event.key !== "Escape" && event.stopPropagation(),
    });
    el.append(h("div", { class: "pqx-var" }, this.#bar(), this.#problems(), this.#room));
    this.#draw(detail.address);
  }

  follow(detail: Detail, next: never): boolean {
    const picture = next as Picture;
    const same = picture.address === this.#picture.address && picture.row_group === this.#picture.row_group;
    if (!same) return false;
    this.#show(picture.row, detail.address);
    return true;
  }

  dispose(): void {
    this.#wanted = -1;
    this.#ctx.hot.emit(null);
  }

  get #what(): string {
    return this.#picture.nested ? "Variant of the row group" : "Row of the row group";
  }

  #bar(): HTMLElement {
    const { rows, row_group, row_groups, chunks, nested } = this.#picture;
    const turn = (at: 0 | 1, text: string, label: string) => {
      const address = chunks[at];
      return (
        address !== null &&
        h(
          "button",
          {
            class: "pqx-button",
            "aria-label": label,
            onclick: () => {
              this.#ctx.prefer("variant");
              this.#ctx.select(address);
            },
          },
          text,
        )
      );
    };
    return h(
      "div",
      { class: "pqx-var-bar", role: "group", "aria-label": "Which Variant" },
      h(
        "button",
        { class: "pqx-button", "aria-label": "row before", onclick: () => void this.#go(this.#row.row - 1) },
        "‹",
      ),
      h("label", {}, nested ? "Variant " : "row ", this.#number),
      h(
        "button",
        { class: "pqx-button", "aria-label": "next row", onclick: () => void this.#go(this.#row.row + 1) },
        "›",
      ),
      h("span", { class: "pqx-muted" }, `of ${count(rows)}`),
      h("span", { class: "pqx-space" }),
      row_groups > 1 && turn(0, "‹ row group", "row group before"),
      row_groups > 1 &&
        h("span", { class: "pqx-muted" }, `row group ${count(row_group)} of ${count(row_groups)}`),
      row_groups > 1 && turn(1, "row group ›", "next row group"),
    );
  }

  #problems(): HTMLElement | null {
    const { problems, more_problems } = this.#picture;
    if (!problems.length) return null;
    return h(
      "details",
      { class: "pqx-var-problems" },
      h("summary", {}, `${more_problems ? "more than " : ""}${plural(problems.length, "broken rule")}`),
      h(
        "ul",
        {},
        ...problems.map((problem) => {
          const { row } = problem;
          const where = row === null ? "schema" : `row ${count(row)}`;
          return h(
            "li",
            { title: problem.specification },
            row === null
              ? where
              : h("button", { class: "pqx-link", onclick: () => void this.#go(row) }, where),
            `, ${problem.path}: ${problem.message} `,
            h("code", {}, problem.rule),
          );
        }),
      ),
    );
  }

  async #go(row: number): Promise<void> {
    const { address, row_group, rows } = this.#picture;
    const wanted = Math.max(0, Math.min(rows - 1, Math.floor(row) || 0));
    this.#wanted = wanted;
    try {
      const { result } = await this.#ctx.rpc.call<Row>("variant_row", { address, row_group, row: wanted });
      if (this.#wanted === wanted) this.#show(result, "");
    } catch (error) {
      fill(this.#room, troubleBox(this.#ctx, troubleOf(error)));
    }
  }

  #show(row: Row, selected: string): void {
    this.#row = row;
    this.#number.value = String(row.row);
    this.#draw(selected);
    this.#ctx.announce(`row ${row.row}: ${row.json ?? row.said}`);
  }

  #draw(selected: string): void {
    const { shredded } = this.#picture;
    const row = this.#row;
    const stored = h(
      "div",
      {
        class: "pqx-var-stored",
        role: "group",
        "aria-label": "As stored",
        onkeydown: (event: KeyboardEvent) => roveRows(event, ".pqx-var-part"),
      },
      ...row.parts.map((one) => storedView(one, selected, this.#ctx, (address) => this.#select(address))),
    );
    fill(
      this.#room,
      h(
        "div",
        { class: "pqx-var-json", tabindex: 0, role: "region", "aria-label": "The Variant as JSON" },
        row.json === null ? "–" : row.json,
      ),
      (row.said || row.problem) &&
        h("p", { class: row.problem ? "pqx-var-wrong" : "pqx-muted" }, row.problem || row.said),
      h(
        "div",
        { class: shredded ? "pqx-var-two" : "pqx-var-one" },
        shredded && stepsView(this.#ctx, row.steps),
        row.parts.length ? stored : null,
      ),
    );
    this.#room.dataset.row = String(row.row);
    const first = this.#room.querySelector<HTMLElement>(".pqx-var-part[aria-current], .pqx-var-part");
    if (first) first.tabIndex = 0;
    this.#room.querySelector(".pqx-var-part[aria-current]")?.scrollIntoView?.({ block: "nearest" });
  }

  #select(address: string): void {
    this.#ctx.prefer("variant");
    this.#ctx.select(address);
  }
}
