/** `a`, `a and b`, `a, b and c`. */
export function joined(words: readonly string[], last = 'and'): string {
  const final = words.at(-1) ?? '';
  return words.length < 2 ? final : `${words.slice(0, -1).join(', ')} ${last} ${final}`;
}

const minRun = 3;

/** Each value in words, and three or more in a row as `1 to 5`. */
export function runs(values: readonly number[], word: (value: number) => string): string[] {
  const words: string[] = [];
  for (let start = 0; start < values.length; ) {
    let end = start;
    while (values[end + 1] === (values[end] ?? 0) + 1) end++;
    const run = values.slice(start, end + 1);
    if (run.length < minRun) words.push(...run.map(word));
    else words.push(`${word(run[0] ?? 0)} to ${word(run.at(-1) ?? 0)}`);
    start = end + 1;
  }
  return words;
}

/** The distance between all values, if they have the same; null for fewer than three. */
export function stepOf(values: readonly number[]): number | null {
  const [first = 0, second = 0] = values;
  const step = second - first;
  const isEven = values.every((value, index) => value === first + index * step);
  return values.length >= minRun && isEven ? step : null;
}

const maxListed = 6;

/** `minutes 1, 5 and 7`; many values in equal distances as `every 2nd minute from 1 to 59`. */
export function listed(unit: string, values: readonly number[]): string {
  const step = stepOf(values);
  if (step !== null && step > 1 && values.length > maxListed)
    return `every ${nth(step)} ${unit} from ${values[0]} to ${values.at(-1)}`;
  return `${unit}${values.length === 1 ? '' : 's'} ${joined(runs(values, String))}`;
}

function nth(count: number): string {
  const ending = count % 10 > 3 || (count > 10 && count < 14) ? 'th' : ['th', 'st', 'nd', 'rd'][count % 10];
  return `${count}${ending}`;
}
