/**
 * What a query reads: a line to type a condition in, sliders on its literals, the stages of the plan, each row group with
 * the stage that skips it, one row group in detail, and what would let it skip more.
 */

import "./board.css";
import "./query.css";
import type { Context, Detail } from "../context";
import { append, fill, h, said, uniqueId } from "../dom";
import { pathName } from "../pathname";
import { Soon } from "../rest";
import { count, plural } from "../text";
import type { Asked, Live, Picture } from "../wire/query";
import type { Example, Slider } from "../wire/question";
import { Board } from "./board";
import type { Lens, Shown } from "./lens";
import { Completion } from "./query_completion";
import { advice, danger, examples, keys, stageList } from "./query_parts";
import { GroupsPainting } from "./querygroups";
import { PagesPainting } from "./querypages";

const PAUSE = 250;

/** The condition with its sliders' literals, in the order of the text. */
export function joined(sliders: Slider[], literals: string[], after: string): string {
  return sliders.map(({ before }, i) => before + literals[i]).join("") + after;
}

class QueryView implements Shown {
  /** The condition is the question: it stands above the sentence, and the stages are the first thing below it. */
  readonly head: HTMLElement;
  #ctx: Context;
  #address: string;
  #picture: Picture;
  #input: HTMLTextAreaElement;
  #completion: Completion;
  #engine: HTMLSelectElement;
  #error = h("div", { class: "pqx-query-error", "aria-live": "polite" });
  #sliders = h("div", { class: "pqx-query-sliders" });
  #danger = h("div", { class: "pqx-query-part" });
  #first = h("div", { class: "pqx-query-part" });
  #stages = h("div", { class: "pqx-query-part" });
  #legend = h("div", { class: "pqx-query-part" });
  /** It keeps its element, and so the focus and the scroll position, from answer to answer. */
  #map = h("div", { class: "pqx-query-part" });
  #focus = h("div", { class: "pqx-query-part" });
  #last = h("div", { class: "pqx-query-part" });
  #root: HTMLElement;
  #groups: GroupsPainting | null = null;
  #groupBoard: Board | null = null;
  #pageBoard: Board | null = null;
  #literals: string[] = [];
  #examples: Example[] = [];
  #outputs: { range: HTMLInputElement; output: HTMLElement }[] = [];
  /** What is in the field was not asked yet. */
  #typing = false;
  /** A slider was moved and its condition was not asked yet: answers to older conditions do not move it back. */
  #ahead = false;
  #busy = false;
  #next: (() => void) | null = null;
  #pause = new Soon();
  #gone = false;
  #closed = h("p", { class: "pqx-muted pqx-query-saved" });
  #resized = new ResizeObserver(() => this.#grow());
  #stop: () => void;

  constructor(el: HTMLElement, picture: Picture, ctx: Context, detail: Detail) {
    this.#ctx = ctx;
    this.#picture = picture;
    this.#address = detail.address;
    this.#input = h("textarea", {
      id: uniqueId("condition"),
      rows: 1,
      class: "pqx-input",
      autocomplete: "off",
      spellcheck: "false",
      autocapitalize: "off",
      maxlength: 4000,
      oninput: () => {
        this.#typing = true;
        this.#grow();
        this.#completion.typed();
      },
      placeholder: picture.examples[0]?.where ?? "price > 10 AND city = 'Oslo'",
    });
    this.#completion = new Completion(this.#input, ctx, () => {
      this.#typing = true;
      this.#grow();
    });
    this.#engine = h("select", {
      class: "pqx-input",
      "aria-label": "Engine",
      onchange: () => this.#ask(),
    });
    this.head = h("div", { class: "pqx-query-head" }, this.#form(), this.#completion.el, this.#error);
    this.#root = h(
      "div",
      { class: "pqx-query" },
      this.#danger,
      this.#stages,
      this.#first,
      this.#sliders,
      this.#legend,
      this.#map,
      this.#focus,
      this.#last,
    );
    append(el, [this.#root]);
    this.#stop = ctx.query.lost.on(() => this.#close());
    this.#resized.observe(this.#input);
    this.#close();
    this.#show();
  }

  follow(detail: Detail, next: Picture | null): boolean {
    if (!next) return false;
    this.#address = detail.address;
    if (this.#ahead) return true;
    this.#picture = next;
    this.#show();
    return true;
  }

  dispose(): void {
    this.#gone = true;
    this.#completion.close();
    this.#stop();
    this.#resized.disconnect();
    this.#pause.drop();
    this.#groupBoard?.dispose();
    this.#pageBoard?.dispose();
  }

  #form(): HTMLElement {
    const { saved } = this.#ctx.query;
    return h(
      "form",
      {
        class: "pqx-query-form",
        onsubmit: (event: Event) => {
          event.preventDefault();
          this.#ask();
        },
        onkeydown: (event: KeyboardEvent) => this.#key(event),
      },
      h("label", { for: this.#input.id }, "WHERE"),
      this.#input,
      this.#engine,
      !saved && h("button", { class: "pqx-button", type: "submit" }, "ask"),
      h("button", { class: "pqx-button pqx-query-clear", onclick: () => this.#ask("") }, "clear"),
      this.#closed,
    );
  }

  /** Without a kernel nothing can be asked: disable the form, and say why. */
  #close(): void {
    const { closed } = this.#ctx.query;
    this.#closed.hidden = closed === "";
    fill(this.#closed, closed);
    const fields = [
      ...this.head.querySelectorAll<HTMLTextAreaElement | HTMLSelectElement | HTMLButtonElement>(
        ":is(textarea, select, button)",
      ),
      ...this.#sliders.querySelectorAll("input"),
    ];
    for (const one of fields)
      one.disabled = one.matches(".pqx-query-clear") ? !this.#canClear : closed !== "";
  }

  get #canClear(): boolean {
    return this.#picture.where !== "" && this.#ctx.query.can("");
  }

  /** As many lines as the condition needs: all of it is seen. */
  #grow(): void {
    const input = this.#input;
    input.style.height = "auto";
    const border = input.offsetHeight - input.clientHeight;
    if (input.scrollHeight) input.style.height = `${input.scrollHeight + border}px`;
  }

  /** Show a text in the field, whole. */
  #fillIn(where: string): void {
    if (this.#input.value === where) return;
    this.#input.value = where;
    this.#grow();
  }

  /** Escape takes back what was typed; if nothing was, it goes up one level, as everywhere. */
  #key(event: KeyboardEvent): void {
    if (event.target === this.#input && this.#completion.key(event)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (event.key === "Enter" && event.target === this.#input && !event.shiftKey && !event.isComposing) {
      event.preventDefault(); // Shift+Enter begins a line
      this.#ask();
    }
    if (event.key === "Escape") {
      if (event.target !== this.#input || this.#input.value === this.#picture.where) return;
      this.#fillIn(this.#picture.where);
      this.#typing = false;
      event.preventDefault();
    }
    event.stopPropagation();
  }

  #ask(where = this.#input.value.trim()): void {
    this.#pause.drop();
    this.#completion.close();
    this.#typing = this.#ahead = false;
    this.#fillIn(where);
    this.#ctx.query.ask(where, this.#engine.value || this.#ctx.query.engine);
  }

  #show(): void {
    const picture = this.#picture;
    const { query } = this.#ctx;
    const where = picture.where || query.where.trim();
    if (!this.#typing) this.#fillIn(where);
    const engine = picture.where ? picture.engine : query.engine;
    fill(
      this.#engine,
      ...picture.engines.map(({ name, title }) =>
        h("option", { value: name, selected: name === engine }, title),
      ),
    );
    const clear = this.head.querySelector<HTMLButtonElement>(".pqx-query-clear");
    if (clear) clear.disabled = !this.#canClear;
    this.#fail(picture.error);
    if (picture.examples.length) this.#examples = picture.examples;
    const offered = query.saved ? this.#examples.filter((one) => query.can(one.where)) : picture.examples;
    const title = query.saved
      ? "Conditions that this page has the answer to:"
      : "Conditions from the bounds of this file:";
    fill(this.#first, (query.saved || !picture.asked) && examples(offered, title, (text) => this.#ask(text)));
    this.#showSliders();
    this.#draw(picture.asked);
    fill(this.#last, advice(picture.advice, this.#ctx));
    this.#root.dataset.asked = picture.where;
  }

  #fail(error: string): void {
    this.#input.setAttribute("aria-invalid", String(error !== ""));
    if ((this.#error.querySelector(".pqx-query-why")?.textContent ?? "") === error) return;
    fill(
      this.#error,
      error &&
        h("p", { class: "pqx-trouble" }, h("span", {}, "✗ ", h("span", { class: "pqx-query-why" }, error))),
    );
  }

  #showSliders(): void {
    const { sliders, after } = this.#picture;
    this.#literals = sliders.map(({ stops, at }) => stops[at]);
    const same =
      this.#outputs.length === sliders.length &&
      sliders.every(({ stops }, i) => Number(this.#outputs[i].range.max) === stops.length - 1);
    if (!same || !sliders.length) {
      this.#outputs = [];
      fill(
        this.#sliders,
        ...(this.#ctx.query.saved ? [] : sliders.map((slider, i) => this.#slider(slider, i, after))),
      );
    }
    this.#outputs.forEach(({ range, output }, i) => {
      if (range.value !== String(sliders[i].at)) range.value = String(sliders[i].at);
      tell(range, output, this.#literals[i]);
    });
  }

  #slider(slider: Slider, index: number, _after: string): HTMLElement {
    const output = h("output", { class: "pqx-mono" });
    const range = h("input", {
      type: "range",
      min: 0,
      max: slider.stops.length - 1,
      value: slider.at,
      "aria-label": `${slider.column}: literal ${index + 1} of the condition`,
      oninput: () => this.#slide(index),
      onchange: () => this.#settle(),
      // A pointer that drags the slider back to where it began makes no change event.
      onpointerup: () => this.#ahead && this.#settle(),
      onkeydown: (event: KeyboardEvent) => {
        if (event.key !== "Escape") event.stopPropagation();
      },
    });
    this.#outputs.push({ range, output });
    return h(
      "label",
      { class: "pqx-query-slider" },
      h("span", { class: "pqx-query-column", title: slider.column }, pathName(slider.column, ".")),
      range,
      output,
    );
  }

  /** Redraw for another literal; of several in a row only the latest is asked. */
  #slide(index: number): void {
    const { sliders, after } = this.#picture;
    const { range, output } = this.#outputs[index];
    this.#ahead = true;
    this.#literals[index] = sliders[index].stops[Number(range.value)];
    tell(range, output, this.#literals[index]);
    const where = joined(sliders, this.#literals, after);
    this.#fillIn(where);
    const began = performance.now();
    const go = () => void this.#live(where, began);
    if (this.#busy) this.#next = go;
    else go();
  }

  /** A moment after the last step the condition itself changes, for every view. */
  #settle(): void {
    this.#pause.after(PAUSE, () => this.#ask());
  }

  async #live(where: string, began: number): Promise<void> {
    this.#busy = true;
    try {
      const args = { address: this.#address, where, engine: this.#picture.engine };
      const { result } = await this.#ctx.rpc.call<Live>("ask_literal", args);
      if (this.#gone) return;
      this.#fail(result.error);
      if (result.asked) {
        this.#draw(result.asked);
        const sentence = this.#root.closest(".pqx-lens")?.querySelector(".pqx-answer > p");
        if (sentence) fill(sentence, ...said(result.sentence));
      }
      this.#root.dataset.live = where;
      this.#root.dataset.took = (performance.now() - began).toFixed(1);
    } catch (error) {
      this.#fail((error as Error).message);
    } finally {
      this.#busy = false;
      const next = this.#next;
      this.#next = null;
      next?.();
    }
  }

  #draw(asked: Asked | null): void {
    const { where, engine } = this.#ctx.query;
    if (!asked) {
      this.#groupBoard?.dispose();
      this.#pageBoard?.dispose();
      this.#groups = this.#groupBoard = this.#pageBoard = null;
      this.#danger.replaceChildren();
      this.#stages.replaceChildren();
      this.#legend.replaceChildren();
      this.#map.replaceChildren();
      this.#focus.replaceChildren();
      return;
    }
    const { groups } = asked;
    const focused = asked.focus?.group ?? -1;
    if (this.#groups && this.#groups.count === groups.by.length && this.#groupBoard) {
      this.#groups.update(groups, focused, { where, engine });
      this.#groupBoard.redraw();
      this.#groupBoard.tell();
    } else {
      this.#groupBoard?.dispose();
      this.#groups = new GroupsPainting(groups, focused, { where, engine }, this.#ctx);
      this.#groupBoard = new Board(this.#ctx, this.#groups);
      this.#groups.onText = () => this.#groupBoard?.tell();
      fill(this.#map, this.#groupBoard.el);
    }
    const listed = groups.by.length;
    fill(this.#danger, danger(asked.danger, this.#ctx));
    fill(
      this.#stages,
      ...asked.remarks.map((text) => h("p", { class: "pqx-muted" }, ...said(text))),
      stageList(asked),
      ...asked.why_not_more.map((text) => h("p", { class: "pqx-query-more" }, ...said(text))),
    );
    fill(
      this.#legend,
      h(
        "p",
        { class: "pqx-query-title" },
        listed < groups.total
          ? `The first ${count(listed)} of ${count(groups.total)} row groups, in the order of the file`
          : `${plural(listed, "row group")}, in the order of the file`,
      ),
      keys(groups),
    );
    this.#detail(asked);
  }

  #detail({ focus }: Asked): void {
    this.#pageBoard?.dispose();
    this.#pageBoard = null;
    if (!focus) {
      this.#focus.replaceChildren();
      return;
    }
    const painting = new PagesPainting(focus, this.#ctx);
    if (painting.count) this.#pageBoard = new Board(this.#ctx, painting, "rows of the row group");
    fill(
      this.#focus,
      h("p", { class: "pqx-query-title", "data-group": focus.group }, ...said(focus.sentence)),
      this.#pageBoard && painting.legend(),
      this.#pageBoard?.el ?? null,
      focus.clipped > 0 &&
        h("p", { class: "pqx-muted" }, `${count(focus.clipped)} more pages are not drawn.`),
    );
  }
}

function tell(range: HTMLInputElement, output: HTMLElement, text: string): void {
  range.setAttribute("aria-valuetext", text);
  fill(output, text);
}

export const query: Lens = {
  mount: (el, picture, ctx, detail) => new QueryView(el, picture, ctx, detail),
  refreshes: true,
};
