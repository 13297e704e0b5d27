import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Attempt } from './jobs/order.ts';
import type { Work } from './workflows/order.ts';

function readLines<T>(workspace: string, file: string): T[] {
  const path = join(workspace, file);
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

/**
 * Side effects that really happened, in order. The key of a call of our own tools is its idempotency key; the program that does
 * the work of the others, outside of the process, knows only what the arguments call it: `page-1`.
 */
export function readLedger(workspace: string): { tool: string; key: string }[] {
  return readLines(workspace, 'ledger.jsonl');
}

/** Transitions that a client received. */
export function readAcknowledged(workspace: string): { runId: string; seq: number; path: string }[] {
  return readLines(workspace, 'acknowledged.jsonl');
}

/** Questions to people while the runs were resumed. */
export function readAsked(workspace: string): { runId: string; callId: string; kind: string }[] {
  return readLines(workspace, 'asked.jsonl');
}

/** The part of a call's arguments under which the program that does its work notes it. */
export const labelPattern = /\b[a-z]+-\d+\b/;

/** The processes that are at work beside the one that dies. */
export function readCompany(workspace: string): { pid: number }[] {
  return readLines(workspace, 'company.jsonl');
}

/** How many processes a killed one had at work. */
export function readDeaths(workspace: string): { processes: number }[] {
  return readLines(workspace, 'deaths.jsonl');
}

/** What became of the processes of a scenario, and which effects each performed when: in order. */
export interface LifeEntry {
  pid: number;
  at: number;
  what: 'begin' | 'end' | 'stop' | 'death' | 'close';
  /** Of an effect that begins or ends. */
  run?: string;
  effect?: string;
  /** The boundary at which a process stopped itself. */
  name?: string;
}

export function readLives(workspace: string): LifeEntry[] {
  return readLines(workspace, 'lives.jsonl');
}

/** The transitions that processes have committed. */
export function readWrites(workspace: string): { pid: number; run: number; seq: number }[] {
  return readLines(workspace, 'writes.jsonl');
}

/** Attempts at deliveries of jobs. */
export function readAttempts(workspace: string): Attempt[] {
  return readLines(workspace, 'attempts.jsonl');
}

/** What the services of workflows did, and the tools of their runs. */
export function readWork(workspace: string): Work[] {
  return readLines(workspace, 'work.jsonl');
}
