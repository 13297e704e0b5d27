import type { StateKey } from '../states.ts';

/** What a chart shows besides its machine: what holds now, and what happened so far. */
export interface ChartMarks {
  /** Paths of the innermost states that hold. */
  lit: readonly string[];
  /** What they look like. */
  key: StateKey;
  /** How often each edge was taken. */
  taken: ReadonlyMap<string, number>;
  /** The edges that the last transition took. */
  last: readonly string[];
  /** Of edges that were taken: the transition that took it last. */
  labels: ReadonlyMap<string, string>;
  /** How long each innermost state held, in milliseconds. */
  durations: ReadonlyMap<string, number>;
}

export const noMarks: ChartMarks = {
  lit: [],
  key: 'decide',
  taken: new Map(),
  last: [],
  labels: new Map(),
  durations: new Map(),
};

/** The states that hold: those of the paths, and those around them. */
export function litStates(paths: readonly string[]): Set<string> {
  return new Set(
    paths.flatMap((path) => {
      const names = path.split('.');
      return names.map((_, i) => names.slice(0, i + 1).join('.'));
    }),
  );
}
