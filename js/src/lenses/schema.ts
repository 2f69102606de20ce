/** The schema as a tree in a table: levels as steps, types, rules, and what Arrow and Spark take each field for. */

import "./schema.css";
import type { Context, Detail, Span } from "../context";
import { append, h } from "../dom";
import { Grid, type GridCell } from "../grid";
import { leave, resume } from "../refocus";
import { count } from "../text";
import type { Lens, Shown } from "./index";

const COUNT = 500;

interface Field {
  name: string;
  depth: number;
  last: boolean;
  kind: string;
  repetition: string;
  definition: number;
  repetitions: number;
  type: string;
  physical: string | null;
  rule: string | null;
  arrow: string | null;
  spark: string | null;
  agrees: boolean | null;
  span: Span | null;
}

interface Picture {
  selected: number | null;
  total: number;
  arrow: string;
  spark: string;
  disagreements: string[];
  rules: Record<string, string>;
  fields: Field[];
}

export const schema: Lens = {
  fills: true,
  mount: (el, picture: Picture, ctx, detail) => new SchemaView(el, picture, ctx, detail),
};

const TITLES = ["field", "levels", "type", "stored as", "rule", "Arrow", "Spark"] as const;
const WIDTHS = [210, 116, 124, 112, 112, 124, 116];

class SchemaView implements Shown {
  #picture: Picture;
  #ctx: Context;
  #grid: Grid;
  #blocks = new Map<number, Field[] | null>();

  constructor(el: HTMLElement, picture: Picture, ctx: Context, _detail: Detail) {
    this.#picture = picture;
    this.#ctx = ctx;
    this.#blocks.set(0, picture.fields);
    const notes = ["", "maximum", "", "", "", picture.arrow, picture.spark];
    this.#grid = new Grid({
      label: "Fields of the schema",
      count: picture.total,
      columns: TITLES.map((title, i) => ({
        title,
        note: notes[i] || undefined,
        width: WIDTHS[i],
        grow: i === 0,
      })),
      cell: (row, column) => this.#cell(row, column),
      rowClass: (row) =>
        `${row === picture.selected ? "pqx-chosen" : ""}${this.#field(row)?.agrees === false ? " pqx-schema-unfit" : ""}`,
      choose: (row) => ctx.select(`schema/${row}`),
      point: (row) => ctx.hot.emit((row !== null && this.#field(row)?.span) || null),
    });
    append(el, [
      h(
        "div",
        { class: "pqx-schema" },
        picture.disagreements.length > 0 &&
          h(
            "ul",
            { class: "pqx-schema-problems", "aria-label": "Disagreements", tabindex: 0 },
            ...picture.disagreements.map((one) => h("li", {}, one)),
          ),
        this.#grid.el,
      ),
    ]);
    if (picture.selected !== null) this.#grid.goTo(picture.selected);
    resume(ctx, this.#grid.el);
  }

  dispose(): void {
    leave(this.#ctx, this.#grid.el);
    this.#ctx.hot.emit(null);
    this.#grid.dispose();
  }

  #field(row: number): Field | undefined {
    const start = Math.floor(row / COUNT) * COUNT;
    const block = this.#blocks.get(start);
    if (block === undefined) {
      this.#blocks.set(start, null);
      this.#ctx.rpc.call<{ fields: Field[] }>("schema_fields", { start }).then(
        ({ result }) => {
          this.#blocks.set(start, result.fields);
          this.#grid.refresh();
        },
        (error: Error) => this.#ctx.announce(error.message),
      );
    }
    return block?.[row - start];
  }

  #cell(row: number, column: number): GridCell | undefined {
    const field = this.#field(row);
    if (!field) return undefined;
    const absent = { text: "–", class: "pqx-absent" };
    switch (TITLES[column]) {
      case "field":
        return {
          text: field.name,
          class: `pqx-goes${field.kind === "leaf" ? " pqx-schema-leaf" : ""}`,
          extra: branches(field),
          title: `${field.name}, ${field.repetition} ${field.kind}`,
        };
      case "levels":
        return {
          text: `D ${field.definition}  R ${field.repetitions}`,
          class: "pqx-mono",
          extra: steps(field),
          title: `maximum definition level ${field.definition}, maximum repetition level ${field.repetitions}`,
        };
      case "type":
        return { text: field.type, class: field.kind === "group" ? "pqx-muted" : "" };
      case "stored as":
        return field.physical ? { text: field.physical, class: "pqx-mono" } : absent;
      case "rule":
        return field.rule
          ? { text: field.rule, title: `${field.rule}: ${this.#picture.rules[field.rule] ?? ""}` }
          : absent;
      default: {
        const text = TITLES[column] === "Arrow" ? field.arrow : field.spark;
        if (!text) return absent;
        const wrong = field.agrees === false;
        return {
          text: wrong ? `≠ ${text}` : text,
          class: `pqx-mono${wrong ? " pqx-error" : ""}`,
          title: text,
        };
      }
    }
  }
}

/** How deep a field is, and whether its list of siblings goes on below it. */
function branches(field: Field): HTMLElement {
  const signs: Record<string, string> = { required: "", optional: "?", repeated: "∗" };
  const sign = signs[field.repetition] ?? "";
  return h(
    "span",
    { class: "pqx-schema-branches", "aria-hidden": "true" },
    h("span", {
      class: "pqx-schema-indent",
      style: `width: ${Math.min(12, Math.max(0, field.depth - 1)) * 14}px`,
    }),
    field.depth > 0 && (field.last ? "└ " : "├ "),
    sign && h("span", { class: "pqx-schema-sign", title: field.repetition }, sign),
  );
}

/** A step for each definition level; those that a list adds are filled. */
function steps(field: Field): HTMLElement {
  const most = Math.min(8, field.definition);
  return h(
    "span",
    { class: "pqx-steps", "aria-hidden": "true", "data-levels": count(field.definition) },
    ...Array.from({ length: most }, (_, i) => h("i", { class: i < field.repetitions ? "pqx-on" : "" })),
  );
}
