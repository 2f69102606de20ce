/** Texts of plotly figures. Plotly takes HTML, `$…$` and `%{…}` in a text as markup; a text from a file is only text. */

import { visible } from "./text";

/** A text that plotly draws unchanged: markup characters become entities. */
export function plain(text: string): string {
  return visible(text).replace(/[&<>$]|%(?=\{)/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** The tags that templates use. */
const TAGS = /&#60;(br|extra|\/extra)&#62;/g;

/** A template may have `%{…}` and a few tags. Templates are ours, and the texts that they refer to are plain. */
function template(text: string): string {
  return visible(text)
    .replace(/[&<>$]/g, (c) => `&#${c.charCodeAt(0)};`)
    .replace(TAGS, "<$1>");
}

/** A part of a figure with all its texts plain. Every figure passes through here before plotly draws it. */
export function inert(part: unknown, name = ""): unknown {
  if (typeof part === "string") return name.endsWith("template") ? template(part) : plain(part);
  if (Array.isArray(part)) return part.map((one) => inert(one, name));
  if (part === null || typeof part !== "object" || ArrayBuffer.isView(part)) return part;
  // customdata is for our marks; no template may name it
  const kept = Object.entries(part).filter(([key]) => key !== "customdata");
  return Object.fromEntries(kept.map(([key, value]) => [key, inert(value, key)]));
}
