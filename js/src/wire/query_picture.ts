// Written by tools/wire_types.py from pqexplore/lake/panels/query_picture.py; change it there.

/** What a query with the condition `where` reads of a lake, "" if nothing was typed yet: then all lists are empty. */
export interface Picture {
  where: string;
  engine: string;
  engines: QueryEngine[];
  stages: QueryStage[];
  files: QueryFile[];
  total_files: number;
  total_row_groups: number;
  total_bytes: number;
  lost: string[];
  remarks: string[];
}

/** An engine that can be chosen: its name, and its title ("Spark 4.3 (parquet-java 1.17)"). */
export interface QueryEngine {
  name: string;
  title: string;
}

/** A file: whether it is read, by which evidence and why; how many of its row groups are read; its bytes (-1: unknown). */
export interface QueryFile {
  path: string;
  kept: boolean;
  unreadable: boolean;
  by: string;
  reason: string;
  row_groups: number;
  of_row_groups: number;
  size: number;
}

/** What entered a stage and what it left: files, row groups, bytes of the columns that are read. */
export interface QueryStage {
  name: string;
  files_in: number;
  files_out: number;
  row_groups_in: number;
  row_groups_out: number;
  bytes_in: number;
  bytes_out: number;
}
