import { expect, test } from "vitest";
import { inert, plain } from "./plottext";

test.each([
  ["plain é 語, 100 %", "plain é 語, 100 %"],
  ['<a href="https://evil.example">x</a>', '&#60;a href="https://evil.example"&#62;x&#60;/a&#62;'],
  ["&lt;b&gt;", "&#38;lt;b&#38;gt;"],
  ["$\\href{x}{y}$", "&#36;\\href{x}{y}&#36;"],
  ["%{customdata}", "&#37;{customdata}"],
  ["<extra>", "&#60;extra&#62;"],
  ["\u202eevil\u001b", "⟨U+202E⟩evil␛"],
])("plain(%j)", (text, shown) => {
  expect(plain(text)).toBe(shown);
});

test("every text of a figure becomes plain, at any depth", () => {
  const link = "<a href=x>";
  const shown = "&#60;a href=x&#62;";
  const figure = {
    data: [
      {
        type: "icicle",
        name: link,
        labels: [link, 1, null],
        ids: [link],
        text: [[link]],
        hovertext: link,
        values: new Float64Array([1]),
        texttemplate: ["%{label}<br>%{percentRoot}", `${link}<extra></extra>$x$`],
        customdata: [[link, link]],
      },
    ],
    layout: {
      title: { text: link },
      xaxis: { ticktext: [link], title: { text: link } },
      annotations: [{ text: link, hovertext: link }],
    },
  };
  expect(inert(figure)).toEqual({
    data: [
      {
        type: "icicle",
        name: shown,
        labels: [shown, 1, null],
        ids: [shown],
        text: [[shown]],
        hovertext: shown,
        values: new Float64Array([1]),
        texttemplate: ["%{label}<br>%{percentRoot}", `${shown}<extra></extra>&#36;x&#36;`],
      },
    ],
    layout: {
      title: { text: shown },
      xaxis: { ticktext: [shown], title: { text: shown } },
      annotations: [{ text: shown, hovertext: shown }],
    },
  });
});
