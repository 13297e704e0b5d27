import type { RunSignal } from '../../engine/bus.ts';
import { pathOf } from '../../engine/machine.ts';
import { kindOf, type RunKind } from '../../runs/rows.ts';
import type { JobEffect } from '../machine/job-run.ts';
import { alertNow } from './alert-now.ts';
import type { WorkParts } from './work-parts.ts';

interface Awaited {
  runId: string;
  /** Is called when the run waits for a person. */
  rests(): void;
}

/** Waits for the end of the run of a slot. False when the run was deleted. */
export async function awaitEnd(
  parts: WorkParts,
  job: JobEffect,
  { runId: id, rests }: Awaited,
): Promise<boolean> {
  const { store, bus } = parts;
  const { signal } = job;
  const { tenant } = job.run;
  const over = Promise.withResolvers<boolean>();
  const alertIfWaiting = waitAlert(parts, job, id);
  let kind: RunKind | null = null;
  const look = async () => {
    const row = await store.query('loadRun', { tenant, id });
    if (!row || row.ended) return over.resolve(row !== undefined);
    alertIfWaiting();
    kind = kindOf(row);
    if (kind.waitsInProcess ? !kind.isWorking(pathOf(JSON.parse(row.state))) : !kind.isAtWork(row)) rests();
  };
  const lookAgain = () => void look().catch(over.reject);
  const listen = ({ type, path }: RunSignal) => {
    if (type === 'transition' && !kind?.isWorking(String(path))) lookAgain();
  };
  const stop = bus.listen(id, listen);
  const attendance = bus.attend(tenant, id);
  const leave = () => over.reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  void attendance.begun.then(lookAgain);
  return over.promise.finally(() => {
    stop();
    attendance.leave();
    signal.removeEventListener('abort', leave);
  });
}

/** Alerts the job's targets, once, that the run or one below it waits for a person. Call it whenever that may be the case. */
function waitAlert(parts: WorkParts, job: JobEffect, runId: string): () => void {
  let isDone = job.context.definition.alert.length === 0;
  let isLooking = false;
  const look = async () => {
    const view = await parts.runs.settled(job.run.tenant, runId);
    const asks = view.pending.map(({ callId, name }) => `${callId} ${name}`);
    const below = view.waitsFor === undefined ? [] : [`its run ${view.waitsFor}`];
    if (view.status !== 'waiting' || asks.length + below.length === 0 || isDone) return;
    isDone = true;
    const text = `run ${runId} waits for a person: ${[...asks, ...below].join(', ')}; see it with "detent runs show ${runId}"`;
    await alertNow(parts, job, job.context.definition.alert, {
      status: 'waiting',
      runId,
      text,
      error: null,
      failures: 0,
      tainted: [],
      at: parts.now(),
    });
  };
  return () => {
    if (isDone || isLooking || job.signal.aborted) return;
    isLooking = true;
    // Errors are ignored here: the end of the run reports what is wrong.
    void look()
      .catch(() => {})
      .finally(() => {
        isLooking = false;
      });
  };
}
