/** What to fix: the findings of the doctor as cards, the worst first; the notes below them, folded. */

import "./cards.css";
import type { Context } from "../context";
import { copyButton } from "../copy";
import { type Child, focusBeside, h, said } from "../dom";
import { severitySign } from "../flags";
import { count, plural } from "../text";
import type { Card, Cards } from "../wire/overview_cards";

/** The cards alone, as for the files of a lake; nothing without any. `below` gives what else a card has. */
export function cardList(
  ctx: Context,
  problems: Card[],
  more: number,
  below: (at: number) => Child[] = () => [],
): (HTMLElement | false)[] {
  return [
    problems.length > 0 && h("ol", {}, ...problems.map((one, at) => cardOf(ctx, one, below(at)))),
    more > 0 && h("p", { class: "pqx-muted" }, `and ${plural(more, "more finding")}`),
  ];
}

export function cards(
  ctx: Context,
  { problems, more, notes, more_notes, checked, looked, unseen }: Cards,
): HTMLElement {
  const noted = notes.length + more_notes;
  return h(
    "div",
    { class: "pqx-cards", role: "group", "aria-label": "Problems" },
    h(
      "div",
      { class: "pqx-bar" },
      h(
        "h2",
        {},
        problems.length ? "Problems" : unseen ? "No finding in what was looked at" : "✓ No problems found",
      ),
      h("span", { class: "pqx-muted" }, `looked at: ${looked}`),
      !checked &&
        !ctx.query.saved &&
        h(
          "button",
          {
            class: "pqx-button pqx-look-on",
            title: "Decode every page, and compare it with what the file says of it",
            onclick: () => void ctx.check(),
          },
          "look at all bytes",
        ),
    ),
    unseen !== "" && h("p", { class: "pqx-muted pqx-unseen" }, unseen),
    ...cardList(ctx, problems, more),
    noted > 0 &&
      h(
        "details",
        { class: "pqx-notes" },
        h("summary", {}, plural(noted, "note")),
        h("ul", {}, ...notes.map((one) => note(ctx, one))),
        more_notes > 0 && h("p", { class: "pqx-muted" }, `and ${count(more_notes)} more`),
      ),
  );
}

/** Puts cards in the place of older ones: the notes stay open, and the focus stays on the same button. */
export function renewed(old: HTMLElement, made: HTMLElement): HTMLElement {
  const focus = focusBeside(old);
  const held = focus && old.contains(focus) ? focus : null;
  const notes = made.querySelector<HTMLDetailsElement>(".pqx-notes");
  if (notes) notes.open = !!old.querySelector<HTMLDetailsElement>(".pqx-notes")?.open;
  old.replaceWith(made);
  if (held) {
    const same = [...made.querySelectorAll<HTMLElement>("button, summary")].filter(
      (one) => one.ariaLabel === held.ariaLabel && one.textContent === held.textContent,
    );
    (same[0] ?? made.querySelector<HTMLElement>("button, summary"))?.focus({ preventScroll: true });
  }
  return made;
}

function cardOf(ctx: Context, one: Card, below: Child[]): HTMLElement {
  return h(
    "li",
    { class: "pqx-card", "data-rule": one.rule, "data-severity": one.severity },
    h(
      "span",
      { class: "pqx-card-head" },
      severitySign(one.severity),
      h("strong", {}, one.severity),
      one.figure !== "" && h("span", { class: "pqx-card-figure" }, one.figure),
    ),
    h("p", {}, ...said(one.sentence)),
    one.alike > 0 &&
      h(
        "p",
        { class: "pqx-muted" },
        ...said(`and ${count(one.alike)} more of this kind${one.columns && `: ${one.columns}`}`),
      ),
    one.cost !== "" && h("p", { class: "pqx-muted" }, ...said(`Costs: ${one.cost}.`)),
    one.fix !== "" && h("p", {}, h("strong", {}, "To do: "), ...said(one.fix)),
    ...below,
    h(
      "span",
      { class: "pqx-card-buttons" },
      showMe(ctx, one),
      one.remedies.length > 0 && h("span", { class: "pqx-muted" }, "copy the code for"),
      ...one.remedies.map((remedy) =>
        copyButton(
          ctx,
          remedy.writer,
          `Copy the code for ${remedy.writer}: ${remedy.code}`,
          async () => remedy.code,
        ),
      ),
    ),
  );
}

function note(ctx: Context, one: Card): HTMLElement {
  return h("li", { "data-rule": one.rule }, h("span", {}, ...said(one.sentence)), " ", showMe(ctx, one));
}

/** A button that opens the lens at the place; null for a finding about the file. */
function showMe(ctx: Context, one: Card): HTMLElement | null {
  if (!one.address) return null;
  const show = () => {
    if (one.lens) ctx.prefer(one.lens);
    ctx.select(one.address);
  };
  return h("button", { class: "pqx-button", onclick: show, "aria-label": `show me ${one.rule}` }, "show me");
}
