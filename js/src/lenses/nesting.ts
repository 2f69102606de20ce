/**
 * The stepper: each entry's levels say how far down the schema it goes, and build the row, one entry at a time. At the
 * left is the path to the leaf, highlighted as deep as the entry goes; then the entries; at the right the row, with its
 * new part marked.
 */

import { type Table, unpack } from "../columns";
import type { Context, Detail } from "../context";
import { fill, focusBeside, h } from "../dom";
import { Grid, type GridCell } from "../grid";
import { roveRows } from "../rove";
import { count, visible } from "../text";
import { troubleBox, troubleOf } from "../trouble";
import type { AssemblyStep, Picture, StepBlock, Walk } from "../wire/nesting";
import type { Entries } from "../wire/page";
import { type Entry, nextRow, rungs } from "./ladder";
import type { Lens, Shown } from "./lens";
import "./nesting.css";
import { showLife } from "./goals";

const ENTRIES = 200;
const BEAT = 1000;

/** States that a rung spells out; the others show in its colour and mark. */
const LOUD = new Set(["goes-on", "null", "empty"]);

export const nesting: Lens = {
  mount: (el, picture, ctx) => new Stepper(el, picture, ctx),
};

class Stepper implements Shown {
  #ctx: Context;
  #picture: Picture;
  #walk: Walk | null;
  #at = 0;
  #steps = new Map<number, AssemblyStep[] | null>();
  #blocks = new Map<number, Table | null>();
  /** Errors, by the first entry of the block that could not be read. */
  #lost = new Map<number, unknown>();
  #grid: Grid | null = null;
  #ladder: HTMLElement;
  #record = h("div", {
    class: "pqx-nest-record",
    role: "region",
    "aria-label": "The row so far",
    tabindex: 0,
  });
  #sentence = h("p", { class: "pqx-nest-sentence", "aria-live": "polite" });
  #bytes = h("p", { class: "pqx-nest-bytes" });
  #message = h("div");
  #range: HTMLInputElement;
  #where = h("span", { class: "pqx-muted" });
  #play: HTMLButtonElement;
  #timer = 0;

  constructor(el: HTMLElement, picture: Picture, ctx: Context) {
    this.#ctx = ctx;
    this.#picture = picture;
    this.#walk = picture.walk;
    this.#ladder = h("ol", {
      class: "pqx-nest-ladder",
      "aria-label": `The path to ${picture.column}`,
      onkeydown: (event: KeyboardEvent) => roveRows(event, "button"),
    });
    this.#range = h("input", {
      type: "range",
      min: 0,
      max: Math.max(0, this.#entries - 1),
      step: 1,
      class: "pqx-nest-range",
      "aria-label": "Entry of the page",
      oninput: () => this.go(Number(this.#range.value)),
      onkeydown: (event: KeyboardEvent) => event.stopPropagation(),
    });
    this.#play = h(
      "button",
      { class: "pqx-button", "aria-pressed": "false", onclick: () => this.#toggle() },
      "play",
    );
    const root = h("div", { class: "pqx-nest" });
    el.append(root);
    if (!picture.walk?.entries) {
      root.append(this.#ladder);
      this.#drawLadder(null);
      return;
    }
    this.#keep(picture.walk.first);
    this.#grid = this.#makeGrid();
    root.append(this.#bar(), this.#sentence, this.#bytes, this.#message);
    root.append(h("div", { class: "pqx-nest-three" }, this.#ladder, this.#grid.el, this.#record));
    this.go(picture.walk.selected);
  }

  follow(_detail: Detail, next: never): boolean {
    const { walk } = next as Picture;
    if (!walk || walk.page !== this.#walk?.page) return false;
    this.#keep(walk.first);
    this.go(walk.selected);
    return true;
  }

  #keep(block: StepBlock): void {
    this.#steps.set(block.start, block.steps);
  }

  dispose(): void {
    clearInterval(this.#timer);
    this.#grid?.dispose();
  }

  get #entries(): number {
    return this.#walk?.entries ?? 0;
  }

  /** Show an entry: everything that is drawn follows from its number. */
  go(entry: number): void {
    this.#at = Math.max(0, Math.min(this.#entries - 1, entry));
    this.#range.value = String(this.#at);
    this.#draw();
    this.#grid?.goTo(this.#at);
    this.#grid?.refresh();
  }

  #draw(): void {
    const at = this.#at;
    fill(this.#where, `entry ${count(at)} of ${count(this.#entries)}`);
    const entry = this.#entry(at);
    this.#drawLadder(entry);
    this.#drawBytes();
    const step = this.#step(at);
    const lost = this.#lost.get(at - (at % (this.#walk?.step ?? 1))) ?? this.#lost.get(at - (at % ENTRIES));
    fill(this.#message, lost ? troubleBox(this.#ctx, troubleOf(lost)) : null);
    if (lost && !step) {
      // remove the row of the previous entry: it would look like the row of this one
      fill(this.#sentence);
      fill(this.#record);
      this.#pause();
    }
    if (!step) return;
    fill(this.#sentence, step.sentence);
    this.#range.setAttribute("aria-valuetext", visible(step.sentence));
    fill(
      this.#record,
      ...step.lines.map((line) =>
        h(
          "div",
          {
            class: line.new ? "pqx-nest-line pqx-nest-new" : "pqx-nest-line",
            style: `--indent: ${line.indent}`,
          },
          h("span", { class: "pqx-nest-sign", "aria-hidden": "true" }, line.new ? "+" : " "),
          line.text,
        ),
      ),
    );
    this.#record.querySelector(".pqx-nest-new")?.scrollIntoView?.({ block: "nearest" });
    const parent = this.#ladder.closest<HTMLElement>(".pqx-nest");
    if (parent) parent.dataset.entry = String(at);
  }

  /** Links from the entry to its bytes: those of its levels, and of its value if it has one. */
  #drawBytes(): void {
    const { max_definition_level, max_repetition_level } = this.#picture;
    const entry = this.#table(this.#at);
    const value = entry ? entry[0].numbers.value[entry[1]] : -1;
    const link = (on: boolean, text: string, address: string) =>
      on &&
      h(
        "button",
        {
          class: "pqx-link",
          onclick: () => {
            this.#ctx.prefer("nesting");
            this.#ctx.select(`${this.#walk?.page}/${address}`);
          },
        },
        text,
      );
    fill(
      this.#bytes,
      h("span", { class: "pqx-muted" }, "bytes of the "),
      link(max_repetition_level > 0, "repetition level", `repetition_levels/${this.#at}`),
      link(max_definition_level > 0, "definition level", `definition_levels/${this.#at}`),
      link(value >= 0, "value", `values/${value}`),
      entry &&
        h(
          "button",
          {
            class: "pqx-link",
            onclick: () =>
              showLife(
                this.#ctx,
                `${this.#walk?.page}/${value >= 0 ? `values/${value}` : `definition_levels/${this.#at}`}`,
              ),
          },
          "its life",
        ),
    );
  }

  /** The fields of the path: present, null or empty, not reached; and the list that continues. */
  #drawLadder(entry: Entry | null): void {
    const focus = focusBeside(this.#ladder) as HTMLButtonElement;
    const focused = [...this.#ladder.querySelectorAll("button")].indexOf(focus);
    const elements = rungs(this.#picture.ladder, entry).map((rung, i) =>
      h(
        "li",
        { class: `pqx-nest-rung pqx-nest-${rung.state}`, "data-state": rung.state },
        h(
          "button",
          {
            class: "pqx-nest-name",
            tabindex: i === Math.max(0, focused) ? 0 : -1,
            onclick: () => this.#ctx.select(this.#picture.ladder[i].address),
            "aria-label": `${rung.name}, ${rung.repetition}, ${rung.text}`,
          },
          h("span", { class: "pqx-nest-mark", "aria-hidden": "true" }, rung.mark),
          rung.name,
        ),
        h("span", { class: "pqx-muted" }, rung.repetition),
        h("span", { class: "pqx-nest-level" }, rung.levels),
        h("span", { class: "pqx-nest-state" }, LOUD.has(rung.state) ? rung.text : ""),
      ),
    );
    fill(this.#ladder, ...elements);
    if (focused >= 0) this.#ladder.querySelectorAll<HTMLElement>("button")[focused]?.focus();
  }

  #bar(): HTMLElement {
    const button = (text: string, label: string, to: () => number) =>
      h("button", { class: "pqx-button", "aria-label": label, onclick: () => this.go(to()) }, text);
    const pages = this.#walk?.pages ?? [];
    const page = pages.indexOf(this.#walk?.page ?? "");
    const turn = (by: number, text: string, label: string) =>
      pages[page + by] !== undefined &&
      h(
        "button",
        {
          class: "pqx-button",
          "aria-label": label,
          onclick: () => {
            this.#ctx.prefer("nesting");
            this.#ctx.select(pages[page + by]);
          },
        },
        text,
      );
    return h(
      "div",
      { class: "pqx-nest-bar", role: "group", "aria-label": "Steps" },
      button("«", "first entry", () => 0),
      this.#picture.max_repetition_level > 0 && button("‹ row", "row before", () => this.#row(-1)),
      button("‹", "entry before", () => this.#at - 1),
      this.#range,
      button("›", "next entry", () => this.#at + 1),
      this.#picture.max_repetition_level > 0 && button("row ›", "next row", () => this.#row(1)),
      button("»", "last entry", () => this.#entries - 1),
      this.#play,
      this.#where,
      h("span", { class: "pqx-space" }),
      turn(-1, "‹ page", "page before"),
      pages.length > 1 &&
        h("span", { class: "pqx-muted" }, `data page ${page + 1} of ${count(pages.length)}`),
      turn(1, "page ›", "next page"),
    );
  }

  #makeGrid(): Grid {
    const { max_definition_level: definition, max_repetition_level: repetition } = this.#picture;
    const columns: [string, number, boolean][] = [
      ["entry", Math.max(60, 18 + 7.5 * count(this.#entries).length), true],
      ["row", 44, repetition > 0],
      ["rep", 46, repetition > 0],
      ["def", 46, definition > 0],
      ["value", 58, true],
    ];
    const used = columns.filter(([, , on]) => on);
    return new Grid({
      label: `Entries of ${this.#walk?.page}`,
      count: this.#entries,
      columns: used.map(([title, width]) => ({
        title,
        width,
        align: title === "value" ? "left" : "right",
        grow: title === "value",
      })),
      cell: (row, column) => this.#cell(row, used[column][0]),
      choose: (row) => this.go(row),
      rowClass: (row) => {
        const starts = repetition > 0 && row > 0 && this.#entry(row)?.repetition === 0;
        return `${row === this.#at ? "pqx-chosen" : ""} ${starts ? "pqx-record" : ""}`;
      },
    });
  }

  #cell(row: number, field: string): GridCell | undefined {
    if (field === "entry") return { text: count(row), class: "pqx-muted" };
    const entry = this.#table(row);
    if (!entry) return undefined;
    const [{ numbers, texts }, i] = entry;
    if (field === "row") return { text: count(numbers.row[i]), class: "pqx-muted" };
    if (field === "rep") {
      const level = numbers.repetition[i];
      return { text: String(level), title: this.#picture.repetitions[level] };
    }
    if (field === "def") {
      const level = numbers.definition[i];
      return { text: String(level), title: this.#picture.definitions[level] };
    }
    const text = texts.logical.at(i);
    return text === null ? { text: "–", class: "pqx-absent" } : { text, class: "pqx-mono" };
  }

  #entry(row: number): Entry | null {
    const entry = this.#table(row);
    if (!entry) return null;
    const [{ numbers }, i] = entry;
    return { repetition: numbers.repetition[i], definition: numbers.definition[i] };
  }

  #table(row: number): [Table, number] | null {
    const start = Math.floor(row / ENTRIES) * ENTRIES;
    const known = this.#blocks.get(start);
    if (known === undefined) this.#fetchEntries(start);
    return known ? [known, row - start] : null;
  }

  #fetchEntries(start: number): void {
    this.#blocks.set(start, null);
    this.#ctx.rpc
      .call<Entries>("entries", { address: this.#walk?.page, start })
      .then(({ result, buffers }) => {
        this.#blocks.set(start, unpack(result.columns, buffers));
        this.#grid?.refresh();
        this.#drawLadder(this.#entry(this.#at));
        this.#drawBytes();
      })
      .catch((error) => this.#lose(start, error));
  }

  #lose(start: number, error: unknown): void {
    this.#lost.set(start, error);
    this.#draw();
  }

  #step(entry: number): AssemblyStep | null {
    const size = this.#walk?.step ?? 1;
    const start = entry - (entry % size);
    const known = this.#steps.get(start);
    if (known === undefined) {
      this.#steps.set(start, null);
      this.#ctx.rpc
        .call<StepBlock>("nesting_steps", { address: this.#walk?.page, start })
        .then(({ result }) => {
          this.#keep(result);
          this.#draw();
        })
        .catch((error) => this.#lose(start, error));
    }
    return known?.[entry - start] ?? null;
  }

  /** Where the next row begins, or the one before, within the entries that are here. */
  #row(by: 1 | -1): number {
    return nextRow(this.#at, by, this.#entries, (i) => this.#entry(i)?.repetition);
  }

  #toggle(): void {
    const playing = this.#play.getAttribute("aria-pressed") === "true";
    this.#pause();
    if (playing) return;
    this.#play.setAttribute("aria-pressed", "true");
    fill(this.#play, "pause");
    if (this.#at + 1 >= this.#entries) this.go(0);
    this.#timer = window.setInterval(() => {
      if (this.#at + 1 >= this.#entries) this.#pause();
      else this.go(this.#at + 1);
    }, BEAT);
  }

  #pause(): void {
    clearInterval(this.#timer);
    this.#play.setAttribute("aria-pressed", "false");
    fill(this.#play, "play");
  }
}
