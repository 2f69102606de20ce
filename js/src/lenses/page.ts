/** A page: its parts, and a line for each entry: its levels with their meaning, its stored and its logical value. */

import { type Table, unpack } from "../columns";
import type { Context, Detail, Span } from "../context";
import { append, fill, h } from "../dom";
import { Grid, type GridCell } from "../grid";
import { nextFrame } from "../rest";
import { count, levelName, plural, size } from "../text";
import { troubleBox, troubleOf } from "../trouble";
import type { Entries, Parts, Picture, Value } from "../wire/page";
import type { Lens, Shown } from "./lens";
import "./page.css";

const COUNT = 200;

export const page: Lens = {
  fills: true,
  mount: (el, picture, ctx) => new PageView(el, picture, ctx),
};

type Field = "entry" | "row" | "repetition" | "definition" | "physical" | "logical";

class PageView implements Shown {
  #picture: Picture;
  #ctx: Context;
  #grid: Grid;
  #fields: Field[];
  #blocks = new Map<number, Table | null>();
  #message = h("div");
  #value = h("div", { class: "pqx-value", role: "region", "aria-label": "The selected entry" });
  #selected: number | null;

  constructor(el: HTMLElement, picture: Picture, ctx: Context) {
    this.#picture = picture;
    this.#ctx = ctx;
    this.#selected = picture.selected;
    const { max_definition_level: definition, max_repetition_level: repetition } = picture;
    const columns: [Field, string, number, "left" | "right", boolean][] = [
      ["entry", picture.kind === "dictionary_page" ? "index" : "entry", 72, "right", true],
      ["row", "row", 72, "right", repetition > 0],
      ["repetition", "repetition", 92, "left", repetition > 0],
      [
        "definition",
        "definition",
        40 +
          7.5 * Math.min(24, Math.max(...picture.definitions.map((n) => brief(n).length))) +
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
      label: `Levels and values of ${picture.page}`,
      count: picture.entries,
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
    this.#showValue(picture.value);
    append(el, [
      h(
        "div",
        { class: "pqx-page-lens" },
        anatomy(picture.parts, ctx),
        this.#value,
        this.#summary(),
        this.#message,
        this.#grid.el,
      ),
    ]);
    if (this.#selected !== null) nextFrame(() => this.#grid.goTo(this.#selected ?? 0));
  }

  follow(_detail: Detail, picture: never): boolean {
    const next = picture as Picture;
    if (next.page !== this.#picture.page) return false;
    this.#selected = next.selected;
    this.#showValue(next.value);
    this.#grid.refresh();
    if (next.selected !== null) this.#grid.goTo(next.selected);
    return true;
  }

  dispose(): void {
    this.#grid.dispose();
  }

  /** The selected entry: the logical value, in Python, as stored, as bytes. */
  #showValue(value: Value | null): void {
    this.#value.hidden = value === null;
    if (!value) return;
    const { entry } = value;
    fill(
      this.#value,
      h("strong", {}, value.title),
      entry &&
        h(
          "button",
          { class: "pqx-link", onclick: () => this.#ctx.select(entry.address) },
          `${entry.label} of the dictionary`,
        ),
      h("button", { class: "pqx-link", onclick: () => this.#ctx.prefer("value") }, "its life"),
      value.note && h("span", { class: "pqx-note" }, value.note),
      h(
        "dl",
        {},
        ...value.forms.map(({ name, text }) =>
          h(
            "div",
            { "data-form": name },
            h("dt", { class: "pqx-muted" }, name),
            h("dd", {}, text || "(empty)"),
          ),
        ),
      ),
    );
  }

  #summary(): HTMLElement {
    const { definitions, max_definition_level, max_repetition_level, repetitions } = this.#picture;
    return h(
      "div",
      { class: "pqx-levels" },
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
    const args = { address: this.#picture.page, start: block * COUNT };
    this.#ctx.rpc.call<Entries>("entries", args).then(
      ({ result, buffers }) => {
        this.#blocks.set(block, unpack(result.columns, buffers));
        this.#grid.refresh();
      },
      (error) => fill(this.#message, troubleBox(this.#ctx, troubleOf(error))),
    );
  }

  #cell(row: number, field: Field): GridCell | undefined {
    if (field === "entry") return { text: count(row), class: "pqx-muted" };
    const entry = this.#table(row);
    if (!entry) return undefined;
    const [{ numbers, texts }, i] = entry;
    if (field === "row") return { text: count(numbers.row[i]), class: "pqx-muted" };
    if (field === "repetition") {
      const level = numbers.repetition[i];
      return {
        text: String(level),
        extra: steps(level, this.#picture.max_repetition_level),
        title: this.#picture.repetitions[level],
      };
    }
    if (field === "definition") {
      const level = numbers.definition[i];
      const name = this.#picture.definitions[level] ?? "";
      return {
        text: `${level} ${brief(name)}`,
        extra: steps(level, this.#picture.max_definition_level),
        title: name,
      };
    }
    const text = texts[field].at(i);
    return text === null ? { text: "–", class: "pqx-absent" } : { text, class: "pqx-mono pqx-goes" };
  }

  #rowClass(row: number): string {
    const classes = row === this.#selected ? ["pqx-chosen"] : [];
    const entry = this.#picture.max_repetition_level ? this.#table(row) : null;
    if (entry && entry[0].numbers.repetition[entry[1]] === 0 && row > 0) classes.push("pqx-record");
    return classes.join(" ");
  }

  #choose(row: number): void {
    const entry = this.#table(row);
    if (!entry) return;
    const value = entry[0].numbers.value[entry[1]];
    this.#ctx.select(
      value < 0 ? `${this.#picture.page}/definition_levels/${row}` : `${this.#picture.page}/values/${value}`,
    );
  }
}

/** Bars in proportion: the page in the file, and its sections decompressed. Below, each part by name. */
function anatomy(parts: Parts, ctx: Context): HTMLElement {
  const max = Math.max(parts.header + parts.stored, parts.opened, 1);
  const plain = parts.sections.every((one) => one.direct);
  const tone = (name: string) => `pqx-of-${name.split(" ")[0]}`;
  const bar = (name: string, bytes: number, span: Span, address: string | null) =>
    h("i", {
      class: tone(name),
      style: `flex-grow: ${bytes}`,
      title: `${name}: ${plural(bytes, "byte")}`,
      onclick: () => address !== null && ctx.select(address),
      onpointerenter: () => ctx.hot.emit(span),
      onpointerleave: () => ctx.hot.emit(null),
    });
  const row = (name: string, bytes: number, ...bars: HTMLElement[]) =>
    h(
      "div",
      { class: "pqx-anatomy-row", "aria-hidden": "true" },
      h("span", { class: "pqx-muted" }, name),
      h("div", { style: `width: ${((bytes / max) * 100).toFixed(1)}%` }, ...bars),
    );
  const named = (name: string, bytes: number, span: Span, address: string | null, note = "") => {
    const text = `${size(bytes)}${note ? ` ${note}` : ""}`;
    return h(
      "li",
      {
        "data-part": name,
        "data-bytes": bytes,
        onpointerenter: () => ctx.hot.emit(span),
        onpointerleave: () => ctx.hot.emit(null),
        onfocusin: () => ctx.hot.emit(span),
      },
      h("i", { class: tone(name), "aria-hidden": "true" }),
      address === null ? name : h("button", { class: "pqx-link", onclick: () => ctx.select(address) }, name),
      h("span", { class: "pqx-muted" }, ` ${text}`),
    );
  };
  const sections = parts.sections.map((one) => bar(one.name, one.bytes, one.span, one.address));
  const header = bar("header", parts.header, parts.header_span, parts.header_address);
  const body = bar("body", parts.stored, parts.stored_span, null);
  const ratio = parts.stored ? parts.opened / parts.stored : 0;
  const how = [parts.codec, parts.codec && `${ratio.toFixed(2)} ×`, parts.encrypted && "encrypted"];
  const verdict = { right: "✓ checksum right", wrong: "✗ checksum wrong", none: "no checksum" };
  return h(
    "div",
    { class: "pqx-anatomy", "data-ratio": ratio.toFixed(3) },
    row("in the file", parts.header + parts.stored, header, ...(plain ? sections : [body])),
    !plain && row("opened", parts.opened, ...sections),
    h(
      "ul",
      { class: "pqx-anatomy-key", "aria-label": "Parts of the page" },
      named("header", parts.header, parts.header_span, parts.header_address),
      !plain && named("body", parts.stored, parts.stored_span, null, how.filter(Boolean).join(" ")),
      ...parts.sections.map((one) => named(one.name, one.bytes, one.span, one.address, one.encoding)),
      h(
        "li",
        { class: `pqx-crc-${parts.checksum}`, "data-checksum": parts.checksum },
        verdict[parts.checksum],
      ),
    ),
  );
}

/** "a.list.element is null" → "null: element": the scale above the grid has the whole name. */
function brief(name: string): string {
  if (name.endsWith(" has a value")) return "value";
  const [, path, what] = /^(.*) is (null|empty)$/s.exec(name) ?? ["", "", name];
  return path ? `${what}: ${path.slice(path.lastIndexOf(".") + 1)}` : what;
}

/** The levels of a column, each with its meaning. */
function scale(what: string, names: string[]): HTMLElement {
  const max = names.length - 1;
  return h(
    "ul",
    { class: "pqx-scale", "aria-label": `Meaning of each ${what}` },
    h("li", { class: "pqx-muted" }, what),
    ...names.map((name, level) => h("li", { title: name }, steps(level, max), `${level} ${levelName(name)}`)),
  );
}

/** A level as filled steps. */
function steps(level: number, max: number): HTMLElement {
  const shown = Math.min(max, 8);
  return h(
    "span",
    { class: "pqx-steps", "aria-hidden": "true" },
    ...Array.from({ length: shown }, (_, i) => h("i", { class: i < level ? "pqx-on" : "" })),
  );
}
