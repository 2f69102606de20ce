/** The lenses: pictures of the answers of pqexplore/insight/lenses/NAME.py, one line each. */

import { bloom } from "./bloom";
import { column } from "./column";
import { compare } from "./compare";
import { contents } from "./contents";
import { dictionary } from "./dictionary";
import { diff } from "./diff";
import { encoding } from "./encoding";
import { encryption } from "./encryption";
import { facts } from "./facts";
import { geospatial } from "./geospatial";
import { layout } from "./layout";
import type { Lens } from "./lens";
import { nesting } from "./nesting";
import { overview } from "./overview";
import { page } from "./page";
import { pageIndex } from "./page_index";
import { query } from "./query";
import { rowGroup } from "./row_group";
import { rows } from "./rows";
import { schema } from "./schema";
import { statistics } from "./statistics";
import { thrift } from "./thrift";
import { value } from "./value";
import { variant } from "./variant";
import { whatIf } from "./what_if";

export const LENSES: Record<string, Lens> = {
  rows,
  overview,
  column,
  row_group: rowGroup,
  contents,
  query,
  what_if: whatIf,
  layout,
  schema,
  thrift,
  statistics,
  page_index: pageIndex,
  value,
  page,
  encoding,
  dictionary,
  nesting,
  bloom,
  variant,
  geospatial,
  encryption,
  compare,
  diff,
  facts,
};
