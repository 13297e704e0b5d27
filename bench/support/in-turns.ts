import { median, quantile, rounded } from './numbers.ts';

interface Kind {
  what: string;
  run(): Promise<unknown>;
}

/** Wall time of one kind. */
export interface KindTimes {
  what: string;
  medianMs: number;
  p95Ms: number;
  /** Times the first kind of the same machine, which is what says something elsewhere. */
  ratio: number;
}

/** Runs one of each kind in turns, so that what else the machine does falls on all of them; the first few do not count. */
export async function inTurns(runs: number, kinds: readonly Kind[]): Promise<KindTimes[]> {
  const times = new Map(kinds.map(({ what }) => [what, [] as number[]]));
  for (let i = -5; i < runs; i += 1)
    for (const { what, run } of kinds) {
      const began = performance.now();
      await run();
      if (i >= 0) times.get(what)?.push(performance.now() - began);
    }
  const first = median(times.get(kinds[0]?.what ?? '') ?? []);
  return [...times].map(([what, values]) => ({
    what,
    medianMs: rounded(median(values)),
    p95Ms: rounded(quantile(values, 0.95)),
    ratio: rounded(median(values) / first),
  }));
}
