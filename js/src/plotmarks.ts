/** The marks of a plotly figure that lead somewhere, in the order in which a keyboard walks through them. */

export interface Mark {
  curve: number;
  point: number;
  address: string | null;
  text: string;
  /** The bytes of the file that it stands for. */
  bytes: [number, number] | null;
  customdata: unknown;
  /** In a chart of a hierarchy, the index of the mark above; else -1. */
  above: number;
}

type Trace = Record<string, unknown>;

/** Every point whose customdata is an address, or `[address, text, start, end]`. */
export function marksOf(data: Trace[]): Mark[] {
  const marks: Mark[] = [];
  data.forEach((trace, curve) => {
    const { customdata } = trace;
    if (!Array.isArray(customdata)) return;
    const first = marks.length;
    const ids = trace.ids as string[] | undefined;
    const parents = trace.parents as string[] | undefined;
    const places = new Map(ids?.map((id, i) => [id, i]));
    customdata.forEach((given: unknown, point) => {
      const [address, said, start, end] = Array.isArray(given) ? given : [given];
      marks.push({
        curve,
        point,
        address: typeof address === "string" ? address : null,
        text: typeof said === "string" ? said : describe(trace, point),
        bytes: typeof start === "number" && typeof end === "number" ? [start, end] : null,
        customdata: given,
        above: first + (places.get(parents?.[point] ?? "") ?? -1 - first),
      });
    });
  });
  return marks;
}

/** What a point says where nobody gave it a text: its coordinates. */
function describe(trace: Trace, point: number): string {
  const at = (name: string) => (trace[name] as unknown[] | undefined)?.[point];
  const parts = [trace.name, at("text") ?? at("labels"), at("x"), at("y"), at("values")];
  return parts.filter((part) => part !== undefined && part !== "").join(", ");
}

/** The mark that a key leads to from the one at `at` (-1: none yet); null where the key means nothing. */
export function beside(marks: Mark[], at: number, key: string): number | null {
  const last = marks.length - 1;
  const known = ["ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp", "Home", "End"].includes(key);
  if (!known || last < 0) return null;
  if (key === "Home") return 0;
  if (key === "End") return last;
  if (at < 0) return 0;
  const forward = key === "ArrowRight" || key === "ArrowDown";
  const nested = marks.some((mark) => mark.above >= 0);
  if (!nested) return Math.max(0, Math.min(last, at + (forward ? 1 : -1)));
  if (key === "ArrowUp") return Math.max(0, marks[at].above);
  if (key === "ArrowDown") {
    const below = marks.findIndex((mark) => mark.above === at);
    return below < 0 ? at : below;
  }
  const siblings = marks.map((_, i) => i).filter((i) => marks[i].above === marks[at].above);
  const place = siblings.indexOf(at) + (forward ? 1 : -1);
  return siblings[place] ?? at;
}
