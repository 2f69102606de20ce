/** The column card: three questions, the row groups, the pages and the values of a column. */

import "./board.css";
import "./column.css";
import { unpack } from "../columns";
import type { Context } from "../context";
import { append, fill, h } from "../dom";
import { skippedLegend } from "../skipped";
import { troubleBox, troubleOf } from "../trouble";
import type { GroupColumns, Picture, Question } from "../wire/column";
import { Board } from "./board";
import { GroupsPainting, type Lanes, lanesOf, lanesOfTable } from "./column_groups";
import { PagesPainting, pagesLegend } from "./column_pages";
import { valuesPart } from "./column_values";
import type { Lens, Shown } from "./lens";

export const column: Lens = {
  mount(el, picture: Picture, ctx, detail): Shown {
    const boards: Board[] = [];
    const groups = h("div", { class: "pqx-column-groups" });
    const legend = skippedLegend(ctx, () => {
      for (const board of boards) board.redraw();
    });
    const draw = (lanes: Lanes) => {
      // a single row group has nothing to compare: the sentence has its range and its nulls
      const several = picture.count > 1;
      const shape = {
        first: 0,
        count: picture.count,
        mine: picture.mine,
        axis: several && picture.bounded ? picture.axis : null,
        nullable: several && picture.nullable,
        addressOf: (group: number) => `row_groups/${group}/columns/${picture.leaf}`,
      };
      const board = new Board(ctx, new GroupsPainting(shape, lanes, ctx));
      boards.push(board);
      fill(groups, board.el);
    };
    const values = valuesPart(ctx, picture.values, detail.address);
    append(el, [
      h(
        "div",
        { class: "pqx-column" },
        h("div", { class: "pqx-column-pictures" }, legend.el, pagesPart(picture, ctx, boards), groups),
        h(
          "div",
          { class: "pqx-column-answers" },
          h("ul", { "aria-label": "Three questions" }, ...picture.questions.map((one) => asked(ctx, one))),
          values.el,
        ),
      ),
    ]);
    if (picture.groups) draw(lanesOf(picture.groups));
    else
      ctx.rpc.call<GroupColumns>("column_groups", { leaf: picture.leaf }).then(
        ({ result, buffers }) => draw(lanesOfTable(unpack(result.columns, buffers))),
        (error) => fill(groups, troubleBox(ctx, troubleOf(error))),
      );
    return {
      dispose: () => {
        legend.dispose();
        values.dispose();
        for (const board of boards) board.dispose();
      },
    };
  },
};

const SIGNS: Record<Question["verdict"], string> = { yes: "✓", partly: "◐", no: "✗", "not known": "?" };

function asked(ctx: Context, one: Question): HTMLElement {
  const go = () => {
    ctx.prefer(one.lens);
    ctx.select(one.address);
  };
  return h(
    "li",
    { class: "pqx-question", "data-verdict": one.verdict },
    h("span", { class: "pqx-question-sign", "aria-hidden": "true" }, SIGNS[one.verdict]),
    h(
      "p",
      {},
      h(
        "button",
        { class: "pqx-link", onclick: go, title: `Explained by the lens ${one.lens}` },
        one.question,
      ),
      h("strong", {}, ` ${one.verdict}. `),
      h("span", {}, one.evidence),
    ),
  );
}

function pagesPart({ pages, pages_text: text }: Picture, ctx: Context, boards: Board[]): HTMLElement {
  const note = pages.note && h("p", { class: "pqx-muted" }, `Pages: ${pages.note}.`);
  if (!pages.start.length) return h("div", {}, note || null);
  const board = new Board(ctx, new PagesPainting(pages, ctx, text));
  boards.push(board);
  return h("div", { class: "pqx-column-pages" }, pagesLegend(pages), board.el, note || null);
}
