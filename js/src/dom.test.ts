// @vitest-environment jsdom
import { expect, test } from "vitest";
import { fill, h } from "./dom";

test("text becomes a text node, whatever it says", () => {
  const el = h("p", {}, "<img src=x onerror=alert(1)>\u202e");
  expect(el.children).toHaveLength(0);
  expect(el.textContent).toBe("<img src=x onerror=alert(1)>⟨U+202E⟩");
});

test("what can have the focus keeps its keys from Jupyter", () => {
  expect(h("button").dataset.lmSuppressShortcuts).toBe("true");
  expect(h("div", { tabindex: 0 }).dataset.lmSuppressShortcuts).toBe("true");
  expect(h("div").dataset.lmSuppressShortcuts).toBeUndefined();
});

test("attributes that are false or null are left out, listeners are listeners", () => {
  let clicks = 0;
  const el = h("button", { title: null, hidden: false, "aria-pressed": "false", onclick: () => clicks++ });
  el.click();
  expect([
    el.hasAttribute("title"),
    el.hasAttribute("hidden"),
    el.getAttribute("aria-pressed"),
    clicks,
  ]).toEqual([false, false, "false", 1]);
});

test("fill replaces", () => {
  const el = h("p", {}, "old");
  fill(el, "new", null, false, h("b", {}, "er"));
  expect(el.innerHTML).toBe("new<b>er</b>");
});
