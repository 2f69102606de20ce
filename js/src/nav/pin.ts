/** A view that stays: a lens at a place, beside the one that follows the selection. */

import "./pin.css";
import type { Context, Detail } from "../context";
import { h } from "../dom";
import { Frame } from "../lenses/frame";
import type { Shown } from "../lenses/lens";
import { troubleBox, troubleOf } from "../trouble";

export class Pin {
  #ctx: Context;
  #room: HTMLElement;
  #pane: HTMLElement | null = null;
  #shown: Shown | null = null;
  #go: (address: string, lens: string) => void;

  /** `room` is the pane of the lens; `go` leads the explorer to a place. */
  constructor(ctx: Context, room: HTMLElement, go: (address: string, lens: string) => void) {
    this.#ctx = ctx;
    this.#room = room;
    this.#go = go;
  }

  get open(): boolean {
    return this.#pane !== null;
  }

  show(detail: Detail): void {
    this.close();
    const { address, label, lens } = detail;
    const title = detail.lenses.find((one) => one.name === lens)?.title ?? lens;
    const panel = h("div", { class: "pqx-panel" });
    this.#pane = h(
      "section",
      { class: "pqx-pin", "aria-label": `Pinned: ${title} of ${label}` },
      h(
        "header",
        {},
        h("strong", {}, title),
        h(
          "button",
          {
            class: "pqx-link",
            title: `Go to ${address || "the file"}`,
            onclick: () => this.#go(address, lens),
          },
          label,
        ),
        h("code", { class: "pqx-muted" }, address),
        h(
          "button",
          {
            class: "pqx-button",
            "aria-label": "Close the pinned view",
            title: "Close",
            onclick: () => this.close(),
          },
          "×",
        ),
      ),
      panel,
    );
    this.#room.append(this.#pane);
    this.#room.classList.add("pqx-pinned");
    this.#draw(panel, detail);
  }

  close(): void {
    this.#shown?.dispose();
    this.#shown = null;
    this.#pane?.remove();
    this.#pane = null;
    this.#room.classList.remove("pqx-pinned");
  }

  #draw(panel: HTMLElement, detail: Detail): void {
    panel.replaceChildren();
    if (detail.trouble) {
      panel.append(troubleBox(this.#ctx, detail.trouble));
      return;
    }
    // what takes long is asked for here, not where the selection is
    const insist = () => void this.#insist(panel, detail);
    this.#shown = new Frame(panel, { ...this.#ctx, insist }, detail);
  }

  async #insist(panel: HTMLElement, { address, lens }: Detail): Promise<void> {
    const pane = this.#pane;
    try {
      const args = { address, view: lens, sure: true, ...this.#ctx.query.args(lens) };
      const { result } = await this.#ctx.rpc.call<Detail>("node", args);
      if (this.#pane !== pane) return;
      this.#shown?.dispose();
      this.#draw(panel, result);
    } catch (error) {
      if (this.#pane === pane) panel.replaceChildren(troubleBox(this.#ctx, troubleOf(error)));
    }
  }
}
