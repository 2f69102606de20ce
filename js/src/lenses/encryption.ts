/**
 * The modules of an encrypted file: a block each, drawn in its parts; the parts of the one that is looked at; what its
 * AAD is put together from; and the keys, each by what it asks for.
 */

import type { Context, Detail, Span } from "../context";
import { fill, h } from "../dom";
import { count, plural, size } from "../text";
import type { Lens, Shown } from "./index";
import "./encryption.css";

interface Key {
  name: string;
  asks_for: string;
  at_hand: boolean;
  reason: string;
  modules: number;
  bytes: number;
  columns: string[];
  facts: { name: string; value: string; meaning: string }[];
}

interface AadPart {
  name: string;
  /** null where the bytes are not in the file, or not known. */
  hex: string | null;
  bytes: number | null;
  value: string;
  meaning: string;
}

interface Module {
  name: string;
  address: string;
  span: Span;
  parts: [name: string, bytes: number][];
  nonce: string;
  repeated: boolean;
  group: string;
  key: number;
  locked: boolean;
  aad: AadPart[];
}

interface Picture {
  algorithm: string;
  first: number;
  total: number;
  selected: number;
  keys: Key[];
  modules: Module[];
}

export const encryption: Lens = {
  mount: (el, picture, ctx, detail) => new ModuleMap(el, picture, ctx, detail),
};

const MEANINGS: Record<string, string> = {
  length: "bytes that follow, not encrypted",
  nonce: "used once with the key, not encrypted",
  ciphertext: "as long as what it hides",
  tag: "vouches for ciphertext and AAD",
};

class ModuleMap implements Shown {
  #ctx: Context;
  #picture: Picture;
  #blocks: HTMLElement[] = [];
  #open = h("div", { class: "pqx-enc-open", "aria-live": "polite" });

  constructor(el: HTMLElement, picture: Picture, ctx: Context, detail: Detail) {
    this.#ctx = ctx;
    this.#picture = picture;
    const keys = h("ul", { class: "pqx-enc-keys", "aria-label": "Keys" }, ...picture.keys.map(keyCard));
    el.append(h("div", { class: "pqx-enc" }, keys, this.#map(), this.#open));
    if (picture.modules.length) this.#look(Math.max(0, picture.selected), false);
    const part = /\/(length|nonce|ciphertext|tag)$/.exec(detail.address)?.[1];
    if (part) this.#open.querySelector(`[data-part="${part}"]`)?.setAttribute("aria-current", "true");
  }

  dispose(): void {
    this.#ctx.hot.emit(null);
  }

  #map(): HTMLElement {
    const { modules, first, total } = this.#picture;
    const groups: HTMLElement[] = [];
    let list: HTMLElement | null = null;
    modules.forEach((module, i) => {
      if (!list || module.group !== modules[i - 1]?.group) {
        list = h("div", { class: "pqx-enc-blocks" });
        groups.push(
          h("div", { class: "pqx-enc-group" }, h("span", { class: "pqx-muted" }, module.group), list),
        );
      }
      list.append(this.#block(module, i));
    });
    const clipped = total - modules.length;
    return h(
      "div",
      {
        class: "pqx-enc-map",
        role: "group",
        "aria-label": "Modules",
        onkeydown: (event: KeyboardEvent) => this.#key(event),
      },
      legend(),
      ...groups,
      clipped > 0 &&
        h(
          "p",
          { class: "pqx-muted" },
          `Modules ${count(first + 1)} to ${count(first + modules.length)} of ${count(total)} are drawn; the table has all.`,
        ),
    );
  }

  #block(module: Module, i: number): HTMLElement {
    const key = this.#picture.keys[module.key];
    const said = `${module.name}, ${plural(length(module), "byte")}, ${key.name}${module.locked ? ", locked" : ""}${
      module.repeated ? ", its nonce is used twice" : ""
    }`;
    const block = h(
      "button",
      {
        class: `pqx-enc-block${module.locked ? " pqx-enc-locked" : ""}`,
        "aria-label": said,
        title: said,
        "data-module": i,
        tabindex: -1,
        onclick: () => this.#go(module.address),
        onpointermove: (event: PointerEvent) => this.#pass(event, i),
        onfocus: () => this.#look(i),
        onpointerleave: () => this.#ctx.hot.emit(null),
        onblur: () => this.#ctx.hot.emit(null),
      },
      ...module.parts.map(([name, bytes]) =>
        h("i", { class: `pqx-enc-${kind(name)}`, style: `flex-grow: ${weight(bytes)}` }),
      ),
      h(
        "span",
        { class: "pqx-enc-key", "aria-hidden": "true" },
        `${letter(module.key)}${module.repeated ? "!" : ""}`,
      ),
    );
    block.style.width = `${14 + 9 * weight(length(module))}px`;
    this.#blocks.push(block);
    return block;
  }

  #go(address: string): void {
    if (!address) return;
    this.#ctx.prefer("encryption");
    this.#ctx.select(address);
  }

  /** A pointer that moves, not a page that moves under it. */
  #pass(event: PointerEvent, i: number): void {
    if (!event.movementX && !event.movementY) return;
    if (!this.#blocks[i].hasAttribute("data-looked")) this.#look(i);
    else this.#ctx.hot.emit(this.#picture.modules[i].span);
  }

  /** Show the parts of a module, and light its bytes. */
  #look(i: number, point = true): void {
    const { modules, keys } = this.#picture;
    const module = modules[i];
    this.#blocks.forEach((block, at) => {
      block.tabIndex = at === i ? 0 : -1;
      block.toggleAttribute("data-looked", at === i);
    });
    if (point) this.#ctx.hot.emit(module.span);
    const key = keys[module.key];
    fill(
      this.#open,
      h(
        "p",
        { class: "pqx-enc-title" },
        h("strong", {}, module.name),
        ` · ${plural(length(module), "byte")} at ${count(module.span[0])}${module.span[2] === "file" ? "" : " of the opened footer"} · `,
        `${letter(module.key)} ${key.name}${key.at_hand ? "" : ", not at hand"}`,
        module.repeated && h("strong", { class: "pqx-enc-wrong" }, " · its nonce is used twice"),
        module.address &&
          h("button", { class: "pqx-link pqx-enc-go", onclick: () => this.#go(module.address) }, "go there"),
      ),
      this.#frame(module),
      aadStrip(module),
    );
  }

  #frame(module: Module): HTMLElement {
    let at = module.span[0];
    const parts = module.parts.map(([name, bytes]) => {
      const span: Span = [at, at + bytes, module.span[2]];
      at += bytes;
      return h(
        "li",
        { style: `flex-grow: ${weight(bytes)}` },
        h(
          "button",
          {
            class: `pqx-enc-part pqx-enc-${kind(name)}${name.startsWith("ciphertext") && module.locked ? " pqx-enc-locked" : ""}`,
            "data-part": name,
            onclick: () => module.address && this.#go(`${module.address}/${name}`),
            onpointerenter: () => this.#ctx.hot.emit(span),
            onfocus: () => this.#ctx.hot.emit(span),
            onpointerleave: () => this.#ctx.hot.emit(module.span),
            onblur: () => this.#ctx.hot.emit(null),
          },
          h("span", {}, h("strong", {}, name), ` ${plural(bytes, "byte")}`),
          h("code", {}, name === "nonce" ? module.nonce : name === "length" ? count(length(module) - 4) : ""),
          h("small", {}, MEANINGS[name] ?? ""),
        ),
      );
    });
    return h("ul", { class: "pqx-enc-frame", "aria-label": `Parts of the ${module.name}` }, ...parts);
  }

  #key(event: KeyboardEvent): void {
    const at = this.#blocks.indexOf(event.target as HTMLElement);
    if (at < 0) return;
    const step: Record<string, number> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: this.#blocks.length - 1,
    };
    if (!(event.key in step)) return;
    event.preventDefault();
    event.stopPropagation();
    this.#blocks[step[event.key]]?.focus();
  }
}

/** What the tag vouches for besides the ciphertext; it is stored nowhere. */
function aadStrip(module: Module): HTMLElement {
  const known = module.aad.every((part) => part.bytes !== null);
  const total = module.aad.reduce((sum, part) => sum + (part.bytes ?? 0), 0);
  const parts = module.aad.map((part) =>
    h(
      "li",
      { class: "pqx-enc-aad-part" },
      h("span", { class: "pqx-enc-aad-name" }, part.name),
      h("code", {}, part.hex === null ? "not in the file" : part.hex || "no bytes"),
      h("span", { class: "pqx-enc-aad-value" }, part.value),
      h("small", { class: "pqx-muted" }, part.meaning),
    ),
  );
  return h(
    "div",
    { class: "pqx-enc-aad" },
    h(
      "p",
      { class: "pqx-muted" },
      `AAD${known && total ? `, ${plural(total, "byte")}` : ""}: stored nowhere, built from where the module belongs`,
    ),
    h("ol", { "aria-label": "Parts of the AAD" }, ...parts),
  );
}

function keyCard(key: Key, i: number): HTMLElement {
  return h(
    "li",
    {
      class: key.at_hand ? "pqx-enc-card" : "pqx-enc-card pqx-enc-away",
      "data-at-hand": String(key.at_hand),
    },
    h(
      "p",
      {},
      h("span", { class: "pqx-enc-letter" }, letter(i)),
      h("strong", {}, key.name),
      ` ${key.at_hand ? "at hand" : "not at hand"} · ${plural(key.modules, "module")}, ${size(key.bytes)}; asks for ${key.asks_for}${
        key.columns.length ? `; columns: ${key.columns.join(", ")}` : ""
      }`,
    ),
    h(
      "details",
      {},
      h("summary", {}, "key metadata"),
      ...key.facts.map((fact) =>
        h("p", { title: fact.meaning }, h("span", { class: "pqx-muted" }, `${fact.name}: `), fact.value),
      ),
      key.reason && h("p", {}, key.reason),
    ),
  );
}

function legend(): HTMLElement {
  const item = (name: string) => h("li", {}, h("i", { class: `pqx-enc-${name}` }), name);
  return h(
    "ul",
    { class: "pqx-enc-legend", "aria-label": "Parts of a module" },
    ...["length", "nonce", "ciphertext", "tag"].map(item),
    h("li", { class: "pqx-muted" }, "hatched: locked; the letter names the key"),
  );
}

function kind(name: string): string {
  return name.split(",")[0];
}

function letter(i: number): string {
  return String.fromCharCode(65 + (i % 26));
}

function length(module: Module): number {
  return module.span[1] - module.span[0];
}

/** Sizes differ by thousands: a block grows with the logarithm. */
function weight(bytes: number): number {
  return Math.max(1, Math.log2(1 + bytes / 4));
}
