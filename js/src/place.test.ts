// @vitest-environment jsdom
import { expect, test } from "vitest";
import { HostModel } from "./host";
import { keepPlace } from "./place";

function shown(cell: HTMLElement, file = "a.parquet 17", state = {}, saved = false) {
  const el = document.createElement("div");
  cell.replaceChildren(el);
  const model = new HostModel({ selection: "", view: "", ...state }, { send: () => {} }, saved);
  return { model, stop: keepPlace(model, el, file) };
}

function cell(): HTMLElement {
  const one = document.createElement("div");
  one.className = "jp-Cell";
  return one;
}

const place = (model: HostModel) => [model.get("selection"), model.get("view")];

test("a cell that is run again opens the same place of the same file, and another cell or file does not", () => {
  const one = cell();
  const { model, stop } = shown(one);
  model.set("selection", "row_groups/1");
  model.set("view", "statistics");
  stop();
  model.set("selection", "footer"); // nobody sees it there any more
  expect(place(shown(one).model)).toEqual(["row_groups/1", "statistics"]);
  expect(place(shown(one, "b.parquet 17").model)).toEqual(["", ""]);
  expect(place(shown(cell()).model)).toEqual(["", ""]);
});

test("a place that the cell's code names goes first", () => {
  const one = cell();
  shown(one).model.set("selection", "row_groups/1");
  expect(place(shown(one, undefined, { selection: "footer" }).model)).toEqual(["footer", ""]);
  expect(place(shown(one, undefined, { view: "schema" }).model)).toEqual(["", "schema"]);
});

test("outside a notebook, and in a saved page, nothing is kept", () => {
  const page = document.createElement("div");
  shown(page).model.set("selection", "footer");
  expect(place(shown(page).model)).toEqual(["", ""]);
  const one = cell();
  shown(one).model.set("selection", "footer");
  expect(place(shown(one, undefined, {}, true).model)).toEqual(["", ""]);
});
