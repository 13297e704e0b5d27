import { useEffect, useState } from 'preact/hooks';
import type { RunTrace } from '#src/protocol/views.ts';
import { whileSeen } from '../../../data/connection.ts';
import { childRunId, type InspectedRun, isWorkflow } from '../../../data/inspected-run.ts';
import { joined, readSeq } from '../../../data/run-trace.ts';
import { ask } from '../../../data/use-request.ts';
import { type Figures, figuresOf } from '../figures.ts';

/** The newest runs below a workflow that are read, and how often those that have not ended are. */
const [most, everyMs] = [50, 4_000];

/** What the runs that a workflow began have done and used, as the log of each tells. None for a run of another machine. */
export function useBelow(run: InspectedRun): readonly Figures[] {
  const [traces, keep] = useState<ReadonlyMap<string, RunTrace>>(new Map());
  const trace = run.trace.value;
  const ids = trace !== null && isWorkflow(run) ? begunBy(run.runId, trace) : [];
  const key = ids.join(' ');
  useEffect(() => {
    if (key === '') return;
    let isGone = false;
    let known = traces;
    const read = async () => {
      for (const id of key.split(' ')) {
        const before = known.get(id);
        if (before?.ended) continue;
        // What a service does without a run, or with one that may not be seen, counts nothing here.
        const found = await wholeTrace(id, before ?? null).catch(() => null);
        if (isGone) return;
        if (found === null) continue;
        known = new Map(known).set(id, found);
        keep(known);
      }
    };
    void read();
    const stop = whileSeen(everyMs, () => void read());
    return () => {
      isGone = true;
      stop();
    };
  }, [key]);
  return ids.flatMap((id) => {
    const found = traces.get(id);
    return found === undefined ? [] : [figuresOf(found)];
  });
}

function begunBy(runId: string, { transitions }: RunTrace): string[] {
  const effects = transitions.flatMap(({ event: { type, effectId } }) =>
    type === 'service.began' && typeof effectId === 'number' ? [effectId] : [],
  );
  return [...new Set(effects)].slice(-most).map((effect) => childRunId(runId, effect));
}

async function wholeTrace(runId: string, before: RunTrace | null): Promise<RunTrace> {
  let trace = before;
  for (;;) {
    const page = await ask('run.trace', { runId, afterSeq: readSeq(trace), limit: 1_000 });
    trace = joined(trace, page);
    if (page.transitions.length === 0 || readSeq(trace) >= page.lastSeq) return trace;
  }
}
