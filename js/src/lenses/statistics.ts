/** Ranges of row groups and pages on the column's axis; below, the level histograms with the names of the levels. */

import { ACCENTS } from "../accents";
import "./board.css";
import "./statistics.css";
import { type Table, unpack } from "../columns";
import type { Context, Span } from "../context";
import { append, fill, h } from "../dom";
import { isSkipped, skippedLegend, veil } from "../skipped";
import { count, levelName, visible } from "../text";
import type { Theme } from "../theme";
import { troubleBox, troubleOf } from "../trouble";
import type { Lanes, Picture, Ranges } from "../wire/statistics";
import { Board, drawText, hatch, type Painting } from "./board";
import { chips } from "./chips";
import type { Lens, Shown } from "./lens";

/** One part of the column: a lane of the picture. */
interface Lane {
  low: number;
  high: number;
  page: boolean;
  state: State;
  name: string;
  text: string;
  address: string | null;
  span: Span | null;
}

type State = Lanes["state"][number];

/** `STATES` of insight/lenses/statistics.py, in its order. */
const STATES: State[] = ["usable", "distrusted", "none", "nulls", "locked", "damaged"];
const WORDS: Record<string, string> = {
  distrusted: "bounds not to be trusted",
  none: "no bounds",
  nulls: "nulls only",
  locked: "encrypted",
  damaged: "damaged",
};
const AXIS = 22;
const GROUP = ACCENTS.amount;
const PAGE = ACCENTS.second;
const DOUBT = ACCENTS.wrong;

export function lanesOf(lists: Lanes): (i: number) => Lane {
  return (i) => ({
    low: lists.low[i],
    high: lists.high[i],
    page: lists.page[i] === 1,
    state: lists.state[i],
    name: lists.name[i],
    text: lists.text[i],
    address: lists.address[i],
    span: lists.start[i] < 0 ? null : { start: lists.start[i], end: lists.end[i], space: "file" },
  });
}

function lanesOfTable({ numbers, texts }: Table): (i: number) => Lane {
  return (i) => ({
    low: numbers.low[i],
    high: numbers.high[i],
    page: numbers.page[i] === 1,
    state: STATES[numbers.state[i]],
    name: texts.name.at(i) ?? "",
    text: texts.text.at(i) ?? "",
    address: texts.address.at(i),
    span: numbers.start[i] < 0 ? null : { start: numbers.start[i], end: numbers.end[i], space: "file" },
  });
}

/** The height of a lane: enough to read its name, and less if otherwise not all lanes fit into `room`. */
export function laneHeight(parts: number, room = 340): number {
  return Math.min(18, room / Math.max(1, parts));
}

class RangesPainting implements Painting {
  label: string;
  count: number;
  minWidth = 320;
  first: number | undefined;
  #picture: Picture;
  #lane: (i: number) => Lane;
  #ctx: Context;
  #gutter = 96;
  #width = 0;
  #each: number;

  constructor(picture: Picture, lane: (i: number) => Lane, ctx: Context) {
    this.#picture = picture;
    this.#lane = lane;
    this.#ctx = ctx;
    this.count = picture.parts;
    this.#each = laneHeight(picture.parts);
    this.label = `Ranges of ${count(picture.parts)} row groups and pages on one axis`;
    if (picture.mine !== null) this.first = picture.mine;
  }

  height(): number {
    return Math.ceil(this.#each * this.count) + AXIS + 4;
  }

  draw(pen: CanvasRenderingContext2D, width: number, height: number, theme: Theme): void {
    this.#width = width;
    this.#gutter = this.#each < 11 ? 10 : 96;
    const bottom = height - AXIS;
    const line = theme.dark ? "rgba(255,255,255,.2)" : "rgba(0,0,0,.14)";
    this.#axis(pen, width, bottom, theme, line);
    let last = "";
    for (let i = 0; i < this.count; i++) {
      const lane = this.#lane(i);
      const y = i * this.#each;
      // of lanes thinner than a pixel, draw equal neighbours once
      const key = this.#each < 1 ? `${Math.floor(y)} ${lane.low} ${lane.high} ${lane.state}` : "";
      if (key && key === last) continue;
      last = key;
      this.#range(pen, lane, y, theme);
      if (this.#each >= 11) {
        pen.fillStyle = lane.page ? theme.muted : theme.ink;
        drawText(pen, lane.name, lane.page ? 14 : 4, y + this.#each / 2, this.#gutter - 18);
      }
    }
  }

  outline(pen: CanvasRenderingContext2D, mark: number, theme: Theme): void {
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 1.5;
    const y = Math.floor(mark * this.#each);
    pen.strokeRect(1, y + 0.5, this.#width - 2, Math.max(3, this.#each - 1));
  }

  at(_x: number, y: number): number {
    const lane = Math.floor(y / this.#each);
    return lane < this.count ? lane : -1;
  }

  say(mark: number): string {
    const lane = this.#lane(mark);
    const words = WORDS[lane.state];
    const doubt = words && !lane.text.startsWith(words) && lane.state === "distrusted" ? ` (${words})` : "";
    const skipped = isSkipped(this.#ctx.query, lane.span) ? ", not read by the query" : "";
    return `${this.#groupOf(mark)}${lane.name}: ${lane.text}${doubt}${skipped}`;
  }

  /** The row group of a page, if pages of several row groups are shown. */
  #groupOf(mark: number): string {
    if (this.#picture.mine !== null || !this.#lane(mark).page) return "";
    let group = mark;
    while (group > 0 && this.#lane(group).page) group--;
    return `${this.#lane(group).name}, `;
  }

  span(mark: number): Span | null {
    return this.#lane(mark).span;
  }

  choose(mark: number): void {
    const { address } = this.#lane(mark);
    if (address !== null) this.#ctx.select(address);
  }

  #x(at: number): number {
    return this.#gutter + 4 + at * (this.#width - this.#gutter - 16);
  }

  #axis(pen: CanvasRenderingContext2D, width: number, y: number, theme: Theme, line: string): void {
    let free = 0;
    for (const { at, text: tick } of this.#picture.axis.ticks) {
      const text = visible(tick);
      const x = this.#x(at);
      pen.fillStyle = line;
      pen.fillRect(Math.round(x), 0, 1, y + 4);
      const wide = pen.measureText(text).width;
      const left = Math.max(0, Math.min(width - wide - 2, x - wide / 2));
      if (left < free) continue;
      pen.fillStyle = theme.muted;
      pen.textAlign = "left";
      pen.fillText(text, left, y + 13);
      free = left + wide + 10;
    }
  }

  #range(pen: CanvasRenderingContext2D, lane: Lane, y: number, theme: Theme): void {
    const tall = Math.max(1, this.#each > 5 ? this.#each - (lane.page ? 5 : 3) : this.#each - 0.5);
    const top = y + (this.#each > 5 ? (lane.page ? 2.5 : 1.5) : 0);
    if (lane.low < 0 || lane.high < 0 || lane.state === "nulls") {
      const from = lane.low >= 0 ? lane.low : 0;
      const x = this.#x(from);
      if (this.#each >= 11) {
        pen.fillStyle = theme.muted;
        drawText(
          pen,
          lane.text || WORDS[lane.state],
          this.#gutter + 6,
          y + this.#each / 2,
          this.#width - 120,
        );
      } else {
        pen.strokeStyle = theme.muted;
        pen.strokeRect(x, top + 0.5, this.#width - x - 12, Math.max(0.5, tall - 1));
      }
      return;
    }
    const a = this.#x(Math.min(lane.low, lane.high));
    const b = Math.max(a + 3, this.#x(Math.max(lane.low, lane.high)));
    if (lane.state === "usable") {
      pen.fillStyle = lane.page ? PAGE : GROUP;
      pen.fillRect(a, top, b - a, tall);
      if (isSkipped(this.#ctx.query, lane.span)) veil(pen, a, top, b - a, tall, theme);
      return;
    }
    if (tall >= 4) hatch(pen, a, top, b - a, tall, DOUBT);
    pen.strokeStyle = DOUBT;
    pen.lineWidth = 1;
    pen.strokeRect(a + 0.5, top + 0.5, b - a - 1, Math.max(0.5, tall - 1));
  }
}

export const statistics: Lens = {
  mount(el, picture: Picture, ctx, detail): Shown {
    const place = h("div", { class: "pqx-ranges", "data-verdict": picture.verdict });
    let board: Board | null = null;
    const legend = skippedLegend(ctx, () => {
      board?.redraw();
      board?.tell();
    });
    append(el, [chips(picture.facts), legend.el, place, levels(picture)]);
    const draw = (lane: (i: number) => Lane) => {
      board = new Board(ctx, new RangesPainting(picture, lane, ctx), picture.axis.label);
      fill(place, keys(picture, lane), board.el);
    };
    if (picture.lanes) draw(lanesOf(picture.lanes));
    else
      ctx.rpc.call<Ranges>("ranges", { address: detail.address }).then(
        ({ result, buffers }) => draw(lanesOfTable(unpack(result.columns, buffers))),
        (error) => fill(place, troubleBox(ctx, troubleOf(error))),
      );
    return {
      dispose: () => {
        legend.dispose();
        board?.dispose();
      },
    };
  },
};

function keys(picture: Picture, lane: (i: number) => Lane): HTMLElement {
  const few = Math.min(picture.parts, 1_000);
  const lanes = Array.from({ length: few }, (_, i) => lane(i));
  const has = (test: (one: Lane) => boolean) => lanes.some(test);
  const key = (kind: string, text: string) => h("li", {}, h("i", { class: `pqx-key-${kind}` }), text);
  return h(
    "ul",
    { class: "pqx-keys", "aria-label": "Legend" },
    has((one) => !one.page && one.state === "usable") && key("group", "row group"),
    has((one) => one.page && one.state === "usable") && key("part", "page"),
    has((one) => one.state === "distrusted") && key("doubt", "not to be trusted"),
  );
}

function levels(picture: Picture): HTMLElement | null {
  if (!picture.levels.length) return null;
  return h(
    "div",
    { class: "pqx-histograms" },
    ...picture.levels.map(({ title, rows, of }) =>
      h(
        "table",
        { class: "pqx-histogram" },
        h("caption", {}, title),
        h(
          "tbody",
          {},
          ...rows.map(({ name, count: n }, level) =>
            h(
              "tr",
              {},
              h(
                "th",
                { scope: "row", title: name },
                h("span", {}, h("span", { class: "pqx-muted" }, `${level} `), levelName(name)),
              ),
              h("td", { class: "pqx-right" }, count(n)),
              h(
                "td",
                {},
                h("span", {
                  class: "pqx-share",
                  style: `--share: ${((100 * n) / Math.max(1, of)).toFixed(2)}%`,
                  "aria-hidden": "true",
                }),
                `${((100 * n) / Math.max(1, of)).toFixed(1)} %`,
              ),
            ),
          ),
        ),
      ),
    ),
  );
}
