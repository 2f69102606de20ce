/** What can be chosen for the new file: its pages, row groups and order; then its options as code, and writing it. */

import type { Context } from "../context";
import { copyButton } from "../copy";
import { append, fill, h, uniqueId } from "../dom";
import { Soon } from "../rest";
import { count, plural } from "../text";
import type { Change, Chosen, Code, Predicted, Whole, Written } from "../wire/what_if";
import { codeLines } from "./query_parts";
import { isChosen, toggled } from "./what_if_estimate";

const PAUSE = 250;

/** Why nothing can be asked; "" if it can. */
function closed({ query }: Context): string {
  if (query.saved) return "This is a saved page: to try other choices, open the file in a notebook.";
  return query.closed ? "The kernel does not answer: to try other choices, run the cell again." : "";
}

/** Sliders on pages and row groups, and a list of sort orders. Only the latest choice is asked, after a pause. */
export class Choosing {
  readonly el: HTMLElement;
  #ctx: Context;
  #chosen: Chosen;
  #show: (predicted: Predicted) => void;
  #expect: (chosen: Chosen) => void;
  #order: HTMLSelectElement | null = null;
  #boxes: [Change, HTMLInputElement][] = [];
  #said = h("p", { class: "pqx-whatif-said", "aria-live": "polite" });
  #request: AbortController | null = null;
  #pause = new Soon();
  #orderStops: string[][] = [];
  #inputs: (HTMLInputElement | HTMLSelectElement)[] = [];
  #closed = h("p", { class: "pqx-muted" });
  #stop: () => void;

  /** `show` gets what Python predicts, `expect` what was chosen, at once. */
  constructor(
    ctx: Context,
    whole: Whole,
    show: (predicted: Predicted) => void,
    expect: (chosen: Chosen) => void,
  ) {
    this.#ctx = ctx;
    this.#expect = expect;
    this.#chosen = whole.predicted.chosen;
    this.#show = show;
    this.el = h(
      "div",
      { class: "pqx-whatif-choose" },
      this.#slider("rows of a row group", whole.row_groups, "row_group_rows"),
      this.#slider("rows of a page", whole.pages, "page_rows"),
      whole.orders.length > 0 && this.#orders(whole.orders),
      this.#closed,
      this.#said,
    );
    this.#tell(whole.predicted);
    this.#close();
    this.#stop = ctx.query.lost.on(() => this.#close());
  }

  get chosen(): Chosen {
    return this.#chosen;
  }

  dispose(): void {
    this.#stop();
    this.#pause.drop();
    this.#request?.abort();
  }

  #close(): void {
    const why = closed(this.#ctx);
    fill(this.#closed, why);
    this.#closed.hidden = why === "";
    for (const input of this.#inputs) input.disabled = why !== "";
  }

  #slider(title: string, stops: number[], field: "page_rows" | "row_group_rows"): HTMLElement {
    const output = h("output", { class: "pqx-mono" });
    const at = Math.max(0, stops.indexOf(this.#chosen[field]));
    const tell = (value: number) => {
      const text = plural(value, "row");
      range.setAttribute("aria-valuetext", text);
      fill(output, text);
    };
    const range = h("input", {
      type: "range",
      min: 0,
      max: Math.max(0, stops.length - 1),
      value: at,
      "aria-label": title,
      oninput: () => {
        const value = stops[Number(range.value)];
        tell(value);
        this.#choose({ ...this.#chosen, [field]: value });
      },
      onkeydown: (event: KeyboardEvent) => {
        if (event.key !== "Escape") event.stopPropagation();
      },
    });
    tell(stops[at]);
    this.#inputs.push(range);
    return h("label", { class: "pqx-whatif-slider" }, h("span", {}, title), range, output);
  }

  #orders(orders: string[][]): HTMLElement {
    const select = h("select", {
      class: "pqx-input",
      onchange: () => this.#choose({ ...this.#chosen, sort: orders[Number(select.value) - 1] ?? [] }),
    });
    fill(
      select,
      h("option", { value: 0 }, "as it is"),
      ...orders.map((order, i) => h("option", { value: i + 1 }, `sorted by ${order.join(", ")}`)),
    );
    this.#inputs.push(select);
    this.#order = select;
    this.#orderStops = orders;
    return h("label", { class: "pqx-whatif-slider" }, h("span", {}, "order of the rows"), select);
  }

  /** A box that takes a change into the new file. */
  box(one: Change): HTMLInputElement {
    const box = h("input", {
      type: "checkbox",
      checked: isChosen(one, this.#chosen),
      onchange: () => this.#choose(toggled(one, this.#chosen, box.checked)),
    });
    this.#boxes.push([one, box]);
    this.#inputs.push(box);
    this.#close();
    return box;
  }

  #choose(chosen: Chosen): void {
    this.#chosen = chosen;
    const sort = chosen.sort.join("\n");
    if (this.#order)
      this.#order.value = String(this.#orderStops.findIndex((one) => one.join("\n") === sort) + 1);
    for (const [one, box] of this.#boxes) box.checked = isChosen(one, chosen);
    fill(this.#said, "Trying it…");
    this.#expect(chosen);
    this.el.dataset.asked = "";
    this.#request?.abort();
    this.#pause.after(PAUSE, () => void this.#ask(chosen));
  }

  /** An answer to an older choice is dropped: the request was aborted. */
  async #ask(chosen: Chosen): Promise<void> {
    if (PQX_PAGE) return;
    const request = new AbortController();
    this.#request = request;
    this.el.setAttribute("aria-busy", "true");
    try {
      const { result } = await this.#ctx.rpc.call<Predicted>("ask_what_if", chosen, request.signal);
      if (request.signal.aborted) return;
      this.#tell(result);
      this.#show(result);
      this.el.dataset.asked = [
        chosen.page_rows,
        chosen.row_group_rows,
        ...chosen.sort,
        ...chosen.types.flat(),
      ].join(" ");
    } catch (error) {
      if (!request.signal.aborted) this.#fail((error as Error).message);
    } finally {
      if (this.#request === request) this.el.removeAttribute("aria-busy");
    }
  }

  #tell({ sentence, trouble }: Predicted): void {
    if (trouble) this.#fail(sentence);
    else fill(this.#said, sentence);
  }

  #fail(message: string): void {
    fill(this.#said, h("span", { class: "pqx-trouble" }, "✗ ", message));
  }
}

/** The options as code, by writer, each with what it leaves out. */
export function options(ctx: Context, codes: Code[]): HTMLElement {
  return h(
    "div",
    { class: "pqx-whatif-codes" },
    h(
      "span",
      { class: "pqx-card-buttons" },
      h("span", { class: "pqx-muted" }, "copy options for"),
      ...codes.map(({ writer, code }) =>
        copyButton(ctx, writer, `Copy the options as code for ${writer}`, async () => code),
      ),
    ),
    ...codes.map(({ writer, code, left_out }) =>
      h(
        "details",
        { "data-writer": writer },
        h(
          "summary",
          {},
          `with ${writer}`,
          left_out.length > 0 &&
            h("span", { class: "pqx-muted" }, `, ${plural(left_out.length, "part")} left out`),
        ),
        left_out.length > 0 && h("ul", {}, ...left_out.map((text) => h("li", {}, `Left out: ${text}`))),
        h("pre", { class: "pqx-mono", tabindex: 0 }, ...codeLines(code)),
      ),
    ),
  );
}

/** A name for the new file, a button that writes it, and how that went. */
export class Writing {
  readonly el: HTMLElement;
  #ctx: Context;
  #no: string;
  #chosen: () => Chosen;
  #name: HTMLInputElement;
  #write: HTMLButtonElement;
  #halt: HTMLButtonElement;
  #said = h("p", { class: "pqx-whatif-said", "aria-live": "polite" });
  #request: AbortController | null = null;
  #stop: () => void;

  constructor(ctx: Context, whole: Whole, chosen: () => Chosen) {
    this.#ctx = ctx;
    this.#no = whole.no_target;
    this.#chosen = chosen;
    const id = uniqueId("new-file");
    this.#name = h("input", {
      id,
      class: "pqx-input",
      type: "text",
      spellcheck: "false",
      autocomplete: "off",
      maxlength: 200,
      onkeydown: (event: KeyboardEvent) => event.stopPropagation(),
    });
    this.#name.value = whole.target;
    this.#write = h("button", { class: "pqx-button", type: "submit" }, "write the file");
    this.#halt = h(
      "button",
      { class: "pqx-button", hidden: true, onclick: () => this.#request?.abort() },
      "stop writing",
    );
    this.el = h(
      "form",
      {
        class: "pqx-whatif-write",
        onsubmit: (event: Event) => {
          event.preventDefault();
          void this.#go();
        },
      },
      h("label", { for: id }, "new file"),
      this.#name,
      this.#write,
      this.#halt,
    );
    append(this.el, [this.#said]);
    this.#close();
    this.#stop = ctx.query.lost.on(() => this.#close());
  }

  dispose(): void {
    this.#stop();
    this.#request?.abort();
  }

  #close(): void {
    const why = closed(this.#ctx) || this.#no;
    this.#name.disabled = this.#write.disabled = why !== "";
    if (why || !this.#said.dataset.done) fill(this.#said, why);
  }

  async #go(): Promise<void> {
    if (PQX_PAGE) return;
    const request = new AbortController();
    this.#request = request;
    this.#write.disabled = true;
    this.#halt.hidden = false;
    fill(this.#said, "Writing, and comparing all values…");
    try {
      const args = { target: this.#name.value.trim(), ...this.#chosen() };
      const { result } = await this.#ctx.rpc.call<Written>("write_what_if", args, request.signal);
      fill(this.#said, `✓ ${result.sentence}`);
      this.#said.dataset.done = count(result.size);
    } catch (error) {
      const why = request.signal.aborted
        ? "Stopped: a file that was not complete is removed."
        : (error as Error).message;
      fill(this.#said, h("span", { class: "pqx-trouble" }, `✗ ${why}`));
    } finally {
      this.#halt.hidden = true;
      this.#write.disabled = false;
    }
  }
}
