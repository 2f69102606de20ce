// Written by tools/wire_types.py from pqexplore/lake/panels/drift.py; change it there.

/** A matrix of columns and schemas, from the oldest schema to the newest. */
export interface Picture {
  schemas: Schema[];
  columns: string[];
  definitions: string[][];
  cells: (number | null)[][];
  more_columns: number;
  alike: number;
  more_schemas: number;
}

/** Schemas with the same columns: how many files have one of them, since when, and an example file. */
export interface Schema {
  id: string;
  ids: string;
  files: number;
  since: string;
  example: string;
}
