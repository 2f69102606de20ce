/** The ways through a lake: back and forward over panels, filters and files, and the palette. */

import type { Context } from "../context";
import { ICONS, icon } from "../icons";
import { commandButton, door } from "../nav/commandbutton";
import { type Command, Commands } from "../nav/commands";
import { History } from "../nav/history";
import { Palette } from "../nav/palette";
import { Query } from "../query";
import type { Tab } from "../wire/header";
import type { LakeContext } from "./context";

/** The traits that are a place, without the selection in a file. */
const TRAITS = ["panel", "filters", "file"] as const;

const ASKS = {
  placeholder: "file, column, question, command, column > 5",
  label: "Find a file, a column, a question or a command",
  values: false,
};

interface Room {
  root: HTMLElement;
  tools: HTMLElement;
  /** What scrolls. */
  panel: HTMLElement;
}

interface State {
  get(name: string): string;
}

/** A condition from the palette is asked of the whole lake. */
class Asked extends Query {
  #lake: LakeContext;

  constructor(lake: LakeContext) {
    super(null);
    this.#lake = lake;
  }

  override ask(where: string): void {
    this.#lake.ask(where, "");
  }
}

export class Ways {
  #model: State;
  #set: (changed: Record<string, string>) => void;
  #panel: HTMLElement;
  #history = new History();
  #palette: Palette;
  #commands = new Commands();
  #buttons: [Command, HTMLButtonElement][];
  #scroll: number | null = null;
  #moved = false;

  constructor(
    lake: LakeContext,
    model: State,
    tabs: Tab[],
    room: Room,
    set: (changed: Record<string, string>) => void,
  ) {
    this.#model = model;
    this.#set = set;
    this.#panel = room.panel;
    const ctx = { ...lake, commands: this.#commands, query: new Asked(lake), prefer: () => {} };
    const nowhere = () => [];
    this.#palette = new Palette(
      ctx as Context,
      () => null,
      nowhere,
      () => undefined,
      ASKS,
    );
    const back = this.#step("Back", "Alt+ArrowLeft", -1);
    const forward = this.#step("Forward", "Alt+ArrowRight", 1);
    const find: Command = { name: "Find", keys: "Mod+K", unlisted: true, run: () => this.#palette.open() };
    this.#commands.add(
      back,
      forward,
      find,
      ...tabs.map(({ name, title }) => ({
        name: `Show ${title}`,
        can: () => model.get("panel") !== name,
        run: () => set({ panel: name }),
      })),
      {
        name: "Remove all filters",
        also: "all files again",
        can: () => Boolean(model.get("filters")),
        run: () => set({ filters: "" }),
      },
    );
    this.#buttons = [
      [back, commandButton(back, icon(...ICONS.back))],
      [forward, commandButton(forward, icon(...ICONS.forward))],
    ];
    for (const [, button] of this.#buttons) button.classList.add("pqx-tool");
    room.tools.prepend(door(find), ...this.#buttons.map(([, button]) => button));
    room.root.append(this.#palette.el);
    // before the parts see the key: an arrow with Alt is not theirs
    room.root.addEventListener("keydown", (event) => this.#commands.press(event), true);
    this.#visit();
  }

  /** A trait of the place has changed; others may change at once. */
  moved(): void {
    if (this.#moved) return;
    this.#moved = true;
    queueMicrotask(() => this.#visit());
  }

  /** The panel is shown. */
  shown(): void {
    if (this.#scroll !== null) this.#panel.scrollTop = this.#scroll;
    this.#scroll = null;
  }

  /** The way back out of a file: the key leaves it where the file's own way back ends. */
  leaveBy(file: HTMLElement): void {
    file.addEventListener(
      "keydown",
      (event) => {
        if (event.key !== "ArrowLeft" || !event.altKey) return;
        const inner = file.querySelector(".pqx-tools [aria-keyshortcuts='Alt+ArrowLeft']");
        if (inner?.getAttribute("aria-disabled") === "false") return;
        this.#commands.press(event);
      },
      true,
    );
  }

  dispose(): void {
    this.#palette.dispose();
  }

  #step(name: string, keys: string, by: number): Command {
    const run = () => {
      const place = this.#history.step(by, this.#panel.scrollTop);
      if (!place) return;
      this.#scroll = place.scroll;
      const [panel, filters, file] = JSON.parse(place.address) as string[];
      this.#set({ panel, filters, selection: place.lens, file });
      this.#enable();
    };
    return { name, keys, can: () => this.#history.can(by), run };
  }

  #visit(): void {
    this.#moved = false;
    const place = TRAITS.map((name) => this.#model.get(name) ?? "");
    const selection = place[2] ? (this.#model.get("selection") ?? "") : "";
    this.#history.visit(
      { address: JSON.stringify(place), lens: selection },
      performance.now(),
      this.#panel.scrollTop,
    );
    this.#enable();
  }

  #enable(): void {
    for (const [command, button] of this.#buttons)
      button.setAttribute("aria-disabled", String(!command.can?.()));
  }
}
