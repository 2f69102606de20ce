/** The places that one explorer has shown, and the way back and forward through them. */

export interface Place {
  address: string;
  /** The preferred lens; "" for the first one that applies. */
  lens: string;
}

interface Visited extends Place {
  /** How far the lens was scrolled, in pixels, when the place was left. */
  scroll: number;
}

/** In milliseconds: a place that is left sooner was passed, not visited. */
const PASSED = 50;
/** The same, where the keys of the tree or of the byte map lead on. */
const PASSED_BY_KEYS = 300;
const KEPT = 200;

export class History {
  #places: Visited[] = [];
  #at = -1;
  /** Places that are no longer kept. */
  #forgotten = 0;
  /** When the present place was reached; a place that was gone back to, and the first one, are never passed. */
  #since = Number.NEGATIVE_INFINITY;

  get present(): Visited | undefined {
    return this.#places[this.#at];
  }

  /** Which place this is, counted from the first one. */
  get number(): number {
    return this.#forgotten + this.#at;
  }

  /** The place `by` steps from here; undefined where none is kept. */
  near(by: number): Place | undefined {
    return this.#places[this.#at + by];
  }

  /** Whether there is a place `by` steps from here. */
  can(by: number): boolean {
    return this.#at + by in this.#places;
  }

  /**
   * Note that a place is shown from `now` on, and how far the one before was scrolled. Gives whether the place is a new one
   * after that before; else it is the same, or stands where a place was that was only passed.
   */
  visit({ address, lens }: Place, now: number, scroll = 0, byKeys = false): boolean {
    const before = this.present;
    if (before && before.address === address && before.lens === lens) return false;
    const number = this.number;
    if (before) before.scroll = scroll;
    const passed = now - this.#since < (byKeys ? PASSED_BY_KEYS : PASSED);
    this.#places.length = this.#at + (passed ? 0 : 1);
    const last = this.#places.at(-1);
    if (last?.address !== address || last.lens !== lens) this.#places.push({ address, lens, scroll: 0 });
    if (this.#places.length > KEPT) {
      this.#places.shift();
      this.#forgotten++;
    }
    this.#at = this.#places.length - 1;
    if (before) this.#since = now;
    return this.number > number;
  }

  /** Go back (-1) or forward (1); null at the end. */
  step(by: number, scroll = 0): Visited | null {
    if (!this.can(by)) return null;
    (this.present as Visited).scroll = scroll;
    this.#at += by;
    this.#since = Number.NEGATIVE_INFINITY;
    return this.#places[this.#at];
  }
}
