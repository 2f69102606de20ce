/**
 * Elements without innerHTML: every text, also of a hostile file, becomes a text node. Texts, and attributes that a
 * person reads, show invisible characters. Styles are set by CSSOM: a saved page allows no style attributes.
 */

import { visible } from "./text";

export type Child = Node | string | null | undefined | false;

interface Props {
  class?: string;
  /** Attributes; one that is null or false is left out. */
  [attribute: string]: string | number | boolean | null | undefined | ((event: never) => void);
}

/** Attributes that a person sees or hears. */
const READ = new Set(["title", "placeholder", "aria-label", "aria-description", "aria-valuetext"]);

const FOCUSABLE = new Set(["button", "select", "input", "summary", "a"]);

/** An element; props that begin with `on` are listeners, all others attributes. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") el.addEventListener(name.slice(2), value as EventListener);
    else if (name === "style") el.style.cssText = String(value);
    else if (value === true) el.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false)
      el.setAttribute(name, READ.has(name) ? visible(String(value)) : String(value));
  }
  if (tag === "button" && !props.type) el.setAttribute("type", "button");
  // Jupyter handles the arrow keys of every focused element that lacks this attribute
  if (FOCUSABLE.has(tag) || props.tabindex !== undefined) el.dataset.lmSuppressShortcuts = "true";
  append(el, children);
  return el;
}

export function append(el: Element, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    el.append(typeof child === "string" ? visible(child) : child);
  }
}

/** A name in backquotes that stands by itself: not a part of a name that has backquotes. */
const NAMED = /(?<![\p{L}\p{N}_`])`[^`]+`(?![\p{L}\p{N}_`])/gu;

/** A sentence of ours, its names as code. The backquotes stay in its text, so that it reads as the sentence elsewhere does. */
export function said(sentence: string): Child[] {
  const made: Child[] = [];
  let end = 0;
  for (const found of sentence.matchAll(NAMED)) {
    const tick = () => h("i", { hidden: true }, "`");
    made.push(
      sentence.slice(end, found.index),
      h("code", { class: "pqx-said-name" }, tick(), found[0].slice(1, -1), tick()),
    );
    end = found.index + found[0].length;
  }
  return [...made, sentence.slice(end)];
}

/** Replace the contents of an element. */
export function fill(el: Element, ...children: Child[]): void {
  el.replaceChildren();
  append(el, children);
}

/** The element that has the focus, in the document or the shadow root that `el` is in. */
export function focusBeside(el: Element): HTMLElement | null {
  return (el.getRootNode() as Document | ShadowRoot).activeElement as HTMLElement | null;
}

let last = 0;

/** An id that no other element of the page has; several explorers share a page. */
export function uniqueId(what: string): string {
  return `pqx-${what}-${++last}-${Math.random().toString(36).slice(2, 8)}`;
}
