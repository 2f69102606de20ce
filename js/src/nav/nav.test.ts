import { describe, expect, it } from "vitest";
import { isCondition, offsetOf, ofWords, typedValue } from "./finds";
import { fuzzy, fuzzyWords } from "./fuzzy";
import { hashOf, placeOf } from "./hash";
import { History } from "./history";

const best = (typed: string, ...names: string[]) =>
  names
    .map((name) => ({ name, fit: fuzzy(typed, name) }))
    .filter(({ fit }) => fit)
    .sort((a, b) => (b.fit?.score ?? 0) - (a.fit?.score ?? 0))
    .map(({ name }) => name);

describe("fuzzy", () => {
  it.each([
    ["cty", ["country.id", "city", "type"], ["city", "country.id"]],
    ["id", ["idle.name", "user.id", "id"], ["id", "user.id", "idle.name"]],
    ["pc", ["price_cents", "a.special.c", "epoch"], ["price_cents", "a.special.c", "epoch"]],
    ["name", ["name.first", "person.name", "n.a.m.e"], ["person.name", "name.first", "n.a.m.e"]],
    ["uId", ["userId", "fluid"], ["userId", "fluid"]],
    ["a", ["list.list.element"], []],
    ["ba", ["ab"], []],
  ])("%s", (typed, names, order) => expect(best(typed, ...names)).toEqual(order));

  it("says which letters fit, the later ones of two runs where they are together", () => {
    expect(fuzzy("ent", "e.n.t.event")?.at).toEqual([8, 9, 10]);
    expect(fuzzy("", "x")).toEqual({ score: 0, at: [] });
    expect(fuzzy("i", "İi")?.at).toEqual([1]);
  });
});

describe("words", () => {
  it("fit in any order, each of them", () => {
    expect(fuzzyWords("column biggest", "Go to the biggest column")?.at.length).toBe(13);
    expect(fuzzyWords("column smallest", "Go to the biggest column")).toBeNull();
    expect(fuzzyWords("city", "city")).toEqual(fuzzy("city", "city"));
  });

  it("of the specification are found by their spellings, and shown", () => {
    const term = (name: string, ...also: string[]) => ({ name, meaning: "", picture: "", link: "", also });
    const terms = [term("data page"), term("definition level", "def_level"), term("dictionary page")];
    const shown: string[] = [];
    const names = (typed: string) => ofWords(typed, terms, ({ name }) => shown.push(name));
    expect(names("page data").map(({ name }) => name)).toEqual(["data page"]);
    expect(names("def level").map(({ name }) => name)).toEqual(["definition level"]);
    expect(names("page").length).toBe(2);
    expect(names("pages of")).toEqual([]);
    names("level")[0].run();
    expect(shown).toEqual(["definition level"]);
  });
});

describe("history", () => {
  const at = (address: string) => ({ address, lens: "" });
  const walk = (...visits: [string, number, boolean?][]) => {
    const history = new History();
    for (const [address, now, byKeys] of visits) history.visit(at(address), now, 0, byKeys);
    return history;
  };
  const trail = (history: History) => {
    const found = [history.present?.address];
    for (let place = history.step(-1); place; place = history.step(-1)) found.unshift(place.address);
    return found;
  };

  it.each<[string, [string, number, boolean?][], string[]]>([
    [
      "each place",
      [
        ["", 0],
        ["a", 1000],
        ["b", 2000],
      ],
      ["", "a", "b"],
    ],
    [
      "not the same twice",
      [
        ["", 0],
        ["a", 1000],
        ["a", 2000],
      ],
      ["", "a"],
    ],
    [
      "not what the keys pass",
      [
        ["", 0],
        ["a", 1000, true],
        ["b", 1200, true],
        ["c", 1400, true],
      ],
      ["", "c"],
    ],
    [
      "what the keys rest on",
      [
        ["", 0],
        ["a", 1000, true],
        ["b", 1301, true],
      ],
      ["", "a", "b"],
    ],
    [
      "what is left quickly by a click",
      [
        ["", 0],
        ["a", 1000],
        ["b", 1200],
      ],
      ["", "a", "b"],
    ],
    [
      "not what no one saw",
      [
        ["", 0],
        ["a", 1000],
        ["b", 1010],
      ],
      ["", "b"],
    ],
    [
      "the first place, however soon it is left",
      [
        ["", 0],
        ["a", 10, true],
      ],
      ["", "a"],
    ],
    [
      "not the way there and back",
      [
        ["", 0],
        ["a", 1000, true],
        ["", 1100, true],
      ],
      [""],
    ],
  ])("keeps %s", (_, visits, kept) => expect(trail(walk(...visits))).toEqual(kept));

  it("drops what was forward when another way is taken, and keeps what was gone back to", () => {
    const history = walk(["", 0], ["a", 1000], ["b", 2000]);
    expect(history.step(1)).toBeNull();
    expect(history.step(-1, 70)?.address).toBe("a");
    history.visit(at("a"), 3000);
    history.visit(at("c"), 3010, 0, true);
    expect(history.can(1)).toBe(false);
    expect(trail(history)).toEqual(["", "a", "c"]);
  });

  it("remembers how far a lens was scrolled, and two hundred places", () => {
    const history = walk(["a", 0]);
    history.visit(at("b"), 1000, 120);
    expect(history.step(-1)?.scroll).toBe(120);
    for (let i = 0; i < 300; i++) history.visit(at(String(i)), 2000 + 1000 * i);
    expect(trail(history)).toHaveLength(200);
  });
});

describe("hash", () => {
  it.each([
    ["row_groups/0/columns/4", ""],
    ["row_groups/0", "statistics"],
    ["", "rows"],
    ["a b/%/ü?#&<script>", "query"],
  ])("%s %s", (address, lens) => expect(placeOf(hashOf({ address, lens }))).toEqual({ address, lens }));

  it("is an address and nothing else", () => {
    expect(hashOf({ address: "", lens: "" })).toBe("");
    expect(placeOf("#")).toBeNull();
    expect(placeOf("#%zz")).toEqual({ address: "%zz", lens: "" });
    expect(placeOf("#javascript:alert(1)")).toEqual({ address: "javascript:alert(1)", lens: "" });
  });
});

it.each([
  ["@1234", 1234],
  ["0x4d2", 1234],
  ["1,234", 1234],
  ["byte 12", 12],
  ["12a", null],
  ["column 1", null],
])("the offset %s is %s", (typed, byte) => expect(offsetOf(typed)).toBe(byte));

it.each([
  ["= FR", "FR"],
  ["=5", "5"],
  ["=", ""],
  ["a = 5", null],
])("the value of %s is %s", (typed, value) => expect(typedValue(typed)).toBe(value));

it.each([
  ["amount = 565000", true],
  ["a>5", true],
  ["name LIKE 'x%'", true],
  ["price is not null", true],
  ["x in (1, 2)", true],
  ["= FR", false],
  ["amount =", false],
  ["price row 3", false],
  ["between stations", false],
  ["row_groups/0/columns/1", false],
  ["is null", false],
])("whether %s is a condition: %s", (typed, is) => expect(isCondition(typed)).toBe(is));
