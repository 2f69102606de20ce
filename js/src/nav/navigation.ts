/** The ways through one explorer: back and forward, the palette, links to places, a pinned view. */

import type { Context, Detail } from "../context";
import { copyButton, download, write } from "../copy";
import { h } from "../dom";
import type { Model } from "../host";
import { ICONS, icon } from "../icons";
import { LENSES } from "../lenses";
import type { Picture as Overview } from "../wire/overview";
import type { Line } from "../wire/wire_tables";
import type { Words } from "../words";
import { commandButton, door } from "./commandbutton";
import type { Command } from "./commands";
import { begin, follow, linkTo, numberOf, placeOf } from "./hash";
import { History, type Place } from "./history";
import { Palette } from "./palette";
import { Pin } from "./pin";

interface Parts {
  /** The element of the whole explorer. */
  root: HTMLElement;
  tools: HTMLElement;
  /** What has the tools that are used less. */
  menu: HTMLElement;
  crumbs: HTMLElement;
  lens: HTMLElement;
  /** The cards of the words of the specification. */
  explained: Words;
}

export class Navigation {
  #ctx: Context;
  #model: Model;
  #parts: Parts;
  #history = new History();
  #detail: Detail | null = null;
  #palette: Palette;
  #pin: Pin;
  #buttons: [Command, HTMLButtonElement][] = [];
  #note: HTMLElement | null = null;
  #saving = false;
  #moved = false;
  /** When a key was pressed last in the tree or in the byte map, which walk from place to place. */
  #walked = Number.NEGATIVE_INFINITY;
  #scroll: number | null = null;
  /** Where a saved page begins: an address without a hash leads there. */
  #start: Place;
  /** What a command seeks in the panel, as a selector. */
  #sought = "";
  #stops: (() => void)[] = [];

  constructor(ctx: Context, model: Model, parts: Parts) {
    this.#ctx = ctx;
    this.#model = model;
    this.#parts = parts;
    this.#start = this.#place;
    this.#palette = new Palette(
      ctx,
      () => this.#detail,
      () => model.places?.() ?? [],
      () => model.later?.(),
      undefined,
      {
        all: () => parts.explained.all(),
        show: (term) => parts.explained.show(term, parts.crumbs),
      },
    );
    this.#pin = new Pin(ctx, parts.lens, (address, lens) => this.go({ address, lens }));
    parts.root.append(this.#palette.el);
    this.#addCommands();
    const press = (event: KeyboardEvent) => {
      if ((event.target as Element).closest("[role=tree], [role=slider]")) this.#walked = performance.now();
      ctx.commands.press(event);
    };
    // before the parts see the key: an arrow with Alt is not theirs
    parts.root.addEventListener("keydown", press, true);
    const moved = () => {
      if (this.#moved) return;
      this.#moved = true; // both traits may change at once
      queueMicrotask(() => this.#visit());
    };
    for (const event of ["change:selection", "change:view"]) {
      model.on(event, moved);
      this.#stops.push(() => model.off(event, moved));
    }
    if (model.saved) {
      const hash = () => this.#fromHash();
      const stepped = ({ state }: PopStateEvent) => this.#stepped(state);
      window.addEventListener("hashchange", hash);
      window.addEventListener("popstate", stepped);
      this.#stops.push(
        () => window.removeEventListener("hashchange", hash),
        () => window.removeEventListener("popstate", stepped),
      );
      hash();
    }
    this.#visit();
    if (model.get("resumed")) this.#resumed();
  }

  /** The selection is shown: `detail` is what Python says of it. */
  shown(detail: Detail): void {
    this.#detail = detail;
    this.#enable();
    const panel = this.#panel;
    if (this.#scroll !== null && panel) panel.scrollTop = this.#scroll;
    this.#scroll = null;
    this.#reveal();
  }

  /** Bring to the middle of the panel what a command seeks there. */
  #reveal(): void {
    const sought = this.#sought;
    this.#sought = "";
    const found = sought ? this.#panel?.querySelector(sought) : null;
    const fold = found?.closest("details");
    if (fold) fold.open = true;
    found?.scrollIntoView({ block: "center" });
  }

  /** Go to an address with a lens. */
  go({ address, lens }: Place): void {
    this.#model.set("selection", address);
    this.#model.set("view", lens);
    this.#model.save_changes();
  }

  dispose(): void {
    for (const stop of this.#stops) stop();
    this.#palette.dispose();
    this.#pin.close();
  }

  get #place(): Place {
    return { address: this.#model.get("selection") ?? "", lens: this.#model.get("view") ?? "" };
  }

  get #panel(): HTMLElement | null {
    return this.#parts.lens.querySelector<HTMLElement>(":scope > .pqx-panel");
  }

  #addCommands(): void {
    const step = (by: number) => () => {
      // in a saved page both ways back are one
      if (this.#model.saved && numberOf(history.state) === this.#history.number) history.go(by);
      else this.#step(by);
    };
    const back: Command = {
      name: "Back",
      keys: "Alt+ArrowLeft",
      can: () => this.#history.can(-1),
      run: step(-1),
    };
    const forward: Command = {
      name: "Forward",
      keys: "Alt+ArrowRight",
      can: () => this.#history.can(1),
      run: step(1),
    };
    const find: Command = { name: "Find", keys: "Mod+K", unlisted: true, run: () => this.#palette.open() };
    const pin: Command = {
      name: "Pin this view beside the next ones",
      can: () => this.#detail !== null,
      run: () => this.#pin.show(this.#detail as Detail),
    };
    const { saved } = this.#model;
    const save: Command = {
      name: `Save this page as one HTML file, with values of the file${this.#ctx.identity.decrypts ? " that were decrypted" : ""}`,
      id: "save",
      also: "download export",
      can: () => !saved && !this.#saving,
      run: () => void this.#save(),
    };
    this.#ctx.commands.add(
      back,
      forward,
      find,
      pin,
      save,
      {
        name: "Go to the worst finding",
        also: "what is damaged, broken or wrong",
        can: () => this.#ctx.identity.findings.length > 0,
        run: () => this.go({ address: this.#ctx.identity.findings[0].address, lens: "" }),
      },
      {
        name: "Go to the biggest column",
        also: "largest column",
        can: () => Boolean(this.#ctx.identity.columns && this.#ctx.identity.row_groups),
        run: () => void this.#biggest(),
      },
      {
        name: "Compare the row groups",
        also: "compare two row groups",
        can: () => (this.#ctx.identity.row_groups ?? 0) > 1,
        run: () => this.go({ address: "row_groups", lens: "" }),
      },
      {
        name: "See which columns lack statistics",
        also: "no statistics, missing minimum and maximum",
        run: () => {
          this.#sought = '[data-feature="statistics"]';
          const { address, lens } = this.#place;
          if (!address && (!lens || lens === "overview")) this.#reveal();
          else this.go({ address: "", lens: "overview" });
        },
      },
      {
        name: "Try what would make the file smaller",
        also: "how to make it smaller, reduce the size, compress better",
        can: () => !saved && Boolean(this.#ctx.identity.rows),
        run: () => {
          this.go({ address: "", lens: "what_if" });
          this.#ctx.insist(); // the command says that it tries: the lens need not ask again
        },
      },
      {
        name: "See who wrote the file",
        also: "who wrote this, its writer, version, created by",
        run: () => this.go({ address: "", lens: "facts" }),
      },
      { name: "Close the pinned view", can: () => this.#pin.open, run: () => this.#pin.close() },
      {
        name: saved ? "Copy a link to this place" : "Copy the Python code that leads here",
        can: () => !saved || linkTo(this.#place) !== null,
        run: () => void this.#copy(saved ? async () => linkTo(this.#place) ?? "" : () => this.#code()),
      },
      {
        name: "Copy the address of this place",
        can: () => this.#place.address !== "",
        run: () => void this.#copy(async () => this.#place.address),
      },
      {
        name: "Check all bytes",
        can: () => !saved,
        run: () => void this.#ctx.check(),
      },
    );
    const signs = [this.#button(back, icon(...ICONS.back)), this.#button(forward, icon(...ICONS.forward))];
    for (const sign of signs) sign.classList.add("pqx-tool");
    this.#parts.tools.prepend(door(find), ...signs);
    const { menu } = this.#parts;
    menu.append(this.#button(pin, icon(...ICONS.pin), pin.name));
    if (!saved) menu.append(this.#button(save, icon(...ICONS.save), save.name));
  }

  #button(command: Command, ...children: (Element | string)[]): HTMLButtonElement {
    const button = commandButton(command, ...children);
    button.addEventListener(
      "click",
      () => this.#parts.menu.matches(":popover-open") && this.#parts.menu.hidePopover(),
    );
    this.#buttons.push([command, button]);
    return button;
  }

  #enable(): void {
    for (const [command, button] of this.#buttons)
      button.setAttribute("aria-disabled", String(!(command.can?.() ?? true)));
  }

  /** The traits have changed: note the place. */
  #visit(): void {
    this.#moved = false;
    const place = this.#place;
    const now = performance.now();
    const first = this.#history.present === undefined;
    const byKeys = now - this.#walked < 300;
    const added = this.#history.visit(place, now, this.#panel?.scrollTop, byKeys);
    this.#enable();
    if (first) {
      if (this.#model.saved) begin(this.#history.number);
      return;
    }
    if (this.#note) this.#say();
    if (this.#model.saved) follow(place, this.#history.number, added);
  }

  #step(by: number): void {
    const place = this.#history.step(by, this.#panel?.scrollTop);
    if (!place) return;
    this.#scroll = place.scroll;
    this.go(place);
    this.#enable();
  }

  /**
   * The browser went back or forward. A step that was made before the page was loaded again has a number that means another
   * place now: its hash leads there, or to where the page begins.
   */
  #stepped(state: unknown): void {
    const number = numberOf(state);
    if (number === null) return; // a person typed the hash
    const by = number - this.#history.number;
    const place = placeOf(location.hash);
    const kept = this.#history.near(by);
    const places = place ? [place] : [{ address: "", lens: "" }, this.#start];
    if (places.some(({ address, lens }) => kept?.address === address && kept.lens === lens)) this.#step(by);
    else if (!place) this.go(this.#start);
  }

  /** Go where the hash leads, if the page has that place. */
  async #fromHash(): Promise<void> {
    const { hash } = location;
    const place = placeOf(hash);
    if (!place) return;
    const isKnown = () =>
      !place.address || this.#model.places?.().some(({ address }) => address === place.address);
    if (!isKnown()) await this.#model.later?.();
    if (location.hash !== hash) return; // somebody went on meanwhile
    if (!isKnown()) this.#say(`The link leads to ${place.address}; this page has nothing of it.`);
    else if (place.lens && !Object.hasOwn(LENSES, place.lens))
      this.#say(`The link names the lens ${place.lens}, which does not exist.`);
    else this.go(place);
  }

  #resumed(): void {
    if (PQX_PAGE) return;
    const start = () => this.go({ address: "", lens: "" });
    this.#say(
      "You are back where you were.",
      h("button", { class: "pqx-link", onclick: start }, "start at the file"),
    );
    this.#model.set("resumed", "");
    this.#model.save_changes();
  }

  /** A quiet line beside the place, until the next place or until it is dismissed; nothing removes it. */
  #say(text = "", ...more: HTMLElement[]): void {
    this.#note?.remove();
    this.#note = null;
    if (!text) return;
    const dismiss = h(
      "button",
      { class: "pqx-link", "aria-label": "Dismiss", title: "Dismiss", onclick: () => this.#say() },
      "×",
    );
    this.#note = h("p", { class: "pqx-nav-note", role: "status" }, h("span", {}, text), ...more, dismiss);
    this.#parts.crumbs.append(this.#note);
  }

  /** Ask Python for the page at this place and download it. No browser says whether it did, so the code is offered, too. */
  async #save(): Promise<void> {
    if (PQX_PAGE) return;
    const { name } = this.#ctx.identity;
    this.#saving = true;
    this.#enable();
    try {
      const { result, buffers } = await this.#ctx.rpc.call<Line>("save");
      download(`${name}.html`, new Blob(buffers as DataView<ArrayBuffer>[], { type: "text/html" }));
      const copy = copyButton(this.#ctx, "copy code", result.code, async () => result.code);
      copy.className = "pqx-link";
      this.#say("The download began. If no file came:", copy);
    } catch (error) {
      this.#say(`Not saved: ${(error as Error).message}`);
    } finally {
      this.#saving = false;
      this.#enable();
    }
  }

  async #biggest(): Promise<void> {
    try {
      const { result } = await this.#ctx.rpc.call<{ picture: Overview }>("lens", {
        address: "",
        lens: "overview",
      });
      const [first] = result.picture.largest;
      this.go({ address: first.address, lens: "" });
    } catch (error) {
      this.#ctx.announce(`Not found: ${(error as Error).message}`);
    }
  }

  async #code(): Promise<string> {
    if (PQX_PAGE) return "";
    const { where, engine } = this.#ctx.query;
    const { address, lens } = this.#place;
    const { result } = await this.#ctx.rpc.call<Line>("code", {
      address,
      view: lens,
      where,
      engine,
    });
    return result.code;
  }

  async #copy(text: () => Promise<string>): Promise<void> {
    try {
      const copied = await text();
      await write(copied);
      this.#ctx.announce(`Copied: ${copied}`);
    } catch (error) {
      this.#ctx.announce(`Not copied: ${(error as Error).message}`);
    }
  }
}
