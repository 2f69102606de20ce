/** The look at all bytes of the file: it goes on by itself, a slice of work for each request, while nobody waits for anything. */

import "./look.css";
import { fill, h } from "./dom";
import { work } from "./rest";
import type { Rpc } from "./rpc";
import type { Progress } from "./wire/look";

/** What is found is shown at once, then after twice the time each: showing it costs time, too. */
const SOON = 1_000;

export class Look {
  /** How far it is, with a button that stops it, or lets it go on; empty before it begins and after its end. */
  readonly el: HTMLElement;
  #rpc: Rpc;
  #root: HTMLElement;
  #found: (whole: boolean) => Promise<void>;
  #bar = h("span", { class: "pqx-look-bar", role: "progressbar", "aria-label": "looked at" });
  #word = h("span", { class: "pqx-look-word" });
  #said = h("span");
  #button = h("button", { class: "pqx-button", onclick: () => this.#turn() });
  #running = false;
  /** Counts the times that it began: one that was stopped does not go on with the next. */
  #times = 0;
  #end: (() => void) | null = null;

  /** `found` shows what is known, when that is more than before, and at the end. `root` says in `data-look` how it stands. */
  constructor(rpc: Rpc, root: HTMLElement, found: (whole: boolean) => Promise<void>) {
    this.#rpc = rpc;
    this.#root = root;
    this.#found = found;
    this.el = h("div", { class: "pqx-look", hidden: true }, this.#bar, this.#word, this.#said, this.#button);
  }

  /** Look on, until all is looked at or somebody stops it; whether all is. Rejects with what Python says. */
  async go(): Promise<boolean> {
    if (this.#running) return false;
    this.#running = true;
    const time = ++this.#times;
    const runs = () => this.#running && time === this.#times;
    this.#end = work();
    let known = -1;
    let next = 0;
    let wait = SOON;
    try {
      while (runs() && (await this.#rpc.idle())) {
        const { result } = await this.#rpc.call<Progress>("look", {}, undefined, true);
        if (result.whole) {
          this.#show("whole", 1);
          if (result.ended) await this.#found(true);
          return true;
        }
        if (!runs()) return false;
        this.#show("running", result.done);
        if (known >= 0 && result.findings > known && performance.now() >= next) {
          await this.#found(false);
          next = performance.now() + wait;
          wait *= 2;
          known = result.findings;
        }
        if (known < 0) known = result.findings;
      }
      return false;
    } finally {
      if (runs()) this.stop();
    }
  }

  stop(): void {
    this.#running = false;
    this.#end?.();
    this.#end = null;
    if (this.#root.dataset.look === "running") this.#show("stopped", Number(this.#bar.ariaValueNow) / 100);
  }

  #turn(): void {
    if (this.#running) this.stop();
    else void this.go().catch(() => {}); // what cannot be asked is said where it is asked
  }

  #show(how: "running" | "stopped" | "whole", done: number): void {
    const percent = Math.floor(done * 100);
    this.#root.dataset.look = how;
    this.el.hidden = how === "whole";
    this.#bar.style.setProperty("--done", `${percent}%`);
    for (const [name, value] of Object.entries({ valuemin: 0, valuemax: 100, valuenow: percent }))
      this.#bar.setAttribute(`aria-${name}`, String(value));
    this.el.title = `${percent} % of the bytes are looked at${how === "running" ? ", the others while nothing else is asked" : ""}`;
    fill(this.#word, how === "running" ? "looking:" : "looked at:");
    fill(this.#said, `${percent} %`);
    fill(this.#button, how === "running" ? "stop" : "go on");
  }
}
