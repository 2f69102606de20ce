/** The fields of a header byte as digits, the highest bit first, as one reads a number. */

interface Field {
  name: string;
  first: number;
  last: number;
  value: number;
  meaning: string;
}

interface BitGroup {
  name: string;
  digits: string;
  value: number;
  meaning: string;
}

export function bitGroups(fields: Field[]): BitGroup[] {
  return [...fields]
    .sort((a, b) => b.first - a.first)
    .map(({ name, first, last, value, meaning }) => ({
      name,
      value,
      meaning,
      digits: value.toString(2).padStart(last - first + 1, "0"),
    }));
}
