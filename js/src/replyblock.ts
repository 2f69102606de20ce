/** Blocks of replies in a saved page (pqexplore/widget/reply_block.py). */

type Column = [form: string, ...parts: never[]];

export interface Reply {
  ok: boolean;
  result?: unknown;
  error?: unknown;
  buffers?: DataView[];
}

/** The values of a column. */
export function valuesOf([form, a, b]: Column): unknown[] {
  switch (form) {
    case "same":
      return new Array<unknown>(b).fill(a);
    case "steps":
      return steps(a);
    case "words":
      return (b as number[]).map((i) => a[i]);
    case "objects":
      return objects(a, (b as Column[]).map(valuesOf));
    case "lists":
      return lists(valuesOf(a) as number[], valuesOf(b));
    case "kinds":
      return kinds(a, (b as Column[]).map(valuesOf));
    default:
      return a;
  }
}

function steps(differences: number[]): number[] {
  let sum = 0;
  return differences.map((one) => {
    sum += one;
    return sum;
  });
}

function objects(names: string[], columns: unknown[][]): unknown[] {
  return columns[0].map((_, row) => Object.fromEntries(names.map((name, i) => [name, columns[i][row]])));
}

function lists(lengths: number[], items: unknown[]): unknown[] {
  let at = 0;
  return lengths.map((length) => {
    at += length;
    return items.slice(at - length, at);
  });
}

function kinds(which: number[], columns: unknown[][]): unknown[] {
  const next = columns.map(() => 0);
  return which.map((kind) => columns[kind][next[kind]++]);
}

/** Adds the replies of an unpacked block. The block is read when the first of them is asked for. */
export function addReplies(replies: Record<string, Reply>, block: Uint8Array<ArrayBuffer>): void {
  const first = block.indexOf(10);
  const second = block.indexOf(10, first + 1);
  const json = (start: number, end: number) =>
    JSON.parse(new TextDecoder().decode(block.subarray(start, end)));
  let read: Reply[] | undefined;
  const all = () => {
    if (read) return read;
    const [results, lengths] = (json(first + 1, second) as Column[]).map(valuesOf);
    let at = second + 1;
    const buffers = (lengths as number[]).map((length) => {
      at += length;
      return new DataView(block.buffer, at - length, length);
    });
    read = (results as { buffers: number[] }[]).map((one) => ({
      ...(one as unknown as Reply),
      buffers: one.buffers.map((i) => buffers[i]),
    }));
    return read;
  };
  for (const [i, name] of (valuesOf(json(0, first)) as string[]).entries())
    Object.defineProperty(replies, name, { enumerable: true, configurable: true, get: () => all()[i] });
}
