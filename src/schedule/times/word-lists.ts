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
