/** The readings of the bytes at the caret, beside or below them. */

import { fill, h } from "./dom";
import type { Part } from "./hexparts";
import { bytesOf, READ, type Reading, readings } from "./hexread";
import type { ColumnType } from "./wire/structure";

/** Characters that fit in one column of readings, and in two. */
const NARROW = 9;
const WIDER = 27;

export class HexReader {
  readonly el = h("div", {
    class: "pqx-reader",
    tabindex: 0, // it scrolls where the room is little
    role: "group",
    "aria-label": "The bytes at the caret, read as numbers, text and times",
  });

  /** `part` is whose the byte at `caret` is; `byteAt(i)` is the byte i places from the caret; negative beyond the end, or while it is not known. */
  show(part: Part | null, caret: number, byteAt: (i: number) => number, big: boolean): void {
    const raw = [];
    for (let i = 0; i < READ; i++) {
      const byte = byteAt(i);
      if (byte < 0) break;
      raw.push(byte);
    }
    fill(
      this.el,
      part && h("p", { title: part.path }, h("strong", {}, part.label)),
      h("ul", {}, ...readings(Uint8Array.from(raw), big, part && typeAt(part, caret)).map(item)),
    );
  }
}

function item({ name, text, own }: Reading): HTMLElement {
  const wide = text.length <= NARROW ? "" : text.length <= WIDER ? " pqx-two" : " pqx-three";
  return h("li", { class: `${own ? "pqx-own" : ""}${wide}` }, h("span", {}, name), h("span", {}, text));
}

/** The type by which the bytes from the caret to the end of its part are one value; null if they are none. */
function typeAt({ start, end, type }: Part, caret: number): ColumnType | null {
  const length = end - caret;
  if (type?.physical === "BYTE_ARRAY") return start + 4 === caret ? { ...type, length } : null;
  return type && bytesOf(type) === length ? type : null;
}
