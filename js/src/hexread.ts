/** Bytes read as numbers, times and text, and what a person searches for as bytes. Nothing here draws. */

import type { ColumnType } from "./wire/structure";

export interface Reading {
  name: string;
  text: string;
  /** The type of the column that the bytes belong to. */
  own?: boolean;
}

/** Bytes that the longest reading takes. */
export const READ = 48;

const TEXT = 32;
const DAY = 86_400_000;
/** 1900 and 2200, in milliseconds since 1970: a number outside is hardly a time. */
const SOONEST = Date.UTC(1900, 0);
const LATEST = Date.UTC(2200, 0);
const UNITS = { MILLIS: [1n, "ms", 3], MICROS: [1_000n, "µs", 6], NANOS: [1_000_000n, "ns", 9] } as const;
const JULIAN_1970 = 2_440_588;

type Unit = keyof typeof UNITS;

/** The readings of the first bytes of `raw`; that of the column's type first. `big`: integers and floats big-endian. */
export function readings(raw: Uint8Array, big: boolean, type: ColumnType | null): Reading[] {
  const own = type && ownReading(raw, type);
  const others = [
    ...numbers(raw, !big),
    varint("varint", raw, (n) => n),
    varint("zigzag", raw, (n) => (n >> 1n) ^ -(n & 1n)),
    { name: "text", text: textOf(raw) },
    ...times(raw, !big),
    { name: "uuid", text: likelyUuid(raw) ? uuid(raw) : "" },
  ].filter((one) => one.text && one.name !== own?.name);
  return own?.text ? [{ ...own, own: true }, ...others] : others;
}

function viewOf(raw: Uint8Array): DataView {
  return new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
}

function numbers(raw: Uint8Array, little: boolean): Reading[] {
  const view = viewOf(raw);
  const whole = (name: string, bytes: number, signed: () => bigint): Reading => {
    if (raw.length < bytes) return { name, text: "" };
    const value = signed();
    const unsigned = value < 0n ? `, unsigned ${grouped(BigInt.asUintN(8 * bytes, value))}` : "";
    return { name, text: `${grouped(value)}${unsigned}` };
  };
  return [
    { name: "bits", text: raw.length ? raw[0].toString(2).padStart(8, "0") : "" },
    whole("int8", 1, () => BigInt(view.getInt8(0))),
    whole("int16", 2, () => BigInt(view.getInt16(0, little))),
    whole("int32", 4, () => BigInt(view.getInt32(0, little))),
    whole("int64", 8, () => view.getBigInt64(0, little)),
    { name: "float16", text: raw.length < 2 ? "" : short(half(view.getUint16(0, little)), 4) },
    { name: "float", text: raw.length < 4 ? "" : short(view.getFloat32(0, little), 7) },
    { name: "double", text: raw.length < 8 ? "" : short(view.getFloat64(0, little), 15) },
  ];
}

function grouped(n: bigint): string {
  return n.toLocaleString("en-US");
}

function short(x: number, digits: number): string {
  const rounded = Number(x.toPrecision(digits));
  if (Object.is(x, -0)) return "-0";
  return Math.abs(x) >= 1e15 && Number.isFinite(x) ? rounded.toExponential() : String(rounded);
}

/** The value of an IEEE 754 half-precision float. */
function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** A ULEB128 number of at most 64 bits, and its length; no text if the bytes are none. */
function varint(name: string, raw: Uint8Array, meant: (n: bigint) => bigint): Reading {
  let value = 0n;
  for (let i = 0; i < Math.min(10, raw.length); i++) {
    value |= BigInt(raw[i] & 127) << BigInt(7 * i);
    if (raw[i] > 127) continue;
    if (value >> 64n) break;
    return { name, text: `${grouped(meant(value))} in ${i + 1} B` };
  }
  return { name, text: "" };
}

/** The printable UTF-8 text at the start of the bytes. */
function textOf(raw: Uint8Array): string {
  const decoded = new TextDecoder().decode(raw.subarray(0, 4 * TEXT));
  const end = decoded.search(/[\p{C}\p{Zl}\p{Zp}\ufffd]/u);
  const printable = [...(end < 0 ? decoded : decoded.slice(0, end))];
  if (!printable.some((c) => c.trim())) return "";
  return printable.length > TEXT ? `“${printable.slice(0, TEXT).join("")}…” ` : `“${printable.join("")}”`;
}

/** The times that the bytes may be, of those between 1900 and 2200: one as int64, one as INT96, one as a date. */
function times(raw: Uint8Array, little: boolean): Reading[] {
  const view = viewOf(raw);
  const found: Reading[] = [];
  if (raw.length >= 8) {
    const value = view.getBigInt64(0, little);
    const unit = (Object.keys(UNITS) as Unit[]).find((one) => timeOf(value, one));
    if (unit) found.push({ name: UNITS[unit][1], text: timeOf(value, unit) });
  }
  found.push({ name: "int96", text: int96(raw) });
  if (raw.length >= 4) found.push({ name: "date", text: dateOf(view.getInt32(0, little)) });
  return found;
}

function between(ms: number): boolean {
  return ms >= SOONEST && ms < LATEST;
}

/** A timestamp as ISO text; "" outside 1900 to 2200. */
function timeOf(value: bigint, unit: Unit, sure = false): string {
  const [per, , digits] = UNITS[unit];
  const rest = ((value % per) + per) % per;
  const ms = Number((value - rest) / per);
  if (!(sure ? Math.abs(ms) <= 8.64e15 : between(ms))) return "";
  const iso = new Date(ms).toISOString().slice(0, -1);
  const whole = `${iso}${digits > 3 ? String(rest).padStart(digits - 3, "0") : ""}`;
  return whole.replace(/\.?0+$/, "");
}

function dateOf(days: number, sure = false): string {
  const ms = days * DAY;
  if (!(sure ? Math.abs(ms) <= 8.64e15 : between(ms))) return "";
  return new Date(ms).toISOString().replace(/T.*/, "");
}

/** An INT96: nanoseconds of a day, then the Julian day. */
function int96(raw: Uint8Array): string {
  if (raw.length < 12) return "";
  const view = viewOf(raw);
  const nanos = view.getBigInt64(0, true);
  if (nanos < 0n || nanos >= 86_400_000_000_000n) return "";
  const days = view.getInt32(8, true) - JULIAN_1970;
  return timeOf(BigInt(days) * 86_400_000_000_000n + nanos, "NANOS");
}

function uuid(raw: Uint8Array): string {
  const hex = hexOf(raw.subarray(0, 16));
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Whether the version and the variant are those of RFC 9562. */
function likelyUuid(raw: Uint8Array): boolean {
  return raw.length >= 16 && raw[6] >> 4 >= 1 && raw[6] >> 4 <= 8 && raw[8] >> 6 === 2;
}

/** The unscaled digits of a decimal with its point. */
function pointed(unscaled: bigint, scale: number): string {
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, "0");
  const at = digits.length - scale;
  return `${unscaled < 0n ? "-" : ""}${digits.slice(0, at)}${scale ? `.${digits.slice(at)}` : ""}`;
}

/** The bytes of a value; of a BYTE_ARRAY those that the type was given. */
export function bytesOf({ physical, length }: ColumnType): number {
  return { BOOLEAN: 1, INT32: 4, FLOAT: 4, INT64: 8, DOUBLE: 8, INT96: 12 }[physical] ?? length;
}

/** The bytes as the column's values are stored; null for a type without a length of its own. */
function ownReading(raw: Uint8Array, type: ColumnType): Reading | null {
  const { physical, logical, scale, length, unsigned } = type;
  const unit = (type.unit in UNITS ? type.unit : "NANOS") as Unit;
  const view = viewOf(raw);
  const takes = bytesOf(type);
  if (!takes || raw.length < takes) return null;
  if (physical === "FLOAT") return { name: "float", text: short(view.getFloat32(0, true), 7) };
  if (physical === "DOUBLE") return { name: "double", text: short(view.getFloat64(0, true), 15) };
  if (physical === "INT96") return { name: "int96", text: int96(raw) };
  if (physical === "BOOLEAN") return { name: "bits", text: raw[0].toString(2).padStart(8, "0") };
  if (logical === "FLOAT16") return { name: "float16", text: short(half(view.getUint16(0, true)), 4) };
  if (logical === "UUID") return { name: "uuid", text: uuid(raw) };
  if (physical.endsWith("BYTE_ARRAY")) {
    if (logical !== "DECIMAL") return { name: "text", text: textOf(raw.subarray(0, length)) };
    const bits = 8 * length;
    const unscaled = BigInt.asIntN(bits, BigInt(`0x${hexOf(raw.subarray(0, length))}`));
    return { name: "decimal", text: pointed(unscaled, scale) };
  }
  const value = physical === "INT32" ? BigInt(view.getInt32(0, true)) : view.getBigInt64(0, true);
  if (logical === "DECIMAL") return { name: "decimal", text: pointed(value, scale) };
  if (logical === "DATE") return { name: "date", text: dateOf(Number(value), true) };
  if (logical === "TIMESTAMP") return { name: UNITS[unit][1], text: timeOf(value, unit, true) };
  if (logical === "TIME") {
    const ofDay = value >= 0n && value < 86_400_000n * UNITS[unit][0];
    return { name: "time", text: ofDay ? timeOf(value, unit, true).replace(/.*T/, "") : "" };
  }
  const meant = unsigned ? BigInt.asUintN(8 * takes, value) : value;
  return { name: `${unsigned ? "u" : ""}${physical.toLowerCase()}`, text: grouped(meant) };
}

export function hexOf(raw: ArrayLike<number>): string {
  return Array.from(raw, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** How the text of a search is meant, and the name of that. */
export const SOUGHT = {
  bytes: "hex bytes",
  text: "text",
  any: "integer",
  i1: "int8",
  i2: "int16",
  i4: "int32",
  i8: "int64",
  I2: "int16, big-endian",
  I4: "int32, big-endian",
  I8: "int64, big-endian",
  v: "varint",
  z: "zigzag varint",
  f: "float or double",
} as const;

export type Sought = keyof typeof SOUGHT;

/** The bytes, as hex digits, that a text stands for; none if it is not of that kind. */
export function needles(kind: Sought, given: string): string[] {
  const text = given.trim();
  if (kind === "text") return given ? [hexOf(new TextEncoder().encode(given))] : [];
  if (kind === "bytes") {
    const digits = text.replace(/0x|[\s,:-]/gi, "");
    return digits && digits.length % 2 === 0 && /^[\da-f]+$/i.test(digits) ? [digits.toLowerCase()] : [];
  }
  if (kind === "f") {
    const value = Number(text);
    if (!text || Number.isNaN(value)) return [];
    return [
      hexOf(new Uint8Array(new Float32Array([value]).buffer)),
      hexOf(new Uint8Array(new Float64Array([value]).buffer)),
    ];
  }
  const plain = text.replace(/[,_' ]/g, "");
  if (!/^-?\d{1,20}$/.test(plain)) return [];
  const value = BigInt(plain);
  if (kind === "any")
    return [...new Set((["i4", "I4", "i8", "I8"] as const).flatMap((one) => integer(one, value)))];
  return integer(kind, value);
}

function integer(kind: Exclude<Sought, "bytes" | "text" | "any" | "f">, value: bigint): string[] {
  if (kind === "v" || kind === "z") {
    let rest = kind === "z" ? BigInt.asUintN(64, (value << 1n) ^ (value >> 63n)) : value;
    if (rest < 0n || rest >> 64n) return [];
    const bytes = [];
    for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
    return [hexOf(Uint8Array.from([...bytes, Number(rest)]))];
  }
  const width = Number(kind[1]);
  const bits = BigInt(8 * width);
  if (value < -(1n << (bits - 1n)) || value >= 1n << bits) return [];
  const big = BigInt.asUintN(8 * width, value)
    .toString(16)
    .padStart(2 * width, "0");
  return [kind[0] === "I" ? big : (big.match(/../g) ?? []).reverse().join("")];
}
