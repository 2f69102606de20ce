// Written by tools/wire_types.py from pqexplore/insight/lenses/schema.py; change it there.

import type { Span } from "./span";

/** The first of `total` fields, the sources of Arrow's and Spark's types, and the meaning of each rule. */
export interface Picture {
  selected: number | null;
  total: number;
  arrow: string;
  spark: string;
  disagreements: string[];
  rules: Record<string, string>;
  fields: SchemaField[];
}

/** A field of the tree. `last` if no sibling follows it. */
export interface SchemaField {
  name: string;
  depth: number;
  last: boolean;
  kind: string;
  repetition: "required" | "optional" | "repeated" | "the root";
  definition_level: number;
  repetition_level: number;
  type: string;
  physical: string | null;
  rule: string | null;
  arrow: string | null;
  spark: string | null;
  agrees: boolean | null;
  span: Span | null;
}

/** Fields from the requested one on. */
export interface SchemaFields {
  fields: SchemaField[];
}
