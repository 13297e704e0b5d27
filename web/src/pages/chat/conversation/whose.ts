import { createContext } from 'preact';
import type { RunRow } from '../../../data/runs.ts';

/** Whose conversation it is that is shown. */
interface Whose {
  sessionId: string;
  /** Its user, where that is not who is logged in. */
  other: string | null;
  /** What its user said of answers, by the run, as the gateway has it. */
  ratings: ReadonlyMap<string, Rating>;
}

export type Rating = NonNullable<RunRow['ratings']>[number];

export const Whose = createContext<Whose>({ sessionId: '', other: null, ratings: new Map() });
