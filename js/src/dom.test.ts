// @vitest-environment jsdom
import { expect, test, vi } from "vitest";
import { fill, h, said } from "./dom";

test("markup in a text becomes a text node", () => {
  const el = h("p", {}, "<img src=x onerror=alert(1)>\u202e");
  expect(el.children).toHaveLength(0);
  expect(el.textContent).toBe("<img src=x onerror=alert(1)>⟨U+202E⟩");
});

test("the names of a sentence are code, and its text is the sentence", () => {
  for (const [sentence, names] of [
    ["`a.b`, row group 0: the min of `c` is wrong", ["a.b", "c"]],
    ["a name with a backquote, `a`b`, stays as it is", []],
    ["`<b>`\u202e", ["<b>"]],
    ["no name, one ` only", []],
  ] as const) {
    const el = h("p", {}, ...said(sentence));
    expect(el.textContent).toBe(sentence.replace("\u202e", "⟨U+202E⟩"));
    expect([...el.children].map((one) => (one as HTMLElement).childNodes[1].textContent)).toEqual(names);
  }
});

test("attributes that a person reads show what would be invisible, others stay as they are", () => {
  const el = h("p", { title: "\u202ea", "aria-label": "a\u001b", "data-name": "\u202ea" });
  expect([el.title, el.getAttribute("aria-label"), el.dataset.name]).toEqual(["⟨U+202E⟩a", "a␛", "\u202ea"]);
});

test("a style is set rule by rule, not as an attribute, which a saved page does not allow", () => {
  const set = vi.spyOn(Element.prototype, "setAttribute");
  const el = h("p", { style: "width: 50%; --share: 3%" });
  expect(el.style.width).toBe("50%");
  expect(el.style.getPropertyValue("--share")).toBe("3%");
  expect(set).not.toHaveBeenCalledWith("style", expect.anything());
  set.mockRestore();
});

test("an element that can have the focus keeps its keys from Jupyter", () => {
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
