/** What pointers and the wheel do on the map: pan, zoom at the pointer, pinch. A press without a movement stays a click. */

/** Pixels that a pointer moves before a press is a drag. */
const A_DRAG = 4;

interface Moves {
  /** A drag begins at a point of the element. */
  grab(x: number, y: number): void;
  /** The pointer that took hold is at a point. */
  drag(x: number, y: number): void;
  /** Show `factor` times as many bytes; the byte at a point stays there. */
  zoom(factor: number, x: number, y: number): void;
  /** Two pointers show `factor` times as many bytes; the byte between them moves from one point to another with them. */
  pinch(factor: number, from: Point, to: Point): void;
  /** Move by pixels. Returns whether the wheel is used up by that, so that the page does not scroll. */
  wheel(dx: number, dy: number): boolean;
}

type Point = [x: number, y: number];

export class Gestures {
  #el: HTMLElement;
  #moves: Moves;
  #down = new Map<number, Point>();
  #from: Point = [0, 0];
  #moved = false;

  constructor(el: HTMLElement, moves: Moves) {
    this.#el = el;
    this.#moves = moves;
    el.addEventListener("pointerdown", (event) => this.#press(event));
    el.addEventListener("pointermove", (event) => this.#move(event));
    for (const end of ["pointerup", "pointercancel"] as const)
      el.addEventListener(end, (event) => this.#release(event));
    onWheel(el, moves);
  }

  /** Whether the press that just ended, or is under way, was a drag and no click. */
  get moved(): boolean {
    return this.#moved;
  }

  /** Whether a drag is under way. */
  get dragging(): boolean {
    return this.#moved && this.#down.size > 0;
  }

  at(event: MouseEvent): Point {
    return pointOf(this.#el, event);
  }

  #press(event: PointerEvent): void {
    if (event.button !== 0) return;
    if (!this.#down.size) this.#moved = false;
    this.#from = this.at(event);
    this.#down.set(event.pointerId, this.#from);
    if (this.#down.size === 1) this.#moves.grab(...this.#from);
    else this.#moved = true;
  }

  #move(event: PointerEvent): void {
    const before = this.#down.get(event.pointerId);
    if (!before) return;
    // a button that was released outside, before the press became a drag, was not heard
    if (!event.buttons) {
      this.#release(event);
      return;
    }
    const [x, y] = this.at(event);
    if (!this.#moved) {
      if (Math.hypot(x - this.#from[0], y - this.#from[1]) < A_DRAG) return;
      this.#moved = true;
      this.#el.setPointerCapture(event.pointerId);
    }
    const other = [...this.#down].find(([id]) => id !== event.pointerId)?.[1];
    this.#down.set(event.pointerId, [x, y]);
    if (!other) {
      this.#moves.drag(x, y);
      return;
    }
    const apart = (one: Point) => Math.max(1, Math.hypot(one[0] - other[0], one[1] - other[1]));
    const between = (one: Point): Point => [(one[0] + other[0]) / 2, (one[1] + other[1]) / 2];
    this.#moves.pinch(apart(before) / apart([x, y]), between(before), between([x, y]));
  }

  #release(event: PointerEvent): void {
    this.#down.delete(event.pointerId);
    const [left] = this.#down.values();
    if (left) this.#moves.grab(...left);
  }
}

/** Let the wheel over an element move the map, and zoom it with the control key. */
export function onWheel(el: HTMLElement, moves: Pick<Moves, "zoom" | "wheel">): void {
  const turned = (event: WheelEvent) => {
    // a trackpad's pinch comes as a wheel with the control key, too
    if (event.ctrlKey) {
      event.preventDefault();
      const factor = Math.exp(Math.max(-1, Math.min(1, pixels(event, "deltaY") * 0.004)));
      moves.zoom(factor, ...pointOf(el, event));
      return;
    }
    const sideways = event.shiftKey && !event.deltaX;
    const dy = pixels(event, "deltaY");
    if (moves.wheel(sideways ? dy : pixels(event, "deltaX"), sideways ? 0 : dy)) event.preventDefault();
  };
  el.addEventListener("wheel", turned, { passive: false });
}

function pointOf(el: HTMLElement, event: MouseEvent): Point {
  const box = el.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function pixels(event: WheelEvent, name: "deltaX" | "deltaY"): number {
  return event[name] * (event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : 33);
}
