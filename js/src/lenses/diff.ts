/** Two files: the map of both, a button that compares the values, and the place of the second file that matches. */

import "./board.css";
import "./diff.css";
import { swatch } from "../chip";
import type { Context, Detail } from "../context";
import { append, type Child, fill, h, said } from "../dom";
import { FAMILIES, familyOf } from "../kinds";
import { count, plural, size } from "../text";
import type { Beside, FilesMap as Both, Compared, Picture, Side } from "../wire/diff";
import { Board } from "./board";
import { CHANGES, DiffPainting } from "./diffmap";
import type { Lens, Shown } from "./lens";

const LOOKED: Record<string, string> = {
  footer: "Compared: the footers.",
  pages: "Compared: the footers and page headers.",
  data: "Compared: everything, the values too.",
};

class DiffView implements Shown {
  #ctx: Context;
  #picture: Picture;
  #level = h("div", { class: "pqx-diff-level", "aria-live": "polite" });
  /** Of both files, and why one is larger. */
  #verdicts = h("div", { class: "pqx-diff-verdicts" });
  #causes = h("div", { class: "pqx-diff-causes" });
  #place = h("section", { class: "pqx-diff-beside", "aria-label": "The same place in both files" });
  #painting: DiffPainting | null = null;
  #board: Board | null = null;
  #latest = 0;
  #comparing = false;
  #trouble = "";
  #stop: () => void;

  constructor(el: HTMLElement, picture: Picture, ctx: Context) {
    this.#ctx = ctx;
    this.#picture = picture;
    const root = h("div", { class: "pqx-diff" }, this.#verdicts, this.#causes, this.#level);
    if (picture.map) {
      this.#painting = new DiffPainting(picture.map, (first, second) => this.#go(first, second));
      this.#board = new Board(ctx, this.#painting, shownText(picture.map));
      append(root, [keys(picture.map), this.#board.el]);
    }
    append(root, [this.#place]);
    append(el, [root]);
    this.#stop = ctx.query.lost.on(() => this.#showLevel());
    this.#show();
  }

  follow(_detail: Detail, next: Picture | null): boolean {
    if (!next || !next.map !== !this.#picture.map) return false;
    const { lines, slots } = this.#picture.map ?? { lines: [], slots: [] };
    if (next.map?.lines.length !== lines.length && next.map) return false;
    if (next.map && next.map.slots.length !== slots.length) return false;
    this.#picture = next;
    this.#latest++;
    if (next.map) this.#painting?.update(next.map);
    this.#board?.redraw();
    const mark = this.#painting?.first ?? -1;
    if (mark >= 0) {
      this.#board?.show(mark);
      this.#board?.reveal();
    }
    this.#show();
    return true;
  }

  dispose(): void {
    this.#latest++;
    this.#stop();
    this.#board?.dispose();
  }

  #show(): void {
    this.#showLevel();
    fill(this.#verdicts, ...verdictParts(this.#picture));
    fill(this.#causes, causeBars(this.#picture));
    fill(this.#place, ...besideParts(this.#picture.beside));
  }

  #showLevel(): void {
    const { query } = this.#ctx;
    const compare = () => void this.#compare();
    fill(
      this.#level,
      h("span", {}, LOOKED[this.#picture.level] ?? ""),
      this.#picture.level !== "data" &&
        !query.saved &&
        h(
          "button",
          { class: "pqx-button", disabled: this.#comparing || query.closed !== "", onclick: compare },
          this.#comparing ? "comparing…" : "compare the values",
        ),
      this.#trouble !== "" && h("span", { class: "pqx-trouble" }, this.#trouble),
    );
  }

  async #compare(): Promise<void> {
    this.#comparing = true;
    this.#trouble = "";
    this.#showLevel();
    try {
      const { result } = await this.#ctx.rpc.call<Compared>("diff_values");
      this.#ctx.announce(`The values are compared: ${plural(result.differences, "difference")}`);
      this.#comparing = false;
      this.#ctx.insist();
    } catch (error) {
      this.#comparing = false;
      this.#trouble = (error as Error).message;
    }
    this.#showLevel();
  }

  /** To the place in the first file, and with it to the one in the second; to that alone if the first has none. */
  #go(first: string | null, second: string | null): void {
    if (first !== null) this.#ctx.select(first);
    else if (second !== null) void this.#showSecond(second);
  }

  async #showSecond(second: string): Promise<void> {
    const now = ++this.#latest;
    try {
      const { result } = await this.#ctx.rpc.call<Beside>("diff_beside", { first: null, other: second });
      if (now !== this.#latest) return;
      fill(this.#place, ...besideParts(result));
      this.#ctx.announce(`Only in the second file: ${result.sides[1].label}`);
    } catch (error) {
      if (now === this.#latest) fill(this.#place, h("p", { class: "pqx-trouble" }, (error as Error).message));
    }
  }
}

/** What is wrong with each of the files: a difference alone does not say which one is sound. */
function verdictParts({ verdicts }: Picture): Child[] {
  return verdicts.map(({ name, sentence, severity }, i) =>
    h(
      "p",
      { "data-severity": severity || null },
      h("strong", {}, "AB"[i]),
      h("span", { class: "pqx-muted" }, ` ${name}: `),
      ...said(sentence),
    ),
  );
}

/** The causes as bars to both sides of a line, in one scale; together they are the difference of the sizes. */
function causeBars({ causes, map }: Picture): Child {
  if (!causes.length) return null;
  const total = causes.reduce((sum, one) => sum + one.bytes, 0);
  const most = Math.max(...causes.map(({ bytes }) => Math.abs(bytes)));
  const signed = (bytes: number) => `${bytes > 0 ? "+" : "−"}${size(Math.abs(bytes))}`;
  const sizes = map ? `: ${size(map.sizes[0])} → ${size(map.sizes[1])}` : "";
  const title = `Why B is ${size(Math.abs(total))} ${total > 0 ? "larger" : "smaller"}${sizes}`;
  return h(
    "figure",
    {},
    h("figcaption", {}, title),
    h(
      "ul",
      { "aria-label": title },
      ...causes.map(({ label, bytes, sentences }) =>
        h(
          "li",
          { title: sentences.join("\n") || null, "data-bytes": bytes },
          h("span", { class: "pqx-diff-cause" }, ...said(label)),
          h("span", { class: "pqx-diff-bytes" }, signed(bytes)),
          h(
            "span",
            { class: "pqx-diff-bar", "aria-hidden": "true" },
            h("i", {
              class: bytes > 0 ? "pqx-diff-more" : "pqx-diff-less",
              style: `width: ${((Math.abs(bytes) / most) * 50).toFixed(2)}%`,
            }),
          ),
        ),
      ),
      h(
        "li",
        { class: "pqx-diff-total" },
        h("span", {}, "together"),
        h("span", { class: "pqx-diff-bytes" }, signed(total)),
        h("span", {}),
      ),
    ),
  );
}

/** What the colours and signs mean, and which file each bar belongs to. */
function keys(map: Both): HTMLElement {
  const used = map.kinds.filter((_, kind) =>
    [map.first, map.second].some((bytes) => bytes.some((n, i) => i % map.kinds.length === kind && n > 0)),
  );
  const families = [...new Set(used.map(familyOf))].map((i) => FAMILIES[i]);
  const states = Object.keys(CHANGES).filter(
    (state) =>
      state !== "absent" && [...map.states, ...map.lines.map((line) => line.state)].includes(state as never),
  ) as (keyof typeof CHANGES)[];
  return h(
    "div",
    {},
    h(
      "p",
      { class: "pqx-diff-names" },
      h("strong", {}, "A"),
      ` ${map.names[0]}, ${size(map.sizes[0])}, the upper bars; `,
      h("strong", {}, "B"),
      ` ${map.names[1]}, ${size(map.sizes[1])}, the lower bars. Outside of the columns: `,
      `${size(map.rest[0])} and ${size(map.rest[1])}.`,
    ),
    h(
      "ul",
      { class: "pqx-legend", "aria-label": "Legend" },
      ...families.map((family) =>
        h("li", {}, swatch(family, "pqx-swatch", family.letter), ` ${family.name}`),
      ),
      ...states.map((state) => {
        const { sign, word, colour } = CHANGES[state];
        const mark = h(
          "span",
          { class: "pqx-diff-sign", style: `--colour: ${colour}`, "aria-hidden": "true" },
          sign,
        );
        return h("li", {}, mark, ` ${word}`);
      }),
    ),
  );
}

/** How much of the files is drawn, if not all; and the scale. */
function shownText(map: Both): string {
  const parts = ["The columns share one scale; the line of all columns has its own."];
  const lines = map.lines.filter((line) => line.kind === "column").length;
  if (lines < map.columns)
    parts.push(`${count(lines)} of ${count(map.columns)} columns have a line; those that differ most.`);
  const { slots } = map;
  const groups = Math.max(...map.groups);
  if (slots.some(({ first, second }) => first[1] - first[0] > 1 || second[1] - second[0] > 1))
    parts.push(`${plural(groups, "row group")} in ${plural(slots.length, "slot")}.`);
  return parts.join(" ");
}

/** Both places: addresses, bytes, the facts that differ, and the first bytes of the second one. */
function besideParts(beside: Beside): Child[] {
  const [first, second] = beside.sides;
  const cell = (value: string | null) => (value === null ? h("span", { class: "pqx-muted" }, "–") : value);
  const row = (name: string, one: Child, two: Child, meaning = "") =>
    h("tr", {}, h("th", { scope: "row", title: meaning || null }, name), h("td", {}, one), h("td", {}, two));
  return [
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("td", {}),
          h("th", { scope: "col" }, "A ", h("span", { class: "pqx-muted" }, first.name)),
          h("th", { scope: "col" }, "B ", h("span", { class: "pqx-muted" }, second.name)),
        ),
      ),
      h(
        "tbody",
        {},
        row("place", placeText(first), placeText(second)),
        row("bytes", bytesText(first), bytesText(second)),
        ...beside.facts.map((fact) => row(fact.name, cell(fact.first), cell(fact.second), fact.meaning)),
      ),
    ),
    beside.equal > 0 &&
      h(
        "p",
        { class: "pqx-muted" },
        `${plural(beside.equal, "more fact")} ${beside.equal === 1 ? "is" : "are"} equal.`,
      ),
    beside.note !== "" && h("p", {}, beside.note),
    beside.rows.length > 0 &&
      h(
        "figure",
        { class: "pqx-diff-hex" },
        h("figcaption", { class: "pqx-muted" }, "B: the first bytes there"),
        h(
          "pre",
          { tabindex: 0, role: "region", "aria-label": "The first bytes of the place in B" },
          ...beside.rows.map(({ offset, digits, characters }) =>
            h("span", {}, `${count(offset).padStart(13)}  ${digits.padEnd(47)}  ${characters}`),
          ),
        ),
      ),
  ];
}

function placeText(side: Side): Child {
  if (side.address === null) return h("span", { class: "pqx-muted" }, "no such place");
  return h("span", {}, side.label, " ", h("code", {}, side.address || "the file"));
}

function bytesText(side: Side): Child {
  if (!side.span || side.size === null) return h("span", { class: "pqx-muted" }, "–");
  return `${plural(side.size, "byte")} from ${count(side.span.start)} on`;
}

export const diff: Lens = {
  mount: (el, picture: Picture, ctx) => new DiffView(el, picture, ctx),
  refreshes: true,
};
