/** What JupyterLab's part and the page of `pqexplore view` load: documents that a server opens (live.ts). */

import { append, h } from "../dom";
import type { RenderProps } from "../host";
import { Live, type Options } from "./live";

export type Opening = Omit<Options, "render">;

const STYLES = ["index.css", "app.css"];

/** The explorer itself, and its style sheets, from the server. `from` is the address of this script. */
async function load(from: string): Promise<(props: RenderProps) => () => void> {
  const at = (name: string) => new URL(name + new URL(from).search, from).href;
  for (const name of STYLES) {
    const href = at(name);
    if (![...document.styleSheets].some((sheet) => sheet.href === href))
      append(document.head, [h("link", { rel: "stylesheet", href })]);
  }
  return (await import(at("index.js"))).default.render;
}

let render: Promise<(props: RenderProps) => () => void> | null = null;

/** Open a document: its element goes where the caller wants it. */
export async function open(options: Opening): Promise<Live> {
  render ??= load(import.meta.url);
  return new Live({ ...options, render: await render });
}
