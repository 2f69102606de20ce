// Written by tools/wire_types.py from pqexplore/widget/values.py; change it there.

/** A column that can have the value, and the condition that asks for it; `row_groups` cannot be skipped with it. */
export interface Possible {
  column: string;
  where: string;
  row_groups: number;
}

/** The columns that can have a value, of the `asked` ones of `columns`; `row_groups` are those of the file. */
export interface Values {
  possible: Possible[];
  asked: number;
  columns: number;
  row_groups: number;
}
