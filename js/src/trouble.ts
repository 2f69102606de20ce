/** An error message for a person: what is wrong, where, and a link to the place. */

import type { Context, Trouble } from "./context";
import { h, said } from "./dom";
import { FileError } from "./rpc";
import { count } from "./text";

export function troubleOf(error: unknown): Trouble {
  if (error instanceof FileError)
    return { type: error.type, message: error.message, address: error.address, offset: error.offset };
  return {
    type: "Error",
    message: error instanceof Error ? error.message : String(error),
    address: null,
    offset: null,
  };
}

export function troubleBox(ctx: Context, trouble: Trouble, again?: () => void): HTMLElement {
  const { address, offset } = trouble;
  return h(
    "div",
    { class: "pqx-trouble", role: "alert" },
    h("strong", {}, named(trouble.type)),
    h("span", {}, ...said(trouble.message)),
    h(
      "span",
      { class: "pqx-where" },
      address && h("button", { class: "pqx-link", onclick: () => ctx.select(address) }, address),
      offset !== null && h("span", {}, ` byte ${count(offset)}`),
      again && h("button", { class: "pqx-button", onclick: again }, "try again"),
    ),
  );
}

/** "CorruptFileError" → "Corrupt file". */
function named(type: string): string {
  const spaced = type.replace(/Error$/, "").replace(/(?<=[a-z])[A-Z]/g, (c) => ` ${c.toLowerCase()}`);
  return spaced || "Error";
}
