// Written by tools/wire_types.py from pqexplore/insight/lenses/group_differences.py; change it there.

/** A column. `low` and `high` are its ranges from 0 to 1 on their joint axis, None without one; empty if not drawn. */
export interface Compared {
  name: string;
  address: string;
  properties: Property[];
  low: (number | null)[];
  high: (number | null)[];
}

/** The row groups `groups`, of `total`: the columns that differ, then those with something that is not known. */
export interface Differences {
  groups: number[];
  total: number;
  said: string;
  columns: Compared[];
  differing: number;
  unknown: number;
  same: number;
  compared: number;
  of: number;
}

/** One property of a column in these row groups; `state` is "same", "differs" or "unknown", `text` says it in words. */
export interface Property {
  name: string;
  state: string;
  text: string;
  variants: Variant[];
}

/** A form of a property, the row groups that have it, and the column chunk of the first of them. */
export interface Variant {
  groups: string;
  text: string;
  address: string;
}
