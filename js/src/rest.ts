/**
 * When the explorers of a page are at rest. An explorer has `data-busy` while a request, a drawing or a delay is under way in
 * any of them. Wait for that, and not for some time.
 */

const stating = new Set<HTMLElement>();
let open = 0;

/** Let an element state whether the explorers of its page are busy. Returns a function that stops this. */
export function stateRest(root: HTMLElement): () => void {
  stating.add(root);
  root.toggleAttribute("data-busy", open > 0);
  return () => void stating.delete(root);
}

/** Work begins; the function that is returned ends it. */
export function work(): () => void {
  if (!open++) for (const root of stating) root.toggleAttribute("data-busy", true);
  let ended = false;
  return () => {
    if (ended) return;
    ended = true;
    setTimeout(() => {
      // what follows on it at once has begun by now
      if (!--open) for (const root of stating) root.toggleAttribute("data-busy", false);
    });
  };
}

/** One call that waits. */
export class Soon {
  #drop: (() => void) | null = null;

  /** Whether a call waits. */
  get waits(): boolean {
    return this.#drop !== null;
  }

  /** Call at the next frame; nothing changes if a call waits already. */
  frame(call: () => void): void {
    if (this.#drop) return;
    const done = this.#begin(() => cancelAnimationFrame(id));
    const id = requestAnimationFrame(() => {
      done();
      call();
    });
  }

  /** Call after some milliseconds, and drop what waits. */
  after(ms: number, call: () => void): void {
    this.drop();
    const done = this.#begin(() => clearTimeout(id));
    const id = window.setTimeout(() => {
      done();
      call();
    }, ms);
  }

  drop(): void {
    this.#drop?.();
  }

  #begin(cancel: () => void): () => void {
    const end = work();
    const done = () => {
      this.#drop = null;
      end();
    };
    this.#drop = () => {
      cancel();
      done();
    };
    return done;
  }
}

/** Call at the next frame. */
export function nextFrame(call: () => void): void {
  new Soon().frame(call);
}
