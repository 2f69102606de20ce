/**
 * One Variant of a column: its JSON, the two stored byte strings in their parts with every header bit, and, if it is
 * shredded, the steps that build it from its columns. A number and arrows choose the row.
 */

import type { Context, Detail } from "../context";
import { fill, h } from "../dom";
import { roveRows } from "../rove";
import { count, plural } from "../text";
import { troubleBox, troubleOf } from "../trouble";
import type { Picture, Row } from "../wire/variant";
import type { Lens, Shown } from "./lens";
import { storedView } from "./variant_parts";
import { stepsView } from "./variant_steps";
import "./variant.css";

export const variant: Lens = {
  mount: (el, picture, ctx, detail) => new VariantView(el, picture, ctx, detail),
};

class VariantView implements Shown {
  #ctx: Context;
  #picture: Picture;
  #row: Row;
  #number: HTMLInputElement;
  #room = h("div", { class: "pqx-variant-room" });
  #wanted = -1;

  constructor(el: HTMLElement, picture: Picture, ctx: Context, detail: Detail) {
    this.#ctx = ctx;
    this.#picture = picture;
    this.#row = picture.row;
    this.#number = h("input", {
      type: "number",
      class: "pqx-input pqx-variant-number",
      min: 0,
      max: picture.rows - 1,
      value: picture.row.row,
      "aria-label": this.#unit,
      onchange: () => void this.#go(Number(this.#number.value)),
      onkeydown: (event: KeyboardEvent) => event.key !== "Escape" && event.stopPropagation(),
    });
    el.append(h("div", { class: "pqx-variant" }, this.#bar(), this.#problems(), this.#room));
    this.#draw(detail.address);
  }

  follow(detail: Detail, picture: Picture): boolean {
    const same = picture.address === this.#picture.address && picture.row_group === this.#picture.row_group;
    if (!same) return false;
    this.#show(picture.row, detail.address);
    return true;
  }

  dispose(): void {
    this.#wanted = -1;
    this.#ctx.hot.emit(null);
  }

  get #unit(): string {
    return this.#picture.nested ? "Variant of the row group" : "Row of the row group";
  }

  #bar(): HTMLElement {
    const { rows, row_group, row_groups, before, after, nested } = this.#picture;
    const turn = (address: string | null, text: string, label: string) =>
      address !== null &&
      h("button", { class: "pqx-button", "aria-label": label, onclick: () => this.#select(address) }, text);
    return h(
      "div",
      { class: "pqx-variant-bar", role: "group", "aria-label": "Which Variant" },
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
      row_groups > 1 && turn(before, "‹ row group", "row group before"),
      row_groups > 1 &&
        h("span", { class: "pqx-muted" }, `row group ${count(row_group)} of ${count(row_groups)}`),
      row_groups > 1 && turn(after, "row group ›", "next row group"),
    );
  }

  #problems(): HTMLElement | null {
    const { problems, more_problems } = this.#picture;
    if (!problems.length) return null;
    return h(
      "details",
      { class: "pqx-variant-problems" },
      h("summary", {}, `${more_problems ? "more than " : ""}${plural(problems.length, "violation")}`),
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
    this.#ctx.announce(`row ${row.row}: ${row.json ?? row.sentence}`);
  }

  #draw(selected: string): void {
    const { shredded } = this.#picture;
    const row = this.#row;
    const stored = h(
      "div",
      {
        class: "pqx-variant-stored",
        role: "group",
        "aria-label": "As stored",
        onkeydown: (event: KeyboardEvent) => roveRows(event, ".pqx-variant-part"),
      },
      ...row.stored.map((one) => storedView(one, selected, this.#ctx, (address) => this.#select(address))),
    );
    fill(
      this.#room,
      h(
        "div",
        { class: "pqx-variant-json", tabindex: 0, role: "region", "aria-label": "The Variant as JSON" },
        row.json === null ? "–" : row.json,
      ),
      (row.sentence || row.problem) &&
        h("p", { class: row.problem ? "pqx-variant-wrong" : "pqx-muted" }, row.problem || row.sentence),
      h(
        "div",
        { class: shredded ? "pqx-variant-two" : "pqx-variant-one" },
        shredded && stepsView(this.#ctx, row.steps),
        row.stored.length ? stored : null,
      ),
    );
    this.#room.dataset.row = String(row.row);
    const first = this.#room.querySelector<HTMLElement>(".pqx-variant-part[aria-current], .pqx-variant-part");
    if (first) first.tabIndex = 0;
    this.#room.querySelector(".pqx-variant-part[aria-current]")?.scrollIntoView?.({ block: "nearest" });
  }

  #select(address: string): void {
    this.#ctx.prefer("variant");
    this.#ctx.select(address);
  }
}
