import { readFileSync } from 'node:fs';

/** The vectors of one file of test/fixtures/cron. */
export function cronVectors<Vector>(name: string): readonly Vector[] {
  return JSON.parse(readFileSync(new URL(`../../fixtures/cron/${name}.json`, import.meta.url), 'utf8'));
}

/** Times as the vectors write them. */
export function isoSeconds(times: readonly number[]): string[] {
  return times.map((ms) => new Date(ms).toISOString().replace('.000Z', 'Z'));
}
