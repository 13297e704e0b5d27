import { editDistance } from './edit-distance.ts';

const maxLength = 64;

/** The name a misspelt one most likely means, or null when none is close. */
export function nearestName(wanted: string, names: readonly string[]): string | null {
  const key = comparable(wanted);
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const distance = editDistance(key, comparable(name));
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return bestDistance <= Math.max(1, Math.floor(key.length / 3)) ? best : null;
}

// `ReadFile`, `read-file` and `read_file` are the same to a person and to a model; a model's name may be a megabyte.
function comparable(name: string): string {
  return name
    .slice(0, maxLength)
    .toLowerCase()
    .replaceAll(/[_\-\s]/g, '');
}
