/** Text from a file, made readable: no invisible characters, none that reorder the text around them. */

/** Controls, format characters, lone surrogates, line separators, and letters without a shape. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5/gu;

/** Control characters as their pictures (␊), other invisible ones as ⟨U+202E⟩. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (c) => {
    const code = c.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

const COUNTS = new Intl.NumberFormat("en-US");

/** 1234567 → "1,234,567". */
export function count(n: number): string {
  return COUNTS.format(n); // `toLocaleString` looks for the language at each call
}

/** A size in bytes with three digits: "318 B", "1.21 MB". */
export function size(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${units[unit]}`;
}

/** 1 → "1 row", 2 → "2 rows". */
export function plural(n: number, one: string): string {
  return `${count(n)} ${n === 1 ? one : /x$/.test(one) ? `${one}es` : `${one}s`}`;
}

/** "column_chunk" → "column chunk". */
export function words(kind: string): string {
  return kind.replaceAll("_", " ");
}

/** The first or the last `n` characters, none of them halved. */
function first(text: string, n: number): string {
  return text.slice(0, n).replace(/[\ud800-\udbff]$/, "");
}

function last(text: string, n: number): string {
  return text.slice(text.length - n).replace(/^[\udc00-\udfff]/, "");
}

/** A visible text that fits into `width` pixels of a canvas, shortened at its end; "" if even that is too wide. */
export function abridge(given: string, width: number, measure: (text: string) => number): string {
  const text = visible(given);
  if (measure(text) <= width) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure(`${first(text, middle)}…`) <= width) low = middle;
    else high = middle - 1;
  }
  return low < 3 ? "" : `${first(text, low)}…`;
}

/** As `abridge`, shortened in the middle: a name keeps its end, which often tells it from others. */
export function abridgeMiddle(given: string, width: number, measure: (text: string) => number): string {
  const text = visible(given);
  if (measure(text) <= width) return text;
  const kept = (n: number) => `${first(text, Math.ceil(n / 2))}…${last(text, Math.floor(n / 2))}`;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure(kept(middle)) <= width) low = middle;
    else high = middle - 1;
  }
  return low < 3 ? "" : kept(low);
}

/** Characters of a level's name that a list shows. */
const LEVEL = 60;

/** A level's name on one line: its beginning, and its end, which tells it from others. */
export function levelName(name: string): string {
  return abridgeMiddle(name, LEVEL, (text) => text.length);
}
