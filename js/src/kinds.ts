/**
 * The look of each kind of byte, and a sentence about it. The colours are Okabe and Ito's, which people with any colour
 * vision can distinguish; a pattern and a letter repeat the information.
 */

import { ACCENTS, CLASSES } from "./accents";

export type Pattern = "solid" | "rising" | "falling" | "lines" | "dots" | "sparse" | "cross";

export interface Family {
  name: string;
  letter: string;
  colour: string;
  pattern: Pattern;
}

export const FAMILIES: Family[] = [
  { name: "data pages", letter: "P", colour: ACCENTS.amount, pattern: "solid" },
  { name: "dictionary", letter: "D", colour: ACCENTS.dictionary, pattern: "rising" },
  { name: "page header", letter: "H", colour: CLASSES[4], pattern: "solid" },
  { name: "column index", letter: "C", colour: CLASSES[2], pattern: "solid" },
  { name: "offset index", letter: "O", colour: CLASSES[2], pattern: "lines" },
  { name: "Bloom filter", letter: "B", colour: CLASSES[3], pattern: "dots" },
  { name: "footer", letter: "F", colour: CLASSES[5], pattern: "solid" },
  { name: "magic, length", letter: "M", colour: ACCENTS.frame, pattern: "solid" },
  { name: "gap", letter: "G", colour: ACCENTS.gap, pattern: "sparse" },
  { name: "encrypted", letter: "E", colour: ACCENTS.locked, pattern: "falling" },
  { name: "corrupt", letter: "X", colour: ACCENTS.wrong, pattern: "cross" },
  { name: "not known without a key", letter: "?", colour: ACCENTS.unknown, pattern: "lines" },
];

/** Indexes into FAMILIES of the two that show a state instead of a kind. */
export const LOCKED = 9;
export const CORRUPT = 10;

/** The index of pages and indexes whose places need a key. They may or may not be encrypted. */
export const UNKNOWN = 11;

const FAMILY_OF: Record<string, number> = {
  file: 7,
  row_group: 0,
  column_chunk: 0,
  data_page: 0,
  data_page_v2: 0,
  values: 0,
  value: 0,
  repetition_levels: 0,
  definition_levels: 0,
  body: 0,
  index_page: 4,
  dictionary_page: 1,
  page_header: 2,
  column_index: 3,
  offset_index: 4,
  bloom_filter: 5,
  bloom_filter_header: 5,
  bloom_filter_bitset: 5,
  bloom_filter_block: 5,
  footer: 6,
  file_crypto_metadata: 6,
  footer_signature: 6,
  struct: 6,
  field: 6,
  schema: 6,
  schema_field: 6,
  key_value: 6,
  magic: 7,
  footer_length: 7,
  footer_magic: 7,
  level: 0,
  levels: 0,
  module: LOCKED,
  module_length: 7,
  module_nonce: LOCKED,
  module_ciphertext: LOCKED,
  module_tag: LOCKED,
  possible_variant: 0,
  gap: 8,
  leftover: 8,
  unknown_parts: UNKNOWN,
  unreadable: CORRUPT,
};

/** Whether a node stands for bytes whose owners are not known without a key. */
export function isUnknown(node: { address: string }): boolean {
  return node.address.split("/")[0] === "unknown_parts";
}

/** Kinds that only group others and have no look of their own. */
export const GROUPING = new Set(["file", "group"]);

/** The family of a kind; a kind that this bundle does not know looks like a gap, not like data. */
export function familyOf(kind: string): number {
  return FAMILY_OF[kind] ?? (kind.startsWith("variant_") || kind.includes("page") ? 0 : 8);
}

const SENTENCES: Record<string, string> = {
  file: "The whole file: pages first, then indexes, then the footer that says where everything is.",
  magic: "Four bytes that say: this is Parquet.",
  footer_magic: "The last four bytes: PAR1, or PARE where the footer is encrypted.",
  footer_length: "How long the footer is, so that a reader can find its beginning from the end.",
  footer: "The file's metadata: schema, row groups, and where each column chunk lies.",
  row_group: "A horizontal slice of the rows, with one column chunk for each column.",
  column_chunk: "All values of one column for the rows of one row group.",
  data_page: "Levels and values of one column, encoded and compressed together.",
  data_page_v2: "Levels and values of one column; the levels are not compressed.",
  dictionary_page: "The distinct values of a column chunk; data pages refer to them by number.",
  index_page: "A kind of page that was reserved and never defined.",
  page_header: "The type of the page, how many values it has and how long it is.",
  repetition_levels: "Where lists begin and go on: 0 begins a new row.",
  definition_levels: "How much of each value's path exists: the maximum means that the value is present.",
  values: "The values that are not null, one after the other.",
  value: "One stored value.",
  leftover: "Bytes of a page that no level and no value needs.",
  column_index: "Minimum, maximum and null count of each data page, to skip pages by.",
  offset_index: "Where each data page lies and which row it begins with.",
  bloom_filter: "Bits that show which values are certainly not in the column chunk.",
  bloom_filter_header: "The Bloom filter's algorithm, hash function and length.",
  bloom_filter_bitset: "The Bloom filter's blocks of 256 bits.",
  bloom_filter_block: "256 bits of a Bloom filter; a value has one in each of its eight words.",
  struct: "A Thrift struct.",
  field: "A field of a Thrift struct.",
  schema: "A node of the schema.",
  unknown_parts: "Pages and indexes. Which bytes are which needs a key; some of them may not be encrypted.",
  key_value: "A note that the writer left in the footer.",
  body: "The page as stored: compressed, encrypted, or neither.",
  file_crypto_metadata: "Which algorithm the footer is encrypted with, and which key opens it.",
  footer_signature: "Nonce and tag that prove that nobody changed the footer.",
  unreadable: "Bytes of a column chunk that cannot be read as pages.",
  schema_field: "A field of the schema: a column, or a group of them.",
  level: "One repetition or definition level.",
  levels: "Levels that lie before the encrypted values, and are not encrypted themselves.",
  module: "A part of an encrypted file, encrypted separately: length, nonce, ciphertext and tag.",
  module_length: "How many bytes of the module follow; not encrypted.",
  module_nonce: "Twelve bytes that are used once with the key; not encrypted.",
  module_ciphertext: "The encrypted contents of the module.",
  module_tag: "Sixteen bytes that authenticate the ciphertext and the place of the module.",
  possible_variant: "The value read as a Variant, although the schema does not annotate it as one.",
  variant_value: "A value of a Variant: a header byte, and the bytes that the header announces.",
  variant_header: "The first byte: the type of the value, and the widths of the parts after it.",
  variant_length: "How many bytes the text or the binary value takes.",
  variant_data: "The bytes of the value itself.",
  variant_scale: "How many of the digits stand after the decimal point.",
  variant_unscaled: "The digits of a decimal, as an integer.",
  variant_num_elements: "How many fields or elements there are.",
  variant_field_ids: "For each field the number of its name in the metadata, in the order of the names.",
  variant_field_id: "The number of a field's name in the metadata.",
  variant_field_offsets: "Where each value begins, counted from the first byte of the values.",
  variant_field_offset: "Where one value begins.",
  variant_values: "The values of an object or an array, in any order.",
  variant_metadata: "The names of a Variant's fields, each once.",
  variant_dictionary_size: "How many names the metadata has.",
  variant_offsets: "Where each name begins, and where the last one ends.",
  variant_offset: "Where one name begins.",
  variant_strings: "The names, one after the other.",
  variant_string: "The name of a field.",
  variant_unread: "Bytes that cannot be read, because the bytes before them break a rule.",
  gap: "Bytes that nothing in the footer refers to.",
};

/** One sentence about a kind of node; "" for an unknown one. */
export function sentence(kind: string): string {
  return SENTENCES[kind] ?? "";
}
