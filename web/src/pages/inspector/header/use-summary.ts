import type { InspectedRun } from '../../../data/inspected-run.ts';
import type { RunRow } from '../../../data/runs.ts';
import { useRequest } from '../../../data/use-request.ts';

const everyMs = 4_000;
/** Runs of the session that are read to find this one: later ones may name it in their first words. */
const limit = 10;

/** The run as the list of its session has it, read again until it has ended; undefined for the run of a job, which no list has. */
export function useSummary({ runId, trace }: InspectedRun): RunRow | undefined {
  const { sessionId, ended = false } = trace.value ?? {};
  const input = sessionId === undefined ? null : { sessionId, words: runId, limit };
  const { data } = useRequest('run.list', input, ended ? {} : { everyMs });
  return data?.runs.find((one) => one.runId === runId);
}
