import { createContext } from 'preact';
import type { ClientRun } from '#src/client/index.ts';
import { isFlow, isLeft } from '../../../data/runs.ts';

/** How the session's run stands, where its newest state does not say so: null where it does. */
export const Standing = createContext<string | null>(null);

/** A workflow, or a run below it, asks a person: the states of a chart are called as its author likes. */
export const asks = 'asks';

/** Its status if nothing works on the run until somebody resumes it, so that no time is counted; or {@link asks}. */
export function standingOf(run: ClientRun | null): string | null {
  if (run === null) return null;
  if (isLeft(run)) return run.status;
  return isFlow(run) && run.pending.length > 0 ? asks : null;
}

/** Whether nothing works on the run. */
export function isAtRest(standing: string | null): standing is string {
  return standing !== null && standing !== asks;
}
