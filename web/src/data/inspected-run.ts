import { effect } from '@preact/signals';
import { client, generation, whileSeen } from './connection.ts';
import { type FeedReader, type Inspected, inspected } from './inspected.ts';
import { joined, readSeq } from './run-trace.ts';
import { ask } from './use-request.ts';

/** A run under inspection. */
export interface InspectedRun extends Inspected {
  runId: string;
}

/** Whether it is an agent's run. Those of other machines take no commands here, and no forks. */
export function isAgentRun({ trace }: InspectedRun): boolean {
  const name = trace.value?.machine.name;
  return name === 'run' || name === 'call';
}

/** Whether it is the run of a workflow. */
export function isWorkflow({ trace }: InspectedRun): boolean {
  return trace.value?.machine.name.startsWith('workflow:') ?? false;
}

/** Whether it shows the newest transition, chosen by its number or not. */
export function showsNewest({ isAtHead, seq, trace }: InspectedRun): boolean {
  return isAtHead.value || seq.value === trace.value?.lastSeq;
}

/** The id of the run that performs an effect of a workflow, or a call of an agent. */
export function childRunId(runId: string, effect: number): string {
  return `${runId}.c${effect}`;
}

const pageSize = 1_000;
const pollMs = 5_000;

export function inspectedRun(runId: string): InspectedRun {
  return { runId, ...inspected(runId, (reader) => feed(runId, reader)) };
}

/** Reads a run, and again whenever it moved: its events say so, and in case that they do not come, the clock. */
function feed(runId: string, { before, read, failed }: FeedReader): () => void {
  let isStopped = false;
  let isReading = false;
  let isAskedAgain = false;

  async function pull(): Promise<void> {
    let trace = before();
    for (;;) {
      const afterSeq = readSeq(trace);
      const page = await ask('run.trace', { runId, afterSeq, limit: pageSize });
      if (isStopped) return;
      trace = joined(trace, page);
      const isWhole = readSeq(trace) >= page.lastSeq || page.transitions.length === 0;
      read(trace, isWhole);
      if (isWhole) return;
    }
  }

  async function refresh(): Promise<void> {
    isAskedAgain = true;
    if (isReading) return;
    isReading = true;
    while (isAskedAgain && !isStopped) {
      isAskedAgain = false;
      await pull().catch((reason: unknown) => {
        if (!isStopped) failed(reason);
      });
    }
    isReading = false;
  }

  async function listen(): Promise<void> {
    await refresh();
    const known = before();
    if (isStopped || known === null || known.ended) return;
    events = client().watch(runId, { afterSeq: readSeq(known) });
    // A run that cannot be watched is read by the clock alone.
    for await (const { event } of events) if (event === 'state.changed') void refresh();
    if (!isStopped) await refresh();
  }

  let events: AsyncIterableIterator<{ event: string }> | undefined;
  listen().catch(() => {});
  const stopConnections = effect(() => {
    if (generation.value > 1) void refresh();
  });
  const stopPolling = whileSeen(pollMs, () => {
    if (before()?.ended !== true) void refresh();
  });
  return () => {
    isStopped = true;
    stopPolling();
    stopConnections();
    void events?.return?.();
  };
}
