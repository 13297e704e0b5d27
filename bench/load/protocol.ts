/** What the processes of this benchmark say to each other. */
import type { LoopDelay } from '../support/loop-delay.ts';

export interface ServerUp {
  port: number;
  /** Of ordinary users, who converse. */
  tokens: string[];
  /** Of one who administrates nothing and may not approve. */
  attackerToken: string;
  /** A workflow's run with a long log, of the attacker's own. */
  longRunId: string;
  /** A run of the attacker's whose owner approved all calls in advance. */
  approvedRunId: string;
}

/** The server at one moment. */
export interface ServerSample {
  rssMb: number;
  /** What keeps the process alive: sockets, timers, files. */
  handles: number;
  /** How late the event loop was since the last sample. */
  delay: LoopDelay;
  /** How often a tool was performed that only an approval allows, without one. */
  unasked: number;
}

/** What the clients saw since their last report. */
export interface ClientsReport {
  runs: number;
  decisions: number;
  reconnects: number;
  /** From asking to the answer of a small request, in milliseconds. */
  probes: number[];
  /** From sending a prompt to the first piece of its answer, in milliseconds. */
  firstPieces: number[];
  /** How often each thing went wrong, by its code. */
  errors: Record<string, number>;
}

/** What the attackers did: how often each of them, and what it was told, by status or code. */
export type AttacksReport = Record<string, Record<string, number>>;

/** Counts by name. */
export function counter(): { counts: Record<string, number>; count(name: string): void } {
  const counts: Record<string, number> = {};
  const count = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  return { counts, count };
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
