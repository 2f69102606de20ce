/** Text from a file, as a person can read it: nothing invisible, nothing that reorders what stands around it. */

const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** Control characters as their pictures (␊), other invisible ones as ⟨U+202E⟩. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (c) => {
    const code = c.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/** 1234567 → "1,234,567". */
export function count(n: number): string {
  return n.toLocaleString("en-US");
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

/** A text that fits into `width` pixels of a canvas, shortened at its end; "" where not even that fits. */
export function abridge(text: string, width: number, measure: (text: string) => number): string {
  if (measure(text) <= width) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure(`${text.slice(0, middle)}…`) <= width) low = middle;
    else high = middle - 1;
  }
  return low < 3 ? "" : `${text.slice(0, low)}…`;
}
