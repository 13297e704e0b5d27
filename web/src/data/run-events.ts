import type { RunEvent } from '#src/protocol/run-events.ts';
import { ask } from './use-request.ts';

/** The events of a run so far, page by page. */
export async function runEvents(runId: string): Promise<RunEvent[]> {
  const all: RunEvent[] = [];
  for (let afterSeq: number | undefined = 0; afterSeq !== undefined; ) {
    const page: { events: RunEvent[]; nextAfterSeq?: number } = await ask('run.events', { runId, afterSeq });
    all.push(...page.events);
    afterSeq = page.nextAfterSeq;
  }
  return all;
}
