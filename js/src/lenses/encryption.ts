/**
 * The modules of an encrypted file: a block for each, drawn in its parts; the parts of the selected module; what its AAD
 * is built from; and the keys, each with its key metadata.
 */

import type { Context, Detail, Span } from "../context";
import { fill, h, said } from "../dom";
import { count, plural, size } from "../text";
import type { Block, KeyUse, Picture } from "../wire/encryption";
import type { Lens, Shown } from "./lens";
import "./encryption.css";

export const encryption: Lens = {
  mount: (el, picture, ctx, detail) => new ModuleMap(el, picture, ctx, detail),
};

const MEANINGS: Record<string, string> = {
  length: "bytes that follow, not encrypted",
  nonce: "used once with the key, not encrypted",
  ciphertext: "as long as the plaintext",
  tag: "shows that ciphertext and AAD are unchanged",
};

class ModuleMap implements Shown {
  #ctx: Context;
  #picture: Picture;
  #blocks: HTMLElement[] = [];
  #room = h("div", { class: "pqx-encryption-open", "aria-live": "polite" });

  constructor(el: HTMLElement, picture: Picture, ctx: Context, detail: Detail) {
    this.#ctx = ctx;
    this.#picture = picture;
    const keys = h(
      "ul",
      { class: "pqx-encryption-keys", "aria-label": "Keys" },
      ...picture.keys.map(keyCard),
    );
    el.append(h("div", { class: "pqx-encryption" }, keys, this.#map(), this.#room));
    if (picture.modules.length) this.#open(Math.max(0, picture.selected), false);
    const part = /\/(length|nonce|ciphertext|tag)$/.exec(detail.address)?.[1];
    if (part) this.#room.querySelector(`[data-part="${part}"]`)?.setAttribute("aria-current", "true");
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
        list = h("div", { class: "pqx-encryption-blocks" });
        groups.push(
          h("div", { class: "pqx-encryption-group" }, h("span", { class: "pqx-muted" }, module.group), list),
        );
      }
      list.append(this.#block(module, i));
    });
    const clipped = total - modules.length;
    return h(
      "div",
      {
        class: "pqx-encryption-map",
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

  #block(module: Block, i: number): HTMLElement {
    const key = this.#picture.keys[module.key];
    const label = `${module.name}, ${plural(length(module), "byte")}, ${key.name}${module.locked ? ", no key" : ""}${
      module.repeated ? ", its nonce is used twice" : ""
    }`;
    const block = h(
      "button",
      {
        class: `pqx-encryption-block${module.locked ? " pqx-encryption-locked" : ""}`,
        "aria-label": label,
        title: label,
        "data-module": i,
        tabindex: -1,
        onclick: () => this.#go(module.address),
        onpointermove: (event: PointerEvent) => this.#pass(event, i),
        onfocus: () => this.#open(i),
        onpointerleave: () => this.#ctx.hot.emit(null),
        onblur: () => this.#ctx.hot.emit(null),
      },
      ...module.parts.map(({ name, bytes }) =>
        h("i", { class: `pqx-encryption-${kind(name)}`, style: `flex-grow: ${weight(bytes)}` }),
      ),
      h(
        "span",
        { class: "pqx-encryption-key", "aria-hidden": "true" },
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

  /** The pointer moved. A page that scrolls under the pointer does not count. */
  #pass(event: PointerEvent, i: number): void {
    if (!event.movementX && !event.movementY) return;
    if (!this.#blocks[i].hasAttribute("data-open")) this.#open(i);
    else this.#ctx.hot.emit(this.#picture.modules[i].span);
  }

  /** Show the parts of a module, and highlight its bytes. */
  #open(i: number, point = true): void {
    const { modules, keys } = this.#picture;
    const module = modules[i];
    this.#blocks.forEach((block, at) => {
      block.tabIndex = at === i ? 0 : -1;
      block.toggleAttribute("data-open", at === i);
    });
    if (point) this.#ctx.hot.emit(module.span);
    const key = keys[module.key];
    fill(
      this.#room,
      h(
        "p",
        { class: "pqx-encryption-title" },
        h("strong", {}, module.name),
        ` · ${plural(length(module), "byte")} at ${count(module.span.start)}${module.span.space === "file" ? "" : " of the opened footer"} · `,
        ...said(`${letter(module.key)} ${key.name}${key.at_hand ? "" : ", not at hand"}`),
        module.repeated && h("strong", { class: "pqx-encryption-wrong" }, " · its nonce is used twice"),
        module.address &&
          h(
            "button",
            { class: "pqx-link pqx-encryption-go", onclick: () => this.#go(module.address) },
            "go there",
          ),
      ),
      this.#frame(module),
      aadStrip(module),
    );
  }

  #frame(module: Block): HTMLElement {
    let at = module.span.start;
    const parts = module.parts.map(({ name, bytes }) => {
      const span: Span = { start: at, end: at + bytes, space: module.span.space };
      at += bytes;
      return h(
        "li",
        { style: `flex-grow: ${weight(bytes)}` },
        h(
          "button",
          {
            class: `pqx-encryption-part pqx-encryption-${kind(name)}${name.startsWith("ciphertext") && module.locked ? " pqx-encryption-locked" : ""}`,
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
    return h("ul", { class: "pqx-encryption-frame", "aria-label": `Parts of the ${module.name}` }, ...parts);
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

/** The AAD, which the tag authenticates together with the ciphertext. It is not stored. */
function aadStrip(module: Block): HTMLElement {
  const known = module.aad.every((part) => part.bytes !== null);
  const total = module.aad.reduce((sum, part) => sum + (part.bytes ?? 0), 0);
  const parts = module.aad.map((part) =>
    h(
      "li",
      { class: "pqx-encryption-aad-part" },
      h("span", { class: "pqx-encryption-aad-name" }, part.name),
      h("code", {}, part.hex === null ? "not in the file" : part.hex || "no bytes"),
      h("span", { class: "pqx-encryption-aad-value" }, part.value),
      h("small", { class: "pqx-muted" }, part.meaning),
    ),
  );
  return h(
    "div",
    { class: "pqx-encryption-aad" },
    h(
      "p",
      { class: "pqx-muted" },
      `AAD${known && total ? `, ${plural(total, "byte")}` : ""}: not stored, built from the module's place in the file`,
    ),
    h("ol", { "aria-label": "Parts of the AAD" }, ...parts),
  );
}

function keyCard(key: KeyUse, i: number): HTMLElement {
  return h(
    "li",
    {
      class: key.at_hand ? "pqx-encryption-card" : "pqx-encryption-card pqx-encryption-away",
      "data-at-hand": String(key.at_hand),
    },
    h(
      "p",
      {},
      h("span", { class: "pqx-encryption-letter" }, letter(i)),
      h("strong", {}, ...said(key.name)),
      ` ${key.at_hand ? "at hand" : "not at hand"} · ${plural(key.modules, "module")}, ${size(key.bytes)}${key.asks_for && `; asks for ${key.asks_for}`}${
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
  const item = (name: string) => h("li", {}, h("i", { class: `pqx-encryption-${name}` }), name);
  return h(
    "ul",
    { class: "pqx-encryption-legend", "aria-label": "Parts of a module" },
    ...["length", "nonce", "ciphertext", "tag"].map(item),
    h("li", { class: "pqx-muted" }, "hatched: its key was not given; the letter names the key"),
  );
}

function kind(name: string): string {
  return name.split(",")[0];
}

function letter(i: number): string {
  return String.fromCharCode(65 + (i % 26));
}

function length(module: Block): number {
  return module.span.end - module.span.start;
}

/** The width of a block grows with the logarithm of its size, since sizes differ by thousands. */
function weight(bytes: number): number {
  return Math.max(1, Math.log2(1 + bytes / 4));
}
