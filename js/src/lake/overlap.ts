/** How many files a value may lie in, a bar for each column; and, of one column, where the range of each file lies. */

import { ACCENTS } from "../accents";
import { append, fill, h } from "../dom";
import type { Lens, Shown } from "../lenses/lens";
import { count, plural } from "../text";
import { troubleBox, troubleOf } from "../trouble";
import type { Bar, Line, Picture, Ranges } from "../wire/overlap";
import { barList } from "./bars";
import type { LakeContext } from "./context";

export const overlap: Lens = {
  mount: (el, picture: Picture, ctx) => new Overlap(el, picture.bars, ctx as LakeContext),
};

const HEIGHT = 220;
const HINT = "Point at a line to see its file; a click opens the file.";

class Overlap implements Shown {
  #ctx: LakeContext;
  #el = h("div", { class: "pqx-ranges" });
  #ranges: Ranges | null = null;
  #canvas = h("canvas", { "aria-hidden": "true" });
  #note = h("p", { class: "pqx-ranges-note" }, HINT);
  #stops: (() => void)[] = [];
  #listener: (event: Event) => void;
  #root: Element | null;

  constructor(el: HTMLElement, bars: Bar[], ctx: LakeContext) {
    this.#ctx = ctx;
    append(el, [
      barList(
        bars.map(({ column, type, share, files, all }) => ({
          label: column,
          column: true,
          type,
          part: share,
          text: `${files.toLocaleString("en-US", { maximumFractionDigits: 1 })} of ${plural(all, "file")}`,
          address: `${column}:${type}`,
        })),
        "Files that a query for one value reads",
        (address) => void this.#go(address),
      ),
      this.#el,
    ]);
    // a row of the table below asks for its column
    this.#listener = (event) => void this.#go((event as CustomEvent<string>).detail);
    this.#root = el.closest(".pqx-lake");
    this.#root?.addEventListener("pqx-column", this.#listener);
    const observer = new ResizeObserver(() => this.#draw());
    observer.observe(this.#el);
    this.#stops = [() => observer.disconnect()];
    if (bars.length) void this.#show(`${bars[0].column}:${bars[0].type}`);
  }

  dispose(): void {
    for (const stop of this.#stops) stop();
    this.#root?.removeEventListener("pqx-column", this.#listener);
  }

  /** Show the ranges that were asked for, and scroll to them where they are not seen. */
  async #go(address: string): Promise<void> {
    await this.#show(address);
    this.#el.scrollIntoView({ block: "nearest" });
    this.#ctx.announce(this.#el.querySelector("h2")?.textContent ?? "");
  }

  /** `address` is the column's name and its type, with a colon between. */
  async #show(address: string): Promise<void> {
    const { filters } = this.#ctx;
    const at = address.lastIndexOf(":");
    const [column, type] = [address.slice(0, at), address.slice(at + 1)];
    try {
      const { result } = await this.#ctx.rpc.call<Ranges>("ranges", {
        column,
        type,
        ...(filters && { filters }),
      });
      this.#ranges = result;
      const drawn = result.lines.length;
      const known = result.total - result.unknown;
      fill(
        this.#el,
        h("h2", {}, `Ranges of ${column}, a line for each file`),
        h(
          "div",
          {
            class: "pqx-ranges-stage",
            role: "img",
            "aria-label": `Where ${count(known)} files lie between the minimum and the maximum of ${column}`,
            "data-column": column,
            "data-lines": JSON.stringify(result.lines.map(({ low, high }) => [low, high])),
            onclick: (event: MouseEvent) => {
              const line = this.#at(event);
              if (line) this.#ctx.select(line.path);
            },
            onpointermove: (event: PointerEvent) => {
              const line = this.#at(event);
              fill(
                this.#note,
                line
                  ? `${this.#ctx.relative(line.path)}: ${line.low_text ?? "?"} to ${line.high_text ?? "?"}`
                  : "",
              );
            },
            onpointerleave: () => fill(this.#note, HINT),
          },
          this.#canvas,
        ),
        h(
          "p",
          { class: "pqx-ranges-ends" },
          ...[result.first, result.last].map((end) => h("span", { title: end }, end)),
        ),
        this.#note,
        h(
          "p",
          { class: "pqx-muted" },
          drawn < known ? `${count(drawn)} of ${count(known)} files are drawn. ` : "",
          "From left to right: the bounds of all files in order. A query for one value reads only the files whose lines reach it.",
          result.unknown
            ? ` ${plural(result.unknown, "file")} without bounds ${result.unknown === 1 ? "is" : "are"} always read.`
            : "",
        ),
      );
      this.#draw();
    } catch (error) {
      fill(this.#el, troubleBox(this.#ctx, troubleOf(error)));
    }
  }

  /** The line at the pointer. */
  #at(event: MouseEvent): Line | undefined {
    const lines = this.#ranges?.lines ?? [];
    const box = this.#canvas.getBoundingClientRect();
    const at = Math.floor(((event.clientY - box.top) / HEIGHT) * lines.length);
    return lines[Math.max(0, Math.min(lines.length - 1, at))];
  }

  #draw(): void {
    const ranges = this.#ranges;
    const pen = this.#canvas.getContext("2d");
    if (!ranges || !pen || !this.#canvas.isConnected) return;
    const width = this.#el.clientWidth || 600;
    const scale = devicePixelRatio || 1;
    this.#canvas.width = width * scale;
    this.#canvas.height = HEIGHT * scale;
    this.#canvas.style.cssText = `width: ${width}px; height: ${HEIGHT}px`;
    pen.scale(scale, scale);
    pen.fillStyle = ACCENTS.amount;
    const step = HEIGHT / Math.max(1, ranges.lines.length);
    const last = Math.max(1, ranges.ranks - 1);
    for (const [i, { low, high }] of ranges.lines.entries())
      pen.fillRect(
        (low / last) * (width - 3),
        i * step,
        Math.max(3, ((high - low) / last) * (width - 3)),
        Math.max(1, Math.min(10, step - 0.5)),
      );
  }
}
