/** A page opened: an entry a line, its levels with what they say, and the value as stored and as meant. */

import { type Header, type Table, unpack } from "../columns";
import type { Context, Detail } from "../context";
import { append, fill, h } from "../dom";
import { Grid, type GridCell } from "../grid";
import { count, plural } from "../text";
import { troubleBox, troubleOf } from "../trouble";
import type { Lens, Shown } from "./index";

const COUNT = 200;

interface Payload {
  page: string;
  kind: string;
  column: string;
  entries: number;
  present: number;
  max_definition_level: number;
  max_repetition_level: number;
  definitions: string[];
  repetitions: string[];
  selected: number | null;
}

export const page: Lens = {
  mount: (el, payload, ctx) => new PageView(el, payload, ctx),
};

type Field = "entry" | "row" | "repetition" | "definition" | "physical" | "logical";

class PageView implements Shown {
  #payload: Payload;
  #ctx: Context;
  #grid: Grid;
  #fields: Field[];
  #blocks = new Map<number, Table | null>();
  #message = h("div");
  #selected: number | null;

  constructor(el: HTMLElement, payload: Payload, ctx: Context) {
    this.#payload = payload;
    this.#ctx = ctx;
    this.#selected = payload.selected;
    const { max_definition_level: definition, max_repetition_level: repetition } = payload;
    const columns: [Field, string, number, "left" | "right", boolean][] = [
      ["entry", payload.kind === "dictionary_page" ? "index" : "entry", 72, "right", true],
      ["row", "row", 72, "right", repetition > 0],
      ["repetition", "repetition", 92, "left", repetition > 0],
      [
        "definition",
        "definition",
        40 +
          7.5 * Math.min(24, Math.max(...payload.definitions.map((n) => brief(n).length))) +
          8 * Math.min(8, definition),
        "left",
        definition > 0,
      ],
      ["physical", "stored", 200, "left", true],
      ["logical", "means", 240, "left", true],
    ];
    const used = columns.filter(([, , , , on]) => on);
    this.#fields = used.map(([field]) => field);
    this.#grid = new Grid({
      label: `Levels and values of ${payload.page}`,
      count: payload.entries,
      columns: used.map(([field, title, width, align]) => ({
        title,
        width,
        align,
        grow: field === "logical",
      })),
      cell: (row, column) => this.#cell(row, this.#fields[column]),
      choose: (row) => this.#choose(row),
      rowClass: (row) => this.#rowClass(row),
    });
    append(el, [h("div", { class: "pqx-page-lens" }, this.#summary(), this.#message, this.#grid.el)]);
    if (this.#selected !== null) requestAnimationFrame(() => this.#grid.goTo(this.#selected ?? 0));
  }

  follow(_detail: Detail, payload: never): boolean {
    const next = payload as Payload;
    if (next.page !== this.#payload.page) return false;
    this.#selected = next.selected;
    this.#grid.refresh();
    if (next.selected !== null) this.#grid.goTo(next.selected);
    return true;
  }

  dispose(): void {
    this.#grid.dispose();
  }

  #summary(): HTMLElement {
    const { entries, present, kind, definitions, max_definition_level, max_repetition_level, repetitions } =
      this.#payload;
    const nulls = entries - present;
    const what =
      kind === "dictionary_page"
        ? `${plural(entries, "distinct value")}, which data pages refer to by index.`
        : nulls
          ? `${plural(entries, "entry").replace("entrys", "entries")}, of which ${count(present)} have a value; ${count(nulls)} say with their definition level what is missing.`
          : `${plural(entries, "entry").replace("entrys", "entries")}, each with a value.`;
    return h(
      "div",
      { class: "pqx-levels" },
      h("p", {}, what),
      max_definition_level > 0 && scale("definition level", definitions),
      max_repetition_level > 0 && scale("repetition level", repetitions),
    );
  }

  #table(row: number): [Table, number] | null {
    const block = Math.floor(row / COUNT);
    const known = this.#blocks.get(block);
    if (known === undefined) this.#fetch(block);
    return known ? [known, row - block * COUNT] : null;
  }

  #fetch(block: number): void {
    this.#blocks.set(block, null);
    const args = { address: this.#payload.page, start: block * COUNT };
    this.#ctx.rpc.call<{ columns: Header }>("entries", args).then(
      ({ result, buffers }) => {
        this.#blocks.set(block, unpack(result.columns, buffers));
        this.#grid.refresh();
      },
      (error) => fill(this.#message, troubleBox(this.#ctx, troubleOf(error))),
    );
  }

  #cell(row: number, field: Field): GridCell | undefined {
    if (field === "entry") return { text: count(row), class: "pqx-muted" };
    const found = this.#table(row);
    if (!found) return undefined;
    const [{ numbers, texts }, i] = found;
    if (field === "row") return { text: count(numbers.row[i]), class: "pqx-muted" };
    if (field === "repetition") {
      const level = numbers.repetition[i];
      return {
        text: String(level),
        extra: steps(level, this.#payload.max_repetition_level),
        title: this.#payload.repetitions[level],
      };
    }
    if (field === "definition") {
      const level = numbers.definition[i];
      const name = this.#payload.definitions[level] ?? "";
      return {
        text: `${level} ${brief(name)}`,
        extra: steps(level, this.#payload.max_definition_level),
        title: name,
      };
    }
    const text = texts[field].at(i);
    return text === null ? { text: "–", class: "pqx-absent" } : { text, class: "pqx-mono pqx-goes" };
  }

  #rowClass(row: number): string {
    const classes = row === this.#selected ? ["pqx-chosen"] : [];
    const found = this.#payload.max_repetition_level ? this.#table(row) : null;
    if (found && found[0].numbers.repetition[found[1]] === 0 && row > 0) classes.push("pqx-record");
    return classes.join(" ");
  }

  #choose(row: number): void {
    const found = this.#table(row);
    if (!found) return;
    const value = found[0].numbers.value[found[1]];
    this.#ctx.select(
      value < 0 ? `${this.#payload.page}/definition_levels` : `${this.#payload.page}/values/${value}`,
    );
  }
}

/** "a.list.element is null" → "element is null": beside the column's own scale that is enough. */
function brief(name: string): string {
  return name.replace(/^\S*\.(?=\S+ )/, "").replace(/^.* has a value$/, "value");
}

/** The levels of a column and what each one says. */
function scale(what: string, names: string[]): HTMLElement {
  const most = names.length - 1;
  return h(
    "ul",
    { class: "pqx-scale", "aria-label": `Meaning of each ${what}` },
    h("li", { class: "pqx-muted" }, what),
    ...names.map((name, level) => h("li", {}, steps(level, most), `${level} ${name}`)),
  );
}

/** A level as filled steps. */
function steps(level: number, most: number): HTMLElement {
  const shown = Math.min(most, 8);
  return h(
    "span",
    { class: "pqx-steps", "aria-hidden": "true" },
    ...Array.from({ length: shown }, (_, i) => h("i", { class: i < level ? "pqx-on" : "" })),
  );
}
