/** The schema as a tree in a table: levels as steps, types, rules, and the types that Arrow and Spark give. */

import "./schema.css";
import type { Context } from "../context";
import { append, h } from "../dom";
import { Grid, type GridCell } from "../grid";
import { pathName } from "../pathname";
import { leave, resume } from "../refocus";
import { count } from "../text";
import type { Picture, SchemaField, SchemaFields } from "../wire/schema";
import type { Lens, Shown } from "./lens";

const COUNT = 500;

export const schema: Lens = {
  fills: true,
  mount: (el, picture, ctx) => new SchemaView(el, picture, ctx),
};

const TITLES = ["field", "levels", "type", "stored as", "rule", "Arrow", "Spark"] as const;
const WIDTHS = [200, 116, 124, 136, 96, 160, 148];

class SchemaView implements Shown {
  #picture: Picture;
  #ctx: Context;
  #grid: Grid;
  #blocks = new Map<number, SchemaField[] | null>();

  constructor(el: HTMLElement, picture: Picture, ctx: Context) {
    this.#picture = picture;
    this.#ctx = ctx;
    this.#blocks.set(0, picture.fields);
    // of a source, what fits: the sentence says what the file lacks
    const source = (text: string) => text.split(": ")[0];
    const notes = ["", "maximum", "", "", "", source(picture.arrow), source(picture.spark)];
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
      choose: (row) => {
        ctx.prefer("schema"); // a column would show its card instead, and the keys could not walk on
        ctx.select(`schema/${row}`);
      },
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

  #field(row: number): SchemaField | undefined {
    const start = Math.floor(row / COUNT) * COUNT;
    const block = this.#blocks.get(start);
    if (block === undefined) {
      this.#blocks.set(start, null);
      this.#ctx.rpc.call<SchemaFields>("schema_fields", { start }).then(
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
          text: "",
          class: `pqx-goes pqx-schema-field${field.kind === "leaf" ? " pqx-schema-leaf" : ""}`,
          extra: h("span", { class: "pqx-schema-name" }, branches(field), pathName(field.name, "")),
          title: `${field.name}, ${field.repetition} ${field.kind}`,
        };
      case "levels":
        return {
          text: `D ${field.definition_level}  R ${field.repetition_level}`,
          class: "pqx-mono",
          extra: steps(field),
          title: `maximum definition level ${field.definition_level}, maximum repetition level ${field.repetition_level}`,
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

/** A branch of the tree: how deep the field is, whether a sibling follows, and its repetition as a sign. */
function branches(field: SchemaField): HTMLElement {
  const signs = { required: "", optional: "?", repeated: "∗", "the root": "" };
  const sign = signs[field.repetition];
  return h(
    "span",
    { class: "pqx-schema-branches", "aria-hidden": "true" },
    h("span", {
      class: "pqx-schema-indent",
      style: `width: ${Math.min(8, Math.max(0, field.depth - 1)) * 14}px`,
    }),
    field.depth > 0 && (field.last ? "└ " : "├ "),
    sign && h("span", { class: "pqx-schema-sign", title: field.repetition }, sign),
  );
}

/** A step for each definition level; as many are filled as there are repetition levels. */
function steps(field: SchemaField): HTMLElement {
  const drawn = Math.min(8, field.definition_level);
  return h(
    "span",
    { class: "pqx-steps", "aria-hidden": "true", "data-levels": count(field.definition_level) },
    ...Array.from({ length: drawn }, (_, i) => h("i", { class: i < field.repetition_level ? "pqx-on" : "" })),
  );
}
