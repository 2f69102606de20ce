/** The form for the keys of an encrypted file. They go to the file's process, and stay nowhere in the page. */

import { h } from "../dom";

export interface Keys {
  footer: string;
  columns: Record<string, string>;
  aad_prefix: string;
}

export function keysForm(send: (keys: Keys) => void): HTMLElement {
  const field = (label: string, type: string, hint: string) => {
    const input = h("input", {
      type,
      autocomplete: "off",
      spellcheck: "false",
      placeholder: hint,
      size: hint.length,
    });
    return { input, el: h("label", {}, `${label} `, input) };
  };
  const footer = field("Footer key", "password", "32, 48 or 64 hexadecimal digits");
  const columns = field("Column keys", "password", "column=digits, column=digits");
  const prefix = field("AAD prefix", "text", "where the file does not store it");
  const submit = (event: Event) => {
    event.preventDefault();
    const pairs = columns.input.value
      .split(",")
      .map((one) => one.trim())
      .filter(Boolean)
      .map((one) => [one.slice(0, one.lastIndexOf("=")).trim(), one.slice(one.lastIndexOf("=") + 1).trim()]);
    send({
      footer: footer.input.value.trim(),
      columns: Object.fromEntries(pairs),
      aad_prefix: prefix.input.value,
    });
    for (const one of [footer, columns, prefix]) one.input.value = "";
  };
  return h(
    "details",
    {},
    h("summary", {}, "This file is encrypted: type its keys"),
    h(
      "form",
      { onsubmit: submit, autocomplete: "off" },
      footer.el,
      columns.el,
      prefix.el,
      h("button", { type: "submit", class: "pqx-app-button" }, "open with these keys"),
    ),
  );
}
