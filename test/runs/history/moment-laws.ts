import { expect } from 'vitest';
import type { Detent } from '../../../src/index.ts';
import { shortHash } from '../../../src/text/ids.ts';

/** What holds for every run: its last moment, computed from its log, is what its rows say now. */
export async function expectLastMoment(detent: Detent, runId: string): Promise<void> {
  const events = await detent.runs.events(runId);
  const last = events.at(-1);
  const moment = await detent.runs.at(runId, last?.seq ?? 0);
  // The run of a test that is still open may have moved meanwhile.
  const view = await detent.runs.show(runId);
  const legal = await detent.runs.allowed(runId);
  const { conversation } = await detent.sessions.show(moment.sessionId);
  if ((await detent.runs.events(runId)).length !== events.length) return;
  const known = new Set(moment.messages.map((message) => message.runId));
  expect({
    runId,
    lastSeq: moment.lastSeq,
    path: moment.path,
    ended: moment.ended,
    hash: last && shortHash(JSON.stringify(moment.context)),
    pending: moment.pending,
    legal: moment.legal,
    messages: moment.messages.map(({ inPrompt: _, ...message }) => message),
  }).toEqual({
    runId,
    lastSeq: last?.seq ?? 0,
    path: view.states.at(-1),
    ended: ['done', 'failed', 'cancelled'].includes(view.status),
    hash: last?.hash,
    pending: view.pending.filter(({ runId }) => runId === undefined),
    legal,
    // Later runs of the session have messages, too.
    messages: conversation
      .filter((message) => known.has(message.runId))
      // What the user said of an answer later is not of the log.
      .map(({ inPrompt: _, rating: _later, ...message }) => message),
  });
}
