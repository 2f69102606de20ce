/** The window on a strip of the whole file: where it lies, what a pointer takes hold of, and where a drag leads. */

/** Pixels from an edge at which a pointer takes hold of it. */
const REACH = 5;
/** Pixels that the window takes on the strip at least, so that it can be seen and held. */
const NARROWEST = 8;

export type Grip = "low" | "high" | "inside" | "outside";
export type Range = [low: number, high: number];

export interface Brush {
  x: number;
  width: number;
}

/** Where the window from `low` to `high` of `size` bytes lies on a strip. */
export function brushOf([low, high]: Range, size: number, strip: number): Brush {
  const width = Math.min(strip, Math.max(NARROWEST, ((high - low) / size) * strip));
  const middle = ((low + high) / 2 / size) * strip;
  return { x: Math.max(0, Math.min(strip - width, middle - width / 2)), width };
}

/** What a pointer at `x` takes hold of. The whole file has no window to hold. */
export function gripAt(x: number, { x: left, width }: Brush, strip: number): Grip {
  if (width >= strip) return "outside";
  const reach = Math.min(REACH, width / 3);
  if (Math.abs(x - left) <= reach) return "low";
  if (Math.abs(x - left - width) <= reach) return "high";
  return x > left && x < left + width ? "inside" : "outside";
}

/** The window after a drag by `bytes` from the place where a grip of it was taken. */
export function dragged(grip: Grip, [low, high]: Range, bytes: number, size: number): Range {
  const within = (byte: number) => Math.max(0, Math.min(size, byte));
  if (grip === "low") return sorted(within(low + bytes), high);
  if (grip === "high") return sorted(low, within(high + bytes));
  const by = Math.max(-low, Math.min(size - high, bytes));
  return [low + by, high + by];
}

export function sorted(a: number, b: number): Range {
  return a < b ? [a, b] : [b, a];
}
