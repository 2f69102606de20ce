/** Copy buttons: the Python code that gives the view, and its table as text for a spreadsheet. Downloads. */

import type { Context, Detail, Payload, Sheet } from "./context";
import { h } from "./dom";

export function copyButtons(ctx: Context, detail: Detail, payload: Payload): HTMLElement {
  const { code, table } = payload;
  return h(
    "span",
    { class: "pqx-copy" },
    code && copyButton(ctx, "copy code", `Copy the Python code: ${code}`, async () => code),
    table &&
      copyButton(ctx, "copy table", "Copy the table as tab-separated text", () =>
        tabSeparated(ctx, detail, table),
      ),
  );
}

export function copyButton(
  ctx: Context,
  label: string,
  title: string,
  text: () => Promise<string>,
): HTMLElement {
  const button = h("button", { class: "pqx-button", title }, label);
  button.addEventListener("click", async () => {
    try {
      const copied = await text();
      await write(copied);
      button.textContent = "copied";
      ctx.announce(`${label}: done`);
    } catch (error) {
      button.textContent = "not copied";
      ctx.announce(`Not copied: ${(error as Error).message}`);
    }
    window.setTimeout(() => {
      button.textContent = label;
    }, 1500);
  });
  return button;
}

async function tabSeparated(ctx: Context, detail: Detail, table: Sheet): Promise<string> {
  const rows = [...table.rows];
  while (rows.length < table.listed) {
    const asked = ctx.query.args(detail.lens);
    const args = { address: detail.address, lens: detail.lens, start: rows.length, ...asked };
    const { result } = await ctx.rpc.call<{ rows: Sheet["rows"] }>("table", args);
    if (!result.rows.length) break;
    rows.push(...result.rows);
  }
  const cell = (value: unknown) => String(value ?? "").replace(/[\t\r\n]/g, " ");
  const lines = [table.columns.map((column) => cell(column.title)), ...rows.map((row) => row.map(cell))];
  return lines.map((line) => line.join("\t")).join("\n");
}

/** Some notebooks' frames have no clipboard; then a selected text is copied instead. */
export async function write(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea", { class: "pqx-hidden", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    let before = document.activeElement as HTMLElement | null;
    while (before?.shadowRoot?.activeElement) before = before.shadowRoot.activeElement as HTMLElement;
    area.focus();
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    before?.focus();
    if (!done) throw new Error("the page may not use the clipboard");
  }
}

/** Hand a file to the browser. Some notebooks' frames have no downloads, and do not say so. */
export function download(name: string, file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = h("a", { href: url, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  window.setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
