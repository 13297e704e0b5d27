/** The middle one; of an even number the upper of the two. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Rounded to `digits` after the point, still a number. */
export function rounded(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}

export const megabyte = 2 ** 20;
export const kilobyte = 1024;
