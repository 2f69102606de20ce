/** Tables from Python: a header `[name, dtype][]` and binary buffers (pqexplore/widget/wire_tables.py). */

const ARRAYS = {
  f8: Float64Array,
  f4: Float32Array,
  u4: Uint32Array,
  i4: Int32Array,
  u2: Uint16Array,
  u1: Uint8Array,
} as const;

export type Numbers = Float64Array | Float32Array | Uint32Array | Int32Array | Uint16Array | Uint8Array;
export type Header = [name: string, dtype: string][];

/** A column of texts, decoded one at a time; null if absent. */
class Texts {
  #offsets: Numbers;
  #data: Uint8Array;
  #nulls: Uint8Array | null;
  #decoder = new TextDecoder();

  constructor(offsets: Numbers, data: Uint8Array, nulls: Uint8Array | null) {
    this.#offsets = offsets;
    this.#data = data;
    this.#nulls = nulls;
  }

  get length(): number {
    return this.#offsets.length - 1;
  }

  at(index: number): string | null {
    if (this.#nulls?.[index]) return null;
    return this.#decoder.decode(this.#data.subarray(this.#offsets[index], this.#offsets[index + 1]));
  }
}

export interface Table {
  numbers: Record<string, Numbers>;
  texts: Record<string, Texts>;
}

export function unpack(header: Header, buffers: DataView[]): Table {
  const table: Table = { numbers: {}, texts: {} };
  let next = 0;
  for (const [name, dtype] of header) {
    if (dtype === "text" || dtype === "text?") {
      const offsets = numbers("u4", buffers[next++]);
      const data = bytes(buffers[next++]);
      table.texts[name] = new Texts(offsets, data, dtype === "text?" ? bytes(buffers[next++]) : null);
    } else table.numbers[name] = numbers(dtype as keyof typeof ARRAYS, buffers[next++]);
  }
  return table;
}

export function bytes(view: DataView): Uint8Array {
  return new Uint8Array(view.buffer as ArrayBuffer, view.byteOffset, view.byteLength);
}

function numbers(dtype: keyof typeof ARRAYS, view: DataView): Numbers {
  const Kind = ARRAYS[dtype];
  const buffer = view.buffer as ArrayBuffer;
  const length = view.byteLength / Kind.BYTES_PER_ELEMENT;
  // a view of a larger buffer may begin at any byte: copy it if it is not aligned
  if (view.byteOffset % Kind.BYTES_PER_ELEMENT === 0) return new Kind(buffer, view.byteOffset, length);
  return new Kind(buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

/** The largest i with `sorted[i] <= x`; 0 if there is none. */
export function floorIndex(sorted: ArrayLike<number>, x: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (sorted[middle] <= x) low = middle;
    else high = middle - 1;
  }
  return low;
}
