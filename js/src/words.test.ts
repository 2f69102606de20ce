import { expect, test } from "vitest";
import type { Term } from "./wire/term";
import { spellings, termOf } from "./words";

const term = (name: string, ...also: string[]): Term => ({ name, meaning: "", picture: "", link: "", also });
const TERMS = spellings([
  term("dictionary page", "dictionary"),
  term("definition level", "D"),
  term("page", "data pages"),
  term("logical type", "MAP", "TIMESTAMP"),
  term("encoding"),
  term("codec", "LZ4_RAW"),
]);

test.each([
  ["data pages 364 kB, 93 %", "page"],
  ["P data pages 364 kB, 93 %", "page"],
  ["D dictionary 12 kB", "dictionary page"],
  ["D", "definition level"],
  ["5 Encoding: RLE", "encoding"],
  ["MAP", "logical type"],
  ["TIMESTAMP(µs, UTC)", "logical type"],
  ["LZ4_RAW", "codec"],
  ["Map", undefined],
  ["P", undefined],
  ["", undefined],
])("the term of %j", (text, name) => {
  expect(termOf(text, TERMS)?.name).toBe(name);
});
