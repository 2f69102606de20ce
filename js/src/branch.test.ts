import { expect, test } from "vitest";
import { Branch, PAGE } from "./branch";
import type { Brief } from "./context";

const brief = (address: string): Brief => ({
  address,
  kind: "group",
  label: address,
  span: null,
  state: "ok",
  reason: "",
  leaf: false,
  flag: null,
});

/** Opens a branch with `total` children whose first page is known. */
function open(branch: Branch, total: number): Branch {
  branch.open = true;
  branch.total = total;
  branch.grow(total);
  const children = Array.from(
    { length: Math.min(total, PAGE) },
    (_, i) => new Branch(brief(`${branch.brief.address}/${i}`), branch, i, branch.depth + 1),
  );
  branch.pages.set(0, children);
  if (branch.parent) {
    branch.parent.opened.push(branch);
    branch.parent.opened.sort((a, b) => a.ordinal - b.ordinal);
  }
  return branch;
}

function tree(): Branch {
  const root = open(new Branch(brief("r"), null, 0, 1), 4);
  open(root.child(2) as Branch, 3);
  open(root.child(0) as Branch, 2);
  open((root.child(2) as Branch).child(1) as Branch, 1);
  return root;
}

test("rows are in the order of reading", () => {
  const root = tree();
  const shown = Array.from({ length: root.rows }, (_, i) => root.at(i).branch?.brief.address);
  expect(shown).toEqual(["r/0", "r/0/0", "r/0/1", "r/1", "r/2", "r/2/0", "r/2/1", "r/2/1/0", "r/2/2", "r/3"]);
});

test("every branch knows its row", () => {
  const root = tree();
  for (let i = 0; i < root.rows; i++) expect(root.at(i).branch?.row()).toBe(i + 1);
});

test("children that are not fetched have a row and no branch", () => {
  const root = open(new Branch(brief("r"), null, 0, 1), 1_000_000);
  expect(root.at(999_999)).toEqual({ branch: null, parent: root, ordinal: 999_999 });
  expect(root.at(5).branch?.brief.address).toBe("r/5");
});

test("closing takes the rows away", () => {
  const root = tree();
  const branch = root.child(2) as Branch;
  branch.grow(-branch.rows);
  root.opened = root.opened.filter((other) => other !== branch);
  expect(root.rows).toBe(6);
  expect(root.at(5).branch?.brief.address).toBe("r/3");
});
