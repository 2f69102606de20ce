/** How well a typed text fits a name: its letters in their order, best together, at the beginnings of words, in the leaf. */

export interface Fit {
  score: number;
  /** Where in the name the typed letters are. */
  at: number[];
}

const TOGETHER = 5;
const BEGINS = 4;
const LEAF = 2;
const WHOLE_LEAF = 20;
const PER_LETTER = -0.05;

/** Where the last part of a dotted name begins. */
export function leafAt(name: string): number {
  return name.lastIndexOf(".", name.length - 2) + 1;
}

/** Null where the name does not have the letters in this order. Capitals do not matter. */
export function fuzzy(typed: string, name: string): Fit | null {
  const wanted = typed.toLowerCase();
  const lower = name.toLowerCase();
  const text = lower.length === name.length ? lower : name;
  if (!wanted || !isWithin(wanted, text)) return wanted ? null : { score: 0, at: [] };
  const leaf = leafAt(name);
  const gain = (j: number) => (j >= leaf ? LEAF : 0) + (beginsWord(name, j) ? BEGINS : 0);
  const worth = Array.from({ length: text.length }, (_, j) => gain(j));
  // the best score that ends with the i-th letter at each place, and the place of the letter before
  let scores = worth.map((one, j) => (text[j] === wanted[0] ? one : Number.NEGATIVE_INFINITY));
  const from: number[][] = [];
  for (let i = 1; i < wanted.length; i++) {
    const next = worth.map(() => Number.NEGATIVE_INFINITY);
    const before = worth.map(() => -1);
    let best = -1;
    for (let j = 1; j < text.length; j++) {
      if (best < 0 || scores[j - 1] > scores[best]) best = j - 1;
      if (text[j] !== wanted[i]) continue;
      const joined = scores[j - 1] + TOGETHER >= scores[best];
      before[j] = joined ? j - 1 : best;
      next[j] = worth[j] + scores[before[j]] + (joined ? TOGETHER : 0);
    }
    scores = next;
    from.push(before);
  }
  let end = scores.indexOf(Math.max(...scores));
  const score = scores[end] + (text.slice(leaf) === wanted ? WHOLE_LEAF : 0) + PER_LETTER * text.length;
  const at = [end];
  for (const before of from.reverse()) {
    end = before[end];
    at.unshift(end);
  }
  return { score, at };
}

/** The same for several words in any order: each must fit. */
export function fuzzyWords(typed: string, name: string): Fit | null {
  const whole = fuzzy(typed, name);
  const words = typed.split(/\s+/).filter(Boolean);
  if (whole || words.length < 2) return whole;
  const fits = words.map((word) => fuzzy(word, name));
  if (!fits.every((fit) => fit !== null)) return null;
  const at = [...new Set(fits.flatMap((fit) => fit.at))].sort((a, b) => a - b);
  return { score: fits.reduce((sum, fit) => sum + fit.score, 0), at };
}

function isWithin(wanted: string, text: string): boolean {
  let at = -1;
  for (const letter of wanted) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return false;
  }
  return true;
}

/** Whether a word begins here: after a sign, or with a capital after a small letter. */
function beginsWord(name: string, at: number): boolean {
  if (at === 0) return true;
  const before = name[at - 1];
  return /[^\p{L}\p{N}]/u.test(before) || (/\p{Ll}/u.test(before) && /\p{Lu}/u.test(name[at]));
}
