/** The microscope: a section in proportion, and one of its steps under the glass, down to the bits. */

import type { Context, Detail, Span } from "../context";
import { append, fill, h } from "../dom";
import { count, plural } from "../text";
import { troubleBox, troubleOf } from "../trouble";
import type { Picture, Step } from "../wire/encoding";
import { partView } from "./bits";
import "./encoding.css";
import { showLife } from "./goals";
import type { Lens, Shown } from "./lens";
import { stepKinds } from "./stepkinds";
import { Strip, styleOf } from "./strip";
import { headline, rowsView } from "./yields";

export const encoding: Lens = {
  mount: (el, picture, ctx) => new Microscope(el, picture, ctx),
};

const TICK = 900;
/** Values that playing stops at in each step. */
const PLAYED = 4;

class Microscope implements Shown {
  #picture: Picture;
  #ctx: Context;
  #step: Step;
  #strips: Strip[] = [];
  #glass: HTMLElement;
  #play: HTMLButtonElement;
  #where: HTMLElement;
  #stepBox: HTMLInputElement;
  #valueBox: HTMLInputElement;
  #message = h("div");
  /** The part or row of the step that is selected; -1: the step as a whole. */
  #moment = -1;
  #timer = 0;
  #asked = 0;
  #calm = matchMedia("(prefers-reduced-motion: reduce)").matches;

  constructor(el: HTMLElement, picture: Picture, ctx: Context) {
    this.#picture = picture;
    this.#ctx = ctx;
    this.#step = picture.step;
    const button = (sign: string, label: string, press: () => void) =>
      h("button", { class: "pqx-button", "aria-label": label, title: label, onclick: press }, sign);
    this.#play = button("▶ play", "Play the steps", () => this.#toggle());
    this.#where = h("span", { class: "pqx-muted" });
    this.#stepBox = this.#box("step", picture.listed - 1, (step) => this.#ask({ step }));
    const last = picture.kinds.reduce((sum, kind) => sum + (kind.yields === "values" ? kind.values : 0), 0);
    this.#valueBox = this.#box("value", last - 1, (value) => this.#ask({ value }));
    this.#glass = h("div", {
      class: "pqx-glass",
      tabindex: 0,
      role: "group",
      "aria-label":
        "A step under the glass. Left and right: a step back and forth; Home and End: first and last; up and down: " +
        "through its parts and values; Enter: go to the value; space: play.",
      onkeydown: (event: KeyboardEvent) => this.#key(event),
      onpointerleave: () => this.#point(),
      onfocusin: () => this.#point(),
    });
    append(el, [
      h(
        "div",
        { class: "pqx-microscope", "data-section": picture.section },
        this.#tabs(),
        this.#overview(),
        h(
          "div",
          { class: "pqx-bar" },
          button("|◀", "First step", () => this.#ask({ step: 0 })),
          button("◀", "One step back", () => this.#move(-1)),
          this.#play,
          button("▶", "One step on", () => this.#move(1)),
          button("▶|", "Last step", () => this.#ask({ step: picture.listed - 1 })),
          h("label", {}, "step ", this.#stepBox, ` of ${count(picture.total)}`),
          last > 0 && h("label", {}, "with value ", this.#valueBox),
          this.#where,
        ),
        this.#message,
        this.#glass,
      ),
    ]);
    this.#show(picture.step);
  }

  follow(_detail: Detail, next: Picture): boolean {
    if (next.section !== this.#picture.section) return false;
    if (next.step.number !== this.#step.number || next.step.focus !== this.#step.focus) this.#show(next.step);
    else this.#point();
    return true;
  }

  dispose(): void {
    this.#pause();
    for (const strip of this.#strips) strip.dispose();
  }

  #box(name: string, most: number, go: (number: number) => void): HTMLInputElement {
    return h("input", {
      class: "pqx-number",
      type: "number",
      min: 0,
      max: Math.max(0, most),
      "aria-label": name,
      onchange: (event: Event) => {
        const asked = Math.round(Number((event.target as HTMLInputElement).value) || 0);
        go(Math.max(0, Math.min(most, asked)));
      },
    });
  }

  #tabs(): HTMLElement | null {
    const { sections, section } = this.#picture;
    if (sections.length < 2) return null;
    return h(
      "div",
      { class: "pqx-bar", role: "group", "aria-label": "Sections of the page" },
      ...sections.map((one) =>
        h(
          "button",
          {
            class: "pqx-button",
            "aria-pressed": String(one.address === section),
            onclick: () => this.#ctx.select(one.address),
          },
          `${one.name}: ${one.encoding}, ${plural(one.bytes, "byte")}`,
        ),
      ),
    );
  }

  #overview(): HTMLElement {
    const { kinds, bytes, values, space, base, problem } = this.#picture;
    const styles = kinds.map((kind) => styleOf(kind.name));
    const used = kinds.filter((kind) => kind.steps);
    const counts = used.map((kind) => plural(kind.steps, kind.name)).join(", ");
    const point = (cell: [number, number] | null) =>
      cell ? this.#ctx.hot.emit({ start: cell[0] + base, end: cell[1] + base, space: space }) : this.#point();
    if (bytes.start.length)
      this.#strips.push(
        new Strip(bytes, styles, {
          title: "bytes",
          label: `The section's bytes in proportion: ${counts}`,
          choose: (byte) => this.#ask({ byte }),
          point,
        }),
      );
    if (values.start.length)
      this.#strips.push(
        new Strip(values, styles, {
          title: "values",
          label: `The values that each step yields, in proportion: ${counts}`,
          choose: (value) => this.#ask({ value }),
          point: () => {},
        }),
      );
    return h(
      "div",
      { class: "pqx-proportion" },
      ...this.#strips.map((strip) => strip.el),
      stepKinds(used),
      problem && h("p", { class: "pqx-trouble" }, h("strong", {}, "Damaged"), problem),
    );
  }

  #ask(args: { step?: number; value?: number; byte?: number; focus?: number }, then?: () => void): void {
    const asked = ++this.#asked;
    this.#ctx.rpc.call<Step>("derive", { address: this.#picture.section, ...args }).then(
      ({ result }) => {
        if (asked !== this.#asked) return;
        this.#message.replaceChildren();
        this.#show(result);
        then?.();
      },
      (error) => {
        this.#pause();
        fill(this.#message, troubleBox(this.#ctx, troubleOf(error)));
      },
    );
  }

  #move(by: number): void {
    const step = this.#step.number + by;
    if (step >= 0 && step < this.#picture.listed) this.#ask({ step });
    else this.#pause();
  }

  #show(step: Step): void {
    this.#step = step;
    this.#moment = -1;
    const kind = this.#picture.kinds[step.kind];
    this.#stepBox.value = String(step.number);
    this.#valueBox.value = step.yields === "values" ? String(step.focus) : "";
    this.#glass.dataset.step = String(step.number);
    this.#glass.dataset.focus = String(step.focus);
    const { base, space } = this.#picture;
    const last = step.first + step.count - 1;
    const noun = step.yields === "values" ? this.#noun : step.yields.replace(/s$/, "");
    fill(
      this.#where,
      `${plural(step.bytes, "byte")} at ${count(step.start)}`,
      step.count > 0 && ` → ${noun} ${count(step.first)}${last > step.first ? ` to ${count(last)}` : ""}`,
    );
    fill(
      this.#glass,
      h(
        "p",
        { class: "pqx-step-title" },
        h("strong", {}, `${kind.name}: `),
        step.label.startsWith(`${kind.name} `) ? step.label.slice(kind.name.length + 1) : step.label,
        h("small", { class: "pqx-muted" }, ` ${kind.meaning}`),
      ),
      step.rows.length > 0 && headline(step, noun, (address) => showLife(this.#ctx, address)),
      ...step.parts.map((part) => partView(this.#ctx, part, space)),
      step.rows.length > 0 &&
        rowsView(step, noun, this.#picture.name !== "values", {
          near: (index) => this.#near(index),
          select: (address) => this.#ctx.select(address),
          more: (focus) => this.#ask({ step: step.number, focus }),
        }),
    );
    const whole = step.bytes === step.end - step.start;
    this.#strips[0]?.mark(whole ? [step.start - base, step.end - base] : null);
    this.#strips[1]?.mark(step.yields === "values" ? [step.first, step.first + step.count] : null);
    this.#point();
    if (step.yields === "values" && step.focus > step.first) this.#near(step.focus);
    this.#ctx.announce(`Step ${step.number}, ${kind.name}: ${step.label}`);
  }

  get #noun(): string {
    return this.#picture.name === "values" ? "value" : this.#picture.name.replace(/s$/, "");
  }

  /** Light the bytes of the step, or of the selected part or value. */
  #point(): void {
    const { start, end } = this.#step;
    const span: Span = { start: start, end: end, space: this.#picture.space };
    this.#ctx.hot.emit(end > start ? span : null);
  }

  /** Light a value: its bits in the picture, its bytes in hex. */
  #near(index: number): void {
    for (const old of this.#glass.querySelectorAll(".pqx-near")) old.classList.remove("pqx-near");
    const bits = this.#glass.querySelectorAll<HTMLElement>(`.pqx-piece[data-value="${index}"]`);
    for (const piece of bits) piece.classList.add("pqx-near");
    const at = [...bits].map((piece) => Number(piece.closest<HTMLElement>("[data-at]")?.dataset.at));
    if (at.length)
      this.#ctx.hot.emit({ start: Math.min(...at), end: Math.max(...at) + 1, space: this.#picture.space });
    else this.#point();
    for (const row of this.#glass.querySelectorAll<HTMLElement>("tr[data-index]"))
      row.classList.toggle("pqx-chosen", row.dataset.index === String(index));
  }

  #toMoment(moment: number): void {
    this.#moment = moment;
    const parts = [...this.#glass.querySelectorAll<HTMLElement>(".pqx-part")];
    parts.forEach((part, i) => {
      part.classList.toggle("pqx-now", i === moment);
    });
    const { parts: known, rows } = this.#step;
    const row = rows[moment - known.length];
    if (row) {
      this.#near(row.index);
      this.#reveal(this.#glass.querySelector(`tr[data-index="${row.index}"]`));
      this.#ctx.announce(`${row.index}: ${row.how}${row.logical ? `, ${row.logical}` : ""}`);
    } else if (known[moment]) {
      const { start, end, name, says } = known[moment];
      this.#ctx.hot.emit({ start: start, end: end, space: this.#picture.space });
      this.#reveal(parts[moment]);
      this.#ctx.announce(`${name}: ${says.join("; ")}`);
    }
  }

  #reveal(el: Element | null): void {
    el?.scrollIntoView({ block: "nearest" });
  }

  #down(): void {
    const { parts, rows, first, count: yields } = this.#step;
    if (this.#moment + 1 < parts.length + rows.length) {
      this.#toMoment(this.#moment + 1);
      return;
    }
    const next = (rows.at(-1)?.index ?? first + yields) + 1;
    if (next < first + yields)
      this.#ask({ step: this.#step.number, focus: next }, () => this.#toMoment(this.#step.parts.length));
    else this.#move(1);
  }

  #key(event: KeyboardEvent): void {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    if ((event.target as Element).closest("button, input") && [" ", "Enter"].includes(event.key)) return;
    const row = this.#step.rows[this.#moment - this.#step.parts.length];
    const keys: Record<string, () => void> = {
      ArrowRight: () => this.#move(1),
      ArrowLeft: () => this.#move(-1),
      Home: () => this.#ask({ step: 0 }),
      End: () => this.#ask({ step: this.#picture.listed - 1 }),
      ArrowDown: () => this.#down(),
      ArrowUp: () => this.#moment > 0 && this.#toMoment(this.#moment - 1),
      Enter: () => this.#ctx.select(row?.address ?? this.#step.address),
      " ": () => this.#toggle(),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  #toggle(): void {
    if (this.#timer) {
      this.#pause();
      return;
    }
    this.#timer = window.setInterval(() => this.#tick(), this.#calm ? 2 * TICK : TICK);
    fill(this.#play, "❚❚ pause");
    this.#play.setAttribute("aria-label", "Pause");
  }

  #pause(): void {
    window.clearInterval(this.#timer);
    this.#timer = 0;
    fill(this.#play, "▶ play");
    this.#play.setAttribute("aria-label", "Play the steps");
  }

  /** Parts, then some values, then the next step; only whole steps for those who ask for less motion. */
  #tick(): void {
    const { parts, rows, number } = this.#step;
    const last = parts.length + Math.min(PLAYED, rows.length) - 1;
    if (!this.#calm && this.#moment < last) this.#toMoment(this.#moment + 1);
    else if (number + 1 < this.#picture.listed) this.#move(1);
    else this.#pause();
  }
}
